"""What all training in the terminal shares: positions that are asked, moves or words as answers, and the messages."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from engine.coach.attempt import TrainingAttempt
from engine.coach.progress_file import ProgressFile
from engine.system.errors import InputError
from engine.text.notation import parse_board_move
from engine.ui.game import PlayedGame, PlayerInfo
from engine.ui.terminal.drawing import View
from engine.ui.terminal.screen import InputLines, Screen
from engine.ui.terminal.session import illegal_move_text


class AskingSession:
    """A session that asks for moves until nothing is left to ask, or the user quits."""

    def __init__(self, screen: Screen, lines: InputLines) -> None:
        self._screen, self._lines = screen, lines
        self._messages: list[str] = []
        self._is_ended = False
        self._right = self._asked = 0

    def _next_answer(self, attempt: TrainingAttempt) -> str:
        """The user's next line; empty if there is none, or if it ends the session."""
        self._screen.ask("> ")
        line = self._lines.next()
        if line is None or line.strip().lower() in ("quit", "exit"):
            self._leave(attempt)
            self._is_ended = True
            return ""
        return line.strip()

    def _leave(self, attempt: TrainingAttempt) -> None:
        """Do not count a position that was neither answered nor failed."""
        self._asked -= not (attempt.is_failed or attempt.is_repeat)

    def _show(self, start: chess.Board, moves: Sequence[chess.Move], side: chess.Color) -> None:
        """Show the position after some moves, with `side` at the bottom, and the messages since the last one."""
        game = PlayedGame(start, None, (PlayerInfo("White"), PlayerInfo("Black")))
        for move in moves:
            game.push(move)
        self._screen.show(View(game, side, self._screen.has_symbols), self._messages, True)
        self._messages = []

    def _print_messages(self) -> None:
        for message in self._messages:
            print(message, flush=True)


def read_answer(board: chess.Board, text: str) -> chess.Move:
    """The legal move that the user has typed; InputError says why it is none."""
    try:
        return parse_board_move(board, text)
    except InputError as error:
        raise InputError(illegal_move_text(board, text, error, advice="")) from error


def streak_text(progress: ProgressFile) -> str:
    """The days in a row on which the user has trained; empty if there are none."""
    days = progress.streak()
    return f"{days} {'day' if days == 1 else 'days'} in a row" if days else ""
