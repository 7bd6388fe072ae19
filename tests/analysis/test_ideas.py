"""Each named idea, proven on a line that has it and not found on one that nearly has it."""

from __future__ import annotations

from typing import NamedTuple

import chess
import pytest

from engine.analysis.attack_ideas import can_check_forever
from engine.analysis.ideas import IDEAS, ideas_in, with_article
from engine.analysis.tactical_line import TacticalLine

FRENCH = "rnbq1rk1/pppn1ppp/4p3/3pP3/1b1P4/2NB1N2/PPP2PPP/R1BQK2R w KQ - 5 7"
BEFORE_CASTLING = "rnbqk2r/pppn1ppp/4p3/3pP3/1b1P4/2NB1N2/PPP2PPP/R1BQK2R b KQkq - 4 6"
PINNED = "r2qkbnr/ppp2ppp/2np4/4p2b/2B1P3/2N2N1P/PPPP1PP1/R1BQK2R w KQkq - 1 6"
KINGS_PAWNS = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
POISONED = "r1b1kbnr/pp2pppp/1qn5/2pp4/3P1B2/2N1PN2/PPP2PPP/R2QKB1R b KQkq - 4 5"
TARRASCH = "r1bqkb1r/pp3ppp/2n1pn2/2pp4/2PP4/2N1PN2/PP3PPP/R1BQKB1R w KQkq - 0 6"


class Pair(NamedTuple):
    """A line with an idea, and one that looks like it; None for the same position."""

    name: str
    fen: str
    moves: str
    near_fen: str | None
    near_moves: str


