"""One session: a WebSocket, the requests that the page sends over it, and the jobs that answer them."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from engine.system.errors import InputError, quote
from engine.ui.autosave import saved_games
from engine.ui.web import requests
from engine.ui.web.analysis import AnalysisSession, explore, parse_openings
from engine.ui.web.annotation import LIMITS, AnnotateSession
from engine.ui.web.coach import CoachSession
from engine.ui.web.engine_pool import EnginePool
from engine.ui.web.play import ADVICE, LEVELS, PlaySession, Work, level_descriptions
from engine.ui.web.practice import PracticeSession
from engine.ui.web.questions import QuestionSession
from engine.ui.web.repertoire import RepertoireSession
from engine.ui.web.report import ReportSession
from engine.ui.web.requests import LONGEST_MESSAGE, Message
from engine.ui.web.responses import Value, game_opening_json, make_message, position_json
from engine.ui.web.security import RateLimiter
from engine.ui.web.training import PuzzleSession
from engine.ui.web.trees import TreeSession
from engine.ui.web.watch import WATCHED_MODES, WatchSession
from engine.version import VERSION

_RATE, _BURST = 30.0, 100.0  # requests per second: more are delayed
_MOST_UNANSWERED = 1000  # requests of one page
_POLICY_VIOLATION = 1008  # WebSocket close code
_MOST_SAVED = 20_000_000  # bytes of saved games that are sent
_SEND_SECONDS = 20.0  # that a page may take to receive a message

_request_number: ContextVar[int | None] = ContextVar("request_number", default=None)  # of the current request

Handler = Callable[[Message], Awaitable[None]]


class Session:
    """A session. It reads requests one after the other, and answers the long ones in background jobs."""

    def __init__(self, socket: WebSocket, pool: EnginePool) -> None:
        self._socket, self._pool = socket, pool
        self.last_request_time = time.monotonic()  # when the latest request arrived
        self._rate_limiter = RateLimiter(_RATE, _BURST)
        self._unanswered: asyncio.Queue[str] = asyncio.Queue()
        self._unanswered_size = 0  # characters
        self._play = PlaySession(pool, self.send, self)
        self._analysis = AnalysisSession(pool, self.send)
        annotating, watching = AnnotateSession(pool, self.send), WatchSession(pool, self.send)
        trees, repertoires = TreeSession(pool, self.send), RepertoireSession(pool, self.send)
        self._jobs: dict[str, asyncio.Task[None]] = {}
        self._analyses: dict[str, Handler] = {  # each runs as a job until it ends or the page sends `stop`
            "analyse": self._analysis.analyse,
            "annotate": annotating.annotate,
            "watch": watching.watch,
            "tree": watching.tree,
            "judge": PracticeSession(pool, self.send).judge,
            "explain": CoachSession(pool, self.send).explain,
        }
        self._handlers: dict[str, Handler] = {
            "hello": self._hello,
            "new": self._play.begin,
            "restore": self._play.restore,
            "game": lambda _: self._play.send_game(),
            "move": self._play.move,
            "takeback": lambda _: self._play.take_back(),
            "resign": lambda _: self._play.resign(),
            "draw": self._offer_draw,
            "hint": self._hint,
            "position": self._position,
            "explore": self._explore,
            "openings": self._openings,
            "games": self._saved_games,
            "learn": repertoires.learn,
            "recall": repertoires.recall,
            "reply": repertoires.reply,
            "prompt": repertoires.prompt,
            "report": self._as_job("report", ReportSession(pool, self.send).report),
            "question": QuestionSession(self.send).question,
            "steps": trees.steps,
            "treequestion": trees.question,
            "stop": self._stop,
            "train": self._as_job("train", PuzzleSession(pool, self.send).train),
            **{name: self._as_job(name, analysis) for name, analysis in self._analyses.items()},
        }

    async def run(self) -> None:
        """Answer requests until the page disconnects; those that it sent and that are not answered yet are dropped."""
        tasks = [asyncio.create_task(self._receive_requests()), asyncio.create_task(self._answer_requests())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def close(self) -> None:
        """End all jobs; their threads have ended when this returns."""
        await self._pool.run_shielded(self._close())

    async def _close(self) -> None:
        await self.cancel_jobs(*self._jobs)
        await self._play.close()

    async def _receive_requests(self) -> None:
        """Keep what the page sends until it can be answered; returns when it disconnects or sends far too much.

        The page is read from all the time: otherwise a session would not notice that its page has gone.
        """
        while (received := await self._socket.receive())["type"] != "websocket.disconnect":
            self.last_request_time = time.monotonic()
            text: str = received.get("text") or ""
            self._unanswered_size += len(text)
            if self._unanswered.qsize() >= _MOST_UNANSWERED or self._unanswered_size > LONGEST_MESSAGE:
                await self.disconnect(_POLICY_VIOLATION)
                return
            self._unanswered.put_nowait(text)

    async def _answer_requests(self) -> None:
        """Answer one request after the other; they are delayed if the page sends too many."""
        with suppress(WebSocketDisconnect):
            while True:
                text = await self._unanswered.get()
                await asyncio.sleep(self._rate_limiter.wait())
                self._unanswered_size -= len(text)
                async with self._guard():
                    _request_number.set(None)  # a text that cannot be parsed has no number
                    name, message = requests.read_message(text)
                    _request_number.set(requests.optional_int_field(message, "request"))
                    await self._handler(name)(message)

    async def disconnect(self, code: int) -> None:
        """Close the connection."""
        with suppress(RuntimeError):  # the page has closed it
            await self._socket.close(code)

    def _handler(self, name: str) -> Handler:
        if name not in self._handlers:
            raise InputError(f"unknown request {quote(name)}")
        return self._handlers[name]

    def _as_job(self, name: str, work: Handler) -> Handler:
        """Return a handler that runs `work` as the job `name`."""
        return lambda message: self.start_job(name, lambda: work(message))

    @asynccontextmanager
    async def _guard(self) -> AsyncIterator[None]:
        """Send errors to the page as one line, so that no error ends the session."""
        try:
            yield
        except InputError as error:
            await self.send(make_message("error", text=str(error)))
        except WebSocketDisconnect:
            raise
        except Exception as error:  # noqa: BLE001  an error in one session must not end the others
            print(f"error: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            await self.send(make_message("error", text="internal server error"))

    async def send(self, value: Value) -> None:
        """Send a message; WebSocketDisconnect if the page does not receive it."""
        if (number := _request_number.get()) is not None:
            value["request"] = number
        if self._socket.application_state is not WebSocketState.CONNECTED:
            raise WebSocketDisconnect
        try:
            async with asyncio.timeout(_SEND_SECONDS):
                await self._socket.send_json(value)
        except (RuntimeError, OSError, TimeoutError) as error:
            raise WebSocketDisconnect from error

    async def start_job(self, name: str, work: Work) -> None:
        """Run `work` in the background, replacing an earlier job of the same name. A job must not restart itself."""
        assert self._jobs.get(name) is not asyncio.current_task()
        while self._is_running(name):  # another task may have started one in the meantime
            await self.cancel_jobs(name)
        self._jobs[name] = asyncio.create_task(self._run_job(work))

    async def _run_job(self, work: Work) -> None:
        with suppress(WebSocketDisconnect):  # `run` gets the same exception
            async with self._guard():
                await work()

    def _is_running(self, name: str) -> bool:
        return name in self._jobs and not self._jobs[name].done()

    async def cancel_jobs(self, *names: str) -> None:
        """Cancel the jobs of these names, except the calling job. Their threads have ended when this returns."""
        tasks = {self._jobs[name] for name in names if self._is_running(name)} - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _stop(self, message: Message) -> None:
        names = tuple(self._analyses)
        await self.cancel_jobs(*((requests.enum_field(message, "job", names),) if "job" in message else names))

    async def _hello(self, _: Message) -> None:
        await self.send(make_message("welcome", version=VERSION, levels=list(LEVELS),
                                     descriptions=level_descriptions(), modes=WATCHED_MODES,
                                     limits=LIMITS, saves_games=self._pool.games_folder is not None,
                                     trains=self._pool.progress_path is not None))

    async def _position(self, message: Message) -> None:
        def answer() -> Value:
            board = requests.parse_board(message)
            return make_message("position", **position_json(board), opening=game_opening_json(board))

        await self.send(await self._pool.run_briefly(answer))

    async def _explore(self, message: Message) -> None:
        board = await self._pool.run_briefly(lambda: requests.parse_board(message))
        await self.send(make_message("explored", **await self._pool.run_briefly(lambda: explore(board))))

    async def _openings(self, message: Message) -> None:
        names = await self._pool.run_briefly(lambda: list(map(game_opening_json, parse_openings(message))))
        await self.send(make_message("openings", openings=names))

    async def _saved_games(self, _: Message) -> None:
        folder = self._pool.games_folder
        if folder is None:
            raise InputError("a server that others can reach does not show its saved games")
        pgn = await self._pool.run_briefly(lambda: saved_games(folder, _MOST_SAVED))
        await self.send(make_message("games", pgn=pgn))

    async def _hint(self, _: Message) -> None:
        game = self._play.game
        if game.is_over or game.turn != self._play.color:
            raise InputError("you can ask for a hint when it is your move")
        await self.start_job(ADVICE, lambda: self._analysis.hint(game.board))

    async def _offer_draw(self, _: Message) -> None:
        game = self._play.game
        if game.is_over or game.turn != self._play.color:
            raise InputError("offer a draw when it is your move")
        await self.start_job(ADVICE, self._decide_draw)

    async def _decide_draw(self) -> None:
        game = self._play.game
        if self._play.is_draw_offered or await self._analysis.wants_draw(game.board):
            await self._play.agree_draw()
            await self.send(make_message("info", text="The engine accepts: the game is drawn."))
        else:
            await self.send(make_message("info", text="The engine declines the draw."))
