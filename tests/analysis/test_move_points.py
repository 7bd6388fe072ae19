"""What is said of a move beside its named ideas: its threats, what it changes, and the plan behind it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import chess
import pytest

from engine.analysis.claims import Claim
from engine.analysis.move_points import MovePoints, MoveToExplain
from engine.analysis.plans import plan_text, step_text
from engine.analysis.quiet_changes import gains, losses
from engine.analysis.results import drawn_score
from engine.analysis.wording import motif_text

EVEN = drawn_score(chess.WHITE)


class Reader:
    """An analyser that always finds the same line."""

    def __init__(self, line: str) -> None:
        self._line = tuple(map(chess.Move.from_uci, line.split()))

    def clear(self) -> None:
        """Nothing is kept."""

    def search(self, *_: Any) -> list[Any]:
        """One report."""
        return [SimpleNamespace(bound="exact", number=1, score=EVEN, line=self._line, move=self._line[0], depth=1,
                                nodes=1)]


def points(fen: str, move: str, threat: str) -> tuple[str, ...]:
    board = chess.Board(fen)
    return MovePoints(Reader(threat), MoveToExplain(board, (board.parse_san(move),), EVEN, EVEN)).points()


@pytest.mark.parametrize(("fen", "move", "threat", "words"), [
    ("3rk3/8/8/8/8/8/8/3R2K1 w - - 0 1", "Rd2", "d2d8", None),  # the rook could take before
    ("6k1/5ppp/8/8/8/7P/8/4R1K1 w - - 0 1", "h4", "e1e8", None),  # so could it mate
    ("6k1/5ppp/8/8/8/7P/R7/1n4K1 w - - 0 1", "Ra1", "a1b1", "threatens 2.Rxb1, winning the knight"),
    ("6k1/3p1ppp/8/8/8/8/3R1PPP/6K1 w - - 0 1", "Re2", "e2e8", "threatens 2.Re8#"),
])
def test_only_a_new_threat_is_named(fen, move, threat, words):
    assert [point for point in points(fen, move, threat) if "threatens" in point] == ([] if words is None else [words])


def test_a_stalemate_has_no_ideas():
    assert points("4k3/4P3/3K4/8/8/8/8/8 w - - 0 1", "Ke6", "e6e7") == ()


def test_a_breakthrough_is_named_even_if_the_pawn_is_not_taken():
    board = chess.Board("7k/ppp5/8/PPP5/8/8/8/7K w - - 0 1")
    line = tuple(map(chess.Move.from_uci, ("b5b6", "a7a6", "b6c7")))
    found = MovePoints(Reader("a5a6 b7a6 c5c6"), MoveToExplain(board, line, EVEN, EVEN)).points()
    assert found[0].startswith("pawn breakthrough: ") and found[0].endswith("(1.b6 cxb6 2.a6 bxa6 3.c6)")


@pytest.mark.parametrize(("fen", "move", "words"), [
    ("3q2k1/5ppp/8/8/8/8/5PP1/5QK1 w - - 0 30", "Kh1", None),
    ("3q2k1/5ppp/8/8/8/8/5PKP/4Q3 w - - 0 30", "Kg1", "leaves the king on the half-open g-file"),
    ("3q2k1/5pp1/8/8/8/8/5PP1/4QK2 w - - 0 30", "Kg1", "leaves the king beside the open h-file"),
])
def test_files_beside_the_king(fen, move, words):
    board = chess.Board(fen)
    found = [loss for loss in losses(board, board.parse_san(move)) if "file" in loss]
    assert found == [] if words is None else words in found


@pytest.mark.parametrize("fen", ["4k3/8/8/8/3b4/8/5PPP/RK4R1 w AG - 0 1", "4k3/8/8/8/3b4/8/5PPP/RK6 w A - 0 1"])
def test_castling_leaves_no_empty_square_without_protection(fen):
    board = chess.Board(fen, chess960=True)
    for move in filter(board.is_castling, board.legal_moves):
        assert not [loss for loss in losses(board, move) if "protection" in loss]


@pytest.mark.parametrize(("number", "is_said"), [(5, True), (45, False)])
def test_development_ends_with_the_opening(number, is_said):
    board = chess.Board(f"4k3/8/8/8/8/8/8/3NK3 w - - 0 {number}")
    move = board.parse_san("Ne3")
    assert ("develops the knight" in gains(board, move)) == is_said
    assert step_text(board, move) == ("develops the knight to e3" if is_said else "brings the knight to e3")


@pytest.mark.parametrize(("motif", "words"), [
    ("attraction", " by a decoy"), ("overload", " by an overload"), ("trapped piece", ""), ("hanging piece", "")])
def test_a_motif_is_called_the_same_everywhere(motif, words):
    assert motif_text(Claim("gain", "white", chess.STARTING_FEN, (), motif)) == words


def test_a_plan_ends_where_a_piece_is_taken():
    board = chess.Board("4r1k1/6pp/8/8/8/2N5/6PP/6K1 w - - 0 30")
    line = [chess.Move.from_uci(move) for move in "c3d5 g8h8 d5c7 h8g8 c7e8".split()]
    assert plan_text(board, line, chess.WHITE) == "brings the knight to d5 and attacks the rook on e8"
    board = chess.Board("4k3/8/8/3p4/4N3/8/8/4K3 b - - 0 30")
    line = [chess.Move.from_uci(move) for move in "d5e4 e1e2 e8e7 e2e3".split()]
    assert plan_text(board, line, chess.WHITE) == "", "nor does one begin after a piece is lost"
