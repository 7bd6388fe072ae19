"""A file of the user's is run as it is on the disk."""

from __future__ import annotations

import os
import sys

import pytest

from engine.system.source_file import run_file


def test_a_file_saved_twice_in_one_second_is_run_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setitem(sys.modules, "answer", None)  # restored afterwards
    file = tmp_path / "answer.py"
    for number in (42, 56):
        file.write_text(f"ANSWER = {number}\n")
        os.utime(file, (1_700_000_000, 1_700_000_000))
        module = run_file(file, "answer")
        assert vars(module)["ANSWER"] == number
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_fails_leaves_no_module(tmp_path):
    file = tmp_path / "failing.py"
    file.write_text("1 / 0\n")
    with pytest.raises(ZeroDivisionError):
        run_file(file, "failing")
    assert "failing" not in sys.modules


def test_the_name_of_a_file_may_end_in_anything(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "point", None)
    file = tmp_path / "solution.txt"
    file.write_text("from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int = 1\n")
    assert run_file(file, "point").Point().x == 1
