"""The endgame tables of a player: read into memory when few pieces are left, and probed at the root before a search."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from engine.core.game import Game
from engine.core.position import PositionRecord
from engine.player.options import Settings
from engine.search.scores import DRAW, MATE, MATE_BAND, TB_WIN
from engine.search.tb import TbRecord, no_tb
from engine.search.time_management import FOREVER
from engine.search.types import Bound, Info, InfoString, Progress, Report, Result
from engine.system.errors import InputError, message_of
from engine.system.files import user_path
from tablebase.background_reader import BackgroundReader
from tablebase.material import MAX_PIECES, PREFETCH_PIECES
from tablebase.root_ranking import BLESSED_LOSS, CURSED_WIN, DRAWS, IS_MATED, MATES, MAY_LOSE, MAY_WIN, WINS, RankedMove

if TYPE_CHECKING:
    from tablebase.syzygy.tables import SyzygyTables
    from tablebase.tables import OwnTables

_LONGEST_LINE = 100  # plies of a line that are shown
_SHARE_FOR_LINES = 0.3  # of the time for a move
_UNCERTAIN = (MAY_WIN, MAY_LOSE)
_DRAWN = (BLESSED_LOSS, DRAWS, CURSED_WIN)
_NEAR_SYZYGY = 3  # Syzygy tables are opened when there are this many pieces more than in the largest of them


@dataclass(frozen=True)
class TbLine:
    """A move whose value is known, and the best play after it."""

    score: int
    line: tuple[int, ...]


@dataclass(frozen=True)
class TbRootResult:
    """The result of a root probe: lines whose value is known, or the moves that are left to the search."""

    lines: tuple[TbLine, ...]  # the best first
    unresolved_moves: tuple[int, ...]  # () for all
    is_draw: bool = False  # whether the unresolved moves draw
    worse_lines: tuple[TbLine, ...] = ()  # to be shown after the unresolved moves, if more lines are wanted


class TbRoot:
    """The endgame tables of a player, as the settings choose them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._own: OwnTables | None = None
        self._syzygy: SyzygyTables | None = None
        self._opener = BackgroundReader()

    def apply_own_tables(self) -> None:
        """Do what a change of the options of the engine's own tables requires; InputError changes nothing."""
        try:
            self._own = self._open_own() if self._settings.table_path else None  # otherwise opened when needed
        except (OSError, ValueError, MemoryError) as error:
            raise InputError(message_of(error)) from error

    def apply_syzygy(self) -> str | None:
        """Open the Syzygy tables that the settings name; returns what they are. InputError changes nothing."""
        try:
            return self._open_syzygy()
        except (OSError, ValueError, MemoryError) as error:
            raise InputError(message_of(error)) from error

    def _open_own(self) -> OwnTables:
        """The engine's own tables, and those of a folder that the user names."""
        from tablebase.tables import BUILT_IN, OwnTables

        named = self._settings.table_path
        folders = [user_path(named)] if named else []
        if not all(any(folder.glob("*.tables")) for folder in folders):
            raise InputError(f"no tables in {named}")
        return OwnTables([*folders, BUILT_IN])

    def _open_syzygy(self) -> str | None:
        from tablebase.syzygy.tables import SyzygyTables

        text = self._settings.syzygy_path
        folders = [user_path(part) for part in text.split(os.pathsep) if part]
        if not folders:
            self._syzygy = None
            return None
        syzygy = SyzygyTables(folders)
        warnings = "; ".join(syzygy.take_warnings())
        if not syzygy.count:
            raise InputError(warnings or f"no Syzygy tables in {text}: their names look like KQvKR.rtbw")
        self._syzygy = syzygy
        summary = f"{syzygy.count} Syzygy tables with up to {syzygy.max_pieces} pieces"
        return f"{summary}; {warnings}" if warnings else summary

    def open_files(self) -> None:
        """Start opening the engine's own tables in the background, long before they are needed on the clock."""
        is_opening = not self._opener.wait(0)  # perhaps for a position, which must not be forgotten
        if self._settings.own_tables and self._own is None and not is_opening:
            self._opener.read([("endgame tables", self._open_and_prepare)])

    def _open_and_prepare(self, position: PositionRecord | None = None) -> None:
        """Open the engine's own tables if need be, and start reading what a game at this position may need."""
        if self._own is None:
            folder, own = self._settings.table_path, self._open_own()
            own.load_kernels()
            if self._own is None and folder == self._settings.table_path:  # nothing has changed meanwhile
                self._own = own
        if self._own is not None and position is not None:
            self._own.prepare(position)

    def is_close_to_tables(self, game: Game) -> bool:
        """Whether the game may soon need a table, which `prefetch_for` then starts to read."""
        return self._is_near_own(game) or self._is_near_syzygy(game)

    def _is_near_own(self, game: Game) -> bool:
        return self._settings.own_tables and _count_pieces(game) <= PREFETCH_PIECES

    def _is_near_syzygy(self, game: Game) -> bool:
        return self._syzygy is not None and _count_pieces(game) <= self._syzygy.max_pieces + _NEAR_SYZYGY

    def prefetch_for(self, game: Game) -> None:
        """Start reading, in the background, the tables that this game may soon need."""
        if self._is_near_own(game):
            if self._own is not None:
                self._own.prepare(game.position)
            else:
                position = game.position.copy()
                self._opener.read([("endgame tables", lambda: self._open_and_prepare(position))])
        if self._syzygy is not None and self._is_near_syzygy(game):
            self._syzygy.prepare(game.position)

    def wait(self, seconds: float | None) -> bool:
        """Wait for what is being read, at most this long for own tables and for Syzygy; returns whether all has been
        read.
        """
        return self._opener.wait(seconds) and all(
            tables.wait(seconds) for tables in (self._own, self._syzygy) if tables is not None)

    def is_ready_for(self, game: Game) -> bool:
        """Whether `probe` can answer for this game, or nothing that is being read would help it to."""
        is_opening = not self._opener.wait(0)  # asked before what it opens: so nothing is missed in between
        if self._is_covered_by_own(game):
            if is_opening and self._own is None:
                return False
            if self._own is not None and self._own.ranked_moves(game.position) is not None:
                return True
            if is_opening or (self._own is not None and not self._own.wait(0)):
                return False
        return not self._is_covered_by_syzygy(game) or self._is_syzygy_ready_for(game)

    def _is_covered_by_own(self, game: Game) -> bool:
        return self._settings.own_tables and _count_pieces(game) <= MAX_PIECES and not game.position.castling

    def _is_covered_by_syzygy(self, game: Game) -> bool:
        return self._syzygy is not None and _count_pieces(game) <= self._syzygy.max_pieces

    def _is_syzygy_ready_for(self, game: Game) -> bool:
        assert self._syzygy is not None
        return self._syzygy.wait(0) or self._syzygy.ranked_moves(
            game.position, self._settings.syzygy_50_move_rule) is not None

    def take_warnings(self) -> list[str]:
        """Problems with files since the last call."""
        return [warning for source in (self._opener, self._own, self._syzygy) if source is not None
                for warning in source.take_warnings()]

    def for_search(self) -> TbRecord:
        """The tables that a search may probe."""
        tb = no_tb()
        if self._own is not None and self._settings.own_tables:
            tb.own_address, tb.own_max_pieces = self._own.outcomes.address, self._own.max_pieces
        if self._syzygy is not None:
            tb.syzygy_address, tb.syzygy_max_pieces = self._syzygy.address, self._syzygy.max_pieces
            tb.syzygy_depth = self._settings.syzygy_probe_depth
            tb.use_rule50 = self._settings.syzygy_50_move_rule
        tb.max_pieces = max(int(tb.own_max_pieces), int(tb.syzygy_max_pieces))
        return tb

    def probe(self, game: Game, lines: int, allowed: Sequence[int], seconds: float | None) -> TbRootResult | None:
        """What the tables say about the game's position: up to `lines` lines, of `allowed` moves only if any are given.

        None if they say nothing. `seconds` is the time for this move; None for as long as it takes.
        """
        if self._own is not None and self._settings.own_tables:
            ranked_moves = [ranked for ranked in self._own.ranked_moves(game.position) or () if not allowed
                            or ranked.move in allowed]
            if ranked_moves:
                return self._by_rank(game, ranked_moves, lines, seconds)
        if self._syzygy is None or not self._is_covered_by_syzygy(game):
            return None
        by_distance = self._syzygy.ranked_moves(game.position, self._settings.syzygy_50_move_rule)
        if by_distance is None:
            return self._by_value(game, allowed)
        return self._by_distance([ranked for ranked in by_distance if not allowed or ranked.move in allowed], lines)

    def _by_rank(self, game: Game, ranked_moves: list[RankedMove], lines: int, seconds: float | None) -> TbRootResult:
        """The result by tables that know the distance to mate; `ranked_moves` has the best move first."""
        assert self._own is not None
        best = ranked_moves[0].outcome_class
        if best in _DRAWN or best in _UNCERTAIN:  # if it is not certain who wins, a search decides
            unresolved = tuple(ranked.move for ranked in ranked_moves if ranked.outcome_class == best)
            return TbRootResult((), unresolved, best in _DRAWN, _worse_lines(ranked_moves, unresolved, lines))
        deadline = FOREVER if seconds is None else time.perf_counter() + _SHARE_FOR_LINES * seconds
        certain = [ranked for ranked in ranked_moves if ranked.outcome_class not in _UNCERTAIN]
        return TbRootResult(tuple(TbLine(_score(ranked), self._own.line(game.position, ranked.move, _plies(ranked),
                                                                        deadline))
                             for ranked in certain[:lines]), ())

    def _by_distance(self, ranked_moves: list[RankedMove], lines: int) -> TbRootResult | None:
        """The result by Syzygy tables: the moves that make progress towards a win, or keep the best result."""
        if not ranked_moves:
            return None
        best = ranked_moves[0]
        unresolved = tuple(ranked.move for ranked in ranked_moves if ranked.rank == best.rank)
        return TbRootResult((), unresolved, best.outcome_class in _DRAWN, _worse_lines(ranked_moves, unresolved, lines))

    def _by_value(self, game: Game, allowed: Sequence[int]) -> TbRootResult | None:
        """The result by Syzygy tables without DTZ files: the moves that keep the best result."""
        assert self._syzygy is not None
        values = self._syzygy.values(game)
        known = {move: value for move, value in (values or {}).items() if not allowed or move in allowed}
        if not known:
            return None
        best = max(known.values())
        largest_draw = 1 if self._settings.syzygy_50_move_rule else 0  # a cursed win, a blessed loss
        unresolved = tuple(move for move, value in known.items() if value == best)
        return TbRootResult((), unresolved, is_draw=abs(best) <= largest_draw)


