"""Files of numbers for kernels: a magic word, a version, a JSON header, then blocks of numbers, and a checksum.

The numbers are little-endian and without gaps, and begin at a multiple of 64 bytes. The checksum stands in the header
and is that of the whole file with zeros in its own place, so that no byte can change unnoticed.

They are read without Numba, so that a file can be checked before the kernels are loaded.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from engine.system.errors import InputError, quote

LARGEST_FILE = 1 << 30  # bytes: many times the largest file

_PREFIX = struct.Struct("<8sII")  # magic, version, length of the header
_ALIGNMENT = 64
_LONGEST_HEADER = 1 << 20
_NO_CHECKSUM = "0" * 64


class ArrayBlock(NamedTuple):
    """Some of the numbers."""

    name: str
    code: str  # the type, as NumPy writes it
    dimensions: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of bytes."""
        return np.dtype(self.code).itemsize * math.prod(self.dimensions)


@dataclass(frozen=True)
class FileFormat:
    """What distinguishes one kind of file from another."""

    name: str
    magic: bytes  # eight bytes; with a line end in them, a transfer in text mode is noticed
    version: int

    def pack(self, header: Mapping[str, Any], blocks: Sequence[ArrayBlock], values: Mapping[str, Any]) -> bytes:
        """The bytes of a file; InputError if the numbers of a block do not fit into it."""
        payload = b"".join(_block_bytes(block, values[block.name]) for block in blocks)
        text = json.dumps({"checksum": _NO_CHECKSUM, **header}).encode()
        start = _PREFIX.pack(self.magic, self.version, len(text)) + text
        content = start + bytes(-len(start) % _ALIGNMENT) + payload
        return content.replace(_NO_CHECKSUM.encode(), hashlib.sha256(content).hexdigest().encode(), 1)

    def parse_header(self, content: bytes) -> tuple[dict[str, Any], int]:
        """(header, where the numbers begin); InputError if this is no such file."""
        if len(content) < _PREFIX.size or content[:len(self.magic)] != self.magic:
            raise InputError(f"it is not a {self.name} file")
        _, version, length = _PREFIX.unpack_from(content)
        if version != self.version:
            raise InputError(f"it has version {version}, not {self.version}")
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


def parse_blocks(content: bytes, header: Mapping[str, Any], start: int, blocks: Sequence[ArrayBlock]) -> dict[str, Any]:
    """The numbers by name, read-only; InputError if there are too few or too many, or the checksum is wrong."""
    payload, wanted = memoryview(content)[start:], sum(block.size for block in blocks)
    if len(payload) != wanted:
        wrong = "is cut off" if len(payload) < wanted else "is too long"
        raise InputError(f"it {wrong}: {len(payload)} bytes of numbers, not {wanted}")
    if not _has_checksum(content, header.get("checksum")):
        raise InputError("it is damaged: the checksum does not match")
    return dict(_arrays(payload, blocks))


def require(header: Mapping[str, Any], name: str, value: object) -> None:
    """InputError if the header has another value there."""
    if header.get(name) != value:
        raise InputError(f'"{name}" is {quote(str(header.get(name)))}; only {quote(str(value))} is supported')


def provenance_of(header: Mapping[str, Any]) -> dict[str, Any]:
    """How the file was made, as its header says."""
    provenance = header.get("provenance", {})
    if not isinstance(provenance, dict):
        raise InputError('"provenance" is not a table')
    return provenance


def check_width(width: object, step: int, largest: int, name: str = "its width") -> None:
    """InputError if `width` is not a multiple of `step` up to `largest`."""
    if type(width) is not int or not step <= width <= largest or width % step:
        raise InputError(f"{name} is {quote(str(width))}, which is not a multiple of {step} up to {largest}")


def _has_checksum(content: bytes, checksum: object) -> bool:
    if type(checksum) is not str or len(checksum) != len(_NO_CHECKSUM):
        return False
    without = content.replace(checksum.encode(), _NO_CHECKSUM.encode(), 1)
    return hashlib.sha256(without).hexdigest() == checksum


def _block_bytes(block: ArrayBlock, values: Any) -> bytes:
    if values.shape != block.dimensions:
        raise InputError(f"{block.name} has the shape {values.shape}, not {block.dimensions}")
    limits = np.iinfo(np.dtype(block.code))
    if values.min() < limits.min or values.max() > limits.max:
        raise InputError(f"{block.name} holds numbers beyond {limits.bits} bits")
    packed: bytes = values.astype(block.code).tobytes()
    return packed


def _arrays(payload: memoryview, blocks: Sequence[ArrayBlock]) -> Iterator[tuple[str, Any]]:
    offset = 0
    for block in blocks:
        yield block.name, np.frombuffer(payload, block.code, math.prod(block.dimensions), offset).reshape(
            block.dimensions)
        offset += block.size
