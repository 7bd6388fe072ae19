"""Training with puzzles: which comes next, whether a move is right, what hints say, and what an answer is worth."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import chess

from engine.analysis.review import DEFAULT_HASH, Analyser, SearchEffort, evaluate_board
from engine.coach.attempt import TrainingAttempt
from engine.coach.progress_file import CardAnswer, ProgressFile
from engine.coach.puzzle import Puzzle, RefutedTry, puzzle_from_json
from engine.coach.puzzle_finder import is_as_good, refuted_try
from engine.coach.rating import Rating
from engine.coach.schedule import Outcome
from engine.system.errors import InputError, quote

DECK = "puzzles"  # of the answers in the user's progress
SETS = "puzzle set"  # the category of the kept sets
_DEVIATION = 150.0  # of a puzzle's rating, which is an estimate
_AT_ONCE = 6.0  # seconds for each move of the solver
_NEAR = 150.0  # rating points around the user's, from which a new puzzle is drawn
_OTHERS = 3  # puzzles that are asked before one that was failed comes again
_NODES = 60_000  # of each search for a refutation


@dataclass(frozen=True)
class PuzzleFilter:
    """Which puzzles are trained: of a theme, in upper or lower case, and from one rating to another.

    The theme `mate` is that of all puzzles that end with a mate.
    """

    theme: str = ""
    lowest: int = 0
    highest: int = 4000

    def words(self, origin: str = "") -> str:
        """The choice in words, as in `set games, fork, 1200-1600`; empty if nothing is left out.

        `origin` says whose puzzles they are; it is empty if they are all that there are.
        """
        everything = PuzzleFilter()
        is_rated = (self.lowest, self.highest) != (everything.lowest, everything.highest)
        rated = f"{self.lowest}-{self.highest}" if is_rated else ""
        return ", ".join(filter(None, (origin, self.theme.casefold(), rated)))

    def chosen(self, puzzles: Sequence[Puzzle]) -> list[Puzzle]:
        """The puzzles that are trained, each once; InputError if there are none."""
        if not puzzles:
            raise InputError("there are no puzzles: give a file of them with --set")
        theme = self.theme.casefold()
        of_theme = [puzzle for puzzle in puzzles if not theme or theme in map(str.casefold, themes_to_choose(puzzle))]
        if not of_theme:
            known = sorted({name for puzzle in puzzles for name in themes_to_choose(puzzle)})
            raise InputError(f"no puzzle has the theme {quote(self.theme)}; the themes are {', '.join(known)}")
        chosen = {puzzle.id: puzzle for puzzle in of_theme if self.lowest <= puzzle.rating <= self.highest}
        if not chosen:
            ratings = [puzzle.rating for puzzle in of_theme]
            raise InputError(f"no puzzle{f' with the theme {quote(self.theme)}' if theme else ''} has a rating from "
                             f"{self.lowest} to {self.highest}; they are rated from {min(ratings)} to {max(ratings)}")
        return list(chosen.values())


def themes_to_choose(puzzle: Puzzle) -> tuple[str, ...]:
    """The themes by which a puzzle can be chosen: its own, and `mate` whatever its length."""
    is_mate = "mate" not in puzzle.themes and any(theme.startswith("mate in ") for theme in puzzle.themes)
    return (*puzzle.themes, "mate") if is_mate else puzzle.themes


def keep_set(progress: ProgressFile, name: str, puzzles: Sequence[Puzzle]) -> None:
    """Keep a set of puzzles with the user's progress, in place of one of the same name."""
    progress.keep(SETS, name, json.dumps([puzzle.as_json() for puzzle in puzzles]))


def remove_set(progress: ProgressFile, name: str) -> str:
    """Remove a kept set, but not what is known of its puzzles; returns its text. InputError if no set has the name."""
    content = _known_set(progress.documents(SETS), name)
    progress.remove(SETS, name)
    return content


