"""The engine at a board: its moves at a level and by its clock, what it says to a draw, and its advice."""

from __future__ import annotations

import random
from types import TracebackType
from typing import Self

import chess

from engine.analysis.engine import Engine
from engine.analysis.explain import Explanation
from engine.analysis.results import AnalysisInfo, Score
from engine.player.options import find_option
from engine.system.host import usable_cores
from engine.ui.game import PlayedGame, PlayerInfo
from engine.version import NAME

_ELO = find_option("UCI_Elo")
LOWEST, HIGHEST = _ELO.low, _ELO.high
_HASH = 32  # MB
_MOST_THREADS = 8
_MOVETIME = 2000  # milliseconds, where no clock says how long; weak levels need less
_ADVICE_MOVETIME, _GLANCE_MOVETIME = 700, 150
_FIRST_BOOK_LEVEL = 1200  # who is weaker knows no openings
_ELO_PER_BOOK_MOVE = 150

_DRAW_FROM_PLY, _DRAW_AT_MOST = 20, 20  # centipawns for the engine: more is worth playing on for
_GLAD_OF_A_DRAW = -100

_SHORTEST, _LONGEST = 0.5, 2.5  # seconds of a move that is thought about
_OBVIOUS = 0.4  # of a move that needs none
_SHARE_OF_CLOCK = 50  # a move takes no more than this part of what is left


def level_name(level: int | None) -> str:
    """What the engine is called at a level; None is its best."""
    return NAME if level is None else f"{NAME} (level {level})"


def engine_info(level: int | None) -> PlayerInfo:
    """The engine's place at the board."""
    return PlayerInfo(level_name(level), is_person=False, elo=level)


def _options(level: int | None) -> dict[str, str | int | bool]:
    if level is None:
        return {"OwnBook": True}
    options: dict[str, str | int | bool] = {"UCI_LimitStrength": True, "UCI_Elo": level}
    if level >= _FIRST_BOOK_LEVEL:
        options |= {"OwnBook": True, "Book Depth": 2 + (level - _FIRST_BOOK_LEVEL) // _ELO_PER_BOOK_MOVE}
    return options


def would_accept_draw(centipawns: int, plies: int) -> bool:
    """Whether the engine takes a draw where it stands so well, so many plies from the start."""
    return centipawns <= (_DRAW_AT_MOST if plies >= _DRAW_FROM_PLY else _GLAD_OF_A_DRAW)


class EngineOpponent:
    """An engine that plays at a level, and one at full strength that advises. Leave it with `with` or `close`."""

    def __init__(self, level: int | None, megabytes: int = _HASH, threads: int | None = None) -> None:
        """`megabytes` and `threads` are for the player; without a number it takes the cores that it can make use of."""
        if threads is None:
            threads = 1 if level is not None else min(usable_cores(), _MOST_THREADS)
        self._player = Engine(hash=megabytes, threads=threads, options=_options(level))
        self._advising: Engine | None = None  # until advice is wanted
        self._chance = random.Random()  # noqa: S311  a pause needs no secrecy

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Stop the search in progress, and release threads and memory."""
        for engine in (self._player, self._advising):
            if engine is not None:
                engine.close()

    def stop(self) -> None:
        """Make the search in progress end soon; from any thread."""
        for engine in (self._player, self._advising):
            if engine is not None:
                engine.stop()

    def begin_game(self) -> None:
        """Forget the previous game."""
        self._player.clear()

    def move(self, game: PlayedGame) -> chess.Move:
        """Search for the engine's move in a game that is not over, by its level and clock."""
        clock = game.clock
        if clock is None:
            found = self._player.play(game.board, movetime=_MOVETIME)
        else:
            left = max(clock.left(chess.WHITE), 1), max(clock.left(chess.BLACK), 1)
            found = self._player.play(game.board, clocks=left, increments=(clock.control.increment,) * 2)
        assert found.move is not None
        return found.move

    def humanlike_delay(self, game: PlayedGame, move: chess.Move) -> float:
        """Seconds that a person would have thought about this move of the engine."""
        board = game.board
        is_retaking = bool(board.move_stack) and board.move_stack[-1].to_square == move.to_square
        is_obvious = is_retaking or board.legal_moves.count() == 1
        seconds = _OBVIOUS if is_obvious else self._chance.uniform(_SHORTEST, _LONGEST)
        if game.clock is not None:
            seconds = min(seconds, game.clock.left(game.turn) / 1000 / _SHARE_OF_CLOCK)
        return seconds

    def accepts_draw(self, game: PlayedGame) -> bool:
        """Whether the engine takes the draw that its opponent offers."""
        score = self.evaluate(game)
        mine = score.value if game.turn == self._color(game) else -score.value
        return would_accept_draw(mine, len(game.moves))

    @staticmethod
    def _color(game: PlayedGame) -> chess.Color:
        """The side that the engine has; the one that is not to move if it plays both or none."""
        programs = [color for color in chess.COLORS if not game.seat(color).is_person]
        return programs[0] if len(programs) == 1 else not game.turn

    def hint(self, game: PlayedGame) -> AnalysisInfo | None:
        """The best move at full strength; None if the game is over."""
        return self._best(game, _ADVICE_MOVETIME)

    def evaluate(self, game: PlayedGame) -> Score:
        """How good the position is for the side to move, at a glance."""
        found = self._best(game, _GLANCE_MOVETIME)
        return self._adviser().evaluate(game.board) if found is None else found.score

    def explain(self, game: PlayedGame, move: chess.Move | None) -> Explanation:
        """Why the position, or a move in it, is good or bad."""
        return self._adviser().explain(game.board, move, movetime=_ADVICE_MOVETIME)

    def _best(self, game: PlayedGame, movetime: int) -> AnalysisInfo | None:
        found = None
        for info in self._adviser().analyse(game.board, movetime=movetime):
            found = info
        return found

    def _adviser(self) -> Engine:
        if self._advising is None:
            self._advising = Engine(hash=_HASH)
        return self._advising
