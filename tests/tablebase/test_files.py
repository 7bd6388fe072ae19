"""Containers: reading, and one-line warnings about damaged files while the others are used."""

from __future__ import annotations

import json
import lzma
import shutil
import tracemalloc
import zlib

import numpy as np
import pytest

from engine.core.game import Game
from engine.system.errors import InputError
from tablebase.files import Container, TableKind, _filters, block_size
from tablebase.material import parse_ending
from tablebase.tables import BUILT_IN, OwnTables

NAMES = {table_kind: table_kind.file_name for table_kind in TableKind}
LARGEST = {TableKind.WDL: 1_300_000, TableKind.DTM: 8_000_000, TableKind.DTZ: 2_500_000}
QUEEN = "7k/8/6K1/8/8/8/Q7/8 w - - 0 1"
ROOK = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"


@pytest.fixture
def folder(tmp_path):
    for name in NAMES.values():
        shutil.copy(BUILT_IN / name, tmp_path)
    return tmp_path


@pytest.mark.parametrize("table_kind", TableKind)
def test_the_built_in_files_are_complete_and_small(table_kind):
    path = BUILT_IN / NAMES[table_kind]
    container = Container(path)
    assert container.table_kind is table_kind and len(container.entries) == 35
    assert path.stat().st_size <= LARGEST[table_kind]
    for entry in container.entries.values():
        sides = [block is not None for block in entry.blocks]
        assert any(sides)
        assert table_kind is not TableKind.WDL or all(sides) or entry.ending.is_symmetric


def change_directory(path, change, is_signed: bool = True) -> None:
    line, _, blocks = path.read_bytes().partition(b"\n")
    directory = json.loads(line)
    change(directory)
    if is_signed:
        directory["checksum"] = zlib.crc32(json.dumps(directory["tables"], sort_keys=True).encode())
    path.write_bytes(json.dumps(directory).encode() + b"\n" + blocks)


@pytest.mark.parametrize(("content", "reason"), [
    (b"", "not a file of endgame tables"), (b"nonsense\n", "not a file of endgame tables"),
    (b'{"format": "another"}\n', "not a file of endgame tables"), (b"[1, 2]\n", "not a file of endgame tables"),
    (b'{"format": "adversary endgame tables", "version": 99}\n', "version 99"),
    (b'{"format": "adversary endgame tables", "version": 1}\n', "directory is damaged"),
    (b"\xff" * 3000, "not a file of endgame tables")])
def test_a_foreign_file_is_named_and_the_others_are_used(folder, content, reason):
    (folder / "another.tables").write_bytes(content)
    tables = OwnTables([folder])
    (warning,) = tables.take_warnings()
    assert str(folder / "another.tables") in warning and reason in warning and "\n" not in warning
    assert tables.code(Game(QUEEN).position) == 2
    assert tables.take_warnings() == []


def test_a_truncated_file(folder):
    path = folder / NAMES[TableKind.WDL]
    path.write_bytes(path.read_bytes()[:-5000])
    with pytest.raises(InputError, match="truncated"):
        Container(path)
    assert OwnTables([folder]).max_pieces == 0


def test_a_missing_file_and_a_folder_in_its_place(tmp_path):
    for path in (tmp_path / "none.tables", tmp_path):
        with pytest.raises(InputError, match="cannot read"):
            Container(path)


@pytest.mark.parametrize("spoil", [lambda block: block.update(checksum=1), lambda block: block.update(length=7)])
def test_one_damaged_ending_does_not_affect_others(folder, spoil):
    def change(directory) -> None:
        for row in directory["tables"]:
            if row["ending"] == "KQvK":
                spoil(row["blocks"][0])

    change_directory(folder / NAMES[TableKind.WDL], change)
    tables = OwnTables([folder])
    assert tables.code(Game(QUEEN).position) is None
    (warning,) = tables.take_warnings()
    assert "KQvK" in warning and "checksum" in warning
    assert tables.code(Game(ROOK).position) == 2
    assert tables.code(Game(QUEEN).position) is None and tables.take_warnings() == []  # reported once


@pytest.mark.parametrize("change", [lambda row: row.update(axes=[0, 0]), lambda row: row.update(ending="KXvK"),
                                    lambda row: row.pop("summary"), lambda row: row.update(blocks=[1]),
                                    lambda row: row["blocks"][0].update(offset="x"),
                                    lambda row: row["blocks"][0].update(offset=1.5),
                                    lambda row: row["blocks"][0].update(length=-1),
                                    lambda row: row["summary"][0].update(longest_win=10**6),
                                    lambda row: row["summary"][0].update(longest_win="a")])
def test_an_invalid_directory(folder, change):
    path = folder / NAMES[TableKind.WDL]
    change_directory(path, lambda directory: change(directory["tables"][0]))
    with pytest.raises(InputError, match="directory is damaged"):
        Container(path)


def test_a_changed_directory_is_refused(folder):
    """Other axes would be read without an error, but wrong."""
    path = folder / NAMES[TableKind.WDL]
    change_directory(path, lambda directory: directory["tables"][-1]["axes"].reverse(), is_signed=False)
    with pytest.raises(InputError, match="directory is damaged"):
        Container(path)


def test_a_deeply_nested_line_is_no_directory(folder):
    path = folder / NAMES[TableKind.WDL]
    path.write_bytes(b"[" * 100_000 + b"\n")
    with pytest.raises(InputError, match="not a file of endgame tables"):
        Container(path)


def test_a_damaged_table_is_replaced_by_a_sound_one(folder):
    """A folder that the user names comes first; what is broken in it is taken from the package."""
    def change(directory) -> None:
        for row in directory["tables"]:
            for block in row["blocks"]:
                if block and row["ending"] == "KQvK":
                    block["checksum"] ^= 1

    for name in NAMES.values():
        change_directory(folder / name, change)
    tables = OwnTables([folder, BUILT_IN])
    tables.load_for(Game(QUEEN).position, *TableKind)
    assert tables.code(Game(QUEEN).position) == 2
    assert [warning.count("KQvK") for warning in tables.take_warnings()] == [1, 1, 1]


@pytest.mark.parametrize("surplus", [1, 1 << 28])
def test_a_block_that_unpacks_to_too_much_is_refused_at_once(folder, surplus):
    """A quarter of a gigabyte of zeros is 40 KB on disk, its checksum is right, and it never comes into memory."""
    size, path = block_size(parse_ending("KQvK"), TableKind.WDL), folder / NAMES[TableKind.WDL]
    block = lzma.compress(bytes(size + surplus), lzma.FORMAT_RAW, filters=_filters(TableKind.WDL, 1))
    end = len(path.read_bytes().partition(b"\n")[2])

    def change(directory) -> None:
        for row in directory["tables"]:
            if row["ending"] == "KQvK":
                row["blocks"][0].update(offset=end, length=len(block), checksum=zlib.crc32(block))

    change_directory(path, change)
    path.write_bytes(path.read_bytes() + block)
    tracemalloc.start()
    with pytest.raises(InputError, match="more than"):
        Container(path).load(parse_ending("KQvK"), 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * size + 10_000_000


def test_unpacked_cells_have_the_size_of_their_ending():
    container = Container(BUILT_IN / NAMES[TableKind.DTM])
    ending = parse_ending("KQvK")
    cells = [container.load(ending, side) for side in (0, 1)]
    assert [array is None for array in cells].count(True) == 1
    (array,) = (array for array in cells if array is not None)
    assert array.dtype == np.uint8 and array.size == 462 * 64
    assert container.load(parse_ending("KQQQvK"), 0) is None
