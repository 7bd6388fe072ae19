"""The coach in a real browser: moves and arrows are explained in place, mistakes are gone to by key and by count."""

from __future__ import annotations

import pytest

from tests.ui.browsing import Keys, Page
from tests.ui.web.test_practice import GAME

GO = """[...document.querySelectorAll("#analyse-moves button > span:first-child")]
        .find((cell) => cell.firstChild.textContent === arguments[0]).parentElement.click()"""


@pytest.fixture
def coach(page: Page) -> Page:
    """A game with two blunders on the analysis board, with the engine off."""
    page.go("analyse")
    page.click("#engine-on")
    page.drop("game.pgn", GAME)
    page.wait_for_moves(8, "analyse")
    page.script("document.activeElement.blur()")
    return page


def wait_for_words(page: Page, words: str) -> None:
    page.wait(lambda: words in page.text("#coach"), f"the coach to say {words}")


def test_a_click_on_a_move_explains_it_until_one_goes_on(coach):
    coach.script(GO, "Nf6")
    wait_for_words(coach, "does not stop 4.Qxf7#")
    assert coach.text("#coach").startswith("best: ")
    coach.press(Keys.ARROW_RIGHT)
    coach.wait(lambda: not coach.script("return document.getElementById('coach').checkVisibility()"), "the words to go")
    coach.press("e")
    wait_for_words(coach, "Nf3")


def test_keys_and_counts_lead_to_the_mistakes(coach):
    coach.press(Keys.ARROW_UP)
    coach.press(".")
    coach.wait(lambda: coach.current().startswith("Nf6"), "the first mistake")
    coach.press(".")
    coach.wait(lambda: coach.current().startswith("Nf3"), "the second one")
    coach.press(",")
    coach.wait(lambda: coach.current().startswith("Nf6"), "the first one again")
    coach.press(",")
    coach.wait(lambda: "no mistake before" in coach.text("#toast"), "a word that there is none")


def test_an_arrow_of_the_engine_is_explained(coach):
    coach.press(Keys.ARROW_UP)
    coach.click("#engine-on")
    coach.find("#analyse-board .arrow.best")
    coach.script("""const arrow = document.querySelector("#analyse-board .arrow.best");
        arrow.dispatchEvent(new MouseEvent("click", { bubbles: true }));""")
    wait_for_words(coach, "White wins")


def test_an_annotated_game_is_summed_up_and_its_counts_are_buttons(coach):
    coach.click("#analyse-annotate")
    coach.click("#annotate-dialog button[value=annotate]")
    coach.wait(lambda: "The game was decided by" in coach.text("#summary"), "the summary", 120)
    assert coach.script("return document.querySelectorAll('#summary li').length") == 5
    sentences = coach.text("#summary")
    coach.driver.refresh()
    coach.wait(lambda: coach.text("#summary") == sentences, "the same summary after a reload")
    coach.press(Keys.ARROW_UP)
    coach.click("#players > :last-child [data-mark='??']")
    coach.wait(lambda: coach.current().startswith("Nf6"), "Black's blunder")
    wait_for_words(coach, "does not stop 4.Qxf7#")
