"""The kinds of search in this package, made according to the settings."""

from __future__ import annotations

from typing import Protocol

from engine.expectimax.opponent import USUAL_RATING, rating_told, temperature_of
from engine.expectimax.randommover import RandomMover
from engine.expectimax.searcher import Expectimax

_UNKNOWN = -1  # as the option's value: go by the rating that the GUI sends


class Wishes(Protocol):
    """The settings that expectimax reads."""

    @property
    def opponent_elo(self) -> int: ...
    @property
    def uci_opponent(self) -> str: ...


def expectimax(wishes: Wishes, megabytes: int) -> Expectimax:
    """Expectimax against an opponent of the assumed strength."""
    search = Expectimax()
    search.set_opponent(temperature_of(opponent_rating(wishes)))
    return search


def opponent_rating(wishes: Wishes) -> int:
    """The assumed strength of the opponent: from the option, from what the GUI sent, or a usual one."""
    if wishes.opponent_elo != _UNKNOWN:
        return wishes.opponent_elo
    told = rating_told(wishes.uci_opponent)
    return USUAL_RATING if told is None else told


def random_mover(wishes: Wishes, megabytes: int) -> RandomMover:
    """A player that moves at random."""
    return RandomMover()