PAIRS = (
    Pair("Greek gift", FRENCH, "Bxh7+ Kxh7 Ng5+",  # without a knight that reaches g5
         "rnbq1rk1/pppn1ppp/4p3/3pP3/1b1P4/2NB4/PPP1NPPP/R1BQK2R w KQ - 5 7", "Bxh7+ Kxh7 Qd3+"),
    Pair("Légal's mate", PINNED, "Nxe5 Bxd1 Bxf7+ Ke7 Nd5#", None, "Nxe5 Nxe5 Qxh5"),
    Pair("windmill", "r6k/pb3pRp/8/8/8/8/PB3PPP/6K1 w - - 0 1", "Rxf7+ Kg8 Rg7+ Kh8 Rxb7+ Kg8 Rg7+ Kh8 Rxa7+",
         None, "Rxf7+ Kg8 Rd7 Bc8 Rg7+"),
    Pair("fork trick", "rnbqkb1r/pppp1ppp/5n2/4p3/2B1P3/2N5/PPPP1PPP/R1BQK1NR b KQkq - 3 3", "Nxe4 Nxe4 d5",
         "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/2N3P1/PPPP1P1P/R1BQKBNR b KQkq - 0 3", "Nxe4 Nxe4 d5"),
    Pair("Noah's Ark trap", "r1bqkbnr/2p2ppp/p2p4/1p6/3QP3/1B6/PPP2PPP/RNB1K2R b KQkq - 0 8",
         "c5 Qd5 Be6 Qc6+ Bd7 Qd5 c4 Nc3 cxb3",  # without the pawn on a2 the bishop has a way out
         "r1bqkbnr/2p2ppp/p2p4/1p6/3QP3/1B6/1PP2PPP/RNB1K2R b KQkq - 0 8", "c5 Qd5 Be6 Qc6+ Bd7 Qd5 c4"),
    Pair("stalemate trick", "7k/1R6/8/8/8/7p/5q1P/7K w - - 0 1", "Rh7+ Kxh7",
         "7k/1R6/8/8/8/8/5q1P/7K w - - 0 1", "Rh7+ Kxh7"),
    Pair("perpetual check", "6k1/4pp1p/5p2/8/3Q4/1q6/r4PPP/6K1 w - - 0 1", "Qg4+ Kf8 Qc8+ Kg7",
         "5rk1/5p1p/5p2/8/3Q4/1q6/r4PPP/6K1 w - - 0 1", "Qg4+ Kh8"),
    Pair("underpromotion", "8/2P5/8/8/3r4/8/2K5/k7 w - - 0 1", "c8=R Ra4", None, "c8=Q Rc4+"),
    Pair("double check", "rnbk1b1r/pp3ppp/2p5/4q3/4n3/8/PPPB1PPP/2KR1BNR w - - 0 10", "Bg5+ Ke8 Rd8#",
         None, "Bb4+ Nd7 Bxf8"),
    Pair("trapped piece", "2k5/ppp2ppp/4b3/8/8/4B3/PPP2PPP/2K5 w - - 0 1", "Bxa7 b6 a4 Kb7",
         "2k5/p1p2ppp/1p2b3/8/8/4B3/PPP2PPP/2K5 w - - 0 1", "Bxb6 cxb6 a4 Kb7"),
    Pair("Réti's manoeuvre", "7K/8/k1P5/7p/8/8/8/8 w - - 0 1", "Kg7 h4 Kf6",
         "7K/8/k1P5/8/6p1/8/6P1/8 w - - 0 1", "Kg7 Kb6 Kf6"),
    Pair("rook behind a passed pawn", "8/5pk1/6p1/2r4p/P6P/6P1/3R1PK1/8 w - - 0 1", "Ra2 Ra5",
         None, "Rd4 Ra5"),
    Pair("desperado", "8/Bkp5/1p6/8/8/8/5PPP/6K1 w - - 0 1", "Bxb6 cxb6",
         "8/1kp5/1p6/2B5/8/8/5PPP/6K1 w - - 0 1", "Bxb6 cxb6"),
    Pair("overload", "3r2k1/5ppp/8/8/3n4/8/5PPP/3RR1K1 w - - 0 1", "Rxd4 Rxd4 Re8#",
         "3r1k2/5ppp/8/8/3n4/8/5PPP/3RR1K1 w - - 0 1", "Rxd4 Rxd4 Re8+"),
    Pair("exchange sacrifice", "3q1rk1/pp1bppbp/3p2pB/8/2rNn1P1/2N1QP2/PPP5/2KR3R b - - 1 17", "Rxc3 bxc3",
         "3q1rk1/pp1bppbp/3p2pB/8/2rNn1P1/1QN2P2/PP6/2KR3R b - - 1 17", "Rxc3+ Qxc3 Nxc3"),
    Pair("Lucena position", "3K4/3P1k2/8/8/8/8/2r5/4R3 w - - 0 1", "Re4 Rc1",
         "K7/P1k5/8/8/8/8/2r5/4R3 w - - 0 1", "Re4 Rc1"),
    Pair("Philidor position", "4k3/R7/8/3KP3/8/8/8/6r1 b - - 0 1", "Rg6 Ra8+", None, "Rg5 Ke6"),
    Pair("wrong bishop", "8/1k6/8/P7/2K5/8/8/2B5 b - - 0 1", "Ka8", "8/1k6/8/P7/2K5/8/8/3B4 b - - 0 1", "Ka8"),
    Pair("trebuchet", "8/8/2K5/4p3/4Pk2/8/8/8 w - - 0 1", "Kd5", "8/8/2K5/4p3/4P1k1/8/8/8 w - - 0 1", "Kd5"),
    Pair("opposition", "8/4k3/8/8/3KP3/8/8/8 w - - 0 1", "Ke5", None, "Kd5"),
    Pair("zugzwang", "4k3/8/3KP3/8/8/8/8/8 w - - 0 1", "e7", "3k4/8/3KP3/8/8/8/8/8 w - - 0 1", "e7+"),
    Pair("pawn breakthrough", "7k/ppp5/8/PPP5/8/8/8/7K w - - 0 1", "b6 cxb6 a6 bxa6 c6",
         "2k5/ppp5/8/PPP5/8/8/8/7K w - - 0 1", "b6 cxb6 a6 bxa6 c6"),
    Pair("castling into an attack", BEFORE_CASTLING, "O-O Bxh7+ Kxh7 Ng5+", None, "O-O O-O c5 a3"),
    Pair("premature attack", KINGS_PAWNS, "Qh5", None, "Qe2"),
    Pair("greedy capture", POISONED, "Qxb2 Nxd5", None, "cxd4 exd4"),
    Pair("minority attack", "r2q1rk1/pp1nbppp/2p1bn2/3p4/3P1B2/2NBPN2/PPQ2PPP/1R3RK1 w - - 0 11", "b4",
         "r2q1rk1/pp1nbppp/4bn2/3p4/3P1B2/2NBPN2/PPQ2PPP/1R3RK1 w - - 0 11", "b4"),
    Pair("outpost", "r1bq1rk1/pp3ppp/2np4/4p3/4P3/2N5/PPP1BPPP/R2Q1RK1 w - - 0 1", "Nd5",
         "r1bq1rk1/ppp2ppp/2np4/4p3/4P3/2N5/PPP1BPPP/R2Q1RK1 w - - 0 1", "Nd5"),
    Pair("weak square", "r1bq1rk1/pp2ppbp/2np1np1/8/4P3/2N1BN2/PPP1BPPP/R2Q1RK1 b - - 0 9", "e5",
         "r1bq1rk1/1pp1ppbp/2np1np1/8/4P3/2N1BN2/PPP1BPPP/R2Q1RK1 b - - 0 9", "e5"),
    Pair("bad bishop", "r1bqkbnr/pp3ppp/2n1p3/2ppP3/3P4/2P2N2/PP3PPP/RNBQKB1R b KQkq - 2 5", "f5",
         "r2qkbnr/pp3ppp/2n1p3/2ppPb2/3P4/2P2N2/PP3PPP/RNBQKB1R b KQkq - 2 5", "h6"),
    Pair("isolated pawn", TARRASCH, "cxd5 exd5 dxc5 Bxc5", None, "a3 a6"),
)
FINDERS = {row.name: row.find for row in IDEAS}


