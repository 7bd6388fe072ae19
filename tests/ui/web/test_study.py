"""The move tree in a real browser: variations, comments and marks are shown, walked through, edited and kept."""

from __future__ import annotations

import io

import chess.pgn
import pytest

from tests.ui.browsing import Keys, Page

NESTED = """[Event "Club \\"A\\""]
[White "Ada"]
[Black "Bela"]
[Result "1-0"]

{Before the game.} 1. e4 e5 2. Nf3 Nc6 3. Bc4 {[%eval 0.22] [%clk 0:04:59] The Italian.} Bc5 (3... Nf6 4. Ng5 (4. d4
exd4 5. O-O (5. e5 d5 6. Bb5 (6. exf6 dxc4) 6... Ne4) 5... Nxe4) 4... d5 5. exd5 Na5 $1 $14 {the main line} ({Instead}
5... Nxd5 6. Nxf7 $1 Kxf7) 6. Bb5+) (3... Be7 4. d4) 4. c3 Nf6 $6 5. d4 exd4 6. cxd4 Bb4+ 1-0
"""


def nodes_of(text: str) -> list[tuple[str, str, str, list[int]]]:
    """All moves of the tree with their comments and marks, in the order of PGN."""
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None and not game.errors
    found: list[tuple[str, str, str, list[int]]] = [(game.comment, "", "", [])]
    stack = list(reversed(game.variations))
    while stack:
        node = stack.pop()
        comment = " ".join(node.comment.split())  # lines are wrapped in comments too
        found.append((node.san(), comment, node.starting_comment, sorted(node.nags)))
        stack.extend(reversed(node.variations))
    return found


@pytest.fixture
def study(page: Page) -> Page:
    """The nested game on the analysis board, with the engine off."""
    page.go("analyse")
    page.click("#engine-on")
    page.drop("nested.pgn", NESTED)
    page.wait_for_moves(12, "analyse")
    page.script("document.activeElement.blur()")
    return page


def go(page: Page, san: str) -> None:
    """Click a move of the list."""
    page.script("""[...document.querySelectorAll("#analyse-moves button > span:first-child")]
        .find((cell) => cell.firstChild.textContent === arguments[0]).parentElement.click()""", san)
    page.wait(lambda: page.current().startswith(san), f"{san} to be the current move")


def test_imported_variations_are_shown_nested(study):
    assert study.script("return document.querySelectorAll('#analyse-moves .line').length") == 5
    inside = study.script("return [...document.querySelectorAll('#analyse-moves .line .line .line')].map("
                          "(line) => line.textContent)")
    assert inside == ["5.e5d56.Bb5(6.exf6dxc4)6...Ne4"]
    assert "the main line" in study.text("#analyse-moves .aside .line")
    assert study.text("#analyse-moves > .comment-text") == "Before the game."


def test_copied_pgn_has_the_whole_tree(study):
    copied = study.copied("#analyse-copy-pgn")
    assert nodes_of(copied) == nodes_of(NESTED)
    game = chess.pgn.read_game(io.StringIO(copied))
    assert game is not None and game.headers["Result"] == "1-0"
    assert game.headers["Event"] == r'Club \"A\"'  # python-chess leaves the escapes in


def test_the_keyboard_walks_through_the_branches(study):
    for _ in range(5):
        study.press(Keys.ARROW_RIGHT)
    assert study.current() == "Bc4"
    assert study.text("#forks").split() == ["3...", "Bc53...", "Nf63...", "Be7"]
    study.press(Keys.ARROW_RIGHT)
    study.keys("shift", Keys.ARROW_DOWN)
    assert study.current() == "Nf6"
    study.press(Keys.ARROW_RIGHT)
    study.keys("shift", Keys.ARROW_DOWN)
    assert study.current() == "d4"
    study.keys("shift", Keys.ARROW_LEFT)
    assert study.current() == "Nf6"
    study.keys("shift", Keys.ARROW_UP)
    assert study.current() == "Bc5"
    assert study.square("c5").get_attribute("aria-label") == "c5, black bishop"


def test_a_line_is_promoted_and_deleted_and_comes_back(study):
    before = nodes_of(study.copied("#analyse-copy-pgn"))
    go(study, "Be7")
    study.click("[data-tool=up]")
    study.click("[data-tool=trunk]")
    assert study.moves("analyse") == ["e4", "e5", "Nf3", "Nc6", "Bc4", "Be7", "d4"]
    study.press(Keys.DELETE)
    study.wait(lambda: "Be7" not in study.text("#analyse-moves"), "the line to go")
    study.click("#toast button")
    assert study.current() == "Be7"
    study.script("document.activeElement.blur()")
    for _ in range(2):
        study.keys("ctrl", "z")
    study.wait(lambda: nodes_of(study.copied("#analyse-copy-pgn")) == before, "everything to be as before")


