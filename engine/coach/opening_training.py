"""Training with repertoires: which position comes next, whether a move is right, and what is wrong with another."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from typing import NamedTuple

import chess

from engine.analysis.explain import explain_board
from engine.analysis.lookup import book_moves, is_book_theory
from engine.analysis.review import DEFAULT_HASH, Analyser, SearchEffort
from engine.coach.attempt import TrainingAttempt
from engine.coach.progress_file import CardAnswer, KeptRepertoire, ProgressFile
from engine.coach.repertoire import Repertoire, distances_to, parse_repertoire, position_key
from engine.coach.schedule import Outcome
from engine.system.errors import InputError

DECK = "openings"  # of the answers in the user's progress
_AT_ONCE = 5.0  # seconds
_NODES = 60_000  # of each search for an explanation
_SHOWN_BOOK_MOVES = 3


class MoveStanding(Enum):
    """What a move is to a repertoire."""

    RIGHT = "right"
    TRANSPOSES = "transposes"  # to a position of the repertoire
    IN_BOOK = "in the book"  # but not in the repertoire
    WRONG = "wrong"


@dataclass(frozen=True)
class OpeningQuestion:
    """A position of a repertoire and the moves that led to it; its side is to move."""

    repertoire: Repertoire
    start: str  # the FEN where the line begins
    line: tuple[chess.Move, ...] = ()

    @property
    def board(self) -> chess.Board:
        """The board with the moves of the line."""
        board = chess.Board(self.start)
        for move in self.line:
            board.push(move)
        return board

    @property
    def key(self) -> str:
        """The position."""
        return position_key(self.board)

    def verdict(self, move: chess.Move) -> MoveStanding:
        """What a legal move is to the repertoire."""
        board = self.board
        if any(known.move == move for known in self.repertoire.answers(self.key)):
            return MoveStanding.RIGHT
        if self.repertoire.is_known_after(board, move):
            return MoveStanding.TRANSPOSES
        return MoveStanding.IN_BOOK if is_book_theory(board, move) else MoveStanding.WRONG


class RepertoireStanding(NamedTuple):
    """How much of a repertoire is known."""

    positions: int
    due: int
    new: int


class OpeningTraining:
    """Training with some repertoires: what is due first, then what is new, main lines first."""

    def __init__(self, repertoires: Sequence[Repertoire], progress: ProgressFile,
                 rng: random.Random | None = None) -> None:
        self._repertoires = repertoires
        self._rng = rng or random.Random()  # noqa: S311  the choice of replies is not secret
        self.progress = progress
        self._left_out: set[str] = set()  # items that were skipped in this session

    def standings(self, now: datetime | None = None) -> list[tuple[Repertoire, RepertoireStanding]]:
        """Each repertoire with how much of it is known."""
        return [(repertoire, RepertoireStanding(len(repertoire.questions), *map(len, self._work(repertoire, now))))
                for repertoire in self._repertoires]

    def next(self, now: datetime | None = None) -> OpeningQuestion | None:
        """The next position with a line that leads to it; None if nothing is due and nothing is new."""
        work = [(repertoire, *self._work(repertoire, now)) for repertoire in self._repertoires]
        for repertoire, due, _ in work:
            if due:
                return self._led_to(repertoire, due[0])
        return next((self._led_to(repertoire, new[0]) for repertoire, _, new in work if new), None)

    def follow(self, question: OpeningQuestion, move: chess.Move,
               now: datetime | None = None) -> OpeningQuestion | None:
        """The next position of the same line after a right move; None if nothing on it is due or new.

        The other side replies by frequency; own moves that are known and not due are played without being asked.
        """
        repertoire, board = question.repertoire, question.board
        work = {key for keys in self._work(repertoire, now) for key in keys}
        distances, seen, line = distances_to(repertoire, work), {position_key(board)}, [*question.line]
        while True:
            board.push(move)
            line.append(move)
            key = position_key(board)
            if key in seen:
                return None  # the moves repeat
            seen.add(key)
            if repertoire.is_own(key) and key in work:
                return replace(question, line=tuple(line))
            chosen = self._move_towards(repertoire, key, distances)
            if chosen is None:
                return None
            move = chosen

    def skip(self, question: OpeningQuestion) -> None:
        """Do not ask a position again in this session."""
        self._left_out.add(question.repertoire.item(question.key))

    def record(self, question: OpeningQuestion, outcome: Outcome, seconds: float) -> CardAnswer:
        """Record an answer at once."""
        return self.progress.record(DECK, question.repertoire.item(question.key), outcome, seconds)

    def _work(self, repertoire: Repertoire, now: datetime | None) -> tuple[list[str], list[str]]:
        """The positions that are due, the longest overdue first, and those that are new, main lines first."""
        cards, now = self.progress.cards(DECK), datetime.now(UTC) if now is None else now
        items = {key: repertoire.item(key) for key in repertoire.questions}
        asked = {key: item for key, item in items.items() if item not in self._left_out}
        due = [key for key, item in asked.items() if item in cards and cards[item].due <= now]
        return (sorted(due, key=lambda key: cards[asked[key]].due),
                [key for key, item in asked.items() if item not in cards])

    def _led_to(self, repertoire: Repertoire, target: str) -> OpeningQuestion:
        """A question with a line to the position, shorter with every move."""
        distances = distances_to(repertoire, [target])
        key = min((root for root in repertoire.roots if root in distances), key=distances.__getitem__)
        board = chess.Board(repertoire.roots[key])
        while position_key(board) != target:
            key = position_key(board)
            nearer = {known.after for known in repertoire.answers(key)
                      if distances.get(known.after, distances[key]) < distances[key]}
            move = self._move_towards(repertoire, key, dict.fromkeys(nearer, 0))
            assert move is not None
            board.push(move)
        return OpeningQuestion(repertoire, repertoire.roots[position_key(board.root())], tuple(board.move_stack))

    def _move_towards(self, repertoire: Repertoire, key: str, distances: dict[str, int]) -> chess.Move | None:
        """A move from which a position of `distances` can be reached; None if there is none.

        The nearest of one's own, and one of the other side's by frequency.
        """
        if repertoire.is_own(key):
            own = [known for known in repertoire.answers(key) if known.after in distances]
            return min(own, key=lambda known: distances[known.after]).move if own else None
        replies = [(reply, share) for reply, share in repertoire.replies(key) if reply.after in distances]
        if not replies:
            return None
        return self._rng.choices([reply.move for reply, _ in replies], [share for _, share in replies])[0]


class OpeningAttempt(TrainingAttempt):
    """One attempt at a position."""

    def __init__(self, question: OpeningQuestion, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(now)
        self.question = question
        self.main = question.repertoire.answers(question.key)[0]

    def hint(self) -> str:
        """First which piece the main move moves, then the move."""
        board = self.question.board
        return self.hint_at(board, self.main.move, f"the move is {board.san(self.main.move)}")

    @property
    def hinted_squares(self) -> list[str]:
        """The squares that hints have named."""
        return self.squares_hinted_at(self.main.move)

    @property
    def outcome(self) -> Outcome:
        """How the position was answered."""
        return self.outcome_within(_AT_ONCE)


def wrong_by_book(question: OpeningQuestion, move: chess.Move) -> str:
    """What the book plays instead of a move; empty where it ends."""
    board = question.board
    known = book_moves(board)
    if not known:
        return ""
    shown = ", ".join(f"{board.san(other)} {share:.0%}" for other, share in known[:_SHOWN_BOOK_MOVES])
    own = next((share for other, share in known if other == move), None)
    rare = "never" if own is None else f"in {own:.1%} of the games"
    return f"the book plays {shown}; {board.san(move)} {rare}".replace("%", " %")


def wrong_by_engine(engine: Analyser, question: OpeningQuestion, move: chess.Move) -> Iterator[str]:
    """Explain by a search what is wrong with a move, line by line; that it is playable, if it is."""
    board = question.board
    explained = explain_board(engine, board, move, SearchEffort(nodes=_NODES, hash=DEFAULT_HASH))
    yield f"{explained.move}{explained.mark}: {explained.verdict or 'not in your repertoire'} ({explained.move_score})"
    if explained.reply:
        yield f"then: {explained.reply}"


def keep(progress: ProgressFile, repertoire: Repertoire, pgn: str) -> None:
    """Keep a repertoire with the user's progress, in place of one of the same name and side."""
    progress.keep_repertoire(KeptRepertoire(repertoire.name, chess.COLOR_NAMES[repertoire.side], pgn))


def kept_repertoires(progress: ProgressFile, warn: Callable[[str], None]) -> list[Repertoire]:
    """The kept repertoires; one that is damaged is left out, with a warning."""
    repertoires = list[Repertoire]()
    for kept in progress.repertoires():
        try:
            side = kept.side == chess.COLOR_NAMES[chess.WHITE]
            repertoires.append(parse_repertoire(kept.pgn, kept.name, side, sys.maxsize)[0])
        except InputError as error:
            warn(f"left out the repertoire {kept.name!r}, which is damaged: {error}")
    return repertoires
