"""The public Python interface: an engine that takes python-chess boards and returns plain values."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from types import TracebackType
from typing import NoReturn, Self, overload

import chess
import chess.pgn
import numpy as np

from engine.alphabeta.state import StateRecord, new_state
from engine.analysis.annotation import Annotation, annotate
from engine.analysis.boards import (
    WORDS,
    check_variant,
    evaluate_packed,
    fen_and_moves,
    pack_board,
    record_address,
    to_board,
)
from engine.analysis.explain import Explanation, explain_board
from engine.analysis.move_verdicts import review_game
from engine.analysis.results import AnalysisInfo, PlayResult, Score, drawn_score, mated_score, to_score
from engine.analysis.review import SearchEffort
from engine.core.position import empty_position
from engine.player.options import Settings, find_option
from engine.player.player import Player, parse_legal_moves
from engine.player.request import GoRequest, SearchSignals
from engine.search.scores import DRAW, MATE, NO_SCORE
from engine.search.types import Info as SearchInfo
from engine.search.types import InfoString, Progress, Report, Result, no_report
from engine.system.errors import InputError, quote
from eval.evaluator import FEATURES, evaluator_named
from eval.wdl import WdlModel

EXPLANATION_NODES = 200_000
_WAIT_SECONDS = 0.2  # on Windows, a wait without a timeout blocks Ctrl-C

SearchReport = SearchInfo | Progress | InfoString | Result


class StoppableSearch:
    """One search of a player's position, which any thread may stop. The player must not run another one meanwhile."""

    def __init__(self, player: Player, request: GoRequest) -> None:
        self._player, self._go_request = player, request
        self._signals, self._ended = SearchSignals(), threading.Event()

    def run(self, report: Report = no_report) -> Result:
        """Search in the calling thread until a limit is reached or `stop` is called. May be called once."""
        try:
            return self._player.go(self._go_request, time.perf_counter(), self._signals, report)
        finally:
            self._ended.set()

    def stop(self) -> None:
        """Make the search end soon, with the best move so far; a search that has not started yet ends at once."""
        self._signals.stop.set()
        self._player.signal(self._signals)

    def close(self) -> None:
        """Stop the search; it has ended when this returns."""
        while not self._ended.is_set():
            self.stop()
            self._ended.wait(_WAIT_SECONDS)


class RunningSearch(StoppableSearch):
    """A search running in its own thread; the caller reads its reports one at a time, and must call `close`."""

    def __init__(self, player: Player, request: GoRequest) -> None:
        super().__init__(player, request)
        self._reports: queue.SimpleQueue[SearchReport | BaseException] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._reports.put(self.run(self._reports.put))
        except BaseException as error:  # noqa: BLE001  `next_report` raises it
            self._reports.put(error)

    def next_report(self) -> SearchReport:
        """Wait for the next report and return it; the last one is the Result."""
        while True:
            try:
                report = self._reports.get(timeout=_WAIT_SECONDS)
            except queue.Empty:
                continue
            if isinstance(report, BaseException):
                raise report
            return report

    def result(self) -> Result:
        """Wait for the result; the other reports are skipped."""
        while not isinstance(report := self.next_report(), Result):
            pass
        return report

    def close(self) -> None:
        """Stop the search; its thread has ended when this returns."""
        super().close()
        self._thread.join()


