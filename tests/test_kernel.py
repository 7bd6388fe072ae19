"""The compile cache and the entry points."""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path

import pytest

from engine import host, kernel
from engine.core.game import list_moves
from engine.core.moves import encode_move
from engine.core.position import castled_squares
from tests.kernels import read_clock

DIGESTS = [f"{number:016x}" for number in range(8)]


@pytest.fixture
def tree(tmp_path) -> Path:
    for package in kernel.PACKAGES:
        shutil.copytree(kernel.SOURCE_ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_the_digest_is_of_the_sources_alone(tree):
    assert kernel.source_digest(tree) == kernel.source_digest(kernel.SOURCE_ROOT)


@pytest.mark.parametrize("name", ["engine/core/bits.py", "eval/__init__.py", "book/__init__.py", "engine/kernel.py"])
def test_a_changed_source_file_changes_the_digest(tree, name):
    before = kernel.source_digest(tree)
    with (tree / name).open("a") as file:
        file.write("\n")
    assert kernel.source_digest(tree) != before


def test_new_and_renamed_files_change_the_digest(tree):
    before = kernel.source_digest(tree)
    (tree / "eval" / "new.py").touch()
    added = kernel.source_digest(tree)
    (tree / "eval" / "new.py").rename(tree / "eval" / "other.py")
    assert len({before, added, kernel.source_digest(tree)}) == 3


def test_the_numba_version_is_part_of_the_digest(tree, monkeypatch):
    before = kernel.source_digest(tree)
    monkeypatch.setattr(kernel.numba, "__version__", "0.0.0")
    assert kernel.source_digest(tree) != before


@pytest.fixture
def open_in(monkeypatch):
    def open_cache(home: Path, digest: str) -> Path:
        monkeypatch.setenv(kernel.CACHE_VARIABLE, str(home))
        return kernel.open_cache(digest)

    return open_cache


def test_old_digests_are_removed_and_other_folders_kept(tmp_path, open_in):
    for age, name in enumerate(DIGESTS):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))
    (tmp_path / "notes").mkdir()
    open_in(tmp_path, "f" * 16)
    kept = {entry.name for entry in tmp_path.iterdir()}
    assert kept == {"f" * 16, *DIGESTS[: kernel.DIGESTS_KEPT - 1], "notes"}


def test_a_cache_that_is_used_again_counts_as_new(tmp_path, open_in):
    oldest = open_in(tmp_path, DIGESTS[0])
    os.utime(oldest, (1e9, 1e9))
    for name in DIGESTS[1:4]:
        open_in(tmp_path, name)
    open_in(tmp_path, DIGESTS[0])
    open_in(tmp_path, DIGESTS[5])
    assert oldest.exists()
    assert not (tmp_path / DIGESTS[1]).exists()


def test_an_unwritable_cache_falls_back_to_a_temporary_one(tmp_path, capsys, open_in):
    blocked = tmp_path / "file"
    blocked.touch()
    folder = open_in(blocked, DIGESTS[0])
    warning = capsys.readouterr().err
    assert folder.is_dir()
    assert not folder.is_relative_to(blocked)
    assert warning.startswith("warning: cannot write the compile cache")
    assert warning.count("\n") == 1


def test_a_user_without_a_home_still_gets_a_cache(monkeypatch, capsys):
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv(kernel.CACHE_VARIABLE, raising=False)
    monkeypatch.setattr(host, "user_cache_folder", no_home)
    assert kernel.open_cache(DIGESTS[0]).is_dir()
    assert "Could not determine home directory" in capsys.readouterr().err


def test_the_cache_home_can_be_named(monkeypatch):
    monkeypatch.setenv(kernel.CACHE_VARIABLE, "/somewhere/else")
    assert kernel.cache_home() == Path("/somewhere/else")
    monkeypatch.delenv(kernel.CACHE_VARIABLE)
    assert kernel.cache_home() == host.user_cache_folder() / "adversary"


def test_warmup_reaches_every_entry_point_of_the_sources():
    kernel.import_all()
    sources = [path.read_text(encoding="utf-8") for path in kernel.source_files(kernel.SOURCE_ROOT)]
    declared = sum(text.count("\n@entry(") for text in sources)
    own = [point for point in kernel.ENTRY_POINTS if point.name.partition(".")[0] in kernel.PACKAGES]
    assert len(own) == declared > 0


def test_an_entry_is_loaded_once_whichever_thread_asks():
    loaded = []
    threads = [threading.Thread(target=lambda: loaded.append(list_moves.load())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loaded) == 4
    assert len(set(map(id, loaded))) == 1


def test_an_entry_refuses_other_argument_types():
    with pytest.raises(TypeError):
        list_moves("no record", 1)


def test_the_clock_read_in_kernels_is_pythons():
    before = time.perf_counter_ns()
    read = read_clock()
    assert before <= read <= time.perf_counter_ns()


def test_a_kernel_called_from_python_runs_uncompiled():
    assert encode_move(12, 28, 0) == 12 | 28 << 6
    assert castled_squares(4, 7) == (6, 5)
