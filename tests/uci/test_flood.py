"""Hostile lines by the million: none ends the engine, and none leaves anything behind."""

from __future__ import annotations

import random

import psutil
import pytest

from tests.client import Client

WORDS = ("position", "startpos", "fen", "moves", "e2e4", "e7e5", "e9e9", "go", "depth", "nodes", "movetime", "-1", "1",
         "99999999999999999999", "setoption", "name", "value", "MultiPV", "Hash", "Threads", "EvalFile", "~nobody/x",
         "UCI_Chess960", "true", "stop", "ponderhit", "isready", "uci", "ucinewgame", "d", "eval", "flip", "debug",
         "8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "\0", "\x1b[2J", "ä", "(", "x" * 300, "infinite", "perft", "searchmoves")
MOST_GROWTH = 50  # MB
CHUNK = 500  # lines between two waits


def hostile_line(chance: random.Random) -> str:
    """Words that may mean something together; no search that would take long, and no large tables."""
    line = " ".join(chance.choice(WORDS) for _ in range(chance.randrange(1, 7)))
    if "perft" in line or "Hash" in line or "Threads" in line:
        return line.replace("setoption", "setopt").replace("perft", "")
    return line


@pytest.mark.parametrize("lines", [5_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_the_engine_survives_hostile_lines_without_growing(lines):
    chance, client = random.Random(lines), Client()
    client.load()
    client.say("setoption name Hash value 1")  # every `ucinewgame` clears the table
    usage, before = psutil.Process(client.process.pid), 0.0
    for sent in range(0, lines, CHUNK):
        client.say(*(hostile_line(chance) for _ in range(CHUNK)), "stop", f"chunk-{sent}")
        client.until(f"Unknown command: 'chunk-{sent}'")  # `readyok` may be the answer to a hostile line
        if before == 0.0 and sent >= lines // 10:
            before = usage.memory_info().rss / 2**20
    client.ask("ucinewgame", "setoption name UCI_Chess960 value false", "position startpos")
    assert client.best("go depth 4") != "(none)"
    growth, times = usage.memory_info().rss / 2**20 - before, usage.cpu_times()
    print(f"{lines} lines: {times.user + times.system:.0f} s of CPU time, grew by {growth:.1f} MB")
    assert growth < MOST_GROWTH, growth
    assert client.quit() == 0
