"""From a click to the engine's answer, at a level that searches for about 0.1 s: one visitor, and twenty."""

from __future__ import annotations

import asyncio
import statistics
from functools import partial

import pytest

from tests.timing import shortest
from tests.ui.serving import Guest, Server, serving, some_move

LEVEL = 2400  # 140,000 nodes: about 0.1 s on one core
MIDDLEGAME = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"  # the opening book does not know it
PAUSE = 0.1  # seconds between two clicks of a visitor, for each visitor: together they keep one core busy


async def click_to_answer(server: Server, visitor: int, visitors: int, clicks: int) -> list[float]:
    """The seconds from each click of one visitor to the engine's answer; visitors click at different moments."""
    async with Guest(server) as guest:
        game = await guest.begin(LEVEL, MIDDLEGAME)
        await asyncio.sleep(1.0)  # the server creates the engine
        await asyncio.sleep(PAUSE * visitor)
        seconds = []
        for number in range(clicks):
            if game["over"] is not None:
                game = await guest.begin(LEVEL, MIDDLEGAME)
            game, elapsed = await guest.move(game, some_move(game, 31 * visitor + number))
            seconds.append(elapsed)
            await asyncio.sleep(PAUSE * visitors)
        return seconds


async def latencies(server: Server, visitors: int, clicks: int) -> list[float]:
    """The seconds from click to answer of all visitors."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(click_to_answer(server, number, visitors, clicks)) for number in range(visitors)]
    return [seconds for task in tasks for seconds in task.result()]


@pytest.mark.parametrize(("visitors", "clicks", "limit"), [
    (1, 10, 0.5), pytest.param(20, 10, 3.0, marks=pytest.mark.slow)])
def test_the_answer_comes_soon_after_the_click(tmp_path, visitors, clicks, limit):
    def median(server: Server) -> float:
        before = server.cpu_seconds
        seconds = asyncio.run(latencies(server, visitors, clicks))
        cpu = (server.cpu_seconds - before) / len(seconds)
        print(f"{visitors} visitors, {len(seconds)} clicks: median {1000 * statistics.median(seconds):.0f} ms, "
              f"95 % within {1000 * statistics.quantiles(seconds, n=20)[-1]:.0f} ms, "
              f"{1000 * cpu:.0f} ms of CPU time per answer")
        assert len(seconds) == visitors * clicks
        return statistics.median(seconds)

    with serving(tmp_path) as server:
        assert shortest(partial(median, server), limit) < limit
        assert server.complaints == ""
