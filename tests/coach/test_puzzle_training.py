"""Training with puzzles: the order, hints, refutations, and that every answer is there after a kill."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import chess
import pytest

from engine.analysis.engine import Engine
from engine.coach.progress_file import ProgressFile
from engine.coach.puzzle import Goal, Puzzle, RefutedTry
from engine.coach.puzzle_files import FORMATS, starting_puzzles
from engine.coach.puzzle_training import PuzzleAttempt, PuzzleFilter, Training, keep_set, kept_puzzles, refute
from engine.coach.schedule import Outcome
from engine.coach.woodpecker import Woodpecker, choose_training
from engine.kernel import SOURCE_ROOT
from engine.system.errors import InputError
from engine.ui.terminal.screen import InputLines, PlainScreen
from engine.ui.terminal.training import TrainingSession
from tests.commands.running import run
from tests.processes import PATIENCE, LineProcess

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)


def moves(text: str) -> tuple[chess.Move, ...]:
    return tuple(map(chess.Move.from_uci, text.split()))


PHILIDOR = Puzzle("5r1k/6pp/7N/8/2Q5/8/6PP/6K1 w - - 0 1", moves("c4g8 f8g8 h6f7"), Goal.MATE,
                  ("mate in 2", "smothered mate"), 1100,
                  (RefutedTry(0, chess.Move.from_uci("h6f7"), moves("f8f7 c4f7"), "throws away a mate in 2"),),
                  "A - B", "Kh8")
FORK = Puzzle("r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", moves("d5c7 e8d7 c7a8"), Goal.WIN, ("win", "fork"), 800)
HARD = Puzzle("6k1/5ppp/8/8/8/8/5PPP/RR4K1 w - - 0 1", moves("a1a8"), Goal.MATE, ("mate in 1",), 2300)
ALL = (PHILIDOR, FORK, HARD)


@pytest.fixture
def progress(tmp_path):
    return ProgressFile(tmp_path / "progress.sqlite3")


def test_due_puzzles_come_first_and_then_new_ones_near_the_rating(progress):
    training = Training(ALL, progress, random.Random(1))
    assert training.next(NOW) is PHILIDOR  # the nearest to 1500: none is within 150 points
    progress.record("puzzles", HARD.id, Outcome.FAILED, 1, now=NOW - timedelta(days=2))
    assert training.next(NOW) is HARD
    training.record(HARD, Outcome.SOLVED, 1)
    assert training.next() is PHILIDOR
    training.skip(PHILIDOR)
    assert training.next() is FORK
    training.record(FORK, Outcome.FAILED, 1)
    assert training.next() is FORK  # nothing else is left
    training.skip(FORK)
    assert training.next() is None
    assert [answer.item for answer in progress.answers()] == [HARD.id, HARD.id, FORK.id]
    assert progress.rating().value < 1500


def test_a_failed_puzzle_is_asked_again_after_three_others_and_counts_once(progress):
    training = Training(starting_puzzles(), progress, random.Random(1))
    failed = training.next()
    training.fail(training.begin(failed))
    first, rating = progress.answers(), progress.rating()
    for is_solved in (False, False, True):
        for _ in range(3):
            other = training.next()
            assert other is not failed
            training.skip(other)
        assert training.next() is failed
        attempt = training.begin(failed)
        assert attempt.is_repeat
        if is_solved:
            assert all(map(attempt.play, failed.solution[::2]))
            training.finish(attempt)
        else:
            training.fail(attempt)
    assert failed not in (training.next(), *training.due())
    assert (progress.answers(), progress.rating()) == (first, rating)
    assert [answer.outcome for answer in first] == [Outcome.FAILED]


def test_hints_first_name_the_piece_and_then_the_square():
    attempt = PuzzleAttempt(PHILIDOR)
    assert attempt.hint() == "the queen on c4 moves"
    assert attempt.hint() == "it moves to g8"
    assert attempt.play(PHILIDOR.solution[0])
    assert attempt.board.fen().startswith("6rk/6pp/7N")
    assert attempt.hint() == "the knight on h6 moves"
    assert attempt.play(PHILIDOR.solution[2])
    assert attempt.is_solved
    assert attempt.outcome is Outcome.WITH_HINTS


def test_the_outcome_depends_on_wrong_moves_and_time():
    clock = [0.0]
    for seconds, outcome in ((3.0, Outcome.AT_ONCE), (60.0, Outcome.SOLVED)):
        clock[0] = 0.0
        attempt = PuzzleAttempt(HARD, lambda: clock[0])
        clock[0] = seconds
        assert attempt.play(chess.Move.from_uci("b1b8"))  # another mate
        assert attempt.is_solved
        assert attempt.outcome is outcome
    attempt = PuzzleAttempt(HARD)
    assert not attempt.play(chess.Move.from_uci("a1a7"))
    assert attempt.outcome is Outcome.FAILED


def test_sets_are_chosen_by_theme_and_rating():
    assert PuzzleFilter("fork").chosen(ALL) == PuzzleFilter("Fork").chosen(ALL) == [FORK]
    assert PuzzleFilter("mate").chosen(ALL) == [PHILIDOR, HARD]  # of any length
    assert PuzzleFilter("", 1000, 2400).chosen((*ALL, PHILIDOR)) == [PHILIDOR, HARD]
    for wrong, message in ((PuzzleFilter("forks"), "the themes are fork, mate, mate in 1, mate in 2"),
                           (PuzzleFilter("", 3000, 3100), "from 3000 to 3100; they are rated from 800 to 2300$"),
                           (PuzzleFilter("fork", 900), "with the theme 'fork' has .* rated from 800 to 800$")):
        with pytest.raises(InputError, match=message):
            wrong.chosen(ALL)
    with pytest.raises(InputError, match="no puzzles"):
        PuzzleFilter().chosen(())


def test_a_choice_is_worded_once(progress):
    """Rounds are kept by these words, in the terminal as in the page."""
    assert PuzzleFilter().words() == ""
    assert PuzzleFilter("Fork", 600, 1400).words("set mine") == "set mine, fork, 600-1400"
    choose_training(ALL, PuzzleFilter("Fork"), progress, "set mine", in_rounds=True)
    choose_training(ALL, PuzzleFilter(), progress, in_rounds=True)
    assert list(progress.documents("woodpecker")) == ["current", "set mine, fork"]
    assert not isinstance(choose_training(ALL, PuzzleFilter("Fork"), progress), Woodpecker)
    with pytest.raises(InputError, match="no puzzle has the theme"):
        choose_training(ALL, PuzzleFilter("x"), progress)


def test_a_set_is_kept_with_the_progress(progress):
    keep_set(progress, "mine", ALL)
    warnings = list[str]()
    assert kept_puzzles(progress, warnings.append) == list(ALL)
    assert not warnings
    progress.keep("puzzle set", "broken", "[{}]")
    assert kept_puzzles(progress, warnings.append) == list(ALL)  # the other sets are not lost
    (warning,) = warnings
    assert "'broken'" in warning


def test_the_square_of_a_mistake():
    assert PHILIDOR.mistake_square == chess.H8
    assert FORK.mistake_square is None
    assert replace(PHILIDOR, mistake="O-O").mistake_square == chess.H8
    assert replace(PHILIDOR, mistake="a8=Q+").mistake_square is None  # nothing of Black's stands there
    for puzzle in starting_puzzles():
        assert puzzle.mistake_square is not None


def test_an_unknown_try_is_refuted_by_a_search():
    with Engine(hash=16) as engine:
        wrong = refute(engine, PHILIDOR, 0, chess.Move.from_uci("c4c8"))
        assert refute(engine, PHILIDOR, 0, chess.Move.from_uci("h6f7")) == PHILIDOR.tries[0]
    assert wrong is not None
    board = PHILIDOR.board()
    board.push(wrong.move)
    for move in wrong.refutation:
        assert board.is_legal(move)
        board.push(move)
    assert wrong.reason == "leaves the queen on c8 unprotected; Black is winning"  # and not that there was a mate


def test_a_try_that_wins_as_well_is_not_refuted():
    """A rook more with or without the mate; the user's own puzzles may have two solutions."""
    with Engine(hash=16) as engine:
        assert refute(engine, HARD, 0, chess.Move.from_uci("a1a7")) is None
        assert refute(engine, HARD, 0, chess.Move.from_uci("g1f1")) is None


