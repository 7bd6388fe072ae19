"""What a player knows who has learned nothing yet: what the men are worth, and no preference among moves.

Both are files like those that are learned, so that whoever plays with these need not know the difference.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eval.network.file import QB, QUANT_FEATURE, Network, Shape
from eval.policy.file import WIDTH_STEP, Policy, blocks_of

_WORTH = (1, 3, 3, 5, 9)  # pawn to queen
_CENTIPAWNS = 100
_MIDDLE = QUANT_FEATURE // 2
_WEIGHT = 127  # of the output
_WIDTH = 64


def material_only_network() -> Network:
    """A network whose score is 100 centipawns for each pawn's worth of lead in material.

    Activations are squares, but a difference of two squares is linear: (m + lead)^2 - (m - lead)^2 = 4 m lead.
    """
    shape = Shape(_WIDTH, output_buckets=1)
    weights = np.zeros((shape.rows, _WIDTH), np.int16)
    for kind, worth in enumerate(_WORTH):
        for relation, sign in enumerate((1, -1)):  # own men, enemy men
            start = relation * 384 + kind * 64
            weights[start:start + 64, 0], weights[start:start + 64, 1] = sign * worth, -sign * worth
    biases = np.zeros(_WIDTH, np.int16)
    biases[:2] = _MIDDLE
    output = np.zeros((1, 2, _WIDTH), np.int16)
    output[0, 0, 0], output[0, 0, 1] = _WEIGHT, -_WEIGHT
    scale = _CENTIPAWNS * QUANT_FEATURE * QUANT_FEATURE * QB / (_WEIGHT * 4 * _MIDDLE)
    return Network(shape, weights, biases, output, np.zeros(1, np.int32), scale, {"result": "material, made by hand"})


def uniform_policy() -> Policy:
    """A policy for which all moves are equally likely."""
    zeros: dict[str, Any] = {block.name: np.zeros(block.dimensions, block.code) for block in blocks_of(WIDTH_STEP)}
    return Policy(**zeros, provenance={"result": "all moves alike, made by hand"})
