"""An untrained network, which counts material, and an untrained policy, which has no preference among moves.

Both have the format of trained ones, so that a search can use either. A network that is to learn from few games first
learns to count material, from positions labelled with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.piece_values import PIECE_VALUES
from eval.network.file import LAYER_STEP, PAIR_BITS, PAIR_BLOCK, QB, QUANT_CELL, QUANT_OUTPUT, QUANT_SUM, Network, Shape
from eval.network.samples import BOARD_BYTES, Samples
from eval.policy.file import WIDTH_STEP, Policy, blocks_of

_WORTH = PIECE_VALUES[1:6]  # pawn to queen
_CENTIPAWNS = 100
_CONSTANT = 128  # the constant cell of the pair: a power of two, so that the product loses no bits
_PAWN = (1 << PAIR_BITS) // _CONSTANT  # a pawn in the other cell, so that it is 1 in the product
_MIDDLE = 32  # pawns: the product when material is even
_OUTPUT = 16 * QUANT_OUTPUT  # the output weight


def material_only_network() -> Network:
    """A network whose score is the lead in material, 100 centipawns per pawn, up to 31 pawns.

    One cell of a pair is the middle plus the lead, and the other one is constant, so their product is linear in the
    lead. One cell of each small layer passes it on without loss, and the output's bias subtracts the middle.
    """
    shape = Shape(2 * PAIR_BLOCK, (LAYER_STEP, LAYER_STEP), output_buckets=1)
    numbers: dict[str, Any] = {block.name: np.zeros(block.dimensions, block.code) for block in shape.blocks}
    for piece_type, worth in enumerate(_WORTH):
        for relation, sign in enumerate((1, -1)):  # own pieces, enemy pieces
            start = relation * 384 + piece_type * 64
            numbers["feature_weights"][start:start + 64, 0] = sign * worth * _PAWN
    numbers["feature_biases"][0], numbers["feature_biases"][PAIR_BLOCK] = _MIDDLE * _PAWN, _CONSTANT
    numbers["first_weights"][0, 0, 0], numbers["second_weights"][0, 0, 0] = QB, QUANT_CELL
    numbers["output_weights"][0, 0], numbers["output_biases"][0] = _OUTPUT, -_OUTPUT * QUANT_CELL * _MIDDLE
    scale = _CENTIPAWNS * QUANT_SUM * QUANT_OUTPUT / (_OUTPUT * QUANT_CELL)
    return Network(shape, **numbers, scale=scale, provenance={"result": "material, made by hand"})


def label_by_material(samples: Samples) -> Samples:
    """The samples, with the lead in material of the side to move as their scores."""
    packed = np.ascontiguousarray(samples["board"]).view(np.uint8).reshape(len(samples), BOARD_BYTES)
    worth = np.zeros(16, np.int16)  # by piece code
    worth[:5] = np.array(_WORTH) * _CENTIPAWNS
    worth[6:11] = -worth[:5]
    labelled = samples.copy()
    labelled["score"] = worth[packed & 15].sum(1) + worth[packed >> 4].sum(1)
    return labelled


def uniform_policy() -> Policy:
    """A policy for which all moves are equally likely."""
    zeros: dict[str, Any] = {block.name: np.zeros(block.dimensions, block.code) for block in blocks_of(WIDTH_STEP)}
    return Policy(**zeros, provenance={"result": "all moves alike, made by hand"})
