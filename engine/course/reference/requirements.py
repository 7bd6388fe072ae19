"""What an algorithm requires of a game, and the one line that says where a game does not meet it.

The algorithms ask here whose turn it is and how likely each event is. A game that they are not made for ends in an
UnsuitableGameError, where they would otherwise return a wrong number without a word.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.course.reference.game import CHANCE, MAX, MIN, Action, Game, HiddenGame, Player, State, UnsuitableGameError

_SAME = 1e-9  # sums that differ by less are equal
_LONGEST = 60  # characters of a state in a message

# What an algorithm may meet that it is not made for, and who is. `check` prints the same lines.
MISFITS = {
    "chance": "chance moves in this game, and {name} knows only MAX and MIN: take expectiminimax, max^n or UCT",
    "players": "player 2 moves in this game, and {name} is for two players, 0 and 1: take max^n",
    "hidden": "this game hides something, and {name} would look at it: take CFR, or play face_up(game)",
    "sum": "MIN does not lose here what MAX wins, as {name} assumes: take max^n, where all maximise their own",
}

KEYLESS = "its states cannot be the keys of a table: make them tuples or frozen dataclasses"


def misfit(problem: str, name: str) -> str:
    """Why the algorithm of that name does not fit a game."""
    return MISFITS[problem].format(name=name)


def shown(value: object) -> str:
    """A state or an action in a message: on one line, truncated if it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def player_to_move(game: Game[State, Action], state: State, name: str) -> Player:
    """MAX or MIN; UnsuitableGameError, with the algorithm's name, if another player moves or something is hidden."""
    player = game.to_move(state)
    if player == CHANCE:
        raise UnsuitableGameError(misfit("chance", name))
    return check_player(game, player, name)


def check_player(game: Game[State, Action], player: Player, name: str) -> Player:
    """The player, who is MAX, MIN or chance and sees everything; UnsuitableGameError if not."""
    check_seat(player, name)
    if isinstance(game, HiddenGame):
        raise UnsuitableGameError(misfit("hidden", name))
    return player


def check_seat(player: Player, name: str) -> Player:
    """The player, who is MAX, MIN or chance; UnsuitableGameError if it is a third one."""
    if player not in {MAX, MIN, CHANCE}:
        raise UnsuitableGameError(misfit("players", name).replace("player 2", f"player {player}"))
    return player


def as_key(state: State) -> State:
    """The state, which can be the key of a table; UnsuitableGameError if not."""
    try:
        hash(state)
    except TypeError as error:
        raise UnsuitableGameError(KEYLESS) from error
    return state


def legal(game: Game[State, Action], state: State) -> Sequence[Action]:
    """The actions in a state that is not terminal; UnsuitableGameError if there are none."""
    actions = game.actions(state)
    if not actions:
        raise UnsuitableGameError(f"no actions in {shown(state)}, though is_terminal says that the game goes on")
    return actions


def odds(game: Game[State, Action], state: State) -> list[float]:
    """The probability of each event at a chance node, in the order of the actions; they add up to 1."""
    found = [game.probability(state, action) for action in legal(game, state)]
    check_odds(found, state)
    return found


def check_odds(chances: Sequence[float], state: object = None) -> None:
    """Raise UnsuitableGameError unless these are the probabilities of all that can happen."""
    are_probabilities, total = all(0 <= chance <= 1 for chance in chances), math.fsum(chances)
    if are_probabilities and abs(total - 1) <= _SAME:
        return
    where = "" if state is None else f" in {shown(state)}"
    if not are_probabilities:
        worst = max(chances, key=lambda chance: abs(chance - 0.5))
        raise UnsuitableGameError(f"{worst:g} is not a probability{where}")
    listed = ", ".join(f"{chance:.4g}" for chance in chances)
    raise UnsuitableGameError(f"the odds {listed}{where} add up to {total:.4g}, not to 1")


class Wrapped(Game[State, Action]):
    """The same game; a subclass changes what it has to, such as the order of the actions. No secrets are kept."""

    def __init__(self, game: Game[State, Action]) -> None:
        self.game = game

    def initial(self) -> State:
        return self.game.initial()

    def to_move(self, state: State) -> Player:
        return self.game.to_move(state)

    def actions(self, state: State) -> Sequence[Action]:
        return self.game.actions(state)

    def result(self, state: State, action: Action) -> State:
        return self.game.result(state, action)

    def is_terminal(self, state: State) -> bool:
        return self.game.is_terminal(state)

    def utility(self, state: State, player: Player) -> float:
        return self.game.utility(state, player)

    def probability(self, state: State, action: Action) -> float:
        return self.game.probability(state, action)


def face_up(game: Game[State, Action]) -> Game[State, Action]:
    """The game as if the cards lay on the table: not the same game, since all players then see what was hidden."""
    return Wrapped(game)