def report_tb_result(tb_result: TbRootResult, seconds: float, report: Report) -> Result:
    """The result of a probe that has lines, reported as a search would report them."""
    infos = [Info(len(line.line), len(line.line), number, line.score, 0, seconds, 0, line.line, tb_hits=1)
             for number, line in enumerate(tb_result.lines, start=1)]
    for info in infos:
        report(info)
    best = tb_result.lines[0]
    return Result(best.line[0], best.score, infos[0].depth, 0, seconds, best.line, infos)


def report_worse_too(report: Report, tb_result: TbRootResult) -> Report:
    """A report for the search of the unresolved moves: after the last of their lines come those that are worse."""
    if not tb_result.worse_lines:
        return report

    def report_all(reported: Info | Progress | InfoString) -> None:
        report(reported)
        if isinstance(reported, Info) and reported.multipv == len(tb_result.unresolved_moves):
            for number, line in enumerate(tb_result.worse_lines, start=reported.multipv + 1):
                report(replace(reported, multipv=number, score=line.score, bound=Bound.EXACT, pv=line.line, wdl=None))

    return report_all


def report_as_draw(report: Report) -> Report:
    """A report for the search of a position that the tables call a draw: every line gets that score."""

    def report_draw(reported: Info | Progress | InfoString) -> None:
        report(replace(reported, score=int(DRAW), bound=Bound.EXACT) if isinstance(reported, Info) else reported)

    return report_draw