def test_a_hint_for_castling_names_no_square():
    board = chess.Board("4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1", chess960=True)
    attempt = PuzzleAttempt(Puzzle(board.fen(shredder=True), (board.parse_san("O-O"),), chess960=True))
    assert [attempt.hint(), attempt.hint()] == ["the king on f1 moves", "it castles kingside"]


def known_try(puzzle: Puzzle, ply: int, move: chess.Move) -> RefutedTry:
    return puzzle.refuted_try(ply, move) or RefutedTry(ply, move, (), "nothing comes of it")


def session(progress, puzzles, text: str, refuter=known_try) -> str:
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", out)
        TrainingSession(Training(puzzles, progress), refuter, PlainScreen(out), InputLines(io.StringIO(text))).run()
    return out.getvalue()


def test_a_session_refutes_hints_and_records(progress):
    shown = session(progress, [PHILIDOR], "hint\nNf7+\nQc9\nQg8+\nh6f7\n")
    for words in ("After Kh8: White to move; find the forced mate.", "the queen on c4 moves",
                  "Nf7+ is wrong: throws away a mate in 2 (1...Rxf7 2.Qxf7)", "'Qc9'", "right: 1.Qg8+ Rxg8",
                  "solved after a wrong move: 1.Qg8+ Rxg8 2.Nf7#", "0 of 1 solved"):
        assert words in shown
    assert [answer.outcome for answer in progress.answers()] == [Outcome.FAILED]  # once


