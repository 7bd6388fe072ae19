"""Why a move is worse than another, from given lines without a search; each sentence is replayed by the checker."""

from __future__ import annotations

import io
import re

import chess
import chess.pgn
import pytest

from engine.analysis.comparison import MoveComparison
from engine.analysis.difference import statements
from engine.analysis.review import Line
from engine.analysis.threats import threat_in
from tests.analysis import checker


def line_of(board: chess.Board, text: str) -> Line:
    """The moves of a line in SAN."""
    cursor = board.copy()
    return tuple(cursor.push_san(san) for san in text.split())


def compared(fen: str, played: str, better: str, threats: dict[str, str] | None = None) -> MoveComparison:
    """A move and a better one with two equal lines each; `threats` are the lines after null moves, by what is passed:
    nothing, the move and its reply, or the better move.
    """
    board, known = chess.Board(fen), dict[str, Line]()
    for before, line in (threats or {}).items():
        passed = board.copy(stack=False)
        for san in before.split():
            passed.push_san(san)
        passed.push(chess.Move.null())
        known[passed.fen()] = line_of(passed, line)
    lines = [line_of(board, text) for text in (played, better)]
    return MoveComparison(board, (lines[0],) * 2, (lines[1],) * 2, 200, lambda passed, _: known.get(passed.fen(), ()))


