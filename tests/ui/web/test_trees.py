"""The view Trees: what the server sends, and how a person builds, searches and shares a tree in a real browser."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from engine.course.pseudocode import current_line
from engine.course.stepper.parser import MOST_NODES, parse_tree
from engine.course.stepper.uct import UctOptions, uct_tree
from tests.ui.browsing import Keys, Page
from tests.ui.visitor import ORIGIN, SOCKET, Visitor, client
from tests.ui.web.test_layout import CONTRAST

FIGURE = "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"
SIZES = [(390, 844), (360, 740), (768, 1024), (1366, 768)]


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    with client() as browser, browser.websocket_connect(SOCKET, headers=ORIGIN) as socket:
        yield Visitor(socket)


def test_the_server_sends_steps_with_windows_cutoffs_and_lines(visitor):
    answer = visitor.request("steps", "steps", tree=FIGURE, algorithm="alphabeta")
    assert (answer["value"], answer["action"], answer["leaves"]) == (3, "a", 7)
    (cutoff,) = [step for step in answer["steps"] if step["event"] == "cutoff"]
    assert [answer["nodes"][number]["name"] for number in cutoff["skipped"]] == ["bb", "bc"]
    assert (cutoff["alpha"], cutoff["beta"]) == (3, 2)
    assert cutoff["line"] == current_line("alphabeta", "cutoff", "min")
    assert "value <= α" in answer["listing"][cutoff["line"]]
    left = [step for step in answer["steps"] if step["event"] == "leave"]
    names = [answer["nodes"][step["node"]]["name"] for step in left]
    assert (names, [step["sign"] for step in left]) == (["a", "b", "c", ""], ["", "≤", "", ""])


def test_an_algorithm_that_does_not_fit_gives_way_and_the_page_learns_why(visitor):
    answer = visitor.request("steps", "steps", tree='{"chance": [[1/2, 1], [1/2, 2]]}', algorithm="alphabeta")
    assert answer["algorithm"] == "expectiminimax" and "knows only MAX and MIN" in answer["misfit"]
    assert answer["fits"] == ["expectiminimax", "expectimax", "uct"]
    assert visitor.request("steps", "steps", tree="[(1, 2)]")["algorithm"] == "maxn"


@pytest.mark.parametrize(("fields", "complaint"), [
    ({"tree": "[[3, 12"}, "at character 8"), ({"tree": 5}, "tree must be a string"), ({}, "tree must be a string"),
    ({"tree": "[1]", "algorithm": "negamax"}, "algorithm must be one of"),
    ({"tree": "[1]", "order": "up"}, "order must be one of"),
    ({"tree": "[1]", "algorithm": "uct", "iterations": 10**6}, "iterations must be an integer from 1 to 200"),
    ({"tree": "[1]", "curiosity": -1}, "curiosity must be"), ({"tree": "[1]", "curiosity": "x"}, "curiosity"),
    ({"tree": "[1]", "curiosity": float("nan")}, "curiosity"), ({"tree": "[1]", "curiosity": True}, "curiosity"),
    ({"tree": f"[{'1,' * MOST_NODES}1]"}, "more than 1000 nodes"), ({"tree": "1" * 50_000}, "too long"),
])
def test_a_wrong_request_is_one_line(visitor, fields, complaint):
    visitor.send("steps", **fields)
    with pytest.raises(AssertionError, match="error") as error:
        visitor.receive("steps")
    assert complaint in str(error.value) and "\n" not in str(error.value)


def test_curiosity_is_a_multiple_of_the_c_that_fits_the_leaves(visitor):
    """The leaves of the figure lie 12 apart, so that C is 6 times the square root of 2; other searches have none."""
    shares = []
    for curiosity in (0, 1, 8):
        answer = visitor.request("steps", "steps", tree=FIGURE, algorithm="uct", iterations=200, curiosity=curiosity)
        assert answer["exploration"] == pytest.approx(curiosity * 6 * math.sqrt(2))
        visits = answer["steps"][-1]["numbers"]
        assert sum(visits.values()) == 200
        shares.append(max(visits.values()) / 200)
    assert shares[0] > shares[1] > shares[2], "the more curious, the more even"
    usual = visitor.request("steps", "steps", tree=FIGURE, algorithm="uct", iterations=200)
    assert max(usual["steps"][-1]["numbers"].values()) / 200 == shares[1]
    assert visitor.request("steps", "steps", tree=FIGURE, algorithm="minimax")["exploration"] is None


def test_questions_about_a_tree(visitor):
    first = visitor.request("treequestion", "treequestion", tree=FIGURE, algorithm="alphabeta", number=0)
    assert first["count"] == 3 and "none" in first["choices"] and "right" not in first
    for answer, is_right in (("ba", True), ("ca", False), ("nonsense", None)):
        given = visitor.request("treequestion", "treequestion", tree=FIGURE, algorithm="alphabeta", number=0,
                                answer=answer)
        assert (given["right"], given["shown"]) == (is_right, "ba")


def test_the_name_of_a_deep_leaf_is_an_answer(visitor):
    deep = "[" * 38 + "[1, 2]" + "]" * 38
    asked = visitor.request("treequestion", "treequestion", tree=deep, algorithm="alphabeta", number=0, answer="a" * 39)
    assert (asked["right"], asked["shown"]) == (False, "none")


@pytest.fixture
def trees(page: Page) -> Page:
    """The view Trees on a desk."""
    page.go("trees")
    page.find("#trees-picture svg")
    return page


def text(page: Page) -> str:
    return page.value("#trees-text")


def wait_for_text(page: Page, part: str) -> None:
    page.wait(lambda: part in text(page), f"{part} in the tree")


def node(page: Page, number: int, name: str = "class") -> str:
    return page.find(f'[data-node="{number}"]').get_attribute(name)


def change(page: Page, selector: str, value: str) -> None:
    """Types into a field."""
    page.find(selector)
    page.script("const field = document.querySelector(arguments[0]); field.focus(); field.select()", selector)
    page.press(value, Keys.ENTER)


def test_steps_go_forwards_and_backwards_beside_the_pseudo_code(trees):
    for _ in range(14):
        trees.click("#trees-next")
    assert "bb, bc cut off" in trees.text("#trees-words")
    assert "skipped" in node(trees, 7) and "now" in node(trees, 5)
    assert "value <= α" in trees.text("#trees-listing [aria-current]")
    assert "alpha 3, beta 2" in node(trees, 5, "aria-label")
    trees.click("#trees-previous")
    assert "skipped" not in node(trees, 7) and trees.value("#trees-slider") == "13"
    trees.script("document.activeElement.blur()")
    trees.press(Keys.ARROW_DOWN)
    assert "MAX plays a" in trees.text("#trees-words")
    assert "at most 2" in node(trees, 5, "aria-label")
    assert trees.script("return document.querySelectorAll('#trees-picture .stroke').length") == 2
    trees.press(Keys.ARROW_UP, Keys.ARROW_RIGHT)
    assert trees.value("#trees-slider") == "1"


def test_a_tree_is_built_by_clicking(trees):
    trees.find('[data-node="1"]').click()
    trees.click("#edit-add")
    wait_for_text(trees, "[3, 12, 8, 0]")
    change(trees, "#edit-value-0", "1/3")
    wait_for_text(trees, "[3, 12, 8, 1/3]")
    trees.click("#edit-left")
    wait_for_text(trees, "[3, 12, 1/3, 8]")
    trees.click("#edit-delete")
    wait_for_text(trees, FIGURE)
    trees.click("#trees-undo")
    wait_for_text(trees, "[3, 12, 1/3, 8]")
    trees.find('[data-node="0"]').click()
    trees.choose("#edit-type", "min")
    wait_for_text(trees, '{"min": [{"min"')


def test_chance_and_players(trees):
    trees.find('[data-node="1"]').click()
    trees.choose("#edit-type", "chance")
    wait_for_text(trees, '{"chance": [[1/3, 3], [1/3, 12], [1/3, 8]]}')
    assert trees.value("#trees-algorithm") == "expectiminimax" and "Alpha-beta knows only" in trees.text("#toast")
    trees.find('[data-node="2"]').click()
    change(trees, "#edit-odds", "1/2")
    trees.wait(lambda: "add up to 7/6, not to 1" in trees.text("#trees-problem"), "the problem")
    trees.find('[data-node="3"]').click()
    change(trees, "#edit-odds", "1/6")
    wait_for_text(trees, "[[0.5, 3], [1/6, 12], [1/3, 8]]")
    assert trees.text("#trees-problem") == ""
    trees.choose("#edit-players", "3")
    wait_for_text(trees, "(3, 0, 0)")
    assert trees.value("#trees-algorithm") == "maxn"
    trees.choose("#edit-players", "1")
    wait_for_text(trees, "[0.5, 3]")


def test_a_tree_is_built_by_keyboard_alone(trees):
    trees.script("document.querySelector('[data-node=\"0\"]').focus()")
    trees.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    focused = "return document.activeElement.dataset.node"
    assert trees.script(focused) == "6", "the first leaf of b"
    trees.press(Keys.ENTER)
    trees.wait(lambda: trees.script("return document.activeElement.id") == "edit-value-0", "the field")
    trees.script("document.activeElement.select()")
    trees.press("7", Keys.ENTER)
    wait_for_text(trees, "[7, 4, 6]")
    trees.script("document.querySelector('[data-node=\"6\"]').focus()")
    trees.press(Keys.INSERT)
    wait_for_text(trees, "[[7], 4, 6]")
    trees.wait(lambda: trees.script(focused) == "7", "the new leaf to have the focus")
    trees.press(Keys.DELETE)
    trees.wait(lambda: len(trees.script("return document.querySelectorAll('[role=treeitem]')")) == 13, "its deletion")
    assert trees.script("return document.activeElement.getAttribute('role')") == "treeitem"
    trees.keys("ctrl", "z")
    trees.wait(lambda: len(trees.script("return document.querySelectorAll('[role=treeitem]')")) == 14, "the undoing")


def test_a_text_and_the_order_of_moves(trees):
    trees.script("document.getElementById('trees-text').value = '[[3, 12'")
    trees.click("#trees-form [type=submit]")
    trees.wait(lambda: "at character 8" in trees.text("#trees-problem"), "the problem")
    trees.click("#trees-undo")
    trees.wait(lambda: trees.text("#trees-problem") == "", "no problem")
    trees.click("#trees-worst")
    wait_for_text(trees, "[[6, 4, 2], [14, 5, 2], [12, 8, 3]]")
    trees.click("#trees-last")
    assert trees.script("return document.querySelectorAll('#trees-picture .stroke').length") == 0
    trees.click("#trees-best")
    wait_for_text(trees, "[[3, 8, 12], [2, 4, 6], [2, 5, 14]]")
    trees.click("#trees-last")
    assert trees.script("return document.querySelectorAll('#trees-picture .stroke').length") == 4


def test_iterations_that_are_refused_do_not_stop_other_algorithms(trees):
    trees.choose("#trees-algorithm", "uct")
    trees.wait(lambda: "BACK-PROPAGATE" in trees.text("#trees-listing"), "UCT")
    for iterations in ("0", "500"):
        change(trees, "#trees-iterations", iterations)
        trees.wait(lambda: "iterations must be" in trees.text("#trees-problem"), "the problem")
    trees.choose("#trees-algorithm", "alphabeta")
    trees.wait(lambda: "ALPHA-BETA-SEARCH" in trees.text("#trees-listing"), "alpha-beta")
    assert trees.text("#trees-problem") == ""


def visits(page: Page) -> list[int]:
    """What the list of visits shows."""
    return [int(count) for count in page.script(
        "return [...document.querySelectorAll('#trees-visits li > :last-child')].map((count) => count.textContent)")]


def greedy_visits() -> list[int]:
    """What a hundred iterations bring with C = 0."""
    return [int(count) for _, count in uct_tree(parse_tree(FIGURE), UctOptions(100, 0)).steps[-1].numbers]


def uct_on_phone(page: Page, address: str) -> None:
    """The view on a phone, with a hundred iterations of UCT."""
    page.visit(address, SIZES[0])
    page.go("trees")
    page.find("#trees-picture svg")
    page.choose("#trees-algorithm", "uct")
    page.wait(lambda: sum(visits(page)) == 30, "the visits")
    change(page, "#trees-iterations", "100")
    page.wait(lambda: sum(visits(page)) == 100, "a hundred visits")


def test_the_slider_of_c_changes_the_visits(chromium, server):
    """By keyboard, on a phone: at the left UCT goes where it went well, at the right it tries all alike."""
    uct_on_phone(chromium, server.address)
    assert chromium.text("#trees-c-value") == "8.49 (usual)"
    usual = visits(chromium)
    chromium.script("document.getElementById('trees-c').focus()")
    chromium.press(Keys.HOME)
    chromium.wait(lambda: chromium.text("#trees-c-value") == "0", "C = 0")
    bold = visits(chromium)
    assert bold == greedy_visits() and min(bold) == 1 and max(bold) > max(usual)
    assert chromium.script("return document.activeElement.id") == "trees-c", "arrow keys move the slider, not the step"
    chromium.press(Keys.END)
    chromium.wait(lambda: chromium.text("#trees-c-value") == "136", "C = 136")
    even = visits(chromium)
    assert sum(even) == 100 and max(even) - min(even) <= 4
    chromium.press(Keys.ARROW_LEFT)
    chromium.wait(lambda: chromium.text("#trees-c-value") == "96", "C = 96")
    assert chromium.script("const list = document.getElementById('trees-visits');"
                           "return list.scrollWidth <= list.clientWidth"), "each move has a row of its own"
    label = chromium.find('[data-node="0"]').get_attribute("aria-label")
    assert "visits 100" in label, "the picture shows the end of the search"
    assert chromium.script("return document.documentElement.scrollWidth") <= SIZES[0][0]
    assert chromium.complaints() == []


def test_the_slider_of_c_works_by_touch(chromium, server):
    uct_on_phone(chromium, server.address)
    chromium.script("document.getElementById('trees-c').scrollIntoView({block: 'center'})")
    box = chromium.script("return document.getElementById('trees-c').getBoundingClientRect().toJSON()")
    at = {"x": box["x"] + 2, "y": box["y"] + box["height"] / 2}
    for event, points in (("touchStart", [at]), ("touchEnd", [])):
        chromium.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": event, "touchPoints": points})
    chromium.wait(lambda: chromium.text("#trees-c-value") == "0", "C = 0")
    assert visits(chromium) == greedy_visits()


def test_a_link_opens_the_same_tree(trees, server):
    trees.choose("#trees-algorithm", "uct")
    trees.wait(lambda: "BACK-PROPAGATE" in trees.text("#trees-listing"), "UCT")
    trees.script("document.getElementById('trees-c').focus()")
    trees.press(Keys.HOME)
    trees.wait(lambda: trees.text("#trees-c-value") == "0", "C = 0")
    link = trees.copied("#trees-link")
    assert "#tree=" in link and "algorithm=uct" in link
    trees.visit(link.replace("14", "15"), (1280, 800))
    trees.find("#view-trees")
    wait_for_text(trees, "[15, 5, 2]")
    trees.wait(lambda: trees.value("#trees-algorithm") == "uct", "the algorithm of the link")
    assert trees.text("#trees-c-value") == "0", "its C as well"
    assert trees.driver.current_url.endswith("#trees")
    trees.driver.refresh()
    trees.find("#trees-picture svg")
    wait_for_text(trees, "[15, 5, 2]")


def test_the_quiz_is_about_the_tree(trees):
    trees.click("#tree-quiz-next")
    trees.wait(lambda: "first cutoff" in trees.text(".quiz .question"), "the question")
    trees.script("[...document.querySelectorAll('#tree-quiz-choices button')]"
                 ".find((choice) => choice.textContent === 'ba').click()")
    trees.wait(lambda: trees.text("#tree-quiz-verdict").startswith("Right."), "the verdict")
    for part in ("next cutoff", "Which move does MAX play"):
        trees.click("#tree-quiz-next")
        trees.wait(lambda: part in trees.text(".quiz .question"), part)  # noqa: B023
    assert trees.text("#tree-quiz-score") == "1 of 1 right"


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_view_is_no_wider_than_the_screen(chromium, server, size):
    chromium.visit(server.address, size)
    chromium.go("trees")
    chromium.find("#trees-picture svg")
    assert chromium.script("return document.documentElement.scrollWidth") <= size[0]
    bottom = chromium.script("return document.getElementById('trees-last').getBoundingClientRect().bottom")
    assert bottom <= size[1], "tree, words and buttons are in view together"
    assert chromium.complaints() == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_has_contrast(trees, theme):
    trees.script("document.documentElement.dataset.theme = arguments[0]", theme)
    for _ in range(14):
        trees.click("#trees-next")
    assert trees.script(CONTRAST) == []


def test_everything_has_a_name(trees):
    trees.click("#trees-next")
    nodes = trees.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = {"button", "combobox", "textbox", "slider", "treeitem", "spinbutton", "link"}
    found = [(item["role"]["value"], item.get("name", {}).get("value", "")) for item in nodes
             if not item["ignored"] and item["role"]["value"] in roles]
    assert [role for role, name in found if not name.strip()] == []
    names = {name for _, name in found}
    assert {"Algorithm", "Who moves here", "Next step", "Node b, MIN, not reached"} <= names
