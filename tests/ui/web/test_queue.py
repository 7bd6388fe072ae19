"""The fair queue: slots in the order of arrival, and preemption when others wait."""

from __future__ import annotations

import asyncio

from engine.ui.web.queue import FairQueue
from tests.timing import PATIENCE, eventually


def test_slots_are_given_in_the_order_of_arrival():
    async def scene():
        queue, order = FairQueue(2, 60), []

        async def visit(name):
            async with queue.lease() as lease:
                order.append((name, lease.slot))
                await asyncio.sleep(0.01)

        await asyncio.gather(*(visit(name) for name in "abcde"))
        return order

    order = asyncio.run(scene())
    assert [name for name, _ in order] == list("abcde")
    assert {slot for _, slot in order} == {0, 1}


async def _hold(queue):
    async with queue.lease() as lease:
        return lease.slot


def test_an_old_lease_is_preempted_only_if_another_session_waits():
    async def scene():
        queue, preempted = FairQueue(1, 0.02), asyncio.Event()
        async with queue.lease(preempted.set):
            await asyncio.sleep(0.05)
            before = preempted.is_set()
            waiting = asyncio.create_task(_hold(queue))
            await asyncio.wait_for(preempted.wait(), PATIENCE)
        return before, await waiting

    assert asyncio.run(scene()) == (False, 0)


def test_a_holder_is_told_again_until_it_releases_the_slot():
    async def scene():
        queue, calls = FairQueue(1, 0.01), asyncio.Queue[bool]()
        async with queue.lease(lambda: calls.put_nowait(True)):
            waiting = asyncio.create_task(_hold(queue))
            async with asyncio.timeout(PATIENCE):
                for _ in range(3):
                    await calls.get()
        await waiting
        await asyncio.sleep(0.1)
        return calls.empty()

    assert asyncio.run(scene())


def test_as_many_leases_are_preempted_as_sessions_wait_the_oldest_first():
    async def scene():
        queue, calls = FairQueue(3, 0.01), set()
        async with (queue.lease(lambda: calls.add("a")), queue.lease(lambda: calls.add("b")),
                    queue.lease(lambda: calls.add("c"))):
            waiting = [asyncio.create_task(_hold(queue)) for _ in range(2)]
            await eventually(lambda: len(calls) >= 2)
            await asyncio.sleep(0.1)  # no other lease follows
        await asyncio.gather(*waiting)
        return calls

    assert asyncio.run(scene()) == {"a", "b"}


def test_a_session_that_gives_up_preempts_nobody():
    async def scene():
        queue, calls = FairQueue(1, 0.05), []
        async with queue.lease(lambda: calls.append(True)):
            waiting = asyncio.create_task(_hold(queue))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            await asyncio.sleep(0.1)
            assert not calls
            again = asyncio.create_task(_hold(queue))
            await eventually(lambda: calls)
        await again

    asyncio.run(scene())


def test_a_session_that_gives_up_leaves_the_slot_to_others():
    async def scene():
        queue = FairQueue(1, 60)
        async with queue.lease():
            given_up = asyncio.create_task(_hold(queue))
            await asyncio.sleep(0)
            given_up.cancel()
            await asyncio.gather(given_up, return_exceptions=True)
            assert queue.waiting == 0
        async with asyncio.timeout(PATIENCE), queue.lease() as lease:
            return lease.slot

    assert asyncio.run(scene()) == 0
