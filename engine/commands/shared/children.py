"""Programs that a command starts and waits for, and that end with it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

from engine.commands.shared.interruption import check_interruption, stop_on_interrupt


def run_child(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, and return what it said. InterruptionError if the user ends it first."""
    with subprocess.Popen(command, env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        with stop_on_interrupt(process.kill):
            out, complaints = process.communicate()
        check_interruption()
        return subprocess.CompletedProcess(command, process.returncode, out, complaints)
