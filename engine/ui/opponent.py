"""The engine as an opponent: its moves at a level and by its clock, what it thinks of draws and of resigning, hints,
explanations and the review of a game.
"""

from __future__ import annotations

import random
from types import TracebackType
from typing import Self

import chess

from engine.analysis.annotation import Annotation
from engine.analysis.engine import Engine
from engine.analysis.explain import Explanation
from engine.analysis.pgn_reader import read_game_text
from engine.analysis.results import AnalysisInfo, Score
from engine.system.host import usable_cores
from engine.ui.game import PlayedGame, PlayerInfo
from engine.version import NAME

_HASH = 32  # MB
_MOST_THREADS = 8
_MOVETIME = 2000  # milliseconds, in games without clocks; weak levels need less
_ADVICE_MOVETIME, _GLANCE_MOVETIME = 700, 150

_DRAW_FROM_PLY, _DRAW_AT_MOST = 20, 20  # centipawns, the engine's: with more it plays on
_EARLY_DRAW_AT_MOST = -100

_RESIGNS_FROM = 1200  # weaker players play on until they are mated, and do not think of draws
_HOPELESS, _HOPELESS_MOVES = -700, 3  # centipawns, the engine's, and for how many of its moves
_OFFERS_FROM_PLY, _LEVEL_MOVES = 60, 6

_SHORTEST, _LONGEST = 0.5, 2.5  # seconds for an ordinary move
_OBVIOUS = 0.4  # seconds for an obvious move
_SHARE_OF_CLOCK = 50  # a delay is at most this part of the remaining time


def level_name(level: int | None) -> str:
    """The engine's name at a level; None is full strength."""
    return NAME if level is None else f"{NAME} (level {level})"


def engine_info(level: int | None) -> PlayerInfo:
    """The engine as a player at a level."""
    return PlayerInfo(level_name(level), is_person=False, elo=level)


def _options(level: int | None) -> dict[str, str | int | bool]:
    if level is None:
        return {"OwnBook": True}
    return {"UCI_LimitStrength": True, "UCI_Elo": level}


def would_accept_draw(centipawns: int, plies: int) -> bool:
    """Whether the engine accepts a draw with this score (its own point of view) after so many plies."""
    return centipawns <= (_DRAW_AT_MOST if plies >= _DRAW_FROM_PLY else _EARLY_DRAW_AT_MOST)


class EngineOpponent:
    """An engine that plays at a level, and one at full strength that analyses. A context manager; or use `close`."""

    def __init__(self, level: int | None, megabytes: int = _HASH, threads: int | None = None) -> None:
        """`megabytes` and `threads` are for the playing engine; by default it uses the cores that help it."""
        self._megabytes, self._threads = megabytes, threads
        self.level = level
        self._player = self._create_player()
        self._scores: list[int | None] = []  # what it thought of its last moves, in centipawns; None for the book's
        self._analysis_engine: Engine | None = None  # created when first needed
        self._rng = random.Random()  # noqa: S311  delays are not secret

    def __enter__(self) -> Self:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Stop the running search and release threads and memory."""
        for engine in (self._player, self._analysis_engine):
            if engine is not None:
                engine.close()

    def stop(self) -> None:
        """Make the running search end soon; may be called from any thread."""
        for engine in (self._player, self._analysis_engine):
            if engine is not None:
                engine.stop()

    def _create_player(self) -> Engine:
        threads = self._threads
        if threads is None:
            threads = 1 if self.level is not None else min(usable_cores(), _MOST_THREADS)
        return Engine(hash=self._megabytes, threads=threads, options=_options(self.level))

    def set_level(self, level: int | None) -> None:
        """Play at another level from now on; None is full strength."""
        if level != self.level:
            self.level = level
            self._player.close()
            self._player = self._create_player()

    def begin_game(self) -> None:
        """Clear the state of the previous game."""
        self._player.clear()
        self._scores.clear()

    def move(self, game: PlayedGame) -> chess.Move:
        """Search for the engine's move in a game that is not over, by its level and clock."""
        clock = game.clock
        if clock is None:
            played = self._player.play(game.board, movetime=_MOVETIME)
        else:
            left = max(clock.left(chess.WHITE), 1), max(clock.left(chess.BLACK), 1)
            played = self._player.play(game.board, clocks=left, increments=(clock.control.increment,) * 2)
        assert played.move is not None
        self._scores.append(None if played.score is None else played.score.value)
        return played.move

    def resigns(self) -> bool:
        """Whether a player of this level would resign instead of making the move that was found last."""
        if self.level is not None and self.level < _RESIGNS_FROM:
            return False
        last = self._scores[-_HOPELESS_MOVES:]
        return len(last) == _HOPELESS_MOVES and all(score is not None and score <= _HOPELESS for score in last)

    def offers_draw(self, game: PlayedGame) -> bool:
        """Whether a player of this level would offer a draw with the move that was found last."""
        if (self.level is not None and self.level < _RESIGNS_FROM) or len(game.moves) < _OFFERS_FROM_PLY:
            return False
        last = self._scores[-_LEVEL_MOVES:]
        return len(last) == _LEVEL_MOVES and all(score is not None and abs(score) <= _DRAW_AT_MOST for score in last)

    def review(self, game: PlayedGame) -> Annotation:
        """The marks, reasons and accuracy of the game so far, at full strength; InputError if it has no moves."""
        return self._analyser().annotate(read_game_text(game.pgn()))

    def humanlike_delay(self, game: PlayedGame, move: chess.Move) -> float:
        """Seconds that a human player would have spent on this move of the engine."""
        board = game.board
        is_recapture = bool(board.move_stack) and board.move_stack[-1].to_square == move.to_square
        is_obvious = is_recapture or board.legal_moves.count() == 1
        seconds = _OBVIOUS if is_obvious else self._rng.uniform(_SHORTEST, _LONGEST)
        if game.clock is not None:
            seconds = min(seconds, game.clock.left(game.turn) / 1000 / _SHARE_OF_CLOCK)
        return seconds

    def accepts_draw(self, game: PlayedGame) -> bool:
        """Whether the engine accepts a draw offer."""
        score = self.evaluate(game)
        mine = score.value if game.turn == self._color(game) else -score.value
        return would_accept_draw(mine, len(game.moves))

    @staticmethod
    def _color(game: PlayedGame) -> chess.Color:
        """The engine's side; the side not to move if it plays both or none."""
        programs = [color for color in chess.COLORS if not game.player(color).is_person]
        return programs[0] if len(programs) == 1 else not game.turn

    def hint(self, game: PlayedGame) -> AnalysisInfo | None:
        """The best move at full strength; None if the game is over."""
        return self._best(game, _ADVICE_MOVETIME)

    def evaluate(self, game: PlayedGame) -> Score:
        """The score of the side to move after a short search."""
        info = self._best(game, _GLANCE_MOVETIME)
        return self._analyser().evaluate(game.board) if info is None else info.score

    def explain(self, game: PlayedGame, move: chess.Move | None) -> Explanation:
        """Why the position, or a move in it, is good or bad."""
        return self._analyser().explain(game.board, move, movetime=_ADVICE_MOVETIME)

    def _best(self, game: PlayedGame, movetime: int) -> AnalysisInfo | None:
        last = None
        for info in self._analyser().analyse(game.board, movetime=movetime):
            last = info
        return last

    def _analyser(self) -> Engine:
        if self._analysis_engine is None:
            self._analysis_engine = Engine(hash=_HASH)
        return self._analysis_engine
