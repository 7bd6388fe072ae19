"""A Monte Carlo tree to look at: how often each node was visited, and what that brought on average."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from engine.course.reference.alphazero import Node as GuidedNode
from engine.course.reference.game import CHANCE, MAX, Action, Game, State
from engine.course.reference.uct import Node
from engine.course.trees import Drawn

LEGEND = ("In each node the number of its visits, beside or below it the average utility of MAX.",
          "Blue: MAX does well there. Orange: MIN does. Thick lines: the most-visited moves.")
_SMALLEST, _LARGEST = 0.75, 1.6  # sizes of nodes
_ROOM = 1.5  # steps that an inner node takes at least, with what is written beside it
_LOW, _MIDDLE, _HIGH = (253, 186, 116), (255, 255, 255), (147, 197, 253)  # colours of MIN's and MAX's favourites


def grown(game: Game[State, Action], root: Node[State, Action], way: Callable[[State, Action], str],
          widest: tuple[int, ...] = (6, 6), scale: float = 1.0) -> Drawn:
    """The upper part of a tree: of the nodes of each level so many of the most visited children.

    Averages are MAX's, and coloured: orange where MIN does well, blue where MAX does, `scale` the strongest.
    """

    def draw(node: Node[State, Action], level: int) -> Drawn:
        player = MAX if game.is_terminal(node.state) else game.to_move(node.state)
        node_type = ("leaf" if game.is_terminal(node.state) else "chance" if player == CHANCE
                     else "max" if player == MAX else "min")
        average = _for_max(game, node)
        share = math.sqrt(node.visits / root.visits)
        drawn = Drawn(node_type, str(node.visits), notes=(_signed(average),), fill=_colour(average / scale),
                      size=_SMALLEST + (_LARGEST - _SMALLEST) * share, room=_ROOM if level < len(widest) else 1.0)
        if level < len(widest):
            shown = sorted(node.children, key=lambda action: -node.children[action].visits)[: widest[level]]
            for action in sorted(shown, key=str):
                child = draw(node.children[action], level + 1)
                child.way = way(node.state, action)
                child.is_best = action == shown[0] and player != CHANCE
                drawn.children.append(child)
        return drawn

    return draw(root, 0)


def guided(root: GuidedNode, way: Callable[[int], str], depth: int = 2, widest: int = 4) -> Drawn:
    """The upper part of a tree that a policy guided: on the lines the prior of each move, in the nodes the visits.

    Averages, and colours, are those of the player who is MAX at the root.
    """

    def draw(node: GuidedNode, level: int) -> Drawn:
        sign = -1 if level % 2 == 0 else 1  # a node's average is that of the player who moved to it
        average = sign * node.average
        drawn = Drawn("max" if level % 2 == 0 else "min", str(node.visits), notes=(_signed(average),),
                      fill=_colour(average), size=_SMALLEST + (_LARGEST - _SMALLEST)
                      * math.sqrt(node.visits / root.visits), room=_ROOM if level < depth else 1.0)
        if level < depth:
            tried = [action for action in node.children if node.children[action].visits]
            shown = sorted(tried, key=lambda action: -node.children[action].visits)[:widest]
            for action in sorted(shown):
                child = draw(node.children[action], level + 1)
                child.way, child.is_best = f"{way(action)}: {node.children[action].prior:.0%}", action == shown[0]
                drawn.children.append(child)
        return drawn

    return draw(root, 0)


def _signed(number: float) -> str:
    return f"{round(number, 2) + 0.0:+.2f}".replace("-", "−")


def _for_max(game: Game[State, Action], node: Node[State, Action]) -> float:
    """The average utility of a node, as MAX sees it."""
    mover = MAX if node.parent is None else game.to_move(node.parent.state)
    return (1 if mover in {MAX, CHANCE} else -1) * node.total / max(node.visits, 1)


def _colour(share: float) -> str:
    """From orange for -1 over white for 0 to blue for 1."""
    share = min(max(share, -1.0), 1.0)
    far = _HIGH if share > 0 else _LOW
    mixed = (round(middle + abs(share) * (end - middle)) for middle, end in zip(_MIDDLE, far, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def growth_text(root: Node[State, Action], way: Callable[[State, Action], str],
                truth: Mapping[Action, float] | None = None) -> str:
    """The moves of the root, most visited first: visits and averages from the mover's point of view.

    `truth`: what each move is worth to him, where that is known.
    """
    rows = sorted(root.children.items(), key=lambda item: -item[1].visits)
    return "\n".join(f"  {way(root.state, action):<10} {child.visits:>6} {'visits' if child.visits > 1 else 'visit '}"
                     f"   average {_signed(child.total / child.visits)}"
                     + (f"   truth {_signed(truth[action])}" if truth is not None else "") for action, child in rows)
