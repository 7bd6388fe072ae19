"""What is claimed of given lines, without a search: which piece is lost, where the line ends, what is a sacrifice."""

from __future__ import annotations

import chess
import chess.pgn
import pytest

from engine.analysis.claims import (
    gain_claim,
    king_hunt_claim,
    loss_claim,
    material_after_move,
    material_of_line,
    threat_claim,
    threatened_mate,
)
from engine.analysis.comparison import MoveComparison
from engine.analysis.difference import statements
from engine.analysis.marks import Mark
from engine.analysis.move_verdicts import MoveVerdict
from engine.analysis.quiet_ends import positional_statements
from engine.analysis.reasons import reason_for
from engine.analysis.results import Score
from engine.analysis.review import Line
from engine.analysis.wording import claim_line, pieces_text
from eval.wdl import Wdl
from tests.analysis import checker
from tests.analysis.counting import is_hunt, is_mate_threat


def moves_of(fen: str, line: str) -> tuple[chess.Board, list[chess.Move]]:
    """A position and the moves of a line in SAN."""
    board, cursor = chess.Board(fen), chess.Board(fen)
    return board, [cursor.push_san(san) for san in line.split()]


@pytest.mark.parametrize(("fen", "line", "words", "printed"), [
    # the one that is given, not the one that is traded later
    ("rnbq1rk1/pp1nbppp/2p1p3/3pP3/3P4/2NB1N2/PPP2PPP/R1BQK2R w KQ - 0 8", "Bxh7+ Kxh7 h4 Kg8 Bg5 Bxg5 hxg5 g6",
     "the bishop on h7 for a pawn", "8...Kxh7"),
    # more is taken later on, but the queen is what it is about
    ("2r1k1nr/3npp2/p3b1p1/1p1pP3/1B1p3p/q2B1Q1P/P1P1NPP1/RR4K1 b k - 1 20", "Qxb4 Rxb4 Nxe5 Qf4 Nc6 Rbb1 Bxh3 gxh3",
     "the queen for a bishop and a pawn", "21.Rxb4 Nxe5 22.Qf4"),
    ("2rq1rk1/p3bppp/2n2n2/4pQ2/1p1P4/6P1/PP3P1P/RNBRN1K1 w - - 0 18", "Nf3 e4 Nbd2 exf3 Nxf3",
     "the knight on f3 for a pawn", "18...e4 19.Nbd2 exf3 20.Nxf3"),
])
def test_what_a_move_loses(fen, line, words, printed):
    board, moves = moves_of(fen, line)
    result = material_after_move(board, moves)
    assert result is not None
    claim = loss_claim(board, result, moves[0])
    assert claim is not None
    board.push(moves[0])
    assert pieces_text(board, claim) == words and claim_line(board, claim) == printed


@pytest.mark.parametrize(("fen", "played", "best", "sentence"), [
    ("rnbq1rk1/pp2bppp/2p2n2/3Pp3/N3P3/3P1N2/PP3PPP/R1BQKB1R w KQ - 1 8", "Be2 cxd5 exd5 Nxd5 O-O", "dxc6 Nxc6 Be2",
     "gives a pawn back: 8...cxd5 9.exd5 Nxd5 10.O-O"),
    ("rnbq1rk1/pp2bppp/2p2n2/3Pp3/N3P3/3P1N2/PP2BPPP/R1BQK2R b KQ - 2 8", "Bd6 dxc6 Nxc6 O-O", "cxd5 exd5 Nxd5 O-O",
     "misses a move that wins a pawn back: 8...cxd5 9.exd5 Nxd5 10.O-O"),
])
def test_a_pawn_that_was_won_before_is_given_back(fen, played, best, sentence):
    board, played_moves = moves_of(fen, played)
    lines = [tuple(moves) for moves in (moves_of(fen, best)[1], played_moves)]
    assert reason_for(dubious(board, lines[0], lines[1])).text == sentence