def _worse_lines(ranked_moves: list[RankedMove], unresolved: tuple[int, ...], lines: int) -> tuple[TbLine, ...]:
    """The lines of the moves that a search of the `unresolved` ones leaves out, as far as `lines` are wanted."""
    worse = [ranked for ranked in ranked_moves if ranked.move not in unresolved]
    return tuple(TbLine(_outcome_score(ranked), (ranked.move,)) for ranked in worse[: max(lines - len(unresolved), 0)])


def _outcome_score(ranked: RankedMove) -> int:
    """The score of a move by its outcome alone: a single move is no line that reaches a mate."""
    if ranked.outcome_class in _DRAWN or ranked.outcome_class in _UNCERTAIN:
        return int(DRAW)
    return int(TB_WIN) if ranked.outcome_class in (MATES, WINS) else -int(TB_WIN)


def _score(ranked: RankedMove) -> int:
    """The score of a move. A mate is announced only if no defence can delay it."""
    if ranked.outcome_class in _DRAWN:
        return int(DRAW)
    score = int(MATE) - ranked.code
    if ranked.outcome_class not in (MATES, IS_MATED) or score < MATE_BAND:
        score = int(TB_WIN)
    return score if ranked.outcome_class in (MATES, WINS) else -score


def _plies(ranked: RankedMove) -> int:
    """How many plies of the line after a move are worth showing."""
    if ranked.outcome_class in _DRAWN:
        return 1
    return min(ranked.code, _LONGEST_LINE) if ranked.outcome_class in (MATES, IS_MATED) else _LONGEST_LINE


def _count_pieces(game: Game) -> int:
    return int(np.count_nonzero(game.position.board))
