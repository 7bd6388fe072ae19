"""`book build`, `book merge` and `book names`: write books and the table of opening names."""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from book.build import BookFilter, Builder, Weighting, merge_books
from book.names import read_names, write_names
from book.pgn import read_pgn
from book.polyglot import Book, write_book
from engine.cli.interruption import is_interrupted
from engine.cli.output import pluralize, print_warning
from engine.cli.progress import count_with_progress
from engine.system.errors import InputError

_SHOWN_WARNINGS = 20
_GAMES_SKIPPED = 1


def run_merge(arguments: argparse.Namespace) -> int:
    """Merge, write, and return the exit status."""
    with ExitStack() as stack:
        books = [stack.enter_context(Book(path)) for path in arguments.files]
        entries, number = merge_books(books), sum(len(book) for book in books)
    write_book(entries, arguments.out)  # after closing the inputs, since one of them may be replaced
    print(f"{number} entries merged into {len(entries)} in {arguments.out}")
    return 0


def run_names(arguments: argparse.Namespace) -> int:
    """Read the lists, write the table, and return the exit status."""
    names = dict(read_names(arguments.files))
    write_names(names, arguments.out)
    print(f"{len(names)} named positions in {arguments.out}")
    return 0


def run_build(arguments: argparse.Namespace) -> int:
    """Count the moves of all games, write the book, and return the exit status: 1 if games were skipped."""
    builder = Builder(BookFilter(arguments.max_ply, arguments.min_games, arguments.min_score, arguments.min_elo,
                                 arguments.since, Weighting(arguments.weighting)))
    warnings = 0

    def warn(text: str) -> None:
        nonlocal warnings
        warnings += 1
        if warnings <= _SHOWN_WARNINGS:
            print_warning(f"skipped {path}, {text}")

    for path in arguments.files:
        for _ in count_with_progress(builder.add_games(read_pgn(path), warn), f"{path.name}, game"):
            pass
    used = f"{pluralize(builder.used, 'game')} used, {builder.refused} filtered out, {builder.broken} broken"
    if is_interrupted():
        print(f"{used}; no book was written")
        return 0
    if warnings > _SHOWN_WARNINGS:
        print_warning(f"skipped {warnings - _SHOWN_WARNINGS} more games")
    entries = builder.entries()
    if not entries:
        raise InputError(f"the book would be empty and was not written: {pluralize(builder.used, 'game')} used, "
                         f"and no move was played in {arguments.min_games} of them (--min-games)")
    write_book(entries, arguments.out)
    positions = len({entry.key for entry in entries})
    print(f"{used}; {positions} positions, {len(entries)} moves in {arguments.out}")
    if builder.undercount:
        print_warning(f"too many different moves for the memory; each count may be up to {builder.undercount} too low")
    return _GAMES_SKIPPED if builder.broken else 0
