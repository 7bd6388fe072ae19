"""Mates that the search announces: known ones, and their lines."""

from __future__ import annotations

import pytest

from engine.alphabeta.params import default_params
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.game import Game
from engine.search.scores import mate_distance
from engine.search.types import Bound, Limits, Result
from tests.alphabeta.techniques import every_technique
from tests.positions import reference_board

SEARCHER = AlphaBetaSearch(4)

MATES = {  # position: moves to the mate, the line forced
    "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1": 1,
    "7k/8/8/8/8/8/R7/1R2K3 w - - 0 1": 2,
    "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1": 3,
}


def search(fen: str, nodes: int) -> tuple[Game, Result]:
    SEARCHER.clear()
    game = Game(fen)
    return game, SEARCHER.run(game.position, Limits(nodes=nodes))


@pytest.mark.parametrize("params", [default_params(), every_technique()], ids=["default", "every technique"])
@pytest.mark.parametrize(("fen", "moves"), MATES.items())
def test_short_mates_and_their_lines(fen, moves, params):
    SEARCHER.set_params(params)
    game, result = search(fen, nodes=300_000)
    SEARCHER.set_params(default_params())
    assert mate_distance(result.score) == moves
    board = reference_board(fen)
    for move in result.pv:
        text = game.uci(move)
        board.push_uci(text)
        game.push_uci(text)
    assert board.is_checkmate()


@pytest.mark.parametrize("fen", ["1bqQ1B2/1r6/2P1r3/1P2P3/1p5p/3PpP2/4P1pp/R3K1kb w Q - 0 1", *MATES])
def test_a_mate_that_is_announced_with_certainty_has_its_whole_line(fen):
    """Wherever a search is stopped: between a score that fails high and the search that would find its line, too."""
    for nodes in range(200, 24_000, 700):
        _, result = search(fen, nodes=nodes)
        for info in result.infos:
            distance = mate_distance(info.score)
            if distance is not None and info.bound is Bound.EXACT:
                game, board = Game(fen), reference_board(fen)
                for move in info.pv:
                    board.push_uci(game.uci(move))
                    game.push_uci(game.uci(move))
                assert board.is_checkmate() and len(info.pv) == 2 * distance - 1
