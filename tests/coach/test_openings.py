"""Repertoires: positions rather than move orders, replies by frequency, the schedule, and what is wrong with a move."""

from __future__ import annotations

import io
import os
import random
import signal
import sqlite3
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta

import chess
import chess.pgn
import fsrs
import pytest

from engine.analysis.engine import Engine
from engine.coach import progress_file, progress_schema
from engine.coach.opening_training import (
    DECK,
    MoveStanding,
    OpeningAttempt,
    OpeningQuestion,
    OpeningTraining,
    keep,
    kept_repertoires,
    wrong_by_book,
    wrong_by_engine,
)
from engine.coach.progress_file import KeptRepertoire, ProgressFile
from engine.coach.repertoire import Repertoire, board_of, parse_repertoire, position_key
from engine.coach.schedule import Outcome
from engine.kernel import SOURCE_ROOT
from engine.system.errors import InputError
from engine.ui.terminal.openings import OpeningSession
from engine.ui.terminal.screen import InputLines, PlainScreen
from tests.commands.running import run
from tests.processes import LineProcess

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
SICILIAN = ("1. e4 {best by test} c5 (1... e5 2. Nf3 Nc6 (2... Nf6 3. Nxe5) 3. Bb5) (1... e6 2. d4 d5 3. Nc3 (3. Nd2)) "
            "2. Nf3 d6 (2... Nc6 3. d4 cxd4 4. Nxd4) 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be3 (6. Bg5 $2) *")
QUEENS = "1. d4 Nf6 2. c4 e6 3. Nf3 *\n\n1. c4 Nf6 2. d4 e6 3. Nf3 d5 4. Nc3 *\n"


def white(text: str, name: str = "mine") -> Repertoire:
    return parse_repertoire(text, name, chess.WHITE)[0]


def after(*sans: str) -> chess.Board:
    board = chess.Board()
    for san in sans:
        board.push_san(san)
    return board


def sans(repertoire: Repertoire, *line: str) -> list[str]:
    board = after(*line)
    return [board.san(known.move) for known in repertoire.answers(position_key(board))]


@pytest.fixture
def progress(tmp_path):
    return ProgressFile(tmp_path / "progress.sqlite3")


def test_the_questions_are_all_positions_of_the_side_by_an_independent_walk():
    game = chess.pgn.read_game(io.StringIO(SICILIAN))
    wanted = dict[str, set[str]]()
    pending: list[chess.pgn.GameNode] = [game]
    while pending:
        node = pending.pop()
        pending += node.variations
        if node.turn() and node.variations:
            wanted[node.board().epd()] = {child.uci() for child in node.variations if 2 not in child.nags}
    repertoire = white(SICILIAN)
    assert {key: {known.move.uci() for known in repertoire.answers(key)} for key in repertoire.questions} == wanted
    assert repertoire.questions[:3] == [after(*line).epd() for line in ([], ["e4", "c5"], ["e4", "c5", "Nf3", "d6"])]
    black = parse_repertoire(SICILIAN, "mine", chess.BLACK)[0]
    assert all(not board_of(key).turn for key in black.questions)
    assert sans(black, "e4") == ["c5", "e5", "e6"]


def test_a_bad_move_is_kept_only_where_there_is_no_other():
    assert sans(white("1. e4 $6 e5 2. Qh5 ({better} 2. f4 $4) *")) == ["e4"]
    assert sans(white("1. e4 e5 2. Qh5 $2 (2. Nf3) *"), "e4", "e5") == ["Nf3"]


def test_transpositions_are_one_question_and_count_as_known(progress):
    repertoire = white(QUEENS)
    key = position_key(after("d4", "Nf6", "c4", "e6"))
    assert repertoire.questions.count(key) == 1
    assert repertoire.moves[key][chess.Move.from_uci("g1f3")].frequency == 2
    assert sans(repertoire, "d4", "Nf6", "c4", "e6", "Nf3", "d5") == ["Nc3"]  # only the other order has it
    question = OpeningQuestion(repertoire, chess.STARTING_FEN)
    for text in ("d2d4", "c2c4"):
        assert question.verdict(chess.Move.from_uci(text)) is MoveStanding.RIGHT
    other = OpeningQuestion(white("1. d4 Nf6 2. c4 e6 *\n\n1. Nf3 Nf6 2. c4 e6 3. d4 d5 *"), chess.STARTING_FEN,
                     tuple(after("d4", "Nf6", "c4", "e6").move_stack))
    assert other.repertoire.answers(other.key) == ()
    assert other.verdict(chess.Move.from_uci("g1f3")) is MoveStanding.TRANSPOSES
    progress.record(DECK, repertoire.item(key), Outcome.SOLVED, 1, now=NOW)
    ((_, standing),) = OpeningTraining([repertoire], progress).standings(NOW)
    assert (standing.positions, standing.due, standing.new) == (5, 0, 4)


