"""What comes to mind: the moves that a person would think of in a position, with their probabilities.

A policy that was trained on games of people gives the priors. Captures and checks always come to mind unless they seem
to lose something, other moves only as long as they are among the likeliest. A careless player does not see that some
moves lose a piece, mostly quiet ones: people look whether what is taken is protected. A hash of position, move and
the seed of the game decides which, so the choice is the same throughout a game.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.alphabeta.see import capture_gain, flag_see_ok
from engine.core.bits import KNIGHT, QUEEN
from engine.core.legality import gives_check
from engine.core.movegen import (
    ALL_MOVES,
    MAX_MOVES,
    MOVE_LIST_TYPE,
    MoveListRecord,
    checkers_and_pinned,
    empty_move_list,
    generate,
)
from engine.core.moves import PROMOTION, move_type, promoted_type
from engine.core.position import POSITION_TYPE, PositionRecord
from engine.humanlike.lookahead import roll_per_mille
from engine.kernel import Int, array_type, entry, int64, uint64
from eval.policy.file import read_policy
from eval.policy.inference import policy_priors
from eval.policy.memory import LoadedPolicy

HUMAN_POLICY_FILE = Path(__file__).with_name("human.policy")
_SHARE = 0.95  # of the prior that the ideas hold
_MOST_IDEAS = 12  # the rank up to which quiet moves come to mind
_FLAGS = array_type("u1")
_CAPTURES_SEEN = np.int64(4)  # so many times less often a capture is misjudged than a quiet move
_QUIET, _FORCING, _ODD = np.uint8(0), np.uint8(1), np.uint8(2)


class Idea(NamedTuple):
    """A legal move that comes to mind."""

    move: int
    prior: float  # the probability that a person plays it, judged by the policy
    is_forcing: bool = False  # it captures, promotes or gives check, and seems to lose nothing
    is_odd: bool = False  # it promotes to less than a queen without need


@entry(POSITION_TYPE, MOVE_LIST_TYPE, _FLAGS, array_type("f4"), _FLAGS, int64, int64, uint64)
def weigh_moves(pos: PositionRecord, listed: MoveListRecord, good: Any, priors: Any, traits: Any, address: int,
                carelessness: int, seed: int) -> Int:
    """Write the legal moves, their priors by the policy at `address`, and their traits; returns the number of moves.

    `carelessness` is per mille: so many of the quiet moves that lose material are taken for safe ones. `good` is
    scratch.
    """
    checkers, pinned = checkers_and_pinned(pos)
    count = generate(pos, listed, np.int64(0), ALL_MOVES, checkers, pinned)
    flag_see_ok(pos, listed.moves, count, good)
    for index in range(count):
        move = np.int64(listed.moves[index])
        is_check = gives_check(pos, move)
        is_capture = capture_gain(pos, move) > 0
        if good[index] == 0:
            misjudged = carelessness // _CAPTURES_SEEN if is_capture else carelessness
            good[index] = np.uint8(roll_per_mille(pos, move, seed) < misjudged)
        traits[index] = _FORCING if good[index] != 0 and (is_check or is_capture) else _QUIET
        promoted = promoted_type(move_type(move)) if move_type(move) >= PROMOTION else QUEEN
        if promoted != QUEEN and not (promoted == KNIGHT and is_check):
            traits[index] = _ODD
    policy_priors(address, pos, listed.moves, count, good, priors)
    return count


@cache
def human_policy() -> LoadedPolicy:
    """The policy that was trained on games of people."""
    return LoadedPolicy(read_policy(HUMAN_POLICY_FILE))


class Intuition:
    """Finds the moves that come to mind, by a policy."""

    def __init__(self, policy: LoadedPolicy | None = None) -> None:
        self._policy = human_policy() if policy is None else policy
        self._listed, self._good = empty_move_list(), np.zeros(MAX_MOVES, np.uint8)
        self._priors, self._traits = np.zeros(MAX_MOVES, np.float32), np.zeros(MAX_MOVES, np.uint8)

    @staticmethod
    def load() -> None:
        """Compile or load the kernel."""
        weigh_moves.load()

    def weigh(self, position: PositionRecord, carelessness: float = 0, seed: int = 0) -> list[Idea]:
        """All legal moves, the likeliest first. `carelessness` is per mille, `seed` that of the game."""
        count = int(weigh_moves(position, self._listed, self._good, self._priors, self._traits, self._policy.address,
                                round(carelessness), seed))
        moves, priors, traits = (array[:count].tolist() for array in (self._listed.moves, self._priors, self._traits))
        return sorted((Idea(move, prior, trait == _FORCING, trait == _ODD)
                       for move, prior, trait in zip(moves, priors, traits, strict=True)), key=lambda idea: -idea.prior)


def list_ideas(weighed: list[Idea]) -> list[Idea]:
    """The moves that come to mind, out of those that are allowed, the likeliest first: the fewest that hold nearly all
    of their prior, but no more than a person considers, and all captures and checks that seem safe. People do not think
    of promoting to a bishop.
    """
    ideas, held = [], 0.0
    share = _SHARE * sum(idea.prior for idea in weighed)
    for number, idea in enumerate(weighed):
        if idea.is_forcing or (held < share and number < _MOST_IDEAS and not idea.is_odd):
            ideas.append(idea)
        held += idea.prior
    return ideas