def test_a_pawn_that_nobody_had_won_is_dropped_and_not_given_back():
    fen = "2qr1rk1/2p1bppp/p1n1b3/1p1pP1N1/8/1BP1B3/PP1Q1PPP/3RR1K1 b - - 5 15"
    board, played = moves_of(fen, "Bxg5 Bxg5 Rde8 Bxd5")
    best = moves_of(fen, "Bg4 f3 Bf5")[1]
    reason = reason_for(dubious(board, tuple(best), tuple(played)))
    assert reason.text == "drops a pawn: 16.Bxg5 Rde8 17.Bxd5", "the knight is a trade, no pawn was ahead"


def test_what_a_move_leaves_out_comes_before_the_less_that_it_loses():
    fen = "rq2k1nr/p2b1ppp/Q3p3/1N6/2pP4/4P3/1P1K1PPP/R4BNR b kq - 0 12"
    board, played = moves_of(fen, "Nf6 Bxc4")
    best = moves_of(fen, "Bxb5 Qa3")[1]
    reason = reason_for(dubious(board, tuple(best), tuple(played)))
    assert reason.text == "misses a move that wins the knight on b5: 12...Bxb5 13.Qa3"
    assert reason.brief == "misses a move that wins the knight on b5" and reason.better == tuple(best)


def dubious(board: chess.Board, best: Line, played: Line) -> MoveVerdict:
    """The verdict on a move that makes a small advantage a small disadvantage."""
    before, after = (Score(value, None, Wdl(300, 400, 300), board.turn) for value in (20, -73))
    comparison = MoveComparison(board, (played, played), (best, best), 93)
    return MoveVerdict(14, board, played[0], Mark.DUBIOUS, before, after, 0.1, best, played, None, 10,
                       statements=tuple(statements(comparison)))


@pytest.mark.parametrize(("fen", "played", "best", "sentence"), [
    ("r1bqk2r/ppp2ppp/2np1n2/2b1p3/2B1P3/2PP1N2/PP3PPP/RNBQK2R w KQkq - 0 6", "Kf1 a6", "O-O a6",
     "leaves White's king on f1 unable to castle (6...a6); there was a better move, +0.20 instead of -0.73: 6.O-O a6"),
    ("r2q1rk1/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/2NP1N2/PPP2PPP/R2Q1RK1 w - - 0 8", "Kh1 Bxf3 gxf3 h6",
     "h3 Bxf3 Qxf3 h6", ("leaves White with doubled pawns on the f-file (8...Bxf3 9.gxf3 h6); "
                         "there was a better move, +0.20 instead of -0.73: 8.h3 Bxf3 9.Qxf3 h6")),
])
def test_a_positional_fact_is_there_on_one_board_and_not_on_the_other(fen, played, best, sentence):
    board, played_moves = moves_of(fen, played)
    lines = [tuple(moves) for moves in (moves_of(fen, best)[1], played_moves)]
    reason = reason_for(dubious(board, lines[0], lines[1]))
    assert reason.text == sentence and reason.claim is not None and reason.claim.topic == "positional"
    game = chess.pgn.Game.from_board(board)
    node = game.add_variation(played_moves[0])
    node.comment = sentence
    assert checker.check_node(node) is None
    for wrong in (sentence.replace("f-file", "c-file").replace("on f1", "on g1"),
                  sentence.replace("leaves White", "leaves Black"),
                  sentence.replace(best.split()[0], played.split()[0])):
        node.comment = wrong
        assert checker.check_node(node), wrong


def test_what_was_there_before_is_no_positional_fact():
    fen = "3r2k1/p4pq1/1p2b3/2p3p1/P3P3/6QP/5PP1/2R1B1K1 b - - 0 31"
    played, best = "Qg6 Bc3 g4", "Qf6 a5 Qf4 Qxf4 gxf4 f3 Rd3"
    assert not positional(fen, played, best), "the h-pawn was gone already"


