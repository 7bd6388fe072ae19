"""Files of machine code: written atomically, and used only after verification."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from engine.kernel import codefile
from engine.kernel.codefile import Code, CodeFile, CodeFileError, Provenance

PROVENANCE = Provenance("aarch64-unknown-linux-gnu", "native", "1.0", "by hand")
CODES = [Code("a.b.first", "int64, record", "0" * 64, ("int64", "bool"), True, bytes(range(256))),
         Code("a.b.second", "", "1" * 64, (), False, b"\x01\x02\x03")]


@pytest.fixture
def path(tmp_path) -> Path:
    path = tmp_path / "some.kernels"
    codefile.write(path, PROVENANCE, CODES)
    return path


def test_round_trip(path):
    file = CodeFile(path)
    assert file.provenance == PROVENANCE
    assert [file.read(name) for name in file.names] == CODES
    assert file.has("a.b.first", "int64, record", "0" * 64)
    assert not file.has("a.b.first", "int64, int64", "0" * 64)
    assert not file.has("a.b.first", "int64, record", "1" * 64)
    assert not file.has("a.b.third", "", "0" * 64)
    assert list(path.parent.iterdir()) == [path]  # nothing is left over


def is_refused_or_right(path: Path) -> bool:
    """Whether each entry is as it was written, or is refused."""
    try:
        file = CodeFile(path)
        for code in CODES:
            with contextlib.suppress(CodeFileError):
                if file.read(code.name) != code:
                    return False
    except CodeFileError:
        pass
    return True


def test_a_flipped_bit_anywhere_is_detected(path):
    whole = path.read_bytes()
    chance = random.Random(5)
    for offset in range(len(whole)):
        damaged = bytearray(whole)
        damaged[offset] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        assert is_refused_or_right(path), offset


def test_a_truncated_file_is_detected(path):
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        assert is_refused_or_right(path), size
        with pytest.raises(CodeFileError):
            CodeFile(path).read("a.b.second")  # the last one


@pytest.mark.parametrize("content", [b"", b"garbage", b"\0" * 10_000, codefile._MAGIC + b"\xff" * 100])
def test_garbage_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(CodeFileError, match="damaged"):
        CodeFile(path)


def test_an_unreadable_file_is_refused(tmp_path):
    with pytest.raises(CodeFileError, match="cannot be read"):
        CodeFile(tmp_path)  # a folder
    with pytest.raises(FileNotFoundError):
        CodeFile(tmp_path / "nothing")


def test_a_file_that_is_not_trusted_is_refused(path):
    with pytest.raises(CodeFileError, match="by a stranger"):
        CodeFile(path, lambda status: "by a stranger")


def test_a_failed_write_leaves_no_file(path, monkeypatch):
    def refuse(*args: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="no space"):
        codefile.write(path, replace(PROVENANCE, version="2.0"), CODES)
    assert CodeFile(path).provenance.version == "1.0"
    assert list(path.parent.iterdir()) == [path]


WRITER = """
import sys
from pathlib import Path
from engine.kernel import codefile
number = 0
while True:
    number += 1
    text = str(number)
    codefile.write(Path(sys.argv[1]), codefile.Provenance(text, "", "", ""),
                   [codefile.Code("code", "", "", (), False, text.encode() * 100_000)])
    if number == 1:
        print("ready", flush=True)
"""


def test_a_process_killed_while_writing_leaves_a_complete_file(tmp_path):
    path, chance = tmp_path / "some.kernels", random.Random(7)
    for _ in range(8):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(0.02 + chance.random() / 20)
            process.kill()
        file = CodeFile(path)
        assert file.read("code").object_code == file.provenance.triple.encode() * 100_000
