"""Binary files of arrays for kernels: a magic number, a version, a JSON header with a checksum, then the arrays.

The arrays are little-endian, without gaps, and begin at a multiple of 64 bytes. The checksum covers the whole file,
with zeros in place of the checksum itself, so that any changed byte is detected.

This module does not import Numba, so that a file can be checked before the kernels are loaded.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from engine.system.errors import InputError, quote
from engine.system.files import read_bytes

T = TypeVar("T")

_LARGEST_FILE = 1 << 30  # bytes: many times the largest file

_PREFIX = struct.Struct("<8sII")  # magic, version, length of the header
_ALIGNMENT = 64
_LONGEST_HEADER = 1 << 20
_NO_CHECKSUM = "0" * 64


def read_parsed(path: Path | str, name: str, parse: Callable[[bytes], T]) -> T:
    """What `parse` makes of a file; InputError, in one line that names the file, if it is missing or invalid."""
    content = read_bytes(Path(path), _LARGEST_FILE)
    try:
        return parse(content)
    except InputError as error:
        raise InputError(f"{name} file {path}: {error}") from error


class ArrayBlock(NamedTuple):
    """One array of a file."""

    name: str
    code: str  # the NumPy type code
    dimensions: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of bytes."""
        return np.dtype(self.code).itemsize * math.prod(self.dimensions)


@dataclass(frozen=True)
class FileFormat:
    """The name, magic number and version of a file format."""

    name: str
    magic: bytes  # eight bytes; a line end in them reveals a transfer in text mode
    version: int

    def pack(self, header: Mapping[str, Any], blocks: Sequence[ArrayBlock], values: Mapping[str, Any]) -> bytes:
        """The bytes of a file; InputError if the values of a block do not fit into it."""
        payload = b"".join(_block_bytes(block, values[block.name]) for block in blocks)
        text = json.dumps({"checksum": _NO_CHECKSUM, **header}).encode()
        start = _PREFIX.pack(self.magic, self.version, len(text)) + text
        content = start + bytes(-len(start) % _ALIGNMENT) + payload
        return content.replace(_NO_CHECKSUM.encode(), hashlib.sha256(content).hexdigest().encode(), 1)

    def parse_header(self, content: bytes) -> tuple[dict[str, Any], int]:
        """(header, offset of the arrays); InputError if `content` is not of this format."""
        if len(content) < _PREFIX.size or content[:len(self.magic)] != self.magic:
            raise InputError(f"it is not a {self.name} file")
        _, version, length = _PREFIX.unpack_from(content)
        if version != self.version:
            raise InputError(f"expected version {self.version}, got version {version}")
        end = _PREFIX.size + length
        if length > _LONGEST_HEADER:
            raise InputError("the header is damaged")
        if end > len(content):
            raise InputError("the header is truncated")
        try:
            header = json.loads(content[_PREFIX.size:end].decode())
        except (ValueError, RecursionError) as error:
            raise InputError("the header is damaged") from error
        if not isinstance(header, dict):
            raise InputError("the header is damaged")
        return header, end + -end % _ALIGNMENT


def parse_blocks(content: bytes, header: Mapping[str, Any], start: int, blocks: Sequence[ArrayBlock]) -> dict[str, Any]:
    """The arrays by name, read-only; InputError if the size or the checksum is wrong."""
    payload, size = memoryview(content)[start:], sum(block.size for block in blocks)
    if len(payload) != size:
        problem = "truncated" if len(payload) < size else "too long"
        raise InputError(f"the file is {problem}: expected {size} bytes of arrays, got {len(payload)}")
    if not _has_checksum(content, header.get("checksum")):
        raise InputError("the file is damaged: the checksum does not match")
    return dict(_arrays(payload, blocks))


def require(header: Mapping[str, Any], name: str, value: object) -> None:
    """InputError if the header field `name` does not have this value."""
    if header.get(name) != value:
        raise InputError(f'"{name}" is {quote(str(header.get(name)))}; only {quote(str(value))} is supported')


def provenance_of(header: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance in the header; InputError if it is not a JSON object."""
    provenance = header.get("provenance", {})
    if not isinstance(provenance, dict):
        raise InputError('"provenance" must be a JSON object')
    return provenance


def check_width(width: object, step: int, largest: int, name: str = "the width") -> None:
    """InputError if `width` is not a multiple of `step` up to `largest`."""
    if type(width) is not int or not step <= width <= largest or width % step:
        raise InputError(f"{name} must be a multiple of {step} up to {largest}, got {quote(str(width))}")


def _has_checksum(content: bytes, checksum: object) -> bool:
    if type(checksum) is not str or len(checksum) != len(_NO_CHECKSUM):
        return False
    begin, view = content.find(checksum.encode()), memoryview(content)
    if begin < 0:
        return False
    digest = hashlib.sha256(view[:begin])  # in three parts: copying a large file would take as long
    digest.update(_NO_CHECKSUM.encode())
    digest.update(view[begin + len(checksum):])
    return digest.hexdigest() == checksum


def _block_bytes(block: ArrayBlock, values: Any) -> bytes:
    if values.shape != block.dimensions:
        raise InputError(f"{block.name} must have the shape {block.dimensions}, got {values.shape}")
    limits = np.iinfo(np.dtype(block.code))
    if values.min() < limits.min or values.max() > limits.max:
        raise InputError(f"{block.name} holds numbers that do not fit into {limits.bits} bits")
    packed: bytes = values.astype(block.code).tobytes()
    return packed


def _arrays(payload: memoryview, blocks: Sequence[ArrayBlock]) -> Iterator[tuple[str, Any]]:
    offset = 0
    for block in blocks:
        yield block.name, np.frombuffer(payload, block.code, math.prod(block.dimensions), offset).reshape(
            block.dimensions)
        offset += block.size
