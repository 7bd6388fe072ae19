"""The parameters of the tree searches, and their values for each search mode."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from engine.kernel.records import Fields, set_fields
from engine.search.params import Parameter, default_record, set_value


class Selection(IntEnum):
    """The rule that selects a child."""

    UCB1 = 0
    PUCT = 1
    EVEN = 2  # the least visited root move; no tree below it


class Leaf(IntEnum):
    """The source of the value of a new node; the first three are playouts."""

    RANDOM = 0  # random moves to the end of the game
    LIGHT = 1  # prefers captures that do not lose material, and safe moves
    CUT_OFF = 2  # LIGHT for some plies, then a search
    SEARCH = 3  # no playout: quiescence, or a shallow alpha-beta
    EVALUATION = 4  # no playout: the static evaluation


LEAVES = {"random": Leaf.RANDOM, "light": Leaf.LIGHT, "cutoff": Leaf.CUT_OFF}  # by the values of the UCI option


PARAMETERS = (
    Parameter("selection", int(Selection.PUCT), 0, 2),
    Parameter("leaf", int(Leaf.SEARCH), 0, 4),
    Parameter("exploration", math.sqrt(2), 0.0, 100.0),  # UCB1's C
    Parameter("puct", 1.5, 0.0, 100.0, 0.15),  # PUCT's constant c for a node with few visits
    Parameter("puct_growth", 0.5, 0.0, 10.0, 0.1),  # how much c grows with the logarithm of the visits
    Parameter("puct_base", 2000.0, 1.0, 1e6),  # the visits at which that begins
    Parameter("spread_share", 0.25, 0.0, 1.0, 0.15),  # the weight of the spread of the values in c
    Parameter("usual_spread", 0.3, 0.01, 1.0),  # the standard deviation at which c is unchanged
    # First-play urgency: the assumed value of an unvisited move below its parent's value, once all others were visited.
    Parameter("first_play", 0.0, 0.0, 2.0, 0.1),
    Parameter("leaf_depth", 0, 0, 8),  # of the search of a leaf; 0 is quiescence
    Parameter("leaf_window", 60, 1, 30_000, 20),  # centipawns around the parent's value where a leaf is exact
    Parameter("use_outcome", 1, 0, 1),  # whether values come from the WDL model, or from tanh
    Parameter("value_scale", 350.0, 50.0, 2000.0),  # centipawns with the value tanh(1), without the WDL model
    Parameter("contempt", 0.0, -1.0, 1.0),  # subtracted from the value of a draw for the player at the root
    Parameter("use_sharing", 1, 0, 1),  # whether transpositions share their values
    Parameter("use_solver", 1, 0, 1),  # whether mates are proven in the tree
    # Priors by the learned policy.
    Parameter("use_policy", 1, 0, 1),
    Parameter("policy_temperature", 1.0, 0.1, 10.0, 0.1),
    Parameter("root_temperature", 1.0, 0.1, 10.0, 0.2),
    # How the priors of a node bend: more exploration where they are purer than usual, and by what the tree has learned.
    Parameter("impurity_weight", 0.0, -2.0, 2.0, 0.2),
    Parameter("usual_impurity", 0.7, 0.01, 1.0),
    Parameter("history_weight", 4.0, 0.0, 20.0, 1.0),  # of the move history in the logits
    Parameter("history_rate", 0.03, 0.001, 1.0, 0.01),  # how fast it forgets
    # A node updates history and corrections whenever its visits are a power of two, from `update_visits` on.
    Parameter("update_visits", 16, 2, 1_000_000, 8),
    Parameter("correction_rate", 0.0, 0.0, 8.0, 0.3),  # plies of a search that each doubling of the visits counts as
    Parameter("use_last_moves", 0, 0, 1),  # whether searches of leaves know the moves that led to them
    # Hand-made priors.
    Parameter("prior_temperature", 250.0, 1.0, 10_000.0),  # centipawns
    Parameter("prior_floor", 0.2, 0.0, 1.0),  # the fraction that is divided equally among all moves
    Parameter("check_bonus", 200.0, 0.0, 1000.0),  # centipawns
    # An alpha-beta search of the root beside the tree: its share of the first thread's positions (0 for none), the
    # depth from which its best move counts, and the part of all priors that this move gains at each depth.
    Parameter("root_share", 0.6, 0.0, 0.95, 0.05),
    Parameter("root_min_depth", 6, 1, 64, 1),
    Parameter("root_gain", 0.5, 0.0, 1.0, 0.05),
    # Playouts.
    # AlphaGo's lambda: the weight of a playout in the value of a leaf that has a value without one; light moves.
    Parameter("playout_share", 0.0, 0.0, 1.0),
    Parameter("longest_playout", 1000, 1, 1000),  # plies; an unfinished playout counts as a draw
    Parameter("cut_off_plies", 10, 0, 1000),
    Parameter("greed", 0.8, 0.0, 1.0),  # the probability that a light playout plays its best capture
)


class TreeParamsRecord(Fields):
    """One field for each row of PARAMETERS."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any: ...


