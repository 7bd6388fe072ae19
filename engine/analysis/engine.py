"""The engine for Python programs: python-chess's boards and moves in, plain values out; and its searches."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from types import TracebackType
from typing import NoReturn, Self

import chess
import chess.pgn
import numpy as np

from engine.alphabeta.state import StateRecord, new_state
from engine.analysis.annotation import Annotation, annotate
from engine.analysis.boards import WORDS, check_variant, evaluate_packed, fen_and_moves, pack_board, record_address
from engine.analysis.explain import Explanation, explain_board
from engine.analysis.results import MATED, STALEMATE, AnalysisInfo, PlayResult, Score, to_score
from engine.analysis.review import SearchEffort, evaluate_game
from engine.core.position import empty_position
from engine.player.options import Settings, find_option
from engine.player.player import Player, parse_legal_moves
from engine.player.request import GoRequest, SearchSignals
from engine.search.scores import DRAW, MATE, NO_SCORE
from engine.search.types import Info as SearchInfo
from engine.search.types import InfoString, Progress, Report, Result, no_report
from engine.system.errors import InputError
from eval.evaluator import FEATURES, evaluator_named
from eval.wdl import WdlModel

_ANNOTATION_MOVETIME, _EXPLANATION_MOVETIME = 100, 1000  # milliseconds
_PULSE = 0.2  # seconds: on Windows a wait without a timeout lets no Ctrl-C through

Found = SearchInfo | Progress | InfoString | Result


class StoppableSearch:
    """One search of a player's position, which any thread may stop. The player must run no other meanwhile."""

    def __init__(self, player: Player, order: GoRequest) -> None:
        self._player, self._order = player, order
        self._signals, self._ended = SearchSignals(), threading.Event()

    def run(self, report: Report = no_report) -> Result:
        """Search in the calling thread until a limit is reached or `stop` is called. To be called once."""
        try:
            return self._player.go(self._order, time.perf_counter(), self._signals, report)
        finally:
            self._ended.set()

    def stop(self) -> None:
        """Make the search end soon, with the best move so far; a search that has not started yet will end at once."""
        self._signals.stop.set()
        self._player.signal(self._signals)

    def close(self) -> None:
        """Stop the search; it has ended when this returns."""
        while not self._ended.is_set():
            self.stop()
            self._ended.wait(_PULSE)


class RunningSearch(StoppableSearch):
    """A search running in its own thread; the caller reads its reports one at a time, and must call `close`."""

    def __init__(self, player: Player, order: GoRequest) -> None:
        super().__init__(player, order)
        self._found: queue.SimpleQueue[Found | BaseException] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            self._found.put(self.run(self._found.put))
        except BaseException as error:  # noqa: BLE001  `take` raises it
            self._found.put(error)

    def take(self) -> Found:
        """Wait for the next report and return it; the last one is the Result."""
        while True:
            try:
                found = self._found.get(timeout=_PULSE)
            except queue.Empty:
                continue
            if isinstance(found, BaseException):
                raise found
            return found

    def result(self) -> Result:
        """Wait for the result; the other reports are skipped."""
        while not isinstance(found := self.take(), Result):
            pass
        return found

    def close(self) -> None:
        """Stop the search; its thread has ended when this returns."""
        super().close()
        self._thread.join()


