"""The tree searches that are compared, from pure Monte Carlo to the one with a learned policy."""

from __future__ import annotations

from collections.abc import Callable

from engine.mcts.params import (
    Leaf,
    TreeParamsRecord,
    alphago,
    alphazero,
    learned,
    light_uct,
    puct,
    pure_monte_carlo,
    uct,
)

TREES: dict[str, Callable[[], TreeParamsRecord]] = {
    "pure Monte Carlo": pure_monte_carlo,
    "UCT, random playouts": uct,
    "UCT, light playouts": light_uct,
    "UCT, cut off": lambda: uct(leaf=Leaf.CUT_OFF),
    "PUCT, quiescence": puct,
    "PUCT, depth 2": lambda: puct(leaf_depth=2),
    "AlphaGo, lambda 1/2": alphago,
    "AlphaZero": alphazero,
    "learned, static": lambda: learned(leaf=Leaf.EVALUATION),
    "learned, quiescence": learned,
}
