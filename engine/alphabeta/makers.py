"""The kinds of search in this package, made according to the settings."""

from __future__ import annotations

from typing import Protocol

from engine.alphabeta.params import without_techniques
from engine.alphabeta.searcher import DeepeningSearch, Searcher


class Wishes(Protocol):
    """The settings that alpha-beta reads."""

    @property
    def threads(self) -> int: ...


def alphabeta(wishes: Wishes, megabytes: int) -> Searcher:
    """The full search."""
    return Searcher(megabytes, wishes.threads)


def minimax(wishes: Wishes, megabytes: int) -> DeepeningSearch:
    """Plain minimax with iterative deepening. It has no transposition table, so it needs no memory."""
    return DeepeningSearch(params=without_techniques())
