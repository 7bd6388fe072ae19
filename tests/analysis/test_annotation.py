"""Annotated games: what is said of them, what stays as it was, and what happens when the power fails."""

from __future__ import annotations

import io
import json
import lzma
import os
import random
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import chess
import chess.pgn
import pytest

import engine
from engine.__main__ import main
from engine.analysis.annotation import annotate
from engine.analysis.marks import Mark
from engine.analysis.move_verdicts import classify_move
from engine.analysis.reasons import reason_for
from engine.analysis.review import SearchEffort, evaluate_board, slices_of
from engine.analysis.review_driver import review_game
from engine.system.errors import InputError
from engine.system.resumable_file import ResumableFile
from tests.analysis import games
from tests.commands.running import run
from tests.positions import DATA


def read_all(text: str) -> list[chess.pgn.Game]:
    file = io.StringIO(text)
    found = []
    while (game := chess.pgn.read_game(file)) is not None:
        found.append(game)
    return found


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(games.ALL)
    return path


@pytest.fixture(scope="module")
def adversary():
    with engine.Engine(hash=4) as made:
        yield made


def test_a_variation_that_mates_is_shown_to_the_mate(capsys, tmp_path):
    path, out = tmp_path / "ending.pgn", tmp_path / "out.pgn"
    path.write_text('[FEN "8/4PK2/3k4/8/8/8/8/8 w - - 0 1"]\n[SetUp "1"]\n\n1. e8=N+ Kd7 *\n')
    assert run(capsys, "annotate", str(path), "--out", str(out), "--nodes", "1000")[0] == 0
    [game] = read_all(out.read_text())
    better = game.variations[1].end()
    assert better.ply() > 10 and better.board().is_checkmate()


def test_every_readable_game_is_annotated_and_its_moves_stay(capsys, source, tmp_path):
    out = tmp_path / "out.pgn"
    status, printed, err = run(capsys, "annotate", str(source), "--out", str(out), "--nodes", "1500", "--plots",
                               str(tmp_path / "new" / "plots"))
    assert status == 1
    warnings = err.splitlines()
    assert len(warnings) == 3 and all(line.startswith("warning: skipped ") for line in warnings)
    assert "game 2 (A - B): illegal san: 'Ke4'" in warnings[0]
    assert "game 5 (E - F): unsupported variant 'atomic'" in warnings[1]
    assert "game 6 (E - F): it has no moves" in warnings[2]
    skipped = ("Broken", "Another game", "Nobody came")
    before = [game for game in read_all(games.ALL) if game.headers["Event"] not in skipped]
    after = read_all(out.read_text())
    assert len(after) == len(before) == 4
    for old, new in zip(before, after, strict=True):
        assert not new.errors
        assert list(new.mainline_moves()) == list(old.mainline_moves())
        assert dict(new.headers) == dict(old.headers)
        assert all("[%eval" in node.comment for node in new.mainline() if any(node.board().legal_moves))
    assert not (tmp_path / "out.pgn.progress").exists()
    assert "Morphy" in printed and "4 games in" in printed
    for name in ("game-1.svg", "game-7.svg", "players.svg"):
        ET.parse(tmp_path / "new" / "plots" / name)  # noqa: S314  written by ourselves


def test_comments_marks_and_variations_of_others_stay(adversary):
    (game,) = read_all(games.OPERA)
    adversary.annotate(game, nodes=1500)
    third = game.next().next().next().next().next().next()
    assert third.comment.startswith("a weak move [%eval ")
    assert game.comment == "at the opera"
    assert third.parent.variations[1].san() == "exd4"
    assert "4. Qxd4 a6" in str(game)
    marked = next(node for node in game.mainline() if node.san() == "b5")
    assert marked.nags == {chess.pgn.NAG_GOOD_MOVE}, "somebody thought otherwise, and that is kept"