set_fields(TreeParamsRecord, {row.name: "i8" if row.is_integer else "f8" for row in PARAMETERS})


def tree_params(**changes: float) -> TreeParamsRecord:
    """Return a new record of defaults with `changes`; InputError if one is unknown or out of range."""
    record = default_record(PARAMETERS, TreeParamsRecord)
    for name, value in changes.items():
        set_value(record, PARAMETERS, name, value, "tree search parameter")
    return record


_PLAYOUT_CHANGES = {"leaf": Leaf.RANDOM, "use_sharing": 0, "use_solver": 0}


def uct(**changes: float) -> TreeParamsRecord:
    """Textbook UCT: UCB1 and random playouts."""
    return tree_params(**{"selection": Selection.UCB1, **_PLAYOUT_CHANGES, **changes})


def pure_monte_carlo(**changes: float) -> TreeParamsRecord:
    """The baseline: equally many playouts for each move, and no tree."""
    return tree_params(**{"selection": Selection.EVEN, **_PLAYOUT_CHANGES, **changes})


# The differences of PUCT from the learned search.
_HANDMADE_CHANGES = {"use_outcome": 0, "use_policy": 0, "use_sharing": 0, "puct": 3.0, "puct_growth": 0.0,
                     "spread_share": 0.0, "history_weight": 0.0}


def puct(**changes: float) -> TreeParamsRecord:
    """PUCT without learning: hand-made priors, quiescence instead of playouts, a search of the root, and proofs."""
    return tree_params(**{**_HANDMADE_CHANGES, **changes})


def learned(**changes: float) -> TreeParamsRecord:
    """The learned search: priors by the policy, WDL values by the network, a search of the root, and proofs."""
    return tree_params(**changes)


def light_uct(**changes: float) -> TreeParamsRecord:
    """UCT with light playouts."""
    return uct(**{"leaf": Leaf.LIGHT, **changes})


# AlphaZero's search has the policy and the value, and nothing that knows chess besides.
_ALPHAZERO_CHANGES = {"leaf": Leaf.EVALUATION, "use_sharing": 0, "use_solver": 0, "spread_share": 0.0,
                      "history_weight": 0.0, "root_share": 0.0}


def alphago(**changes: float) -> TreeParamsRecord:
    """AlphaGo's idea: priors by the policy, and leaves worth half the network's value and half a light playout."""
    return alphazero(**{"playout_share": 0.5, **changes})


def alphazero(**changes: float) -> TreeParamsRecord:
    """AlphaZero's idea: priors by the policy, and leaves worth the network's value; no playouts."""
    return tree_params(**{**_ALPHAZERO_CHANGES, **changes})


BY_MODE = {"mcts": learned, "puct": puct, "uct": uct, "montecarlo": pure_monte_carlo}  # [name of the search mode]
# One family, each of which adds an idea to the one before it: a tree, knowledge in the playouts, a learned policy and
# value, the value alone, and what the engine's own search adds to that.
LADDER = {"montecarlo": pure_monte_carlo, "uct": uct, "uct-light": light_uct, "alphago": alphago,
          "alphazero": alphazero, "mcts": learned}
CONFIGS = BY_MODE | LADDER  # [first word of a config]
