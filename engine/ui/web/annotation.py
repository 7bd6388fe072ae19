"""Games that the page sends: annotate them, by the same review as the command."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any

import chess
import chess.pgn

from engine.analysis.accuracy import Phase, PlayerAccuracy
from engine.analysis.annotation import Annotation, annotate, pgn_text, player_name
from engine.analysis.engine import Engine
from engine.analysis.marks import BAD
from engine.analysis.pgn_reader import read_games_text
from engine.analysis.results import AnalysisInfo
from engine.analysis.review import DEFAULT_HASH, DEFAULT_NODES, ReviewCancelledError, SearchEffort
from engine.analysis.review_driver import GameReview, ReviewDriver, ReviewTask
from engine.analysis.summary import game_summary
from engine.system.errors import InputError
from engine.ui.web import requests
from engine.ui.web.engine_pool import EnginePool, Job, background_task, with_engine
from engine.ui.web.play import Send
from engine.ui.web.requests import MOST_PLIES, Message
from engine.ui.web.responses import MoveList, Value, board_fen, make_message, numbered, white_score

LIMITS = {"message": requests.LONGEST_MESSAGE, "pgn": 200_000, "games": 20}  # bytes, characters, games to annotate
_UPDATE_INTERVAL = 0.1  # seconds between two messages of the same job


class AnnotateSession:
    """Annotates the games of a session."""

    def __init__(self, pool: EnginePool, send: Send) -> None:
        self._pool, self._send = pool, send

    async def annotate(self, message: Message) -> None:
        """Annotate all games of a PGN text and send them."""
        text = requests.str_field(message, "pgn", LIMITS["pgn"])
        effort = _effort(message)
        games = await self._pool.run_briefly(lambda: _games(text))
        progress = JobProgress(self._send, sum(sum(1 for _ in game.mainline_moves()) + 1 for game in games))
        texts, values = [], []
        for game in games:
            review = await self._review(game, effort, progress)
            annotation = await self._pool.run_briefly(partial(annotate, game, review))
            texts.append(pgn_text(game))
            values.append(_annotation_value(game, annotation))
        await self._send(make_message("annotated", pgn="".join(texts), games=values))

    async def _review(self, game: chess.pgn.Game, effort: SearchEffort, progress: JobProgress) -> GameReview:
        """Run all rounds of a game's review."""
        driver = ReviewDriver(game.board(), list(game.mainline_moves()), effort)
        is_first = True  # whose positions are expected already
        async with background_task(progress.send_updates()):
            while driver.tasks:
                if not is_first:
                    progress.expect(sum(task.positions for task in driver.tasks))
                results = [await self._run(task, progress) for task in driver.tasks]
                await self._pool.run_briefly(partial(driver.advance, results))
                is_first = False
        return driver.review

    async def _run(self, task: ReviewTask, progress: JobProgress) -> Any:
        """Run a task, over again whenever another session has preempted it, until it is finished."""
        loop, done = asyncio.get_running_loop(), progress.done
        searches = ResumableSearches(lambda: loop.call_soon_threadsafe(progress.step, done + task.positions - 1))
        while True:
            job = Job()
            with suppress(ReviewCancelledError):
                reviewed = await with_engine(self._pool, partial(searches.run, task, job), preemptible=job)
                progress.finish(done + task.positions)
                return reviewed


class ResumableSearches:
    """The searches of a task, which repeats them in the same order when it was preempted.

    Those that were finished are answered from memory, so that even a busy server gets to the end.
    """

    def __init__(self, on_finished: Callable[[], object]) -> None:
        """`on_finished` is called after each search that is not repeated."""
        self._on_finished = on_finished
        self._finished: list[Sequence[AnalysisInfo]] = []
        self._next = 0
        self._engine: Engine | None = None
        self._job = Job()

    def run(self, task: ReviewTask, job: Job, engine: Engine) -> Any:
        """Start the task over with this engine, which may be another one than before."""
        self._engine, self._job, self._next = engine, job, 0
        return task.run(self, job.cancelled.is_set)

    def clear(self) -> None:
        """Clear the engine's state before a search that is not repeated."""
        if self._engine is not None and self._next == len(self._finished):
            self._engine.clear()

    def search(self, *arguments: Any) -> Sequence[AnalysisInfo]:
        """The reports of the next search."""
        assert self._engine is not None
        if self._next == len(self._finished):
            infos = self._engine.search(*arguments)
            if self._job.cancelled.is_set():
                raise ReviewCancelledError
            self._finished.append(infos)
            self._on_finished()
        self._next += 1
        return self._finished[self._next - 1]


