"""Training in a real browser: puzzles are solved on the board, wrong moves refuted, and every answer is in the file."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import chess
import pytest

from engine.coach.opening_training import DECK as OPENINGS
from engine.coach.opening_training import keep
from engine.coach.progress_file import ProgressFile
from engine.coach.puzzle import Goal, Puzzle, RefutedTry
from engine.coach.puzzle_files import starting_puzzles
from engine.coach.puzzle_training import DECK, PuzzleFilter, keep_set
from engine.coach.rating import Rating
from engine.coach.repertoire import parse_repertoire
from engine.coach.schedule import Outcome
from engine.coach.woodpecker import Woodpecker, choose_training
from tests.ui.browsing import Keys, Page, Server
from tests.ui.visitor import ORIGIN, SOCKET, Visitor, client

DESK, PHONE = (1280, 800), (390, 844)


def move(text: str) -> chess.Move:
    return chess.Move.from_uci(text)


SMOTHERED = Puzzle("5r1k/6pp/7N/8/2Q5/8/6PP/6K1 w - - 0 1", tuple(map(move, ("c4g8", "f8g8", "h6f7"))), Goal.MATE,
                   ("mate in 2", "smothered mate"), 1100, (RefutedTry(0, move("h6f7"), (move("f8f7"), move("c4f7")),
                                                                      "it allows Rxf7"),), "A - B", "Kh8")


@pytest.fixture
def data(server: Server) -> Path:
    """The data folder of a user with one puzzle of their own, and no progress."""
    (server.data / "adversary" / "progress.sqlite3").unlink(missing_ok=True)
    keep_set(progress_in(server.data), "mine", [SMOTHERED])
    return server.data


@pytest.fixture
def training(data: Path, page: Page) -> Page:
    choose_own(page)
    return page


def choose_own(page: Page, **fields: object) -> None:
    """Go to the view, where only the user's own puzzles are chosen."""
    page.script("localStorage.setItem('adversary.train', arguments[0])", json.dumps({"source": "own", **fields}))
    page.go("train")
    page.find("#train-panel .primary")


def progress_in(data: Path) -> ProgressFile:
    return ProgressFile(data / "adversary" / "progress.sqlite3")


def outcomes(data: Path) -> list[Outcome]:
    return [answer.outcome for answer in progress_in(data).answers()]


def begin(page: Page) -> None:
    page.click("#train-panel .primary")
    page.wait(lambda: "Kh8: White to move" in page.text("#train-panel .question"), "the puzzle")


def test_a_puzzle_is_solved_on_the_board(training, data):
    assert "Nothing is due" in training.text("#train-head")
    begin(training)
    assert "last" in training.square("h8").get_attribute("class").split()  # where the king has gone by mistake
    training.move_by_clicks("c4", "g8")
    training.wait(lambda: "answered by Rxg8" in training.text("#train-panel .right"), "the answer")
    training.move_by_clicks("h6", "f7")
    training.wait(lambda: training.text("#train-head").startswith("Solved"), "the praise")
    assert "smothered mate; from A - B" in training.text("#train-panel .notes")
    assert outcomes(data) == [Outcome.AT_ONCE]
    rating = progress_in(data).rating()
    assert f"your rating {rating.value:.0f} ± {rating.error:.0f} (+{rating.value - 1500:.0f})" in training.text(
        "#train-standing")
    assert training.text("#train-answers") == "1 of 1 answers right"
    training.press(Keys.ENTER)
    training.wait(lambda: training.text("#train-head") == "Done", "the end of the set")


def test_a_puzzle_that_has_ended_is_analysed(training, data):
    begin(training)
    training.click("#train-panel .actions button:nth-child(2)")  # shows the solution
    training.wait(lambda: training.text("#train-head") == "The solution", "the solution")
    assert "Rated 1100; mate in 2, smothered mate; from A - B" in training.text("#train-panel .notes")
    training.click("#train-panel .actions button:nth-child(2)")  # analyses it
    training.find("#view-analyse")
    assert training.wait_for_moves(3, "analyse") == ["Qg8+", "Rxg8", "Nf7#"]
    assert training.square("c4").get_attribute("aria-label") == "c4, white queen"  # before the first move


def test_openings_that_are_due_are_there_too(data, page):
    repertoire, pgn = parse_repertoire("1. e4 e5 2. Nf3 *", "mine", chess.WHITE)
    progress = progress_in(data)
    keep(progress, repertoire, pgn)
    progress.record(OPENINGS, repertoire.item(repertoire.questions[0]), Outcome.SOLVED, 1,
                    now=datetime.now(UTC) - timedelta(days=30))
    choose_own(page)
    assert page.text("#train-panel .actions button:nth-child(2)") == "Practise openings (1 due, 1 new)"
    page.click("#train-panel .actions button:nth-child(2)")
    page.wait(lambda: "The beginning: what does" in page.text("#practice .question"), "the position that is due")
    page.move_by_clicks("e2", "e4")
    page.wait(lambda: page.text("#practice .question").startswith("1.e4 e5"), "the next one")
    page.go("train")
    page.driver.refresh()
    page.wait(lambda: page.text("#train-panel .actions button:nth-child(2)") == "Practise openings (1 new)", "the rest")


