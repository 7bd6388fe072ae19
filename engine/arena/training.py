"""Training games: the engine against itself from random openings, packed as they are played."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice

import numpy as np

from engine.arena.duel import FairnessTest, new_game, side_of
from engine.arena.gamefile import pack_block, pack_position
from engine.arena.openings import RandomOpenings
from engine.arena.records import Adjudication, Opening
from engine.arena.selfplay import play_game
from engine.arena.settings import Setting
from engine.core.game import Game

# Won games are played on until nobody can miss it: the evaluation has to learn how that is done.
_RULES = Adjudication(draw_score=5, draw_moves=6, draw_from=50, win_score=2500, win_moves=3)


@dataclass(frozen=True)
class Block:
    """What a shard comes back with."""

    content: bytes
    games: int
    positions: int
    nodes: int


@dataclass(frozen=True)
class TrainingShard:
    """A number of games, which its own number and the seed decide. Calling it plays them."""

    number: int
    games: int
    nodes: int
    seed: int
    setting: Setting = Setting()  # noqa: RUF009  frozen
    chess960: bool = False
    megabytes: int = 4

    def __call__(self) -> Block:
        """Play the games, and pack them into a block."""
        side = side_of(self.setting, 0, self.megabytes)
        rows, moves, scores, nodes = [], [], [], 0
        for opening in self._openings():
            side.clear()
            game = new_game(self.nodes, _RULES)
            position = Game(opening.fen, opening.chess960, opening.moves).position
            play_game(position, side.state, side.state, game)
            row = pack_position(opening.board())
            row["result"], row["plies"] = game.result, game.count
            rows.append(row)
            moves.append(game.moves[: game.count])
            scores.append(game.scores[: game.count])
            nodes += int(game.nodes)
        content = pack_block(rows, np.concatenate(moves), np.concatenate(scores))
        return Block(content, len(rows), sum(map(len, moves)), nodes)

    def _openings(self) -> Iterator[Opening]:
        """Eight or nine random plies each, so that both sides get to move first."""
        source = RandomOpenings(self.chess960, _fairness_test(), extra_ply=True)
        return islice(source.draw(self.games, f"{self.seed}/{self.number}"), self.games)


_kept = threading.local()


def _fairness_test() -> FairnessTest:
    test = _kept.__dict__.get("test")
    if test is None:
        test = _kept.__dict__["test"] = FairnessTest()
    found: FairnessTest = test
    return found


def shards(first: int, games: int, nodes: int, seed: int, setting: Setting, chess960: bool) -> Iterator[TrainingShard]:
    """All shards from the one numbered `first` on, without an end."""
    return (TrainingShard(number, games, nodes, seed, setting, chess960) for number in count(first))
