"""Entry points for the policy's kernels, for tests only."""

from __future__ import annotations

from engine.core.position import POSITION_TYPE
from engine.kernel import array_type, entry, int64
from eval.policy.inference import policy_priors, policy_scores

_MOVES, _FLAGS, _NUMBERS = array_type("u2"), array_type("u1"), array_type("f4")


@entry(int64, POSITION_TYPE, _MOVES, _FLAGS, _NUMBERS)
def priors_of(address, pos, moves, good, out):
    policy_priors(address, pos, moves, len(moves), good, out)


@entry(int64, POSITION_TYPE, _MOVES, _FLAGS, _NUMBERS)
def scores_of(address, pos, moves, good, out):
    return policy_scores(address, pos, moves, len(moves), good, out)