def test_comments_and_marks_are_written(study):
    go(study, "Be7")
    study.find("#note").send_keys("The {Hungarian} <b>Defence</b>" + Keys.ENTER)
    study.click("[data-mark='?!']")
    assert study.script("return document.querySelectorAll('#analyse-moves b').length") == 0
    copied = study.copied("#analyse-copy-pgn")
    assert ("Be7", "The Hungarian <b>Defence</b>", "", [6]) in nodes_of(copied)
    study.click("[data-mark='?!']")
    assert ("Be7", "The Hungarian <b>Defence</b>", "", []) in nodes_of(study.copied("#analyse-copy-pgn"))


def test_a_comment_is_kept_when_one_goes_on(study):
    go(study, "Be7")
    study.find("#note").send_keys("kept")
    go(study, "c3")
    assert study.value("#note") == ""
    assert ("Be7", "kept", "", []) in nodes_of(study.copied("#analyse-copy-pgn"))


def test_own_moves_become_variations(study):
    go(study, "c3")
    study.drag("e8", "f8")
    assert study.current() == "Kf8"
    assert len(study.moves("analyse")) == 12
    assert ("Kf8", "", "", []) in nodes_of(study.copied("#analyse-copy-pgn"))


def test_a_graph_has_gaps_and_ends_with_a_mate(page):
    page.drop("mate.pgn", "1. f3 {[%eval -0.5]} e5 {[%eval -0.6]} 2. a3 {no score} h6 3. g4 {[%eval #-1]} Qh4# *")
    page.find("#graph svg")
    areas = page.script("return [...document.querySelectorAll('.graph .area')].map((area) => "
                        "area.getAttribute('points'))")
    assert len(areas) == 2
    assert areas[1].split()[-1] == "400,90"  # to the end
    assert all(point.split(",")[1] in {"86", "90"} for point in areas[1].split())  # Black's to the end


