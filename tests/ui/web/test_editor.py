"""The position editor, links and pictures in a real browser."""

from __future__ import annotations

import base64

import chess
import pytest

from tests.ui.browsing import Keys, Page

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
GAME = "1. e4 {Best by test} e5 2. Nf3 Nc6 (2... d6 3. d4) 3. Bb5 *"
SAVED = """URL.createObjectURL = (blob) => {
      const reader = new FileReader();
      reader.onload = () => { window.saved = reader.result; };
      reader.readAsDataURL(blob);
      return "#";
    };
    document.addEventListener("click", (event) => { if (event.target.download) event.preventDefault(); }, true);"""


@pytest.fixture
def editor(page: Page) -> Page:
    page.go("analyse")
    page.click("#engine-on")
    page.click("#analyse-more summary")
    page.click("#analyse-edit")
    page.find("#editor .host .piece")
    return page


def cell(page: Page, name: str) -> object:
    return page.find(f"#editor .host [data-square={name}]")


def placement(page: Page) -> str:
    return page.value("#editor [data-field=fen]").split()[0]


def test_pieces_are_dragged_placed_and_removed(editor):
    board = chess.Board()
    editor.drag_element(cell(editor, "e2"), cell(editor, "e5"))
    board.set_piece_at(chess.E5, board.remove_piece_at(chess.E2))
    assert placement(editor) == board.board_fen()
    editor.drag_element(editor.find("#editor .palette [data-tool=q]"), cell(editor, "a4"))
    board.set_piece_at(chess.A4, chess.Piece.from_symbol("q"))
    assert placement(editor) == board.board_fen()
    editor.drag_element(cell(editor, "a4"), editor.find("#editor h2"))
    board.remove_piece_at(chess.A4)
    assert placement(editor) == board.board_fen()
    editor.click("#editor .palette [data-tool=N]")
    cell(editor, "h6").click()
    editor.click("#editor .palette [data-tool='']")
    cell(editor, "d8").click()
    board.set_piece_at(chess.H6, chess.Piece.from_symbol("N"))
    board.remove_piece_at(chess.D8)
    assert placement(editor) == board.board_fen()
    editor.click("#editor [data-act=analyse]")
    editor.wait(lambda: editor.copied("#analyse-copy-fen").split()[0] == board.board_fen(), "the position")


def test_pieces_are_placed_with_the_keyboard(editor):
    editor.click("#editor [data-act=clear]")
    for tool, square in (("K", "e2"), ("k", "e7")):
        editor.find(f"#editor .palette [data-tool={tool}]").send_keys(Keys.ENTER)
        editor.script("document.querySelector(arguments[0]).focus()", f"#editor .host [data-square={square}]")
        editor.press(Keys.ENTER)
    assert placement(editor) == "8/4k3/8/8/8/8/4K3/8"
    assert editor.text("#editor .problem") == ""


def test_rights_turn_and_en_passant(editor):
    field = editor.find("#editor [data-field=fen]")
    field.clear()
    field.send_keys("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3")
    editor.click("label:has([name=editor-turn][value=b])")
    editor.choose("#editor [data-field=ep]", "e3")
    editor.click("label:has([data-right=Q])")
    assert editor.value("#editor [data-field=fen]") == "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b Kkq e3 0 3"
    editor.click("#editor [data-act=analyse]")
    editor.move_by_clicks("d4", "e3")
    assert editor.current() == "dxe3"


@pytest.mark.parametrize(("change", "message"), [
    ("clear", "White has no king."), ("two kings", "White has more than one king."), ("check", "White is in check")])
def test_impossible_positions_are_named(editor, change, message):
    if change == "clear":
        editor.click("#editor [data-act=clear]")
    elif change == "two kings":
        editor.click("#editor .palette [data-tool=K]")
        cell(editor, "e4").click()
    else:
        field = editor.find("#editor [data-field=fen]")
        field.clear()
        field.send_keys("4k3/8/8/8/8/8/4r3/4K3 b - - 0 1")
    assert editor.text("#editor .problem").startswith(message)
    assert not editor.find("#editor [data-act=analyse]").is_enabled()


