"""Pieces: their mobility, their attacks on the enemy king's ring, and their relation to the pawn structure."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.core.attacks import KING_ATTACKS, piece_attacks
from engine.core.bits import (
    BISHOP,
    EMPTY,
    KNIGHT,
    LIGHT_SQUARES,
    QUEEN,
    RANK_8,
    ROOK,
    clear_lsb,
    lsb,
    more_than_one,
    popcount,
)
from engine.kernel import inline, kernel
from eval.bitboards import (
    CENTRE,
    CENTRE_FILES,
    RANK_7,
    SideAttacks,
    adjacent_files,
    east,
    fill_down,
    fill_up,
    is_any,
    square_distance,
    west,
)
from eval.features import (
    BAD_BISHOP,
    BAD_BISHOP_BLOCKED,
    BISHOP_LONG_DIAGONAL,
    BISHOP_PAIR,
    CASTLING_RIGHT,
    CENTRE_CONTROL,
    KING_ATTACKER,
    KING_DISTANCE_KNIGHT,
    KNIGHT_PER_PAWN,
    MINOR_BEHIND_PAWN,
    MOBILITY_BISHOP,
    MOBILITY_KNIGHT,
    MOBILITY_QUEEN,
    MOBILITY_ROOK,
    OUTPOST_BISHOP,
    OUTPOST_KNIGHT,
    OUTPOST_REACHABLE,
    ROOK_HALF_OPEN_FILE,
    ROOK_ON_SEVENTH,
    ROOK_OPEN_FILE,
    ROOK_PER_PAWN,
    TRAPPED_BISHOP,
    TRAPPED_ROOK,
)
from eval.king import ATTACKER_UNITS, KING_RING, RING_SQUARE_UNITS
from eval.trace import ONCE, add_feature

_MOBILITY = np.array([0, 0, MOBILITY_KNIGHT, MOBILITY_BISHOP, MOBILITY_ROOK, MOBILITY_QUEEN])  # [type]

_OUTPOST_RANKS = np.uint64(0x0000_FFFF_FF00_0000)  # the fourth to the sixth
_B6, _G6 = np.uint64(1 << 41), np.uint64(1 << 46)
_TRAPPED_ROOK_MOBILITY = np.int64(3)  # at most
_USUAL_PAWNS = np.int64(5)


class Sums(NamedTuple):
    """The sums over the pieces of one side."""

    score: Any
    units: Any  # of attack on the enemy king
    once: Any  # squares that are attacked
    twice: Any  # at least twice


class Surroundings(NamedTuple):
    """Values that are the same for all pieces of one side."""

    safe: Any  # squares where mobility counts
    ring: Any  # around the enemy king
    king: Any  # the square of the own king
    castling_rights: Any


@kernel
def piece_score(own, enemy, castling_rights, weights, trace):
    """(score, attacks, units of attack on the enemy king) of the pieces of one side, whose pawns move up."""
    occupied = own.all | enemy.all
    king = lsb(own.king)
    enemy_pawn_attacks = adjacent_files(enemy.pawns) >> 8
    # Squares that two pawns defend do not count.
    ring = KING_RING[lsb(enemy.king)] & ~((east(enemy.pawns) & west(enemy.pawns)) >> 8)
    pawn_attacks, king_attacks = adjacent_files(own.pawns) << 8, KING_ATTACKS[king]
    once = pawn_attacks | king_attacks
    twice = (pawn_attacks & king_attacks) | ((east(own.pawns) & west(own.pawns)) << 8)
    # Bishops and rooks x-ray through queens, rooks also through own rooks.
    through = occupied ^ own.queens ^ enemy.queens
    around = Surroundings(~(own.pawns | own.king | enemy_pawn_attacks), ring, king, castling_rights)
    sums = Sums(np.int64(0), np.int64(0), once, twice)
    sums, knights = _add_pieces(sums, KNIGHT, own.knights, occupied, around, weights, trace)
    sums, bishops = _add_pieces(sums, BISHOP, own.bishops, through, around, weights, trace)
    sums, rooks = _add_pieces(sums, ROOK, own.rooks, through ^ own.rooks, around, weights, trace)
    sums, queens = _add_pieces(sums, QUEEN, own.queens, occupied, around, weights, trace)
    score, units, once, twice = sums
    attacks = SideAttacks(pawn_attacks, knights, bishops, rooks, queens, king_attacks, once, twice)

    score = add_feature(score, trace, weights, CASTLING_RIGHT, castling_rights)
    score = add_feature(score, trace, weights, CENTRE_CONTROL, popcount(once & CENTRE) + popcount(twice & CENTRE))
    score = _add_outposts(score, trace, weights, own, enemy, attacks, enemy_pawn_attacks)
    score = _add_bishops(score, trace, weights, own, enemy, occupied)
    score = _add_rooks(score, trace, weights, own, enemy)
    return score, attacks, units


@inline
def _add_pieces(sums, piece_type, pieces, occupied, around, weights, trace):
    """(sums with all pieces of one type added, the squares they attack). The type is a constant where this is inlined,
    so that its branches vanish.
    """
    score, units, once, twice = sums
    reached = EMPTY
    while pieces != EMPTY:
        square = lsb(pieces)
        pieces = clear_lsb(pieces)
        attacks = piece_attacks(piece_type, square, occupied)
        reached |= attacks
        twice |= once & attacks
        once |= attacks
        mobility = popcount(attacks & around.safe)
        score = add_feature(score, trace, weights, _MOBILITY[piece_type] + mobility, ONCE)
        at_king = attacks & around.ring
        units += RING_SQUARE_UNITS * popcount(at_king) + ATTACKER_UNITS[piece_type] * is_any(at_king)
        score = add_feature(score, trace, weights, KING_ATTACKER + piece_type - KNIGHT, is_any(at_king))
        if piece_type <= BISHOP:
            score = add_feature(score, trace, weights, KING_DISTANCE_KNIGHT + piece_type - KNIGHT,
                                square_distance(square, around.king))
        if piece_type == BISHOP and more_than_one(attacks & CENTRE):
            score = add_feature(score, trace, weights, BISHOP_LONG_DIAGONAL, ONCE)
        if piece_type == ROOK and mobility <= _TRAPPED_ROOK_MOBILITY and around.castling_rights == 0:
            score = add_feature(score, trace, weights, TRAPPED_ROOK, _is_beyond_king(square, around.king))
    return Sums(score, units, once, twice), reached


@inline
def _is_beyond_king(rook, king):
    """1 if a rook on the first rank is shut in between its king and the corner."""
    return np.int64(rook < 8 and king < 8 and (rook > king if king & 4 else rook < king))


@inline
def _add_outposts(score, trace, weights, own, enemy, attacks, enemy_pawn_attacks):
    outposts = _OUTPOST_RANKS & attacks.pawns & ~fill_down(enemy_pawn_attacks)
    score = add_feature(score, trace, weights, OUTPOST_KNIGHT, popcount(own.knights & outposts))
    score = add_feature(score, trace, weights, OUTPOST_BISHOP, popcount(own.bishops & outposts))
    score = add_feature(score, trace, weights, OUTPOST_REACHABLE, is_any(attacks.knights & outposts & ~own.all))
    sheltered = (own.knights | own.bishops) & (own.pawns | enemy.pawns) >> 8
    return add_feature(score, trace, weights, MINOR_BEHIND_PAWN, popcount(sheltered))


@inline
def _add_bishops(score, trace, weights, own, enemy, occupied):
    light, dark = popcount(own.bishops & LIGHT_SQUARES), popcount(own.bishops & ~LIGHT_SQUARES)
    score = add_feature(score, trace, weights, BISHOP_PAIR, np.int64(light > 0 and dark > 0))
    blocked = own.pawns & occupied >> 8 & CENTRE_FILES
    score = add_feature(score, trace, weights, BAD_BISHOP, _pawns_on_color(own.pawns, light, dark))
    score = add_feature(score, trace, weights, BAD_BISHOP_BLOCKED, _pawns_on_color(blocked, light, dark))
    corners = (enemy.pawns & _B6) << 7 | (enemy.pawns & _G6) << 9
    return add_feature(score, trace, weights, TRAPPED_BISHOP, popcount(own.bishops & corners))


@inline
def _pawns_on_color(pawns, light_bishops, dark_bishops):
    """Pawns on squares of a bishop's colour, summed over the bishops."""
    return light_bishops * popcount(pawns & LIGHT_SQUARES) + dark_bishops * popcount(pawns & ~LIGHT_SQUARES)


@inline
def _add_rooks(score, trace, weights, own, enemy):
    own_files, enemy_files = fill_up(fill_down(own.pawns)), fill_up(fill_down(enemy.pawns))
    half_open = own.rooks & ~own_files
    score = add_feature(score, trace, weights, ROOK_OPEN_FILE, popcount(half_open & ~enemy_files))
    score = add_feature(score, trace, weights, ROOK_HALF_OPEN_FILE, popcount(half_open & enemy_files))
    has_target = (enemy.king & RANK_8) | (enemy.pawns & RANK_7) != EMPTY
    seventh = RANK_7 if has_target else EMPTY
    score = add_feature(score, trace, weights, ROOK_ON_SEVENTH, popcount(own.rooks & seventh))
    pawns_above_usual = popcount(own.pawns) - _USUAL_PAWNS
    score = add_feature(score, trace, weights, KNIGHT_PER_PAWN, popcount(own.knights) * pawns_above_usual)
    return add_feature(score, trace, weights, ROOK_PER_PAWN, popcount(own.rooks) * pawns_above_usual)