NOT_GAMES = [
    ("hello", "neither a game in PGN nor a position in FEN"),
    ("\x00\x01\x02binary", "neither a game in PGN nor a position in FEN"),
    ("8/8/8/8/8/8/8 w - - 0 1", "this one has 7"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w kq - 0 1", "White has no king"),
    ("rnbqkbnr/pppppppp/8/8/8/9/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "is not a piece"),
    ('[FEN "k7/8/8/8/8/8/8/K6x w - - 0 1"]\n\n1. Ka2 *', "impossible position"),
    ('[Variant "Atomic"]\n\n1. e4 *', "not Atomic"),
]


@pytest.mark.parametrize(("text", "message"), NOT_GAMES)
def test_what_is_no_game_changes_nothing(study, text, message):
    study.drop("bad.pgn", text)
    study.wait(lambda: message in study.text("#toast"), message)
    assert len(study.moves("analyse")) == 12


def test_half_a_game_is_shown_as_far_as_it_goes(study):
    study.drop("half.pgn", "1. e4 e5 2. Qxz9 Nf6 3. {never closed")
    study.wait(lambda: "2. Qxz9 is not a legal move" in study.text("#toast"), "a message")
    assert study.moves("analyse") == ["e4", "e5"]


def test_too_large_a_file_is_refused(study):
    study.script("""const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(50e6)], "huge.pgn"));
        document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));""")
    study.wait(lambda: "50 MB" in study.text("#toast"), "a message")
    assert len(study.moves("analyse")) == 12


def test_three_hundred_nested_variations(study):
    text = "1. e4 e5 2. Nf3 " + "(2. d4 exd4 3. c3 " * 300 + ")" * 300 + " *"
    study.drop("deep.pgn", text)
    study.wait(lambda: study.moves("analyse") == ["e4", "e5", "Nf3"], "the game")
    deep = " ".join(f"({line}" for line in ["2. d4 exd4 3. a3", "3. b3 d6", "3... d5 4. c3"])
    study.drop("deeper.pgn", f"1. e4 e5 2. Nf3 {deep} {'(4. h3 (4. g3 ' * 150}{'))' * 150} ))) *")
    study.wait(lambda: len(study.moves("analyse")) == 3, "the game")


HOSTILE = """[White "<img src=x onerror=alert(1)>"]
[Black "</script><script>window.broken = 1</script>"]
[Event "javascript:alert(1)"]
[Result "<svg onload=alert(1)>"]
[ECO "<b>A00</b>"]

1. e4 {<img src=x onerror="window.broken = 1"> [%csl Gx9,<script>] [%eval <b>]}
e5 {</textarea><script>window.broken = 1</script>}
(1... c5 {<iframe src="javascript:parent.broken = 1">}) *
"""


def test_hostile_games_are_inert(study):
    study.drop("hostile.pgn", HOSTILE)
    study.wait(lambda: study.moves("analyse") == ["e4", "e5"], "the game")
    assert "<img" in study.text("#analyse-headline")
    for selector in ("main img", "main script", "main iframe", "main b"):
        assert study.script("return document.querySelectorAll(arguments[0]).length", selector) == 0
    assert study.script("return window.broken ?? null") is None


def test_stepping_quickly_asks_about_the_last_position_only(page):
    page.drop("nested.pgn", NESTED)
    page.wait_for_moves(12, "analyse")
    page.find("#lines .score")
    page.script("""window.sent = [];
        const { send } = WebSocket.prototype;
        WebSocket.prototype.send = function (text) {
          window.sent.push(JSON.parse(text));
          send.call(this, text);
        };
        for (let step = 0; step < 12; step += 1) document.querySelector("#analyse-steps [data-step=next]").click();""")
    page.wait(lambda: page.current() == "Bb4+", "the last move")
    asked = "return window.sent.filter((message) => message.type === 'analyse').map((message) => message.moves.length)"
    page.wait(lambda: page.script(asked)[-1:] == [12], "the last position to be analysed")
    assert len(page.script(asked)) <= 2
    page.find("#lines .score")


def test_arrows_of_a_comment_are_drawn(study):
    study.drop("arrows.pgn", "1. e4 {[%cal Ge7e5,Rd7d5] [%csl Ye4,Gx9,<b>] Look.} e5 *")
    study.wait(lambda: study.moves("analyse") == ["e4", "e5"], "the game")
    study.script("document.activeElement.blur()")
    drawn = "return document.querySelectorAll('#analyse-board .arrows .drawn').length"
    assert study.script(drawn) == 0
    study.press(Keys.ARROW_RIGHT)
    assert study.script(drawn) == 3
    study.press(Keys.ARROW_RIGHT)
    assert study.script(drawn) == 0


def draw(page: Page, start: str, target: str, key: str | None = None) -> None:
    """Draw an arrow, or a ring on one square, with the right button, holding a key."""
    page.script("""
        const [start, target, held] = arguments, board = document.querySelector("#analyse-board .board");
        for (const [type, square] of [["pointerdown", start], ["pointerup", target]]) {
          const box = document.querySelector(`#analyse-board [data-square=${square}]`).getBoundingClientRect();
          board.dispatchEvent(new PointerEvent(type, {button: 2, isPrimary: true, bubbles: true, [held]: true,
            clientX: box.left + box.width / 2, clientY: box.top + box.height / 2}));
        }""", start, target, key or "none")


def test_drawn_arrows_stay_in_the_game(study):
    drawn = "return [...document.querySelectorAll('#analyse-board .drawn')].map((shape) => shape.classList[2])"
    go(study, "Bc4")
    draw(study, "c4", "f7")
    draw(study, "f7", "f7", "shiftKey")
    draw(study, "d2", "d4", "altKey")
    assert sorted(study.script(drawn)) == ["B", "G", "R"]
    study.click_square("a5")  # a click elsewhere leaves them
    draw(study, "d2", "d4", "ctrlKey")  # the same arrow in another colour
    draw(study, "a2", "a3")
    draw(study, "a2", "a3")  # twice is not at all
    commands = "[%clk 0:04:59] [%csl Rf7] [%cal Gc4f7,Rd2d4]"
    comments = [comment for san, comment, *_ in nodes_of(study.copied("#analyse-copy-pgn")) if san == "Bc4"]
    assert comments == [f"[%eval 0.22] {commands} The Italian."]
    go(study, "c3")
    assert study.script(drawn) == []
    go(study, "Bc4")
    study.driver.refresh()
    study.wait(lambda: sorted(study.script(drawn)) == ["G", "R", "R"], "the arrows after a reload")
    study.script("document.activeElement.blur()")
    study.keys("ctrl", "z")
    assert sorted(study.script(drawn)) == ["G", "R", "R"]  # a reload forgets what could be undone
    draw(study, "c4", "f7")
    assert sorted(study.script(drawn)) == ["R", "R"]
    study.keys("ctrl", "z")
    study.wait(lambda: sorted(study.script(drawn)) == ["G", "R", "R"], "the arrow to come back")
