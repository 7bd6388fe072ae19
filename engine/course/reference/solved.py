"""Values kept in a table: different move orders reach the same state, which need not be searched again.

A table that holds every state of a game, with its value and best action, replaces search by lookup.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.course.reference.game import MAX, Action, Game, State
from engine.course.reference.requirements import as_key, legal, player_to_move


class SolvedState(NamedTuple):
    """What is known about a state: MAX's value, and the best action if the game goes on."""

    value: float
    action: object


def solve(game: Game[State, Action], state: State, table: dict[State, SolvedState]
          | None = None) -> dict[State, SolvedState]:
    """Minimax to the end of the game, visiting no state twice. Returns the table of all states that can follow."""
    table = {} if table is None else table
    if as_key(state) in table:
        return table
    if game.is_terminal(state):
        table[state] = SolvedState(game.utility(state, MAX), None)
        return table
    found = []
    for action in legal(game, state):
        after = game.result(state, action)
        solve(game, after, table)
        found.append(SolvedState(table[after].value, action))
    best = max if player_to_move(game, state, "a table") == MAX else min
    table[state] = best(found, key=lambda entry: entry.value)
    return table
