"""Random trees, as Python sees them and as text; and what they are worth, by exhaustive search in a few lines."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

NUMBERS = st.integers(-9, 9)
_ODDS = ([Fraction(1)], [Fraction(1, 2)] * 2, [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])


def plain_trees(leaves: st.SearchStrategy[Any] = NUMBERS) -> st.SearchStrategy[Any]:
    """Lists of lists of leaves."""
    return st.recursive(leaves, lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=25)


def chance_trees() -> st.SearchStrategy[Any]:
    """Trees with chance nodes, as ("chance", [(odds, tree), ...])."""
    def chance(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.sampled_from(_ODDS).flatmap(lambda odds: st.tuples(*[below] * len(odds)).map(
            lambda trees: ("chance", list(zip(odds, trees, strict=True)))))

    return st.recursive(NUMBERS, lambda below: st.lists(below, min_size=1, max_size=3) | chance(below), max_leaves=20)


def tuple_leaves(seats: int) -> st.SearchStrategy[Any]:
    """Leaves of several players."""
    return st.tuples(*[NUMBERS] * seats)


def written(tree: Any) -> str:
    """The text of a tree."""
    if isinstance(tree, tuple) and tree[0] == "chance":
        return '{"chance": [' + ", ".join(f"[{odds}, {written(below)}]" for odds, below in tree[1]) + "]}"
    return f"[{', '.join(map(written, tree))}]" if isinstance(tree, list) else str(tree)


def worth(tree: Any, is_max: bool = True) -> Fraction:
    """The value of a tree whose players take turns; chance takes none."""
    if isinstance(tree, tuple):
        return sum((odds * worth(below, is_max) for odds, below in tree[1]), Fraction(0))
    if isinstance(tree, list):
        return (max if is_max else min)(worth(below, not is_max) for below in tree)
    return Fraction(tree)


def tuple_worth(tree: Any, seats: int, player: int = 0) -> tuple[int, ...]:
    """The tuple of a tree whose players take turns, the first of equally good ones."""
    if not isinstance(tree, list):
        return tuple(tree)
    return max((tuple_worth(below, seats, (player + 1) % seats) for below in tree), key=lambda values: values[player])


def leaves_of(tree: Any) -> int:
    """How many leaves a tree has."""
    below = [part for _, part in tree[1]] if isinstance(tree, tuple) and tree[0] == "chance" else tree
    return sum(map(leaves_of, below)) if isinstance(below, list) else 1
