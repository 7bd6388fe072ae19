"""Accumulators: the output of the feature layer for each side's perspective, kept up to date lazily.

Making a move only notes which men change. An accumulator is computed when a position is evaluated, from the nearest
earlier ply that has one; taking a move back costs nothing. If a king move changes the whole view of its side, the
accumulator is refreshed: the last one of that view is kept with the men it stands for, and only the differences between
them and the men on the board are applied.
"""

from __future__ import annotations

import numpy as np

from engine.core.bits import BIT, EMPTY, KING, NO_PIECE, PAWN, clear_lsb, lsb
from engine.core.moves import CASTLING, EN_PASSANT, PROMOTION, from_square, move_type, promoted_type, to_square
from engine.core.position import castled_squares, king_square
from engine.kernel import inline, kernel
from engine.kernel.intrinsics import load_word, store_word
from eval.network.memory import MEN_SIZE, feature_row, line_row, network_at
from eval.network.row_ops import apply_rows, pairs_of, update_pairs, update_row

# How a ply's `changes` are packed: four men, ten bits each, as `piece * 64 + square`, 0 for none. First the man that
# moves, on the square it leaves and on the one it comes to; then a second one that leaves (captured, or castling) and
# comes (castling). Above them, one bit says that the line begins here, and one per perspective that it is computed.
_MAN_BITS = np.int64(10)
_MAN = np.uint64(0x3FF)
_BEGIN = np.uint64(1 << 40)
_OWNS = np.uint64((1 << 41) - 1)  # any of these bits is set if a ply has its own accumulators
_COMPUTED = np.int64(41)
_PIECE_TYPES = np.int64(6)
_MEN_SIZE = np.int64(MEN_SIZE)


@inline
def _man(piece, square):
    return np.uint64(piece * 64 + square)


@inline
def _pack(left, came, second_left, second_came):
    return left | came << _MAN_BITS | second_left << 2 * _MAN_BITS | second_came << 3 * _MAN_BITS


@inline
def dirty_pieces(pos, move):
    """What `move` will change, packed; to be called before it is made."""
    start, target, kind = from_square(move), to_square(move), move_type(move)
    piece = np.int64(pos.board[start])
    if kind == CASTLING:
        king_to, rook_to = castled_squares(start, target)
        rook = np.int64(pos.board[target])
        return _pack(_man(piece, start), _man(piece, king_to), _man(rook, target), _man(rook, rook_to))
    if kind == EN_PASSANT:
        return _pack(_man(piece, start), _man(piece, target), _man(piece ^ 8, target ^ 8), EMPTY)
    captured = np.int64(pos.board[target])
    victim = _man(captured, target) if captured != NO_PIECE else EMPTY
    became = piece - PAWN + promoted_type(kind) if kind >= PROMOTION else piece
    return _pack(_man(piece, start), _man(became, target), victim, EMPTY)


@inline
def push_move(pos, accumulators, ply, move):
    """Note what `move`, about to be made at `ply`, changes."""
    accumulators.changes[ply + 1] = dirty_pieces(pos, move)


@inline
def push_null_move(accumulators, ply):
    """Note a null move at `ply`: the next ply shares its accumulators."""
    accumulators.changes[ply + 1] = EMPTY


@inline
def reset_stack(accumulators, ply):
    """Note that the position at `ply` is unrelated to the plies before."""
    accumulators.changes[ply] = _BEGIN


@inline
def _is_computed(changes, color):
    return changes >> (_COMPUTED + color) & BIT != EMPTY


@inline
def _set_computed(accumulators, ply, color):
    accumulators.changes[ply] |= BIT << (_COMPUTED + color)


@inline
def _removed(changes):
    return np.int64(changes & _MAN)


@inline
def _added(changes):
    return np.int64(changes >> _MAN_BITS & _MAN)


@inline
def _second_left(changes):
    return np.int64(changes >> 2 * _MAN_BITS & _MAN)


@inline
def _second_came(changes):
    return np.int64(changes >> 3 * _MAN_BITS & _MAN)


