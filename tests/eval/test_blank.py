"""The untrained network, which counts material and nothing else."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from engine.core.fen import parse_fen
from eval.blank import label_by_material, material_only_network
from eval.network.memory import LoadedNetwork, StandaloneAccumulators
from eval.network.samples import NO_PIECE_CODE, SAMPLE
from tests.eval.boards import game_fens
from tests.eval.network import kernels, reference
from tests.positions import reference_board

WORTH = {chess.QUEEN: 9, chess.ROOK: 5, chess.BISHOP: 3, chess.KNIGHT: 3, chess.PAWN: 1}
LOADED = LoadedNetwork(material_only_network())
OWN = StandaloneAccumulators(LOADED)


def score(board: chess.Board) -> int:
    """By the kernels, which must agree with the reference."""
    kernels.begin(OWN.record, 0)
    found = int(kernels.score_at(parse_fen(board.fen()), OWN.record, 0))
    assert found == reference.score(board, LOADED.network)
    return found


def lead_of(board: chess.Board) -> int:
    """Of the side to move, in pawns."""
    return sum(worth * (len(board.pieces(piece_type, board.turn)) - len(board.pieces(piece_type, not board.turn)))
               for piece_type, worth in WORTH.items())


def board_with_lead(lead: int, turn: chess.Color) -> chess.Board:
    """The starting position without the fewest pieces that give the side to move this lead."""
    board = chess.Board()
    board.turn, left, loser = turn, abs(lead), turn ^ (lead > 0)
    for piece_type, worth in WORTH.items():
        taken = list(board.pieces(piece_type, loser))[:left // worth]
        for square in taken:
            board.remove_piece_at(square)
        left -= worth * len(taken)
    return board


@pytest.mark.parametrize("turn", chess.COLORS)
def test_each_pawn_of_lead_is_a_hundred_centipawns(turn):
    for lead in range(-31, 32):
        board = board_with_lead(lead, turn)
        assert lead_of(board) == lead
        assert score(board) == 100 * lead


def test_only_material_counts():
    for fen in game_fens(3, 120)[::5]:
        board = reference_board(fen)
        assert score(board) == 100 * lead_of(board), fen


def test_a_larger_lead_counts_as_much_as_the_largest():
    assert score(board_with_lead(39, chess.WHITE)) == 3_100
    assert score(board_with_lead(-39, chess.WHITE)) == -3_200


def sample_of(board: chess.Board) -> np.ndarray:
    """A sample as its file format describes it: four bits per square, from the side to move's view."""
    seen = board if board.turn else board.mirror()
    sample = np.zeros(1, SAMPLE)
    for square in chess.SQUARES:
        piece = seen.piece_at(square)
        code = NO_PIECE_CODE if piece is None else piece.piece_type - 1 + 6 * (piece.color == chess.BLACK)
        sample["board"][0, square // 16] |= np.uint64(code << 4 * (square % 16))
    sample["score"], sample["result"] = 77, -1
    return sample


def test_samples_are_labelled_by_material():
    boards = [reference_board(fen) for fen in game_fens(3, 120)[::5]]
    samples = np.concatenate([sample_of(board) for board in boards])
    labelled = label_by_material(samples)
    assert labelled["score"].tolist() == [100 * lead_of(board) for board in boards]
    assert any(labelled["score"] > 0) and any(labelled["score"] < 0)
    assert (labelled["result"] == -1).all() and (samples["score"] == 77).all()
