"""MultiPV of the tree searches: as many lines as are asked for, in the order of their scores."""

from __future__ import annotations

import pytest

from engine.core.game import Game
from engine.player.options import Settings
from engine.search.modes import mode_named
from engine.search.scores import mate_distance
from engine.search.types import Bound, Info, Limits

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
HANGING_MATE = "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1"


@pytest.mark.parametrize("mode", ["mcts", "puct", "uct", "montecarlo"])
@pytest.mark.parametrize("fen", [None, KIWIPETE, HANGING_MATE], ids=["start", "kiwipete", "mate"])
@pytest.mark.parametrize("nodes", [3, 60, 2000])
def test_every_line_that_is_asked_for_is_there_and_no_worse_than_the_next(mode, fen, nodes):
    game, infos = Game(fen) if fen else Game(), list[Info]()
    search = mode_named(mode).create(Settings(), 4)
    result = search.run(game.position, Limits(nodes=nodes, multipv=10), lambda found: infos.append(found)
                        if isinstance(found, Info) else None)
    last = infos[-10:]
    assert [info.multipv for info in last] == list(range(1, 11))
    assert len({info.pv[0] for info in last}) == 10 and {info.pv[0] for info in last} <= set(game.legal_moves())
    assert [info.score for info in last] == sorted((info.score for info in last), reverse=True)
    assert result.move == last[0].pv[0]
    assert all(info.score == last[0].score for info in last if info.bound is Bound.UPPER)
    for info in last:
        distance = mate_distance(info.score)
        assert distance is None or len(info.pv) in (2 * abs(distance), 2 * abs(distance) - 1)