def test_a_move_of_a_refutation_is_printed_once(progress):
    """Some reasons end with the reply."""
    wrong = RefutedTry(0, chess.Move.from_uci("d5b6"), moves("a8a2 b6d5"), "leaves the pawn unprotected: 1...Ra2")
    assert "Nb6 is wrong: leaves the pawn unprotected: 1...Ra2 2.Nd5\n" in session(
        progress, [FORK], "Nb6\nquit\n", refuter=lambda puzzle, ply, move: wrong)


def test_the_change_of_the_rating_is_shown_once(progress):
    before = progress.rating()
    solved = session(progress, [HARD], "Ra8#\n")
    middle = progress.rating()
    gained = round(middle.value) - round(before.value)
    assert gained > 0
    assert f"\nyour rating is {middle} (+{gained}), 1 day in a row\n" in solved
    assert "0 of 0 solved" in session(progress, [HARD], "")  # where nothing was answered, nothing has changed
    failed = session(progress, [FORK], "Nb6\nNc7+\nNxa8\nsolution\n")
    after = progress.rating()
    lost = round(after.value) - round(middle.value)
    assert lost < 0
    assert failed.count(f"your rating is {after} ({lost}), 1 day in a row\n") == 1
    assert failed.rstrip().endswith(f"0 of 1 solved; your rating is {after}, 1 day in a row")  # after the repeat


def test_a_failed_puzzle_comes_again_in_the_session(progress):
    shown = session(progress, [FORK, HARD], "solution\nRa7\nskip\nNc7+\nNxa8\nRa8#\n")
    assert shown.count("once more, without counting: White to move; find the") == 2
    assert "solved at once: 1.Nc7+" in shown and "nothing else is due" in shown and "0 of 2 solved" in shown
    assert {answer.item: answer.outcome for answer in progress.answers()} == dict.fromkeys((FORK.id, HARD.id),
                                                                                          Outcome.FAILED)


def test_a_repeat_that_is_left_or_failed_again_is_not_counted(progress):
    assert "0 of 1 solved" in session(progress, [FORK], "solution\nskip\n")
    assert "0 of 1 solved" in session(progress, [HARD], "solution\nKf1\nquit\n")
    assert len(progress.answers()) == 2


def test_the_solution_is_shown_with_what_the_puzzle_was(progress):
    shown = session(progress, [PHILIDOR], "moves\nNc9\nsolution\n")
    assert "'moves' is neither a move nor a command; type help for a list" in shown
    assert "'Nc9' is not a legal move\n" in shown  # no word is named that training does not know
    assert "the solution: 1.Qg8+ Rxg8 2.Nf7# (rated 1100; mate in 2, smothered mate; from A - B)" in shown
    assert shown.count(f"your rating is {progress.rating()}") >= 1
    assert [answer.outcome for answer in progress.answers()] == [Outcome.FAILED]


def test_a_move_that_is_also_good_is_no_failure_and_another_mate_is_shown(progress):
    shown = session(progress, [HARD], "Kf1\nRb8#\n", refuter=lambda puzzle, ply, move: None)
    assert "Kf1 is also good; look for the move of the solution" in shown
    assert "1.Rb8#" in shown
    assert "1.Ra8#" not in shown
    assert [answer.outcome for answer in progress.answers()] == [Outcome.AT_ONCE]


def test_quitting_leaves_an_untouched_puzzle_unanswered(progress):
    assert "0 of 0 solved" in session(progress, ALL, "skip\nquit\n")
    assert progress.answers() == []
    assert "1 of 1 solved" in session(progress, [FORK], "Nc7+\nNxa8\n")
    assert "1 day in a row" in session(progress, [FORK], "")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    form = FORMATS[".json"]
    (tmp_path / "set.json").write_text(form.begin + form.between.join(map(form.text, ALL)) + form.end)
    return tmp_path


