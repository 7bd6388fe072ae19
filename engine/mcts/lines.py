"""The result of a tree: its best root moves with their lines and scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.mcts.nodes import ONE, TB_PROOF, Pool
from engine.mcts.params import Selection, TreeParamsRecord
from engine.mcts.values import ValueCurve
from engine.search.scores import MATE, TB_WIN, mate_distance

_BEYOND_VISITS = 1e12  # larger than any number of visits


@dataclass(frozen=True)
class RootLine:
    """A root move with its score, its visits, and the line of most-visited moves after it."""

    score: int
    moves: tuple[int, ...]
    visits: int
    value: float  # the average value, from -1 to 1
    draw: float  # the average probability of a draw
    is_over: bool  # whether the game ends where the line does
    is_capped: bool = False  # whether the score was lowered to that of the best line

    @property
    def wdl(self) -> tuple[int, int, int]:
        """Win, draw and loss per thousand."""
        win, loss = (1.0 - self.draw + self.value) / 2, (1.0 - self.draw - self.value) / 2
        return round(1000 * win), 1000 - round(1000 * win) - round(1000 * loss), round(1000 * loss)


def best_lines(pool: Pool, params: TreeParamsRecord, curve: ValueCurve, count: int) -> list[RootLine]:
    """The `count` best root moves that were visited or proven, the best first; `curve` turns values into scores."""
    children = pool.children(pool.nodes[pool.root])
    keys = _keys(children, by_average=params.selection == Selection.EVEN)
    ranked = np.argsort(-keys, kind="stable")[:min(count, int(np.isfinite(keys).sum()))]
    return [_line(pool, children[index], curve) for index in ranked]


def in_score_order(lines: list[RootLine]) -> list[RootLine]:
    """The first line, then the others by their scores.

    The tree prefers the first to all others: a higher mean of few visits says only that they are not better.
    """
    if not lines:
        return lines
    best = lines[0]
    others = [replace(line, score=best.score, is_capped=True) if line.score > best.score else line
              for line in lines[1:]]
    return [best, *sorted(others, key=lambda line: -line.score)]


def mean_value(node: Any) -> float:
    """The mean value of a node for the player whose move leads to it; the proven value if it was never visited."""
    return float(node.value_sum / (node.visits * ONE)) if node.visits else float(np.sign(node.proof))


def score_of(node: Any, curve: ValueCurve) -> int:
    """The score of a visited node for the player whose move leads to it: proven, otherwise by its mean value."""
    if node.proof:
        distance = abs(int(node.proof))
        won = int(MATE) - distance if distance < TB_PROOF else int(TB_WIN + TB_PROOF) - distance
        return won if node.proof > 0 else -won
    return 0 if node.is_drawn else curve.score(mean_value(node))


def proof_text(root: Any) -> str:
    """What the tree has proven about its root, for the side to move; empty if nothing."""
    if root.proof:
        plies, is_won = abs(int(root.proof)) - 1, root.proof < 0
        if plies >= TB_PROOF:
            return f"proven: {'won' if is_won else 'lost'} by endgame tables"
        return f"proven: {'mate' if is_won else 'mated'} in {(plies + 1) // 2}"
    return "proven: drawn" if root.is_drawn else ""


def without_unfinished_mate(line: RootLine, curve: ValueCurve) -> RootLine:
    """Return the line. If its moves do not reach the mate of its score, replace the score by that of its mean value."""
    is_shown = mate_distance(line.score) is None or len(line.moves) == int(MATE) - abs(line.score)
    return line if is_shown else replace(line, score=curve.score(line.value))


def _keys(children: Any, *, by_average: bool = False) -> Any:
    """The sort key of each child: visits, or mean values if `by_average`; proven wins are above all others, the
    shortest highest, proven losses below. A child that was neither visited nor proven has minus infinity.
    """
    visits, proofs = children["visits"].astype(np.float64), children["proof"].astype(np.float64)
    keys = children["value_sum"] / (np.maximum(visits, 1.0) * ONE) if by_average else visits
    keys = np.where(proofs == 0, keys, np.sign(proofs) * _BEYOND_VISITS - proofs)
    return np.where((visits > 0) | (proofs != 0), keys, -np.inf)


def _line(pool: Pool, child: Any, curve: ValueCurve) -> RootLine:
    """The line that starts with a child of the root and continues with the most-visited moves."""
    node, moves = child, [int(child.move)]
    while len(following := pool.children(node)):
        keys = _keys(following)
        best = int(np.argmax(keys))
        if keys[best] == -np.inf or (node.proof and not following[best].proof):  # proven by a search, not by the tree
            break
        node = following[best]
        moves.append(int(node.move))
    # Proven nodes are not visited again, and a node visited twice is expanded unless the game is over there.
    is_over = bool(node.proof) or bool(not node.first and node.visits > 1)
    draw = float(child.draws / (child.visits * ONE)) if child.visits else 0.0
    return RootLine(score_of(child, curve), tuple(moves), int(child.visits), mean_value(child), draw, is_over)
