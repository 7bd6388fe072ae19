"""Training games of a tree search against itself: its most-visited moves, and the values of its trees as scores."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.arena.gamefile import pack_block, pack_position
from engine.arena.records import Adjudication, MoveRecord, Opening
from engine.arena.referee import EngineLimits, GameInProgress
from engine.arena.searchgames import cached_search
from engine.arena.settings import Config
from engine.arena.stopping import check_stop
from engine.arena.training import TrainingBlock, chess960_start
from engine.core.fen import START_FEN
from engine.core.game import Game
from engine.mcts.searcher import MctsSearch
from engine.search.limits import Limits

_RULES = Adjudication(draw_score=5, draw_moves=6, draw_from=50, win_score=800, win_moves=4, by_tables=False)
_FAIR_SCORE = 150  # the largest advantage that an opening may give, in the eyes of the player
_RANDOM_PLIES = (8, 9)  # so that either side may move first
_MEGABYTES = 16
_RESULTS = {"1-0": 1, "1/2-1/2": 0, "0-1": -1}


@dataclass(frozen=True)
class TreeTrainingShard:
    """Some games, determined by the shard's number and the seed. Calling it plays them."""

    number: int
    games: int
    nodes: int
    seed: int
    setting: Config
    chess960: bool = False

    def __call__(self) -> TrainingBlock:
        """Play the games, and pack them into a block; StoppedError if they were stopped."""
        chance = random.Random(f"{self.seed}/{self.number}")  # noqa: S311  no secret
        search = cached_search(self.setting, 0, _MEGABYTES)
        rows, moves, scores, nodes = [], [], [], 0
        for _ in range(self.games):
            opening = self._opening(search, chance)
            row, played, spent = _play(search, opening, self.nodes)
            rows.append(row)
            moves += [move for move, _ in played]
            scores += [score for _, score in played]
            nodes += spent
        content = pack_block(rows, np.array(moves, np.int64), np.array(scores, np.int64))
        return TrainingBlock(content, len(rows), len(moves), nodes)

    def _opening(self, search: AlphaBetaSearch | MctsSearch, chance: random.Random) -> Opening:
        """Random moves, from which the player finds neither side far ahead."""
        while True:
            check_stop()
            fen = chess960_start(chance) if self.chess960 else START_FEN
            game, played = Game(fen, self.chess960), []
            for _ in range(chance.choice(_RANDOM_PLIES)):
                legal = game.legal_moves()
                if not legal:
                    break
                played.append(game.uci(chance.choice(legal)))
                game.push_uci(played[-1])
            if not game.legal_moves():
                continue
            search.clear()
            if abs(search.run(game.position, Limits(nodes=self.nodes)).score) <= _FAIR_SCORE:
                return Opening(fen, tuple(played), self.chess960)


def _play(search: AlphaBetaSearch | MctsSearch, opening: Opening, nodes: int) -> tuple[object, list[tuple[int, int]],
                                                                                       int]:
    """(the row, (move, score) of each ply, nodes) of a game from an opening to its end."""
    game = Game(opening.fen, opening.chess960, opening.moves)
    row = pack_position(game.position)
    live, played, spent = GameInProgress(opening, EngineLimits(), _RULES), list[tuple[int, int]](), 0
    search.clear()
    while (verdict := live.verdict()) is None:
        check_stop()
        result = search.run(game.position, Limits(nodes=nodes))
        played.append((result.move, result.score))
        spent += result.nodes
        text = game.uci(result.move)
        live.thoughts.append(MoveRecord(text, result.score))
        live.board.push_uci(text)
        game.push_uci(text)
    row["result"], row["plies"] = _RESULTS[verdict[0]], len(played)
    return row, played, spent
