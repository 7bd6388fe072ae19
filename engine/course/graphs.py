"""The graph of a game's states, in which each state stands once: to draw it, and to compare it with the tree."""

from __future__ import annotations

from collections.abc import Callable

from engine.course import svg
from engine.course.reference.game import Action, Game, State

_STEP_X, _STEP_Y, _HALF_WIDTH, _HALF_HEIGHT, _TOP = 110.0, 90.0, 38.0, 16.0, 30.0


def layers(game: Game[State, Action]) -> list[list[State]]:
    """The states of a game by the fewest plies that lead to them."""
    found, layer, seen = list[list[State]](), [game.initial()], {game.initial()}
    while layer:
        found.append(layer)
        onward = [game.result(state, action) for state in layer if not game.is_terminal(state)
                  for action in game.actions(state)]
        layer = [state for state in dict.fromkeys(onward) if state not in seen]
        seen.update(layer)
    return found


def tree_nodes(game: Game[State, Action], state: State, known: dict[State, int]) -> int:
    """How many nodes the tree below a state has, itself included, counted without walking through all of it."""
    if state not in known:
        known[state] = 1 if game.is_terminal(state) else 1 + sum(
            tree_nodes(game, game.result(state, action), known) for action in game.actions(state))
    return known[state]


def graph_picture(game: Game[State, Action], title: str, name: Callable[[State], str]) -> svg.Picture:
    """The states in rows, by the fewest plies to them, with a line for every move."""
    rows = layers(game)
    width = _STEP_X * max(map(len, rows))
    places = {state: (width * (number + 0.5) / len(row), _TOP + _STEP_Y * depth)
              for depth, row in enumerate(rows) for number, state in enumerate(row)}
    elements = [svg.line((places[state], places[game.result(state, action)]), stroke=svg.FAINT)
                for state in places if not game.is_terminal(state) for action in game.actions(state)]
    for state, (x, y) in places.items():
        elements += [svg.box(x, y, 2 * _HALF_WIDTH, 2 * _HALF_HEIGHT, fill="white", stroke=svg.INK),
                     svg.words(x, y + 5, name(state), size=14)]
    return svg.titled(svg.Picture(width, _TOP + _STEP_Y * len(rows), tuple(elements)), title)
