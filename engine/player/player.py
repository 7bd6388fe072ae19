"""The player that a GUI talks to: it keeps the game, and answers `go` from the book, the endgame tables or a search.

Nothing here prints: results go to a `report`, which the session formats as text.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.core.fen import START_FEN
from engine.core.game import Game, parse_legal_moves
from engine.core.uci_moves import format_uci
from engine.kernel import is_compiling
from engine.player.limited import LimitedStrength
from engine.player.options import Effect, Option, Settings
from engine.player.request import GoRequest, SearchSignals
from engine.player.skill import SkillLevel
from engine.player.tb_root import TbRoot, TbRootResult, report_as_draw, report_tb_result, report_worse_too
from engine.player.timing import LagEstimate, human_pace, move_budget
from engine.search.interface import Clearable, Evaluating, Loadable, Resizable, Search, Stoppable, TbProbing, Threaded
from engine.search.modes import DEFAULT_MODE, SearchMode, mode_named
from engine.search.scores import DRAW
from engine.search.tb import no_tb
from engine.search.time_management import Budget
from engine.search.types import BRIEF_SECONDS, InfoString, Limits, Report, Result
from engine.system import host
from engine.system.errors import InputError, quote
from engine.system.files import user_path
from eval.evaluator import BUILT_IN, FEATURES, Evaluator, evaluator_named
from eval.policy.file import read_policy

if TYPE_CHECKING:
    from engine.player.book import BookAnswer, PlayerBook

_MEGABYTE = 1 << 20
_WARM_UP_MEGABYTES = 1
_SHORTEST_THOUGHT = 0.001  # seconds
_SHORT_PULSE = 0.005  # seconds between two checks of kernels or tables that are being loaded
_SHARE_FOR_TABLES = 0.7  # of the longest time for a move: to wait for tables, which answer better than any search
_COMPILING_TIMEOUT, _TABLES_TIMEOUT = 6.0, 2.0  # seconds that `isready` waits for another mode's kernels and for tables
_BOOK_SECONDS = 1.0  # for a move, so that the book may be opened first: that takes 0.2 s


class Player:
    """One engine with one game. `go` blocks; meanwhile `signal` is called from another thread."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.game = Game()
        self._start = (START_FEN, False)  # where `game` began: FEN, and whether it is Chess960
        self._moves: tuple[str, ...] = ()  # the moves since then, as they were written
        self._mode = DEFAULT_MODE.name  # what `_search` is
        self._evaluation = evaluator_named(BUILT_IN)
        default = Settings().hash  # `apply` checks what was asked for
        self._search, megabytes = DEFAULT_MODE.create_largest(settings, default)
        self.start_message = None if megabytes == default else (  # for the user
            f"not enough memory for Hash {default}: using {megabytes} MB")
        self._loading: threading.Thread | None = None  # loads the kernels of another mode
        self._active = self._search  # the search that a `go` uses
        self._book: PlayerBook | None = None  # until a book is used
        self._tb_root = TbRoot(settings)
        self._lag = LagEstimate()
        self._planned: tuple[GoRequest, Budget | None] | None = None  # the last request, and the time for its move
        self._limited = LimitedStrength(settings)
        self._lock = threading.Lock()
        self._is_searching = False
        self._time_after_ponderhit: Budget | None = None

    @property
    def evaluation(self) -> Evaluator:
        """The evaluation in use."""
        return self._evaluation

    def load(self) -> None:
        """Load all kernels that a game needs, by using them."""
        game = Game()
        game.push_uci(game.uci(game.legal_moves()[0]))
        game.repetitions()
        # A small search of its own, so that nothing has to be forgotten: clearing a large table takes a while.
        DEFAULT_MODE.create(Settings(), _WARM_UP_MEGABYTES).run(game.position, Limits(depth=1))
        self._search.load()

    def apply(self, option: Option) -> str | None:
        """Do what a changed option requires; returns a message for the user, if any. InputError if that fails."""
        mode = self._settings.search_mode
        if option.effect is Effect.POLICY and self._settings.policy_file:
            read_policy(user_path(self._settings.policy_file))  # InputError, whatever the mode
        if option.effect in (Effect.NEW_SEARCH, Effect.POLICY) and mode in option.modes:
            self._change_search(mode)
        if option.effect in (Effect.OWN_TABLES, Effect.SYZYGY):
            self._leave_tables()
        match option.effect:
            case Effect.MEMORY:
                self._resize()
            case Effect.THREADS:
                if isinstance(self._search, Threaded):
                    self._search.set_threads(self._settings.threads)
            case Effect.CLEAR:
                self._clear_search()
            case Effect.EVALUATION:
                self._change_evaluation()
            case Effect.BOOK:
                self._open_book()
            case Effect.OWN_TABLES:
                self._tb_root.apply_own_tables()
            case Effect.SYZYGY:
                return self._tb_root.apply_syzygy()
            case Effect.STRENGTH:
                self._prepare_level()
            case Effect.VARIANT:
                self.game.position.chess960 = self._settings.uci_chess960
                self._start = ("", False)  # the next position is read from scratch
        return None

    def _leave_tables(self) -> None:
        """Let no search, not even a helper that is about to stop, probe tables that may be unmapped now."""
        for search in (self._search, self._active):
            if isinstance(search, TbProbing):
                search.set_tb(no_tb())

    def _change_search(self, mode: str) -> None:
        """Use a search of this mode from now on, made according to the settings."""
        self._search, self._mode = self._create_search(mode_named(mode), self._hash()), mode
        self._load_in_background(self._search)

    def _load_in_background(self, *parts: Loadable) -> None:
        """Load the kernels of a search, or of other parts of the player, in the background."""
        self._loading = threading.Thread(target=lambda: [part.load() for part in parts], daemon=True)
        self._loading.start()

    def _prepare_level(self) -> None:
        """Create what a level needs: its search, its intuition and its book."""
        self._limited.create(self._evaluation, self._load_in_background)
        if self._book is None:
            self._open_book()

    def _create_search(self, mode: SearchMode, megabytes: int) -> Search:
        """A new search, made according to the settings, with the evaluation in use."""
        search = mode.create(self._settings, megabytes)
        if isinstance(search, Evaluating):
            search.set_evaluation(self._evaluation)
        return search

    def _change_evaluation(self) -> None:
        """Use the evaluator of the settings. A named file must be valid even if it is not used now."""
        named = evaluator_named(self._settings.eval_file)
        evaluator = named if self._settings.evaluation != FEATURES else evaluator_named(FEATURES)
        if evaluator.network is self._evaluation.network:
            return
        self._evaluation = evaluator
        self._limited.set_evaluation(evaluator)
        if isinstance(self._search, Evaluating):
            self._search.set_evaluation(evaluator)

    def _resize(self) -> None:
        megabytes = self._hash()
        if isinstance(self._search, Resizable):
            self._search.resize(megabytes)

    def _hash(self) -> int:
        """The hash size of the settings; InputError if it is more than half of the machine's memory."""
        megabytes, most = self._settings.hash, host.memory_size() // _MEGABYTE // 2
        if megabytes > most:
            raise InputError(f"Hash {megabytes} MB is more than half of this machine's memory, {most} MB")
        return megabytes

    def _open_book(self) -> None:
        """Open the book that the settings name, or the built-in one if a book is wanted; InputError if unusable."""
        if self._settings.book_file or self._settings.own_book or self._settings.uses_level_book:
            from engine.player.book import PlayerBook

            book = self._book or PlayerBook(self._settings, self._limited.rng)
            book.open()
            self._book = book

    def _clear_search(self) -> None:
        if isinstance(self._search, Clearable):
            self._search.clear()

    def new_game(self) -> None:
        """Clear everything about earlier games."""
        self._clear_search()
        self._lag.forget()
        self._limited.begin_game()
        if self._book is not None:
            self._book.begin_game()
        elif self._settings.uses_own_book:
            self._open_book()  # now, so that the first move need not wait

    def set_position(self, fen: str | None, moves: Sequence[str]) -> None:
        """Set up a position from a FEN (None for the starting position) and moves; InputError changes nothing."""
        start = (START_FEN if fen is None else fen, self._settings.uci_chess960)
        played = len(self._moves)
        if start == self._start and self._moves == tuple(moves[:played]):
            game = self._continued(moves[played:])
        else:
            game = Game(*start, moves)
        self.game, self._start, self._moves = game, start, tuple(moves)
        self._tb_root.prefetch_for(game)

    def _continued(self, moves: Sequence[str]) -> Game:
        """The game with further moves, in place; InputError, and the game as it was, if one is illegal."""
        try:
            for text in moves:
                self.game.push_uci(text)
        except InputError:
            self.game = Game(*self._start, self._moves)
            raise
        return self.game

    def get_ready(self) -> None:
        """Do now what would cost time in a game; wait a limited time for files and kernels that are still loading."""
        self._tb_root.open_files()
        if isinstance(self._search, Resizable):
            self._search.prefault()
        if self._loading is not None:
            self._loading.join(_COMPILING_TIMEOUT)
        self._tb_root.wait(_TABLES_TIMEOUT)

    def budget(self, request: GoRequest) -> Budget | None:
        """The time for the move that is asked for; None if there is no limit to it. A request is planned once."""
        if self._planned is None or self._planned[0] is not request:
            self._lag.observe(request, int(self.game.position.side), len(self._moves))
            self._planned = request, None if request.infinite else move_budget(
                request, self.game, self._settings.move_overhead, self._lag)
        return self._planned[1]

    def go(self, request: GoRequest, received: float, signals: SearchSignals, report: Report) -> Result:
        """The answer to a request that arrived at the time `received`: from the book, the endgame tables or a search.

        The search ends when a limit is met or a signal stops it.
        """
        budget = self.budget(request)
        root_moves, level = self._root_moves(request, report), self._limited.draw_level(self.game)
        if level is not None:
            self._prepare_level()
        answer = self._book_answer(request)
        result = None if answer is None else answer.reported(received, report)
        if result is None:
            root_moves = answer.others or root_moves if answer is not None else root_moves
            self._active = self._ready_search(request, signals, report)
            tb_result = TbRootResult((), root_moves)
            if level is None:
                self._await_tables(request, budget, received, signals, report)
                seconds = None if budget is None or request.ponder else budget.hard - (time.perf_counter() - received)
                tb_result = self._probe_root(root_moves, seconds, report)
            if tb_result.lines:
                result = report_tb_result(tb_result, time.perf_counter() - received, report)
            else:
                limits = self._limits(request, tb_result.unresolved_moves, budget, received, signals)
                if level is not None and self._active is not self._search:
                    level, limits = None, replace(limits, depth=1)  # the level's own kernels may still be compiling
                is_threaded = level is None and isinstance(self._active, Threaded)
                with self._lag.watch_work(self._settings.threads if is_threaded else 1):
                    result = self._run_search(limits, signals, tb_result, level, report)
        if level is not None and self._settings.level_clock:
            self._take_time(request, budget, received, signals)
        self._lag.record_answer(request, int(self.game.position.side), len(self._moves), time.perf_counter() - received,
                                None if budget is None else budget.hard)
        return result

    def _take_time(self, request: GoRequest, budget: Budget | None, received: float, signals: SearchSignals) -> None:
        """Wait as long as a person would have thought about the move, if a clock is running."""
        if budget is None or request.waits_for_stop or request.movetime is not None:
            return
        seconds = human_pace(budget, self._limited.difficulty, self._limited.rng)
        signals.stop.wait(max(seconds - (time.perf_counter() - received), 0.0))

    def _root_moves(self, request: GoRequest, report: Report) -> tuple[int, ...]:
        """The moves to search, () for all; illegal ones are skipped with a warning."""
        return parse_legal_moves(self.game, request.search_moves, lambda text: report(
            InfoString(f"searchmoves: {quote(text)} is not a legal move here")))

    def _book_answer(self, request: GoRequest) -> BookAnswer | None:
        """What the book says; None if there is none."""
        if self._book is None and self._settings.uses_own_book and request.is_for_game and self._has_time(request):
            self._open_book()
        return None if self._book is None else self._book.look_up(self.game, request)

    def _has_time(self, request: GoRequest) -> bool:
        """Whether opening the book, without a `ucinewgame` before the game, costs little of the time for the move."""
        return (budget := self.budget(request)) is not None and budget.hard >= _BOOK_SECONDS

    def _ready_search(self, request: GoRequest, signals: SearchSignals, report: Report) -> Search:
        """The search of the mode in use; alpha-beta if it is still being compiled and the answer cannot wait for it,
        because a clock is running or `stop` has come.
        """
        while self._loading is not None and self._loading.is_alive():
            if (request.is_timed or signals.stop.is_set()) and is_compiling():
                report(InfoString("the kernels are still compiling; using alphabeta for this move"))
                return self._create_search(DEFAULT_MODE, 1)
            self._loading.join(_SHORT_PULSE)  # loading without compiling takes no time worth mentioning
        return self._search

    def _await_tables(self, request: GoRequest, budget: Budget | None, received: float, signals: SearchSignals,
                      report: Report) -> None:
        """Wait for tables that are being read: on the clock for those of this position, otherwise for all, so that
        the search finds the same each time. If the time is up first, that is reported.
        """
        self._tb_root.prefetch_for(self.game)
        if not self._tb_root.is_close_to_tables(self.game):
            return
        deadline = None if budget is None or request.ponder else received + _SHARE_FOR_TABLES * budget.hard
        while not (self._tb_root.is_ready_for(self.game) if request.is_timed else self._tb_root.wait(0)):
            now = time.perf_counter()
            if deadline is None and budget is not None and signals.ponderhit.is_set():
                deadline = now + _SHARE_FOR_TABLES * budget.hard
            if signals.stop.is_set() or (deadline is not None and now >= deadline):
                report(InfoString("no time to load the endgame tables: the search decides"))
                return
            self._tb_root.wait(_SHORT_PULSE if deadline is None else min(_SHORT_PULSE, deadline - now))

    def _probe_root(self, root_moves: tuple[int, ...], seconds: float | None, report: Report) -> TbRootResult:
        """Probe the loaded endgame tables at the root; without an answer all `root_moves` are left to the search."""
        for warning in self._tb_root.take_warnings():
            report(InfoString(warning))
        tb_result = self._tb_root.probe(self.game, self._settings.multipv, root_moves, seconds)
        return TbRootResult((), root_moves) if tb_result is None else tb_result

    def _limits(self, request: GoRequest, root_moves: tuple[int, ...], budget: Budget | None, received: float,
                signals: SearchSignals) -> Limits:
        """The limits of the search for a request; one that is pondering gets its time with `ponderhit`."""
        limits = Limits(depth=request.depth, nodes=request.nodes, mate=request.mate, multipv=self._settings.multipv,
                        search_moves=root_moves, reports_all=request.reports_all)
        is_pondering = request.ponder and not signals.ponderhit.is_set()
        self._time_after_ponderhit = budget if is_pondering else None
        if is_pondering or budget is None:
            return limits
        late = time.perf_counter() - received
        return replace(limits, soft_time=max(budget.soft - late, 0.0),
                       hard_time=max(budget.hard - late, _SHORTEST_THOUGHT),
                       brief_time=BRIEF_SECONDS * self._lag.slowdown)

    def _run_search(self, limits: Limits, signals: SearchSignals, tb_result: TbRootResult, level: SkillLevel | None,
                    report: Report) -> Result:
        """Search what the tables leave open, at the strength of `level` if there is one.

        Signals that came since the limits were set, or come while the search is being prepared, take effect.
        """
        if level is not None:
            search, limits = self._limited.prepare(self.game, limits, level)
            self._active = search or self._active
        if isinstance(self._active, TbProbing):
            # In a draw the search looks for chances that tables know nothing of; a limited player uses no tables.
            is_asking = level is None and not tb_result.is_draw
            self._active.set_tb(self._tb_root.for_search() if is_asking else no_tb())
        with self._lock:
            self._active.prepare(self.game.position, limits)
            self._is_searching = True
            self._forward_signals(signals)
        try:
            if level is not None:
                return self._limited.choose(self._find_candidates(limits, signals), level, report)
            report = report_worse_too(report, tb_result)
            if tb_result.is_draw:
                return replace(self._active.search(report_as_draw(report)), score=int(DRAW))
            return self._active.search(report)
        finally:
            with self._lock:
                self._is_searching = False
                if isinstance(self._active, Stoppable):
                    self._active.clear_stop()

    def _find_candidates(self, limits: Limits, signals: SearchSignals) -> Result:
        """Finish the search of a level without reporting it, since only the line that is chosen may be seen."""
        result = self._active.search()
        if result.depth == 0 and result.move and not signals.stop.is_set():
            # With so few nodes not even depth 1 was finished for every candidate; it is the least that any level sees.
            result = self._active.run(self.game.position, replace(limits, nodes=None, depth=1))
        return result

    def signal(self, signals: SearchSignals) -> None:
        """Pass signals that were just given on to the running search; a search that begins later reads them."""
        with self._lock:
            if self._is_searching:
                self._forward_signals(signals)

    def _forward_signals(self, signals: SearchSignals) -> None:
        """Apply the signals given so far to the running search; `_lock` is held."""
        if not isinstance(self._active, Stoppable):
            return
        if signals.stop.is_set():
            self._active.stop()
        elif signals.ponderhit.is_set() and self._time_after_ponderhit is not None:
            self._active.set_time(self._time_after_ponderhit.soft, self._time_after_ponderhit.hard)

    def to_uci(self, line: Sequence[int]) -> Iterator[str]:
        """The moves of a line as UCI text."""
        return (format_uci(self.game.position, move) for move in line)
