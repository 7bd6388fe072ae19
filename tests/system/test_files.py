"""Files named by the user: read or refused in one line, written atomically."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import sys
import zipfile
from pathlib import Path

import pytest

from engine.lab.arena.configs import parse_config
from engine.lab.arena.openings import Openings
from engine.lab.arena.spsa import SpsaRun
from engine.system.errors import InputError
from engine.system.files import (
    begins_with,
    check_target,
    create_folder,
    exclusive,
    inner_name,
    numbered_lines,
    open_text,
    read_json,
    read_text,
    user_path,
    write_file,
)
from eval.weight_file import read_weight_file

TEXT = "first\nsecond\n"
PACKERS = {"plain.txt": lambda data: data, "a.txt.gz": gzip.compress, "a.txt.xz": lzma.compress,
           "a.txt.bz2": bz2.compress}


@pytest.mark.parametrize("name", PACKERS)
def test_packed_texts_are_read_as_they_are(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(PACKERS[name](TEXT.encode()))
    with open_text(path) as lines:
        assert "".join(lines) == TEXT
    assert inner_name(path).endswith(".txt")


@pytest.mark.parametrize("name", PACKERS)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_the_mark_at_the_beginning_tells_the_encoding(name, encoding, tmp_path):
    path, text = tmp_path / name, '[White "M\u00fcller"]\n\n1. e4 *\n'
    mark = "\ufeff" if encoding.endswith("e") else ""  # the other codecs write it themselves
    path.write_bytes(PACKERS[name]((mark + text).encode(encoding)))
    with open_text(path) as lines:
        assert "".join(lines) == text
    if name == "plain.txt":
        assert read_text(path) == text


@pytest.mark.parametrize("name", PACKERS)
def test_lines_have_the_numbers_of_the_file_whatever_its_line_ends(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(PACKERS[name](b"\xef\xbb\xbffirst\r\n# comment\n \n\nfifth \rsixth"))
    assert numbered_lines(path) == [(1, "first"), (5, "fifth "), (6, "sixth")]


@pytest.mark.parametrize("name", PACKERS)
def test_lines_are_not_read_from_what_is_no_text(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(PACKERS[name](b"first\n\xff\xfe\x00\n"))
    with pytest.raises(InputError, match="is not a text file"):
        numbered_lines(path)


def test_a_folder_is_created_with_those_above_it(tmp_path):
    create_folder(tmp_path / "a" / "b")
    create_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot create the folder .*file/c: "):
        create_folder(tmp_path / "file" / "c")


def test_the_first_file_of_an_archive_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("folder/", "")
        archive.writestr("inner.pgn", TEXT)
    with open_text(tmp_path / "a.zip") as lines:
        assert "".join(lines) == TEXT
    assert inner_name(tmp_path / "a.zip") == "inner.pgn"


READERS = {"text": read_text, "json": read_json, "weights": read_weight_file, "checkpoint": SpsaRun.load,
           "openings": lambda path: next(Openings(path).draw(1, 1, lambda text: None)),
           "setting": lambda path: parse_config(str(path))}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["/no/such/file", "/", "/dev/zero", "a\0b", "PIPE", "EMPTY", "NOISE", "DEEP", "HUGE"])
def test_what_cannot_be_read_is_refused_in_one_line(reader, name, tmp_path):
    os.mkfifo(tmp_path / "PIPE")
    (tmp_path / "EMPTY").touch()
    (tmp_path / "NOISE").write_bytes(bytes(range(256)) * 50)
    (tmp_path / "DEEP").write_text("[" * 200_000)
    (tmp_path / "HUGE").touch()
    os.truncate(tmp_path / "HUGE", 1 << 40)
    path = Path(name) if name.startswith("/") or "\0" in name else tmp_path / name
    if (reader, name) == ("text", "DEEP"):
        return  # a text it is
    if name == "EMPTY" and reader in ("text", "setting"):
        return
    with pytest.raises(InputError) as refused:
        READERS[reader](path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("suffix", [".pgn", ".epd", ".pgn.gz"])
def test_binary_openings_are_no_openings(suffix, tmp_path):
    path = tmp_path / f"noise{suffix}"
    noise = bytes(range(256)) * 20 + b"\n\n1. e9 \xff\n\n"
    path.write_bytes(gzip.compress(noise) if suffix.endswith("gz") else noise)
    with pytest.raises(InputError, match="is not a text file: line 1 has control characters"):
        next(Openings(path).draw(1, 1, lambda text: None))


def test_a_file_is_replaced_as_a_whole_and_nothing_is_left_behind(tmp_path):
    path = tmp_path / "file"
    write_file(path, "one")
    link = tmp_path / "link"
    link.symlink_to(path)
    write_file(link, b"two")
    assert path.read_text() == "two"
    assert link.is_symlink()
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(InputError, match="cannot write"):
        write_file(folder, "three")
    assert {entry.name for entry in tmp_path.iterdir()} == {"file", "link", "folder"}


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old")

    class Full(io.FileIO):
        def write(self, data):
            raise OSError(28, "No space left on device")

    def full(self, mode):
        return Full(self, mode)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(InputError, match="No space left"):
        write_file(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("check", [lambda path: check_target(path, lambda _: True, "thing"), read_text,
                                   lambda path: user_path(str(path))])
def test_a_name_too_long_for_the_file_system_is_refused_in_words(check, tmp_path):
    with pytest.raises(InputError, match=r"invalid file name .*: File name too long$"):
        check(tmp_path / ("x" * 300))


def test_a_file_with_the_longest_name_is_replaced(tmp_path):
    path = tmp_path / ("x" * 255)
    write_file(path, "one")
    write_file(path, "two")
    assert path.read_text() == "two" and list(tmp_path.iterdir()) == [path]


def test_a_file_is_locked_once_and_unlocked_after_it(tmp_path, monkeypatch):
    path = tmp_path / "file"
    with exclusive(path), pytest.raises(InputError, match="file is in use by another run"), exclusive(path):
        pass
    with exclusive(path):
        path.unlink()
    assert not path.exists()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "fcntl", None)  # a system without locks
        with exclusive(path), exclusive(path):
            pass
    with pytest.raises(FileNotFoundError), exclusive(tmp_path / "folder" / "file"):
        pass


def test_only_files_of_the_same_kind_are_overwritten(tmp_path):
    is_ours = begins_with(b"{")
    path = tmp_path / "file"
    check_target(path, is_ours, "thing")
    path.touch()
    check_target(path, is_ours, "thing")
    path.write_text(json.dumps({}))
    check_target(path, is_ours, "thing")
    path.write_text("notes")
    with pytest.raises(InputError, match="is not a thing; refusing to overwrite it"):
        check_target(path, is_ours, "thing")
