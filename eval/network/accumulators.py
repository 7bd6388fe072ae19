"""Accumulators: the output of the feature layer for each side's perspective, kept up to date lazily.

Making a move only records its dirty pieces. An accumulator is computed when a position is evaluated, from the nearest
earlier ply that has one; unmaking a move costs nothing. If a king move changes the king bucket or the mirroring of its
side, called its view, the accumulator is refreshed: the last accumulator of each view is cached with the pieces it
stands for, and only the differences between them and the pieces on the board are applied.
"""

from __future__ import annotations

import numpy as np

from engine.core.bits import BIT, EMPTY, KING, NO_PIECE, PAWN, clear_lsb, lsb
from engine.core.moves import CASTLING, EN_PASSANT, PROMOTION, from_square, move_type, promoted_type, to_square
from engine.core.position import castled_squares, king_square
from engine.kernel import inline, kernel
from engine.kernel.intrinsics import load_word, store_word
from eval.network.memory import PIECES_SIZE, feature_row, line_row, network_at
from eval.network.row_ops import apply_rows, pairs_of, update_pairs, update_row

# How a ply's `changes` are packed: four dirty pieces, ten bits each, as `piece * 64 + square`, 0 for none. First the
# moving piece, removed from its square and added to its target; then a second one that is removed (captured, or the
# castling rook) and added (the castling rook). Above them, one bit marks the start of a line, and one bit per
# perspective an accumulator that is computed.
_PIECE_BITS = np.int64(10)
_PIECE = np.uint64(0x3FF)
_BEGIN = np.uint64(1 << 40)
_OWNS = np.uint64((1 << 41) - 1)  # any of these bits is set if a ply has its own accumulators
_COMPUTED = np.int64(41)
_PIECE_TYPES = np.int64(6)
_PIECES_SIZE = np.int64(PIECES_SIZE)


@inline
def _pack_piece(piece, square):
    return np.uint64(piece * 64 + square)


@inline
def _pack(removed, added, second_removed, second_added):
    return removed | added << _PIECE_BITS | second_removed << 2 * _PIECE_BITS | second_added << 3 * _PIECE_BITS


@inline
def dirty_pieces(pos, move):
    """The dirty pieces of `move`, packed; must be called before the move is made."""
    start, target, type_of_move = from_square(move), to_square(move), move_type(move)
    piece = np.int64(pos.board[start])
    if type_of_move == CASTLING:
        king_to, rook_to = castled_squares(start, target)
        rook = np.int64(pos.board[target])
        return _pack(_pack_piece(piece, start), _pack_piece(piece, king_to), _pack_piece(rook, target),
                     _pack_piece(rook, rook_to))
    if type_of_move == EN_PASSANT:
        return _pack(_pack_piece(piece, start), _pack_piece(piece, target), _pack_piece(piece ^ 8, target ^ 8), EMPTY)
    captured = np.int64(pos.board[target])
    victim = _pack_piece(captured, target) if captured != NO_PIECE else EMPTY
    promoted = piece - PAWN + promoted_type(type_of_move) if type_of_move >= PROMOTION else piece
    return _pack(_pack_piece(piece, start), _pack_piece(promoted, target), victim, EMPTY)


@inline
def push_move(pos, accumulators, ply, move):
    """Record the dirty pieces of `move`, which is about to be made at `ply`."""
    accumulators.changes[ply + 1] = dirty_pieces(pos, move)


@inline
def push_null_move(accumulators, ply):
    """Record a null move at `ply`: the next ply shares its accumulators."""
    accumulators.changes[ply + 1] = EMPTY


@inline
def reset_stack(accumulators, ply):
    """Start a new line: the position at `ply` does not follow from the plies before."""
    accumulators.changes[ply] = _BEGIN


@inline
def _is_computed(changes, color):
    return changes >> (_COMPUTED + color) & BIT != EMPTY


@inline
def _set_computed(accumulators, ply, color):
    accumulators.changes[ply] |= BIT << (_COMPUTED + color)


@inline
def _removed(changes):
    return np.int64(changes & _PIECE)


