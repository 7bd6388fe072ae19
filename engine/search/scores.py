"""Score bands: what a number means. Centipawns from the side to move's view; mates and tablebase wins lie far above.

0 .. MAX_EVALUATION        an evaluation
TB_WIN - plies             a win known from an endgame table that is reached `plies` from the root
MATE - plies               a mate `plies` from the root
"""

from __future__ import annotations

import numpy as np

from engine.kernel import inline

MAX_PLY = 128  # the deepest node, counted from the root

DRAW = np.int64(0)
MATE = np.int64(32_000)
INFINITE = np.int64(32_001)  # larger than any score
NO_SCORE = np.int64(32_002)  # stands for "not known"
MATE_BAND = np.int64(MATE - MAX_PLY)  # the lowest score that is a mate
TB_WIN = np.int64(MATE_BAND - 1)
TB_BAND = np.int64(TB_WIN - MAX_PLY)
MAX_EVALUATION = np.int64(TB_BAND - 1)


@inline
def mate_in(ply):
    """The score of giving mate `ply` plies from the root."""
    return MATE - ply


@inline
def mated_in(ply):
    """The score of being mated `ply` plies from the root."""
    return ply - MATE


@inline
def tb_win_in(ply):
    """The score of reaching a position `ply` plies from the root that an endgame table says is won."""
    return TB_WIN - ply


@inline
def is_decisive(score):
    """Whether `score` is a mate or a win or loss from an endgame table."""
    return score >= TB_BAND or score <= -TB_BAND


@inline
def is_win(score):
    return score >= TB_BAND


@inline
def is_loss(score):
    return score <= -TB_BAND


@inline
def clamp_evaluation(score):
    """`score` kept inside the evaluation band."""
    return min(max(score, -MAX_EVALUATION), MAX_EVALUATION)


def mate_distance(score: int) -> int | None:
    """Moves to the mate that `score` announces, negative if the side to move is mated; None if it is not a mate."""
    if score >= MATE_BAND:
        return (int(MATE) - score + 1) // 2
    if score <= -MATE_BAND:
        return -((int(MATE) + score + 1) // 2)
    return None