def test_en_passant_counts_only_if_it_is_legal():
    same = chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
    assert position_key(after("e4")) == position_key(same)


def test_the_other_side_replies_by_the_frequency_of_the_games(progress):
    repertoire = white("1. e4 e5 2. Nf3 *\n\n" * 3 + "1. e4 c5 2. Nf3 *\n")
    shares = {reply.move.uci(): share for reply, share in repertoire.replies(position_key(after("e4")))}
    assert shares == {"e7e5": 0.75, "c7c5": 0.25}
    training = OpeningTraining([repertoire], progress, random.Random(5))
    start = OpeningQuestion(repertoire, chess.STARTING_FEN)
    seen = Counter(str(training.follow(start, chess.Move.from_uci("e2e4"), NOW).line[1]) for _ in range(400))
    assert 260 <= seen["e7e5"] <= 340  # 300, within five standard deviations


def test_without_frequencies_the_book_weighs_the_replies():
    shares = {reply.move.uci(): share for reply, share in white(SICILIAN).replies(position_key(after("e4")))}
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["c7c5"] > shares["e7e6"]  # as in the games of masters
    equal = white("1. a4 h5 (1... a5 2. h4) 2. h3 *").replies(position_key(after("a4")))
    assert {share for _, share in equal} == {0.5}


def test_what_is_due_comes_first_and_then_main_lines(progress):
    repertoire = white(SICILIAN)
    training = OpeningTraining([repertoire], progress, random.Random(1))
    assert training.next(NOW).line == ()
    spanish = position_key(after("e4", "e5", "Nf3", "Nc6"))
    progress.record(DECK, repertoire.item(spanish), Outcome.FAILED, 1, now=NOW - timedelta(days=1))
    question = training.next(NOW)
    assert question.board == after("e4", "e5", "Nf3", "Nc6")
    training.skip(question)
    assert training.next(NOW).line == ()
    training.record(start := training.next(NOW), Outcome.SOLVED, 1)
    assert training.next(NOW).board == after("e4", "c5")
    assert training.follow(start, chess.Move.from_uci("e2e4"), NOW).board.ply() == 2


def test_known_moves_are_played_without_being_asked(progress):
    repertoire = white("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 *")
    for line in ([], ["e4", "e5"], ["e4", "e5", "Nf3", "Nc6"]):
        progress.record(DECK, repertoire.item(position_key(after(*line))), Outcome.SOLVED, 1, now=NOW)
    training = OpeningTraining([repertoire], progress)
    assert training.next(NOW).board == after("e4", "e5", "Nf3", "Nc6", "Bb5", "a6")
    start = OpeningQuestion(repertoire, chess.STARTING_FEN)
    assert training.follow(start, chess.Move.from_uci("e2e4"), NOW).board == training.next(NOW).board
    progress.record(DECK, repertoire.item(position_key(training.next(NOW).board)), Outcome.SOLVED, 1, now=NOW)
    assert training.next(NOW) is None
    assert training.follow(start, chess.Move.from_uci("e2e4"), NOW) is None


def test_moves_that_repeat_end_a_line(progress):
    repertoire = white("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. d4 *")
    training = OpeningTraining([repertoire], progress, random.Random(2))
    assert training.next(NOW).line == ()
    for _ in range(20):
        question = training.follow(OpeningQuestion(repertoire, chess.STARTING_FEN), chess.Move.from_uci("g1f3"), NOW)
        assert question is None or question.board.ply() <= 6


def test_dates_are_those_of_the_scheduler(progress):
    repertoire = white(SICILIAN)
    training = OpeningTraining([repertoire], progress)
    training.record(training.next(), Outcome.AT_ONCE, 2)
    (answer,) = progress.answers()
    card, _ = fsrs.Scheduler(enable_fuzzing=False).review_card(fsrs.Card(), fsrs.Rating.Easy, answer.at)
    assert progress.cards(DECK)[answer.item].due == card.due
    assert answer.item == f"{chess.Board().epd()} e2e4"
    assert answer.rating is None  # the rating is that of a solver of puzzles


