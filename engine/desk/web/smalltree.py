"""A small alpha-beta tree to look at: every node with its window, its value, and what was cut off."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import chess

from engine.analysis.values import Score
from engine.core.errors import InputError
from engine.desk.web.wire import Value
from engine.reference.games.chess import Chess
from engine.reference.minimax import alphabeta
from engine.reference.ordering import Ordered, by_evaluation
from engine.reference.trace import Trace, VisitedNode

_WIDTHS = {1: 40, 2: 8, 3: 5}  # the moves of a position that are looked at, by the depth of the tree
_MOST_NODES = 2000
_MATE = 10_000.0  # centipawns that a mate counts

Judge = Callable[[chess.Board], Score]


class BoundedTrace(Trace):
    """A trace that does not grow for ever."""

    def enter(self, state: object, is_leaf: bool, alpha: float = -math.inf, beta: float = math.inf) -> None:
        if self.nodes >= _MOST_NODES:
            raise InputError("that tree is too large to be looked at")
        super().enter(state, is_leaf, alpha, beta)


class _Centipawns(Chess):
    """Chess whose mates are worth more than anything else, in centipawns."""

    def utility(self, state: str, player: int) -> float:
        return _MATE * super().utility(state, player)


def small_tree(board: chess.Board, depth: int, judge: Judge) -> Value:
    """The tree that alpha-beta searches to a depth, the most promising moves first and only a few of them.

    Alpha, beta and values are centipawns for White; None for no bound. A node is `cut` where one of its moves was so
    good that the rest did not matter; these follow it as `skipped`.
    """
    def evaluate(fen: str) -> float:
        judged = chess.Board(fen)
        score = judge(judged)
        value = float(max(-_MATE, min(score.value, _MATE)))
        return value if judged.turn else -value

    width = _WIDTHS[depth]
    game = _Centipawns(board.fen())
    ordered = Ordered(game, by_evaluation(game, evaluate), width)
    trace = BoundedTrace()
    alphabeta(ordered, board.fen(), depth, evaluate, trace)
    assert trace.root is not None
    nodes: list[Value] = []
    _write(nodes, trace.root, {"id": 0, "parent": None, "san": None, "order": 0}, ordered)
    return {"width": width, "turn": chess.COLOR_NAMES[board.turn], "nodes": nodes}


def _write(nodes: list[Value], visit: VisitedNode, place: Value, game: Ordered[str, str]) -> None:
    """Add a node, whose place in the tree is known, and all below it."""
    fen = str(visit.state)
    actions: Sequence[str] = game.actions(fen) if visit.children else ()
    is_cut = 0 < len(visit.children) < len(actions)
    nodes.append({**place, "alpha": _bound(visit.alpha), "beta": _bound(visit.beta), "value": _bound(visit.value),
                  "cut": is_cut, "skipped": False, "visit": visit.order})
    board = chess.Board(fen)
    for order, action in enumerate(actions):
        below = {"id": len(nodes), "parent": place["id"], "san": board.san(chess.Move.from_uci(action)), "order": order}
        if order < len(visit.children):
            _write(nodes, visit.children[order], below, game)
        else:
            nodes.append({**below, "alpha": None, "beta": None, "value": None, "cut": False, "skipped": True,
                          "visit": None})


def _bound(value: float) -> int | None:
    return round(value) if math.isfinite(value) else None
