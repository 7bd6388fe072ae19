"""The public Python interface: an engine that takes python-chess boards and returns plain values."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Self, overload

import chess
import chess.pgn
import numpy as np

from engine.alphabeta.state import StateRecord, new_state
from engine.analysis.annotation import Annotation, annotate
from engine.analysis.arguments import analysis_request, check_game, option_values, play_request, to_move
from engine.analysis.async_analysis import AsyncAnalysis
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
from engine.analysis.results import AnalysisInfo, PlayResult, Score, drawn_score, mated_score, to_score
from engine.analysis.review import DEFAULT_HASH, SearchEffort
from engine.analysis.review_driver import review_game
from engine.analysis.running_search import RunningSearch
from engine.core.position import empty_position
from engine.player.options import Settings, find_option
from engine.player.player import Player
from engine.player.request import GoRequest
from engine.search.scores import DRAW, MATE, NO_SCORE
from engine.search.types import Info, Result
from engine.system.errors import InputError
from eval.evaluator import FEATURES, evaluator_named

EXPLANATION_NODES = 200_000
_HASH, _THREADS, _MULTIPV = map(find_option, ("Hash", "Threads", "MultiPV"))


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
        self._settings = Settings(own_book=False)  # it searches unless `options` say otherwise
        self._settings.move_overhead = 0  # there is no GUI and no lag
        values = option_values({"Threads": threads, "Hash": hash, **({} if level is None else {"UCI_Elo": level})})
        values.update(option_values(options))
        for option, value in values.items():
            self._settings.set_value(option, value)
        self._player: Player | None = Player(self._settings)  # None when the engine is closed
        for option in values:
            self._player.apply(option)
        self._player.load()
        self._memory = self._settings.hash, self._settings.threads  # for all searches but reviews
        name = FEATURES if self._settings.evaluation == FEATURES else self._settings.eval_file
        self._evaluation = evaluator_named(name)
        self._model = self._evaluation.wdl_model
        self._state: StateRecord | None = new_state(evaluation=self._evaluation)
        self._position = empty_position()
        self._words = np.zeros(WORDS, np.uint64)
        self._addresses = record_address(self._position, "board"), record_address(self._state, "root_moves")
        self._lock, self._eval_lock = threading.Lock(), threading.Lock()
        self._search: RunningSearch | None = None  # also while it is being prepared

    def __enter__(self) -> Self:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        """`<Engine: 2 threads, 64 MB hash, level 1600>`, or `<Engine: closed>`."""
        if self._player is None:
            return "<Engine: closed>"
        (megabytes, threads), level = self._memory, "full strength" if self._level is None else f"level {self._level}"
        return (f"<Engine: {threads} thread{'' if threads == 1 else 's'}, {megabytes} MB hash, {level}"
                f"{', searching' if self._search is not None else ''}>")

    def close(self) -> None:
        """Stop the running search and release threads and memory. May be called twice, and from any thread."""
        with self._lock:  # a search is either known here or refused
            search, player, self._player = self._search, self._player, None
        if search is not None:
            search.close()
        if player is not None:
            with self._eval_lock:
                self._state = None
            self._settings.threads = 1
            player.apply(_THREADS)  # stops the helper threads

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
        request = play_request(movetime, depth, nodes, clocks, increments)
        with self._reserved(to_board(board), request, 1, self._level) as search:
            if threading.current_thread() is not threading.main_thread():
                return self._played(search.player, search.run())
            search.start()  # in another thread, because a running kernel blocks Ctrl-C
            return self._played(search.player, search.result())

    async def play_async(self, board: chess.Board | str, *, movetime: int | None = None, depth: int | None = None,
                         nodes: int | None = None, clocks: tuple[int, int] | None = None,
                         increments: tuple[int, int] = (0, 0)) -> PlayResult:
        """`play` for coroutines. Cancelling the task stops the search."""
        request = play_request(movetime, depth, nodes, clocks, increments)
        with self._reserved(to_board(board), request, 1, self._level) as search:
            search.start()
            return self._played(search.player, await asyncio.to_thread(search.result))

    def analyse(self, board: chess.Board | str, *, movetime: int | None = None, depth: int | None = None,
                nodes: int | None = None, multipv: int = 1,
                moves: Iterable[chess.Move | str] | None = None) -> Iterator[AnalysisInfo]:
        """Yield the lines of every iteration of a search as they come; without a limit it does not end.

        Leaving the loop stops the search. `moves` restricts the search to these moves, which may be text in SAN or UCI
        notation. Yields nothing if there is no legal move.
        """
        with self._analysing(board, movetime, depth, nodes, multipv, moves) as search:
            while (info := search.next_info()) is not None:
                yield self._info(search.player, info)

    def analyse_async(self, board: chess.Board | str, *, movetime: int | None = None, depth: int | None = None,
                      nodes: int | None = None, multipv: int = 1,
                      moves: Iterable[chess.Move | str] | None = None) -> AsyncAnalysis:
        """`analyse` for coroutines. Leaving the loop stops the search at once, and so does cancelling the task."""
        return AsyncAnalysis(self._analysing(board, movetime, depth, nodes, multipv, moves), self._info)

    @contextmanager
    def _analysing(self, board: chess.Board | str, movetime: int | None, depth: int | None, nodes: int | None,
                   multipv: int, moves: Iterable[chess.Move | str] | None) -> Iterator[RunningSearch]:
        """A search that runs in its own thread within this context."""
        board = to_board(board)
        check_variant(board)
        with self._reserved(board, analysis_request(board, movetime, depth, nodes, moves), multipv) as search:
            search.start()
            yield search

    def search(self, board: chess.Board, effort: SearchEffort, multipv: int = 1,
               moves: Sequence[chess.Move] | None = None) -> list[AnalysisInfo]:
        """All lines of a search with a limit, when it has ended: what `analyse` yields one by one."""
        request = analysis_request(board, effort.movetime, effort.depth, effort.nodes, moves)
        memory = self._memory if effort.hash is None else (effort.hash, 1)
        with self._reserved(board, request, multipv, memory=memory) as search:
            if threading.current_thread() is not threading.main_thread():
                infos = list[Info]()
                search.run(lambda report: infos.append(report) if isinstance(report, Info) else None)
            else:
                search.start()  # in another thread, because a running kernel blocks Ctrl-C
                infos = list(iter(search.next_info, None))
            return [self._info(search.player, info) for info in infos]

    def annotate(self, game: chess.pgn.Game, *, movetime: int | None = None, depth: int | None = None,
                 nodes: int | None = None) -> Annotation:
        """Annotate the main line of `game` in place with marks, reasons and better lines, and return them.

        The limits are for the first search of each position, by default 40,000 nodes; moves that may deserve a mark
        are searched again, longer. With `movetime` the result depends on the machine. Existing comments and variations
        stay. The searches use one thread and 16 MB, whatever the engine has, so that every engine gives the same marks.
        """
        check_game(game)
        return annotate(game, review_game(self, game.board(), list(game.mainline_moves()),
                                          SearchEffort(movetime, nodes, depth, DEFAULT_HASH)))

    def explain(self, board: chess.Board | str, move: chess.Move | str | None = None, *, movetime: int | None = None,
                depth: int | None = None, nodes: int | None = None) -> Explanation:
        """Explain by a search why a position, or a move in it, is good or bad.

        The move may be text in SAN or UCI notation. The limits are for each search, by default 200,000 nodes.
        """
        if movetime is depth is nodes is None:
            nodes = EXPLANATION_NODES
        board = to_board(board)
        check_variant(board)
        legal_move = None if move is None else to_move(board, move)
        return explain_board(self, board, legal_move, SearchEffort(movetime, nodes, depth))

    def _open_player(self) -> Player:
        if self._player is None:
            raise ValueError("the engine is closed")
        return self._player

    @contextmanager
    def _reserved(self, board: chess.Board, request: GoRequest, multipv: int,
                  level: int | None = None, memory: tuple[int, int] | None = None) -> Iterator[RunningSearch]:
        """A search of the board, to be run or started within this context; at a level if there is one.

        `memory` is the hash size and the number of threads, by default the engine's.
        """
        fen_moves = fen_and_moves(board)
        with self._lock:
            search = RunningSearch(self._open_player(), request)
            if self._search is not None:
                raise RuntimeError("the engine is busy; stop the running search or use another engine")
            self._search = search
        try:
            self._settings.set_value(_MULTIPV, multipv)
            if self._level is not None:
                self._settings.uci_limit_strength = level is not None
            self._settings.uci_chess960 = board.chess960
            self._use_memory(search.player, *(memory or self._memory))
            search.player.set_position(*fen_moves)
            yield search
        finally:
            search.release()
            self._search = None

    def _use_memory(self, player: Player, megabytes: int, threads: int) -> None:
        """Resize the table, which clears it, and change the number of threads, unless they are as wanted."""
        for option, value in ((_HASH, megabytes), (_THREADS, threads)):
            if self._settings.value(option) != value:
                self._settings.set_value(option, value)
                player.apply(option)

    def _played(self, player: Player, result: Result) -> PlayResult:
        line = _moves(player, result.pv) if result.move else ()
        score = to_score(player.game.position, result.score, self._model) if result.infos else None
        return PlayResult(line[0] if line else None, line, score, result.depth, result.nodes, result.seconds)

    def _info(self, player: Player, info: Info) -> AnalysisInfo:
        score = to_score(player.game.position, info.score, self._model)
        return AnalysisInfo(info.depth, info.seldepth, info.multipv, score, _moves(player, info.pv), info.nodes,
                            info.seconds, info.bound.value, info.tb_hits)


def _moves(player: Player, line: Iterable[int]) -> tuple[chess.Move, ...]:
    return tuple(chess.Move.from_uci(text) for text in player.to_uci(tuple(line)))
