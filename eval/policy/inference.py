"""Policy inference: scores and priors of the legal moves."""

from __future__ import annotations

import numpy as np

from engine.core.bits import BIT, EMPTY, clear_lsb, lsb
from engine.core.position import occupied_squares
from engine.kernel import inline, kernel
from engine.kernel.intrinsics import stack_memory, store_word
from eval.policy.encoding import (
    attack_targets,
    check_squares_and_shields,
    danger_of,
    danger_row,
    feature_of,
    from_to_row,
    piece_code,
    piece_to_row,
    threats_of,
    trait_row,
    view_of,
)
from eval.policy.file import LARGEST_WIDTH, QA, QB
from eval.policy.memory import policy_at
from eval.policy.row_ops import hidden_cells, move_score

_MAX_PIECES = 64  # positions that are set up by hand may have more than 32
_ONE = 1.0 / (QA * QA * QB)
_row_list = stack_memory(8 * _MAX_PIECES)
_cell_memory = stack_memory(2 * LARGEST_WIDTH)

# exp(-x) for x >= 0 is looked up in two parts, whole numbers and 256ths, and corrected for the rest: the same numbers
# on every machine, in a fraction of the time.
_FRACTIONS = np.int64(256)
_LARGEST_EXPONENT = 40.0
_WHOLE_POWERS = np.exp(-np.arange(41, dtype=np.float64))
_FRACTION_POWERS = np.exp(-np.arange(256, dtype=np.float64) / 256)


@inline
def _exp_of_negative(exponent):
    """exp(-exponent), to five digits."""
    exponent = min(exponent, _LARGEST_EXPONENT)
    steps = np.int64(exponent * _FRACTIONS)
    rest = exponent - np.float64(steps) / _FRACTIONS
    return _WHOLE_POWERS[steps >> 8] * _FRACTION_POWERS[steps & 255] * (1.0 - rest)


@kernel
def _list_features(pos, policy, rows):
    """Write the addresses of the feature rows of all pieces to `rows`; returns their number."""
    view = view_of(pos)
    attacked, defended = threats_of(pos)
    count = np.int64(0)
    pieces = occupied_squares(pos)
    while pieces != EMPTY:
        square = lsb(pieces)
        pieces = clear_lsb(pieces)
        feature = feature_of(piece_code(pos, square), square ^ view, np.int64(attacked >> square & BIT),
                             np.int64(defended >> square & BIT))
        store_word(rows + 8 * count, np.uint64(policy.features + feature * policy.width))
        count += 1
    return count


@kernel
def policy_scores(address, pos, moves, count, good, out):
    """Write the score of each of the first `count` legal `moves` to `out`, and return the best.

    A score that is higher by 1 makes a move e times as likely. `good[i]` is 1 if SEE finds that move i loses no
    material, else 0; `address` is that of a loaded policy.
    """
    policy = policy_at(address)
    rows, cells = _row_list(), _cell_memory()
    hidden_cells(cells, policy.biases, rows, _list_features(pos, policy, rows), policy.width)
    width, view = policy.width, view_of(pos)
    checks, targets = check_squares_and_shields(pos), attack_targets(pos)
    best = -1e9
    for index in range(count):
        move, is_good = np.int64(moves[index]), np.int64(good[index])
        trait = trait_row(pos, move, checks, is_good)
        danger = danger_row(pos, move, danger_of(pos, move, targets), is_good)
        total = move_score(cells, policy.from_to + from_to_row(move, view) * width,
                           policy.piece_to + piece_to_row(pos, move, view) * width,
                           policy.traits + trait * width, policy.dangers + danger * width, width)
        score = np.float64(total + policy.trait_biases[trait]) * _ONE
        out[index] = score
        best = max(best, score)
    return best


@inline
def soften_scores(out, count, best, temperature):
    """Turn the scores in `out` into probabilities by softmax; a higher temperature makes them more equal."""
    total = 0.0
    for index in range(count):
        weight = _exp_of_negative((best - np.float64(out[index])) / temperature)
        out[index] = weight
        total += weight
    for index in range(count):
        out[index] = np.float64(out[index]) / total


@kernel
def policy_priors(address, pos, moves, count, good, out):
    """Write the probability of each of the first `count` legal `moves` to `out`; their sum is 1.

    The arguments are those of `policy_scores`.
    """
    soften_scores(out, count, policy_scores(address, pos, moves, count, good, out), 1.0)
