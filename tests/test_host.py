"""What the operating system gives: large memory, and signals while kernels run."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from engine import host
from engine.host import address_of, zeroed_memory


def test_memory_is_zeroed_writable_and_of_the_size_asked_for():
    memory = zeroed_memory(3_000_001)
    assert len(memory) == 3_000_001
    assert not any(memory)
    memory[-1] = 7
    assert memory[3_000_000] == 7


def test_memory_begins_at_a_huge_page():
    assert address_of(zeroed_memory(100)) % (1 << 21) == 0


def test_two_memories_do_not_meet():
    first, second = zeroed_memory(1 << 20), zeroed_memory(1 << 20)
    first[:] = b"\1" * len(first)
    assert not any(second)


@pytest.mark.parametrize("size", [1 << 62, 1 << 80])
def test_memory_that_is_not_there_is_refused(size):
    with pytest.raises(MemoryError):
        zeroed_memory(size)


def test_ctrl_c_reaches_the_main_thread_while_a_kernel_runs():
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    started = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        host.run_interruptible(lambda: time.sleep(5))
    assert time.perf_counter() - started < 2


def test_run_interruptible_hands_on_results_and_errors():
    assert host.run_interruptible(lambda: 42) == 42
    with pytest.raises(ZeroDivisionError):
        host.run_interruptible(lambda: 1 // 0)
