"""The compile cache: trust, storage, locks and removal."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.kernel import cache, codefile, notices
from engine.kernel.cache import Cache
from engine.kernel.codefile import Code
from engine.system import host
from tests.timing import PATIENCE

PROCESSOR, TRIPLE = "0123456789abcdef" * 4, "some-triple"
DIGESTS = [f"{number:016x}" * 4 for number in range(cache.VERSIONS_KEPT + 4)]  # of sources
CODE = Code("a.b.first", "int64", DIGESTS[0], ("int64",), False, b"\x01\x02\x03")
FILE = f"a.b.first-{DIGESTS[0][:16]}.kernel"
OTHER_USER = 65534
LONG_AGO = 1e9

needs_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can do this")


@pytest.fixture
def warnings(monkeypatch) -> list[str]:
    """The warnings sent to the user."""
    lines: list[str] = []
    monkeypatch.setattr(notices, "_listener", [lines.append])
    monkeypatch.setattr(notices, "_sent", set())
    return lines


def cache_in(home: Path) -> Cache:
    return Cache(home, PROCESSOR, TRIPLE)


def found_in(home: Path) -> Code | None:
    return cache_in(home).read(CODE.name, CODE.signature, CODE.sources)


def path_in(home: Path) -> Path:
    return cache_in(home).path_of(CODE.name, CODE.sources)


@pytest.fixture
def home(tmp_path) -> Path:
    """A cache folder with one entry in it."""
    cache_in(tmp_path).store(CODE)
    return tmp_path


def test_stored_code_is_read_back(home, warnings):
    assert found_in(home) == CODE
    assert not warnings


def test_machine_code_for_another_machine_is_not_found(home):
    assert Cache(home, PROCESSOR, "other").read(CODE.name, CODE.signature, CODE.sources) is None
    assert Cache(home, "f" * 64, TRIPLE).read(CODE.name, CODE.signature, CODE.sources) is None


def test_another_signature_or_name_is_not_found(home):
    opened = cache_in(home)
    assert opened.read(CODE.name, "int64, int64", CODE.sources) is None
    assert opened.read("a.b.second", CODE.signature, CODE.sources) is None


def test_the_whole_digest_of_the_sources_is_compared(home):
    almost = CODE.sources[:-1] + "f"
    assert cache_in(home).path_of(CODE.name, almost) == path_in(home)
    assert cache_in(home).read(CODE.name, CODE.signature, almost) is None


def test_a_damaged_file_gives_a_warning_and_is_replaced(home, warnings):
    path = path_in(home)
    path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    assert found_in(home) is None
    assert len(warnings) == 1 and "checksum" in warnings[0]
    cache_in(home).store(CODE)
    assert found_in(home) == CODE


def test_folders_are_private(home):
    folder = cache_in(home).folder
    assert folder.stat().st_mode & 0o777 == 0o700
    assert path_in(home).stat().st_mode & 0o077 == 0


@pytest.mark.skipif(host.IS_WINDOWS, reason="Windows has no such modes")
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o707, 0o1777])
@pytest.mark.parametrize("which", ["the home", "the folder", "the file"])
def test_files_writable_by_others_are_refused_with_one_warning(home, warnings, which, mode):
    opened = cache_in(home)
    {"the home": home, "the folder": opened.folder, "the file": path_in(home)}[which].chmod(mode)
    assert found_in(home) is None
    assert len(warnings) == 1 and "other users may write to it" in warnings[0]


@needs_root
@pytest.mark.parametrize("which", ["the home", "the folder", "the file"])
def test_files_of_other_users_are_refused_with_one_warning(home, warnings, which):
    opened = cache_in(home)
    os.chown({"the home": home, "the folder": opened.folder, "the file": path_in(home)}[which], OTHER_USER, -1)
    assert found_in(home) is None
    assert len(warnings) == 1 and "belongs to another user" in warnings[0]


@pytest.mark.skipif(host.IS_WINDOWS, reason="Windows has no such modes")
def test_nothing_is_written_to_an_untrusted_folder(tmp_path, warnings):
    tmp_path.chmod(0o777)
    cache_in(tmp_path).store(CODE)
    assert not list(tmp_path.iterdir())


def test_an_unwritable_folder_gives_one_warning(tmp_path, warnings):
    blocked = tmp_path / "file"
    blocked.touch()
    opened = cache_in(blocked)
    for _ in range(2):
        opened.store(CODE)
        opened.tidy(CODE.name)
    assert opened.read(CODE.name, CODE.signature, CODE.sources) is None
    assert len(warnings) == 1 and "cannot write the compiled kernels" in warnings[0]
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
def test_a_full_disk_keeps_the_existing_code(small_disk, warnings):
    cache_in(small_disk).store(CODE)
    large = Code("a.b.large", "", "", (), False, bytes(1_000_000))
    cache_in(small_disk).store(large)
    assert len(warnings) == 1 and "No space left" in warnings[0]
    assert found_in(small_disk) == CODE
    assert [path.name for path in cache_in(small_disk).folder.iterdir()] == [FILE]


@needs_root
def test_a_read_only_disk_is_read(small_disk, warnings):
    cache_in(small_disk).store(CODE)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert found_in(small_disk) == CODE
    assert not warnings
    cache_in(small_disk).store(CODE)
    assert len(warnings) == 1 and "Read-only file system" in warnings[0]


def make_versions(home: Path) -> list[Path]:
    """Store more versions of an entry than are kept; returns the files, the most recently used first."""
    paths = []
    for age, digest in enumerate(DIGESTS):
        cache_in(home).store(replace(CODE, sources=digest))
        paths.append(cache_in(home).path_of(CODE.name, digest))
        os.utime(paths[-1], (time.time() - 60 * age - 60,) * 2)
    return paths


def test_only_the_newest_versions_of_an_entry_are_kept(tmp_path):
    paths = make_versions(tmp_path)
    other = replace(CODE, name="a.b.first-other")
    cache_in(tmp_path).store(other)
    cache_in(tmp_path).tidy(CODE.name)
    assert set(paths[0].parent.iterdir()) == {*paths[: cache.VERSIONS_KEPT],
                                              cache_in(tmp_path).path_of(other.name, other.sources)}


def test_recently_used_versions_are_kept(tmp_path):
    paths = make_versions(tmp_path)
    assert cache_in(tmp_path).read(CODE.name, CODE.signature, DIGESTS[-1]) is not None
    cache_in(tmp_path).tidy(CODE.name)
    assert set(paths[0].parent.iterdir()) == {paths[-1], *paths[: cache.VERSIONS_KEPT - 1]}


def test_code_unused_for_a_month_is_removed(home):
    old = Cache(home, "f" * 64, TRIPLE)
    old.store(CODE)
    os.utime(old.path_of(CODE.name, CODE.sources), (LONG_AGO, LONG_AGO))
    cache_in(home).tidy(CODE.name)
    assert list(home.iterdir()) == [cache_in(home).folder]


def test_foreign_files_are_not_removed(home):
    folders = [home / "0123456789abcdef", home / "notes", home / "kernels-of-my-own", cache_in(home).folder]
    for folder in folders:
        folder.mkdir(exist_ok=True)
        (folder / "precious.txt").write_text("precious")
        os.utime(folder / "precious.txt", (1, 1))
    os.utime(path_in(home), (1, 1))
    cache_in(home).tidy(CODE.name)
    assert all([path.name for path in folder.iterdir()] == ["precious.txt"] for folder in folders)


def test_abandoned_unfinished_files_are_removed(home):
    folder = cache_in(home).folder
    for suffix in (codefile.UNFINISHED, ".lock"):
        for name in ("old", "new"):
            (folder / f"{name}{suffix}").touch()
        os.utime(folder / f"old{suffix}", (LONG_AGO, LONG_AGO))
    cache_in(home).tidy(CODE.name)
    assert {path.name for path in folder.iterdir()} == {"new.part", "new.lock", FILE}


def try_to_lock(home: Path) -> float:
    """Seconds until compiling can start, with the lock or without."""
    began = time.monotonic()
    with cache_in(home).lock(CODE.name, CODE.sources):
        return time.monotonic() - began


def test_a_lock_blocks_others_and_is_removed(home, monkeypatch):
    monkeypatch.setattr(cache, "LOCK_SECONDS", 1)
    with cache_in(home).lock(CODE.name, CODE.sources):
        assert try_to_lock(home) > 0.9  # in vain
        with cache_in(home).lock("a.b.second", CODE.sources), cache_in(home).lock(CODE.name, "f" * 64):
            pass  # others are free
    monkeypatch.setattr(cache, "LOCK_SECONDS", PATIENCE)
    assert try_to_lock(home) < PATIENCE / 2
    assert [path.name for path in cache_in(home).folder.iterdir()] == [FILE]


HOLDER = """
import sys, time
from pathlib import Path
from engine.kernel.cache import Cache
with Cache(Path(sys.argv[1]), sys.argv[2], sys.argv[3]).lock(sys.argv[4], sys.argv[5]):
    print("locked", flush=True)
    time.sleep(60)