def test_blunders_are_told_of(adversary):
    (game,) = read_all(games.MATED)
    found = adversary.annotate(game, nodes=10_000)
    last = found.notes[12]
    assert last.san == "Be2" and last.mark in {"?!", "?"}  # White is lost already: how much so is the network's opinion
    reason = last.reason.replace(" (White was lost anyway)", "")
    assert reason == "allows mate in 1, a smothered mate: 7...Nf3#" and last.better[0] == "Qe2"
    assert found.notes[8].mark == "??", "5.Nxf7 loses the game"
    assert found.white.accuracy < found.black.accuracy
    assert found.notes[-1].score.mate == 0
    named = [note.reason for note in found.notes if "leaves the book: C50 Italian Game" in note.reason]
    assert len(named) == 1


def test_a_won_ending_given_away_is_told_by_the_tables(adversary):
    board, move = chess.Board("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"), chess.Move.from_uci("e6d5")
    judged = classify_move(adversary, board, move, SearchEffort(nodes=5000))
    assert judged.mark is Mark.BLUNDER and judged.table_results == (1, 0)
    assert reason_for(judged).text.startswith("gives up the win: the ending is drawn; there was a better move, #")


def test_parts_of_a_game_are_the_same_for_all_and_cover_it(adversary):
    board = chess.Board()
    moves = [chess.Move.from_uci(text) for text in "g1f3 g8f6 f3g1 f6g8".split() * 12]
    spans = slices_of(board, moves, SearchEffort(nodes=100))
    covered = [ply for span in spans for ply in range(span.first, span.last + 1)]
    assert covered == list(range(len(moves) + 1))
    assert evaluate_board(adversary, chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), SearchEffort(nodes=9)).line == ()


def annotated(source, out, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "engine", "annotate", str(source), "--out", str(out), *words],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_a_torn_file_is_gone_on_with(capsys, source, tmp_path):
    out, whole = tmp_path / "out.pgn", tmp_path / "whole.pgn"
    run(capsys, "annotate", str(source), "--out", str(whole), "--nodes", "300")
    journal = tmp_path / "out.pgn.progress"
    interrupted(capsys, source, out, 2)
    assert len(journal.read_text().splitlines()) == 3
    out.write_text(out.read_text() + '[Event "cut o')
    journal.write_text(journal.read_text() + '{"game": 4, "wh')
    assert run(capsys, "annotate", str(source), "--out", str(out), "--nodes", "301")[0] == 2, "other settings"
    status, printed, _ = run(capsys, "annotate", str(source), "--out", str(out), "--nodes", "300", "--json")
    assert status == 1
    assert out.read_bytes() == whole.read_bytes()
    rows = [json.loads(line) for line in printed.splitlines()]
    summaries = [(row["game"], len(row["summary"])) for row in rows if row["type"] == "game"]
    assert len(summaries) == 4 and all(number == 5 for _, number in summaries)
    assert {row["player"]: row["games"] for row in rows if row["type"] == "player"} == {
        "Morphy": 1, "Duke / Count": 1, "A": 2, "B": 1, "C": 2, "D": 1}, "what was done before is counted too"


def interrupted(capsys, source, out, games_before: int) -> None:
    """Annotate the games of `source`, interrupted after some of them."""
    original = ResumableFile.add

    def stop(self, text, row):
        if len(self.rows) == games_before:
            raise KeyboardInterrupt
        original(self, text, row)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ResumableFile, "add", stop)
        assert run(capsys, "annotate", str(source), "--out", str(out), "--nodes", "300")[0] == 130


