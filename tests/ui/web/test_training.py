"""Training in a real browser: puzzles are solved on the board, wrong moves refuted, and every answer is in the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import chess
import pytest

from engine.coach.opening_training import DECK as OPENINGS
from engine.coach.opening_training import keep
from engine.coach.progress_file import ProgressFile
from engine.coach.puzzle import Goal, Puzzle, RefutedTry
from engine.coach.puzzle_files import FORMATS, starting_puzzles
from engine.coach.puzzle_training import DECK, SETS, PuzzleFilter, keep_set
from engine.coach.rating import Rating
from engine.coach.repertoire import parse_repertoire
from engine.coach.schedule import Outcome
from engine.coach.woodpecker import Woodpecker, choose_training
from engine.ui.web.app import make_app
from engine.ui.web.engine_pool import EnginePool, ResourceLimits
from engine.ui.web.security import ServerAddress
from tests.ui.browsing import Keys, Page, Server
from tests.ui.visitor import ADDRESS, ORIGIN, PORT, SOCKET, TestClient, Visitor, client

DESK, PHONE = (1280, 800), (390, 844)


def move(text: str) -> chess.Move:
    return chess.Move.from_uci(text)


SMOTHERED = Puzzle("5r1k/6pp/7N/8/2Q5/8/6PP/6K1 w - - 0 1", tuple(map(move, ("c4g8", "f8g8", "h6f7"))), Goal.MATE,
                   ("mate in 2", "smothered mate"), 1100, (RefutedTry(0, move("h6f7"), (move("f8f7"), move("c4f7")),
                                                                      "it allows Rxf7"),), "A - B", "Kh8")

BACK_RANK = Puzzle("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", (move("a1a8"),), Goal.MATE,
                   ("mate in 1", "back-rank mate"), 700, mistake="Kg8")


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


def test_a_file_of_puzzles_is_kept_and_trained(data, page):
    choose_own(page)
    page.drop("back rank.pgn", FORMATS[".pgn"].text(BACK_RANK))
    page.wait(lambda: "1 puzzle kept as “back rank”" in page.text("#toast"), "the set to be kept")
    page.wait(lambda: page.value("#train-source") == "set back rank", "the set to be chosen")
    page.click("#train-panel .primary")
    page.wait(lambda: "After Kg8: White to move" in page.text("#train-panel .question"), "its puzzle")
    page.move_by_clicks("a1", "a8")
    page.wait(lambda: page.text("#train-head").startswith("Solved"), "the praise")
    assert [answer.item for answer in progress_in(data).answers()] == [BACK_RANK.id]
    page.driver.refresh()
    page.find("#train-panel .primary")
    assert page.value("#train-source") == "set back rank"
    assert page.script("return [...document.querySelectorAll('#train-source option')].map((one) => one.text)") == [
        "All puzzles", "From master games", "My own sets", "back rank", "mine"]
    page.script("document.getElementById('train-choice').open = true")
    page.choose("#train-source", "set mine")
    begin(page)


def test_a_bad_file_changes_nothing(training, data):
    begin(training)
    for text, words in (("1. e4 e5 *", "Game 1: no puzzle: it has no FEN; adversary puzzles finds"),
                        ("[]", "The file contains no puzzles"), ("x" * 1_100_000, "too large for the page")):
        training.drop("games.pgn", text)
        training.wait(lambda words=words: words in training.text("#toast"), words)
    assert "Kh8: White to move" in training.text("#train-panel .question")
    assert list(progress_in(data).documents(SETS)) == ["mine"]
    training.drop("games.pgn", "1. e4 e5 *")
    training.wait(lambda: "no puzzle" in training.text("#toast"), "the error")
    training.click("#toast button")
    assert training.wait_for_moves(2, "analyse") == ["e4", "e5"]


def test_a_file_is_chosen_where_there_is_nothing_to_train(server, page, tmp_path):
    (server.data / "adversary" / "progress.sqlite3").unlink(missing_ok=True)
    page.script("localStorage.setItem('adversary.train', arguments[0])", json.dumps({"source": "own"}))
    page.go("train")
    page.wait(lambda: "no puzzles of your own yet" in page.text("#train-panel .question"), "the problem")
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([SMOTHERED.as_json()]))
    page.driver.find_element("css selector", "#train-panel input[type=file]").send_keys(str(path))
    page.wait(lambda: "Nothing is due" in page.text("#train-head"), "the set")
    begin(page)


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


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Visitor]:
    """A visitor who trains."""
    pool = EnginePool(ResourceLimits(4, 16, 2), progress_path=tmp_path / "progress.sqlite3")
    app = make_app(ServerAddress("127.0.0.1", PORT, None), pool)
    with TestClient(app, base_url=ADDRESS).websocket_connect(SOCKET, headers=ORIGIN) as socket:
        yield Visitor(socket)


@pytest.mark.parametrize(("fields", "words"), [
    ({"action": "dance"}, "action must be one of"), ({"action": "next", "theme": "none such"}, "the themes are"),
    ({"action": "next", "source": "own"}, "no puzzles of your own yet"), ({"action": "hint"}, "ask for the next one"),
    ({"action": "next", "lowest": -1}, "lowest must be"),
    ({"action": "next", "lowest": 3999}, "no puzzle has a rating"),
    ({"action": "next", "set": "none such"}, "no set of puzzles 'none such'"),
    ({"action": "keep", "title": "x.pgn"}, "text must be a string"),
    ({"action": "keep", "text": "x"}, "title must be a string"),
    ({"action": "keep", "title": "x" * 256, "text": "x"}, "title is too long"),
    ({"action": "keep", "title": "x.pgn", "text": ""}, "contains no puzzles"),
    ({"action": "keep", "title": "x.pgn", "text": "\x89PNG\r\n\x1a\n\0\0"}, "game 1 (? - ?): it has no moves"),
    ({"action": "keep", "title": "x.pgn", "text": "1. e4 e5 2. Ke3 *"}, "illegal"),
    ({"action": "keep", "title": "x.json", "text": "[" * 100_000 + "{"}, "no puzzle"),
    ({"action": "keep", "title": "x.json", "text": "[{" * 100_000}, "not JSON"),
    ({"action": "keep", "title": "x.json", "text": '[{"fen": 1}]'}, "puzzle 1: not a puzzle"),
    ({"action": "keep", "title": "x.epd", "text": '8/8/8/8/8/8/8/8 w - - c9 "e2e4"; c9 "e2e4";'}, "line 1: "),
    ({"action": "keep", "title": "x.pgn", "text": '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *'}, "game 1")])
def test_bad_requests_get_one_line(visitor, fields, words):
    visitor.send("train", **fields)
    message = visitor._socket.receive_json()
    assert message["type"] == "error"
    assert words in message["text"] and "\n" not in message["text"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_puzzles_are_kept_and_come_from_their_set(visitor, tmp_path, suffix):
    form = FORMATS[suffix]
    text = form.begin + form.between.join(map(form.text, (SMOTHERED, SMOTHERED, BACK_RANK))) + form.end
    fields = {"title": f"..\\a/b\u202e \0c{suffix}", "text": text}
    kept = visitor.request("train", "training", action="keep", **fields)["kept"]
    assert kept == {"name": "b c", "puzzles": 2, "replaced": False}
    assert visitor.request("train", "training", action="keep", **fields)["kept"]["replaced"]
    shown = visitor.request("train", "training", action="overview", set="b c", source="own")
    assert (shown["overview"]["puzzles"], shown["overview"]["sets"]) == (2, ["b c"])
    assert visitor.request("train", "training", action="next", set="b c", theme="mate in 1")["puzzle"]["id"] == (
        BACK_RANK.id)
    rounds = visitor.request("train", "training", action="overview", set="b c", woodpecker=True)
    assert rounds["status"] == "round 1, 0 of 2 done"
    terminal = choose_training([SMOTHERED, BACK_RANK], PuzzleFilter(), ProgressFile(tmp_path / "progress.sqlite3"),
                               "set b c", in_rounds=True)
    assert terminal.progress.documents("woodpecker").keys() == {"set b c"}  # as with adversary train --set


def test_a_bad_file_does_not_replace_a_set(visitor):
    text = FORMATS[".pgn"].text(SMOTHERED)
    visitor.request("train", "training", action="keep", title="mine.pgn", text=text)
    visitor.request("train", "training", action="next", set="mine")
    visitor.send("train", action="keep", title="mine.pgn", text=text + text.replace("Qg8+", "Qg1"))
    assert "game 2" in visitor._socket.receive_json()["text"]
    assert visitor.request("train", "training", action="move", uci="c4g8")["right"]  # the puzzle is still asked
    assert visitor.request("train", "training", action="overview", set="mine")["overview"]["puzzles"] == 1


def test_a_damaged_file_is_kept_aside(visitor, tmp_path):
    (tmp_path / "progress.sqlite3").write_text("no database")
    shown = visitor.request("train", "training", action="next")
    assert "was damaged and is kept as progress.sqlite3.damaged" in shown["note"]
    assert shown["puzzle"] and shown["rating"] == 1500
    assert "note" not in visitor.request("train", "training", action="hint")


def test_an_unknown_wrong_move_is_refuted_by_a_search(visitor):
    shown = visitor.request("train", "training", action="next")["puzzle"]
    puzzle = next(one for one in starting_puzzles() if one.id == shown["id"])
    board = puzzle.board()
    assert shown["position"]["fen"] == board.fen()
    known = {one.move for one in puzzle.tries}
    answer = {"right": True}
    for tried in (tried for tried in board.legal_moves if tried not in known and not puzzle.is_right(0, tried)):
        answer = visitor.request("train", "training", action="move", uci=tried.uci())
        if not answer.get("good"):
            break
    assert answer["right"] is False and answer["reason"]
    cursor = board.copy()
    cursor.push_uci(answer["uci"])
    for frame in answer["line"]:
        cursor.push_san(frame["san"])
        assert cursor.fen() == frame["fen"]
    assert answer["puzzle"]["failed"]


def test_rounds_of_the_terminal_go_on_in_the_page(visitor, tmp_path):
    rounds = choose_training(starting_puzzles(), PuzzleFilter("Fork"), ProgressFile(tmp_path / "progress.sqlite3"),
                             in_rounds=True)
    puzzle = rounds.next()
    assert puzzle is not None
    rounds.record(puzzle, Outcome.SOLVED, 2.0)
    shown = visitor.request("train", "training", action="overview", theme="fork", woodpecker=True)
    assert shown["status"] == "round 1, 1 of 22 done"
    other = visitor.request("train", "training", action="overview", theme="fork", woodpecker=True, source="package")
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