def kept_puzzles(progress: ProgressFile, warn: Callable[[str], None], only: str = "") -> list[Puzzle]:
    """The puzzles of all kept sets, or only of that with this name; a damaged one is left out, with a warning.

    InputError if no set has the name.
    """
    puzzles, sets = list[Puzzle](), progress.documents(SETS)
    for name, content in ({only: _known_set(sets, only)} if only else sets).items():
        try:
            puzzles += [puzzle_from_json(value) for value in json.loads(content)]
        except (ValueError, TypeError, RecursionError) as error:
            warn(f"left out the set of puzzles {quote(name)}, which is damaged: {error}")
    return puzzles


def _known_set(sets: Mapping[str, str], name: str) -> str:
    if name not in sets:
        raise InputError(f"there is no set of puzzles {quote(name)}")
    return sets[name]


class Training:
    """Training with some puzzles: the due ones first, then new ones near the user's rating.

    One that was failed is asked again after a few others, or when there are no others, until it is solved or skipped.
    Only its first answer is recorded.
    """

    def __init__(self, puzzles: Sequence[Puzzle], progress: ProgressFile, rng: random.Random | None = None) -> None:
        self._puzzles = {puzzle.id: puzzle for puzzle in puzzles}
        self._rng = rng or random.Random()  # noqa: S311  the choice of puzzles is not secret
        self.progress = progress
        self._left_out: set[str] = set()  # skipped, or answered without success, in this session
        self._ended = 0  # puzzles that were answered or skipped in this session
        self._repeats: dict[str, int] = {}  # those that were failed, and by which number of ended ones they come again

    def due(self, now: datetime | None = None) -> list[Puzzle]:
        """The puzzles that are due, the longest overdue first."""
        return [self._puzzles[item] for item in self.progress.due(DECK, now)
                if item in self._puzzles and item not in self._left_out]

    def next(self, now: datetime | None = None) -> Puzzle | None:
        """The next puzzle; None if nothing is due, none is new and none was failed."""
        repeat = next(iter(self._repeats), None)  # in the order in which they come
        if repeat is not None and self._repeats[repeat] <= self._ended:
            return self._puzzles[repeat]
        if due := self.due(now):
            return due[0]
        seen = self.progress.cards(DECK).keys() | self._left_out
        fresh = [puzzle for item, puzzle in self._puzzles.items() if item not in seen]
        if not fresh:
            return None if repeat is None else self._puzzles[repeat]
        rating = self.progress.rating().value
        near = [puzzle for puzzle in fresh if abs(puzzle.rating - rating) <= _NEAR]
        return self._rng.choice(near) if near else min(fresh, key=lambda puzzle: abs(puzzle.rating - rating))

    def open(self, item: str) -> Puzzle | None:
        """A puzzle that was asked before the session was interrupted; None if it has been answered since."""
        puzzle = self._puzzles.get(item)
        is_open = puzzle is not None and item not in self._left_out and (
            item not in self.progress.cards(DECK) or item in self.progress.due(DECK))
        return puzzle if is_open else None

    def status(self) -> str:
        """How much is due."""
        return f"{len(self.due())} due"

    def skip(self, puzzle: Puzzle) -> None:
        """Do not ask a puzzle again in this session."""
        self._left_out.add(puzzle.id)
        self._repeats.pop(puzzle.id, None)
        self._ended += 1

    def begin(self, puzzle: Puzzle) -> PuzzleAttempt:
        """An attempt at a puzzle."""
        return PuzzleAttempt(puzzle, is_repeat=puzzle.id in self._repeats)

    def fail(self, attempt: PuzzleAttempt) -> None:
        """Record a failed puzzle: at the first wrong move, so that leaving it does not help."""
        if not attempt.is_failed:
            attempt.is_failed = True
            attempt.answer = self.record(attempt.puzzle, Outcome.FAILED, attempt.seconds)

    def finish(self, attempt: PuzzleAttempt) -> None:
        """Record a solved puzzle, unless it was recorded as failed."""
        if attempt.outcome is not Outcome.FAILED:
            attempt.answer = self.record(attempt.puzzle, attempt.outcome, attempt.seconds)

    def record(self, puzzle: Puzzle, outcome: Outcome, seconds: float) -> CardAnswer | None:
        """Record an answer at once; None if the puzzle was failed before in this session, which counts already."""
        is_repeat = self._repeats.pop(puzzle.id, None) is not None
        self._ended += 1
        if outcome is Outcome.FAILED:
            self._left_out.add(puzzle.id)
            self._repeats[puzzle.id] = self._ended + _OTHERS
        return None if is_repeat else self.progress.record(DECK, puzzle.id, outcome, seconds,
                                                           item_rating=Rating(float(puzzle.rating), _DEVIATION))