def _effort(message: Message) -> SearchEffort:
    """The effort that the page asks for: by default in nodes, so that the result does not depend on the machine."""
    movetime = nodes = None
    if message.get("movetime") is not None:
        movetime = requests.int_field(message, "movetime", 10, 2000, 100)
    elif message.get("nodes") is not None:
        nodes = requests.int_field(message, "nodes", 1000, 1_000_000, DEFAULT_NODES)
    return SearchEffort(movetime, nodes, hash=DEFAULT_HASH)


class JobProgress:
    """The progress of a job over many positions, which it sends at intervals."""

    def __init__(self, send: Send, total: int) -> None:
        self._send, self._total, self.done = send, total, 0
        self._began = time.monotonic()
        self._changed = asyncio.Event()

    def expect(self, positions: int) -> None:
        """Expect some more positions."""
        self._total += positions

    def step(self, most: int) -> None:
        """Count one more position, unless that would be more than `most`."""
        if self.done < most:
            self.finish(self.done + 1)

    def finish(self, positions: int) -> None:
        """So many positions are done."""
        self.done = positions
        self._changed.set()

    async def send_updates(self) -> None:
        """Send the progress whenever it has changed."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            left = (time.monotonic() - self._began) / self.done * (self._total - self.done)
            await self._send(make_message("progress", done=self.done, total=self._total, left=round(1000 * left)))
            await asyncio.sleep(_UPDATE_INTERVAL)


def _games(text: str) -> list[chess.pgn.Game]:
    games: list[chess.pgn.Game] = []
    for number, game in read_games_text(text):
        if isinstance(game, str):
            raise InputError(game)
        if number > LIMITS["games"]:
            raise InputError(f"too many games: at most {LIMITS['games']} at a time")
        if sum(1 for _ in game.mainline_moves()) > MOST_PLIES:
            raise InputError(f"game {number} is longer than {MOST_PLIES} plies")
        games.append(game)
    if not games:
        raise InputError("the text contains no game")
    return games


def _annotation_value(game: chess.pgn.Game, annotation: Annotation) -> Value:
    start, played = game.board(), list(game.mainline_moves())
    move_values = MoveList().follow(start, played)
    moves = [{**move, "ply": note.ply, **white_score(note.score), "mark": note.mark, "reason": note.reason,
              "claim": None if note.claim is None else asdict(note.claim),
              "better": numbered(node.parent.board(), note.better) if note.better else None}
             for move, note, node in zip(move_values, annotation.notes, game.mainline(), strict=True)]
    names = {side: player_name(game, side) for side in chess.COLORS}
    players = {chess.COLOR_NAMES[side]: _player_value(names[side], accuracy)
               for side, accuracy in ((chess.WHITE, annotation.white), (chess.BLACK, annotation.black))}
    summary = game_summary(annotation, start, names[chess.WHITE], names[chess.BLACK])
    return {"headers": dict(game.headers), "summary": summary, "start": board_fen(start), "chess960": start.chess960,
            "moves": moves, "players": players}


def _player_value(name: str, accuracy: PlayerAccuracy) -> dict[str, Any]:
    phases = {phase.value: accuracy.phase_accuracy(phase) for phase in Phase}
    return {"name": name, "accuracy": _round_accuracy(accuracy.accuracy), "loss": round(accuracy.average_loss),
            "phases": {phase: _round_accuracy(value) for phase, value in phases.items()},
            "rating": None if accuracy.rating_range is None else list(accuracy.rating_range),
            "marks": {mark.text: accuracy.of(mark) for mark in BAD}}


def _round_accuracy(accuracy: float | None) -> float | None:
    return None if accuracy is None else round(accuracy, 1)
