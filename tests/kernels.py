"""Entry points to kernels that have none of their own, for tests only."""

from __future__ import annotations

import numpy as np

from engine.core.attacks import attacked_squares, attackers_to, attacks_by_piece_value, bishop_attacks, rook_attacks
from engine.core.draws import is_repetition
from engine.core.legality import gives_check, is_legal, is_pseudo_legal
from engine.core.movegen import MOVE_LIST_TYPE, checkers_and_pinned, generate
from engine.core.position import POSITION_TYPE, key_after, make, make_null, occupied_squares, unmake, unmake_null
from engine.core.setup import compute_keys
from engine.kernel import entry, int64, kernel, uint64
from engine.kernel.intrinsics import perf_counter_ns

ALL_CODES = 1 << 16


@entry(POSITION_TYPE, MOVE_LIST_TYPE, int64)
def generate_entry(pos, out, gen_type):
    checkers, pinned = checkers_and_pinned(pos)
    return generate(pos, out, np.int64(0), gen_type, checkers, pinned)


@entry(POSITION_TYPE, int64)
def count_moves_entry(pos, gen_type):
    checkers, pinned = checkers_and_pinned(pos)
    return generate(pos, None, np.int64(0), gen_type, checkers, pinned)


@kernel
def _filter_all_codes(pos, out, end):
    """Write every sixteen-bit number that passes the legality tests, to compare with the generator."""
    checkers, pinned = checkers_and_pinned(pos)
    for code in range(ALL_CODES):
        if is_pseudo_legal(pos, code) and is_legal(pos, code, checkers, pinned):
            out.moves[end] = code
            end += 1
    return end


@entry(POSITION_TYPE, MOVE_LIST_TYPE)
def filter_all_codes(pos, out):
    return _filter_all_codes(pos, out, np.int64(0))


@kernel
def _perft_by_filter(pos, out, begin, depth):
    if depth == 0:
        return np.int64(1)
    end = _filter_all_codes(pos, out, begin)
    leaves = np.int64(0)
    for index in range(begin, end):
        move = np.int64(out.moves[index])
        make(pos, move)
        leaves += _perft_by_filter(pos, out, end, depth - 1)
        unmake(pos, move)
    return leaves


@entry(POSITION_TYPE, MOVE_LIST_TYPE, int64)
def perft_by_filter(pos, out, depth):
    return _perft_by_filter(pos, out, np.int64(0), depth)


@entry(POSITION_TYPE, int64)
def is_legal_entry(pos, move):
    checkers, pinned = checkers_and_pinned(pos)
    return is_pseudo_legal(pos, move) and is_legal(pos, move, checkers, pinned)


@entry(POSITION_TYPE, int64)
def move_gives_check(pos, move):
    return gives_check(pos, move)


@entry(POSITION_TYPE, int64)
def unmake_entry(pos, move):
    unmake(pos, move)


@entry(POSITION_TYPE, int64)
def key_after_entry(pos, move):
    return key_after(pos, move)


@entry(POSITION_TYPE)
def make_null_entry(pos):
    make_null(pos)


@entry(POSITION_TYPE)
def unmake_null_entry(pos):
    unmake_null(pos)


@entry(POSITION_TYPE, int64)
def is_repetition_after(pos, plies_searched):
    return is_repetition(pos, plies_searched)


@entry(POSITION_TYPE)
def keys_from_scratch(pos):
    """Recompute the keys of `pos`."""
    compute_keys(pos)


@entry(int64, uint64)
def slider_attacks(square, occupied):
    return bishop_attacks(square, occupied), rook_attacks(square, occupied)


@entry(POSITION_TYPE, int64, int64)
def all_attackers(pos, square, color):
    return attackers_to(pos, square, occupied_squares(pos), color)


@entry(POSITION_TYPE, int64)
def all_attacked(pos, color):
    return attacked_squares(pos, color)


@entry(POSITION_TYPE, int64)
def attacks_by_value_entry(pos, color):
    return attacks_by_piece_value(pos, color)


@entry()
def read_clock():
    return perf_counter_ns()