class Engine:
    """A chess engine. A context manager; `with` or `close` releases its threads and memory.

    It runs one search at a time and raises RuntimeError for a second one; several engines may run in parallel. Invalid
    arguments raise ValueError: an illegal position, another variant, an option out of range.
    """

    def __init__(self, *, threads: int = 1, hash: int = 64,  # noqa: A002  the option's name
                 level: int | None = None, options: Mapping[str, str | int | bool] | None = None) -> None:
        """`level` is an Elo from 400 to 2800 that `play` plays at; all else is answered at full strength.

        `options` are UCI options by name, for instance `{"SyzygyPath": "/tables", "OwnBook": True}`.
        """
        self._level = level
        self._settings = Settings()
        self._settings.move_overhead = 0  # there is no GUI and no lag
        option_values = {"Threads": threads, "Hash": hash, **({} if level is None else {"UCI_Elo": level}),
                         **(options or {})}
        for name, value in option_values.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            self._settings.set(find_option(name), text)
        self._player: Player | None = Player(self._settings)
        for name in option_values:
            self._player.apply(find_option(name))
        self._player.load()
        name = FEATURES if self._settings.evaluation == FEATURES else self._settings.eval_file
        self._evaluation = evaluator_named(name)
        self._model = self._evaluation.wdl_model
        self._state: StateRecord | None = new_state(evaluation=self._evaluation)
        self._position = empty_position()
        self._words = np.zeros(WORDS, np.uint64)
        self._addresses = record_address(self._position, "board"), record_address(self._state, "root_moves")
        self._busy, self._eval_lock = threading.Lock(), threading.Lock()
        self._search: StoppableSearch | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        """`<Engine: 2 threads, 64 MB hash, level 1600>`, or `<Engine: closed>`."""
        if self._player is None:
            return "<Engine: closed>"
        threads, level = self._settings.threads, "full strength" if self._level is None else f"level {self._level}"
        return (f"<Engine: {threads} thread{'' if threads == 1 else 's'}, {self._settings.hash} MB hash, {level}"
                f"{', searching' if self._busy.locked() else ''}>")

    def close(self) -> None:
        """Stop the running search and release threads and memory. May be called twice."""
        search, player = self._search, self._player
        if search is not None:
            search.close()
        if player is not None:
            self._settings.threads = 1
            player.apply(find_option("Threads"))  # stops the helper threads
            self._player = self._state = None

    def clear(self) -> None:
        """Clear the state of earlier searches, as before a new game."""
        self._open_player().new_game()

    def stop(self) -> None:
        """Make the running search, if any, end soon with its result so far; may be called from any thread."""
        search = self._search
        if search is not None:
            search.stop()

    @overload
    def evaluate(self, board: chess.Board | str) -> Score: ...  # type: ignore[overload-overlap]  # a FEN is no list

    @overload
    def evaluate(self, board: Iterable[chess.Board | str]) -> list[Score]: ...

    def evaluate(self, board: chess.Board | str | Iterable[chess.Board | str]) -> Score | list[Score]:
        """The static evaluation of a position, from the side to move's point of view; of several, a list."""
        if isinstance(board, Iterable) and not isinstance(board, str):
            return [self._evaluate(to_board(one)) for one in board]
        return self._evaluate(to_board(board))

    def _evaluate(self, board: chess.Board) -> Score:
        if board.uci_variant != "chess":
            check_variant(board)
        with self._eval_lock:
            if self._state is None:
                self._open_player()
            pack_board(board, self._words)
            score = evaluate_packed(*self._addresses, self._words)
            if score == -MATE:
                return mated_score(board.turn)
            if score == NO_SCORE:
                raise InputError(f"{board.fen()} is not a legal position: each side must have one king, the side to "
                                 "move must not be able to capture it, and no pawn may stand on the first or last rank")
            if score == DRAW and not any(board.generate_legal_moves()):
                return drawn_score(board.turn)
            return to_score(self._position, int(score), self._model)

    def play(self, board: chess.Board | str, *, movetime: int | None = None, depth: int | None = None,
             nodes: int | None = None, clocks: tuple[int, int] | None = None,
             increments: tuple[int, int] = (0, 0)) -> PlayResult:
        """Search for the move to play.

        `movetime`, and `clocks` and `increments` of White and Black, are milliseconds. At least one limit is needed.
        """
        request = _play_request(movetime, depth, nodes, clocks, increments)
        with self._prepared(to_board(board), request, 1, self._level) as player:
            return _played(player, self._result(player, request), self._model)

    def _result(self, player: Player, request: GoRequest) -> Result:
        """Search in the calling thread; the main thread uses another one, because a running kernel blocks Ctrl-C."""
        if threading.current_thread() is threading.main_thread():
            with closing(self._start(player, request)) as running:
                return running.result()
        search = self._search = StoppableSearch(player, request)
        return search.run()

    async def play_async(self, board: chess.Board | str, *, movetime: int | None = None, depth: int | None = None,
                         nodes: int | None = None, clocks: tuple[int, int] | None = None,
                         increments: tuple[int, int] = (0, 0)) -> PlayResult:
        """`play` for coroutines. Cancelling the task stops the search."""
        request = _play_request(movetime, depth, nodes, clocks, increments)
        with (self._prepared(to_board(board), request, 1, self._level) as player,
              closing(self._start(player, request)) as running):
            return _played(player, await asyncio.to_thread(running.result), self._model)

    def analyse(self, board: chess.Board | str, *, movetime: int | None = None, depth: int | None = None,
                nodes: int | None = None, multipv: int = 1, moves: Iterable[chess.Move] = ()) -> Iterator[AnalysisInfo]:
        """Yield the reports of a search as they come, the last one at the end; without a limit it does not end.

        Leaving the loop stops the search. `moves` restricts the search to these moves. Yields nothing if the game is
        over.
        """
        request = _go_request(movetime, depth, nodes, moves)
        with (self._prepared(to_board(board), request, multipv) as player,
              closing(self._start(player, request)) as running):
            while not isinstance(report := running.next_report(), Result):
                if isinstance(report, SearchInfo):
                    yield _info(player, report, self._model)

    async def analyse_async(self, board: chess.Board | str, *, movetime: int | None = None, depth: int | None = None,
                            nodes: int | None = None, multipv: int = 1,
                            moves: Iterable[chess.Move] = ()) -> AsyncIterator[AnalysisInfo]:
        """`analyse` for coroutines."""
        request = _go_request(movetime, depth, nodes, moves)
        with (self._prepared(to_board(board), request, multipv) as player,
              closing(self._start(player, request)) as running):
            while not isinstance(report := await asyncio.to_thread(running.next_report), Result):
                if isinstance(report, SearchInfo):
                    yield _info(player, report, self._model)

    def annotate(self, game: chess.pgn.Game, *, movetime: int | None = None, depth: int | None = None,
                 nodes: int | None = None) -> Annotation:
        """Annotate the main line of `game` in place with marks, reasons and better lines, and return them.

        The limits are for the first search of each position, by default 40,000 nodes; moves that may deserve a mark
        are searched again, longer. With `movetime` the result depends on the machine. Existing comments and variations
        stay.
        """
        board = game.board()
        check_variant(board)
        return annotate(game, review_game(self, board, list(game.mainline_moves()),
                                          SearchEffort(movetime, nodes, depth)))

    def explain(self, board: chess.Board | str, move: chess.Move | None = None, *, movetime: int | None = None,
                depth: int | None = None, nodes: int | None = None) -> Explanation:
        """Explain by a search why a position, or a move in it, is good or bad.

        The limits are for each search, by default 200,000 nodes.
        """
        if movetime is depth is nodes is None:
            nodes = EXPLANATION_NODES
        board = to_board(board)
        check_variant(board)
        return explain_board(self, board, move, SearchEffort(movetime, nodes, depth))

    def _open_player(self) -> Player:
        if self._player is None:
            raise ValueError("the engine is closed")
        return self._player

    @contextmanager
    def _prepared(self, board: chess.Board, request: GoRequest, multipv: int,
                  level: int | None = None) -> Iterator[Player]:
        """The player with the board set up, reserved for one search; at a level if there is one."""
        player, fen_moves = self._open_player(), fen_and_moves(board)
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("the engine is busy; stop the running search or use another engine")
        try:
            self._settings.set(find_option("MultiPV"), str(multipv))
            if self._level is not None:
                self._settings.uci_limit_strength = level is not None
            self._settings.uci_chess960 = board.chess960
            player.set_position(*fen_moves)
            _check_moves(player, request)
            yield player
        finally:
            self._search = None
            self._busy.release()

    def _start(self, player: Player, request: GoRequest) -> RunningSearch:
        """Start a search in its own thread."""
        running = self._search = RunningSearch(player, request)
        return running


