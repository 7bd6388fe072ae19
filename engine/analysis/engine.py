"""The engine for Python programs: python-chess's boards and moves in, plain values out."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import contextmanager
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
from engine.search.types import Info, InfoString, Progress, Result
from engine.search.types import Info as SearchInfo
from engine.system.errors import InputError
from eval.evaluator import FEATURES, evaluator_named
from eval.wdl import WdlModel

_ANNOTATION_MOVETIME, _EXPLANATION_MOVETIME = 100, 1000  # milliseconds


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
        self._course: RunningSearch | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End whatever is going on, and give everything back. Closing twice does no harm."""
        course, player = self._course, self._player
        if course is not None:
            course.close()
        if player is not None:
            self._settings.threads = 1
            player.apply(find_option("Threads"))  # sends the others home
            self._player = self._state = None

    def clear(self) -> None:
        """Forget what earlier searches found, as before a new game."""
        self._open_player().new_game()

    def stop(self) -> None:
        """End the search that is going on, if there is one; its answer is what it has found. From any thread."""
        course = self._course
        if course is not None:
            course.stop()

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
        with self._running_search(board, order, 1) as course:
            return _played(self._open_player(), _last(course), self._model)

    async def play_async(self, board: chess.Board, *, movetime: int | None = None, depth: int | None = None,
                         nodes: int | None = None, clocks: tuple[int, int] | None = None,
                         increments: tuple[int, int] = (0, 0)) -> PlayResult:
        """`play` for coroutines. A task that is cancelled ends the search."""
        order = _play_order(movetime, depth, nodes, clocks, increments)
        with self._running_search(board, order, 1) as course:
            return _played(self._open_player(), await asyncio.to_thread(_last, course), self._model)

    def analyse(self, board: chess.Board, *, movetime: int | None = None, depth: int | None = None,
                nodes: int | None = None, multipv: int = 1, moves: Iterable[chess.Move] = ()) -> Iterator[AnalysisInfo]:
        """What a search finds, as it finds it, the last and best at the end; without a limit it never ends.

        Leaving the loop ends the search. `moves` are the only ones to be considered, if there are any. A game that is
        over gives nothing.
        """
        order = _order(movetime, depth, nodes, moves)
        with self._running_search(board, order, multipv) as course:
            player = self._open_player()
            while not isinstance(found := course.next_report(), Result):
                if isinstance(found, SearchInfo):
                    yield _info(player, found, self._model)

    async def analyse_async(self, board: chess.Board, *, movetime: int | None = None, depth: int | None = None,
                            nodes: int | None = None, multipv: int = 1,
                            moves: Iterable[chess.Move] = ()) -> AsyncIterator[AnalysisInfo]:
        """`analyse` for coroutines."""
        order = _order(movetime, depth, nodes, moves)
        with self._running_search(board, order, multipv) as course:
            player = self._open_player()
            while not isinstance(found := await asyncio.to_thread(course.next_report), Result):
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
    def _running_search(self, board: chess.Board, order: GoRequest, multipv: int) -> Iterator[RunningSearch]:
        """A search as ordered, which is over when this is."""
        player, place = self._open_player(), fen_and_moves(board)
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("the engine is searching: end that first, or use another one")
        try:
            self._settings.set(find_option("MultiPV"), str(multipv))
            self._settings.uci_chess960 = board.chess960
            player.set_position(*place)
            _check_moves(player, order)
            course = self._course = RunningSearch(player, order)
            try:
                yield course
            finally:
                course.close()
        finally:
            self._course = None
            self._busy.release()


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


def _last(course: RunningSearch) -> Result:
    while not isinstance(found := course.next_report(), Result):
        pass
    return found


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


_PULSE = 0.2  # seconds: Windows wakes a waiting thread for no signal, and so never for Ctrl-C
Found = Info | Progress | InfoString | Result


class RunningSearch:
    """One search of a player's position, which begins at once. `close` must be called; no other may run meanwhile."""

    def __init__(self, player: Player, order: GoRequest) -> None:
        self._player, self._order = player, order
        self._signals = SearchSignals()
        self._found: queue.SimpleQueue[Found | BaseException] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found.put(self._player.go(self._order, time.perf_counter(), self._signals, self._found.put))
        except BaseException as error:  # noqa: BLE001  handed on to whoever waits
            self._found.put(error)

    def next_report(self) -> Found:
        """What was found next; blocks. A Result is the last."""
        while True:
            try:
                found = self._found.get(timeout=_PULSE)
            except queue.Empty:
                continue
            if isinstance(found, BaseException):
                raise found
            return found

    def stop(self) -> None:
        """Let the search end soon, with the answer that it has; may be called from any thread."""
        self._signals.stop.set()
        self._player.signal(self._signals)

    def close(self) -> None:
        """End the search; nothing of it is left when this returns."""
        while self._thread.is_alive():
            self.stop()
            self._thread.join(_PULSE)
