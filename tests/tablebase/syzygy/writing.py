"""Syzygy files that tests write: sound in form, with values that the test chooses.

True files are not part of the project. What reads them does not ask whether their values are true, so that small files
with arbitrary ones show as well whether a position is found in its file, and what a search makes of the value.
"""

from __future__ import annotations

import random
import struct
from collections import Counter
from dataclasses import dataclass
from math import comb, prod
from pathlib import Path

import chess
import chess.syzygy

LETTERS = " PNBRQK"
MAGIC = bytes.fromhex("71e8235d")
SPLIT, WITH_PAWNS, CONSTANT = 1, 2, 128  # flags of a file, and of a part
LOWEST = -2  # a loss, which is stored as 0

# Each symbol stands for a value or for two other symbols. The longer its code, the lower its number.
SYMBOLS: tuple[tuple[int, int] | int, ...] = (1, 3, 0, 4, (2, 3), 2, (5, 4))
LENGTHS = (4, 4, 3, 3, 3, 2, 2)
CODES = (0b0000, 0b0001, 0b001, 0b010, 0b011, 0b10, 0b11)
BLOCK_BITS, INDEX_BITS = 6, 10  # a block has 64 bytes; a row of the index stands for 1024 positions


@dataclass(frozen=True)
class Part:
    """One side to move, and one file of the leading pawn, as it is written."""

    header: bytes
    index: bytes = b""
    sizes: bytes = b""
    blocks: bytes = b""


def write_constant(folder: Path, name: str, white: int, black: int) -> Path:
    """A file in which all positions have the same value: 2 to -2 for the side to move, by colour."""
    parts = [Part(bytes([CONSTANT, value - LOWEST])) for value in (white, black)]
    return _write(folder, name, [parts] * len(_sizes(_pieces(name))))


def write_random(folder: Path, name: str, seed: int) -> Path:
    """A file with random values, compressed as the format prescribes."""
    rng = random.Random(seed)
    return _write(folder, name, [[_random_part(size, rng) for _ in range(2)] for size in _sizes(_pieces(name))])


def _write(folder: Path, name: str, parts: list[list[Part]]) -> Path:
    """Write the parts [file][side to move] of an ending; of one that is the same for both sides only the first."""
    sides = len(set(name.split("v")))
    flags = (SPLIT if sides == 2 else 0) | (WITH_PAWNS if len(parts) > 1 else 0)
    written = [part for row in parts for part in row[:sides]]
    head = _padded(MAGIC + bytes([flags]) + _orders(_pieces(name)) * len(parts), 2)
    head += b"".join(part.header for part in written) + b"".join(part.index for part in written)
    content = _padded(head + b"".join(part.sizes for part in written), 64)
    for part in written:
        content = _padded(content + part.blocks, 64)
    path = folder / f"{name}.rtbw"
    path.write_bytes(content + bytes(16))  # where true files have a checksum
    return path


def _padded(content: bytes, multiple: int) -> bytes:
    return content + bytes(-len(content) % multiple)


def _pieces(name: str) -> list[int]:
    """The pieces of an ending with up to four, in an order that the format allows: pawns, kings, others."""
    white, black = name.split("v")
    pieces = [LETTERS.index(letter) for letter in white] + [8 + LETTERS.index(letter) for letter in black]
    return sorted(pieces, key=lambda piece: (piece & 7 != chess.PAWN, piece & 7 != chess.KING, piece))


def _orders(pieces: list[int]) -> bytes:
    """The order in which groups of pieces are numbered, first those that lead, and the pieces; both sides alike."""
    leading = len({piece for piece in pieces if piece & 7 == chess.PAWN}) or 1
    return bytes(17 * number for number in (*range(leading), *pieces))


def _sizes(pieces: list[int]) -> list[int]:
    """How many positions a part has, for each file of the leading pawn."""
    groups = list(Counter(pieces).values())
    if not any(piece & 7 == chess.PAWN for piece in pieces):
        return [462 * comb(62, groups[-1]) if max(groups) > 1 else 31332 * prod(range(61, 64 - len(pieces), -1))]
    leading, others = sorted((pieces.count(1), pieces.count(9)), key=lambda pawns: (pawns == 0, pawns))
    rest = comb(48 - leading, others) * prod(range(64 - len(pieces) + 1, 64 - leading - others + 1))
    return [chess.syzygy.PFACTOR[leading - 1][file] * rest for file in range(4)]


def _random_part(size: int, rng: random.Random) -> Part:
    """A part in which every row of the index stands for the same 1024 values."""
    blocks = b""
    held: list[int] = []  # values in each block
    while sum(held) < 1 << INDEX_BITS:
        block, values = _random_block(rng)
        blocks += block
        held.append(values)
    middle, row = 1 << INDEX_BITS - 1, 0
    while middle >= held[row]:
        middle -= held[row]
        row += 1
    index = struct.pack("<IH", row, middle) * -(-size // (1 << INDEX_BITS))
    return Part(_part_header(len(held)), index, struct.pack(f"<{len(held)}H", *(count - 1 for count in held)), blocks)


def _random_block(rng: random.Random) -> tuple[bytes, int]:
    """As many random symbols as fit into a block, and how many values they stand for."""
    bits, values = "", 0
    while len(bits) + max(LENGTHS) <= 8 << BLOCK_BITS:
        symbol = rng.randrange(len(SYMBOLS))
        bits += f"{CODES[symbol]:0{LENGTHS[symbol]}b}"
        values += _held(symbol)
    return int(bits.ljust(8 << BLOCK_BITS, "0"), 2).to_bytes(1 << BLOCK_BITS, "big"), values


def _held(symbol: int) -> int:
    """How many values a symbol stands for."""
    halves = SYMBOLS[symbol]
    return 1 if isinstance(halves, int) else sum(map(_held, halves))


def _part_header(blocks: int) -> bytes:
    lengths = range(min(LENGTHS), max(LENGTHS) + 1)
    first_symbols = [LENGTHS.index(length) for length in lengths]
    head = struct.pack("<BBBBIBB", 0, BLOCK_BITS, INDEX_BITS, 0, blocks, lengths[-1], lengths[0])
    head += struct.pack(f"<{len(lengths) + 1}H", *first_symbols, len(SYMBOLS))
    return _padded(head + b"".join(_pattern(symbol) for symbol in SYMBOLS), 2)


def _pattern(symbol: tuple[int, int] | int) -> bytes:
    left, right = (symbol, 0xFFF) if isinstance(symbol, int) else symbol
    return (left | right << 12).to_bytes(3, "little")
