"""Training games: the engine against itself from random or given openings, packed into blocks."""

from __future__ import annotations

import random
from dataclasses import dataclass

import chess
import numpy as np

from engine.core.fen import START_FEN, parse_fen
from engine.core.game import Game
from engine.core.position import POSITION, PositionRecord
from engine.lab.arena.cancellation import check_cancelled
from engine.lab.arena.configs import Config
from engine.lab.arena.game_file import pack_block
from engine.lab.arena.game_rows import GAME_ROW, pack_position
from engine.lab.arena.kernel_games import kernel_player, new_game
from engine.lab.arena.participants import Participant
from engine.lab.arena.records import Adjudication, MoveRecord, Opening
from engine.lab.arena.referee import EngineLimits, GameInProgress
from engine.lab.arena.selfplay import SelfPlayRecord, play_training_game

# Some games are always played on until the win is certain: the evaluator must learn how to win them, and they show how
# often an early adjudication is wrong.
_TO_THE_END = Adjudication(draw_score=5, draw_moves=6, draw_from=50, win_score=2500, win_moves=3, by_tables=False)
_PLAYED_ON = 20  # one game in this many
PLIES_TO_WIN = 4  # in a row with a decisive score, after which a game is adjudicated
_SHORT_SEARCH = 500  # nodes
_RANDOM_PLIES, _RANDOM_PLIES_AFTER_OPENING = 8, 2
_HARD_PER_SOFT = 10  # scores of whole iterations are better labels


@dataclass(frozen=True)
class TrainingBlock:
    """The packed games of a shard."""

    content: bytes
    games: int
    positions: int
    nodes: int


@dataclass(frozen=True)
class TrainingShard:
    """Some games, determined by the shard's number, the seed and the openings. Calling it plays them.

    `openings` are FENs, one for each game, or none for the starting position; random moves follow.
    """

    number: int
    games: int
    nodes: int
    seed: int
    config: Config
    chess960: bool = False
    openings: tuple[str, ...] = ()
    win_score: int | None = None  # centipawns at which most games are adjudicated; None to play on in all of them

    def __call__(self) -> TrainingBlock:
        """Play the games and pack them into a block; GamesCancelledError if games are cancelled."""
        player = kernel_player(self.config, 0, self._megabytes)
        rng = random.Random(f"{self.seed}/{self.number}")  # noqa: S311  no secret
        rows, position = np.zeros(self.games, GAME_ROW), np.zeros(1, POSITION)
        moves, scores, nodes = [], [], 0
        adjudicated, played_on = self._new_game(early_rules(self.win_score)), self._new_game(_TO_THE_END)
        for index in range(self.games):
            player.clear()
            game = played_on if (self.number * self.games + index) % _PLAYED_ON == 0 else adjudicated
            game.random = rng.getrandbits(64)
            position[0] = self._start(index, rng)
            play_training_game(position[0], player.state, game, rows, index)
            moves.append(game.moves[: game.count].copy())
            scores.append(game.scores[: game.count].copy())
            nodes += int(game.nodes)
            check_cancelled()
        content = pack_block(rows, np.concatenate(moves), np.concatenate(scores))
        return TrainingBlock(content, len(rows), sum(map(len, moves)), nodes)

    def _new_game(self, rules: Adjudication) -> SelfPlayRecord:
        game = new_game(self.nodes, _HARD_PER_SOFT * self.nodes, rules, 0)
        game.random_plies = _RANDOM_PLIES_AFTER_OPENING if self.openings else _RANDOM_PLIES
        return game

    def _start(self, index: int, rng: random.Random) -> PositionRecord:
        """The position from which a game's random moves are played."""
        if self.openings:
            return parse_fen(self.openings[index], self.chess960)
        return parse_fen(chess960_start(rng), chess960=True) if self.chess960 else parse_fen(START_FEN)

    @property
    def _megabytes(self) -> int:
        """The size of the transposition table: short searches do not fill a larger one, which is slow to clear."""
        return 4 if self.nodes > _SHORT_SEARCH else 1


