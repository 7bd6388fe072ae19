"""The lines of a search for coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, ExitStack

from engine.analysis.results import AnalysisInfo
from engine.analysis.running_search import RunningSearch
from engine.player.player import Player
from engine.search.types import Info


class AsyncAnalysis(AsyncIterator[AnalysisInfo]):
    """Yields the lines of a search, which starts with the first and ends with `aclose` or when this is dropped.

    `async for` drops its iterator when it is left, whereas a generator would be closed by a later task of the event
    loop, with the engine still busy until then.
    """

    def __init__(self, analysing: AbstractContextManager[RunningSearch],
                 to_info: Callable[[Player, Info], AnalysisInfo]) -> None:
        self._analysing, self._to_info = analysing, to_info
        self._search: RunningSearch | None = None
        self._context = ExitStack()
        self._is_closed = False

    async def __anext__(self) -> AnalysisInfo:
        if self._is_closed:
            raise StopAsyncIteration
        try:
            if self._search is None:
                self._search = self._context.enter_context(self._analysing)
            info = await asyncio.to_thread(self._search.next_info)
        except BaseException:  # a cancelled task, too
            self._close()
            raise
        if info is None:
            self._close()
            raise StopAsyncIteration
        return self._to_info(self._search.player, info)

    async def aclose(self) -> None:
        """Stop the search; it has ended when this returns."""
        self._close()

    def _close(self) -> None:
        self._is_closed = True
        self._context.close()

    def __del__(self) -> None:
        self._close()
