"""Files of work that is continued: whatever was interrupted, only whole lines count."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.lab.arena.json_lines import JsonLines
from engine.system.errors import InputError

FORMAT, WORK = JsonLines("screen"), {"params": ["a", "b"]}


def work_on(path: Path, *new: int) -> list[int]:
    """Append parts; returns those that were there."""
    with FORMAT.open(path, WORK) as (parts, append):
        for part in new:
            append(part)
        return list(parts)


@pytest.mark.parametrize("rest", ["", "4", '{"a": [1,'])
def test_an_incomplete_last_line_does_not_count(tmp_path, rest):
    path = tmp_path / "work"
    assert work_on(path, 1, 2) == []
    path.write_text(path.read_text() + rest)
    assert FORMAT.read(path) == (WORK, [1, 2])
    assert work_on(path, 3) == [1, 2]
    assert FORMAT.read(path) == (WORK, [1, 2, 3])


@pytest.mark.parametrize("beginning", ["", '{"scr', '{"screen": 1, ', '{"screen": 1, "params": ["a"'])
def test_work_that_was_killed_before_it_described_itself_begins_anew(tmp_path, beginning):
    path = tmp_path / "work"
    path.write_text(beginning)
    assert work_on(path, 1) == []
    assert FORMAT.read(path) == (WORK, [1])


@pytest.mark.parametrize("text", ["notes", '{"tournament": 1, "params": []}\n', '{"screen": 1, "params": []}\n'])
def test_other_files_are_refused_and_stay_as_they_are(tmp_path, text):
    path = tmp_path / "work"
    path.write_text(text)
    with pytest.raises(InputError):
        work_on(path, 1)
    assert path.read_text() == text


def test_an_error_of_the_work_is_not_called_one_of_the_file(tmp_path):
    with pytest.raises(OSError, match="a cable"), FORMAT.open(tmp_path / "work", WORK):
        raise OSError("a cable")