def started(folder) -> LineProcess:
    with (folder / "errors.txt").open("w") as errors:
        return LineProcess([sys.executable, "-m", "engine", "train", "--set", str(folder / "set.json"),
                            "--theme", "smothered mate"], cwd=SOURCE_ROOT, env=dict(os.environ), stderr=errors)


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_a_kill_loses_no_answer(folder):
    program = started(folder)
    program.say("Nf7")
    program.until("Nf7+ is wrong")
    program.process.send_signal(signal.SIGKILL)
    assert program.end() == -signal.SIGKILL
    (answer,) = ProgressFile().answers()
    assert (answer.item, answer.outcome) == (PHILIDOR.id, Outcome.FAILED)
    assert kept_puzzles(ProgressFile(), pytest.fail) == list(ALL)


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_ends_in_one_line(folder):
    program = started(folder)
    program.until("After Kh8")
    program.process.send_signal(signal.SIGINT)
    assert program.process.wait(PATIENCE) == program.end() == 130  # the input stays open until then
    assert (folder / "errors.txt").read_text().strip() == "your answers are saved"


def test_progress_is_exported_and_imported(folder, capsys, monkeypatch):
    ProgressFile().record("puzzles", FORK.id, Outcome.SOLVED, 2)
    out = folder / "progress.json"
    assert run(capsys, "train", "--export", str(out))[:2] == (0, f"1 answer in {out}\n")
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "other"))
    assert run(capsys, "train", "--import", str(out))[:2] == (0, f"1 new answer from {out}\n")
    assert run(capsys, "train", "--import", str(out))[:2] == (0, f"0 new answers from {out}\n")
    assert json.loads(out.read_text())["format"] == "adversary progress"
    assert [answer.item for answer in ProgressFile().answers()] == [FORK.id]


def test_a_kept_set_is_removed(folder, capsys):
    keep_set(ProgressFile(), "mine", ALL)
    ProgressFile().record("puzzles", FORK.id, Outcome.SOLVED, 2)
    assert run(capsys, "train", "--remove", "mine")[:2] == (0, "removed the set mine; your answers are kept\n")
    assert kept_puzzles(ProgressFile(), pytest.fail) == []
    assert len(ProgressFile().answers()) == 1
    status, out, errors = run(capsys, "train", "--remove", "mine")
    assert (status, out, errors) == (2, "", "error: there is no set of puzzles 'mine'\n")


def test_rounds_leave_the_rating_alone_and_the_rating_is_drawn(folder, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("solution\nquit\n"))
    status, out, _ = run(capsys, "train", "--set", str(folder / "set.json"), "--woodpecker", "--ascii")
    assert status == 0
    assert "round 1, 0 of 3 done" in out
    (answer,) = ProgressFile().answers()
    assert answer.rating is None
    plot = folder / "rating.svg"
    status, _, err = run(capsys, "train", "--plot", str(plot))
    assert (status, "nothing to draw yet" in err, plot.exists()) == (2, True, False)
    training = Training(ALL, ProgressFile())
    training.record(FORK, Outcome.SOLVED, 2)
    assert run(capsys, "train", "--plot", str(plot))[:2] == (
        0, f"your rating is {ProgressFile().rating()}; 1 rated answer in {plot}\n")
    assert plot.read_text().startswith("<?xml")


def test_each_choice_has_rounds_of_its_own(folder, capsys, monkeypatch):
    """To look at another theme in between does not end the rounds."""
    def begin(text: str, *words: str) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        return run(capsys, "train", "--woodpecker", "--ascii", "--set", str(folder / "set.json"), *words)[1]

    assert "round 1, 0 of 3 done" in begin("solution\nquit\n")
    assert "round 1, 0 of 2 done" in begin("quit\n", "--theme", "mate")
    assert "round 1, 0 of 1 done" in begin("quit\n", "--rating", "2000-2400")
    assert "round 1, 1 of 3 done" in begin("quit\n")


@pytest.mark.parametrize(("words", "message"), [
    (["--rating", "1600-1200"], "two ratings"), (["--rating", "x"], "two ratings"),
    (["--set", "set.json", "--theme", "x"], "no puzzle has the theme 'x'"), (["--set", "no.json"], "no.json"),
    (["--set", "games.pgn"], "no puzzle: it has no FEN"), (["--import", "set.json"], "not an export")])
def test_bad_input_gets_one_line(folder, capsys, monkeypatch, words, message):
    monkeypatch.chdir(folder)
    (folder / "games.pgn").write_text("1. e4 e5 *\n")
    status, out, err = run(capsys, "train", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
