"""The opening book of a player: opened when it is wanted, consulted before a search, and left once per game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from book.names import last_opening_by_keys
from book.polyglot import BUILT_IN, Book, BookEntry, book_move, choose_index, game_key, play_probabilities
from engine.core.fen import fullmove_number
from engine.core.game import Game, make_if_legal
from engine.player.options import Settings
from engine.player.request import GoRequest
from engine.system.files import user_path


@dataclass(frozen=True)
class BookAnswer:
    """What the book says about a position."""

    move: int | None  # None if it has none
    messages: tuple[str, ...]


class PlayerBook:
    """A book, used as the settings say."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._book: Book | None = None
        self._rng = random.Random()  # noqa: S311  variety needs no secrecy
        self._has_taken_leave = False

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

    def look_up(self, game: Game, request: GoRequest) -> BookAnswer:
        """What to play without a search, if the request is for a game, not for analysis, and the book has a move."""
        is_wanted = self._settings.own_book and not self._is_analysis(request)
        if self._book is None or not is_wanted or game.repetitions() > 1:
            return BookAnswer(None, ())
        is_too_late = fullmove_number(game.position) > self._settings.book_depth
        entries = [] if is_too_late else self._book.entries(game_key(game))
        legal, remarks = [], []
        for entry in entries:
            move = _legal_move(game, entry)
            if move is None:
                remarks.append(f"book: {entry.text()} is illegal here and was skipped")
            else:
                legal.append((move, entry.weight))
        weights = [weight for _, weight in legal]
        variety = self._settings.book_variety
        index = choose_index(weights, variety, self._rng)
        if index is None:
            return BookAnswer(None, (*remarks, *self._leave(game)))
        move, weight = legal[index]
        share = play_probabilities(weights, variety)[index]
        return BookAnswer(move, (*remarks, f"book {game.uci(move)} weight {weight}, chosen with {share:.0%}"))

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


def _keys(game: Game) -> Iterator[int]:
    """The keys of all positions of a game."""
    follower = game.start_position()
    yield game_key(follower)
    for move in game.moves:
        follower.push_uci(follower.uci(move))
        yield game_key(follower)


def _legal_move(game: Game, entry: BookEntry) -> int | None:
    move = book_move(game.position, entry.move)
    return move if make_if_legal(game.position.copy(), move) else None
