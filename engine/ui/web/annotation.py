"""Games that the page sends: annotate them move by move."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, Self

import chess
import chess.pgn

from engine.analysis.accuracy import Phase, PlayerAccuracy
from engine.analysis.annotation import Annotation, annotate, pgn_text
from engine.analysis.engine import Engine
from engine.analysis.lookup import theory_plies
from engine.analysis.marks import BAD
from engine.analysis.move_verdicts import GameReview
from engine.analysis.pgn_reader import read_games_text
from engine.analysis.results import AnalysisInfo
from engine.analysis.review import DEFAULT_NODES, PositionEval, ReviewCancelledError, SearchEffort, evaluate_board
from engine.analysis.verification import Candidate, VerifiedMove, candidates_of, verify
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
            evals = await self._evaluate_game(game, effort, progress)
            verified = await self._verify_moves(game, evals, effort, progress)
            annotation = await self._pool.run_briefly(partial(annotate, game, GameReview(evals, verified)))
            texts.append(pgn_text(game))
            values.append(_annotation_value(game, annotation))
        await self._send(make_message("annotated", pgn="".join(texts), games=values))

    async def _evaluate_game(self, game: chess.pgn.Game, effort: SearchEffort,
                             progress: JobProgress) -> list[PositionEval]:
        """Evaluate all positions from the last to the first, so that the TT holds what came later in the game."""
        board = game.end().board()
        count = len(board.move_stack) + 1
        evals: list[PositionEval] = []
        async with background_task(progress.send_updates()):
            while len(evals) < count:
                await self._evaluate_slice(board, effort, evals, progress)
        return evals[::-1]

    async def _evaluate_slice(self, board: chess.Board, effort: SearchEffort, evals: list[PositionEval],
                              progress: JobProgress) -> None:
        """Append the evaluations of `board` and the positions before it, until all are done or the job is preempted."""
        loop, job = asyncio.get_running_loop(), Job()

        def work(engine: Engine) -> None:
            while True:
                position_eval = _evaluate_unless_cancelled(job, engine, board, effort)
                if position_eval is None:
                    return
                evals.append(position_eval)
                loop.call_soon_threadsafe(progress.step)
                if not board.move_stack:
                    return
                board.pop()

        await with_engine(self._pool, work, preemptible=job)


    async def _verify_moves(self, game: chess.pgn.Game, evals: Sequence[PositionEval], effort: SearchEffort,
                            progress: JobProgress) -> dict[int, VerifiedMove]:
        """Search the moves that may deserve a mark again, by ply."""
        board, moves = game.board(), list(game.mainline_moves())
        candidates = candidates_of(board, moves, evals, effort, theory_plies(board, moves))
        progress.add(len(candidates))
        verified: dict[int, VerifiedMove] = {}
        async with background_task(progress.send_updates()):
            for candidate in candidates:
                searches = ResumableSearches()
                while (found := await self._verify(candidate, searches)) is None:
                    pass  # preempted
                verified[candidate.ply] = found
                progress.step()
        return verified

    async def _verify(self, candidate: Candidate, searches: ResumableSearches) -> VerifiedMove | None:
        """Verify one move; None if the job was preempted."""
        job = Job()

        def work(engine: Engine) -> VerifiedMove | None:
            try:
                return verify(searches.resumed(engine, job), candidate, job.cancelled.is_set)
            except ReviewCancelledError:
                return None

        return await with_engine(self._pool, work, preemptible=job)


class ResumableSearches:
    """The searches of a verification, which repeats them in the same order when it was preempted.

    Those that were finished are answered from memory, so that even a busy server gets to the end.
    """

    def __init__(self) -> None:
        self._finished: list[list[AnalysisInfo]] = []
        self._next = 0
        self._engine: Engine | None = None
        self._job = Job()

    def resumed(self, engine: Engine, job: Job) -> Self:
        """Start over with this engine, which may be another one than before."""
        self._engine, self._job, self._next = engine, job, 0
        return self

    def clear(self) -> None:
        """Clear the engine's state before the first search."""
        if self._engine is not None and not self._finished:
            self._engine.clear()

    def analyse(self, board: chess.Board, **limits: Any) -> Iterator[AnalysisInfo]:
        """The reports of the next search."""
        assert self._engine is not None
        if self._next == len(self._finished):
            infos = list(self._engine.analyse(board, **limits))
            if self._job.cancelled.is_set():
                raise ReviewCancelledError
            self._finished.append(infos)
        self._next += 1
        yield from self._finished[self._next - 1]


def _effort(message: Message) -> SearchEffort:
    """The effort that the page asks for: by default in nodes, so that the result does not depend on the machine."""
    if message.get("movetime") is not None:
        return SearchEffort(movetime=requests.int_field(message, "movetime", 10, 2000, 100))
    return SearchEffort(nodes=requests.int_field(message, "nodes", 1000, 1_000_000, DEFAULT_NODES))


class JobProgress:
    """The progress of a job over many positions, which it sends at intervals."""

    def __init__(self, send: Send, total: int) -> None:
        self._send, self._total, self._done = send, total, 0
        self._began = time.monotonic()
        self._changed = asyncio.Event()

    def add(self, positions: int) -> None:
        """Expect some more positions."""
        self._total += positions

    def step(self) -> None:
        """Count one more position."""
        self._done += 1
        self._changed.set()

    async def send_updates(self) -> None:
        """Send the progress whenever it has changed."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            left = (time.monotonic() - self._began) / self._done * (self._total - self._done)
            await self._send(make_message("progress", done=self._done, total=self._total, left=round(1000 * left)))
            await asyncio.sleep(_UPDATE_INTERVAL)


def _evaluate_unless_cancelled(job: Job, engine: Engine, board: chess.Board,
                               effort: SearchEffort) -> PositionEval | None:
    """Evaluate a position by a search; None if the job was cancelled."""
    if job.cancelled.is_set():
        return None
    try:
        position_eval = evaluate_board(engine, board, effort)
    except KeyError:  # stopped before the first line
        position_eval = None
    return None if job.cancelled.is_set() else position_eval


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
    players = {name: _player_value(game.headers.get(name.title(), "?"), accuracy)
               for name, accuracy in (("white", annotation.white), ("black", annotation.black))}
    return {"headers": dict(game.headers), "start": board_fen(start), "chess960": start.chess960, "moves": moves,
            "players": players}


def _player_value(name: str, accuracy: PlayerAccuracy) -> dict[str, Any]:
    phases = {phase.value: accuracy.phase_accuracy(phase) for phase in Phase}
    return {"name": name, "accuracy": round(accuracy.accuracy, 1), "loss": round(accuracy.average_loss),
            "phases": {phase: None if found is None else round(found, 1) for phase, found in phases.items()},
            "rating": None if accuracy.rating_range is None else list(accuracy.rating_range),
            "marks": {mark.text: accuracy.of(mark) for mark in BAD}}
