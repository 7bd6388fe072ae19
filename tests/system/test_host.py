"""The operating system: large memory, and signals while kernels run."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from engine.system.host import address_of, has_dot_products, zeroed_memory


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


_ASK_FOR_SHORT_SLICES = """
import os, sys
from pathlib import Path
from engine.system.host import request_short_slices
if "batch" in sys.argv:
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
granted, scheduler = request_short_slices(), Path("/proc/self/sched")
lines = scheduler.read_text().splitlines() if scheduler.exists() else []
slices = [line.split()[-1] for line in lines if line.startswith("se.slice")]
print(granted, os.nice(0), os.sched_getscheduler(0), *slices)
"""


def ask_for_short_slices(*words: str) -> list[str]:
    """(whether they were granted, nice value, policy, length of a slice if Linux tells it) of a process of nice 3."""
    command = ["nice", "-n", "3", sys.executable, "-c", _ASK_FOR_SHORT_SLICES, *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"), reason="Linux only")
def test_short_slices_leave_nice_value_and_policy_as_they_were():
    granted, nice, policy, *slices = ask_for_short_slices()
    assert (nice, policy) == (str(os.nice(0) + 3), str(os.SCHED_OTHER))
    version = tuple(int(number) for number in platform.release().split(".")[:2])
    if version >= (6, 12) and granted == "True" and slices:  # a sandbox may refuse
        assert slices == ["100000"]
    assert ask_for_short_slices("batch")[:3] == ["False", str(os.nice(0) + 3), str(os.SCHED_BATCH)]


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() != "aarch64", reason="Linux tells only about ARM")
def test_dot_products_are_those_that_the_system_lists():
    features = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("Features"))
    assert has_dot_products() == ("asimddp" in features.split())


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only Linux binds a process to processors")
def test_only_processors_that_may_be_used_are_counted():
    code = ("import os; from engine.system.host import usable_cores; "
            "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); print(usable_cores())")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "1\n"