def test_hints_and_outcomes():
    clock = [0.0]
    attempt = OpeningAttempt(OpeningQuestion(white(SICILIAN), chess.STARTING_FEN), lambda: clock[0])
    assert attempt.outcome is Outcome.AT_ONCE
    clock[0] = 30
    assert attempt.outcome is Outcome.SOLVED
    assert [attempt.hint(), attempt.hint()] == ["the pawn on e2 moves", "the move is e4"]
    assert attempt.hinted_squares == ["e2", "e4"]
    assert attempt.outcome is Outcome.WITH_HINTS


def test_a_wrong_move_is_explained_by_the_book_and_the_engine():
    question = OpeningQuestion(white("1. e4 e5 2. Nf3 Nc6 3. Bb5 *"), chess.STARTING_FEN,
                               tuple(after("e4", "e5").move_stack))
    assert question.verdict(chess.Move.from_uci("b1c3")) is MoveStanding.IN_BOOK
    queen = chess.Move.from_uci("d1g4")
    assert question.verdict(queen) is MoveStanding.WRONG
    assert wrong_by_book(question, queen).startswith("the book plays Nf3 ")
    assert wrong_by_book(question, queen).endswith("; Qg4 never")
    with Engine(hash=16) as engine:
        lines = list(wrong_by_engine(engine, question, queen))
    assert lines[0].startswith("Qg4")
    assert lines[1].startswith("then: 2...")


def session(progress, repertoires, text: str) -> str:
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", out)
        OpeningSession(OpeningTraining(repertoires, progress, random.Random(1)), lambda question, move: ["it loses"],
                       PlainScreen(out), InputLines(io.StringIO(text))).run()
    return out.getvalue()


def test_a_session_asks_explains_and_records(progress):
    shown = session(progress, [white("1. e4 {best by test} e5 2. Nf3 Nc6 3. Bb5 *")],
                    "hint\ne4\nNc3\nQg4\nnf3\nKe9\nsolution\n")
    for words in ("mine (white): 0 due, 3 new, of 3 positions", "the beginning: White to move", "the pawn on e2 moves",
                  "right: e4: best by test", "1.e4 e5 (", "Nc3 is in the book, but not in your repertoire",
                  "Qg4 is not in your repertoire", "it loses", "right: Nf3", "1.e4 e5 2.Nf3 Nc6 (", "'Ke9'",
                  "your repertoire plays Bb5", "1 of 3 right; 1 day in a row"):
        assert words in shown, words
    assert [answer.outcome for answer in progress.answers()] == [Outcome.WITH_HINTS, Outcome.FAILED, Outcome.FAILED]


def test_a_move_of_the_book_does_not_skip_the_first_hint(progress):
    shown = session(progress, [white(SICILIAN)], "d4\nhint\nquit\n")
    assert "d4 is in the book" in shown and "the pawn on e2 moves" in shown and "the move is" not in shown


def test_a_file_of_the_first_version_gets_the_new_table_and_keeps_its_rows(progress, monkeypatch):
    path = progress.path.with_name("old.sqlite3")
    monkeypatch.setattr(progress_schema, "_SCHEMAS", progress_schema._SCHEMAS[:1])
    for module in (progress_schema, progress_file):
        monkeypatch.setattr(module, "SCHEMA_VERSION", 1)
    old = ProgressFile(path)
    old.record("puzzles", "a", Outcome.SOLVED, 1, now=NOW)
    old.keep("puzzle set", "mine", "[]")
    rows, cards = old.answers(), old.cards("puzzles")
    monkeypatch.undo()
    new = ProgressFile(path)
    assert (new.answers(), new.cards("puzzles"), new.documents("puzzle set")) == (rows, cards, {"mine": "[]"})
    keep(new, *parse_repertoire(QUEENS, "d4", chess.WHITE))
    assert [repertoire.name for repertoire in kept_repertoires(ProgressFile(path), pytest.fail)] == ["d4"]
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    connection.close()


def test_repertoires_are_exported_and_imported(progress, tmp_path):
    keep(progress, *parse_repertoire(SICILIAN, "e4", chess.WHITE))
    keep(progress, *parse_repertoire(QUEENS, "d4", chess.BLACK))
    exported, other = progress.export(), ProgressFile(tmp_path / "other.sqlite3")
    other.merge(exported)
    assert other.repertoires() == progress.repertoires()
    assert [repertoire.moves for repertoire in kept_repertoires(other, pytest.fail)] == [
        repertoire.moves for repertoire in kept_repertoires(progress, pytest.fail)]
    assert exported["version"] == 2
    del exported["repertoires"]
    with pytest.raises(InputError, match="no repertoires"):
        other.merge(exported)
    other.merge({**exported, "version": 1})  # an export of the first version had none
    exported["repertoires"] = [["e4", "green", "1. e4 *"]]
    with pytest.raises(InputError, match="repertoires, row 1"):
        other.merge(exported)
    assert other.remove_repertoire("e4", "white")
    assert not other.remove_repertoire("e4", "white")


