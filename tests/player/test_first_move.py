"""The first move of a level, in a new process: it must not take noticeable time to prepare what levels need."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.timing import TRIES

IMPORT = "import time; began = time.process_time(); import numba; print(time.process_time() - began)"  # half a second
SCRIPT = """
import sys, time
from engine.player.options import Settings, find_option
from engine.player.player import Player
from engine.player.request import GoRequest, SearchSignals
from engine.search.types import no_report

def move():
    player.new_game()
    player.get_ready()
    player.set_position(None, sys.argv[2:])
    began = time.process_time()
    result = player.go(GoRequest(times=(600_000, 600_000)), time.perf_counter(), SearchSignals(), no_report)
    assert result.move in player.game.legal_moves()
    return time.process_time() - began

settings = Settings()
player = Player(settings)
player.load()
began = time.process_time()
for name, value in (("UCI_Elo", sys.argv[1]), ("LevelBook", "false"), ("UCI_LimitStrength", "true")):
    option = find_option(name)
    settings.set(option, value)
    player.apply(option)
move()
first = time.process_time() - began
print(first - move())
"""


def _cpu_seconds(script: str, *arguments: str) -> float:
    """What a new process prints: the CPU time of what matters in it."""
    return float(subprocess.run([sys.executable, "-c", script, *arguments], check=True, capture_output=True, text=True,
                                timeout=120).stdout)


@pytest.mark.parametrize("level", [400, 1200, 2000, 2800])
def test_the_first_move_of_a_level_takes_no_longer_than_importing_numba(level):
    """What the first move costs more than the second, which only searches; out of book, in an Italian game.

    The first process may have to compile.
    """
    words = [str(level), *"e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d3 d7d6".split()]
    ratios = []
    while len(ratios) < TRIES and (not ratios or min(ratios) > 1):
        ratios.append(_cpu_seconds(SCRIPT, *words) / _cpu_seconds(IMPORT))
    assert min(ratios) <= 1
