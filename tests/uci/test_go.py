"""One `go` from its arrival to `bestmove`: how long it waits for the player, and what it answers without one."""

from __future__ import annotations

import io
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import chess
import pytest

from engine.player.options import Settings, find_option
from engine.player.player import Player
from engine.player.request import GoRequest
from engine.search.time_management import Budget
from engine.search.types import InfoString, Result
from engine.system.errors import InputError
from engine.uci.go import GoCommand
from engine.uci.output import UciOutput
from engine.uci.protocol import PositionCommand
from tests.timing import PATIENCE

ITALIAN = PositionCommand(None, ("e2e4", "e7e5", "g1f3", "b8c6", "f1c4"))


@dataclass
class Session:
    """A session that a test sets by hand."""

    settings: Settings = field(default_factory=Settings)
    sink: io.StringIO = field(default_factory=io.StringIO)
    loaded: threading.Event = field(default_factory=threading.Event)
    is_compiling: Callable[[], bool] = lambda: False
    player: Any = None
    position_command: PositionCommand = ITALIAN

    def __post_init__(self) -> None:
        self.output = UciOutput(self.sink)

    def load(self, go: Callable[..., Result], hard: float | None = None) -> None:
        """Provide a player that answers by this function and may take `hard` seconds."""
        budget = None if hard is None else Budget(hard, hard)
        self.player = SimpleNamespace(go=go, signal=lambda signals: None, to_uci=lambda line: ("a7a6" for _ in line),
                                      budget=lambda request: budget)
        self.loaded.set()

    def answer(self, pending: GoCommand) -> str:
        """The move that `bestmove` names, at the end of what was printed."""
        pending.join()
        last = self.sink.getvalue().splitlines()[-1]
        assert last.startswith("bestmove ")
        return last.split()[1]


def started(session: Session, **order: Any) -> GoCommand:
    pending = GoCommand(GoRequest(**order), session)
    pending.start()
    return pending


@pytest.mark.parametrize(("hard", "order", "is_thread_used"), [
    (0.01, {"times": (300, 300)}, False), (0.01, {"movetime": 10}, False), (0.5, {"times": (9_000, 9_000)}, True),
    (None, {"depth": 1}, True), (0.01, {"times": (300, 300), "ponder": True}, True)])
def test_an_answer_that_comes_soon_needs_no_thread(hard, order, is_thread_used):
    session, threads = Session(), []

    def answer(*_: object) -> Result:
        threads.append(threading.current_thread())
        return a7a6()

    session.load(answer, hard)
    pending = started(session, **order)
    pending.stop()
    assert session.answer(pending) == "a7a6" and not pending.is_running()
    assert (threads[0] is not threading.current_thread()) == is_thread_used


def is_legal(text: str, position: PositionCommand = ITALIAN) -> bool:
    board = chess.Board()
    for move in position.moves:
        board.push_uci(move)
    return chess.Move.from_uci(text) in board.legal_moves


def a7a6(*_: object) -> Result:
    return Result(1, 0, 1, 1, 0.0, (1,))


@pytest.mark.parametrize("order", [{"depth": 3}, {"movetime": 60_000}, {"infinite": True}])
def test_an_early_stop_waits_for_a_player_that_is_only_being_loaded(order):
    session = Session()
    pending = started(session, **order)
    pending.stop()
    time.sleep(0.1)
    assert pending.is_running()
    session.load(a7a6)
    assert session.answer(pending) == "a7a6"


def test_an_early_stop_does_not_wait_for_the_compiler():
    session = Session(is_compiling=lambda: True)
    pending = started(session, infinite=True)
    time.sleep(0.1)
    assert pending.is_running()
    pending.stop()
    assert is_legal(session.answer(pending))


def test_a_clock_that_runs_out_does_not_wait_for_anything():
    session, begun = Session(), time.perf_counter()
    assert is_legal(session.answer(started(session, movetime=200)))
    assert time.perf_counter() - begun < PATIENCE


