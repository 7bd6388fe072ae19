"""Training games: the engine against itself from random openings, packed as they are played."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import chess
import numpy as np

from engine.arena.duel import new_game, side_of
from engine.arena.gamefile import pack_block, pack_position
from engine.arena.records import Adjudication
from engine.arena.selfplay import draw_opening, play_game
from engine.arena.settings import Setting
from engine.arena.stopping import check_stop
from engine.core.fen import START_FEN, parse_fen

# Won games are played on until nobody can miss it: the evaluation has to learn how that is done.
_RULES = Adjudication(draw_score=5, draw_moves=6, draw_from=50, win_score=2500, win_moves=3, by_tables=False)


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
    setting: Setting
    chess960: bool = False
    megabytes: int = 4

    def __call__(self) -> Block:
        """Play the games, and pack them into a block; StoppedError if they were stopped."""
        side = side_of(self.setting, 0, self.megabytes)
        generator = random.Random(f"{self.seed}/{self.number}")  # noqa: S311  no secret
        rows, moves, scores, nodes = [], [], [], 0
        for _ in range(self.games):
            side.clear()
            game = new_game(self.nodes, _RULES, 0)
            game.random = generator.getrandbits(64)
            position = parse_fen(self._start(generator), self.chess960)
            draw_opening(position, side.state, game)
            row = pack_position(position)
            play_game(position, side.state, side.state, game)
            row["result"], row["plies"] = game.result, game.count
            rows.append(row)
            moves.append(game.moves[: game.count])
            scores.append(game.scores[: game.count])
            nodes += int(game.nodes)
            check_stop()
        content = pack_block(rows, np.concatenate(moves), np.concatenate(scores))
        return Block(content, len(rows), sum(map(len, moves)), nodes)

    def _start(self, generator: random.Random) -> str:
        if not self.chess960:
            return START_FEN
        return chess.Board.from_chess960_pos(generator.randrange(960)).fen(shredder=True)


def shards(first: int, games: int, nodes: int, seed: int, setting: Setting, chess960: bool) -> Iterator[TrainingShard]:
    """All shards from the one numbered `first` on, without an end."""
    return (TrainingShard(number, games, nodes, seed, setting, chess960) for number in count(first))