class Engine:
    """An engine, ready to be asked. Leave it with `with` or `close`: no thread and no memory stays behind.

    It answers one question at a time, and RuntimeError tells whoever asks a second one meanwhile; several engines may
    work side by side. What cannot be used raises ValueError: a board that cannot be played, another variant, an option
    out of its range.
    """

    def __init__(self, *, threads: int = 1, hash: int = 64,  # noqa: A002  the option's name
                 options: Mapping[str, str | int | bool] | None = None) -> None:
        """`options` are UCI options by name, for instance `{"SyzygyPath": "/tables", "OwnBook": True}`."""
        self._settings = Settings()
        self._settings.move_overhead = 0  # nothing is lost on the way to a GUI
        wishes = {"Threads": threads, "Hash": hash, **(options or {})}
        for name, value in wishes.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            self._settings.set(find_option(name), text)
        self._player: Player | None = Player(self._settings)
        for name in wishes:
            self._player.apply(find_option(name))
        self._player.load()
        name = FEATURES if self._settings.evaluation == FEATURES else self._settings.eval_file
        self._evaluation = evaluator_named(name)
        self._model = self._evaluation.wdl_model
        self._state: StateRecord | None = new_state(evaluation=self._evaluation)
        self._position = empty_position()
        self._words = np.zeros(WORDS, np.uint64)
        self._addresses = record_address(self._position, "board"), record_address(self._state, "root_moves")
        self._busy, self._judging = threading.Lock(), threading.Lock()
        self._search: StoppableSearch | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Stop the search in progress, and release threads and memory. Closing twice does no harm."""
        search, player = self._search, self._player
        if search is not None:
            search.close()
        if player is not None:
            self._settings.threads = 1
            player.apply(find_option("Threads"))  # stops the helper threads
            self._player = self._state = None

    def clear(self) -> None:
        """Forget what earlier searches found, as before a new game."""
        self._open_player().new_game()

    def stop(self) -> None:
        """Make the search in progress end soon, with what it has found; from any thread. Without one, do nothing."""
        search = self._search
        if search is not None:
            search.stop()

    def evaluate(self, board: chess.Board) -> Score:
        """How good a position looks without a search, for the side to move."""
        if board.uci_variant != "chess":
            check_variant(board)
        with self._judging:
            if self._state is None:
                self._open_player()
            pack_board(board, self._words)
            found = evaluate_packed(*self._addresses, self._words)
            if found == -MATE:
                return MATED
            if found == NO_SCORE:
                raise InputError(f"{board.fen()} is no position: each side has one king, which the side "
                                 "to move cannot take, and pawns stand between")
            if found == DRAW and not any(board.generate_legal_moves()):
                return STALEMATE
            return to_score(self._position, int(found), self._model)

    def play(self, board: chess.Board, *, movetime: int | None = None, depth: int | None = None,
             nodes: int | None = None, clocks: tuple[int, int] | None = None,
             increments: tuple[int, int] = (0, 0)) -> PlayResult:
        """The move that the engine would play.

        `movetime`, and `clocks` and `increments` of White and Black, are milliseconds. One limit at least is needed.
        """
        order = _play_order(movetime, depth, nodes, clocks, increments)
        with self._prepared(board, order, 1) as player:
            return _played(player, self._result(player, order), self._model)

    def _result(self, player: Player, order: GoRequest) -> Result:
        """Search in the calling thread; but the main thread waits for another one, since a kernel blocks Ctrl-C."""
        if threading.current_thread() is threading.main_thread():
            with closing(self._start(player, order)) as running:
                return running.result()
        search = self._search = StoppableSearch(player, order)
        return search.run()

    async def play_async(self, board: chess.Board, *, movetime: int | None = None, depth: int | None = None,
                         nodes: int | None = None, clocks: tuple[int, int] | None = None,
                         increments: tuple[int, int] = (0, 0)) -> PlayResult:
        """`play` for coroutines. A task that is cancelled ends the search."""
        order = _play_order(movetime, depth, nodes, clocks, increments)
        with self._prepared(board, order, 1) as player, closing(self._start(player, order)) as running:
            return _played(player, await asyncio.to_thread(running.result), self._model)

    def analyse(self, board: chess.Board, *, movetime: int | None = None, depth: int | None = None,
                nodes: int | None = None, multipv: int = 1, moves: Iterable[chess.Move] = ()) -> Iterator[AnalysisInfo]:
        """What a search finds, as it finds it, the last and best at the end; without a limit it never ends.

        Leaving the loop ends the search. `moves` are the only ones to be considered, if there are any. A game that is
        over gives nothing.
        """
        order = _order(movetime, depth, nodes, moves)
        with self._prepared(board, order, multipv) as player, closing(self._start(player, order)) as running:
            while not isinstance(found := running.take(), Result):
                if isinstance(found, SearchInfo):
                    yield _info(player, found, self._model)

    async def analyse_async(self, board: chess.Board, *, movetime: int | None = None, depth: int | None = None,
                            nodes: int | None = None, multipv: int = 1,
                            moves: Iterable[chess.Move] = ()) -> AsyncIterator[AnalysisInfo]:
        """`analyse` for coroutines."""
        order = _order(movetime, depth, nodes, moves)
        with self._prepared(board, order, multipv) as player, closing(self._start(player, order)) as running:
            while not isinstance(found := await asyncio.to_thread(running.take), Result):
                if isinstance(found, SearchInfo):
                    yield _info(player, found, self._model)

    def annotate(self, game: chess.pgn.Game, *, movetime: int | None = None, depth: int | None = None,
                 nodes: int | None = None) -> Annotation:
        """Judge every move of a game's main line, write marks, reasons and better lines into it, and return them.

        Limits are those of one position, by default 100 ms. Comments and variations that are there stay.
        """
        if movetime is depth is nodes is None:
            movetime = _ANNOTATION_MOVETIME
        board = game.board()
        check_variant(board)
        moves = list(game.mainline_moves())
        return annotate(game, list(evaluate_game(self, board, moves, SearchEffort(movetime, nodes, depth))))

    def explain(self, board: chess.Board, move: chess.Move | None = None, *, movetime: int | None = None,
                depth: int | None = None, nodes: int | None = None) -> Explanation:
        """Why a position, or a move in it, is good or bad: what a search finds, then what matters, in words.

        Limits are those of each search, by default a second.
        """
        if movetime is depth is nodes is None:
            movetime = _EXPLANATION_MOVETIME
        return explain_board(self, board, move, SearchEffort(movetime, nodes, depth))

    def _open_player(self) -> Player:
        if self._player is None:
            raise ValueError("the engine is closed")
        return self._player

    @contextmanager
    def _prepared(self, board: chess.Board, order: GoRequest, multipv: int) -> Iterator[Player]:
        """The player with the board set up, reserved for one search."""
        player, place = self._open_player(), fen_and_moves(board)
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("the engine is busy; stop the running search or use another engine")
        try:
            self._settings.set(find_option("MultiPV"), str(multipv))
            self._settings.uci_chess960 = board.chess960
            player.set_position(*place)
            _check_moves(player, order)
            yield player
        finally:
            self._search = None
            self._busy.release()

    def _start(self, player: Player, order: GoRequest) -> RunningSearch:
        """Start a search in its own thread."""
        running = self._search = RunningSearch(player, order)
        return running


def _check_moves(player: Player, order: GoRequest) -> None:
    """InputError if a move that the caller names is illegal; a GUI would only be warned."""

    def reject(text: str) -> NoReturn:
        raise InputError(f"{text} is not a legal move in {player.game.fen()}")

    parse_legal_moves(player.game, order.search_moves, reject)


def _order(movetime: int | None, depth: int | None, nodes: int | None, moves: Iterable[chess.Move] = ()) -> GoRequest:
    limits = {"movetime": movetime, "depth": depth, "nodes": nodes}
    for name, value in limits.items():
        if value is not None and value < 1:
            raise InputError(f"{name} must be at least 1, not {value}")
    is_open = all(value is None for value in limits.values())
    return GoRequest(movetime=movetime, depth=depth, nodes=nodes, infinite=is_open,
                     search_moves=tuple(move.uci() for move in moves))


def _play_order(movetime: int | None, depth: int | None, nodes: int | None, clocks: tuple[int, int] | None,
                increments: tuple[int, int]) -> GoRequest:
    if clocks is not None:
        if len(clocks) != 2 or len(increments) != 2:
            raise InputError("clocks and increments are two numbers each, White's and Black's")
        return GoRequest(clocks, increments, movetime=movetime, depth=depth, nodes=nodes)
    order = _order(movetime, depth, nodes)
    if order.infinite:
        raise InputError("play needs movetime, depth, nodes or clocks")
    return order


def _moves(player: Player, line: Iterable[int]) -> tuple[chess.Move, ...]:
    return tuple(chess.Move.from_uci(text) for text in player.to_uci(tuple(line)))


def _played(player: Player, result: Result, model: WdlModel) -> PlayResult:
    line = _moves(player, result.pv) if result.move else ()
    score = to_score(player.game.position, result.score, model) if result.infos else None
    return PlayResult(line[0] if line else None, line, score, result.depth, result.nodes, result.seconds)


def _info(player: Player, found: SearchInfo, model: WdlModel) -> AnalysisInfo:
    score = to_score(player.game.position, found.score, model)
    return AnalysisInfo(found.depth, found.seldepth, found.multipv, score, _moves(player, found.pv), found.nodes,
                        found.seconds, found.bound.value, found.tb_hits)
