"""Factories of the search modes of this package."""

from __future__ import annotations

from typing import Protocol

from engine.expectimax.opponent import DEFAULT_RATING, rating_from_uci_opponent, temperature_of
from engine.expectimax.searcher import ExpectimaxSearch, RandomMover

_UNKNOWN = -1  # the value of the option that means: use the rating that the GUI sends


class ExpectimaxOptions(Protocol):
    """The settings that expectimax reads."""

    @property
    def opponent_elo(self) -> int: ...
    @property
    def uci_opponent(self) -> str: ...


def expectimax(options: ExpectimaxOptions, megabytes: int) -> ExpectimaxSearch:
    """Expectimax against an opponent of the assumed strength."""
    search = ExpectimaxSearch()
    search.set_opponent(temperature_of(opponent_rating(options)))
    return search


def opponent_rating(options: ExpectimaxOptions) -> int:
    """The rating of the opponent: from OpponentElo, from UCI_Opponent, or the default."""
    if options.opponent_elo != _UNKNOWN:
        return options.opponent_elo
    rating = rating_from_uci_opponent(options.uci_opponent)
    return DEFAULT_RATING if rating is None else rating


def random_mover(options: ExpectimaxOptions, megabytes: int) -> RandomMover:
    """A player that moves at random."""
    return RandomMover()
