"""The policy's parameters as floats, with 1.0 where the file has QA or QB: their start values and quantization."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eval.policy.file import QA, QB, Policy, blocks_of

Floats = npt.NDArray[np.float32]
Values = dict[str, Floats]  # by the names of the file's blocks

ONES = {"feature_weights": QA, "feature_biases": QA, "from_to_weights": QB, "piece_to_weights": QB, "trait_weights": QB,
        "danger_weights": QB, "trait_biases": QA * QA * QB}  # what 1.0 is in the file
MOVE_TABLES = ("from_to_weights", "piece_to_weights", "trait_weights", "danger_weights")
_LARGEST_WEIGHT = 127.49  # of an int8


@dataclass(frozen=True)
class PolicyMetrics:
    """How well a policy predicts the played moves."""

    entropy: float  # mean cross-entropy of the moves that were played
    top1: float  # the fraction of positions where the first choice was played
    top3: float  # the fraction where one of the first three choices was played


def initial_values(hidden: int, seed: int) -> Values:
    """Random parameters determined by `seed`."""
    generator, values = np.random.default_rng(seed), {}
    for block in blocks_of(hidden):
        width = 0.5 / math.sqrt(hidden) if block.name in MOVE_TABLES else 0.0
        values[block.name] = generator.uniform(-width, width, block.dimensions).astype(np.float32)
    # All features of a piece on a square start equal, attacked or not, defended or not.
    pieces = len(values["feature_weights"]) // 4
    values["feature_weights"][:] = np.tile(generator.uniform(-0.1, 0.1, (pieces, hidden)), (4, 1))
    values["feature_biases"][:] = 0.2
    return values


def largest_of(name: str) -> float:
    """The largest value that the file can hold in a block."""
    return _LARGEST_WEIGHT / ONES[name] if name.endswith("weights") else math.inf


def quantize_policy(values: Mapping[str, Any], provenance: dict[str, Any]) -> Policy:
    """The policy in integers, as in the file."""
    blocks = blocks_of(len(values["feature_biases"]))
    arrays: dict[str, Any] = {block.name: np.rint(values[block.name].astype(np.float64) * ONES[block.name]).astype(
        block.code) for block in blocks}
    return Policy(**arrays, provenance=provenance)


def floats_of(policy: Policy) -> Values:
    """The integers of a policy as floats, which represent them and the resulting hidden cells exactly."""
    return {name: (getattr(policy, name) / one).astype(np.float32) for name, one in ONES.items()}