class PuzzleAttempt(TrainingAttempt):
    """One attempt at a puzzle, and the solver's moves so far."""

    def __init__(self, puzzle: Puzzle, now: Callable[[], float] = time.monotonic, *, is_repeat: bool = False) -> None:
        super().__init__(now, is_repeat=is_repeat)
        self.puzzle = puzzle
        self.answer: CardAnswer | None = None  # once it is recorded
        self.ply = 0  # of the solution at which the solver is to move; its length when it is solved
        self.line = puzzle.solution  # that which solves it: another one if another mate was found

    @property
    def is_solved(self) -> bool:
        """Whether the last move of the solution has been found."""
        return self.ply >= len(self.puzzle.solution)

    @property
    def board(self) -> chess.Board:
        """The board in front of the solver."""
        return self.puzzle.board(self.ply)

    def play(self, move: chess.Move) -> bool:
        """Try a legal move. If it is right, the opponent answers, and the solver is to move again or has solved it."""
        if not self.puzzle.is_right(self.ply, move):
            self.is_failed = True
            return False
        if move == self.puzzle.solution[self.ply]:
            self.ply = min(self.ply + 2, len(self.puzzle.solution) + 1)
        else:  # another mate
            self.line = (*self.puzzle.solution[: self.ply], move)
            self.ply = len(self.puzzle.solution)
        self.hints_here = 0
        return True

    @property
    def rating_change(self) -> int | None:
        """By how much the user's rating, as it is shown, has changed; None if the puzzle does not count."""
        return None if self.answer is None else self.answer.change

    @property
    def hinted_squares(self) -> list[str]:
        """The squares that hints at this move have named."""
        return self.squares_hinted_at(self.puzzle.solution[min(self.ply, len(self.puzzle.solution) - 1)])

    def hint(self) -> str:
        """First which piece moves, then to which square, or how it castles."""
        move, board = self.puzzle.solution[self.ply], self.board
        if board.is_castling(move):
            side = "king" if board.is_kingside_castling(move) else "queen"
            return self.hint_at(board, move, f"it castles {side}side")
        return self.hint_at(board, move, f"it moves to {chess.square_name(move.to_square)}")

    @property
    def outcome(self) -> Outcome:
        """How the puzzle was answered."""
        return self.outcome_within(_AT_ONCE * ((len(self.puzzle.solution) + 1) // 2))


def refute(engine: Analyser, puzzle: Puzzle, ply: int, move: chess.Move) -> RefutedTry | None:
    """What is wrong with a move at a ply of a puzzle's solution: as the puzzle says, otherwise by searches.

    None if, by the searches, it is as good as the move of the solution.
    """
    known = puzzle.refuted_try(ply, move)
    if known is not None:
        return known
    board, effort = puzzle.board(ply), SearchEffort(nodes=_NODES, hash=DEFAULT_HASH)
    best = evaluate_board(engine, board, effort, 1, [puzzle.solution[ply]])
    tried = evaluate_board(engine, board, effort, 1, [move])
    return None if is_as_good(best.score, tried.score) else refuted_try(ply, board, puzzle.solution[ply], tried)
