"""Many visitors at once: none is stuck, moves are answered fast, memory stays small; a search ends with its visit."""

from __future__ import annotations

import asyncio
import statistics
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.timing import shortest, wait_until
from tests.ui.serving import Guest, Server, serving, some_move

LOWEST = 400
START: dict[str, Any] = {"start": None, "chess960": False, "moves": []}
PGN = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1-0"


@dataclass
class Tally:
    """What the visitors saw."""

    answers: list[float] = field(default_factory=list)  # seconds from a move to the engine's answer
    lines: int = 0
    annotated: int = 0
    watched: int = 0
    most_megabytes: float = 0.0
    cpu_seconds: float = 0.0


async def play(server: Server, tally: Tally, moves: int, number: int) -> None:
    async with Guest(server) as guest:
        game = await guest.begin(LOWEST)
        for count in range(moves):
            if game["over"] is not None:
                game = await guest.begin(LOWEST)
            game, seconds = await guest.move(game, some_move(game, 31 * number + count))
            tally.answers.append(seconds)
            await asyncio.sleep(0.2)  # a person pauses


async def analyse(server: Server, tally: Tally, seconds: float) -> None:
    async with Guest(server) as guest:
        await guest.send("analyse", **START, multipv=2)
        end = time.monotonic() + seconds
        await guest.receive("lines")
        tally.lines += 1
        while time.monotonic() < end:
            try:
                await asyncio.wait_for(guest.receive("lines"), 3)
                tally.lines += 1
            except TimeoutError:
                continue


async def annotate(server: Server, tally: Tally) -> None:
    async with Guest(server) as guest:
        await guest.send("annotate", pgn=PGN, movetime=50)
        await guest.receive("annotated")
        tally.annotated += 1


async def watch(server: Server, tally: Tally) -> None:
    async with Guest(server) as guest:
        await guest.send("watch", **START, modes=["alphabeta", "mcts", "uct", "minimax", "expectimax"], movetime=1000)
        done = 0
        while done < 5:
            done += (await guest.receive("watched"))["done"]
        tally.watched += 1


async def crowd(server: Server, tally: Tally, players: int, others: int, moves: int) -> None:
    """Players, and as many who analyse, annotate and watch; RSS is measured meanwhile."""

    async def look() -> None:
        while True:
            tally.most_megabytes = max(tally.most_megabytes, server.megabytes)
            await asyncio.sleep(0.1)

    looking, before = asyncio.create_task(look()), server.cpu_seconds
    await asyncio.gather(*(play(server, tally, moves, number) for number in range(players)),
                         *(analyse(server, tally, moves) for _ in range(others)),
                         *(annotate(server, tally) for _ in range(others)),
                         *(watch(server, tally) for _ in range(others)))
    looking.cancel()
    tally.cpu_seconds = server.cpu_seconds - before


def summary(tally: Tally) -> str:
    answers = sorted(1000 * seconds for seconds in tally.answers)
    return (f"{len(answers)} moves answered: median {statistics.median(answers):.0f} ms, 95 % within "
            f"{answers[int(0.95 * len(answers))]:.0f} ms, the slowest {answers[-1]:.0f} ms; {tally.lines} times lines, "
            f"{tally.annotated} annotated, {tally.watched} watched; {tally.most_megabytes:.0f} MB at most, "
            f"{tally.cpu_seconds:.1f} s of CPU time")


@pytest.mark.parametrize(("players", "others", "moves"), [
    (4, 1, 4), pytest.param(20, 0, 12, marks=pytest.mark.slow), pytest.param(8, 4, 12, marks=pytest.mark.slow)])
def test_a_crowd_of_visitors(tmp_path, players, others, moves):
    with serving(tmp_path) as server:
        tally = Tally()
        asyncio.run(crowd(server, tally, players, others, moves))
        print(summary(tally))
        assert len(tally.answers) == players * moves and bool(tally.lines) == bool(others)
        assert tally.annotated == tally.watched == others
        assert tally.most_megabytes < 1000
        assert server.complaints == ""


def test_who_leaves_ends_their_search(tmp_path):
    async def scene(server: Server) -> None:
        async with Guest(server) as guest:
            await guest.send("analyse", **START, multipv=1)
            await guest.receive("lines")

    def is_idle(server: Server) -> bool:
        before = server.cpu_seconds
        time.sleep(1.0)
        return server.cpu_seconds - before < 0.3

    with serving(tmp_path) as server:
        asyncio.run(scene(server))
        wait_until(lambda: is_idle(server))


def test_moves_are_answered_fast(tmp_path):
    """Also on a busy machine the median is far below what a person notices."""
    def median() -> float:
        tally = Tally()
        asyncio.run(play(server, tally, 12, 1))
        return statistics.median(tally.answers)

    with serving(tmp_path) as server:
        assert shortest(median, 0.15) < 0.15