CASES = {
    "an attack by the reply": (
        "1k1r4/1pp5/p3n2Q/4p1p1/4P2P/P1N3P1/1q3P2/5RK1 b - - 0 33", "Re8 Qg6 Rf8 Qxe6 Qxc3", "Qxc3 Qxe6 gxh4 Qf6",
        {"Re8 Qg6": "Qxe8+ Ka7 Qxe6"}, "allows 34.Qg6, which attacks the rook on e8"),
    "a threat by the better move": (
        "2rq1rk1/3pppb1/2b2np1/1p6/1B5p/PP2P2P/1N3PP1/2RQKB1R b K - 0 16", "Ne4 Rc2 Bb7 Bd3 Rxc2 Qxc2",
        "Nd5 Nd3 Nxb4 axb4 e6", {"Nd5": "Nxb4 axb4 Bxb2"},
        "misses 16...Nd5, which threatens 17...Nxb4 18.axb4 Bxb2, winning the bishop on b4"),
    "a threat of a fork": (
        "2kr3r/1ppb1p2/p1n1n2p/2qNp1p1/4P3/P1Q2NPP/1P2BP2/3RK2R w K - 0 22", "Qe3 Ned4 Rc1 Qd6 h4 f5",
        "Nf6 Qxc3+ bxc3 Nc5", {"Qe3 Ned4": "Nc2+ Kf1 Nxe3+"},
        "allows 22...Ned4, which threatens 23...Nc2+ 24.Kf1 Nxe3+, winning the queen for a knight"),
    "a reply that would lose a piece after the better move": (
        "6k1/1pp2r1p/p3n1p1/6P1/3P3n/PPN1Pr1q/5PRB/3R2QK w - - 2 33", "d5 Nc5 Rg3 Qf5 b4", "Rg3 Qf5 e4 Rxg3", {},
        "allows 33...Nc5, which after 33.Rg3 would lose the knight: 33...Nc5 34.Rg3 Qf5 35.b4"),
    "a threat of mate by the better move": (
        "1r2k1r1/pbppnp1p/1bn2P2/7q/Q7/B1PB1N2/P4PPP/3RR1K1 b - - 2 19", "Qxf3 Rxe7+ Kd8 Rxd7+ Kc8",
        "Qh3 Bf1 Qf5 Bxe7 Qxf3", {"Qh3": "Qxg2#"}, "misses 19...Qh3, which threatens 20...Qxg2#"),
    "a threat that is not met": (
        "1r6/3R3p/p2b4/5Pk1/8/1Bp5/7P/7K w - - 7 44", "f6 Rxb3 Rxd6 c2 Rc6 Rb1+ Kg2 c1=Q Rxc1 Rxc1",
        "Bc2 Be5 h4+ Kxh4", {},
        "does not meet the threat of 44...Rxb3, which wins the bishop: 44...Rxb3 45.Rxd6 c2 46.Rc6"),
    "a sacrifice that is allowed": (
        "r2qr1k1/p4pbp/bp3np1/3p4/8/BPNnP1P1/P2QNPBP/R2R2K1 w - - 2 15", "Qc2 Nxf2 Kxf2 Ng4+ Kg1 Nxe3 Qd2 d4",
        "Nf4 Ne4 Nxe4 dxe4", {}, "allows the sacrifice 15...Nxf2: 15...Nxf2 16.Kxf2 Ng4+ 17.Kg1 Nxe3 18.Qd2 d4"),
    "a sacrifice that cannot be taken": (
        "r1b1k1nr/2pp2b1/p1n1pq2/5p1p/1P1N2p1/P3P3/1BPPNPPP/R2QKB1R w KQkq - 4 11", "Nf4 Nxd4 Bxd4 e5 Bb2",
        "Nxe6 Qxb2 Nxc7+ Kd8 Rb1", {},
        "misses 11.Nxe6: taking the knight would cost more: 11.Nxe6 Qxb2 12.Nxc7+ Kd8 13.Rb1"),
    "a pawn that costs a rook": (
        "1k3r2/1pp5/p3Q3/4p1P1/4P3/P1q3P1/5P2/5RK1 b - - 0 36",
        "Qc5 g6 Qxa3 g7 Rd8 g8=Q Rxg8 Qxg8+ Ka7 Qd5 Qc3", "Qf3 Qxe5 Qh5 f4 Rh8 Kf2", {},
        "lets the g-pawn run, which costs Black the rook: 37.g6 Qxa3 38.g7 Rd8 39.g8=Q Rxg8 40.Qxg8+ Ka7"),
    "the wrong capture": (
        "r1bqkb1r/ppp2ppp/2np1n2/8/3pP3/P1P2N2/1P3PPP/RNBQKB1R w KQkq - 1 6", "Nxd4 Nxe4 Nxc6 bxc6",
        "cxd4 d5 e5 Ne4 Bd3", {}, "should take with the pawn: 6.cxd4 d5 7.e5 Ne4 8.Bd3"),
    "the wrong one of two pawns": (
        "r1bqkbnr/1ppp1ppp/p1B5/4p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 4", "bxc6 Nxe5 Qe7 d4",
        "dxc6 O-O f6 d4 exd4", {}, "should take with the pawn on d7: 4...dxc6 5.O-O f6 6.d4 exd4"),
    "loss of time": (
        "r3k2r/pb2pp2/1qn2bpp/1p6/3P4/1p2PB2/4QPPP/RNBR2K1 w kq - 0 17", "Ra3 b4 Rxb3 Rc8 Qa2", "Nc3 Nd8 Bxb7 Qxb7",
        {}, "loses time: 17...b4 attacks the rook, which must move again: 17...b4 18.Rxb3 Rc8"),
    "a piece that is not taken back": (
        "4k2r/3pbp2/p2q1pp1/n4r1p/NP2P3/P6P/3NBPb1/1R1QK2R b Kk - 0 18", "Re5 Rg1 Bxh3 bxa5 Be6 Nb6 Rc5 Bxa6 O-O",
        "Rg5 Rf1 Nc6 Nf3 Qf4 Qd2 Qxe4 Nc3 Qf5", {}, "loses the knight for a pawn: 19.Rg1 Bxh3 20.bxa5 Be6"),
    "a rook that the better move saves": (
        "4k2r/3pbp2/p2q1pp1/n3r2p/NP2P3/P6P/3NBPb1/1R1QK2R w Kk - 1 19", "f4 Bxh1 fxe5 Qxe5 Qc2 Nc6",
        "Rg1 Bxh3 bxa5 Be6", {}, "misses 19.Rg1, which takes the rook out of the attack on h1"),
    "a recapture that is put off": (
        "1n3rk1/1p2ppbp/q3b1p1/pN1PN3/P3p3/4B1P1/1P2PP1P/3Q1RK1 w - - 1 19", "Qb3 Bh3 Nc4 Bxf1 Nc7 Qf6 Kxf1",
        "Nc7 Qd6 dxe6 Bxe5 exf7+ Rxf7", {}, "loses the exchange: 19...Bh3 20.Nc4 Bxf1 21.Nc7 Qf6 22.Kxf1"),
    "castling that is given up": (
        "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 1 5", "Kf1 d6 h3 O-O",
        "O-O d6 c3 O-O", {}, "gives up castling: 5...d6 6.h3 O-O"),
    "a loss on the ninth ply": (
        "r3r1k1/p1pb1pb1/3p2pp/q7/p3PP2/2PQR1P1/1P1N2KP/R2B4 b - - 1 22", "Rab8 b4 Qb6 Bxa4 Bxa4 Rxa4",
        "Bb5 Qc2 Rab8 Qc1 Bc6", {}, "gives a pawn back: 23.b4 Qb6 24.Bxa4"),
    "a piece that a move uncovers": (
        "r2qkb1r/pb1p1ppp/1pn1pn2/2p5/2PP3P/2N1PQ2/PP2NPP1/R1B1KB1R b KQkq - 0 7", "Nb4 Qxb7 Nc2+ Kd1 Nxa1",
        "cxd4 exd4 Rc8 Nf4 Na5", {}, "lets White take the bishop on b7: 8.Qxb7 Nc2+ 9.Kd1 Nxa1"),
    "a capture that goes on": (
        "3rr1k1/pp3pp1/2p4p/3p4/6n1/2PQ1BPK/PP2PP2/R2R4 b - - 0 21", "Ne5 Qf5 Nxf3 Qxf3 g6",
        "Nxf2+ Kg2 Nxd3 Rxd3 g6", {},
        "should take the pawn on f2 and then the queen on d3: 21...Nxf2+ 22.Kg2 Nxd3 23.Rxd3 g6"),
    "a rook that could be taken": (
        "r1bq1rk1/p1p2ppp/3Npn2/1Q6/3P4/4P3/PPnKBPPP/R1B3NR b - - 2 11", "a6 Qc6 Nxa1 Nxc8 Rxc8",
        "Nxa1 Nxc8 c5 Bd3 Rxc8", {}, "should take the rook on a1: 11...Nxa1 12.Nxc8 c5 13.Bd3 Rxc8"),
    "a rook put where a pawn takes it": (
        "3rr1k1/5pp1/8/p6p/Q2P4/P2BPP1P/1P1B2Pq/3K1R2 b - - 4 32", "Re5 dxe5 Rxd3 Qxa5 Rb3 Kc2",
        "Qxg2 Qxa5 Rb8 b4 Ra8 Qb5", {}, "loses the exchange and a pawn: 33.dxe5 Rxd3 34.Qxa5 Rb3"),
}


