"""Files of puzzles of the user's own, loaded into the page: kept as sets, chosen by name, and bad ones refused."""

from __future__ import annotations

import json

import pytest

from engine.coach.progress_file import ProgressFile
from engine.coach.puzzle import Goal, Puzzle
from engine.coach.puzzle_files import FORMATS
from engine.coach.puzzle_training import SETS, PuzzleFilter
from engine.coach.woodpecker import choose_training
from tests.ui.web.test_training import SMOTHERED, begin, choose_own, data, move, progress_in, training

__all__ = ["data", "training"]  # fixtures

BACK_RANK = Puzzle("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", (move("a1a8"),), Goal.MATE,
                   ("mate in 1", "back-rank mate"), 700, mistake="Kg8")


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


def test_a_set_is_removed_and_brought_back(data, page):
    choose_own(page)
    kept = progress_in(data).documents(SETS)
    begin(page)
    page.script("document.getElementById('train-choice').open = true")
    page.choose("#train-source", "set mine")
    page.wait(lambda: "Remove the set" in page.text("#train-choice"), "the button")
    page.click("#train-choice .quiet")
    page.wait(lambda: "“mine” is removed" in page.text("#toast"), "the message")
    page.wait(lambda: page.value("#train-source") == "all", "all puzzles")
    assert not progress_in(data).documents(SETS)
    page.click("#toast button")
    page.wait(lambda: page.value("#train-source") == "set mine", "the set")
    assert progress_in(data).documents(SETS) == kept
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


@pytest.mark.parametrize(("fields", "words"), [
    ({"action": "next", "set": "none such"}, "no set of puzzles 'none such'"),
    ({"action": "remove"}, "set must be a string"),
    ({"action": "remove", "set": ""}, "no set of puzzles ''"),
    ({"action": "restore"}, "no set of puzzles has been removed"),
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
def test_bad_files_get_one_line(solver, fields, words):
    solver.send("train", **fields)
    message = solver._socket.receive_json()
    assert message["type"] == "error"
    assert words in message["text"] and "\n" not in message["text"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_puzzles_are_kept_and_come_from_their_set(solver, tmp_path, suffix):
    form = FORMATS[suffix]
    text = form.begin + form.between.join(map(form.text, (SMOTHERED, SMOTHERED, BACK_RANK))) + form.end
    fields = {"title": f"..\\a/b\u202e \0c{suffix}", "text": text}
    kept = solver.request("train", "training", action="keep", **fields)["kept"]
    assert kept == {"name": "b c", "puzzles": 2, "replaced": False}
    assert solver.request("train", "training", action="keep", **fields)["kept"]["replaced"]
    shown = solver.request("train", "training", action="overview", set="b c", source="own")
    assert (shown["overview"]["puzzles"], shown["overview"]["sets"]) == (2, ["b c"])
    assert solver.request("train", "training", action="next", set="b c", theme="mate in 1")["puzzle"]["id"] == (
        BACK_RANK.id)
    rounds = solver.request("train", "training", action="overview", set="b c", woodpecker=True)
    assert rounds["status"] == "round 1, 0 of 2 done"
    terminal = choose_training([SMOTHERED, BACK_RANK], PuzzleFilter(), ProgressFile(tmp_path / "progress.sqlite3"),
                               "set b c", in_rounds=True)
    assert terminal.progress.documents("woodpecker").keys() == {"set b c"}  # as with adversary train --set


def test_a_bad_file_does_not_replace_a_set(solver):
    text = FORMATS[".pgn"].text(SMOTHERED)
    solver.request("train", "training", action="keep", title="mine.pgn", text=text)
    solver.request("train", "training", action="next", set="mine")
    solver.send("train", action="keep", title="mine.pgn", text=text + text.replace("Qg8+", "Qg1"))
    assert "game 2" in solver._socket.receive_json()["text"]
    assert solver.request("train", "training", action="move", uci="c4g8")["right"]  # the puzzle is still asked
    assert solver.request("train", "training", action="overview", set="mine")["overview"]["puzzles"] == 1


def test_a_set_that_was_removed_does_not_replace_another(solver):
    for puzzle in (SMOTHERED, BACK_RANK):
        solver.request("train", "training", action="keep", title="mine.pgn", text=FORMATS[".pgn"].text(puzzle))
        if puzzle is SMOTHERED:
            assert solver.request("train", "training", action="remove", set="mine")["removed"] == "mine"
    solver.send("train", action="restore")
    assert "another set of puzzles 'mine'" in solver._socket.receive_json()["text"]
    solver.request("train", "training", action="remove", set="mine")
    assert solver.request("train", "training", action="restore")["restored"] == "mine"
    assert solver.request("train", "training", action="next", set="mine")["puzzle"]["id"] == BACK_RANK.id
