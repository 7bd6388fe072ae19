"""The opening book of a player: opened when it is wanted, consulted before a search, and left once per game."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from book.names import last_opening_by_keys
from book.polyglot import BUILT_IN, Book, BookEntry, book_move, choose_index, game_key, play_probabilities
from engine.core.fen import fullmove_number
from engine.core.game import Game, make_if_legal
from engine.player.options import Settings
from engine.player.request import GoRequest
from engine.player.skill import BookHabits, book_habits
from engine.search.scores import DRAW
from engine.search.types import Info, InfoString, Report, Result
from engine.system.files import user_path

_MORE_OR_FEWER = (-1, 0, 1)  # book moves than a level usually knows
_KING_PAWN = "e2e4"
_FIRST_MOVES = 2  # plies in which no level leaves the book: even beginners know a first move


@dataclass(frozen=True)
class BookAnswer:
    """What the book says about a position."""

    move: int | None  # None if it has none, or is left
    messages: tuple[str, ...]
    others: tuple[int, ...] = ()  # if it is left although it has a move: the moves that it does not have

    def reported(self, received: float, report: Report) -> Result | None:
        """The move as the result of a request that arrived at the time `received`; None without one."""
        for message in self.messages:
            report(InfoString(message))
        if self.move is None:
            return None
        seconds = time.perf_counter() - received
        report(Info(1, 1, 1, int(DRAW), 0, seconds, 0, (self.move,)))  # some hosts expect a line for every move
        return Result(self.move, 0, 0, 0, seconds, (self.move,))


class PlayerBook:
    """A book, used as the settings say."""

    def __init__(self, settings: Settings, rng: random.Random | None = None) -> None:
        self._settings = settings
        self._book: Book | None = None
        self._rng = rng or random.Random()  # noqa: S311  variety needs no secrecy
        self._has_taken_leave = False
        self._more_moves = 0  # that a level knows in this game
        self.begin_game()

    def open(self) -> None:
        """Open the book that the settings name, or the built-in one; InputError if it is unusable."""
        book = Book(user_path(self._settings.book_file) if self._settings.book_file else BUILT_IN)
        if self._book is not None:
            self._book.close()
        self._book = book
        # load the kernel and the names now, so that the first move need not wait
        last_opening_by_keys((game_key(Game()),))

    def begin_game(self) -> None:
        """Start another game."""
        self._has_taken_leave = False
        self._more_moves = self._rng.choice(_MORE_OR_FEWER)

    def look_up(self, game: Game, request: GoRequest) -> BookAnswer:
        """What to play without a search, if the request is for a game, not for analysis, and the book has a move."""
        habits = book_habits(self._settings.uci_elo) if self._settings.uses_level_book else None
        is_used = habits is not None or (self._settings.uses_own_book and request.is_for_game)
        is_wanted = is_used and not self._is_analysis(request)
        if self._book is None or not is_wanted or game.repetitions() > 1:
            return BookAnswer(None, ())
        depth = self._settings.book_depth
        if habits is not None:
            depth = min(depth, round(habits.moves) + self._more_moves)
        if habits is not None and len(game.moves) >= _FIRST_MOVES and 100 * self._rng.random() < habits.departure:
            return self._depart(self._book, game)
        is_too_late = fullmove_number(game.position) > depth
        entries = [] if is_too_late else self._book.entries(game_key(game))
        legal, remarks = [], []
        for entry in entries:
            move = _legal_move(game, entry)
            if move is None:
                remarks.append(f"book: {entry.text()} is illegal here and was skipped")
            else:
                legal.append((move, entry.weight))
        weights = [weight for _, weight in legal]
        shares = (play_probabilities(weights, self._settings.book_variety) if habits is None
                  else _shares_by_habits(game, legal, habits))
        index = choose_index(shares, self._rng)
        if index is None:
            return BookAnswer(None, (*remarks, *self._leave(game)))
        (move, weight), share = legal[index], shares[index]
        name = last_opening_by_keys(_keys(game, move))
        return BookAnswer(move, (*remarks, f"book {game.uci(move)} weight {weight}, chosen with {100 * share:.0f} %"
                                 + (f": {name}" if name is not None else "")))

    def _depart(self, book: Book, game: Game) -> BookAnswer:
        """Leave the book, whether or not the level knows its moves: all others are left to the search."""
        known = {_legal_move(game, entry) for entry in book.entries(game_key(game))} - {None}
        others = tuple(move for move in game.legal_moves() if move not in known) if known else ()
        return BookAnswer(None, tuple(self._leave(game)), others)

    def _is_analysis(self, request: GoRequest) -> bool:
        return (request.infinite or bool(request.search_moves) or request.mate is not None
                or self._settings.uci_analyse_mode or self._settings.multipv > 1)

    def _leave(self, game: Game) -> Iterator[str]:
        """Name the opening when the game leaves the book, once per game."""
        if not self._has_taken_leave:
            self._has_taken_leave = True
            name = last_opening_by_keys(_keys(game))
            if name is not None:
                yield f"out of book: {name}"


def _shares_by_habits(game: Game, moves: Sequence[tuple[int, int]], habits: BookHabits) -> list[float]:
    """The probability of each of the `moves`, which come with their weights, for a level."""
    total = sum(weight for _, weight in moves)
    raised = [(weight / total) ** habits.power if weight > 0 and weight >= habits.least_share * total else 0.0
              for _, weight in moves]
    if not game.moves:
        raised = [value * (habits.king_pawn if game.uci(move) == _KING_PAWN else 1.0)
                  for value, (move, _) in zip(raised, moves, strict=True)]
    return [value / sum(raised) for value in raised] if any(raised) else raised


def _keys(game: Game, *further: int) -> Iterator[int]:
    """The keys of all positions of a game, and of those after further moves."""
    cursor = game.start_position()
    yield game_key(cursor)
    for move in (*game.moves, *further):
        cursor.push_uci(cursor.uci(move))
        yield game_key(cursor)


def _legal_move(game: Game, entry: BookEntry) -> int | None:
    move = book_move(game.position, entry.move)
    return move if make_if_legal(game.position.copy(), move) else None
