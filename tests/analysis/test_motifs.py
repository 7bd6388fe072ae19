"""Motifs on labelled puzzles, where they are at hand, and on positions that show one each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import chess
import pytest

from engine.analysis.motifs import MATING, WINNING, find_motif, is_trapped, is_zugzwang, perpetual_check
from engine.analysis.tactical_line import TacticalLine
from tests.analysis.counting import shows_overload, shows_zugzwang
from tests.positions import DATA

# The motif, and the labels that say the same.
LABELS = {
    "back-rank mate": {"backRankMate"}, "smothered mate": {"smotheredMate"}, "hanging piece": {"hangingPiece"},
    "fork": {"fork"}, "skewer": {"skewer"}, "discovered attack": {"discoveredAttack"}, "double check": {"doubleCheck"},
    "removal of the defender": {"capturingDefender"}, "deflection": {"deflection"}, "attraction": {"attraction"},
    "interference": {"interference"}, "pin": {"pin"}, "trapped piece": {"trappedPiece"}, "passed pawn": {"promotion"},
}
PHASES = {"opening", "middlegame", "endgame", "master", "masterVsMaster", "superGM"}  # they label no motif


def puzzles() -> Iterator[tuple[chess.Board, list[chess.Move], set[str]]]:
    """The labelled puzzles: a position, the solution, and its themes."""
    for path in sorted((DATA / "puzzles").glob("*.epd")):
        for text in path.read_text().splitlines():
            board = chess.Board()
            operations = board.set_epd(text)
            themes = set(str(operations["c1"]).split())
            if themes - PHASES:
                yield board, [chess.Move.from_uci(word) for word in str(operations["c9"]).split()], themes


def moves_of(fen: str, line: str) -> list[chess.Move]:
    """The moves of a line in SAN."""
    cursor = chess.Board(fen)
    return [cursor.push_san(san) for san in line.split()]


def finds(name: str, line: TacticalLine) -> bool:
    """Whether a motif is in a line; a discovered check is a discovered attack too, as the labels have it."""
    detectors = {**MATING, **WINNING}
    return detectors[name](line) is not None or (
        name == "discovered attack" and detectors["discovered check"](line) is not None)


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "puzzles").is_dir(), reason="needs the puzzles")
def test_motifs_agree_with_the_labels_of_puzzles():
    right, wrong, missed = Counter[str](), Counter[str](), Counter[str]()
    for board, moves, themes in puzzles():
        line = TacticalLine(board, moves)
        for name, labels in LABELS.items():
            if name == "hanging piece" and board.halfmove_clock == 0:
                continue  # perhaps a recapture: the puzzles do not say what the last move was
            found, is_labelled = finds(name, line), bool(themes & labels)
            right[name] += found and is_labelled
            wrong[name] += found and not is_labelled
            missed[name] += not found and is_labelled
    for name in LABELS:
        precision, recall = right[name] / (right[name] + wrong[name]), right[name] / (right[name] + missed[name])
        print(f"{name}: {right[name]} right, {wrong[name]} wrong, {missed[name]} missed; "
              f"precision {precision:.1%}, recall {recall:.1%}")
    assert all(right[name] >= 0.95 * (right[name] + wrong[name]) for name in LABELS)
    assert all(right[name] >= 0.7 * (right[name] + missed[name]) for name in LABELS)


@pytest.mark.parametrize(("name", "fen", "line"), [
    ("back-rank mate", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Ra8#"),
    ("smothered mate", "6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1", "Nf7#"),
    ("hanging piece", "4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", "Rxd5"),
    ("fork", "r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", "Nc7+ Kd7 Nxa8"),
    ("skewer", "8/8/8/q3k3/8/8/8/6KR w - - 0 1", "Rh5+ Kd4 Rxa5"),
    ("discovered attack", "3q2k1/8/8/8/3B4/8/8/3R2K1 w - - 0 1", "Bh8 Kxh8 Rxd8+"),
    ("removal of the defender", "3r2k1/5ppp/5n2/8/6B1/8/5PPP/3R2K1 b - - 0 1", "Nxg4 h3 Rxd1+"),
    ("passed pawn", "8/P7/8/8/8/5k2/8/K7 w - - 0 1", "a8=Q+"),
    ("overload", "7k/6pp/4b3/3n4/6n1/5B2/6PP/3Q2K1 w - - 0 1", "Bxd5 Bxd5 Qxg4"),
    ("zugzwang", "8/8/K7/2p5/2P1k3/8/8/8 w - - 0 1", "Kb6 Kd4 Kb5 Ke4 Kxc5"),
])
def test_a_motif_is_found_where_it_is(name, fen, line):
    board, moves = chess.Board(fen), moves_of(fen, line)
    if name == "removal of the defender":
        assert {**MATING, **WINNING}["hanging piece"](TacticalLine(board, moves)) is not None
    else:
        assert finds(name, TacticalLine(board, moves)), name
    assert shows_overload(board, moves) == (name == "overload"), "the checker's own count"


@pytest.mark.parametrize(("fen", "line"), [
    ("r3k3/2p5/8/3N4/8/8/8/4K3 w - - 0 1", "Nb6 Ra7 Nc4"),  # attacks one piece and wins nothing
    ("4k3/8/3p4/3n4/8/8/8/3RK3 w - - 0 1", "Rd2"),
])
def test_nothing_is_found_where_nothing_is_won(fen, line):
    board, moves = chess.Board(fen), moves_of(fen, line)
    assert find_motif(board, moves, {**MATING, **WINNING}) is None


@pytest.mark.parametrize(("fen", "is_found"), [
    ("8/8/8/1Kp5/2Pk4/8/8/8 b - - 0 1", True),  # whoever is to move loses the pawn
    ("8/8/8/1Kp5/2Pk4/8/7p/8 b - - 0 1", False),  # there is a move with the other pawn
    ("8/8/8/2p5/K1P1k3/8/8/8 b - - 0 1", False),  # nothing is attacked
    ("8/8/8/2k5/8/8/2P5/2K5 b - - 0 1", False),
])
def test_zugzwang_is_counted_on_the_board(fen, is_found):
    board = chess.Board(fen)
    assert is_zugzwang(board) == is_found
    assert shows_zugzwang(*moved_to(board)) == is_found, "the checker counts the same by other code"


def moved_to(board: chess.Board) -> tuple[chess.Board, list[chess.Move]]:
    """A position from which a move of a king leads to the given one, and the move."""
    king = board.king(not board.turn)
    assert king is not None
    for origin in chess.SquareSet(chess.BB_KING_ATTACKS[king]):
        before = board.copy(stack=False)
        before.turn = not board.turn
        if before.piece_at(origin) is None:
            before.set_piece_at(origin, before.remove_piece_at(king))
            if before.is_valid() and before.is_legal(chess.Move(origin, king)):
                return before, [chess.Move(origin, king)]
    raise AssertionError("no such move")


def test_a_trapped_bishop_and_a_free_one():
    noah = chess.Board("r1bqkbnr/5ppp/p1np4/1p2p3/2p1P3/1B3N2/PPPP1PPP/RNBQ1RK1 w kq - 0 1")
    assert is_trapped(noah, chess.B3), "Noah's Ark: it could only take pawns that are guarded"
    noah.remove_piece_at(chess.A2)
    noah.remove_piece_at(chess.B2)
    assert not is_trapped(noah, chess.B3), "a2 is free"


@pytest.mark.parametrize(("line", "is_perpetual"), [
    ("Qe1+ Kh2 Qh4+ Kg1 Qe1+", True), ("Qe1+ Kh2 Qe5+ Kg1 Qe1+", True), ("Qe1+ Kh2 Qh4+", False)])
def test_three_checks_and_a_repetition_are_a_perpetual(line, is_perpetual):
    fen = "6k1/5p1p/8/8/7q/8/6P1/6K1 b - - 0 1"
    board, moves = chess.Board(fen), moves_of(fen, line)
    assert (perpetual_check(TacticalLine(board, moves)) is not None) == is_perpetual