"""


def test_a_killed_process_releases_its_lock(home):
    command = [sys.executable, "-c", HOLDER, str(home), PROCESSOR, TRIPLE, CODE.name, CODE.sources]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"locked\n"
        process.kill()
    assert try_to_lock(home) < PATIENCE / 2  # LOCK_SECONDS would be more


def test_without_file_locks_nothing_waits(home, monkeypatch):
    def refuse(handle: int) -> bool:
        raise OSError("no locks available")

    monkeypatch.setattr(host, "try_lock", refuse)
    with cache_in(home).lock(CODE.name, CODE.sources):
        assert try_to_lock(home) < PATIENCE / 2


def test_an_unwritable_folder_does_not_block(tmp_path, warnings):
    blocked = tmp_path / "file"
    blocked.touch()
    assert try_to_lock(blocked) < PATIENCE / 2
    assert not warnings


def test_an_error_while_compiling_releases_the_lock(home):
    with pytest.raises(TypeError), cache_in(home).lock(CODE.name, CODE.sources):
        raise TypeError
    assert try_to_lock(home) < PATIENCE / 2


def test_the_environment_variable_sets_the_folder(monkeypatch):
    monkeypatch.setenv(cache.CACHE_VARIABLE, "/somewhere/else")
    assert cache.cache_home() == Path("/somewhere/else")
    monkeypatch.delenv(cache.CACHE_VARIABLE)
    assert cache.cache_home() == host.user_cache_folder() / "adversary"


def test_a_user_without_a_home_has_no_cache(monkeypatch, warnings):
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv(cache.CACHE_VARIABLE, raising=False)
    monkeypatch.setattr(host, "user_cache_folder", no_home)
    assert cache.own_cache.__wrapped__() is None
    assert len(warnings) == 1 and "Could not determine home directory" in warnings[0]