@inline
def _added(changes):
    return np.int64(changes >> _PIECE_BITS & _PIECE)


@inline
def _second_removed(changes):
    return np.int64(changes >> 2 * _PIECE_BITS & _PIECE)


@inline
def _second_added(changes):
    return np.int64(changes >> 3 * _PIECE_BITS & _PIECE)


@inline
def _changes_view(network, changes, color):
    """Whether the king of `color` moved to a square with a different view: another king bucket or mirroring."""
    removed = _removed(changes)
    if removed >> 6 != color * 8 + KING:
        return False
    return network.king_buckets[color, removed & 63] != network.king_buckets[color, _added(changes) & 63]


@inline
def _owner(accumulators, ply):
    """The ply whose accumulators `ply` uses: the same one, or the one before a null move."""
    while accumulators.changes[ply] & _OWNS == EMPTY:
        ply -= 1
    return ply


@inline
def _feature_row(network, color, view, packed):
    return feature_row(network, color, view, packed >> 6, packed & 63)


@kernel
def pairwise_products(pos, accumulators, ply, color, cells):
    """Write the pairwise products of one perspective to the address `cells`; computes its accumulator if needed."""
    network = network_at(accumulators.network)
    ply = _owner(accumulators, ply)
    row = line_row(accumulators, network, ply, color)
    source = _last_computed(pos, accumulators, network, ply, color)
    if source == row:
        pairs_of(row, cells, network.limits, network.row_size)
        return
    view = np.int64(network.king_buckets[color, king_square(pos, color)])
    added, second_added, removed, second_removed = _changed_rows(network, accumulators.changes[ply], color, view)
    update_pairs(row, source, added, second_added, removed, second_removed, cells, network.limits, network.row_size)
    _set_computed(accumulators, ply, color)


@kernel
def _last_computed(pos, accumulators, network, ply, color):
    """The address of the accumulator to apply the changes of `ply` to, up to date until then; its own if computed."""
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
            added, second_added, removed, second_removed = _changed_rows(network, accumulators.changes[between], color,
                                                                         view)
            update_row(target, source, added, second_added, removed, second_removed, network.row_size)
            _set_computed(accumulators, between, color)
            source = target
    return source


@inline
def _changed_rows(network, changes, color, view):
    """(added, second added, removed, second removed): the rows of one ply's dirty pieces, 0 where there is none."""
    second_added, second_removed = _second_added(changes), _second_removed(changes)
    return (_feature_row(network, color, view, _added(changes)),
            _feature_row(network, color, view, second_added) if second_added != 0 else np.int64(0),
            _feature_row(network, color, view, _removed(changes)),
            _feature_row(network, color, view, second_removed) if second_removed != 0 else np.int64(0))


@inline
def _append_row(start, index, row):
    store_word(start + 8 * index, np.uint64(row))


@kernel
def _refresh(pos, accumulators, network, ply, color):
    """Compute an accumulator from the cached one of its view, and update that cache entry."""
    view = np.int64(network.king_buckets[color, king_square(pos, color)])
    number = color * accumulators.views + view
    added, removed = np.int64(0), np.int64(0)
    for piece_color in range(2):
        for piece_type in range(PAWN, PAWN + _PIECE_TYPES):
            piece = piece_color * 8 + piece_type
            address = accumulators.refresh_pieces + number * _PIECES_SIZE + piece * 8
            before, now = load_word(address), pos.types[piece_type] & pos.colors[piece_color]
            store_word(address, now)
            new, gone = now & ~before, before & ~now
            while new != EMPTY:
                _append_row(accumulators.added, added, feature_row(network, color, view, piece, lsb(new)))
                added += 1
                new = clear_lsb(new)
            while gone != EMPTY:
                _append_row(accumulators.removed, removed, feature_row(network, color, view, piece, lsb(gone)))
                removed += 1
                gone = clear_lsb(gone)
    cached = accumulators.refresh_rows + number * network.row_size
    row = line_row(accumulators, network, ply, color)
    apply_rows(row, cached, accumulators.added, added, accumulators.removed, removed, network.row_size)
    _set_computed(accumulators, ply, color)