def test_a_clock_without_time_is_answered_at_once(monkeypatch):
    deadlines = []

    def note_deadline(board: chess.Board, deadline: float, moves: object) -> tuple[str, None]:
        deadlines.append(deadline)
        return "a7a6", None

    monkeypatch.setattr("engine.uci.fallback.fallback_move", note_deadline)
    session = Session()
    assert is_legal(session.answer(started(session, movetime=0)))
    assert deadlines[0] <= time.perf_counter()


def test_the_time_of_a_fallback_begins_with_the_ponderhit():
    session = Session()
    pending = GoCommand(GoRequest(ponder=True, movetime=1000), session)
    pending.received -= 60
    pending._clock_started -= 60
    assert not pending.must_fall_back()
    pending.ponderhit()
    assert not pending.must_fall_back()


def test_a_player_that_cannot_be_loaded_is_replaced():
    session = Session()
    session.loaded.set()
    assert is_legal(session.answer(started(session, depth=3)))


def test_a_player_that_refused_the_position_is_not_asked():
    session = Session()
    pending = started(session, depth=3)
    session.position_command = PositionCommand()
    session.load(a7a6)
    assert is_legal(session.answer(pending))
    info, answer = session.sink.getvalue().splitlines()  # of the fallback move
    assert answer.startswith("bestmove ") and info.startswith("info depth ") and info.split()[-1] == answer.split()[1]


@pytest.mark.parametrize(("error", "line"), [
    (RuntimeError("a bug"), "info string error: RuntimeError('a bug')"),
    (InputError("no memory"), "info string no memory"),
])
def test_a_search_that_fails_leads_to_a_legal_move(error, line):
    session = Session()

    def fail(*_: object) -> Result:
        raise error

    session.load(fail)
    assert is_legal(session.answer(started(session, depth=3)))
    assert session.sink.getvalue().splitlines()[0] == line


@pytest.mark.parametrize(("order", "signal"), [({"infinite": True}, "stop"), ({"ponder": True}, "ponderhit"),
                                               ({"ponder": True}, "stop")])
def test_an_open_ended_answer_is_held_back(order, signal):
    session = Session()
    session.load(a7a6)
    pending = started(session, **order)
    time.sleep(0.1)
    assert pending.is_running() and not session.sink.getvalue()
    getattr(pending, signal)()
    assert session.answer(pending) == "a7a6"


def test_ponderhit_does_not_release_other_answers():
    session = Session()
    session.load(a7a6)
    for order in ({"infinite": True}, {"infinite": True, "ponder": True}):
        pending = started(session, **order)
        pending.ponderhit()
        time.sleep(0.1)
        assert pending.is_running()
        pending.stop()
        pending.join()


def test_reports_are_printed_in_their_order():
    session = Session()

    def go(order: GoRequest, received: float, signals: object, report: Callable[[InfoString], None]) -> Result:
        report(InfoString("book"))
        return a7a6()

    session.load(go)
    session.answer(started(session, depth=1))
    assert re.fullmatch(r"info string book\nbestmove a7a6\n", session.sink.getvalue())


@pytest.mark.parametrize(("own_book", "clock", "writes"),
                         [(False, 30, 1), (False, 60_000, 2), (True, 30, 1), (True, 60_000, 3)])
def test_an_answer_due_at_once_is_written_together_with_its_lines(own_book, clock, writes):
    """Woken by a line, the reader would compete for the processor with the answer."""
    class Sink(io.StringIO):
        """Without a buffer, as `PYTHONUNBUFFERED` makes it: whatever is written goes out at once."""

        written = 0

        def write(self, text: str) -> int:
            Sink.written += 1
            return super().write(text)

    (settings := Settings()).set_value(find_option("OwnBook"), own_book)
    (player := Player(settings)).new_game()
    session = Session(sink=(sink := Sink()), player=player, position_command=PositionCommand(None, ()))
    session.loaded.set()
    started(session, times=(clock, clock), depth=None if own_book else 1).join()
    book_line = r"info string book .*\n" if own_book else ""
    assert re.fullmatch(book_line + r"info depth 1 .*\nbestmove \w+( ponder \w+)?\n", sink.getvalue())
    assert Sink.written == writes
