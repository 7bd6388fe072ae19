"""`book build`: a Polyglot book from games."""

from __future__ import annotations

import argparse
import sys

from book.build import BookFilter, Builder, Weighting
from book.pgn import read_pgn
from book.polyglot import write_book
from engine.commands.shared.interruption import is_interrupted
from engine.commands.shared.progress import count_with_progress
from engine.commands.shared.wording import pluralize
from engine.core.errors import InputError

_SHOWN_COMPLAINTS = 20
_LEFT_OUT = 1


def run_build(arguments: argparse.Namespace) -> int:
    """Count the moves of all games, write the book, and return the exit status: 1 if games were left out."""
    builder = Builder(BookFilter(arguments.max_ply, arguments.min_games, arguments.min_score, arguments.min_elo,
                                 arguments.since, Weighting(arguments.weighting)))
    complaints = 0

    def complain(text: str) -> None:
        nonlocal complaints
        complaints += 1
        if complaints <= _SHOWN_COMPLAINTS:
            print(f"error: {path}, {text}", file=sys.stderr)

    for path in arguments.files:
        for _ in count_with_progress(builder.add_games(read_pgn(path), complain), f"{path.name}, game"):
            pass
    used = f"{pluralize(builder.used, 'game')} used, {builder.refused} passed over, {builder.broken} broken"
    if is_interrupted():
        print(f"{used}; no book was written")
        return 0
    if complaints > _SHOWN_COMPLAINTS:
        print(f"error: and {complaints - _SHOWN_COMPLAINTS} games more were left out", file=sys.stderr)
    entries = builder.entries()
    if not entries:
        raise InputError(f"no book is written, for it would be empty: {pluralize(builder.used, 'game')} used, "
                         f"and no move was played in {arguments.min_games} of them (--min-games)")
    write_book(entries, arguments.out)
    positions = len({entry.key for entry in entries})
    print(f"{used}; {positions} positions, {len(entries)} moves in {arguments.out}")
    if builder.undercount:
        print(f"there were more different moves than fit into memory: each may have been counted {builder.undercount} "
              "times too low")
    return _LEFT_OUT if builder.broken else 0
