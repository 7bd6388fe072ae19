"""Training with repertoires in the terminal: the other side's moves are played, one's own are asked and recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import chess

from engine.analysis.lookup import last_opening
from engine.analysis.wording import moves_text
from engine.coach.opening_training import (
    MoveStanding,
    OpeningAttempt,
    OpeningQuestion,
    OpeningTraining,
    wrong_by_book,
)
from engine.coach.schedule import Outcome
from engine.system.errors import InputError
from engine.ui.terminal.asking import AskingSession, read_answer, streak_text
from engine.ui.terminal.screen import InputLines, Screen

_HELP = ("type the move of your repertoire (Nf3, e2e4), or: hint for the piece, again for the move; solution; skip; "
         "status; quit")

Explainer = Callable[[OpeningQuestion, chess.Move], Iterable[str]]  # what is wrong with a move, line by line


class OpeningSession(AskingSession):
    """One session: line after line, until nothing is due or new, or the user quits."""

    def __init__(self, training: OpeningTraining, explainer: Explainer, screen: Screen, lines: InputLines) -> None:
        super().__init__(screen, lines)
        self._training, self._explainer = training, explainer

    def run(self) -> None:
        """Train until the user quits, and say how it went in one line."""
        self._messages += [*self._status(), _HELP]
        while not self._is_ended and (question := self._training.next()) is not None:
            line: OpeningQuestion | None = question
            while line is not None and not self._is_ended:
                line = self._ask(OpeningAttempt(line))
                if line is None and not self._is_ended:
                    self._messages.append("the line ends here")
        if not self._is_ended:
            self._messages.append("nothing else is due, and every position has been asked")
        right = f"{self._right} of {self._asked} right"
        self._messages.append("; ".join(filter(None, (right, streak_text(self._training.progress)))))
        self._print_messages()

    def _status(self) -> list[str]:
        return [f"{repertoire.name} ({chess.COLOR_NAMES[repertoire.side]}): {standing.due} due, {standing.new} new, "
                f"of {standing.positions} {'position' if standing.positions == 1 else 'positions'}"
                for repertoire, standing in self._training.standings()]

    def _ask(self, attempt: OpeningAttempt) -> OpeningQuestion | None:
        """Ask one position until it is answered or left; returns the next one of the line."""
        question = attempt.question
        side = chess.COLOR_NAMES[question.repertoire.side].title()
        root = chess.Board(question.start)
        moves = moves_text(root, question.line) or "the beginning"
        name = last_opening(question.board)
        self._messages.append(f"{moves}{f' ({name.name})' if name else ''}: {side} to move; what does your repertoire "
                              "play?")
        self._asked += 1
        while not self._is_ended:
            self._show(root, question.line, question.repertoire.side)
            if text := self._next_answer(attempt):
                try:
                    move = self._answer(attempt, text)
                except InputError as error:
                    self._messages.append(str(error))
                    continue
                if move is not None:
                    return self._training.follow(question, move) if move else None
        return None

    def _answer(self, attempt: OpeningAttempt, text: str) -> chess.Move | None:
        """Run one line; returns the move with which the line goes on, a null move to leave it, None to ask again."""
        word, question = text.lower(), attempt.question
        if word == "hint":
            self._messages.append(attempt.hint())
        elif word in ("help", "?"):
            self._messages.append(_HELP)
        elif word == "status":
            self._messages += self._status()
        elif word == "skip":
            self._training.skip(question)
            self._leave(attempt)
            return chess.Move.null()
        elif word == "solution":
            self._fail(attempt)
            self._messages.append(f"your repertoire plays {self._known(question)}{_comment(attempt.main.comment)}")
            return attempt.main.move
        else:
            move = read_answer(question.board, text)
            return move if self._try(attempt, move) else None
        return None

    def _try(self, attempt: OpeningAttempt, move: chess.Move) -> bool:
        """Judge a move; returns whether the line goes on with it."""
        question = attempt.question
        verdict, san = question.verdict(move), question.board.san(move)
        if verdict is MoveStanding.IN_BOOK:
            attempt.hints += 1
            self._messages.append(f"{san} is in the book, but not in your repertoire: {wrong_by_book(question, move)}")
            return False
        if verdict is MoveStanding.WRONG:
            self._fail(attempt)
            self._messages.append(f"{san} is not in your repertoire")
            if words := wrong_by_book(question, move):
                self._messages.append(words)
            self._screen.wait("looking for what is wrong with it ...")
            self._messages += self._explainer(question, move)
            return False
        if not attempt.is_failed:
            self._training.record(question, attempt.outcome, attempt.seconds)
            self._right += 1
        known = {answer.move: answer for answer in question.repertoire.answers(question.key)}
        if verdict is MoveStanding.TRANSPOSES:
            self._messages.append(f"right: {san} leads into your repertoire, which plays {self._known(question)}")
        else:
            others = "" if len(known) == 1 else f" (your repertoire has {self._known(question)})"
            self._messages.append(f"right: {san}{others}{_comment(known[move].comment)}")
        return True

    def _known(self, question: OpeningQuestion) -> str:
        board = question.board
        return " or ".join(board.san(answer.move) for answer in question.repertoire.answers(question.key))

    def _fail(self, attempt: OpeningAttempt) -> None:
        """Record that the move was not known: at the first wrong one, so that quitting does not help."""
        if not attempt.is_failed:
            attempt.is_failed = True
            self._training.record(attempt.question, Outcome.FAILED, attempt.seconds)


def _comment(comment: str) -> str:
    """A comment of the games in one line."""
    words = " ".join(comment.split())
    return f": {words}" if words else ""
