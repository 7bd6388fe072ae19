"""Searches of the Python interface end when they are left, stopped or closed, however early that is."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import chess
import pytest

import engine

TOO_LONG = 60_000  # milliseconds of a search that only another thread ends
_PATIENCE = 20.0  # seconds for a search to end on a busy machine


@pytest.fixture(scope="module")
def adversary():
    with engine.Engine(hash=1) as made:
        yield made


@pytest.mark.parametrize("step", ["set_position", "budget", "go"])
@pytest.mark.parametrize("end", ["stop", "close"])
def test_a_search_that_is_just_starting_is_ended(end, step, monkeypatch):
    with engine.Engine(hash=1) as made:
        is_starting, method = threading.Event(), getattr(made._player, step)

        def delayed(*arguments: object) -> object:
            is_starting.set()
            time.sleep(0.05)  # in which the other thread ends the search
            return method(*arguments)

        monkeypatch.setattr(made._player, step, delayed)
        with ThreadPoolExecutor(1) as executor:
            answer = executor.submit(made.play, chess.Board(), movetime=TOO_LONG)
            assert is_starting.wait(_PATIENCE)
            getattr(made, end)()
            assert answer.result(timeout=_PATIENCE).move in chess.Board().legal_moves


def test_a_closed_engine_starts_no_search():
    made = engine.Engine(hash=1)
    infos = made.analyse(chess.Board())
    made.close()
    with pytest.raises(ValueError, match="the engine is closed"):
        next(infos)


def test_closing_while_positions_are_evaluated_is_safe():
    made, board = engine.Engine(hash=1), chess.Board()

    def evaluate_until_closed() -> str:
        try:
            while True:
                made.evaluate(board)
        except ValueError as error:
            return str(error)

    with ThreadPoolExecutor(2) as executor:
        answers = [executor.submit(evaluate_until_closed) for _ in range(2)]
        time.sleep(0.02)
        made.close()
        assert [answer.result(timeout=_PATIENCE) for answer in answers] == ["the engine is closed"] * 2


def test_an_iteration_is_never_left_out(adversary):
    async def depths() -> list[int]:
        return [info.depth async for info in adversary.analyse_async(chess.Board(), depth=7)]

    adversary.clear()
    assert [info.depth for info in adversary.analyse(chess.Board(), depth=7)] == list(range(1, 8))
    adversary.clear()
    assert asyncio.run(depths()) == list(range(1, 8))


def test_with_several_lines_every_iteration_has_each(adversary):
    numbers = [(info.depth, info.number) for info in adversary.analyse(chess.Board(), depth=4, multipv=3)]
    assert numbers == [(depth, number) for depth in range(1, 5) for number in range(1, 4)]


async def leave_at(adversary: engine.Engine, depth: int) -> None:
    async for info in adversary.analyse_async(chess.Board()):
        if info.depth >= depth:
            break


def test_the_engine_is_free_as_soon_as_an_analysis_is_left(adversary):
    async def leave_and_play() -> chess.Move | None:
        for depth in (1, 5):
            await leave_at(adversary, depth)
            played = await adversary.play_async(chess.Board(), depth=2)
        async for info in adversary.analyse_async(chess.Board()):
            assert info.depth
            break
        return played.move

    assert asyncio.run(leave_and_play()) in chess.Board().legal_moves


def test_an_exception_in_the_loop_stops_the_analysis(adversary):
    async def fail() -> None:
        async for _ in adversary.analyse_async(chess.Board()):
            raise KeyError("of the caller")

    async def fail_and_play() -> chess.Move | None:
        with pytest.raises(KeyError, match="of the caller"):
            await fail()
        return (await adversary.play_async(chess.Board(), depth=2)).move

    assert asyncio.run(fail_and_play()) in chess.Board().legal_moves


def test_a_cancelled_task_stops_its_search(adversary):
    async def cancel() -> None:
        for endless in (adversary.play_async(chess.Board(), movetime=TOO_LONG), leave_at(adversary, 200)):
            task = asyncio.create_task(endless)
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await adversary.play_async(chess.Board(), depth=2)).move is not None

    asyncio.run(cancel())


def test_an_analysis_that_is_kept_can_be_closed(adversary):
    async def close() -> None:
        infos = adversary.analyse_async(chess.Board())
        assert (await anext(infos)).depth >= 1
        with pytest.raises(RuntimeError, match="busy"):
            await adversary.play_async(chess.Board(), depth=1)
        await infos.aclose()
        assert (await adversary.play_async(chess.Board(), depth=1)).move is not None
        with pytest.raises(StopAsyncIteration):
            await anext(infos)

    asyncio.run(close())


def test_an_analysis_that_is_never_begun_leaves_nothing(adversary):
    adversary.analyse_async(chess.Board())
    unused = adversary.analyse(chess.Board())
    assert adversary.play(chess.Board(), depth=1).move is not None
    del unused
    gc.collect()


def test_an_error_leaves_the_engine_free(adversary):
    async def fail() -> None:
        with pytest.raises(ValueError, match="not a legal move"):
            await anext(adversary.analyse_async(chess.Board(), moves=["e5"]))

    asyncio.run(fail())
    with pytest.raises(ValueError, match="king"):
        adversary.play(chess.Board(None), depth=1)
    assert adversary.play(chess.Board(), depth=1).move is not None