@pytest.mark.parametrize("number", [0, 1, 518, 959, 692, 338])
def test_chess960_starts_are_those_of_python_chess(editor, number):
    editor.script("const field = document.querySelector('#editor [data-field=number]'); field.value = arguments[0];"
                  "field.dispatchEvent(new Event('change'))", number)
    assert placement(editor) == chess.Board.from_chess960_pos(number).board_fen()
    editor.click("#editor [data-act=analyse]")
    wanted = chess.Board.from_chess960_pos(number).fen(shredder=True)
    assert editor.copied("#analyse-copy-fen") == wanted


def link(page: Page, what: str) -> str:
    page.click("#analyse-more summary")
    page.click("#analyse-share")
    page.click(f"label:has([name=share][value={what}])")
    page.wait(lambda: page.value("#share-link"), "a link")
    found = page.wait(lambda: (text := page.value("#share-link")) and
                      (("pgn=" in text) == (what == "game")) and text, "the link")
    page.click("#share-dialog .primary")
    return str(found)


def test_a_link_carries_a_position(page, server):
    page.drop("position.fen", KIWIPETE)
    page.wait(lambda: page.script("return document.querySelectorAll('#analyse-board .piece').length") == 32, "it")
    address = link(page, "position")
    assert address.startswith(server.address) and " " not in address
    page.visit(server.address, (1280, 800))
    page.driver.get(address)
    page.wait(lambda: page.script("return location.hash") == "#analyse", "the link to be taken")
    page.find("#view-analyse")
    page.wait(lambda: page.copied("#analyse-copy-fen") == KIWIPETE, "the position")


def test_a_link_carries_a_game_with_its_variations(page, server):
    page.drop("game.pgn", GAME)
    page.wait_for_moves(5, "analyse")
    page.click("#analyse-moves ol > li:nth-child(2) button")
    before = page.copied("#analyse-copy-pgn")
    address = link(page, "game")
    page.visit(server.address, (1280, 800))
    page.driver.get(address)
    page.wait_for_moves(5, "analyse")
    assert page.current() == "e4"
    assert page.value("#note") == "Best by test"
    assert page.copied("#analyse-copy-pgn") == before


@pytest.mark.parametrize("fragment", ["pgn=%%%", "pgn=AAAA", "fen=8/8/8", "fen=<script>alert(1)</script>",
                                      "pgn=7cExAQAAAMKg9U9tCF8gAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
def test_damaged_links_change_nothing(page, fragment):
    page.drop("game.pgn", GAME)
    page.wait_for_moves(5, "analyse")
    page.script("location.hash = arguments[0]", fragment)
    page.wait(lambda: page.script("return !document.getElementById('toast').hidden"), "a message")
    assert len(page.moves("analyse")) == 5


def test_pictures_are_saved(page):
    page.drop("position.fen", KIWIPETE)
    page.wait(lambda: page.script("return document.querySelectorAll('#analyse-board .piece').length") == 32, "it")
    page.click("#analyse-more summary")
    page.click("#analyse-share")
    page.wait(lambda: page.script("return document.getElementById('share-picture')?.naturalWidth"), "the picture")
    page.script(SAVED)
    page.click("#share-svg")
    text = page.wait(lambda: page.script("return window.saved ?? ''"), "a file")
    assert base64.b64decode(text.split(",")[1]).decode().count("<use ") == 32
    page.script("window.saved = ''")
    page.click("#share-png")
    text = page.wait(lambda: page.script("return window.saved"), "a file")
    assert base64.b64decode(text.split(",")[1]).startswith(b"\x89PNG")


def test_a_position_is_pasted_anywhere(page):
    page.go("watch")
    page.script("""const data = new DataTransfer(); data.setData("text/plain", arguments[0]);
        document.body.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));""", KIWIPETE)
    page.find("#view-analyse")
    page.wait(lambda: page.copied("#analyse-copy-fen") == KIWIPETE, "the position")
