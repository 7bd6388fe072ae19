"""The kinds of search that this room offers, made as the settings wish."""

from __future__ import annotations

from typing import Protocol

from engine.expectimax.opponent import USUAL_RATING, rating_told, temperature_of
from engine.expectimax.randommover import RandomMover
from engine.expectimax.searcher import Expectimax

_UNKNOWN = -1  # the opponent's rating, where the option leaves it to what the GUI tells


class Wishes(Protocol):
    """What expectimax reads of the settings."""

    @property
    def opponent_elo(self) -> int: ...
    @property
    def uci_opponent(self) -> str: ...


def expectimax(wishes: Wishes, megabytes: int) -> Expectimax:
    """Expectimax against an opponent as strong as this one is thought to be."""
    search = Expectimax()
    search.set_opponent(temperature_of(opponent_rating(wishes)))
    return search


def opponent_rating(wishes: Wishes) -> int:
    """How strong the opponent is thought to be: by the option, by what the GUI tells, or as most are."""
    if wishes.opponent_elo != _UNKNOWN:
        return wishes.opponent_elo
    told = rating_told(wishes.uci_opponent)
    return USUAL_RATING if told is None else told


def random_mover(wishes: Wishes, megabytes: int) -> RandomMover:
    """Somebody who moves without looking."""
    return RandomMover()