def test_a_damaged_repertoire_is_left_out_with_a_warning(progress):
    progress.keep_repertoire(KeptRepertoire("broken", "white", "1. e9 *"))
    keep(progress, *parse_repertoire(QUEENS, "d4", chess.WHITE))
    warnings = list[str]()
    assert [repertoire.name for repertoire in kept_repertoires(progress, warnings.append)] == ["d4"]
    assert "'broken'" in warnings[0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sicilian.pgn").write_text(SICILIAN + "\n")
    return tmp_path


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_a_kill_loses_no_answer(folder):
    program = LineProcess([sys.executable, "-m", "engine", "train", "openings", str(folder / "sicilian.pgn"), "--side",
                           "white", "--no-engine"], cwd=SOURCE_ROOT, env=dict(os.environ))
    program.say("e4", "a4")
    program.until("a4 is not in your repertoire")
    program.process.send_signal(signal.SIGKILL)
    assert program.end() == -signal.SIGKILL
    outcomes = [answer.outcome for answer in ProgressFile().answers()]
    assert outcomes[0] in (Outcome.AT_ONCE, Outcome.SOLVED)
    assert outcomes[1:] == [Outcome.FAILED]
    (repertoire,) = kept_repertoires(ProgressFile(), pytest.fail)
    assert repertoire.name == "sicilian"


def test_kept_repertoires_are_listed_and_removed(folder, capsys, monkeypatch):
    for side in ("white", "black"):
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        status, out, err = run(capsys, "train", "openings", "sicilian.pgn", "--side", side, "--name", "open")
        assert (status, err) == (0, "")
    status, out, _ = run(capsys, "train", "openings", "--status")
    assert status == 0
    assert [line.split() for line in out.splitlines()[1:]] == [["open", "black", "8", "0", "0", "8"],
                                                               ["open", "white", "13", "0", "0", "13"]]
    assert run(capsys, "train", "openings", "--name", "open", "--side", "black", "--remove")[:2] == (
        0, "removed open (black)\n")
    assert [kept.side for kept in ProgressFile().repertoires()] == ["white"]


GAMES = {"empty.pgn": "\n", "variant.pgn": '[Variant "Atomic"]\n\n1. e4 e5 *\n', "broken.pgn": "1. e4 e5 2. Ke3 *\n",
         "headers.pgn": '[White "A"]\n\n*\n', "fen.pgn": '[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 *\n',
         "960.pgn": ('[Variant "Chess960"]\n[FEN "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"]\n\n'
                     "1. e4 *\n")}


@pytest.mark.parametrize(("words", "message"), [
    (["empty.pgn", "--side", "white"], "contains no games"), (["variant.pgn", "--side", "white"], "tomic"),
    (["broken.pgn", "--side", "white"], "Ke3"), (["headers.pgn", "--side", "white"], "no moves"),
    (["fen.pgn", "--side", "black"], "has no moves of black; try --side white"),
    (["960.pgn", "--side", "white"], "Chess960"), (["sicilian.pgn"], "requires --side"),
    (["sicilian.pgn", "--side", "green"], "invalid choice"), (["no.pgn", "--side", "white"], "no.pgn"),
    ([], "no repertoires yet"), (["--plies", "10"], "requires file"), (["--remove"], "requires --name")])
def test_bad_input_gets_one_line(folder, capsys, words, message):
    for name, text in GAMES.items():
        (folder / name).write_text(text)
    status, out, err = run(capsys, "train", "openings", *words)
    assert (status, out, err.count("\n")) == (2, "", 1), err
    assert message in err
    assert not ProgressFile().repertoires()


def test_a_broken_game_among_others_is_skipped_with_a_warning(folder, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    (folder / "mixed.pgn").write_text(GAMES["broken.pgn"] + "\n" + SICILIAN)
    status, _, err = run(capsys, "train", "openings", "mixed.pgn", "--side", "white")
    assert status == 0
    assert err.startswith("warning: skipped mixed.pgn, game 1")


def test_too_many_moves_are_refused(monkeypatch):
    monkeypatch.setattr("engine.coach.repertoire._MOST_MOVES", 10)
    with pytest.raises(InputError, match="more than 10 moves"):
        white(SICILIAN)