@pytest.mark.parametrize(("fen", "played", "better", "threats", "sentence"), CASES.values(), ids=list(CASES))
def test_statements_about_a_difference(fen, played, better, threats, sentence):
    comparison = compared(fen, played, better, threats)
    texts = [statement.text() for statement in statements(comparison)]
    assert sentence in texts
    assert [wrong for text in texts if (wrong := _wrong(comparison, text)) is not None] == []


def _wrong(comparison: MoveComparison, text: str) -> str | None:
    """What the checker finds wrong with a sentence; those that need scores are left out."""
    game = chess.pgn.Game.without_tag_roster()
    game.setup(comparison.board)
    node = game.add_variation(comparison.move)
    node.comment = text
    return None if text.startswith(("leaves", "gives", "lets", "falls", "does without")) and (
        not re.search(" costs |pawn back|exchange|lets .* take", text)) else checker.check_node(node)


def test_a_check_before_taking_back_wins_nothing():
    game = chess.pgn.read_game(io.StringIO("1.e4 c5 2.Nf3 d6 3.Nc3 Bg4 4.d4 Bxf3 *"))
    assert game is not None
    board = game.end().board()
    lines = [line_of(board, text) for text in ("Qxf3 cxd4 Nd5 Nf6", "Bb5+ Nc6 gxf3 cxd4 Qxd4")]
    found = statements(MoveComparison(board, (lines[0],) * 2, (lines[1],) * 2, 80))
    assert not [statement for statement in found if "wins the bishop" in statement.words]


def test_a_claim_needs_two_lines():
    fen, played, better, _, sentence = CASES["a loss on the ninth ply"]
    comparison = compared(fen, played, better)
    once = MoveComparison(comparison.board, (comparison.played[0], line_of(comparison.board, "Rab8 Kh1 Bb5")),
                      comparison.better, comparison.cost, comparison.search)
    assert sentence not in [statement.text() for statement in statements(once)]


@pytest.mark.parametrize(("fen", "line"), [
    ("4k3/8/8/3n4/8/8/8/3QK3 w - - 0 1", "Qxd5"), ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "Ra8#")])
def test_a_threat_is_what_a_line_wins_after_a_null_move(fen, line):
    board = chess.Board(fen)
    threat = threat_in(board, line_of(board, line))
    assert threat is not None and threat.is_mate == line.endswith("#")


def test_a_capture_that_loses_is_no_threat():
    board = chess.Board("4k3/2p5/3n4/8/8/8/8/3QK3 w - - 0 1")
    assert threat_in(board, line_of(board, "Qxd6 cxd6")) is None


@pytest.mark.parametrize("sentence", [
    "allows 34.Qg6, which attacks the bishop on e8", "allows 34.Qg6, which attacks the pawn on c7",
    "allows 34.Qg6, which threatens 35.Qxe6, winning the rook", "allows 34.Qf6, which threatens 35.Qxd8#",
    "does not meet the threat of 34.Qg6, which wins the knight: 34.Qg6 Rf8",
    "allows the sacrifice 34.Qg6: 34.Qg6 Rf8", "should castle: 33...Rf8 34.Qxe6"])
def test_the_checker_finds_false_sentences(sentence):
    comparison = compared(*CASES["an attack by the reply"][:3])
    assert _wrong(comparison, sentence)
