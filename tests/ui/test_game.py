"""The model of a game at a board: moves, clocks, take-backs, every way to end, and PGN that comes back as it went."""

from __future__ import annotations

import io

import chess
import chess.pgn
import pytest

from engine.system.errors import InputError
from engine.ui.clock import TimeControl, format_time, parse_time_control, parse_time_control_tag
from engine.ui.game import GameOutcome, PlayedGame, PlayerInfo, Termination, starting_board

SCHOLARS_MATE = "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#".split()


class Hand:
    """A watch that stands still until it is moved on, by milliseconds."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds

    def wait(self, milliseconds: int) -> None:
        self.seconds += milliseconds / 1000


def played(moves, board=None, **details) -> PlayedGame:
    game = PlayedGame(board, **details)
    for move in moves:
        game.push(move)
    return game


def on_board(fen: str) -> PlayedGame:
    return PlayedGame(starting_board(fen))


@pytest.mark.parametrize("text", ["e4", "E4", "e2e4", "e2-e4", "E2E4", "e2 e4", "e4!", " e4 "])
def test_a_pawn_move_as_people_write_it(text):
    assert PlayedGame().push(text) == chess.Move.from_uci("e2e4")


@pytest.mark.parametrize("text", ["O-O", "0-0", "o-o", "oo", "00", "e1g1", "e1-g1", "e1h1"])
def test_castling_as_people_write_it(text):
    game = on_board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    game.push(text)
    assert game.board.piece_type_at(chess.F1) == chess.ROOK


@pytest.mark.parametrize(("text", "wanted"), [
    ("nf3", "g1f3"), ("NF3", "g1f3"), ("ng1f3", "g1f3"), ("bc3", "b2c3"), ("Bc3", "d2c3"), ("bxc3", "b2c3"),
    ("Bxc3", "d2c3"), ("g8=q", "g7g8q"), ("g8n", "g7g8n"), ("g7g8q", "g7g8q"), ("gxh8(Q)", "g7h8q")])
def test_letters_in_the_wrong_case(text, wanted):
    game = on_board("7r/k5P1/8/8/8/2n5/1P1B4/4K1N1 w - - 0 1")
    assert game.push(text).uci() == wanted


@pytest.mark.parametrize(("text", "response"), [
    ("g8", "name the new piece, as in g8="), ("g7g8", "name the new piece"), ("Ng3", "Nfg3 or Nhg3|Nhg3 or Nfg3"),
    ("Ke5", "not a legal move"), ("", "not a legal move"), ("0000", "not a legal move"), ("--", "not a legal move"),
    ("x" * 1000, "not a legal move")])
def test_what_cannot_be_played_is_told(text, response):
    game = on_board("8/k5P1/8/5N1N/8/8/8/4K3 w - - 0 1")
    with pytest.raises(InputError, match=response):
        game.push(text)
    assert not game.moves


ENDS = [
    (SCHOLARS_MATE, chess.STARTING_FEN, GameOutcome(chess.WHITE, Termination.CHECKMATE)),
    (["Qb6"], "k7/8/8/1Q6/8/8/8/4K3 w - - 0 1", GameOutcome(None, Termination.STALEMATE)),
    (["Nf3", "Nf6", "Ng1", "Ng8"] * 2, chess.STARTING_FEN, GameOutcome(None, Termination.REPETITION)),
    (["Kxd2"], "4k3/8/8/8/8/8/3r4/4K3 w - - 0 1", GameOutcome(None, Termination.MATERIAL)),
    (["Ra2"], "4k3/8/8/8/8/8/8/R3K3 w - - 99 80", GameOutcome(None, Termination.FIFTY_MOVES)),
    (["Ra8#"], "4k3/8/4K3/8/8/8/8/R7 w - - 99 80", GameOutcome(chess.WHITE, Termination.CHECKMATE)),
]


@pytest.mark.parametrize(("moves", "fen", "outcome"), ENDS)
def test_the_rules_end_a_game(moves, fen, outcome):
    game = on_board(fen)
    for move in moves[:-1]:
        game.push(move)
        assert game.outcome is None
    game.push(moves[-1])
    assert game.outcome == outcome
    with pytest.raises(InputError, match="the game is over"):
        game.resign(chess.WHITE)


def test_people_end_a_game():
    game = played(["e4"])
    game.resign(chess.BLACK)
    assert str(game.outcome) == "white wins by resignation" and game.outcome.result == "1-0"
    other = played(["e4"])
    other.agree_draw()
    assert str(other.outcome) == "draw: agreement" and other.outcome.result == "1/2-1/2"
    with pytest.raises(InputError, match="the game is over"):
        other.push("e5")


def test_the_clock_runs_from_the_first_move_on():
    hand = Hand()
    game = PlayedGame(control=TimeControl(60_000, 2000), now=hand)
    hand.wait(50_000)
    assert game.clock.left(chess.WHITE) == 60_000
    game.push("e4")
    hand.wait(1500)
    assert game.clock.running == chess.BLACK
    assert (game.clock.left(chess.WHITE), game.clock.left(chess.BLACK)) == (62_000, 58_500)
    game.push("e5")
    hand.wait(500)
    assert (game.clock.left(chess.WHITE), game.clock.left(chess.BLACK)) == (61_500, 60_500)
    game.pause()
    hand.wait(9000)
    game.resume()
    hand.wait(100)
    assert game.clock.left(chess.WHITE) == 61_400


@pytest.mark.parametrize(("fen", "winner"), [
    ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", chess.WHITE), ("4k3/p7/8/8/8/8/8/4K3 w - - 0 1", None)])
def test_a_flag_falls(fen, winner):
    """If the other side can never mate, it is a draw."""
    hand = Hand()
    game = PlayedGame(starting_board(fen), TimeControl(1000), now=hand)
    game.push("Kd1")
    hand.wait(999)
    assert not game.is_over
    hand.wait(1)
    assert game.outcome == GameOutcome(winner, Termination.FLAG)
    with pytest.raises(InputError, match="the game is over"):
        game.push("Kd7")


def test_taking_back_returns_to_the_persons_move():
    hand = Hand()
    game = PlayedGame(control=TimeControl(60_000, 1000), now=hand)
    with pytest.raises(InputError, match="no move to take back"):
        game.take_back(chess.WHITE)
    for move in ("e4", "d5", "exd5"):
        game.push(move)
        hand.wait(5000)
    assert game.taken(chess.BLACK) == [chess.PAWN]
    game.push("Qxd5")
    assert game.take_back(chess.WHITE) == 2
    assert [move.uci() for move in game.moves] == ["e2e4", "d7d5"] and game.taken(chess.BLACK) == []
    assert (game.clock.left(chess.WHITE), game.clock.left(chess.BLACK)) == (61_000, 56_000)
    assert game.take_back(chess.BLACK) == 1
    assert game.turn == chess.BLACK and not game.can_take_back(chess.BLACK) and game.can_take_back(chess.WHITE)


def test_taking_back_makes_a_game_go_on():
    game = played(SCHOLARS_MATE)
    assert game.take_back(chess.BLACK) == 2 and game.outcome is None
    game.push("g6")
    game.resign(chess.BLACK)
    assert game.take_back(chess.BLACK) == 1 and not game.is_over


def test_men_that_were_taken():
    game = on_board("4k3/q7/8/3pP3/8/8/8/4K2R w K d6 0 1")
    game.push("exd6")
    assert (game.taken(chess.BLACK), game.lead()) == ([chess.PAWN], 5 + 1 - 9)
    game = played(["e4", "d5", "exd5", "Qxd5", "Nc3", "Qxg2", "Bxg2"])
    assert game.taken(chess.BLACK) == [chess.QUEEN, chess.PAWN]
    assert game.taken(chess.WHITE) == [chess.PAWN, chess.PAWN]


def test_openings_are_named():
    assert PlayedGame().opening() == ""
    assert played(["e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5"]).opening().startswith("C50 Italian Game")
    assert PlayedGame(starting_board(number=518)).opening() == ""


@pytest.mark.parametrize("number", [0, 518, 959])
def test_chess960_starts(number):
    board = starting_board(number=number)
    assert board.chess960_pos() == number and board.chess960
    assert PlayedGame.from_pgn(PlayedGame(board).pgn()).board == board


@pytest.mark.parametrize("details", [{"fen": "nonsense"}, {"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}, {"number": 960}])
def test_starts_that_are_none(details):
    with pytest.raises(InputError):
        starting_board(**details)


def test_pgn_goes_out_and_comes_back():
    hand = Hand()
    players = (PlayerInfo("Anna"), PlayerInfo("Adversary", is_person=False, elo=1200))
    game = PlayedGame(control=TimeControl(300_000, 3000), players=players, now=hand)
    for move in ("e4", "e5", "Nf3"):
        game.push(move)
        hand.wait(7000)
    text = game.pgn()
    record = chess.pgn.read_game(io.StringIO(text))
    assert not record.errors and record.headers["TimeControl"] == "300+3" and record.headers["Result"] == "*"
    assert record.headers["ECO"] == "C40" and record.headers["BlackElo"] == "1200"
    assert [node.clock() for node in record.mainline()] == [303, 296, 299]
    again = PlayedGame.from_pgn(text, hand)
    assert again.pgn() == text
    assert again.player(chess.BLACK) == players[1] and again.player(chess.WHITE).is_person
    assert again.clock.running is None and again.clock.left(chess.BLACK) == 296_000
    again.push("Nc6")
    assert again.clock.left(chess.BLACK) == 299_000


@pytest.mark.parametrize("end", [lambda game: game.resign(chess.WHITE), PlayedGame.agree_draw, lambda game: None])
def test_every_end_comes_back(end):
    game = played(["e4", "e5"])
    end(game)
    again = PlayedGame.from_pgn(game.pgn())
    assert again.outcome == game.outcome and again.pgn() == game.pgn()


def test_a_fallen_flag_comes_back():
    hand = Hand()
    game = played(["e4", "e5"], control=TimeControl(1000), now=hand)
    hand.wait(2000)
    assert game.outcome == PlayedGame.from_pgn(game.pgn()).outcome == GameOutcome(chess.BLACK, Termination.FLAG)


@pytest.mark.parametrize("text", ["", "nonsense of no game", "1. e4 e5 2. Ke4 *", "1. e4 -- 2. d4 *",
                                  '[FEN "nonsense"]\n\n1. e4 *', '[Variant "Atomic"]\n\n1. e4 *'])
def test_pgn_that_is_of_no_use_is_told_in_a_line(text):
    with pytest.raises(InputError) as caught:
        PlayedGame.from_pgn(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("text", "control", "tag"), [
    ("5+3", TimeControl(300_000, 3000), "300+3"), ("0.5+0", TimeControl(30_000), "30"),
    ("90+30", TimeControl(5_400_000, 30_000), "5400+30")])
def test_clocks_as_people_write_them(text, control, tag):
    assert parse_time_control(text) == control == parse_time_control_tag(tag)
    assert control.tag() == tag and str(control) == text


@pytest.mark.parametrize("text", ["", "5", "0+3", "5+", "-5+3", "5+3+1", "a+b", "99999+1"])
def test_clocks_that_are_none(text):
    with pytest.raises(InputError, match="as in 5"):
        parse_time_control(text)


@pytest.mark.parametrize(("milliseconds", "text"), [
    (0, "0:00.0"), (9999, "0:09.9"), (10_000, "0:10"), (65_400, "1:05"), (3_661_000, "1:01:01")])
def test_times_as_people_read_them(milliseconds, text):
    assert format_time(milliseconds) == text
