"""The opening book of a player: opened when it is wanted, consulted before a search, and left once per game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from book.builtin import BUILT_IN
from book.choice import choose, shares
from book.names import last_name
from book.polyglot import Book, Entry, book_move, key_of
from engine.core.fen import fullmove_number
from engine.core.game import Game, make_if_legal
from engine.options import Settings
from engine.order import Order


@dataclass(frozen=True)
class Advice:
    """What the book says about a position."""

    move: int | None  # None if it has none
    remarks: tuple[str, ...]


class Repertoire:
    """A book, used as the settings say."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._book: Book | None = None
        self._chance = random.Random()  # noqa: S311  variety needs no secrecy
        self._has_taken_leave = False

    def open(self) -> None:
        """Open the book that the settings name, or the built-in one; InputError if it is unusable."""
        book = Book(self._settings.book_file or BUILT_IN)
        if self._book is not None:
            self._book.close()
        self._book = book
        last_name((key_of(Game()),))  # load the kernel and the names now, so that the first move need not wait

    def begin_game(self) -> None:
        """Start another game."""
        self._has_taken_leave = False

    def advice(self, game: Game, order: Order) -> Advice:
        """What to play without a search, if the order is for a game and the book has a move."""
        is_wanted = self._settings.own_book and not self._is_analysis(order)
        if self._book is None or not is_wanted or game.occurrences() > 1:
            return Advice(None, ())
        is_too_late = fullmove_number(game.position) > self._settings.book_depth
        entries = [] if is_too_late else self._book.entries(key_of(game))
        legal, remarks = [], []
        for entry in entries:
            move = _legal_move(game, entry)
            if move is None:
                remarks.append(f"book: {entry.text()} is illegal here and was skipped")
            else:
                legal.append((move, entry.weight))
        weights = [weight for _, weight in legal]
        variety = self._settings.book_variety
        place = choose(weights, variety, self._chance)
        if place is None:
            return Advice(None, (*remarks, *self._leave(game)))
        move, weight = legal[place]
        share = shares(weights, variety)[place]
        return Advice(move, (*remarks, f"book {game.text(move)} weight {weight}, chosen with {share:.0%}"))

    def _is_analysis(self, order: Order) -> bool:
        return (order.infinite or bool(order.search_moves) or order.mate is not None
                or self._settings.uci_analyse_mode or self._settings.multipv > 1)

    def _leave(self, game: Game) -> Iterator[str]:
        """Name the opening when the game leaves the book, once per game."""
        if not self._has_taken_leave:
            self._has_taken_leave = True
            name = last_name(_keys(game))
            if name is not None:
                yield f"out of book: {name}"


def _keys(game: Game) -> Iterator[int]:
    """The keys of all positions of a game."""
    follower = game.beginning()
    yield key_of(follower)
    for move in game.moves:
        follower.play(follower.text(move))
        yield key_of(follower)


def _legal_move(game: Game, entry: Entry) -> int | None:
    move = book_move(game.position, entry.move)
    return move if make_if_legal(game.position.copy(), move) else None
