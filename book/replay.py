"""Replays games from their moves in SAN: Python parses each distinct word once, and a kernel does the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from book.polyglot import en_passant_candidate, position_key
from engine.core.bits import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from engine.core.movegen import ALL_MOVES, MOVE_LIST_TYPE, MoveListRecord, checkers_and_pinned, generate
from engine.core.moves import CASTLING, NULL_MOVE, PROMOTION, from_square, move_type, promoted_type, to_square
from engine.core.position import POSITION_TYPE, PositionRecord, make
from engine.kernel import Int, array_type, entry, inline

_SAN = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)[x\-]?([a-h])([1-8])(?:e\.p\.)?(?:[=/]?([QRBNqrbn]))?[+#]*[!?]*$")
_CASTLING = re.compile(r"([O0]-[O0])(-[O0])?[+#]*[!?]*$")
_TYPES = {"": PAWN, "N": KNIGHT, "B": BISHOP, "R": ROOK, "Q": QUEEN, "K": KING}
_ANY = 8  # a file or a rank that is not given

# A word of SAN as one number: piece type | target << 3 | file << 9 | rank << 13 | promoted type << 17 | castling << 20,
# where castling is 1 for kingside and 2 for queenside. No word is 0.
_TARGET, _FILE, _RANK, _PROMOTED, _CASTLES = (np.int64(shift) for shift in (3, 9, 13, 17, 20))
_KING_SIDE, _QUEEN_SIDE = np.int64(1), np.int64(2)

Numbers = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]
_NUMBERS, _KEYS = array_type("i8"), array_type("u8")


@lru_cache(maxsize=1 << 16)
def parse_san(word: str) -> int:
    """Parse a word of SAN into a number; 0 if it is not SAN."""
    castling = _CASTLING.match(word)
    if castling is not None:
        return int(KING) | (2 if castling[2] else 1) << int(_CASTLES)
    match = _SAN.match(word)
    if match is None:
        return 0
    letter, file, rank, target_file, target_rank, promoted = match.groups()
    target = "abcdefgh".index(target_file) + 8 * (int(target_rank) - 1)
    return (int(_TYPES[letter]) | target << int(_TARGET)
            | ("abcdefgh".index(file) if file else _ANY) << int(_FILE)
            | (int(rank) - 1 if rank else _ANY) << int(_RANK)
            | (int(_TYPES[promoted.upper()]) if promoted else 0) << int(_PROMOTED))


def replay_san(words: Sequence[str], position: PositionRecord, out: MoveListRecord) -> tuple[Keys, Numbers]:
    """Make the moves on `position` up to the first illegal one; return the Polyglot keys before them, and the moves."""
    numbers = np.array([parse_san(word) for word in words], np.int64)
    keys, moves = np.zeros(len(words), np.uint64), np.zeros(len(words), np.int64)
    played = int(replay(position, out, numbers, keys, moves))
    return keys[:played], moves[:played]


@inline
def _matches(pos, move, word):
    """Whether a legal move matches the word."""
    start, target, flags = from_square(move), to_square(move), move_type(move)
    castles = word >> _CASTLES
    if flags == CASTLING:
        return castles == (_KING_SIDE if target > start else _QUEEN_SIDE)
    if castles != 0:
        return False
    file, rank = word >> _FILE & 15, word >> _RANK & 15
    promoted = promoted_type(flags) if flags >= PROMOTION else np.int64(0)
    return (np.int64(pos.board[start]) & 7 == word & 7 and target == word >> _TARGET & 63
            and (file == _ANY or file == start & 7) and (rank == _ANY or rank == start >> 3)
            and promoted == word >> _PROMOTED & 7)


@entry(POSITION_TYPE, MOVE_LIST_TYPE, _NUMBERS, _KEYS, _NUMBERS)
def replay(pos: PositionRecord, out: MoveListRecord, words: Numbers, keys: Keys, moves: Numbers) -> Int:
    """Make the moves of the words of SAN on `pos`; return their number.

    Writes the Polyglot key before the i-th move to keys[i], and the move to moves[i]. Stops at a word that matches no
    legal move, or several.
    """
    passed = np.int64(pos.ep)
    for index in range(len(words)):
        keys[index] = position_key(pos, passed)
        checkers, pinned = checkers_and_pinned(pos)
        count = generate(pos, out, np.int64(0), ALL_MOVES, checkers, pinned)
        found, matches = NULL_MOVE, np.int64(0)
        for number in range(count):
            move = np.int64(out.moves[number])
            if _matches(pos, move, words[index]):
                found, matches = move, matches + 1
        if matches != 1 or words[index] == 0:
            return np.int64(index)
        make(pos, found)
        moves[index] = found
        passed = en_passant_candidate(pos, found)
    return np.int64(len(words))