def early_rules(win_score: int | None) -> Adjudication:
    """The rules that end a game as soon as its further positions are of little use for training."""
    if win_score is None:
        return _TO_THE_END
    return Adjudication(draw_score=10, draw_moves=6, draw_from=30, win_score=win_score, win_moves=PLIES_TO_WIN // 2,
                        by_tables=False)


def chess960_start(rng: random.Random) -> str:
    """One of the starting positions of Chess960, as a FEN."""
    return chess.Board.from_chess960_pos(rng.randrange(960)).fen(shredder=True)


def games_per_shard(nodes: int, config: Config) -> int:
    """The number of games in a shard, enough for it to take seconds rather than milliseconds."""
    return max(4, (12_800 if config.tree is None else 1600) // nodes)


_TREE_RULES = Adjudication(draw_score=5, draw_moves=6, draw_from=50, win_score=800, win_moves=4, by_tables=False)
_FAIR_SCORE = 150  # the largest advantage that an opening may give, by the player's own search
_TREE_RANDOM_PLIES = (8, 9)  # so that either side may move first
_MEGABYTES = 16
_RESULTS = {"1-0": 1, "1/2-1/2": 0, "0-1": -1}


@dataclass(frozen=True)
class TreeTrainingShard:
    """Some games, determined by the shard's number and the seed. Calling it plays them."""

    number: int
    games: int
    nodes: int
    seed: int
    config: Config
    chess960: bool = False

    def __call__(self) -> TrainingBlock:
        """Play the games and pack them into a block; GamesCancelledError if games are cancelled."""
        rng = random.Random(f"{self.seed}/{self.number}")  # noqa: S311  no secret
        player = Participant.of(self.config, self.nodes, _MEGABYTES)
        rows, moves, scores, nodes = [], [], [], 0
        for _ in range(self.games):
            opening = self._opening(player, rng)
            row, played, spent = _play(player, opening)
            rows.append(row)
            moves += [move for move, _ in played]
            scores += [score for _, score in played]
            nodes += spent
        content = pack_block(rows, np.array(moves, np.int64), np.array(scores, np.int64))
        return TrainingBlock(content, len(rows), len(moves), nodes)

    def _opening(self, player: Participant, rng: random.Random) -> Opening:
        """A random opening in which the player's search finds neither side far ahead."""
        while True:
            check_cancelled()
            fen = chess960_start(rng) if self.chess960 else START_FEN
            game, played = Game(fen, self.chess960), []
            for _ in range(rng.choice(_TREE_RANDOM_PLIES)):
                legal = game.legal_moves()
                if not legal:
                    break
                played.append(game.uci(rng.choice(legal)))
                game.push_uci(played[-1])
            if not game.legal_moves():
                continue
            if abs(player.chooser(0, None)(game.position).score) <= _FAIR_SCORE:
                return Opening(fen, tuple(played), self.chess960)


def _play(player: Participant, opening: Opening) -> tuple[object, list[tuple[int, int]], int]:
    """(the row, (move, score) of each ply, nodes) of a game from an opening to its end."""
    game = Game(opening.fen, opening.chess960, opening.moves)
    row = pack_position(game.position)
    live, played, spent = GameInProgress(opening, EngineLimits(), _TREE_RULES), list[tuple[int, int]](), 0
    choose = player.chooser(0, None)
    while (verdict := live.verdict()) is None:
        check_cancelled()
        result = choose(game.position)
        played.append((result.move, result.score))
        spent += result.nodes
        text = game.uci(result.move)
        live.records.append(MoveRecord(text, result.score))
        live.board.push_uci(text)
        game.push_uci(text)
    row["result"], row["plies"] = _RESULTS[verdict[0]], len(played)
    return row, played, spent