@pytest.fixture(scope="module")
def torn(tmp_path_factory):
    """(the games, and what a run that is not interrupted writes)."""
    folder = tmp_path_factory.mktemp("torn")
    source, whole = folder / "games.pgn", folder / "whole.pgn"
    source.write_text(games.ALL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", io.StringIO())
        patch.setattr("sys.stderr", io.StringIO())
        assert main(["annotate", str(source), "--out", str(whole), "--nodes", "300"]) == 1
    return source, whole.read_bytes()


def flipped(data: bytes) -> bytes:
    """`data` with one digit of its last line changed, so that it is still JSON."""
    at = max(data.rfind(b"%d" % digit) for digit in range(10))
    return data[:at] + (b"8" if data[at : at + 1] != b"8" else b"7") + data[at + 1 :]


@pytest.mark.parametrize("damage", [
    lambda data: data + b'{"game": 4, "wh', lambda data: data + b"garbage\n", lambda data: data + b"\xff\xfe\x80\n",
    lambda data: data[:-40] + b"\n", flipped, lambda data: data + b"[" * 100_000 + b"\n",
    lambda data: data + b"{}\n5\n"])
def test_a_damaged_row_is_the_end_of_what_was_done(capsys, torn, damage, tmp_path):
    source, whole = torn
    out, journal = tmp_path / "out.pgn", tmp_path / "out.pgn.progress"
    interrupted(capsys, source, out, 2)
    journal.write_bytes(damage(journal.read_bytes()))
    assert run(capsys, "annotate", str(source), "--out", str(out), "--nodes", "300")[0] == 1
    assert out.read_bytes() == whole and not journal.exists()


@pytest.mark.parametrize("content", [b"garbage", b"garbage\n", b"\xff\xfe\x80\n", b"5\n", b"[" * 100_000 + b"\n",
                                     b"\0" * 99])
def test_a_damaged_journal_is_named_and_nothing_is_lost(capsys, torn, content, tmp_path):
    source, whole = torn
    out, journal = tmp_path / "out.pgn", tmp_path / "out.pgn.progress"
    for is_there in (True, False):
        journal.write_bytes(content)
        if is_there:
            out.write_bytes(whole)
        status, printed, err = run(capsys, "annotate", str(source), "--out", str(out), "--nodes", "300")
        assert (status, printed) == (2, "")
        assert err == f"error: {journal} is damaged; remove it and out.pgn to start over\n"
        assert journal.read_bytes() == content and (not is_there or out.read_bytes() == whole)
        out.unlink(missing_ok=True)


def test_an_output_without_its_journal_is_kept(capsys, torn, tmp_path):
    source, whole = torn
    out, journal = tmp_path / "out.pgn", tmp_path / "out.pgn.progress"
    for is_empty in (False, True):
        out.write_bytes(whole)
        if is_empty:
            journal.touch()
        status, _, err = run(capsys, "annotate", str(source), "--out", str(out), "--nodes", "300")
        assert status == 2 and "exists and is no interrupted run to resume" in err and err.count("\n") == 1
        assert out.read_bytes() == whole


def test_a_folder_in_place_of_the_journal_is_named(capsys, source, tmp_path):
    (tmp_path / "out.pgn.progress").mkdir()
    status, _, err = run(capsys, "annotate", str(source), "--out", str(tmp_path / "out.pgn"), "--nodes", "300")
    assert (status, err) == (2, f"error: cannot write {tmp_path / 'out.pgn.progress'}: it is a folder\n")


def test_a_second_run_on_the_same_file_is_refused_until_the_first_ends(source, tmp_path):
    out, journal = tmp_path / "out.pgn", tmp_path / "out.pgn.progress"
    source.write_text(games.ALL * 40)
    first = annotated(source, out, "--nodes", "3000")
    try:
        deadline = time.monotonic() + 300
        while not (journal.exists() and journal.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.05)
        second = subprocess.run([sys.executable, "-m", "engine", "annotate", str(source), "--out", str(out), "--nodes",
                                 "3000"], capture_output=True, text=True, check=False, timeout=300)
        assert first.poll() is None
        assert (second.returncode, second.stdout) == (2, "")
        assert second.stderr == f"error: {journal} is in use by another run\n"
    finally:
        first.kill()
        first.wait()
    with pytest.raises(InputError, match="different settings"), ResumableFile(out, {}):  # its lock is gone
        pass


@pytest.mark.slow
def test_killed_ten_times_the_result_is_the_same(source, tmp_path):
    source.write_text(games.ALL * 12)
    out, whole, words = tmp_path / "out.pgn", tmp_path / "whole.pgn", ("--nodes", "4000")
    assert annotated(source, whole, *words).wait() == 1
    chance, kills = random.Random(1), 0
    journal = tmp_path / "out.pgn.progress"
    while kills < 10:
        before = journal.stat().st_size if journal.exists() else 0
        process = annotated(source, out, *words)
        while process.poll() is None and (not journal.exists() or journal.stat().st_size <= before):
            time.sleep(0.01)  # until it has written something
        time.sleep(chance.uniform(0.0, 0.5))
        process.kill()
        process.wait()
        kills += 1
        if not journal.exists():
            break
    if journal.exists():
        assert annotated(source, out, *words).wait() == 1
    print(f"killed {kills} times")
    assert out.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(("words", "complaint"), [
    (("/no/such.pgn", "--out", "x.pgn"), "cannot read /no/such.pgn"),
    (("EMPTY", "--out", "/no/such/folder/x.pgn"), "no folder /no/such/folder"),
    (("EMPTY", "--out", "x.pgn"), "contains no games"),
    (("EMPTY",), "required: --out"),
    ((os.devnull, "--out", "x.pgn"), "it is not a plain file"),
])
def test_bad_input_gets_one_line(capsys, words, complaint, tmp_path):
    (tmp_path / "empty.pgn").touch()
    status, out, err = run(capsys, "annotate", *(str(tmp_path / "empty.pgn") if word == "EMPTY" else word
                                                 for word in words))
    assert (status, out) == (2, "") and complaint in err and err.count("\n") == 1


def test_if_every_game_is_skipped_no_file_is_left(capsys, tmp_path):
    source, out = tmp_path / "games.pgn", tmp_path / "out.pgn"
    source.write_text(games.BROKEN + games.ATOMIC)
    status, printed, err = run(capsys, "annotate", str(source), "--out", str(out), "--nodes", "300", "--plots",
                               str(tmp_path / "plots"))
    assert (status, printed) == (2, "")
    assert [line.split(":")[0] for line in err.splitlines()] == ["warning", "warning", "error"]
    assert f"none of the games in {source} could be annotated; nothing was written" in err
    assert list(tmp_path.iterdir()) == [source]


def hundred_games() -> str:
    """A hundred games, most of masters, with all that users' files have among them."""
    with lzma.open(DATA / "openings" / "master-openings.pgn.xz", "rt", encoding="utf-8") as file:
        masters = [str(chess.pgn.read_game(file)) + "\n\n" for _ in range(93)]
    return "".join(masters[:50]) + games.ALL + "".join(masters[50:])


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "openings" / "master-openings.pgn.xz").is_file(), reason="needs masters' games")
def test_a_hundred_games_are_read_again_with_their_moves(capsys, tmp_path):
    source, out = tmp_path / "hundred.pgn", tmp_path / "out.pgn"
    source.write_text(hundred_games())
    assert run(capsys, "annotate", str(source), "--out", str(out), "--nodes", "1000")[0] == 1
    before, after = read_all(source.read_text()), read_all(out.read_text())
    kept = [game for game in before if game.headers["Event"] not in ("Broken", "Another game", "Nobody came")]
    assert len(before) == 100 and len(kept) == len(after) == 97
    assert all(not game.errors for game in after)
    for old, new in zip(kept, after, strict=True):
        assert list(new.mainline_moves()) == list(old.mainline_moves()) and dict(new.headers) == dict(old.headers)
    print(f"{len(before)} games, {len(after)} annotated and read again without an error, all main lines unchanged")


def test_a_table_win_is_written_as_a_mate(adversary):
    pgn = '[SetUp "1"]\n[FEN "8/6k1/8/8/8/4K3/4PQ2/8 b - - 0 1"]\n\n1... Kg6 2. Kf4 Kh6 *\n'
    game = chess.pgn.read_game(io.StringIO(pgn))
    assert game is not None
    annotate(game, review_game(adversary, game.board(), list(game.mainline_moves()), SearchEffort(nodes=1000)))
    scores = [node.eval() for node in game.mainline()]
    assert all(score is not None and score.white().mate() in (4, 5) for score in scores)
