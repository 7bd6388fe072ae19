"""The horizon effect: a search that stops in the middle of an exchange counts on what is about to be lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.reference.game import MAX, Action, Game, State
from engine.reference.minimax import Evaluate, leaf_value

Noisy = Callable[[State], Sequence[Action]]  # the actions after which a state is not quiet: captures, in chess


def quiescent(game: Game[State, Action], evaluate: Evaluate[State], noisy: Noisy[State, Action]) -> Evaluate[State]:
    """An evaluation that searches on where a state is not quiet. Give it to any search in place of `evaluate`.

    The player to move may stop at any state and accept its evaluation: nobody is forced to capture.
    """

    def value(state: State) -> float:
        standing = leaf_value(game, state, evaluate)
        if game.is_terminal(state):
            return standing
        values = [standing, *(value(game.result(state, action)) for action in noisy(state))]
        return max(values) if game.to_move(state) == MAX else min(values)

    return value
