"""The compile cache: whom it trusts, what it keeps, and what it leaves alone."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.kernel import cache, codefile, notices
from engine.kernel.cache import Cache
from engine.kernel.codefile import Code, Provenance
from engine.system import host

PROVENANCE = Provenance("0" * 64, "some-triple", codefile.NATIVE, "", "")
CODE = Code("a.b.first", "int64", ("int64",), False, b"\x01\x02\x03")
DIGESTS = [f"{number:016x}" for number in range(8)]
NOBODY = 65534

needs_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can do this")


@pytest.fixture
def told(monkeypatch) -> list[str]:
    """What the user is told."""
    lines: list[str] = []
    monkeypatch.setattr(notices, "_hearer", [lines.append])
    monkeypatch.setattr(notices, "_told", set())
    return lines


def found_in(home: Path) -> Code | None:
    return Cache(home, DIGESTS[0]).read(CODE.name, CODE.signature, PROVENANCE)


@pytest.fixture
def home(tmp_path) -> Path:
    """A cache folder with one entry in it."""
    Cache(tmp_path, DIGESTS[0]).keep(CODE, PROVENANCE)
    return tmp_path


def test_what_is_kept_is_found(home, told):
    assert found_in(home) == CODE
    assert not told


@pytest.mark.parametrize(("field", "value"), [("sources", "1" * 64), ("triple", "other"), ("baseline", "other")])
def test_machine_code_of_another_provenance_is_not_found(home, field, value):
    other = Provenance(**{**vars(PROVENANCE), field: value})
    assert Cache(home, DIGESTS[0]).read(CODE.name, CODE.signature, other) is None


def test_another_signature_or_name_is_not_found(home):
    opened = Cache(home, DIGESTS[0])
    assert opened.read(CODE.name, "int64, int64", PROVENANCE) is None
    assert opened.read("a.b.second", CODE.signature, PROVENANCE) is None


def test_a_damaged_file_is_told_and_replaced(home, told):
    path = Cache(home, DIGESTS[0]).path_of(CODE.name)
    path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    assert found_in(home) is None
    assert len(told) == 1 and "checksum" in told[0]
    Cache(home, DIGESTS[0]).keep(CODE, PROVENANCE)
    assert found_in(home) == CODE


def test_folders_are_private(home):
    folder = Cache(home, DIGESTS[0]).folder
    assert folder.stat().st_mode & 0o777 == 0o700
    assert Cache(home, DIGESTS[0]).path_of(CODE.name).stat().st_mode & 0o077 == 0


@pytest.mark.skipif(host.IS_WINDOWS, reason="Windows has no such modes")
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o707, 0o1777])
@pytest.mark.parametrize("which", ["the home", "the folder", "the file"])
def test_what_others_may_write_to_is_refused_with_one_line(home, told, which, mode):
    opened = Cache(home, DIGESTS[0])
    {"the home": home, "the folder": opened.folder, "the file": opened.path_of(CODE.name)}[which].chmod(mode)
    assert found_in(home) is None
    assert len(told) == 1 and "other users may write to it" in told[0]


@needs_root
@pytest.mark.parametrize("which", ["the home", "the folder", "the file"])
def test_what_others_own_is_refused_with_one_line(home, told, which):
    opened = Cache(home, DIGESTS[0])
    os.chown({"the home": home, "the folder": opened.folder, "the file": opened.path_of(CODE.name)}[which], NOBODY, -1)
    assert found_in(home) is None
    assert len(told) == 1 and "belongs to another user" in told[0]


@pytest.mark.skipif(host.IS_WINDOWS, reason="Windows has no such modes")
def test_nothing_is_written_to_a_folder_that_is_not_trusted(tmp_path, told):
    tmp_path.chmod(0o777)
    Cache(tmp_path, DIGESTS[0]).keep(CODE, PROVENANCE)
    assert not list(tmp_path.iterdir())


def test_without_a_place_to_write_it_is_told_once(tmp_path, told):
    blocked = tmp_path / "file"
    blocked.touch()
    opened = Cache(blocked, DIGESTS[0])
    for _ in range(2):
        opened.keep(CODE, PROVENANCE)
        opened.tidy()
    assert opened.read(CODE.name, CODE.signature, PROVENANCE) is None
    assert len(told) == 1 and "cannot be kept" in told[0]
    assert list(tmp_path.iterdir()) == [blocked]


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """A file system of a hundred kilobytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k,mode=700", "tmpfs", str(disk)], check=False,
                      capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@needs_root
