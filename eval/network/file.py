"""The network file: shape, numbers, checksum, and how it was made.

A magic word, a version, a JSON header, then the numbers, little-endian and without gaps: feature weights
[king buckets * 768][hidden], feature biases [hidden], output weights [output buckets][2][hidden], all int16, and output
biases int32 [output buckets]. Everything that shapes the network is in the header; the code fixes no widths. The
checksum is that of the whole file with zeros in its own place, so that no byte can change unnoticed.

It is read without Numba, so that a file can be checked before the kernels are loaded.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.core.errors import InputError, quote
from engine.files import open_bytes, write_file
from eval.weightfile import read_outcome

VERSION = 1
FEATURES = 768  # of one perspective and king bucket: own or not, six types, 64 squares
QA, QB = 255, 64  # 1.0 in accumulators, and in output weights
LARGEST_OUTPUT_WEIGHT = 127  # multiplied by QA it still fits into 16 bits
WIDTH_STEP, LARGEST_WIDTH = 64, 2048
MOST_BUCKETS = 32

MAGIC = b"ADVNET\r\n"  # a transfer in text mode would change the line end
_PREFIX = struct.Struct("<8sII")  # magic, version, length of the header
_ALIGNMENT = 64
_LONGEST_HEADER = 1 << 20
_LARGEST_FILE = 1 << 30  # bytes: many times the largest network
_LARGEST_SCALE = 10_000.0
_NO_CHECKSUM = "0" * 64

Int16Array = npt.NDArray[np.int16]
Int32Array = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Shape:
    """The dimensions of a network, and how it sees the board."""

    hidden: int  # the width of one perspective's accumulator
    king_buckets: tuple[int, ...] = (0,) * 64  # by the own king's square, turned and mirrored
    mirrored: bool = True  # left and right are swapped while the own king is on files e to h
    output_buckets: int = 8  # by the number of men

    @property
    def rows(self) -> int:
        """The number of feature rows."""
        return FEATURES * (max(self.king_buckets) + 1)

    @property
    def blocks(self) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
        """(name, dtype, dimensions) of the blocks after the header, in the file's order."""
        return (("feature_weights", "<i2", (self.rows, self.hidden)),
                ("feature_biases", "<i2", (self.hidden,)),
                ("output_weights", "<i2", (self.output_buckets, 2, self.hidden)),
                ("output_biases", "<i4", (self.output_buckets,)))

    @property
    def payload_size(self) -> int:
        """The number of bytes after the header."""
        return sum(np.dtype(code).itemsize * math.prod(dimensions) for _, code, dimensions in self.blocks)


@dataclass(frozen=True)
class Network:
    """The contents of a file. The arrays are read-only if they come from a file."""

    shape: Shape
    feature_weights: Int16Array
    feature_biases: Int16Array
    output_weights: Int16Array
    output_biases: Int32Array
    scale: float  # centipawns for a logit of 1
    provenance: dict[str, Any] = field(default_factory=dict)
    outcome: tuple[float, ...] | None = None  # the numbers of the model in outcome.py, if they have been fitted


def read_network(path: Path | str) -> Network:
    """The network in a file; InputError, in one line that names the file, if it is missing, damaged or no network."""
    with open_bytes(Path(path), _LARGEST_FILE) as file:
        content = file.read()
    try:
        return _parse(content)
    except InputError as error:
        raise InputError(f"network file {path}: {error}") from error


def write_network(network: Network, path: Path | str) -> None:
    """Write a file for `read_network`; an incomplete file never replaces another."""
    write_file(Path(path), _content(network))


def _content(network: Network) -> bytes:
    shape = network.shape
    _check_shape(shape)
    payload = b"".join(_block_bytes(network, *block) for block in shape.blocks)
    header = {"hidden": shape.hidden, "king_buckets": list(shape.king_buckets), "mirrored": shape.mirrored,
              "output_buckets": shape.output_buckets, "activation": "screlu", "qa": QA, "qb": QB,
              "scale": float(network.scale), "checksum": _NO_CHECKSUM, "provenance": network.provenance}
    if network.outcome is not None:
        header["outcome"] = [round(value, 4) for value in network.outcome]
    text = json.dumps(header).encode()
    start = _PREFIX.pack(MAGIC, VERSION, len(text)) + text
    content = start + bytes(-len(start) % _ALIGNMENT) + payload
    content = content.replace(_NO_CHECKSUM.encode(), hashlib.sha256(content).hexdigest().encode(), 1)
    _parse(content)  # nothing is written that could not be read back
    return content


def _has_checksum(content: bytes, checksum: object) -> bool:
    if type(checksum) is not str or len(checksum) != len(_NO_CHECKSUM):
        return False
    without = content.replace(checksum.encode(), _NO_CHECKSUM.encode(), 1)
    return hashlib.sha256(without).hexdigest() == checksum


