"""Training with puzzles in the terminal: moves are typed, wrong ones refuted, and every answer is recorded at once."""

from __future__ import annotations

from collections.abc import Callable

import chess

from engine.analysis.wording import moves_text
from engine.coach.puzzle import Puzzle, RefutedTry
from engine.coach.puzzle_files import solution_text, task_text
from engine.coach.puzzle_training import PuzzleAttempt, Training
from engine.coach.schedule import Outcome
from engine.system.errors import InputError
from engine.text.notation import parse_board_move
from engine.ui.game import PlayedGame, PlayerInfo
from engine.ui.terminal.drawing import View
from engine.ui.terminal.screen import InputLines, Screen
from engine.ui.terminal.session import illegal_move_text

_HELP = ("type a move (Nf3, e2e4), or: hint for the piece, again for the square; solution to see it; skip; quit")
_PRAISE = {Outcome.AT_ONCE: "solved at once", Outcome.SOLVED: "solved", Outcome.WITH_HINTS: "solved with hints",
           Outcome.FAILED: "solved after a wrong move"}

Refuter = Callable[[Puzzle, int, chess.Move], RefutedTry | None]  # None: as good as the move of the solution


class TrainingSession:
    """One session: puzzle after puzzle, until there are none or the user quits."""

    def __init__(self, training: Training, refuter: Refuter, screen: Screen, lines: InputLines) -> None:
        self._training, self._refuter, self._screen, self._lines = training, refuter, screen, lines
        self._messages: list[str] = []
        self._is_ended = False
        self._solved = self._asked = 0

    def run(self) -> None:
        """Train until the user quits, and say how it went in one line."""
        self._messages.append(self._greeting())
        while not self._is_ended and (puzzle := self._training.next()) is not None:
            self._ask(PuzzleAttempt(puzzle))
        if not self._is_ended:
            self._messages.append("nothing else is due, and there are no new puzzles in this set")
        self._messages.append(f"{self._solved} of {self._asked} solved; {self._standing()}")
        for message in self._messages:
            print(message, flush=True)

    def _greeting(self) -> str:
        return f"{self._training.status()}; {self._standing()}; {_HELP}"

    def _standing(self) -> str:
        days = self._training.progress.streak()
        streak = f", {days} {'day' if days == 1 else 'days'} in a row" if days else ""
        return f"your rating is {self._training.progress.rating()}{streak}"

    def _ask(self, attempt: PuzzleAttempt) -> None:
        """Ask one puzzle until it is solved or left."""
        self._messages.append(task_text(attempt.puzzle))
        self._asked += 1
        is_left = False
        while not (is_left or attempt.is_solved or self._is_ended):
            self._show(attempt)
            self._screen.ask("> ")
            line = self._lines.next()
            if line is None or line.strip().lower() in ("quit", "exit"):
                self._asked -= not attempt.is_failed
                self._is_ended = True
            elif line.strip():
                try:
                    is_left = self._answer(attempt, line.strip())
                except InputError as error:
                    self._messages.append(str(error))
        if attempt.is_solved:
            self._finish(attempt)

    def _show(self, attempt: PuzzleAttempt) -> None:
        puzzle = attempt.puzzle
        game = PlayedGame(puzzle.board(), None, (PlayerInfo("White"), PlayerInfo("Black")))
        for move in puzzle.solution[: attempt.ply]:
            game.push(move)
        self._screen.show(View(game, puzzle.board().turn, self._screen.has_symbols), self._messages, True)
        self._messages = []

    def _answer(self, attempt: PuzzleAttempt, text: str) -> bool:
        """Run one line; returns whether the user leaves the puzzle."""
        word, board = text.lower(), attempt.board
        if word == "hint":
            self._messages.append(attempt.hint())
        elif word in ("help", "?"):
            self._messages.append(_HELP)
        elif word == "skip":
            self._training.skip(attempt.puzzle)
            self._asked -= not attempt.is_failed
            return True
        elif word == "solution":
            self._fail(attempt)
            self._messages.append(solution_text(attempt.puzzle))
            return True
        else:
            try:
                move = parse_board_move(board, text)
            except InputError as error:
                raise InputError(illegal_move_text(board, text, error)) from error
            self._try(attempt, board, move)
        return False

    def _try(self, attempt: PuzzleAttempt, board: chess.Board, move: chess.Move) -> None:
        san = board.san(move)
        if not attempt.puzzle.is_right(attempt.ply, move):
            self._screen.wait("looking for the refutation ...")
            wrong = self._refuter(attempt.puzzle, attempt.ply, move)
            if wrong is None:
                self._messages.append(f"{san} is also good; look for the move of the solution")
                return
            self._fail(attempt)
            board.push(move)
            line = moves_text(board, wrong.refutation)
            self._messages.append(f"{san} is wrong: {wrong.reason or 'it is refuted'}{f' ({line})' if line else ''}")
            return
        attempt.play(move)
        if not attempt.is_solved:
            board.push(move)
            self._messages.append(f"right: {moves_text(board, [attempt.puzzle.solution[attempt.ply - 1]])}")

    def _fail(self, attempt: PuzzleAttempt) -> None:
        """Record that the puzzle was not solved: at the first wrong move, so that quitting does not help."""
        if not attempt.is_failed:
            attempt.is_failed = True
            self._training.record(attempt.puzzle, Outcome.FAILED, attempt.seconds)

    def _finish(self, attempt: PuzzleAttempt) -> None:
        outcome = attempt.outcome
        if outcome is not Outcome.FAILED:
            self._training.record(attempt.puzzle, outcome, attempt.seconds)
            self._solved += 1
        themes = ", ".join(attempt.puzzle.themes) or "no themes"
        source = f"; from {attempt.puzzle.source}" if attempt.puzzle.source else ""
        self._messages.append(f"{_PRAISE[outcome]}: {moves_text(attempt.puzzle.board(), attempt.line)} "
                              f"(rated {attempt.puzzle.rating}; {themes}{source})")
        self._messages.append(self._standing())