def test_notes_on_a_puzzle_go_with_it(training, data):
    begin(training)
    training.press("h")
    training.wait(lambda: "moves" in training.text("#train-panel .notes"), "the hint")
    training.script("document.getElementById('train-choice').open = true")
    training.click("#train-woodpecker")
    training.wait(lambda: "round 1, 0 of 1" in training.text("#train-head"), "the round")
    assert training.text("#train-panel .notes") == ""


def test_a_wrong_move_is_refuted_on_the_board_and_kept(training, data):
    begin(training)
    training.move_by_clicks("h6", "f7")
    training.wait(lambda: "it allows Rxf7 Qxf7" in training.text("#train-panel .wrong"), "the reason")
    assert outcomes(data) == [Outcome.FAILED]  # before it is solved
    change = f"(−{1500 - progress_in(data).rating().value:.0f})"
    assert change in training.text("#train-standing")
    training.wait(lambda: training.square("f7").get_attribute("aria-label") == "f7, white queen", "the refutation")
    training.press(Keys.ENTER)  # tries again
    training.move_by_clicks("c4", "g8")
    training.wait(lambda: "answered by" in training.text("#train-panel .right"), "the answer")
    training.find("#train-text").send_keys("Nf7" + Keys.ENTER)
    training.wait(lambda: training.text("#train-head") == "Solved after a wrong move", "the praise")
    assert outcomes(data) == [Outcome.FAILED]


def test_a_failed_puzzle_comes_again_and_does_not_count(training, data):
    begin(training)
    training.click("#train-panel .actions button:nth-child(2)")  # shows the solution
    training.wait(lambda: training.text("#train-head") == "The solution", "the solution")
    training.press(Keys.ENTER)
    training.wait(lambda: "Once more: this time it does not count" in training.text("#train-panel .notes"), "the task")
    training.move_by_clicks("c4", "g8")
    training.wait(lambda: "answered by" in training.text("#train-panel .right"), "the answer")
    training.move_by_clicks("h6", "f7")
    training.wait(lambda: training.text("#train-head") == "Solved at once", "the praise")
    assert outcomes(data) == [Outcome.FAILED]
    assert "(" not in training.text("#train-standing")
    training.press(Keys.ENTER)
    training.wait(lambda: training.text("#train-head") == "Done", "the end of the set")


def test_hints_come_in_two_steps_and_the_keyboard_is_enough(training, data):
    begin(training)
    training.script("document.activeElement.blur()")
    training.press("h")
    training.wait(lambda: "the queen on c4 moves" in training.text("#train-panel .notes"), "the first hint")
    training.press("h")
    training.wait(lambda: "it moves to g8" in training.text("#train-panel .notes"), "the second hint")
    assert not training.driver.find_elements("xpath", "//*[@id='train-panel']//button[.='Where to']")
    training.press("h")  # there is no third one
    training.move_by_keys("c4", "g8")
    training.wait(lambda: "answered by" in training.text("#train-panel .right"), "the answer")
    training.move_by_keys("h6", "f7")
    training.wait(lambda: training.text("#train-head") == "Solved with hints", "the praise")
    assert outcomes(data) == [Outcome.WITH_HINTS]


def test_a_reload_and_another_window_lose_nothing(training, data):
    begin(training)
    training.move_by_clicks("c4", "g8")
    training.wait(lambda: "answered by" in training.text("#train-panel .right"), "the answer")
    training.driver.refresh()
    training.wait(lambda: "White to move" in training.text("#train-panel .question"), "the puzzle again")
    progress_in(data).record(DECK, SMOTHERED.id, Outcome.SOLVED, 5.0)  # in another window
    training.driver.refresh()
    training.wait(lambda: training.text("#train-head") == "Done", "the puzzle to be left alone")
    assert outcomes(data) == [Outcome.SOLVED]


def test_answers_survive_a_server_that_is_killed(tmp_path, chromium):
    keep_set(progress_in(tmp_path), "mine", [SMOTHERED])
    server = Server(data=tmp_path)
    chromium.visit(server.address, DESK)
    choose_own(chromium)
    begin(chromium)
    chromium.move_by_clicks("h6", "f7")
    chromium.wait(lambda: "it allows" in chromium.text("#train-panel .wrong"), "the reason")
    server.process.kill()
    server.stop()
    assert outcomes(tmp_path) == [Outcome.FAILED]
    chromium.driver.get("about:blank")  # where nothing is connected anew
    chromium.complaints()  # of the connection


