"""The material on the board, in pawns."""

from __future__ import annotations

import numpy as np

from engine.core.bits import BISHOP, KNIGHT, PAWN, QUEEN, ROOK, popcount
from engine.core.piece_values import PIECE_VALUES
from engine.kernel import inline

_MINOR, _ROOK, _QUEEN = (np.int64(PIECE_VALUES[piece_type]) for piece_type in (KNIGHT, ROOK, QUEEN))
assert PIECE_VALUES[PAWN] == 1 and PIECE_VALUES[BISHOP] == _MINOR  # so that knights and bishops are counted at once


@inline
def material_of(pos):
    """The value of all pieces of both sides."""
    return (popcount(pos.types[PAWN]) + _MINOR * popcount(pos.types[KNIGHT] | pos.types[BISHOP])
            + _ROOK * popcount(pos.types[ROOK]) + _QUEEN * popcount(pos.types[QUEEN]))
