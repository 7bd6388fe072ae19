"""The file of progress: what is recorded is there after a kill, beside another window, and after an export."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta, timezone

import pytest

from engine.coach.progress_file import ProgressFile
from engine.coach.rating import Rating
from engine.coach.schedule import Outcome
from engine.system.errors import InputError

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
PUZZLE = Rating(1600, 80)


@pytest.fixture
def progress(tmp_path):
    return ProgressFile(tmp_path / "data" / "progress.sqlite3")


def test_a_solved_puzzle_raises_the_rating_and_comes_back_later(progress):
    answer = progress.record("puzzles", "a", Outcome.SOLVED, 12.5, item_rating=PUZZLE, now=NOW)
    assert answer.rating.value > 1500
    assert progress.rating() == answer.rating
    assert answer.change == round(answer.rating.value) - 1500 > 0
    assert progress.answers() == [answer._replace(change=None)]  # it is told once
    assert progress.due("puzzles", NOW) == []
    card = progress.cards("puzzles")["a"]
    assert card.due > NOW
    assert progress.due("puzzles", card.due) == ["a"]
    assert progress.due("openings", card.due) == []


def test_intervals_grow_with_every_right_answer_and_begin_anew_after_a_wrong_one(progress):
    now, intervals = NOW, []
    for _ in range(6):
        progress.record("puzzles", "a", Outcome.SOLVED, 1, now=now)
        due = progress.cards("puzzles")["a"].due
        intervals.append(due - now)
        now = due
    assert intervals == sorted(intervals)
    assert intervals[-1] > timedelta(days=30)
    progress.record("puzzles", "a", Outcome.FAILED, 1, now=now)
    assert progress.cards("puzzles")["a"].due - now < timedelta(days=1)


def test_only_the_first_answer_to_a_puzzle_is_rated(progress):
    first = progress.record("puzzles", "a", Outcome.FAILED, 5, item_rating=PUZZLE, now=NOW)
    again = progress.record("puzzles", "a", Outcome.SOLVED, 5, item_rating=PUZZLE, now=NOW + timedelta(days=1))
    assert first.rating.value < 1500
    assert again.rating is None
    assert progress.rating() == first.rating


def test_a_hint_counts_as_not_found(progress):
    answer = progress.record("puzzles", "a", Outcome.WITH_HINTS, 5, item_rating=PUZZLE, now=NOW)
    assert answer.rating.value < 1500


def test_the_longest_overdue_comes_first(progress):
    for hours, item in enumerate("cab"):
        progress.record("puzzles", item, Outcome.FAILED, 1, now=NOW + timedelta(hours=hours))
    assert progress.due("puzzles", NOW + timedelta(days=2)) == ["c", "a", "b"]


def test_streaks_count_days_up_to_yesterday(progress):
    assert progress.streak(NOW.date()) == 0
    for days in (0, 1, 2, 4):
        progress.record("puzzles", str(days), Outcome.SOLVED, 1, now=NOW - timedelta(days=days))
    assert progress.streak(NOW.date()) == 3
    assert progress.streak(NOW.date() + timedelta(days=1)) == 3
    assert progress.streak(NOW.date() + timedelta(days=2)) == 0


def test_an_export_restores_everything(progress, tmp_path):
    for days, outcome in enumerate(Outcome):
        progress.record("puzzles", str(days), outcome, 3, item_rating=PUZZLE, now=NOW + timedelta(days=days))
    progress.keep("repertoire", "Najdorf", "1. e4 c5 *")
    text = json.dumps(progress.export())
    other = ProgressFile(tmp_path / "other.sqlite3")
    assert other.merge(json.loads(text)) == len(Outcome)
    assert other.export() == progress.export()
    assert other.merge(json.loads(text)) == 0
    assert other.rating() == progress.rating()
    assert other.documents("repertoire") == {"Najdorf": "1. e4 c5 *"}


def test_of_two_cards_the_one_asked_later_stays(progress, tmp_path):
    other = ProgressFile(tmp_path / "other.sqlite3")
    progress.record("puzzles", "a", Outcome.SOLVED, 1, now=NOW)
    other.record("puzzles", "a", Outcome.FAILED, 1, now=NOW + timedelta(days=1))
    later = other.cards("puzzles")["a"]
    progress.merge(other.export())
    other.merge(progress.export())
    assert progress.cards("puzzles")["a"] == other.cards("puzzles")["a"] == later


@pytest.mark.parametrize("damage", [
    lambda exported: exported.pop("format"), lambda exported: exported.update(version=99),
    lambda exported: exported.pop("cards"), lambda exported: exported["cards"].append(["puzzles", "b"]),
    lambda exported: exported["cards"].append(["puzzles", "b", "tomorrow", "{}"]),
    lambda exported: exported["answers"].append(["puzzles", "b", NOW.isoformat(), 9, 1, None, None, None, None]),
    lambda exported: exported["answers"].append(["puzzles", "b", NOW.isoformat(), 1, None, None, None, None, None]),
    lambda exported: exported["answers"].append(["puzzles", "b", NOW.isoformat(), 1, float("nan"), None, None, None,
                                                  None]),
    *(lambda exported, values=values: exported["answers"].append(["puzzles", "b", NOW.isoformat(), 1, *values])
      for values in ((10**400, None, None, None, None), (1, 10**400, None, None, None), (1, 1500, 1500, 0, 0.06),
                     (1, 1500, 1500, 80, 0), (1, 1500, 1500, 80, -1),
                     (1, 1500, 1500, 80, 1e-200), (1, 1500, 1e300, 80, 0.06), (1, 1500, 1500, None, None))),
    lambda exported: exported["cards"][0].__setitem__(3, exported["cards"][0][3].replace("+00:00", "")),
    lambda exported: exported["documents"].append(["repertoire", "x", 5])])
def test_a_broken_export_changes_nothing(progress, damage):
    progress.record("puzzles", "a", Outcome.SOLVED, 1, now=NOW)
    exported = progress.export()
    damage(exported)
    before = progress.export()
    with pytest.raises(InputError):
        progress.merge(exported)
    assert progress.export() == before


def test_an_import_is_kept_as_this_file_writes_it(progress):
    """A large whole number of seconds, and a time of another zone, which is the same answer."""
    progress.record("puzzles", "a", Outcome.SOLVED, 1, now=NOW)
    exported = progress.export()
    same = [*exported["answers"][0]]
    same[2] = NOW.astimezone(timezone(timedelta(hours=5))).isoformat()
    slow = ["puzzles", "b", NOW.isoformat(), 1, 10**19, None, None, None, None]
    exported["answers"] = [same, slow]
    assert progress.merge(exported) == 1
    assert {answer.item: answer.seconds for answer in progress.answers()} == {"a": 1, "b": 1e19}


def test_of_two_processes_that_find_damage_one_sets_it_aside(progress, monkeypatch):
    """The second waits at the lock, and then finds the file of the first."""
    progress.path.write_bytes(b"garbage" * 1000)
    original = ProgressFile._begin_anew
    others = list[ProgressFile]()

    def late(self):
        if not others:
            others.append(self)  # another process is faster
            others[0] = ProgressFile(progress.path)
            others[0].record("puzzles", "a", Outcome.SOLVED, 1)
        return original(self)

    monkeypatch.setattr(ProgressFile, "_begin_anew", late)
    second = ProgressFile(progress.path)
    assert second.set_aside is None
    assert others[0].set_aside.read_bytes() == b"garbage" * 1000
    assert [answer.item for answer in second.answers()] == ["a"]


def test_two_damaged_files_of_a_second_are_both_kept(tmp_path):
    path = tmp_path / "progress.sqlite3"
    contents = [bytes([letter]) * 1000 for letter in b"abc"]
    kept = list[bytes]()
    for content in contents:
        path.write_bytes(content)
        aside = ProgressFile(path).set_aside
        assert aside is not None
        kept.append(aside.read_bytes())
    assert kept == contents
    assert len(list(tmp_path.iterdir())) == 4  # no lock is left


@pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\0" + b"\x07" * 5000])
def test_a_damaged_file_is_set_aside(tmp_path, content):
    path = tmp_path / "progress.sqlite3"
    path.write_bytes(content)
    progress = ProgressFile(path)
    assert progress.set_aside is not None
    assert progress.set_aside.read_bytes() == content
    progress.record("puzzles", "a", Outcome.SOLVED, 1)
    assert len(ProgressFile(path).answers()) == 1


def test_a_file_whose_pages_are_damaged_is_set_aside(progress):
    for number in range(300):
        progress.record("puzzles", str(number), Outcome.SOLVED, 1, now=NOW + timedelta(seconds=number))
    content = bytearray(progress.path.read_bytes())
    content[5000:30_000] = b"\xff" * 25_000
    progress.path.write_bytes(content)
    again = ProgressFile(progress.path)
    assert again.set_aside is not None
    assert again.answers() == []


def test_a_newer_file_is_refused_and_left_alone(progress):
    with sqlite3.connect(progress.path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = progress.path.read_bytes()
    with pytest.raises(InputError, match="newer version"):
        ProgressFile(progress.path)
    assert progress.path.read_bytes() == before


def test_two_windows_at_once_lose_no_answer(progress):
    def answer(window: int) -> None:
        own = ProgressFile(progress.path)
        for number in range(20):
            own.record("puzzles", f"{window}-{number}", Outcome.SOLVED, 1, item_rating=PUZZLE)

    windows = [threading.Thread(target=answer, args=(window,)) for window in range(4)]
    for window in windows:
        window.start()
    for window in windows:
        window.join()
    assert len(progress.answers()) == len(progress.cards("puzzles")) == 80
    ratings = [answer.rating.value for answer in progress.answers()]
    assert ratings == sorted(ratings)  # each began where the one before it, in whichever window, had ended


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_process_leaves_whole_answers(progress):
    program = ("import sys\nfrom pathlib import Path\nfrom engine.coach.progress_file import ProgressFile\n"
               "from engine.coach.schedule import Outcome\nprogress = ProgressFile(Path(sys.argv[1]))\n"
               "for number in range(10**9):\n    progress.record('puzzles', str(number), Outcome.SOLVED, 1)\n"
               "    print(number, flush=True)\n")
    with subprocess.Popen([sys.executable, "-c", program, str(progress.path)], stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(30)]
        process.send_signal(signal.SIGKILL)
        said += [int(line) for line in process.stdout.read().split()]
    again = ProgressFile(progress.path)
    assert again.set_aside is None
    items = {int(answer.item) for answer in again.answers()}
    assert items >= set(said)
    assert items == {int(item) for item in again.cards("puzzles")}


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError):
        ProgressFile(tmp_path / "file" / "progress.sqlite3")
