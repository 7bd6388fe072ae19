"""`book names`: the table of opening names, from lists of names and moves."""

from __future__ import annotations

import argparse

from book.names import read_names, write_names


def run_names(arguments: argparse.Namespace) -> int:
    """Read the lists, write the table, and return the exit status."""
    names = dict(read_names(arguments.files))
    write_names(names, arguments.out)
    print(f"{len(names)} named positions in {arguments.out}")
    return 0
