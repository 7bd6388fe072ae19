"""Creates the searches of this package from the settings."""

from __future__ import annotations

from typing import Protocol

from engine.alphabeta.params import minimax_params
from engine.alphabeta.searcher import AlphaBetaSearch, IterativeSearch


class AlphaBetaOptions(Protocol):
    """The settings that alpha-beta reads."""

    @property
    def threads(self) -> int: ...


def alphabeta(options: AlphaBetaOptions, megabytes: int) -> AlphaBetaSearch:
    """The full search."""
    return AlphaBetaSearch(megabytes, options.threads)


def minimax(options: AlphaBetaOptions, megabytes: int) -> IterativeSearch:
    """Plain minimax with iterative deepening. It has no transposition table, so it needs no memory."""
    return IterativeSearch(params=minimax_params())
