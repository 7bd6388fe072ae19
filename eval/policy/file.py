"""The policy file: width, weights, checksum and provenance.

After the header come feature weights [FEATURES][hidden], int8; feature biases [hidden], int16; the rows of moves by
from and to [FROM_TO_ROWS][hidden], by piece and to [PIECE_TO_ROWS][hidden], by traits [TRAITS][hidden] and by danger
[DANGERS][hidden], int8; trait biases [TRAITS], int32.

A hidden cell is its bias plus the weights of the features of the position, clamped to 0 .. QA and squared. The score of
a move is the product of all cells with the sum of its four rows, plus the bias of its traits, in units of
1 / (QA * QA * QB). A softmax over the legal moves turns the scores into probabilities. encoding.py defines the features
and rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.system.files import write_file
from eval.binary_file import ArrayBlock, FileFormat, check_width, parse_blocks, provenance_of, read_parsed, require

VERSION = 1
MAGIC = b"ADVPOL\r\n"
QA, QB = 64, 64  # 1.0 in hidden cells, and in the rows of moves
WIDTH_STEP, LARGEST_WIDTH = 64, 512

FEATURES = 4 * 12 * 64  # attacked or not, defended or not; own and enemy pieces of six types; squares
FROM_TO_ROWS = 1792 + 4 * 22  # from and to squares of queen and knight moves; four promotions on 22 ways
PIECE_TO_ROWS = 6 * 64  # the moving piece and the to square
TRAITS = 6 * 6 * 2 * 2  # the moving piece, the captured one, whether it gives check, whether SEE is not negative
DANGERS = 6 * 27 * 2  # the moving piece, its danger, whether SEE is not negative

_FORMAT = FileFormat("policy", MAGIC, VERSION)

Int8Array = npt.NDArray[np.int8]
Int16Array = npt.NDArray[np.int16]
Int32Array = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Policy:
    """The contents of a file. The arrays are read-only if they come from a file."""

    feature_weights: Int8Array
    feature_biases: Int16Array
    from_to_weights: Int8Array
    piece_to_weights: Int8Array
    trait_weights: Int8Array
    danger_weights: Int8Array
    trait_biases: Int32Array
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def hidden(self) -> int:
        """The number of hidden cells."""
        return len(self.feature_biases)


def blocks_of(hidden: int) -> tuple[ArrayBlock, ...]:
    """The blocks of a policy of this width, in the file's order."""
    return (ArrayBlock("feature_weights", "i1", (FEATURES, hidden)), ArrayBlock("feature_biases", "<i2", (hidden,)),
            ArrayBlock("from_to_weights", "i1", (FROM_TO_ROWS, hidden)),
            ArrayBlock("piece_to_weights", "i1", (PIECE_TO_ROWS, hidden)),
            ArrayBlock("trait_weights", "i1", (TRAITS, hidden)), ArrayBlock("danger_weights", "i1", (DANGERS, hidden)),
            ArrayBlock("trait_biases", "<i4", (TRAITS,)))


def read_policy(path: Path | str) -> Policy:
    """The policy in a file; InputError, in one line that names the file, if it is missing or invalid."""
    return read_parsed(path, "policy", _parse)


def write_policy(policy: Policy, path: Path | str) -> None:
    """Write a file for `read_policy`; an incomplete file never replaces another."""
    check_width(policy.hidden, WIDTH_STEP, LARGEST_WIDTH)
    header = {"hidden": policy.hidden, "activation": "screlu", "qa": QA, "qb": QB, "provenance": policy.provenance}
    content = _FORMAT.pack(header, blocks_of(policy.hidden), vars(policy))
    _parse(content)  # nothing is written that could not be read back
    write_file(Path(path), content)


def random_policy(hidden: int, seed: int) -> Policy:
    """A policy with random weights of the usual magnitude."""
    generator = np.random.default_rng(seed)
    values: dict[str, Any] = {block.name: generator.integers(-40, 41, block.dimensions).astype(block.code)
              for block in blocks_of(hidden)}
    return Policy(**values)


def _parse(content: bytes) -> Policy:
    header, start = _FORMAT.parse_header(content)
    hidden = header.get("hidden")
    check_width(hidden, WIDTH_STEP, LARGEST_WIDTH)
    assert isinstance(hidden, int)
    require(header, "activation", "screlu")
    require(header, "qa", QA)
    require(header, "qb", QB)
    provenance = provenance_of(header)
    return Policy(**parse_blocks(content, header, start, blocks_of(hidden)), provenance=provenance)
