"""The tree searches that are measured and compared: pure Monte Carlo, UCT, PUCT, and the learned one."""

from __future__ import annotations

from collections.abc import Callable

from engine.mcts.params import Leaf, TreeParamsRecord, learned, puct, pure_monte_carlo, uct

TREES: dict[str, Callable[[], TreeParamsRecord]] = {
    "pure Monte Carlo": pure_monte_carlo,
    "UCT, random playouts": uct,
    "UCT, light playouts": lambda: uct(leaf=Leaf.LIGHT),
    "UCT, cut off": lambda: uct(leaf=Leaf.CUT_OFF),
    "PUCT, quiescence": puct,
    "PUCT, depth 2": lambda: puct(leaf_depth=2),
    "learned, quiescence": learned,
    "learned, static": lambda: learned(leaf=Leaf.EVALUATION),
}
