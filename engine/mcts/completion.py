"""What alpha-beta adds to the lines of a tree when its search is over: the moves of a mate that a search of a leaf has
proven, and scores of moves that the tree never visited.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.alphabeta.root import search_from
from engine.alphabeta.root_moves import init_root_entry
from engine.alphabeta.state import StateRecord, root_pv
from engine.core.game import make_if_legal
from engine.core.position import PositionRecord
from engine.mcts.lines import RootLine
from engine.search.scores import INFINITE, MATE, is_decisive, mate_distance

_MATE_EXTRA_DEPTH = 6  # to find a proven mate again, because the search prunes
_MATE_NODES = 20_000  # for each depth


def with_mate(position: PositionRecord, state: StateRecord, line: RootLine) -> RootLine:
    """Return the line, completed up to the mate of its score, if a search to the depth of the mate finds it again.

    `position` is the root. The limits of the search are the deadline and the stop flag of the state, and some nodes.
    """
    if mate_distance(line.score) is None:
        return line
    position = position.copy()
    for move in line.moves:
        make_if_legal(position, move)
    left = int(MATE) - abs(line.score) - len(line.moves)
    for depth in range(left, left + _MATE_EXTRA_DEPTH if left > 0 else left):
        score = _search(position, state, depth)
        rest = root_pv(state)
        if not state.stopped and int(MATE) - abs(score) == len(rest) == left:
            return replace(line, moves=line.moves + rest)
    return line


def unvisited_line(position: PositionRecord, state: StateRecord, move: int) -> RootLine:
    """A move that the tree left out, with the score of a search to depth 1 after it."""
    position = position.copy()
    make_if_legal(position, move)
    score = -_search(position, state, 1)
    value = float(np.sign(score)) if is_decisive(score) else 0.0
    return RootLine(score, (move,), 0, value, 0.0, is_over=False)


def _search(position: PositionRecord, state: StateRecord, depth: int) -> int:
    """The score of a search with a full window, whose nodes are added to those of the state."""
    visited = int(state.nodes)
    state.pv_is_not_needed, state.node_limit = 0, _MATE_NODES
    init_root_entry(position, state)
    score = int(search_from(position, state, depth, -int(INFINITE), int(INFINITE), 0))
    state.nodes += visited
    return score
