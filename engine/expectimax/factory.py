"""The kinds of search in this package, made according to the settings."""

from __future__ import annotations

from typing import Protocol

from engine.expectimax.opponent import DEFAULT_RATING, rating_from_uci_opponent, temperature_of
from engine.expectimax.searcher import ExpectimaxSearch, RandomMover

_UNKNOWN = -1  # as the option's value: go by the rating that the GUI sends


class ExpectimaxOptions(Protocol):
    """The settings that expectimax reads."""

    @property
    def opponent_elo(self) -> int: ...
    @property
    def uci_opponent(self) -> str: ...


def expectimax(wishes: ExpectimaxOptions, megabytes: int) -> ExpectimaxSearch:
    """Expectimax against an opponent of the assumed strength."""
    search = ExpectimaxSearch()
    search.set_opponent(temperature_of(opponent_rating(wishes)))
    return search


def opponent_rating(wishes: ExpectimaxOptions) -> int:
    """The assumed strength of the opponent: from the option, from what the GUI sent, or a usual one."""
    if wishes.opponent_elo != _UNKNOWN:
        return wishes.opponent_elo
    told = rating_from_uci_opponent(wishes.uci_opponent)
    return DEFAULT_RATING if told is None else told


def random_mover(wishes: ExpectimaxOptions, megabytes: int) -> RandomMover:
    """A player that moves at random."""
    return RandomMover()
