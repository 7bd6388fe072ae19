"""The book as a player uses it: when it is asked, what it plays, and what is said about it."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import chess
import chess.polyglot
import pytest

from book.polyglot import BUILT_IN, Book, BookEntry, pack_move, write_book
from engine.core.game import Game
from engine.player.book import PlayerBook
from engine.player.options import Settings, find_option
from engine.player.request import GoRequest
from engine.system.errors import InputError
from tests.client import Client
from tests.commands.running import run

PLAY = GoRequest(times=(60_000, 60_000))


def settings_with(**values: str) -> Settings:
    settings = Settings()
    for name, value in {"OwnBook": "true", **values}.items():
        settings.set(find_option(name.replace("_", " ") if name.startswith("Book_") else name), value)
    return settings


def opened(**values: str) -> PlayerBook:
    repertoire = PlayerBook(settings_with(**values))
    repertoire.open()
    return repertoire


def test_a_move_of_the_book_is_played_at_once():
    repertoire = opened()
    advice = repertoire.look_up(Game(), PLAY)
    times = []
    for _ in range(5):
        started = time.perf_counter()
        advice = repertoire.look_up(Game(), PLAY)
        times.append(time.perf_counter() - started)
    assert min(times) < 0.005
    assert advice.move in Game().legal_moves()
    assert len(advice.messages) == 1 and advice.messages[0].startswith(f"book {Game().uci(advice.move)} weight ")


def test_the_message_names_the_opening_that_the_move_leads_to():
    for request in (PLAY, GoRequest(movetime=100)):
        advice = opened(Book_Variety="0").look_up(Game(moves="e2e4 e7e5 g1f3 b8c6".split()), request)
        assert re.fullmatch(r"book f1b5 weight \d+, chosen with 100 %: C60 Ruy Lopez", advice.messages[0])


@pytest.mark.parametrize("order", [
    GoRequest(infinite=True), GoRequest(mate=3), GoRequest(search_moves=("e2e4",)), GoRequest(depth=5),
    GoRequest(nodes=9), GoRequest(), *(replace(PLAY, **also) for also in (
        {"infinite": True}, {"mate": 3}, {"search_moves": ("e2e4",)}, {"depth": 5}, {"nodes": 9}, {"ponder": True}))])
def test_the_book_is_not_asked_in_analysis(order):
    assert opened().look_up(Game(), order).move is None


@pytest.mark.parametrize("values", [{"UCI_AnalyseMode": "true"}, {"MultiPV": "2"}, {"OwnBook": "false"}])
def test_settings_keep_the_book_shut(values):
    assert opened(**values).look_up(Game(), PLAY).move is None


def test_the_book_is_asked_as_deep_as_the_setting_says():
    game = Game(moves=["e2e4", "e7e5"])
    assert opened(Book_Depth="2").look_up(game, PLAY).move is not None
    assert opened(Book_Depth="1").look_up(game, PLAY).move is None


def test_without_variety_the_weightiest_move_is_played():
    with Book(BUILT_IN) as book:
        best = max(book.entries(chess.polyglot.zobrist_hash(chess.Board())), key=lambda entry: entry.weight)
    repertoire = opened(Book_Variety="0")
    moves = {repertoire.look_up(Game(), PLAY).move for _ in range(20)}
    assert [pack_move(move) for move in moves if move is not None] == [best.move]


def test_games_are_varied():
    repertoire = opened()
    lines = set()
    for _ in range(100):
        game = Game()
        while len(game.moves) < 6 and (move := repertoire.look_up(game, PLAY).move) is not None:
            game.push_uci(game.uci(move))
        lines.add(tuple(game.moves))
    assert len(lines) >= 60


def test_the_opening_is_named_once_when_the_book_ends():
    repertoire = opened()
    game = Game(moves="e2e4 e7e5 g1f3 b8c6 f1b5 h7h5 a2a4 a7a5 h2h4".split())
    assert repertoire.look_up(game, PLAY).messages == ("out of book: C60 Ruy Lopez",)
    assert repertoire.look_up(game, PLAY).messages == ()
    repertoire.begin_game()
    assert repertoire.look_up(game, PLAY).messages == ("out of book: C60 Ruy Lopez",)


def test_illegal_moves_are_passed_over_with_a_warning(tmp_path):
    path = tmp_path / "book.bin"
    key = chess.polyglot.zobrist_hash(chess.Board())
    write_book([BookEntry(key, chess.E2 << 6 | chess.E5, 900), BookEntry(key, chess.E2 << 6 | chess.E4, 1)], path)
    advice = opened(BookFile=str(path)).look_up(Game(), PLAY)
    assert Game().uci(advice.move or 0) == "e2e4"
    assert advice.messages[0] == "book: e2e5 is illegal here and was skipped"


def test_promotions_and_castling_come_out_right(tmp_path):
    path = tmp_path / "book.bin"
    for fen, chess960, text, packed in (
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", False, "a7a8n", 1 << 12 | chess.A7 << 6 | chess.A8),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", False, "e1g1", chess.E1 << 6 | chess.H1),
            ("4k3/8/8/8/8/8/8/4K2R w H - 0 1", True, "e1h1", chess.E1 << 6 | chess.H1),
            ("4k3/8/8/8/8/8/8/1RK5 w B - 0 1", True, "c1b1", chess.C1 << 6 | chess.B1)):
        board = chess.Board(fen, chess960=chess960)
        write_book([BookEntry(chess.polyglot.zobrist_hash(board), packed, 5)], path)
        game = Game(fen, chess960)
        advice = opened(BookFile=str(path)).look_up(game, PLAY)
        assert board.is_legal(board.parse_uci(text))
        assert game.uci(advice.move or 0) == text


def test_a_bad_book_is_refused_and_the_old_one_stays(tmp_path):
    settings = settings_with()
    repertoire = PlayerBook(settings)
    repertoire.open()
    settings.set(find_option("BookFile"), str(tmp_path / "nowhere\0.bin"))
    with pytest.raises(InputError, match=r"cannot read |invalid file name"):
        repertoire.open()
    settings.set(find_option("BookFile"), str(tmp_path / "nowhere.bin"))
    with pytest.raises(InputError, match=r"cannot read |invalid file name"):
        repertoire.open()
    assert repertoire.look_up(Game(), PLAY).move is not None


@pytest.mark.parametrize("is_loaded", [True, False])
@pytest.mark.parametrize("names", [("OwnBook", "BookFile"), ("BookFile", "OwnBook")])
def test_a_bad_file_leaves_the_wish_for_a_book(tmp_path, is_loaded, names):
    (tmp_path / "bad.bin").write_bytes(b"nonsense")
    values = {"OwnBook": "true", "BookFile": str(tmp_path / "bad.bin")}
    client = Client()
    if is_loaded:
        client.load()
    client.say(*(f"setoption name {name} value {values[name]}" for name in names))
    said = client.load()
    assert len([line for line in said if "option BookFile: book" in line and "is truncated" in line]) == 1
    client.say("go wtime 60000 btime 60000")
    assert any(line.startswith("info string book ") for line in client.until("bestmove"))
    assert client.quit() == 0


def test_the_book_is_used_without_any_setting():
    client = Client(own_book=True)
    client.load()
    client.say("position startpos", "go movetime 100")
    assert any(re.match(r"info string book \w+ weight \d+, chosen with \d+ %: [A-E]\d\d ", line)
               for line in client.until("bestmove"))
    client.say("position startpos", "go depth 2")
    assert not any(line.startswith("info string book") for line in client.until("bestmove"))
    assert client.quit() == 0


def test_through_uci(tmp_path):
    (tmp_path / "bad.bin").write_bytes(b"nonsense")
    client = Client()
    client.load()
    client.ask("setoption name OwnBook value true")
    client.say("position startpos", "go wtime 60000 btime 60000")
    lines = client.until("bestmove")
    assert any(line.startswith("info string book ") for line in lines)
    (info,) = (line for line in lines if line.startswith("info depth"))  # without a search, but hosts expect a line
    assert " nodes 0 " in info and info.split()[-1] == lines[-1].split()[1]
    assert chess.Board().parse_uci(lines[-1].split()[1])
    said = client.ask(f"setoption name BookFile value {tmp_path / 'bad.bin'}")
    assert len(said) == 1 and "is truncated or not a Polyglot book" in said[0]
    client.say("go wtime 60000 btime 60000")
    assert any(line.startswith("info string book ") for line in client.until("bestmove"))
    client.say("position fen 4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "go depth 3")
    assert client.until("bestmove")
    client.say("position startpos", "go ponder wtime 60000 btime 60000")
    time.sleep(0.3)
    client.say("ponderhit")
    assert client.until("bestmove")
    assert client.quit() == 0


def test_the_built_in_book_is_whole_and_sound(capsys):
    assert BUILT_IN.stat().st_size <= 1_000_000
    with Book(BUILT_IN) as book:
        assert len({entry.key for entry in book}) >= 20_000
    status, out, _ = run(capsys, "book", "check")
    assert status == 0, out
    assert "0 duplicates" in out and "0 of their moves are illegal" in out
