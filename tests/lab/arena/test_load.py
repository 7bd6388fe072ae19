"""Losses on time beside busy processes; `python -m tests.lab.arena.load` plays longer matches."""

from __future__ import annotations

import shutil
import sys

import pytest

from engine.__main__ import main as adversary
from engine.kernel import SOURCE_ROOT
from tests.lab.arena.load import losses_on_time

OWN = f"cmd:env -C {SOURCE_ROOT} {sys.executable} -m engine"
STOCKFISH = shutil.which("stockfish", path="/usr/games:/usr/bin:/usr/local/bin")


@pytest.fixture(scope="module", autouse=True)
def compiled_kernels():
    """Games that compile beside eight busy processes would be lost by that alone."""
    assert adversary(["warmup"]) == 0


@pytest.mark.slow
@pytest.mark.skipif(STOCKFISH is None, reason="needs Stockfish")
@pytest.mark.parametrize("control", ["0.5+0.01", "1+0.01", "2+0.02"])
def test_hardly_a_game_is_lost_on_time_beside_eight_busy_processes(control):
    games, own, theirs = losses_on_time(OWN, f"cmd:{STOCKFISH}", 8, "--tc", control, "--games", "16", "--option",
                                        "Move Overhead=20")
    assert games == 16 and own <= max(1, theirs), (own, theirs)
