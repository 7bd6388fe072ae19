"""Plots that find no room on the disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.cli.plots import save_bars, save_plot
from engine.system.errors import InputError

if os.name != "posix":
    pytest.skip("limits the size of files", allow_module_level=True)

import resource

PLOTS = {"curves": lambda path: save_plot(path, ("x", "y"), {"a": ([1, 2], [3, 4])}, title="title"),
         "bars": lambda path: save_bars(path, "title", ["a", "b"], {"": [1, 2]})}


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """No file becomes larger than `size` bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_a_plot_that_finds_no_room_is_named_and_leaves_the_old_one(name, suffix, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"plot{suffix}"
    assert PLOTS[name](path)
    old = path.read_bytes()
    assert len(old) > 4000
    with files_up_to(3000), pytest.raises(InputError, match=f"^cannot write {path}: File too large$"):
        PLOTS[name](path)
    assert path.read_bytes() == old and list(tmp_path.iterdir()) == [path]
