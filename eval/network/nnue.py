"""Stockfish's network files, read into NumPy arrays; their static evaluation can teach the engine's own network.

A file is a sequence of little-endian numbers: a header, the feature transformer, then a stack of layers for each output
bucket. The hashes in it tell the width, and with it the version of Stockfish; since version 16 the feature transformer
is compressed. Everything that the architecture ("HalfKAv2_hm") fixes is checked: version, hashes, sizes, and that
nothing follows the last stack.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.system.errors import InputError
from eval.binary_file import read_parsed
from eval.network.leb128 import decode_leb128

Array = npt.NDArray[Any]

VERSION = 0x7AF32F20
_MAGIC = VERSION.to_bytes(4, "little")
KING_BUCKETS = 32
PLANES = 11  # own and other pawn, knight, bishop, rook, queen, and one for both kings
FEATURES = KING_BUCKETS * PLANES * 64
WIDTHS = {1024: "15.1", 3072: "17"}  # of one perspective's accumulator, and the Stockfish whose (big) network has it
OUTPUT_BUCKETS = 8  # by piece count
FIRST, SECOND = 16, 32  # widths of the small layers; the last output of the first one skips the second
SECOND_INPUTS = 2 * (FIRST - 1)
ONE = 127  # 1.0 in cells
WEIGHT_BITS = 6  # 1.0 in the weights of the small layers is 1 << WEIGHT_BITS
SQUARE_BITS = 19  # by which the square of a sum is shifted down to a cell
SKIP_UNIT = 9600  # 1.0 of the output that skips the second layer, in units of the positional part
UNITS_PER_PAWN = 16 * 361  # of both parts of the evaluation

_PADDED_INPUTS = 32  # of the second layer, as stored: two are always zero
_FEATURE_HASH, _SLICE_HASH, _AFFINE_HASH, _CLIP_HASH = 0x7F234CB8, 0xEC42E90D, 0xCC03DAE4, 0x538D24C7
_WORD = 0xFFFF_FFFF
_LONGEST_DESCRIPTION = 1 << 16
_COMPRESSED = b"COMPRESSED_LEB128"  # how compressed blocks begin; their size in bytes follows


@dataclass(frozen=True)
class LayerStack:
    """The small layers of one output bucket; weights are [outputs, inputs]."""

    first_biases: Array  # [FIRST] i4
    first_weights: Array  # [FIRST, width] i1
    second_biases: Array  # [SECOND] i4
    second_weights: Array  # [SECOND, SECOND_INPUTS] i1: of squared cells, then of clamped ones
    output_bias: int
    output_weights: Array  # [SECOND] i1


@dataclass(frozen=True)
class Nnue:
    """The contents of a file; the arrays are read-only."""

    biases: Array  # [width] i2
    weights: Array  # [FEATURES, width] i2
    psqt: Array  # [FEATURES, OUTPUT_BUCKETS] i4
    stacks: tuple[LayerStack, ...]  # [OUTPUT_BUCKETS]

    @property
    def width(self) -> int:
        """The width of one perspective's accumulator."""
        return len(self.biases)


def transformer_hash(width: int) -> int:
    """The hash before the feature transformer."""
    return _FEATURE_HASH ^ 2 * width


def stack_hash(width: int) -> int:
    """The hash before each stack of layers, which depends on the widths."""
    word = _SLICE_HASH ^ 2 * width
    for index, outputs in enumerate((FIRST, SECOND, 1)):
        if index:
            word = word + _CLIP_HASH & _WORD
        word = (_AFFINE_HASH + outputs & _WORD) ^ word >> 1 ^ word << 31 & _WORD
    return word


class _Blocks:
    """Reads the blocks of a file one after the other; InputError if one is not as expected."""

    def __init__(self, content: bytes) -> None:
        self._content, self._offset = content, 0

    def array(self, name: str, dtype: str, *shape: int) -> Array:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        left = len(self._content) - self._offset
        if size > left:
            raise InputError(f"truncated: {name} takes {size} bytes, but only {left} are left")
        values = np.frombuffer(self._content, np.dtype(dtype), int(np.prod(shape)), self._offset).reshape(shape)
        self._offset += size
        return values

    def word(self, name: str) -> int:
        return int(self.array(name, "<u4", 1)[0])

    def check_hash(self, name: str, expected: int) -> None:
        word = self.word(f"the hash of {name}")
        if word != expected:
            raise InputError(f"{name} is damaged or of another architecture: hash {word:08x}, expected {expected:08x}")

    def maybe_compressed(self, name: str, dtype: str, *shape: int) -> Array:
        """A block as older or newer versions store it: as it is, or compressed."""
        if not self._content.startswith(_COMPRESSED, self._offset):
            return self.array(name, dtype, *shape)
        self._offset += len(_COMPRESSED)
        encoded = self.array(name, "u1", self.word(f"the size of {name}"))
        return decode_leb128(encoded, dtype, int(np.prod(shape))).reshape(shape)

    def check_end(self) -> None:
        left = len(self._content) - self._offset
        if left:
            raise InputError(f"{left} bytes follow the last layer")


def _parse_stack(blocks: _Blocks, index: int, width: int) -> LayerStack:
    name = f"layer stack {index}"
    blocks.check_hash(name, stack_hash(width))
    first_biases = blocks.array(name, "<i4", FIRST)
    first_weights = blocks.array(name, "i1", FIRST, width)
    second_biases = blocks.array(name, "<i4", SECOND)
    second_weights = blocks.array(name, "i1", SECOND, _PADDED_INPUTS)[:, :SECOND_INPUTS]
    output_bias = int(blocks.array(name, "<i4", 1)[0])
    return LayerStack(first_biases, first_weights, second_biases, second_weights, output_bias,
                      blocks.array(name, "i1", SECOND))


def _width_of(word: int, widths: Collection[int]) -> int:
    """The one of `widths` that a network's hash is for."""
    for width in widths:
        if word == transformer_hash(width) ^ stack_hash(width):
            return width
    versions = " and ".join(WIDTHS.values())
    raise InputError(f"damaged or of another architecture than those of Stockfish {versions}: hash {word:08x}")


def parse_nnue(content: bytes, widths: Collection[int] = WIDTHS.keys()) -> Nnue:
    """The network in the bytes of a file with accumulators of one of `widths`; InputError if they are anything else."""
    blocks = _Blocks(content)
    version = blocks.word("the version")
    if version != VERSION:
        raise InputError(f"version {version:08x} is not that of Stockfish's networks, {VERSION:08x}")
    width = _width_of(blocks.word("the hash of the network"), widths)
    length = blocks.word("the length of the description")
    if length > _LONGEST_DESCRIPTION:
        raise InputError(f"damaged: a description of {length} bytes")
    blocks.array("the description", "u1", length)
    blocks.check_hash("the feature transformer", transformer_hash(width))
    biases = blocks.maybe_compressed("the biases", "<i2", width)
    weights = blocks.maybe_compressed("the feature weights", "<i2", FEATURES, width)
    psqt = blocks.maybe_compressed("the piece-square values", "<i4", FEATURES, OUTPUT_BUCKETS)
    stacks = tuple(_parse_stack(blocks, index, width) for index in range(OUTPUT_BUCKETS))
    blocks.check_end()
    return Nnue(biases, weights, psqt, stacks)


def is_nnue(path: Path) -> bool:
    """Whether a file begins like one of Stockfish's networks."""
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def read_nnue(path: Path | str) -> Nnue:
    """The network in a file; InputError, in one line that names the file, if it is missing or anything else."""
    return read_parsed(path, "network", parse_nnue)
