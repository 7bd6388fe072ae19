"""Many players and general sums: a tuple of utilities is backed up, and all players maximise their own."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.course.reference.game import CHANCE, Action, Game, HiddenGame, Player, State, UnsuitableGameError
from engine.course.reference.requirements import legal, misfit, odds

Utilities = tuple[float, ...]  # one for each player, in order


def utilities(game: Game[State, Action], state: State, players: Sequence[Player],
              table: dict[State, Utilities] | None = None) -> Utilities:
    """What the game is worth to each of `players`. With a table no state is visited twice (states must be hashable)."""
    if table is not None and state in table:
        return table[state]
    if game.is_terminal(state):
        found = tuple(game.utility(state, player) for player in players)
    else:
        actions = legal(game, state)
        below = [utilities(game, game.result(state, action), players, table) for action in actions]
        if game.to_move(state) == CHANCE:
            chances = odds(game, state)
            found = tuple(math.fsum(chance * values[seat] for chance, values in zip(chances, below, strict=True))
                          for seat in range(len(players)))
        else:
            mover = _seat(game, state, players)
            found = max(below, key=lambda values: values[mover])
    if table is not None:
        table[state] = found
    return found


def choose(game: Game[State, Action], state: State, players: Sequence[Player],
           table: dict[State, Utilities] | None = None) -> Action:
    """The action that is best for the player to move; the first if there are several."""
    mover = _seat(game, state, players)

    def worth(action: Action) -> float:
        return utilities(game, game.result(state, action), players, table)[mover]

    return max(game.actions(state), key=worth)


def _seat(game: Game[State, Action], state: State, players: Sequence[Player]) -> int:
    """Which of the players moves."""
    player = game.to_move(state)
    if isinstance(game, HiddenGame):
        raise UnsuitableGameError(misfit("hidden", "max^n"))
    if player not in players:
        raise UnsuitableGameError(f"player {player} moves, who is none of {', '.join(map(str, players))}")
    return players.index(player)
