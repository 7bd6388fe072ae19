"""What a tree says: its best moves with their lines and scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.mcts.nodes import ONE, TB_PROOF, Pool
from engine.mcts.params import ParamsRecord, Selection
from engine.mcts.values import Curve
from engine.search.scores import MATE, TB_WIN, mate_distance


@dataclass(frozen=True)
class Line:
    """A root move with its score, its visits, and the line of most-visited moves after it."""

    score: int
    moves: tuple[int, ...]
    visits: int
    value: float  # the average value, from -1 to 1
    draw: float  # the average chance of a draw
    is_over: bool  # whether the game ends where the line does


def best_lines(pool: Pool, params: ParamsRecord, curve: Curve, count: int) -> list[Line]:
    """The `count` best root moves that were visited or proven, the best first; `curve` turns values into scores."""
    by_average = params.selection == Selection.EVEN
    ranked = sorted(_known(pool, pool.nodes[pool.root]), key=lambda child: _rank(child, by_average), reverse=True)
    return [_line(pool, child, curve) for child in ranked[:count]]


def average(node: Any) -> float:
    """The mean value of a node for the player whose move leads to it; the proven value if it was never visited."""
    return float(node.total / (node.visits * ONE)) if node.visits else float(np.sign(node.proof))


def score_of(node: Any, curve: Curve) -> int:
    """The score of a visited node for the player whose move leads to it: what is proven, else centipawns."""
    if node.proof:
        distance = abs(int(node.proof))
        won = int(MATE) - distance if distance < TB_PROOF else int(TB_WIN + TB_PROOF) - distance
        return won if node.proof > 0 else -won
    return 0 if node.is_drawn else curve.score(average(node))


def cautious(line: Line, curve: Curve) -> Line:
    """The line; if its score is a mate that its moves do not reach, with the average value as score instead."""
    is_shown = mate_distance(line.score) is None or len(line.moves) == int(MATE) - abs(line.score)
    return line if is_shown else replace(line, score=curve.score(line.value))


def _known(pool: Pool, node: Any) -> list[Any]:
    """The children that were visited, or proven by `look_again`."""
    return [child for child in pool.children(node) if child.visits or child.proof]


def _rank(child: Any, by_average: bool) -> tuple[int, float]:
    """The sort key: proven wins first, shortest first; proven losses last; in between by visits, or by average."""
    if child.proof:
        return (1 if child.proof > 0 else -1), -float(child.proof)
    return 0, average(child) if by_average else float(child.visits)


def _line(pool: Pool, child: Any, curve: Curve) -> Line:
    """The line that begins with a child of the root and continues with the most-visited moves."""
    node, moves = child, [int(child.move)]
    while following := _known(pool, node):
        node = max(following, key=lambda child: _rank(child, by_average=False))
        moves.append(int(node.move))
    # Proven nodes are not visited again, and a node visited twice is expanded unless the game is over there.
    is_over = bool(node.proof) or bool(not node.first and node.visits > 1)
    draw = float(child.draws / (child.visits * ONE)) if child.visits else 0.0
    return Line(score_of(child, curve), tuple(moves), int(child.visits), average(child), draw, is_over)