def _block_bytes(network: Network, name: str, code: str, dimensions: tuple[int, ...]) -> bytes:
    values = getattr(network, name)
    if values.shape != dimensions:
        raise InputError(f"{name} has the shape {values.shape}, not {dimensions}")
    limits = np.iinfo(np.dtype(code))
    if values.min() < limits.min or values.max() > limits.max:
        raise InputError(f"{name} holds numbers beyond {limits.bits} bits")
    packed: bytes = values.astype(code).tobytes()
    return packed


def _parse(content: bytes) -> Network:
    header, start = _parse_header(content)
    shape = _parse_shape(header)
    _require(header, "activation", "screlu")
    _require(header, "qa", QA)
    _require(header, "qb", QB)
    scale = header.get("scale")
    if not isinstance(scale, float) or not 1 <= scale <= _LARGEST_SCALE:
        raise InputError(f'"scale" is {quote(str(scale))}, which is not a sensible number')
    provenance = header.get("provenance", {})
    if not isinstance(provenance, dict):
        raise InputError('"provenance" is not a table')
    outcome = tuple(read_outcome(header["outcome"])) if "outcome" in header else None
    payload = memoryview(content)[start:]
    if len(payload) != shape.payload_size:
        wrong = "is cut off" if len(payload) < shape.payload_size else "is too long"
        raise InputError(f"it {wrong}: {len(payload)} bytes of numbers, not {shape.payload_size}")
    if not _has_checksum(content, header.get("checksum")):
        raise InputError("it is damaged: the checksum does not match")
    arrays = dict(_arrays(shape, payload))
    if np.abs(arrays["output_weights"].astype(np.int32)).max() > LARGEST_OUTPUT_WEIGHT:
        raise InputError(f"an output weight is beyond {LARGEST_OUTPUT_WEIGHT}")
    return Network(shape, scale=float(scale), provenance=provenance, outcome=outcome, **arrays)


def _parse_header(content: bytes) -> tuple[dict[str, Any], int]:
    """(header, where the numbers begin)."""
    if len(content) < _PREFIX.size or content[:len(MAGIC)] != MAGIC:
        raise InputError("it is not a network file")
    _, version, length = _PREFIX.unpack_from(content)
    if version != VERSION:
        raise InputError(f"it has version {version}, not {VERSION}")
    end = _PREFIX.size + length
    if length > _LONGEST_HEADER:
        raise InputError("its header is damaged")
    if end > len(content):
        raise InputError("it is cut off in its header")
    try:
        header = json.loads(content[_PREFIX.size:end].decode())
    except (ValueError, RecursionError) as error:
        raise InputError("its header is damaged") from error
    if not isinstance(header, dict):
        raise InputError("its header is damaged")
    return header, end + -end % _ALIGNMENT


def _parse_shape(header: dict[str, Any]) -> Shape:
    buckets, mirrored = header.get("king_buckets"), header.get("mirrored")
    if not isinstance(buckets, list):
        raise InputError('"king_buckets" is not a list')
    if type(mirrored) is not bool:
        raise InputError('"mirrored" is neither true nor false')
    shape = Shape(header.get("hidden", 0), tuple(buckets), mirrored, header.get("output_buckets", 0))
    _check_shape(shape)
    return shape


def _check_shape(shape: Shape) -> None:
    hidden, outputs, kings = shape.hidden, shape.output_buckets, shape.king_buckets
    if type(hidden) is not int or not WIDTH_STEP <= hidden <= LARGEST_WIDTH or hidden % WIDTH_STEP:
        raise InputError(f"its width is {quote(str(hidden))}, "
                         f"which is not a multiple of {WIDTH_STEP} up to {LARGEST_WIDTH}")
    if type(outputs) is not int or not 1 <= outputs <= MOST_BUCKETS:
        raise InputError(f'"output_buckets" is {quote(str(outputs))}, not 1 to {MOST_BUCKETS}')
    if len(kings) != 64 or not all(type(bucket) is int and 0 <= bucket < MOST_BUCKETS for bucket in kings):
        raise InputError(f'"king_buckets" is not a list of 64 numbers from 0 to {MOST_BUCKETS - 1}')


def _require(header: dict[str, Any], name: str, value: object) -> None:
    if header.get(name) != value:
        raise InputError(f'"{name}" is {quote(str(header.get(name)))}; only {quote(str(value))} is supported')


def _arrays(shape: Shape, payload: memoryview) -> Iterator[tuple[str, Any]]:
    offset = 0
    for name, code, dimensions in shape.blocks:
        count = math.prod(dimensions)
        yield name, np.frombuffer(payload, code, count, offset).reshape(dimensions)
        offset += count * np.dtype(code).itemsize