@inline
def _changes_view(network, changes, color):
    """Whether the king of `color` moved to a square from which its side has another view of the board."""
    left = _removed(changes)
    if left >> 6 != color * 8 + KING:
        return False
    return network.king_buckets[color, left & 63] != network.king_buckets[color, _added(changes) & 63]


@inline
def _owner(accumulators, ply):
    """The ply whose accumulators `ply` uses: the same one, or the one before a null move."""
    while accumulators.changes[ply] & _OWNS == EMPTY:
        ply -= 1
    return ply


@inline
def _feature_row(network, color, view, man):
    return feature_row(network, color, view, man >> 6, man & 63)


@kernel
def pairwise_products(pos, accumulators, ply, color, cells):
    """Write the products of one perspective's pairs to the address `cells`; computes its accumulator if needed."""
    network = network_at(accumulators.network)
    ply = _owner(accumulators, ply)
    row = line_row(accumulators, network, ply, color)
    source = _last_computed(pos, accumulators, network, ply, color)
    if source == row:
        pairs_of(row, cells, network.limits, network.row_size)
        return
    view = np.int64(network.king_buckets[color, king_square(pos, color)])
    came, second_came, left, second_left = _changed_rows(network, accumulators.changes[ply], color, view)
    update_pairs(row, source, came, second_came, left, second_left, cells, network.limits, network.row_size)
    _set_computed(accumulators, ply, color)


@kernel
def _last_computed(pos, accumulators, network, ply, color):
    """The address of the accumulator to which the changes of `ply` have to be applied; its own if it is computed."""
    row = line_row(accumulators, network, ply, color)
    known = ply
    while not _is_computed(accumulators.changes[known], color):
        # An accumulator can be updated only if the view has not changed since.
        if accumulators.changes[known] & _BEGIN != EMPTY or _changes_view(network, accumulators.changes[known], color):
            _refresh(pos, accumulators, network, ply, color)
            return row
        known -= 1
    view = np.int64(network.king_buckets[color, king_square(pos, color)])
    source = line_row(accumulators, network, known, color)
    for between in range(known + 1, ply):
        if accumulators.changes[between] & _OWNS != EMPTY:
            target = line_row(accumulators, network, between, color)
            came, second_came, left, second_left = _changed_rows(network, accumulators.changes[between], color, view)
            update_row(target, source, came, second_came, left, second_left, network.row_size)
            _set_computed(accumulators, between, color)
            source = target
    return source


@inline
def _changed_rows(network, changes, color, view):
    """(came, second came, left, second left): the rows of one ply's changes, 0 where there is none."""
    second_came, second_left = _second_came(changes), _second_left(changes)
    return (_feature_row(network, color, view, _added(changes)),
            _feature_row(network, color, view, second_came) if second_came != 0 else np.int64(0),
            _feature_row(network, color, view, _removed(changes)),
            _feature_row(network, color, view, second_left) if second_left != 0 else np.int64(0))


@inline
def _list(start, index, row):
    store_word(start + 8 * index, np.uint64(row))


@kernel
def _refresh(pos, accumulators, network, ply, color):
    """Compute an accumulator from the last one of its view, whatever position that was for."""
    view = np.int64(network.king_buckets[color, king_square(pos, color)])
    number = color * accumulators.views + view
    added, taken = np.int64(0), np.int64(0)
    for piece_color in range(2):
        for kind in range(PAWN, PAWN + _PIECE_TYPES):
            piece = piece_color * 8 + kind
            place = accumulators.refresh_men + number * _MEN_SIZE + piece * 8
            before, now = load_word(place), pos.types[kind] & pos.colors[piece_color]
            store_word(place, now)
            new, gone = now & ~before, before & ~now
            while new != EMPTY:
                _list(accumulators.added, added, feature_row(network, color, view, piece, lsb(new)))
                added += 1
                new = clear_lsb(new)
            while gone != EMPTY:
                _list(accumulators.removed, taken, feature_row(network, color, view, piece, lsb(gone)))
                taken += 1
                gone = clear_lsb(gone)
    kept = accumulators.refresh_rows + number * network.row_size
    row = line_row(accumulators, network, ply, color)
    apply_rows(row, kept, accumulators.added, added, accumulators.removed, taken, network.row_size)
    _set_computed(accumulators, ply, color)
