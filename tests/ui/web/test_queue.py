"""Whose turn it is: first come, first served, and nobody for ever."""

from __future__ import annotations

import asyncio

from engine.ui.web.queue import FairQueue


def test_places_are_given_in_order():
    async def scene():
        turns, order = FairQueue(2, 60), []

        async def visit(name):
            async with turns.lease() as turn:
                order.append((name, turn.slot))
                await asyncio.sleep(0.01)

        await asyncio.gather(*(visit(name) for name in "abcde"))
        return order

    order = asyncio.run(scene())
    assert [name for name, _ in order] == list("abcde")
    assert {place for _, place in order} == {0, 1}


def test_whoever_stays_long_is_asked_to_leave_only_if_somebody_waits():
    async def scene():
        turns = FairQueue(1, 0.02)
        async with turns.lease() as turn:
            await asyncio.sleep(0.05)
            before = turn.preempted.is_set()
            waiting = asyncio.create_task(anext(aiter(_entered(turns))))
            await asyncio.wait_for(turn.preempted.wait(), 1)
        await waiting
        return before

    assert asyncio.run(scene()) is False


async def _entered(turns):
    async with turns.lease() as turn:
        yield turn


def test_whoever_gives_up_waiting_leaves_the_place_to_others():
    async def scene():
        turns = FairQueue(1, 60)
        async with turns.lease():
            given_up = asyncio.create_task(anext(aiter(_entered(turns))))
            await asyncio.sleep(0)
            given_up.cancel()
            await asyncio.gather(given_up, return_exceptions=True)
            assert turns.waiting == 0
        async with asyncio.timeout(1), turns.lease() as turn:
            return turn.slot

    assert asyncio.run(scene()) == 0