def _check_moves(player: Player, request: GoRequest) -> None:
    """Raise InputError if one of the caller's moves is illegal; UCI only warns."""

    def reject(text: str) -> NoReturn:
        raise InputError(f"{text} is not a legal move in {player.game.fen()}")

    parse_legal_moves(player.game, request.search_moves, reject)


def _go_request(movetime: int | None, depth: int | None, nodes: int | None,
                moves: Iterable[chess.Move] = ()) -> GoRequest:
    limits = {"movetime": movetime, "depth": depth, "nodes": nodes}
    for name, value in limits.items():
        if value is not None:
            _check_number(name, value, 1)
    is_unlimited = all(value is None for value in limits.values())
    return GoRequest(movetime=movetime, depth=depth, nodes=nodes, infinite=is_unlimited,
                     search_moves=tuple(_move_text(move) for move in moves))


def _check_number(name: str, value: object, least: int) -> None:
    """InputError unless the value is a whole number that is large enough; NumPy's integers are whole numbers too."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}, got {quote(repr(value))}")


def _move_text(move: chess.Move) -> str:
    if not isinstance(move, chess.Move):
        raise InputError(f"expected a chess.Move, got {quote(repr(move))}")
    return move.uci()


def _play_request(movetime: int | None, depth: int | None, nodes: int | None, clocks: tuple[int, int] | None,
                  increments: tuple[int, int]) -> GoRequest:
    if clocks is not None:
        if not all(isinstance(pair, Sequence) and len(pair) == 2 for pair in (clocks, increments)):
            raise InputError("clocks and increments must be two numbers each, White's and Black's")
        for value in (*clocks, *increments):
            _check_number("a clock", value, 0)
        _go_request(movetime, depth, nodes)  # checks them
        return GoRequest(clocks, increments, movetime=movetime, depth=depth, nodes=nodes)
    request = _go_request(movetime, depth, nodes)
    if request.infinite:
        raise InputError("play needs movetime, depth, nodes or clocks")
    return request


def _moves(player: Player, line: Iterable[int]) -> tuple[chess.Move, ...]:
    return tuple(chess.Move.from_uci(text) for text in player.to_uci(tuple(line)))


def _played(player: Player, result: Result, model: WdlModel) -> PlayResult:
    line = _moves(player, result.pv) if result.move else ()
    score = to_score(player.game.position, result.score, model) if result.infos else None
    return PlayResult(line[0] if line else None, line, score, result.depth, result.nodes, result.seconds)


def _info(player: Player, info: SearchInfo, model: WdlModel) -> AnalysisInfo:
    score = to_score(player.game.position, info.score, model)
    return AnalysisInfo(info.depth, info.seldepth, info.multipv, score, _moves(player, info.pv), info.nodes,
                        info.seconds, info.bound.value, info.tb_hits)
