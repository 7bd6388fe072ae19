"""The network file: shape, weights, checksum and provenance.

A magic number, a version, a JSON header, then the arrays, little-endian and without gaps, as `Shape.blocks` lists them.
The header holds the whole shape of the network; the code fixes no widths. The checksum covers the whole file, with
zeros in place of the checksum itself, so that any changed byte is detected.

The cells of an accumulator are multiplied in pairs, and two small layers follow between the products and the output:

    cell = clamp(left, 0, QA >> l) * clamp(right, 0, QA >> r) >> (PAIR_BITS - l - r)
    first = biases + weights . (cells of the side to move, cells of its opponent)
    input = clamp(first >> SUM_BITS, 0, QC), then clamp(first, -QS, QS)^2 >> SQUARE_BITS
    second = clamp(biases + weights . input, 0, QS)
    centipawns = (bias + weights . second) * scale / (QS * QO), rounded towards 0

where left and right are cells of the two halves of an accumulator, and QA, QC, QS and QO stand for QUANT_FEATURE,
QUANT_CELL, QUANT_SUM and QUANT_OUTPUT. Feature weights are int8; l and r, stored for each PAIR_BLOCK of pairs, are the
numbers of bits shifted out of these weights and of the biases so that they fit.

There is one set of feature weights; all later weights exist once per output bucket.

This module does not import Numba, so that a file can be checked before the kernels are loaded.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.system.errors import InputError, quote
from engine.system.files import write_file
from eval.binary_file import ArrayBlock, FileFormat, check_width, parse_blocks, provenance_of, read_parsed, require
from eval.weight_file import parse_wdl_model

VERSION = 1
FEATURES = 768  # of one perspective and king bucket: own or enemy, six piece types, 64 squares
QUANT_FEATURE, QB = 255, 64  # 1.0 in accumulators, and in the weights of the small layers
PAIR_BITS = 9  # by which the product of a pair is shifted down
QUANT_CELL = 127  # 1.0 in the cells of the small layers: QUANT_FEATURE * QUANT_FEATURE >> PAIR_BITS
QUANT_SUM = QUANT_CELL * QB  # 1.0 in their sums and biases
LARGEST_BIAS = 1 << 30  # of the small layers; within it no sum overflows 32 bits
SUM_BITS = QB.bit_length() - 1  # by which a sum is shifted down to a cell
SQUARE_BITS = 19  # by which the square of a sum is shifted down to a cell
QUANT_OUTPUT = 1024  # 1.0 in the output weights
LARGEST_BYTE_WEIGHT = 127
PAIR_BLOCK = 64  # pairs that share their shifts
MOST_SHIFT = 4  # of either half
LAYER_STEP, LARGEST_LAYER = 8, 64
DEFAULT_LAYERS = (8, 32)  # of the built-in network
WIDTH_STEP, LARGEST_WIDTH = 2 * PAIR_BLOCK, 2048
MOST_BUCKETS = 32
_ACTIVATION = "pairs"
_CONSTANTS = {"qa": QUANT_FEATURE, "qb": QB, "pair_bits": PAIR_BITS, "square_bits": SQUARE_BITS, "qo": QUANT_OUTPUT}

MAGIC = b"ADVNET\r\n"  # a transfer in text mode would change the line end
_FORMAT = FileFormat("network", MAGIC, VERSION)
LARGEST_SCALE = 10_000  # centipawns for a logit of 1

Int8Array = npt.NDArray[np.int8]
Int16Array = npt.NDArray[np.int16]
Int32Array = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Shape:
    """The dimensions of a network, and how it sees the board."""

    hidden: int  # the width of one perspective's accumulator
    layers: tuple[int, int]  # the widths of the two small layers
    king_buckets: tuple[int, ...] = (0,) * 64  # by the own king's square, as its side sees it
    mirrored: bool = True  # whether the board is mirrored while the own king is on files e to h
    output_buckets: int = 8  # by piece count

    @property
    def rows(self) -> int:
        """The number of feature rows."""
        return FEATURES * (max(self.king_buckets) + 1)

    @property
    def blocks(self) -> tuple[ArrayBlock, ...]:
        """The blocks after the header, in the file's order."""
        buckets, (first, second) = self.output_buckets, self.layers
        return (ArrayBlock("feature_weights", "<i1", (self.rows, self.hidden)),
                ArrayBlock("feature_biases", "<i2", (self.hidden,)),
                # of the first half, of the second
                ArrayBlock("pair_shifts", "<u1", (self.hidden // (2 * PAIR_BLOCK), 2)),
                ArrayBlock("first_weights", "<i1", (buckets, first, self.hidden)),  # half of the inputs from each side
                ArrayBlock("first_biases", "<i4", (buckets, first)),
                # of clamped cells, then of squared ones
                ArrayBlock("second_weights", "<i1", (buckets, second, 2 * first)),
                ArrayBlock("second_biases", "<i4", (buckets, second)),
                ArrayBlock("output_weights", "<i2", (buckets, second)),
                ArrayBlock("output_biases", "<i4", (buckets,)))


@dataclass(frozen=True)
class Network:
    """The contents of a file. The arrays are read-only if they come from a file."""

    shape: Shape
    feature_weights: Int8Array
    feature_biases: Int16Array
    pair_shifts: npt.NDArray[np.uint8]
    first_weights: Int8Array
    first_biases: Int32Array
    second_weights: Int8Array
    second_biases: Int32Array
    output_weights: Int16Array
    output_biases: Int32Array
    scale: float  # centipawns for a logit of 1
    provenance: dict[str, Any] = field(default_factory=dict)
    outcome: tuple[float, ...] | None = None  # the numbers of the WdlModel, if one has been fitted

    def with_king_buckets(self, king_buckets: tuple[int, ...]) -> Network:
        """The same network with these king buckets, all with equal weights; this network must have a single bucket."""
        shape = replace(self.shape, king_buckets=king_buckets)
        rows: Any = np.tile(self.feature_weights, (shape.rows // self.shape.rows, 1))
        return replace(self, shape=shape, feature_weights=rows)


def read_network(path: Path | str) -> Network:
    """The network in a file; InputError, in one line that names the file, if it is missing or invalid."""
    return read_parsed(path, "network", _parse)


def write_network(network: Network, path: Path | str) -> None:
    """Write a file for `read_network`; an incomplete file never replaces another."""
    write_file(Path(path), _content(network))


def _content(network: Network) -> bytes:
    shape = network.shape
    check_shape(shape)
    header = {"hidden": shape.hidden, "layers": list(shape.layers), "king_buckets": list(shape.king_buckets),
              "mirrored": shape.mirrored, "output_buckets": shape.output_buckets, "activation": _ACTIVATION,
              **_CONSTANTS, "scale": float(network.scale), "provenance": network.provenance}
    if network.outcome is not None:
        header["outcome"] = [round(value, 4) for value in network.outcome]
    content = _FORMAT.pack(header, shape.blocks, vars(network))
    _parse(content)  # nothing is written that could not be read back
    return content


def _parse(content: bytes) -> Network:
    header, start = _FORMAT.parse_header(content)
    _check_activation(header.get("activation"))
    shape = _parse_shape(header)
    for name, value in _CONSTANTS.items():
        require(header, name, value)
    scale = header.get("scale")
    if not isinstance(scale, float) or not 1 <= scale <= LARGEST_SCALE:
        raise InputError(f'"scale" must be a number from 1 to {LARGEST_SCALE}, got {quote(str(scale))}')
    provenance = provenance_of(header)
    outcome = tuple(parse_wdl_model(header["outcome"])) if "outcome" in header else None
    arrays = parse_blocks(content, header, start, shape.blocks)
    if arrays["pair_shifts"].max() > MOST_SHIFT:
        raise InputError(f"a pair shift is above {MOST_SHIFT}")
    for name in ("first_biases", "second_biases"):
        if np.abs(arrays[name].astype(np.int64)).max() > LARGEST_BIAS:
            raise InputError(f"one of the {name.replace('_', ' ')} is above {LARGEST_BIAS}")
    return Network(shape, scale=float(scale), provenance=provenance, outcome=outcome, **arrays)


def _check_activation(name: object) -> None:
    """InputError if the kernels do not implement this activation."""
    if name != _ACTIVATION:
        raise InputError(f'activation "{quote(str(name))[1:-1]}" is not supported')


def _parse_shape(header: dict[str, Any]) -> Shape:
    buckets, mirrored = header.get("king_buckets"), header.get("mirrored")
    if not isinstance(buckets, list):
        raise InputError('"king_buckets" must be a list')
    if type(mirrored) is not bool:
        raise InputError('"mirrored" must be true or false')
    layers = header.get("layers")
    if not isinstance(layers, list) or len(layers) != 2:
        raise InputError('"layers" must be a list of two widths')
    shape = Shape(header.get("hidden", 0), (layers[0], layers[1]), tuple(buckets), mirrored,
                  header.get("output_buckets", 0))
    check_shape(shape)
    return shape


def check_shape(shape: Shape) -> None:
    """InputError if a dimension is out of range."""
    hidden, outputs, kings = shape.hidden, shape.output_buckets, shape.king_buckets
    check_width(hidden, WIDTH_STEP, LARGEST_WIDTH)
    for width in shape.layers:
        check_width(width, LAYER_STEP, LARGEST_LAYER, "a layer's width")
    if type(outputs) is not int or not 1 <= outputs <= MOST_BUCKETS:
        raise InputError(f'"output_buckets" must be from 1 to {MOST_BUCKETS}, got {quote(str(outputs))}')
    if len(kings) != 64 or not all(type(bucket) is int and 0 <= bucket < MOST_BUCKETS for bucket in kings):
        raise InputError(f'"king_buckets" must be a list of 64 integers from 0 to {MOST_BUCKETS - 1}')