def test_a_full_disk_keeps_what_it_has(small_disk, told):
    Cache(small_disk, DIGESTS[0]).keep(CODE, PROVENANCE)
    large = Code("a.b.large", "", (), False, bytes(1_000_000))
    Cache(small_disk, DIGESTS[0]).keep(large, PROVENANCE)
    assert len(told) == 1 and "No space left" in told[0]
    assert found_in(small_disk) == CODE
    assert [path.name for path in Cache(small_disk, DIGESTS[0]).folder.iterdir()] == ["a.b.first.kernel"]


@needs_root
def test_a_read_only_disk_is_read(small_disk, told):
    Cache(small_disk, DIGESTS[0]).keep(CODE, PROVENANCE)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert found_in(small_disk) == CODE
    assert not told
    Cache(small_disk, DIGESTS[0]).keep(CODE, PROVENANCE)
    assert len(told) == 1 and "Read-only file system" in told[0]


def make_folders(home: Path) -> None:
    for age, digest in enumerate(DIGESTS):
        Cache(home, digest).keep(CODE, PROVENANCE)
        os.utime(Cache(home, digest).folder, (1e9 - age, 1e9 - age))


def test_the_folders_of_older_sources_are_removed(tmp_path):
    make_folders(tmp_path)
    newest = Cache(tmp_path, "f" * 16)
    newest.keep(CODE, PROVENANCE)
    newest.tidy()
    assert {path.name for path in tmp_path.iterdir()} == {
        newest.folder.name, *(f"kernels-{digest}" for digest in DIGESTS[: cache.FOLDERS_KEPT - 1])}


def test_what_is_used_again_counts_as_new(tmp_path):
    make_folders(tmp_path)
    oldest = Cache(tmp_path, DIGESTS[-1])
    oldest.tidy()
    assert found_in(tmp_path) == CODE
    assert oldest.read(CODE.name, CODE.signature, PROVENANCE) == CODE


def test_what_is_not_ours_stays(tmp_path):
    make_folders(tmp_path)
    strangers = [tmp_path / "0123456789abcdef", tmp_path / "notes", tmp_path / "kernels-of-my-own"]
    for folder in strangers:
        folder.mkdir()
        (folder / "precious.txt").write_text("precious")
        os.utime(folder, (1, 1))
    mixed = Cache(tmp_path, DIGESTS[-1]).folder / "precious.txt"
    mixed.write_text("precious")
    os.utime(mixed.parent, (1, 1))
    newest = Cache(tmp_path, "f" * 16)
    newest.keep(CODE, PROVENANCE)
    newest.tidy()
    assert all((folder / "precious.txt").exists() for folder in strangers)
    assert [path.name for path in mixed.parent.iterdir()] == ["precious.txt"]


def test_what_was_left_unfinished_is_removed(home):
    opened = Cache(home, DIGESTS[0])
    old, new = (opened.folder / f"{name}{codefile.UNFINISHED}" for name in ("old", "new"))
    old.touch()
    new.touch()
    os.utime(old, (1e9, 1e9))
    opened.tidy()
    assert {path.name for path in opened.folder.iterdir()} == {new.name, "a.b.first.kernel"}


def test_the_home_can_be_named(monkeypatch):
    monkeypatch.setenv(cache.CACHE_VARIABLE, "/somewhere/else")
    assert cache.cache_home() == Path("/somewhere/else")
    monkeypatch.delenv(cache.CACHE_VARIABLE)
    assert cache.cache_home() == host.user_cache_folder() / "adversary"


def test_a_user_without_a_home_gets_along_without_a_cache(monkeypatch, told):
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv(cache.CACHE_VARIABLE, raising=False)
    monkeypatch.setattr(host, "user_cache_folder", no_home)
    assert cache.own_cache.__wrapped__() is None
    assert len(told) == 1 and "Could not determine home directory" in told[0]
