"""Every parameter of the tree searches, one row each, and the three searches that are made from them."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from engine.kernel.records import Fields, take_fields
from engine.search.params import Parameter, default_record, set_value


class Selection(IntEnum):
    """How children are selected on the way down the tree."""

    UCB1 = 0
    PUCT = 1
    EVEN = 2  # every root move in turn, and no tree below


class Leaf(IntEnum):
    """Where the value of a new node comes from; the first three are playouts."""

    RANDOM = 0  # random moves to the end of the game
    LIGHT = 1  # prefers captures that do not lose material, and safe moves
    CUT_OFF = 2  # the same, but after some plies a search decides the game
    SEARCH = 3  # no playout: quiescence, or a shallow alpha-beta
    EVALUATION = 4  # no playout: the static evaluation


LEAVES = {"random": Leaf.RANDOM, "light": Leaf.LIGHT, "cutoff": Leaf.CUT_OFF}  # as the option calls them


PARAMETERS = (
    Parameter("selection", int(Selection.PUCT), 0, 2),
    Parameter("leaf", int(Leaf.SEARCH), 0, 4),
    Parameter("exploration", math.sqrt(2), 0.0, 100.0),  # UCB1's C
    Parameter("puct", 1.5, 0.0, 100.0, 0.15),  # PUCT's constant c for a node with few visits
    Parameter("puct_growth", 0.5, 0.0, 10.0, 0.1),  # how much c grows with the logarithm of the visits
    Parameter("puct_base", 2000.0, 1.0, 1e6),  # the visits at which that begins
    Parameter("spread_share", 0.25, 0.0, 1.0, 0.15),  # how much c follows the spread of the values in the tree
    Parameter("usual_spread", 0.3, 0.01, 1.0),  # the standard deviation that leaves c as it is
    # How much below its parent's value an untried move is assumed to be once all others have been tried.
    Parameter("first_play", 0.0, 0.0, 2.0, 0.1),
    Parameter("leaf_depth", 0, 0, 8),  # of the search of a leaf; 0 is quiescence
    Parameter("leaf_window", 60, 1, 30_000, 20),  # centipawns around the parent's value within which a leaf is exact
    Parameter("use_outcome", 1, 0, 1),  # whether values are chances by the model of outcomes, or by a curve:
    Parameter("value_scale", 350.0, 50.0, 2000.0),  # centipawns that are worth tanh(1), without draws
    Parameter("contempt", 0.0, -1.0, 1.0),  # what a draw is worth less than half a win to the player at the root
    Parameter("use_sharing", 1, 0, 1),  # whether transpositions share their values
    Parameter("use_solver", 1, 0, 1),  # whether mates are proven in the tree
    # Priors: what a move promises before it is tried. The learned policy says so, if there is one:
    Parameter("use_policy", 1, 0, 1),
    Parameter("policy_temperature", 1.0, 0.1, 10.0, 0.1),
    Parameter("root_temperature", 1.0, 0.1, 10.0, 0.2),
    # Or a glance does:
    Parameter("prior_temperature", 250.0, 1.0, 10_000.0),  # centipawns
    Parameter("prior_floor", 0.2, 0.0, 1.0),  # the share that is divided equally among all moves
    Parameter("check_bonus", 200.0, 0.0, 1000.0),  # centipawns
    # Looks: after `look_visits` visits (0 for never) the root gets new priors from a search of each of its moves; after
    # `look_growth` times as many, from a deeper search, and so on. Other nodes need `look_inner` times as many visits.
    Parameter("look_visits", 1024, 0, 1_000_000, 200),
    Parameter("look_inner", 16, 1, 1000),
    Parameter("look_growth", 2, 2, 16),
    Parameter("look_depth", 6, 0, 16),
    Parameter("look_step", 1, 0, 4),
    Parameter("look_temperature", 100.0, 1.0, 10_000.0, 15.0),  # centipawns
    Parameter("look_share", 0.25, 0.0, 1.0, 0.1),  # of the new priors; the rest is what they were before
    # Playouts.
    Parameter("longest_playout", 1000, 1, 1000),  # plies; a game that is not over by then counts as a draw
    Parameter("cut_off_plies", 10, 0, 1000),
    Parameter("greed", 0.8, 0.0, 1.0),  # how often a light playout plays its best capture
)


class TreeParamsRecord(Fields):
    """A number for each row of PARAMETERS."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any: ...


take_fields(TreeParamsRecord, {row.name: "i8" if row.is_integer else "f8" for row in PARAMETERS})


def tree_params(**changes: float) -> TreeParamsRecord:
    """A new record with the defaults and `changes`; InputError if one is unknown or out of range."""
    record = default_record(PARAMETERS, TreeParamsRecord)
    for name, value in changes.items():
        set_value(record, PARAMETERS, name, value, "parameter of the tree search")
    return record


_BY_PLAYOUTS = {"leaf": Leaf.RANDOM, "use_sharing": 0, "use_solver": 0}


def uct(**changes: float) -> TreeParamsRecord:
    """UCT as in textbooks: UCB1 and random playouts."""
    return tree_params(**{"selection": Selection.UCB1, **_BY_PLAYOUTS, **changes})


def pure_monte_carlo(**changes: float) -> TreeParamsRecord:
    """The baseline: equally many playouts for each move, and no tree."""
    return tree_params(**{"selection": Selection.EVEN, **_BY_PLAYOUTS, **changes})


# Where this search differs from the learned one.
_BY_HAND = {"use_outcome": 0, "use_policy": 0, "use_sharing": 0, "puct": 3.0, "puct_growth": 0.0, "spread_share": 0.0,
            "look_growth": 4, "look_depth": 5, "look_share": 1.0}


def puct(**changes: float) -> TreeParamsRecord:
    """PUCT without learning: priors at a glance, quiescence instead of playouts, looks, and proofs."""
    return tree_params(**{**_BY_HAND, **changes})


def learned(**changes: float) -> TreeParamsRecord:
    """The strongest: a learned policy, values by the network as wins, draws and losses, and proofs."""
    return tree_params(**changes)


BY_KIND = {"mcts": learned, "puct": puct, "uct": uct, "montecarlo": pure_monte_carlo}  # as the kinds are called
