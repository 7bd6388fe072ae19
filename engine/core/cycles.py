"""Repetitions that a single move brings about, seen before the move is made.

Two positions that differ by one move of a knight, bishop, rook, queen or king have keys whose xor is the same for every
position: that of the piece on its two squares and of the side to move. So a table of all such moves tells whether one
leads from a position to another. It is sorted; moves with the same upper bits of the key stand together.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.core.attacks import BETWEEN
from engine.core.bits import BISHOP, EMPTY, KING, KNIGHT, NO_PIECE, QUEEN, ROOK
from engine.core.draws import reversible_plies
from engine.core.position import HISTORY_MASK, PAST_KEY, occupied_squares
from engine.core.zobrist import PIECE_KEYS, SIDE_KEY
from engine.kernel import inline, kernel

_GROUP_BITS = 13
_GROUP_SHIFT = np.int64(64 - _GROUP_BITS)
_NEAREST = np.int64(3)  # one side moves away and back, the other side away: its way back is the move
_NEXT_OCCURRENCE = np.int64(4)
_NO_MOVE = np.int64(-1)

Words = npt.NDArray[np.uint64]


def _moves_of(kind: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The pairs of squares, the lower one first, between which a piece of this type moves on an empty board."""
    first, second = np.triu_indices(64, 1)
    ranks, files = abs(first // 8 - second // 8), abs(first % 8 - second % 8)
    straight, diagonal = (ranks == 0) | (files == 0), ranks == files
    reachable = {int(KNIGHT): ranks * files == 2, int(BISHOP): diagonal, int(ROOK): straight,
                 int(QUEEN): straight | diagonal, int(KING): np.maximum(ranks, files) == 1}[kind]
    return first[reachable], second[reachable]


def _reversible_moves() -> tuple[Words, npt.NDArray[np.uint16]]:
    """(the keys of all moves in ascending order, their squares as `first + 64 * second`)."""
    keys, squares = [], []
    for color in range(2):
        for kind in map(int, (KNIGHT, BISHOP, ROOK, QUEEN, KING)):
            first, second = _moves_of(kind)
            piece = (8 * color + kind) * 64
            keys.append(PIECE_KEYS[piece + first] ^ PIECE_KEYS[piece + second] ^ SIDE_KEY)
            squares.append(first + 64 * second)
    all_keys = np.concatenate(keys)
    order = np.argsort(all_keys)
    return all_keys[order], np.concatenate(squares)[order].astype(np.uint16)


_KEYS, _SQUARES = _reversible_moves()
# [upper bits of a key]: where its group begins; one more entry says where the last group ends.
_GROUPS = np.searchsorted(_KEYS >> np.uint64(_GROUP_SHIFT), np.arange((1 << _GROUP_BITS) + 1)).astype(np.uint16)


@inline
def _move_with_key(key):
    """The squares of the reversible move whose key is `key`, or _NO_MOVE."""
    group = np.int64(key >> _GROUP_SHIFT)
    for place in range(_GROUPS[group], _GROUPS[group + 1]):
        if _KEYS[place] == key:
            return np.int64(_SQUARES[place])
    return _NO_MOVE


@inline
def _key_before(pos, plies):
    return pos.past[(np.int64(pos.ply) - plies) & HISTORY_MASK, PAST_KEY]


@inline
def _is_playable(pos, squares):
    """Whether the side to move has the piece that moves between `squares`, and nothing stands in its way.

    Then the move is legal too: it leads to a position that has been on the board.
    """
    first, second = squares & 63, squares >> 6
    if BETWEEN[first, second] & occupied_squares(pos) != EMPTY:
        return False
    piece = np.int64(pos.board[first])
    piece = np.int64(pos.board[second]) if piece == NO_PIECE else piece
    return piece >> 3 == np.int64(pos.side)


@inline
def _had_occurred(pos, plies, reach):
    """Whether the position `plies` ago had been on the board before, at most `reach` plies ago."""
    for back in range(plies + _NEXT_OCCURRENCE, reach + 1, 2):
        if _key_before(pos, back) == _key_before(pos, plies):
            return True
    return False


@kernel
def can_reach_repetition(pos, plies_searched):
    """Whether some move leads to a draw by repetition, for a search that began `plies_searched` plies ago.

    What counts as one is said by `is_repetition`.
    """
    reach = reversible_plies(pos)
    for back in range(_NEAREST, reach + 1, 2):
        squares = _move_with_key(pos.key ^ _key_before(pos, back))
        if (squares != _NO_MOVE and _is_playable(pos, squares)
                and (back <= plies_searched or _had_occurred(pos, back, reach))):
            return True
    return False
