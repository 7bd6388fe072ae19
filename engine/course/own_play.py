"""A game of the course, or of one's own, in the terminal: against an algorithm, or between two of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from engine.course.players import Chooser, play_out
from engine.course.reference.game import CHANCE, Game, HiddenGame
from engine.course.reference.uct import roll

Ask = Callable[[str], str]
_SIDES = ("MAX", "MIN")


def side(player: int, seats: int = 2) -> str:
    """What a player is called in a game of so many: MAX and MIN, or by the number that the game's rules give."""
    return _SIDES[player] if seats <= len(_SIDES) else f"player {player}"


def play_with(game: Game[Any, Any], person: int, chooser: Chooser, ask: Ask, chance: random.Random,
              seats: int = 2) -> float | None:
    """Play one game; returns the person's utility, or None if the input ends. Events and moves are printed."""
    state = game.initial()
    while not game.is_terminal(state):
        player = game.to_move(state)
        if player == CHANCE:
            action = roll(game, state, chance)
            if not isinstance(game, HiddenGame):
                print(f"chance: {action}")
        elif player == person:
            _show(game, state)
            try:
                action = _asked(game, state, ask)
            except EOFError:
                print("\nThe game ends here.")
                return None
        else:
            action = chooser(state)
            print(f"{side(player, seats)} plays {'' if isinstance(game, HiddenGame) else action}".rstrip())
        state = game.result(state, action)
    _show(game, state)
    won = game.utility(state, person)
    print(f"The game is over: you get {won:g}.")
    return won


def _show(game: Game[Any, Any], state: Any) -> None:
    """What the player to move may see."""
    if isinstance(game, HiddenGame) and not game.is_terminal(state):
        print(f"you see {game.view(state)}")
    else:
        print(getattr(game, "text", str)(state))


def _asked(game: Game[Any, Any], state: Any, ask: Ask) -> Any:
    """The action that the person types: its name, or its number in the list where names are long."""
    actions = list(game.actions(state))
    names = {str(action): action for action in actions}
    is_short = all(isinstance(action, (int, str)) for action in actions) and len(names) == len(actions)
    if not is_short:
        names = {str(number): action for number, action in enumerate(actions, 1)}
        for number, action in names.items():
            print(f"  {number}: {action}")
    listed = ", ".join(names) if is_short else f"1 to {len(names)}"
    while True:
        typed = ask(f"Your move ({listed}): ").strip()
        if typed in names:
            return names[typed]
        print(f"not a move: {typed[:40]!r}; {'one of ' if is_short else ''}{listed}")


def meet(game: Game[Any, Any], choosers: tuple[Chooser, Chooser], games: int,
         chance: random.Random) -> Mapping[str, float]:
    """Games between two, each beginning every other one: points of the first, with 1 for a win and ½ for a draw."""
    points, wins, draws = 0.0, 0, 0
    for number in range(games):
        seat = number % 2
        state = play_out(game, {seat: choosers[0], 1 - seat: choosers[1]}, chance)
        ours, theirs = game.utility(state, seat), game.utility(state, 1 - seat)
        wins, draws = wins + (ours > theirs), draws + (ours == theirs)
        points += 1.0 if ours > theirs else 0.5 if ours == theirs else 0.0
    return {"points": points, "wins": wins, "draws": draws, "losses": games - wins - draws}
