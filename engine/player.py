"""The player that a GUI talks to: it keeps the game and the settings, and answers `go` by searching.

Nothing here prints: what is found goes to a `report`, and `uci.py` puts it into words.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import chess
import psutil

from engine.alphabeta.searcher import Searcher
from engine.core.errors import InputError
from engine.core.fen import START_FEN
from engine.core.game import Game
from engine.core.movegen import empty_move_list
from engine.core.notation import format_move
from engine.core.perft import COUNT_LAST_PLY, perft
from engine.handicap import Level, choose, level_of, limited
from engine.modes import Search, is_looked_at, load_kernels, new_search
from engine.options import Option, Settings
from engine.order import Order, Signals
from engine.repertoire import Repertoire
from engine.search import clock
from engine.search.limits import Bound, Info, Limits, Progress, Remark, Report, Result
from engine.search.scores import DRAW, TB_WIN, is_decisive
from engine.search.tb import no_tb
from engine.tb_root import TbRoot, Verdict
from eval.explain import Explanation, explain
from eval.outcome import Chances, chances, material_on, normalized
from eval.weights import load_weights

_MEGABYTE = 1 << 20
_SHOWN_TB_WIN = 20_000  # centipawns
_SHORTEST_THOUGHT = 0.001  # seconds
_TIME_FOR_DISTANCES = 0.5  # seconds a move, with which Syzygy's distances are looked up: they may take a tenth
_PULSE = 0.05  # seconds between two looks at the signals
_COMPILING_PATIENCE = 6.0  # seconds that the kernels of another mode may take before the same
_PATIENCE = 2.0  # seconds that a reader of tables may take before `isready` is answered all the same


class Player:
    """One engine at one board. `go` blocks; `hear` comes from another thread meanwhile."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.game = Game()
        self._start = (START_FEN, False)  # where `game` began: FEN, and whether it is Chess960
        self._moves: tuple[str, ...] = ()  # its moves since, as they were written
        self._searcher: Search = Searcher()
        self._mode = "alphabeta"  # what `_searcher` is
        self._loading: threading.Thread | None = None  # of the kernels of another mode
        self._active: Search = self._searcher  # the search that a `go` uses
        self._repertoire = Repertoire(settings)
        self._tb_root = TbRoot(settings)
        self._chance = random.Random()  # noqa: S311  mistakes need no secrecy
        self._lock = threading.Lock()
        self._is_searching = False
        self._time_after_ponderhit: clock.Budget | None = None

    def load(self) -> None:
        """Make all kernels ready that a game needs, by using them."""
        game = Game()
        game.play(game.text(game.legal_moves()[0]))
        game.occurrences()
        self._searcher.run(game.position, Limits(depth=1))
        self._searcher.clear()

    def apply(self, option: Option) -> str | None:
        """Do what a changed option asks for; returns what a user should know. InputError if it cannot be done."""
        mode = self._settings.text("SearchMode")
        if mode != self._mode or is_looked_at(mode, option.name):
            self._searcher, self._mode = new_search(self._settings, self._hash()), mode
            self._loading = threading.Thread(target=load_kernels, args=(mode,), daemon=True)
            self._loading.start()
        elif option.name == "Hash":
            self._searcher.resize(self._hash())
        elif option.name == "Threads":
            self._searcher.set_threads(self._settings.number("Threads"))
        elif (option.name == "BookFile" and self._settings.text("BookFile")) or (
                option.name in ("BookFile", "OwnBook") and self._settings.flag("OwnBook")):
            self._repertoire.open()
        elif option.name == "Clear Hash":
            self._searcher.clear()
        elif option.name == "UCI_Chess960":
            self.game.position.chess960 = self._settings.flag("UCI_Chess960")
            self._start = ("", False)  # the next position is read anew
        return self._tb_root.apply(option.name)

    def _hash(self) -> int:
        """The size asked for, which must not exceed half of the machine's memory."""
        megabytes, most = self._settings.number("Hash"), psutil.virtual_memory().total // _MEGABYTE // 2
        if megabytes > most:
            raise InputError(f"Hash {megabytes} MB is more than half of this machine's memory, {most} MB")
        return megabytes

    def new_game(self) -> None:
        """Forget everything about earlier games."""
        self._searcher.clear()
        self._repertoire.begin_game()

    def set_position(self, fen: str | None, moves: Sequence[str]) -> None:
        """Go to a position by a FEN (None is the usual start) and moves; InputError changes nothing."""
        start = (START_FEN if fen is None else fen, self._settings.flag("UCI_Chess960"))
        played = len(self._moves)
        if start == self._start and self._moves == tuple(moves[:played]):
            game = self.game.copy()  # the game went on: only the new moves are played
            for text in moves[played:]:
                game.play(text)
        else:
            game = Game(*start, moves)
        self.game, self._start, self._moves = game, start, tuple(moves)
        self._tb_root.approach(game)

    def get_ready(self) -> None:
        """Wait, though not for ever, for what is still being read or compiled."""
        if self._loading is not None:
            self._loading.join(_COMPILING_PATIENCE)
        self._tb_root.wait(_PATIENCE)

    def go(self, order: Order, received: float, signals: Signals, report: Report) -> Result:
        """The book's move, or that of a search as ordered at the time `received`.

        It ends when a limit is met or the signals say stop.
        """
        advice = self._repertoire.advice(self.game, order)
        for remark in advice.remarks:
            report(Remark(remark))
        if advice.move is not None:
            return Result(advice.move, 0, 0, 0, time.perf_counter() - received, (advice.move,))
        self._active = self._searcher_for(order, report)
        level = self._level()
        verdict = self._ask_tables(order, signals, report) if level is None else None
        if verdict is not None and verdict.choices:
            return _told(verdict, time.perf_counter() - received, report)
        with self._lock:
            limits = self._limits(order, received, is_pondering=order.ponder and not signals.ponderhit.is_set())
            if level is not None:
                limits = limited(limits, level, self._settings.number("Threads"))
            if verdict is not None:
                limits = replace(limits, search_moves=verdict.open_moves)
            # In a draw the tables have no more to say, and the other side may go wrong; a weaker player has none.
            is_asking = level is None and not (verdict is not None and verdict.is_draw)
            self._active.set_tb(self._tb_root.for_search() if is_asking else no_tb())
            self._active.begin(self.game.position, limits)
            self._is_searching = True
            if signals.stop.is_set():
                self._active.stop()
        try:
            if verdict is not None and verdict.is_draw:
                return replace(self._active.finish(_drawing(report)), score=int(DRAW))
            if level is None:
                return self._active.finish(report)
            result = self._active.finish()
            if result.depth == 0 and result.move and not signals.stop.is_set():
                # So few nodes that not even one ply was finished for every candidate: the least that anybody sees.
                result = self._active.run(self.game.position, replace(limits, nodes=None, depth=1))
            return self._weakened(result, level, report)
        finally:
            with self._lock:
                self._is_searching = False
                self._active.forget_stop()

    def _searcher_for(self, order: Order, report: Report) -> Search:
        """The search of the mode; while that is being compiled, and a clock runs, alpha-beta, which always is."""
        if self._loading is not None and self._loading.is_alive():
            if _has_clock(order):
                report(Remark(f"{self._mode} is still being compiled: alpha-beta answers"))
                return Searcher(1)
            self._loading.join()
        return self._searcher

    def _ask_tables(self, order: Order, signals: Signals, report: Report) -> Verdict | None:
        """What the endgame tables say, when they are there. Only an order without a clock waits for them."""
        self._tb_root.approach(self.game)
        while not _has_clock(order) and not signals.stop.is_set() and not self._tb_root.wait(_PULSE):
            pass
        for complaint in self._tb_root.complaints():
            report(Remark(complaint))
        budget = None if order.infinite or order.ponder else self._budget(order)
        return self._tb_root.verdict(self.game, self._settings.number("MultiPV"),
                                      self._search_moves(order.search_moves),
                                      is_hurried=budget is not None and budget.hard < _TIME_FOR_DISTANCES)

    def _level(self) -> Level | None:
        """How far the strength is limited; None for not at all."""
        if not self._settings.flag("UCI_LimitStrength"):
            return None
        position = self.game.position
        return level_of(self._settings.number("UCI_Elo"), int(position.colors[1 - position.side]).bit_count() == 1)

    def _weakened(self, result: Result, level: Level, report: Report) -> Result:
        """The answer of a weaker player who has seen what this search has; its line is reported, and no other."""
        if not result.infos:
            return result
        last = max(place for place, info in enumerate(result.infos) if info.line_number == 1)
        chosen = replace(choose(result.infos[last:], level, self._chance), line_number=1)
        report(chosen)
        return replace(result, move=chosen.line[0], score=chosen.score, line=chosen.line)

    def hear(self, signals: Signals) -> None:
        """Tell the running search, if there is one, of signals that were just given."""
        with self._lock:
            if not self._is_searching:
                return
            if signals.stop.is_set():
                self._active.stop()
            elif signals.ponderhit.is_set() and self._time_after_ponderhit is not None:
                self._active.set_time(self._time_after_ponderhit.soft, self._time_after_ponderhit.hard)

    def texts(self, line: Sequence[int]) -> Iterator[str]:
        """The moves of a line as text."""
        return (format_move(self.game.position, move) for move in line)

    def description(self) -> Iterator[str]:
        """The position for a reader: a diagram, its FEN and its key, line by line."""
        yield from str(self._board()).splitlines()
        yield f"Fen: {self.game.fen()}"
        yield f"Key: {int(self.game.position.key):016X}"

    def mirrored_fen(self) -> str:
        """The position with the colours exchanged."""
        return self._board().mirror().fen(shredder=self._settings.flag("UCI_Chess960"))

    def _board(self) -> chess.Board:
        return chess.Board(self.game.fen(shredder=True), chess960=True)

    def verdict(self, score: int) -> tuple[int, Chances | None]:
        """A score as users are shown it (a hundred wins every second game), and the chances if they are asked for.

        A win by tables is worth a fixed sum, less the plies until they are reached.
        """
        material = material_on(self.game.position.board.tolist())
        shown = chances(score, material) if self._settings.flag("UCI_ShowWDL") else None
        if is_decisive(score):
            plies = int(TB_WIN) - abs(score)
            return (_SHOWN_TB_WIN - plies) * (1 if score > 0 else -1), shown
        return normalized(score, material), shown

    def explanation(self) -> tuple[Explanation, int, Chances]:
        """Why the evaluation says what it says; and its score in users' units, and the chances, from white's view."""
        explanation = explain(self.game.position, load_weights())
        material = material_on(self.game.position.board.tolist())
        return explanation, normalized(explanation.score, material), chances(explanation.score, material)

    def divide(self, depth: int) -> Iterator[tuple[str, int]]:
        """Each legal move as text, and how many positions are `depth` plies away by it."""
        out = empty_move_list()
        for move in self.game.legal_moves():
            game = self.game.copy()
            game.play(text := self.game.text(move))
            yield text, int(perft(game.position, out, depth - 1, COUNT_LAST_PLY)) if depth > 1 else 1

    def _limits(self, order: Order, received: float, is_pondering: bool) -> Limits:
        """The limits that the search gets. InputError names a search move that is none."""
        limits = Limits(depth=order.depth, nodes=order.nodes, mate=order.mate,
                        multipv=self._settings.number("MultiPV"), search_moves=self._search_moves(order.search_moves))
        budget = None if order.infinite else self._budget(order)
        self._time_after_ponderhit = budget if is_pondering else None
        if is_pondering or budget is None:
            return limits
        late = time.perf_counter() - received
        return replace(limits, soft_time=max(budget.soft - late, 0.0),
                       hard_time=max(budget.hard - late, _SHORTEST_THOUGHT))

    def _search_moves(self, texts: Sequence[str]) -> tuple[int, ...]:
        if not texts:
            return ()
        legal = {self.game.text(move): move for move in self.game.legal_moves()}
        for text in texts:
            if text not in legal:
                raise InputError(f"searchmoves names {text!r}, which is not a legal move here")
        return tuple(legal[text] for text in texts)

    def _budget(self, order: Order) -> clock.Budget | None:
        """The time for this move, or None if the order names neither a clock nor a time."""
        overhead = self._settings.number("Move Overhead") / 1000
        side = int(self.game.position.side)
        # A GUI that tells only the other side's clock is taken to mean both.
        left = order.times[side] if order.times[side] is not None else order.times[side ^ 1]
        budget = None
        if left is not None:
            hands = clock.Clock(left / 1000, order.increments[side] / 1000, order.moves_to_go)
            budget = clock.budget(hands, overhead)
            if len(self.game.legal_moves()) == 1:
                budget = clock.Budget(0.0, budget.hard)  # there is nothing to think about
        if order.movetime is None:
            return budget
        fixed = clock.fixed(order.movetime / 1000, overhead)
        return fixed if budget is None else clock.Budget(budget.soft, min(budget.hard, fixed.hard))


def _has_clock(order: Order) -> bool:
    return order.movetime is not None or any(left is not None for left in order.times)


def _told(verdict: Verdict, seconds: float, report: Report) -> Result:
    """The answer that the tables give, reported line by line as a search would."""
    infos = [Info(len(choice.line), len(choice.line), number, choice.score, 0, seconds, 0, choice.line, tb_hits=1)
             for number, choice in enumerate(verdict.choices, start=1)]
    for info in infos:
        report(info)
    best = verdict.choices[0]
    return Result(best.line[0], best.score, infos[0].depth, 0, seconds, best.line, infos)


def _drawing(report: Report) -> Report:
    """A report that tells of lines with the score of a draw, which is what they lead to."""

    def tell(found: Info | Progress | Remark) -> None:
        report(replace(found, score=int(DRAW), bound=Bound.EXACT) if isinstance(found, Info) else found)

    return tell
