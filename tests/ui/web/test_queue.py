"""The fair queue: slots in the order of arrival, and preemption when others wait."""

from __future__ import annotations

import asyncio

from engine.ui.web.queue import FairQueue


def test_slots_are_given_in_the_order_of_arrival():
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


async def _hold(turns):
    async with turns.lease() as turn:
        return turn.place


def test_an_old_lease_is_preempted_only_if_another_session_waits():
    async def scene():
        turns, preempted = FairQueue(1, 0.02), asyncio.Event()
        async with turns.lease(preempted.set):
            await asyncio.sleep(0.05)
            before = preempted.is_set()
            waiting = asyncio.create_task(_hold(turns))
            await asyncio.wait_for(preempted.wait(), 1)
        return before, await waiting

    assert asyncio.run(scene()) == (False, 0)


def test_a_holder_is_told_again_until_it_releases_the_slot():
    async def scene():
        turns, calls = FairQueue(1, 0.01), asyncio.Queue[bool]()
        async with turns.lease(lambda: calls.put_nowait(True)):
            waiting = asyncio.create_task(_hold(turns))
            async with asyncio.timeout(5):
                for _ in range(3):
                    await calls.get()
        await waiting
        await asyncio.sleep(0.1)
        return calls.empty()

    assert asyncio.run(scene())


def test_as_many_leases_are_preempted_as_sessions_wait_the_oldest_first():
    async def scene():
        turns, calls = FairQueue(3, 0.01), set()
        async with (turns.lease(lambda: calls.add("a")), turns.lease(lambda: calls.add("b")),
                    turns.lease(lambda: calls.add("c"))):
            waiting = [asyncio.create_task(_hold(turns)) for _ in range(2)]
            await asyncio.sleep(0.1)
        await asyncio.gather(*waiting)
        return calls

    assert asyncio.run(scene()) == {"a", "b"}


def test_a_session_that_gives_up_preempts_nobody():
    async def scene():
        turns, calls = FairQueue(1, 0.05), []
        async with turns.lease(lambda: calls.append(True)):
            waiting = asyncio.create_task(_hold(turns))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            await asyncio.sleep(0.1)
            assert not calls
            again = asyncio.create_task(_hold(turns))
            await asyncio.sleep(0.05)
            assert calls
        await again

    asyncio.run(scene())


def test_a_session_that_gives_up_leaves_the_slot_to_others():
    async def scene():
        turns = FairQueue(1, 60)
        async with turns.lease():
            given_up = asyncio.create_task(_hold(turns))
            await asyncio.sleep(0)
            given_up.cancel()
            await asyncio.gather(given_up, return_exceptions=True)
            assert turns.waiting == 0
        async with asyncio.timeout(1), turns.lease() as turn:
            return turn.slot

    assert asyncio.run(scene()) == 0
