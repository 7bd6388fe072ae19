"""The table of the features that the evaluation counts.

One row per feature: its name, the group it belongs to, and how many weights it has; the constant is the index of its
first weight in the flat vector of all weights, for kernels. Loading, tracing, explaining and tuning derive from the
table; the order of the rows is the order of the vector.

To add a feature, add a row here, its weights to the file, and an `add_feature` where it is counted.

A feature is counted for each side from that side's own view: ranks count from its own first rank. Tables by rank cover
the second to the seventh. The score is the sum of count times weight, with White's count minus Black's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Feature(NamedTuple):
    """One row of the table."""

    name: str
    group: str
    offset: int  # of its first weight
    size: int  # the number of its weights


FEATURES: list[Feature] = []


def _feature(name: str, group: str, size: int = 1) -> np.int64:
    """Append a row to the table; returns the index of its first weight, a constant for kernels."""
    offset = weight_count()
    FEATURES.append(Feature(name, group, offset, size))
    return np.int64(offset)


def weight_count() -> int:
    """The total number of weights."""
    return FEATURES[-1].offset + FEATURES[-1].size if FEATURES else 0


# Material and piece-square tables, the only part that is updated incrementally: see psqt.py. Squares run from a1, as
# if the own king were on the kingside; first for an enemy king on the same wing, then for one on the other.
MATERIAL = _feature("material", "material", 5)  # by type, pawn to queen
SQUARES_PAWN = _feature("squares_pawn", "squares", 128)
SQUARES_KNIGHT = _feature("squares_knight", "squares", 128)
SQUARES_BISHOP = _feature("squares_bishop", "squares", 128)
SQUARES_ROOK = _feature("squares_rook", "squares", 128)
SQUARES_QUEEN = _feature("squares_queen", "squares", 128)
SQUARES_KING = _feature("squares_king", "squares", 128)

# By the number of safe squares within reach.
MOBILITY_KNIGHT = _feature("mobility_knight", "mobility", 9)
MOBILITY_BISHOP = _feature("mobility_bishop", "mobility", 14)
MOBILITY_ROOK = _feature("mobility_rook", "mobility", 15)
MOBILITY_QUEEN = _feature("mobility_queen", "mobility", 28)

# The pawn structure, which is cached.
DOUBLED = _feature("doubled", "pawns")  # an own pawn behind it on its file
ISOLATED = _feature("isolated", "pawns")  # no own pawn on a neighbouring file
ISOLATED_OPEN = _feature("isolated_open", "pawns")  # and no enemy pawn ahead on its file
BACKWARD = _feature("backward", "pawns")  # cannot advance safely, and no own pawn can ever support the advance
BACKWARD_OPEN = _feature("backward_open", "pawns")  # and no enemy pawn ahead on its file
PHALANX = _feature("phalanx", "pawns", 6)  # by rank: an own pawn beside it
SUPPORTED = _feature("supported", "pawns", 6)  # by rank: an own pawn defends it
RAMMED = _feature("rammed", "pawns", 6)  # by rank: an enemy pawn directly in front of it
CANDIDATE = _feature("candidate", "pawns", 6)  # by rank: at least as many helpers as enemy pawns that guard its way
PASSED = _feature("passed", "passed", 6)  # by rank
PASSED_CONNECTED = _feature("passed_connected", "passed", 6)  # by rank: passed, and in a phalanx or supported

# Passed pawns and the pieces.
PASSED_BLOCKED = _feature("passed_blocked", "passed", 6)  # by rank: the next square is occupied
PASSED_FREE_STEP = _feature("passed_free_step", "passed", 6)  # by rank: the next square is empty and unattacked
PASSED_FREE_PATH = _feature("passed_free_path", "passed", 6)  # by rank: so are all squares in front of it
PASSED_ESCORTED = _feature("passed_escorted", "passed", 6)  # by rank: the next square is empty and defended
PASSED_OWN_KING = _feature("passed_own_king", "passed", 48)  # by rank, and the king's distance to the next square
PASSED_ENEMY_KING = _feature("passed_enemy_king", "passed", 48)
PASSED_UNSTOPPABLE = _feature("passed_unstoppable", "passed")  # the enemy has only king and pawns, and comes too late

# Attack on the enemy king.
KING_ATTACKER = _feature("king_attacker", "king", 4)  # by type: pieces that attack its ring
SAFE_CHECK = _feature("safe_check", "king", 4)  # by type: squares of safe checks
KING_FLANK_ATTACKS = _feature("king_flank_attacks", "king")  # attacked squares on its wing
KING_DANGER = _feature("king_danger", "king", 64)  # by units of attack: see king.py

# The own king's shelter: three files, by distance of the file from the edge and rank of the nearest own pawn (0: none).
SHELTER = _feature("shelter", "king", 28)
STORM = _feature("storm", "king", 28)  # the nearest enemy pawn, unless an own pawn is directly in front of it
STORM_BLOCKED = _feature("storm_blocked", "king", 7)  # by rank, if there is one
KING_HALF_OPEN_FILE = _feature("king_half_open_file", "king")  # no own pawn on the king's file
KING_OPEN_FILE = _feature("king_open_file", "king")  # no pawn at all
KING_BARE_WING = _feature("king_bare_wing", "king")  # no pawn on the four files around it
KING_NEAREST_PAWN = _feature("king_nearest_pawn", "king", 8)  # by distance of the nearest pawn (0: none)
CASTLING_RIGHT = _feature("castling_right", "king")

# Threats against enemy pieces.
THREAT_BY_PAWN = _feature("threat_by_pawn", "threats", 4)  # by victim, knight to queen
THREAT_BY_PUSH = _feature("threat_by_push", "threats")  # a safe pawn push would attack a piece
THREAT_BY_MINOR = _feature("threat_by_minor", "threats", 5)  # by victim, pawn to queen
THREAT_BY_ROOK = _feature("threat_by_rook", "threats", 5)
THREAT_BY_KING = _feature("threat_by_king", "threats")
HANGING = _feature("hanging", "threats")
QUEEN_CHASED = _feature("queen_chased", "threats", 3)  # safe squares from which a knight, bishop, rook could attack it
RESTRICTED = _feature("restricted", "threats")  # squares that the enemy attacks but cannot safely use

# Pieces and their surroundings.
BISHOP_PAIR = _feature("bishop_pair", "pieces")
BISHOP_LONG_DIAGONAL = _feature("bishop_long_diagonal", "pieces")  # it attacks two centre squares
BAD_BISHOP = _feature("bad_bishop", "pieces")  # own pawns on its colour
BAD_BISHOP_BLOCKED = _feature("bad_bishop_blocked", "pieces")  # those on the centre files that are blocked
TRAPPED_BISHOP = _feature("trapped_bishop", "pieces")  # on a7 or h7, shut in by a pawn on b6 or g6
OUTPOST_KNIGHT = _feature("outpost_knight", "pieces")
OUTPOST_BISHOP = _feature("outpost_bishop", "pieces")
OUTPOST_REACHABLE = _feature("outpost_reachable", "pieces")  # by a knight in one move
MINOR_BEHIND_PAWN = _feature("minor_behind_pawn", "pieces")
KING_DISTANCE_KNIGHT = _feature("king_distance_knight", "pieces")  # to its own king
KING_DISTANCE_BISHOP = _feature("king_distance_bishop", "pieces")
ROOK_OPEN_FILE = _feature("rook_open_file", "pieces")
ROOK_HALF_OPEN_FILE = _feature("rook_half_open_file", "pieces")
ROOK_ON_SEVENTH = _feature("rook_on_seventh", "pieces")
TRAPPED_ROOK = _feature("trapped_rook", "pieces")  # shut in by its own king
KNIGHT_PER_PAWN = _feature("knight_per_pawn", "pieces")  # knights times own pawns beyond five
ROOK_PER_PAWN = _feature("rook_per_pawn", "pieces")

# The board as a whole.
CENTRE_CONTROL = _feature("centre_control", "space")
SPACE = _feature("space", "space")
TEMPO = _feature("tempo", "tempo")

# Mating a bare king: counted only in those endings.
MOP_UP_WON = _feature("mop_up_won", "mating")
MOP_UP_EDGE = _feature("mop_up_edge", "mating", 7)  # by the bare king's distance from the centre
# bishop and knight: by its closeness to a corner they can mate in
MOP_UP_CORNER = _feature("mop_up_corner", "mating", 8)
MOP_UP_KING_DISTANCE = _feature("mop_up_king_distance", "mating", 8)  # by the distance between the kings

WEIGHT_COUNT = weight_count()


def weight_names() -> list[str]:
    """A name for each weight, in the order of the vector: "bishop_pair", "mobility_knight[3]"."""
    return [f"{feature.name}[{index}]" if feature.size > 1 else feature.name
            for feature in FEATURES for index in range(feature.size)]
