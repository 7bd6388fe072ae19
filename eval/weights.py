"""The weights as kernels read them: one record.

A weight has a middle-game and an endgame value. The two are packed into one integer, `(eg << 32) + mg`, so that one
multiplication and one addition handle both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt

from engine.core.bits import BLACK, KING, PAWN, WHITE
from engine.kernel import inline, record_type
from engine.kernel.records import Fields, Numbers, dtype_of, new_record
from eval.features import MATERIAL, WEIGHT_COUNT
from eval.psqt import PIECE_SQUARES, square_feature
from eval.weight_file import WeightFile, read_weight_file, write_weight_file


class WeightsRecord(Fields):
    """All weights of the features."""

    packed: Annotated[Numbers, "i8", WEIGHT_COUNT]  # [index of the weight]
    # Material and piece-square tables in one, from White's view: see psqt.py.
    squares: Annotated[Numbers, "i8", 4 * PIECE_SQUARES]


WEIGHTS = dtype_of(WeightsRecord)
WEIGHTS_TYPE = record_type(WEIGHTS)

Values = npt.NDArray[np.int64]


def pack(mg: int, eg: int) -> int:
    """Both values in one number."""
    return (eg << 32) + mg


@inline
def mg_of(packed):
    """The middle-game value: the lower half, with its sign."""
    return packed << 32 >> 32


@inline
def eg_of(packed):
    """The endgame value: the upper half, and what a negative lower half borrowed from it."""
    return (packed - mg_of(packed)) >> 32


def weights_from(mg: Iterable[int], eg: Iterable[int]) -> WeightsRecord:
    """A new record with the values of all weights, given in the order of the feature table."""
    weights = new_record(WeightsRecord)
    weights.packed[:] = [pack(int(m), int(e)) for m, e in zip(mg, eg, strict=True)]
    packed, board = weights.packed, np.arange(64)
    for white_wing, black_wing, piece_type in product((0, 1), (0, 1), range(PAWN, KING + 1)):
        material = 0 if piece_type == KING else packed[MATERIAL + piece_type - PAWN]
        white, black = (material + packed[square_feature(piece_type, color, board, white_wing, black_wing)]
                        for color in (WHITE, BLACK))
        begin = PIECE_SQUARES * (2 * white_wing + black_wing) + piece_type * 64
        weights.squares[begin : begin + 64] = white
        weights.squares[begin + 8 * 64 : begin + 9 * 64] = -black
    return weights


def values_of(weights: WeightsRecord) -> tuple[Values, Values]:
    """The middle-game and the endgame values of all weights."""
    packed = weights.packed.astype(np.int64)
    mg = packed << 32 >> 32
    return mg, (packed - mg) >> 32


def load_weights(path: Path | str | None = None) -> WeightsRecord:
    """The weights in a file, by default the engine's own; InputError if it is missing, broken or incomplete."""
    file = read_weight_file(path)
    return weights_from(file.mg, file.eg)


def save_weights(weights: WeightsRecord, path: Path | str, provenance: str, outcome: Sequence[float]) -> None:
    """Write a file that `load_weights` reads. `provenance` says in one line where the weights come from.

    `outcome` holds the parameters of the WdlModel, fitted to the games that the weights were tuned on.
    """
    mg, eg = values_of(weights)
    write_weight_file(WeightFile(mg.tolist(), eg.tolist(), outcome, provenance), path)