def test_no_positional_fact_where_both_boards_show_it():
    fen = "r2q1rk1/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/2NP1N2/PPP2PPP/R2Q1RK1 w - - 0 8"
    assert not positional(fen, "Kh1 Bxf3 gxf3 h6", "a3 Bxf3 gxf3 h6")
    assert positional(fen, "Kh1 Bxf3 gxf3 h6", "h3 Bxf3 Qxf3 h6")


def positional(fen: str, played: str, best: str) -> list[str]:
    """The facts in which the ends of two lines differ."""
    lines = [tuple(moves_of(fen, text)[1]) for text in (played, best)]
    comparison = MoveComparison(chess.Board(fen), (lines[0],) * 2, (lines[1],) * 2, 90)
    return [statement.words for statement in positional_statements(comparison)]


def test_nothing_is_claimed_of_a_line_that_leaves_out_a_recapture():
    fen = "2r1k1nr/1p1npp2/p3b1p1/3pP3/3p3p/q2B1Q1P/P1PBNPP1/RR4K1 b k - 1 19"
    board, moves = moves_of(fen, "b5 Nxd4 Rh5 Nxe6 Rxe5")
    result = material_after_move(board, moves)
    assert result is not None and result.net == -3 and loss_claim(board, result, moves[0]) is None, "why not fxe6?"


def test_a_long_line_without_a_motif_claims_nothing():
    fen = "4k3/8/8/8/8/8/p6P/4K2R w K - 0 1"
    board, moves = moves_of(fen, "Rf1 Kd7 Rf2 Kd6 Rf3 Kd5 Rf4 Kd6 Ra4 Kc5 Rxa2")
    result = material_of_line(board, moves)
    assert result is not None and result.net == 1 and gain_claim(board, result) is None


def test_a_threat_of_mate_is_named():
    fen = "r2q1r1k/ppp2p1p/2np1p1Q/4p3/2B1P1bN/3P4/PPP2PPP/R3K2R w KQ - 3 12"
    board, moves = moves_of(fen, "Nf5 Bxf5 exf5")
    found = threat_claim(board, moves)
    assert found is not None and found[1] == chess.Move.from_uci("h6g7") and is_mate_threat(board, moves[0], "Qg7#")
    assert threatened_mate(board, board.parse_san("a3")) is None and not is_mate_threat(
        board, board.parse_san("a3"), "Qg7#")
    game = chess.pgn.Game.from_board(chess.Board("r2q1rk1/ppp2p1p/2np1p1Q/4p3/2B1P1bN/3P4/PPP2PPP/R3K2R b KQ - 2 11"))
    node = game.add_variation(chess.Move.from_uci("g8h8"))
    for text, is_wrong in (("allows the threat of 13.Qg7#: 12.Nf5 Bxf5 13.exf5", False),
                           ("allows the threat of 13.Qg7#: 12.a3 a6", True),
                           ("allows the threat of 13.Qxf6#: 12.Nf5 Bxf5", True)):
        node.comment = text
        assert bool(checker.check_node(node)) == is_wrong, text


@pytest.mark.parametrize(("fen", "line", "square"), [
    ("8/6pk/8/4Q3/8/5p2/5P1P/6K1 w - - 0 1", "Qf5+ Kh6 Qf4+ Kh5 Qf5+ Kh4", "h4"),
    ("8/6pk/5p2/4Q3/8/8/5PPP/6K1 w - - 0 1", "Qf5+ Kg8 Qc8+ Kh7 Qf5+ g6", ""),  # the king is at home
    ("r1bq1b1r/ppp3pp/2n1k3/3np3/2B5/5Q2/PPPP1PPP/RNB1K2R w KQ - 2 8", "Qf5+ Kd6 d4 Qf6", ""),  # one check
])
def test_a_king_that_is_driven_out_by_checks(fen, line, square):
    board, moves = moves_of(fen, line)
    found = king_hunt_claim(board, moves)
    assert (found is not None) == is_hunt(board, moves) == bool(square)
    assert found is None or found.squares == (square,)
