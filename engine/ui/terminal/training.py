"""Training with puzzles in the terminal: moves are typed, wrong ones refuted, and every answer is recorded at once."""

from __future__ import annotations

from collections.abc import Callable

import chess

from engine.analysis.wording import moves_text
from engine.coach.puzzle import Puzzle, RefutedTry
from engine.coach.puzzle_files import about_text, solution_text, task_text
from engine.coach.puzzle_training import PuzzleAttempt, Training
from engine.coach.schedule import Outcome
from engine.system.errors import InputError
from engine.ui.terminal.asking import AskingSession, read_answer, streak_text
from engine.ui.terminal.screen import InputLines, Screen

_HELP = ("type a move (Nf3, e2e4), or: hint for the piece, again for the square; solution to see it; skip; quit")
_PRAISE = {Outcome.AT_ONCE: "solved at once", Outcome.SOLVED: "solved", Outcome.WITH_HINTS: "solved with hints",
           Outcome.FAILED: "solved after a wrong move"}

Refuter = Callable[[Puzzle, int, chess.Move], RefutedTry | None]  # None: as good as the move of the solution


class TrainingSession(AskingSession):
    """One session: puzzle after puzzle, until there are none or the user quits."""

    def __init__(self, training: Training, refuter: Refuter, screen: Screen, lines: InputLines) -> None:
        super().__init__(screen, lines)
        self._training, self._refuter = training, refuter

    def run(self) -> None:
        """Train until the user quits, and say how it went in one line."""
        self._messages.append(self._greeting())
        while not self._is_ended and (puzzle := self._training.next()) is not None:
            self._ask(self._training.begin(puzzle))
        if not self._is_ended:
            self._messages.append("nothing else is due, and there are no new puzzles in this set")
        self._messages.append(f"{self._right} of {self._asked} solved; {self._standing()}")
        self._print_messages()

    def _greeting(self) -> str:
        return f"{self._training.status()}; {self._standing()}; {_HELP}"

    def _standing(self, change: int | None = None) -> str:
        """The user's rating, with its change by the last puzzle, if that counts."""
        progress = self._training.progress
        rating = f"your rating is {progress.rating()}{'' if change is None else f' ({change:+})'}"
        return ", ".join(filter(None, (rating, streak_text(progress))))

    def _ask(self, attempt: PuzzleAttempt) -> None:
        """Ask one puzzle until it is solved or left."""
        puzzle = attempt.puzzle
        self._messages.append(f"once more, without counting: {task_text(puzzle)}" if attempt.is_repeat
                              else task_text(puzzle))
        self._asked += not attempt.is_repeat
        is_left = False
        while not (is_left or attempt.is_solved or self._is_ended):
            self._show(puzzle.board(), puzzle.solution[: attempt.ply], puzzle.board().turn)
            if text := self._next_answer(attempt):
                try:
                    is_left = self._answer(attempt, text)
                except InputError as error:
                    self._messages.append(str(error))
        if attempt.is_solved:
            self._finish(attempt)

    def _answer(self, attempt: PuzzleAttempt, text: str) -> bool:
        """Run one line; returns whether the user leaves the puzzle."""
        word, board = text.lower(), attempt.board
        if word == "hint":
            self._messages.append(attempt.hint())
        elif word in ("help", "?"):
            self._messages.append(_HELP)
        elif word == "skip":
            self._leave(attempt)
            if not attempt.is_failed:  # otherwise it comes again
                self._training.skip(attempt.puzzle)
            return True
        elif word == "solution":
            self._training.fail(attempt)
            self._messages += [f"the solution: {solution_text(attempt.puzzle)} ({about_text(attempt.puzzle)})",
                               self._standing(attempt.rating_change)]
            return True
        else:
            self._try(attempt, board, read_answer(board, text))
        return False

    def _try(self, attempt: PuzzleAttempt, board: chess.Board, move: chess.Move) -> None:
        san = board.san(move)
        if not attempt.puzzle.is_right(attempt.ply, move):
            self._screen.wait("looking for the refutation ...")
            wrong = self._refuter(attempt.puzzle, attempt.ply, move)
            if wrong is None:
                self._messages.append(f"{san} is also good; look for the move of the solution")
                return
            self._training.fail(attempt)
            board.push(move)
            self._messages.append(f"{san} is wrong: {_refutation_text(board, wrong)}")
            return
        attempt.play(move)
        if not attempt.is_solved:
            self._messages.append(f"right: {moves_text(board, [move, attempt.puzzle.solution[attempt.ply - 1]])}")

    def _finish(self, attempt: PuzzleAttempt) -> None:
        outcome = attempt.outcome
        self._training.finish(attempt)
        self._right += outcome is not Outcome.FAILED and not attempt.is_repeat
        self._messages.append(f"{_PRAISE[outcome]}: {moves_text(attempt.puzzle.board(), attempt.line)} "
                              f"({about_text(attempt.puzzle)})")
        self._messages.append(self._standing(attempt.rating_change))


def _refutation_text(board: chess.Board, wrong: RefutedTry) -> str:
    """The reason and the line after a wrong move, with which some reasons end already."""
    reason, line = wrong.reason or "it is refuted", moves_text(board, wrong.refutation)
    reply = moves_text(board, wrong.refutation[:1])
    if reply and reason.endswith(f" {reply}"):
        return reason.removesuffix(reply) + line
    return f"{reason} ({line})" if line else reason
