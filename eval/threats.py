"""Threats against enemy pieces, and space."""

from __future__ import annotations

import numpy as np

from engine.core.attacks import KNIGHT_ATTACKS, bishop_attacks, rook_attacks
from engine.core.bits import EMPTY, RANK_3, lsb, popcount
from engine.kernel import inline
from eval.bitboards import CENTRE_FILES, adjacent_files, is_any
from eval.features import (
    HANGING,
    QUEEN_CHASED,
    RESTRICTED,
    SPACE,
    THREAT_BY_KING,
    THREAT_BY_MINOR,
    THREAT_BY_PAWN,
    THREAT_BY_PUSH,
    THREAT_BY_ROOK,
)
from eval.trace import add_feature

_SPACE_AREA = CENTRE_FILES & np.uint64(0xFFFF_FF00)  # the second to the fourth rank


@inline
def add_threats(score, trace, weights, own, attacks, enemy, enemy_attacks):
    """Add the threats of `own`. An enemy piece is weak if it is attacked and not well defended."""
    enemy_pieces = enemy.all ^ enemy.pawns
    well_defended = enemy_attacks.pawns | (enemy_attacks.twice & ~attacks.twice)
    weak = enemy.all & ~well_defended & attacks.all
    by_minor = (attacks.knights | attacks.bishops) & (weak | enemy_pieces)
    score = _add_victims(score, trace, weights, THREAT_BY_MINOR, by_minor, enemy)
    score = _add_victims(score, trace, weights, THREAT_BY_ROOK, attacks.rooks & weak, enemy)
    score = add_feature(score, trace, weights, THREAT_BY_KING, is_any(attacks.king & weak))
    hanging = weak & (~enemy_attacks.all | (enemy_pieces & attacks.twice))
    score = add_feature(score, trace, weights, HANGING, popcount(hanging))
    contested = enemy_attacks.all & ~well_defended & attacks.all
    score = add_feature(score, trace, weights, RESTRICTED, popcount(contested))
    score = _add_queen_chase(score, trace, weights, own, attacks, enemy, enemy_attacks, well_defended)
    return _add_pawn_threats(score, trace, weights, own, attacks, enemy, enemy_attacks)


@inline
def _add_victims(score, trace, weights, feature, attacked, enemy):
    score = add_feature(score, trace, weights, feature, popcount(attacked & enemy.pawns))
    score = add_feature(score, trace, weights, feature + 1, popcount(attacked & enemy.knights))
    score = add_feature(score, trace, weights, feature + 2, popcount(attacked & enemy.bishops))
    score = add_feature(score, trace, weights, feature + 3, popcount(attacked & enemy.rooks))
    return add_feature(score, trace, weights, feature + 4, popcount(attacked & enemy.queens))


@inline
def _add_queen_chase(score, trace, weights, own, attacks, enemy, enemy_attacks, well_defended):
    """Add the safe squares from which a less valuable piece could attack the enemy queen on its next move."""
    if enemy.queens == EMPTY:
        return score
    queen, occupied = lsb(enemy.queens), own.all | enemy.all
    safe = ~own.all & ~well_defended & (~enemy_attacks.all | attacks.twice)
    score = add_feature(score, trace, weights, QUEEN_CHASED, popcount(KNIGHT_ATTACKS[queen] & attacks.knights & safe))
    score = add_feature(score, trace, weights, QUEEN_CHASED + 1,
                        popcount(bishop_attacks(queen, occupied) & attacks.bishops & safe))
    return add_feature(score, trace, weights, QUEEN_CHASED + 2,
                       popcount(rook_attacks(queen, occupied) & attacks.rooks & safe))


@inline
def _add_pawn_threats(score, trace, weights, own, attacks, enemy, enemy_attacks):
    victims = (enemy.all ^ enemy.pawns) & ~enemy.king
    tenable = ~enemy_attacks.all | attacks.all
    attackers = own.pawns & tenable
    attacked = adjacent_files(attackers) << 8
    score = add_feature(score, trace, weights, THREAT_BY_PAWN, popcount(attacked & enemy.knights))
    score = add_feature(score, trace, weights, THREAT_BY_PAWN + 1, popcount(attacked & enemy.bishops))
    score = add_feature(score, trace, weights, THREAT_BY_PAWN + 2, popcount(attacked & enemy.rooks))
    score = add_feature(score, trace, weights, THREAT_BY_PAWN + 3, popcount(attacked & enemy.queens))
    empty = ~(own.all | enemy.all)
    pushes = own.pawns << 8 & empty
    pushes |= (pushes & RANK_3) << 8 & empty
    pushes &= tenable & ~enemy_attacks.pawns
    return add_feature(score, trace, weights, THREAT_BY_PUSH, popcount(adjacent_files(pushes) << 8 & victims))


@inline
def add_space(score, trace, weights, own, enemy_attacks):
    """Add the safe squares in the own half of the centre; unattacked ones behind own pawns count twice."""
    safe = _SPACE_AREA & ~own.pawns & ~enemy_attacks.pawns
    behind = own.pawns >> 8 | own.pawns >> 16 | own.pawns >> 24
    count = popcount(safe) + popcount(safe & behind & ~enemy_attacks.all)
    return add_feature(score, trace, weights, SPACE, count)