def test_a_phone_shows_the_board_and_the_task_at_once(server, data, chromium):
    assert data == server.data
    chromium.visit(server.address, PHONE)
    choose_own(chromium)
    begin(chromium)
    bottom, width = chromium.script("""
        return [document.querySelector("#train-panel .actions").getBoundingClientRect().bottom,
                document.documentElement.scrollWidth]""")
    assert bottom <= PHONE[1] and width <= PHONE[0]


def test_themes_and_rounds_are_chosen(training, data):
    training.click("#train-choice summary")
    training.choose("#train-theme", "smothered mate")
    training.click("#train-woodpecker")
    training.wait(lambda: "round 1, 0 of 1 done" in training.text("#train-head"), "the round")
    for number in (1, 2):
        begin(training)
        training.click("#train-panel .actions button:nth-child(2)")
        training.wait(lambda: "Qg8+" in training.text("#train-panel .notes"), "the solution")
        words = f"round {number + 1}, 0 of 1"
        training.wait(lambda words=words: words in training.text("#train-standing"), "the next round")
    assert progress_in(data).cards(DECK) == {}
    assert progress_in(data).rating() == Rating()


def test_only_the_user_of_this_machine_trains():
    with client().websocket_connect(SOCKET, headers=ORIGIN) as socket:
        visitor = Visitor(socket)
        visitor.send("train", action="next")
        assert "user of this machine" in socket.receive_json()["text"]
        assert visitor.request("hello", "welcome")["trains"] is False


@pytest.mark.parametrize(("fields", "words"), [
    ({"action": "dance"}, "action must be one of"), ({"action": "next", "theme": "none such"}, "the themes are"),
    ({"action": "next", "source": "own"}, "no puzzles of your own yet"), ({"action": "hint"}, "ask for the next one"),
    ({"action": "next", "lowest": -1}, "lowest must be"),
    ({"action": "next", "lowest": 3999}, "no puzzle has a rating")])
def test_bad_requests_get_one_line(solver, fields, words):
    solver.send("train", **fields)
    message = solver._socket.receive_json()
    assert message["type"] == "error"
    assert words in message["text"] and "\n" not in message["text"]


def test_a_damaged_file_is_kept_aside(solver, tmp_path):
    (tmp_path / "progress.sqlite3").write_text("no database")
    shown = solver.request("train", "training", action="next")
    assert "was damaged and is kept as progress.sqlite3.damaged" in shown["note"]
    assert shown["puzzle"] and shown["rating"] == 1500
    assert "note" not in solver.request("train", "training", action="hint")


def test_an_unknown_wrong_move_is_refuted_by_a_search(solver):
    shown = solver.request("train", "training", action="next")["puzzle"]
    puzzle = next(one for one in starting_puzzles() if one.id == shown["id"])
    board = puzzle.board()
    assert shown["position"]["fen"] == board.fen()
    known = {one.move for one in puzzle.tries}
    answer = {"right": True}
    for tried in (tried for tried in board.legal_moves if tried not in known and not puzzle.is_right(0, tried)):
        answer = solver.request("train", "training", action="move", uci=tried.uci())
        if not answer.get("good"):
            break
    assert answer["right"] is False and answer["reason"]
    cursor = board.copy()
    cursor.push_uci(answer["uci"])
    for frame in answer["line"]:
        cursor.push_san(frame["san"])
        assert cursor.fen() == frame["fen"]
    assert answer["puzzle"]["failed"]


def test_rounds_of_the_terminal_go_on_in_the_page(solver, tmp_path):
    rounds = choose_training(starting_puzzles(), PuzzleFilter("Fork"), ProgressFile(tmp_path / "progress.sqlite3"),
                             in_rounds=True)
    puzzle = rounds.next()
    assert puzzle is not None
    rounds.record(puzzle, Outcome.SOLVED, 2.0)
    shown = solver.request("train", "training", action="overview", theme="fork", woodpecker=True)
    assert shown["status"] == "round 1, 1 of 22 done"
    other = solver.request("train", "training", action="overview", theme="fork", woodpecker=True, source="package")
    assert other["status"] == "round 1, 0 of 22 done"


def test_rounds_are_counted_from_the_answers(tmp_path):
    progress = ProgressFile(tmp_path / "progress.sqlite3")
    puzzles = starting_puzzles()[:4]
    rounds = Woodpecker(puzzles, progress, size=3)
    asked = []
    for _ in range(4):
        puzzle = rounds.next()
        asked.append(puzzle.id)
        rounds.record(puzzle, Outcome.SOLVED, 2.0)
    assert len(set(asked[:3])) == 3 and asked[3] == asked[0]  # the second round has the order of the first
    again = Woodpecker(puzzles, progress, size=3)  # in another window
    assert again.status() == "round 2, 1 of 3 done; round 1: 3 of 3 in 6 s"
    again.begin_anew(2)
    assert again.status() == "round 1, 0 of 2 done"
