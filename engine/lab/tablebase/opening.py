"""Open the tables that a command names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.cli.output import print_warning
from engine.system.errors import InputError
from tablebase.tables import OwnTables


def open_tables(folders: Sequence[Path]) -> OwnTables:
    """Open the tables of the folders, with a warning for each broken file; InputError if there are none."""
    tables = OwnTables(folders)
    for warning in tables.take_warnings():
        print_warning(warning)
    if not tables.max_pieces:
        raise InputError(f"no tables in {', '.join(str(folder) for folder in folders)}")
    return tables
