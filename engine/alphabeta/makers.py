"""The kinds of search that this room offers, made as the settings wish."""

from __future__ import annotations

from typing import Protocol

from engine.alphabeta.params import without_techniques
from engine.alphabeta.searcher import DeepeningSearch, Searcher


class Wishes(Protocol):
    """What alpha-beta reads of the settings."""

    @property
    def threads(self) -> int: ...


def alphabeta(wishes: Wishes, megabytes: int) -> Searcher:
    """The full search."""
    return Searcher(megabytes, wishes.threads)


def minimax(wishes: Wishes, megabytes: int) -> DeepeningSearch:
    """Every move to a fixed depth, deeper and deeper. It remembers nothing, and so the memory would be of no use."""
    return DeepeningSearch(params=without_techniques())