def line_of(fen: str, sans: str) -> TacticalLine:
    board = chess.Board(fen)
    assert board.is_valid()
    cursor = board.copy()
    return TacticalLine(board, [cursor.push_san(san) for san in sans.split()])


def test_every_idea_has_a_pair():
    assert {pair.name for pair in PAIRS} == set(FINDERS)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_an_idea_is_proven_where_it_is_and_nowhere_near(pair):
    idea = FINDERS[pair.name](line_of(pair.fen, pair.moves))
    assert idea is not None and idea.name == pair.name and 1 <= idea.plies <= len(pair.moves.split())
    assert FINDERS[pair.name](line_of(pair.near_fen or pair.fen, pair.near_moves)) is None


@pytest.mark.parametrize(("moves", "is_weak"), [
    ("e5 Qd2 Be6 Nd5 Bxd5", True),  # what has settled there is taken
    ("e5 Qd2 Qe7 Rad1 Rd8 Rfe1 Qc7 h3 Be6 Ng5 d5", True),  # far ahead
    ("e5 Qd2 d5", False),
])
def test_a_square_is_weak_unless_its_side_soon_goes_there(moves, is_weak):
    fen = next(pair.fen for pair in PAIRS if pair.name == "weak square")
    assert (FINDERS["weak square"](line_of(fen, moves)) is not None) == is_weak


def test_mistakes_and_other_moves_have_ideas_of_their_own():
    line = line_of(POISONED, "Qxb2 Nxd5")
    names = [[idea.name for idea in ideas_in(line.boards[0], line.moves, is_mistake)] for is_mistake in (True, False)]
    assert "greedy capture" in names[0] and "greedy capture" not in names[1]


@pytest.mark.parametrize(("fen", "san", "is_endless"), [
    ("6k1/5p1p/8/8/8/8/q7/3Q2K1 w - - 0 1", "Qg4+", False),
    ("7k/6pp/8/8/8/8/r5r1/5Q1K w - - 0 1", "Qf8#", False),
    ("6k1/6p1/8/7Q/8/8/5q2/7K w - - 0 1", "Qe8+", False),  # the queen comes between on h4
    ("6k1/4pp1p/5p2/8/3Q4/1q6/r4PPP/6K1 w - - 0 1", "Qg4+", True),
])
def test_checks_that_do_not_end(fen, san, is_endless):
    board = chess.Board(fen)
    board.push_san(san)
    assert can_check_forever(board) is is_endless


@pytest.mark.parametrize(("name", "fen", "moves"), [
    ("opposition", "4k3/4P3/3K4/8/8/8/8/8 w - - 0 1", "Ke6"),  # stalemate
    ("minority attack", "4k3/1pp2ppp/8/8/8/8/1P3PPP/4K3 w - - 0 1", "b4"),  # one pawn
])
def test_what_only_looks_like_an_idea(name, fen, moves):
    assert FINDERS[name](line_of(fen, moves)) is None


def test_a_breakthrough_that_ends_in_a_promotion_says_so():
    line = line_of("7k/ppp5/8/PPP5/8/8/8/K7 w - - 0 1", "b6 cxb6 a6 bxa6 c6 Kg8 c7 Kf7 c8=Q")
    assert FINDERS["pawn breakthrough"](line).words.endswith("becomes a passed pawn on c6 that cannot be stopped")
    line = line_of("6rk/ppp5/8/PPP5/8/8/8/K7 w - - 0 1", "b6 cxb6 a6 bxa6 c6 Kh7 c7 Kh6 c8=Q")
    assert FINDERS["pawn breakthrough"](line).words.endswith("another one promotes on c8")


def test_names_have_the_articles_that_sentences_need():
    names = {pair.name: with_article(FINDERS[pair.name](line_of(pair.fen, pair.moves))) for pair in PAIRS}
    assert {name for name, words in names.items() if words == name} == {
        "Légal's mate", "Réti's manoeuvre", "perpetual check", "zugzwang", "castling into an attack"}
    assert names["fork trick"] == "a fork trick" and names["outpost"] == "an outpost"
    assert all(words.startswith("an ") == (name[0] in "aeiou") for name, words in names.items()
               if words.startswith(("a ", "an ")))
