"""Every number and choice of the tree searches, one row each, and the three searches that are made of them."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.kernel.records import Fields, take_fields
from engine.search.rows import default_record, set_value


class Selection(IntEnum):
    """How the way down the tree is chosen."""

    UCB1 = 0
    PUCT = 1
    EVEN = 2  # every root move in its turn, and no tree below


class Leaf(IntEnum):
    """Where the value of a new node comes from; the first three are playouts."""

    RANDOM = 0  # random moves to the end of the game
    LIGHT = 1  # captures that win material and safe moves first
    CUT_OFF = 2  # the same, but after some plies the evaluation ends the game
    SEARCH = 3  # no playout: quiescence, or a shallow alpha-beta


LEAVES = {"random": Leaf.RANDOM, "light": Leaf.LIGHT, "cutoff": Leaf.CUT_OFF}  # as the option calls them


class Parameter(NamedTuple):
    """A tunable: its default and its range. A whole number has a whole default."""

    name: str
    default: float
    low: float
    high: float


PARAMETERS = (
    Parameter("selection", int(Selection.PUCT), 0, 2),
    Parameter("leaf", int(Leaf.SEARCH), 0, 3),
    Parameter("exploration", math.sqrt(2), 0.0, 100.0),  # UCB1's C
    Parameter("puct", 3.0, 0.0, 100.0),  # PUCT's
    Parameter("first_play", 0.0, 0.0, 2.0),  # how much worse than its parent a move is thought to be before it is tried
    Parameter("leaf_depth", 0, 0, 8),  # of the search of a leaf; 0 is quiescence
    Parameter("leaf_window", 60, 1, 30_000),  # centipawns around the value of the parent within which it is exact
    Parameter("value_scale", 350.0, 50.0, 2000.0),  # centipawns that are worth tanh(1)
    Parameter("use_solver", 1, 0, 1),  # whether mates are proven in the tree
    # Priors: what a move promises before it is tried.
    Parameter("prior_temperature", 250.0, 1.0, 10_000.0),  # centipawns
    Parameter("prior_floor", 0.2, 0.0, 1.0),  # the share of all that every move gets alike
    Parameter("check_bonus", 200.0, 0.0, 1000.0),  # centipawns
    # Looks: when the root was visited so often it gets new priors, by a search of each of its moves; when it has been
    # visited `look_growth` times as often, by a deeper one, and so on; 0 for never. Other nodes need more visits.
    Parameter("look_visits", 1024, 0, 1_000_000),
    Parameter("look_inner", 16, 1, 1000),
    Parameter("look_growth", 4, 2, 16),
    Parameter("look_depth", 5, 0, 16),
    Parameter("look_step", 1, 0, 4),
    Parameter("look_temperature", 100.0, 1.0, 10_000.0),  # centipawns
    # Playouts.
    Parameter("longest_playout", 1000, 1, 1000),  # plies; a game that is not over by then counts as drawn
    Parameter("cut_off_plies", 10, 0, 1000),
    Parameter("greed", 0.8, 0.0, 1.0),  # how often a light playout takes what it can win
)


class ParamsRecord(Fields):
    """A number for each row of PARAMETERS."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any: ...


take_fields(ParamsRecord, {row.name: "i8" if isinstance(row.default, int) else "f8" for row in PARAMETERS})


def tree_params(**changes: float) -> ParamsRecord:
    """A new record with the defaults, and `changes`; InputError if one is out of its range."""
    record = default_record(PARAMETERS, ParamsRecord)
    for name, value in changes.items():
        set_value(record, PARAMETERS, name, value, "parameter of the tree search")
    return record


def uct(**changes: float) -> ParamsRecord:
    """UCT as in the notes: UCB1, and playouts at random."""
    return tree_params(**{"selection": Selection.UCB1, "leaf": Leaf.RANDOM, "use_solver": 0, **changes})


def pure_monte_carlo(**changes: float) -> ParamsRecord:
    """The baseline of the notes: equally many playouts for each move, and no tree."""
    return tree_params(**{"selection": Selection.EVEN, "leaf": Leaf.RANDOM, "use_solver": 0, **changes})


def puct(**changes: float) -> ParamsRecord:
    """The strong one: priors, values by search instead of playouts, and proofs."""
    return tree_params(**changes)
