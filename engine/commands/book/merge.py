"""`book merge`: one book of several."""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from book.build import merge_books
from book.polyglot import Book, write_book


def run_merge(arguments: argparse.Namespace) -> int:
    """Merge, write, and return the exit status."""
    with ExitStack() as stack:
        books = [stack.enter_context(Book(path)) for path in arguments.files]
        entries, number = merge_books(books), sum(len(book) for book in books)
    write_book(entries, arguments.out)  # when the others are closed: it may be one of them
    print(f"{len(entries)} moves of {number} in {arguments.out}")
    return 0
