"""Generates tables, one ending at a time with several threads, and verifies each."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.core.bits import PAWN
from engine.kernel import EntryPoint
from engine.kernel.records import new_record
from tablebase.codes import ILLEGAL, NARROW_ILLEGAL
from tablebase.files import Codes
from tablebase.generator import dtm, dtz
from tablebase.generator.dtm import run_dtm_pass
from tablebase.generator.dtz import run_dtz_pass
from tablebase.generator.work_table import NO_INDEX, WorkTableRecord, child_index, empty_scratch
from tablebase.indexing import ViewRecord, set_view, shape_of
from tablebase.material import PROMOTIONS, Ending, ending_of

_HIGHEST_NARROW_CODE = 250
_PARTS_PER_THREAD = 4  # more than one, so that threads do not wait long for the last one

Report = Callable[[str], None]


@dataclass(frozen=True)
class Values:
    """The finished DTM codes of an ending, [side to move, cell]."""

    ending: Ending
    codes: Codes

    @property
    def longest(self) -> int:
        """Plies of the longest mate; -1 if there is none."""
        illegal = NARROW_ILLEGAL if self.codes.itemsize == 1 else ILLEGAL
        return int(self.codes.max(initial=0, where=self.codes != illegal)) - 1


class ContradictionError(Exception):
    """A table contradicts itself: a bug, or a hardware fault."""


def generate(ending: Ending, finished: Mapping[Ending, Values], threads: int = 1,
             report: Report = lambda _: None) -> Values:
    """Generate the DTM of an ending, given those of all endings it can lead to. `report` receives the progress."""
    return _DtmGenerator(ending, finished, threads, report).run()


def generate_dtz(dtm_values: Values, finished: Mapping[Ending, Values], threads: int = 1,
                    report: Report = lambda _: None) -> Codes:
    """Generate the DTZ of an ending, with the codes of `tablebase.generator.dtz`.

    Correct only if no mate of the ending, or of one that it can lead to, takes more than fifty moves.
    """
    return _DtzGenerator(dtm_values, finished, threads, report).run()


class _Generator:
    """The base of both generators: a work table, and threads that run passes over it."""

    def __init__(self, ending: Ending, finished: Mapping[Ending, Values], threads: int, report: Report) -> None:
        self._ending, self._threads, self._report = ending, threads, report
        self._children = {child: finished[child] for child in ending.next_endings()}
        self._cells = int(np.prod(shape_of(ending)))
        self._table = self._new_table()
        self._pool: ThreadPoolExecutor

    def _new_table(self) -> WorkTableRecord:
        """The record that kernels work on, without the cells of the ending itself."""
        table = new_record(WorkTableRecord)
        pieces = self._ending.pieces
        table.pieces[: len(pieces)], table.radix[: len(pieces)] = pieces, shape_of(self._ending)[1:]
        table.others = len(pieces)
        table.has_pawns, table.has_pawns_of_both = self._ending.has_pawns, self._ending.has_pawns_of_both
        set_view(table.own, pieces)
        set_view(table.dtz, pieces)
        for number, child in _children(pieces):
            if child:
                set_view(table.children[number], child)
                _set_cells(table.children[number], self._children[ending_of(child)[0]].codes)
        return table

    def _in_parts(self, kernel: EntryPoint[Any, Any], task: int, known: int, *rest: Any) -> list[int]:
        """Run a pass over all cells in parts; return the result of each part."""
        parts = self._threads * _PARTS_PER_THREAD if self._threads > 1 else 1
        bounds = [self._cells * part // parts for part in range(parts + 1)]
        work = [self._pool.submit(kernel, self._table, empty_scratch(), task, first, last, known, *rest)
                for first, last in itertools.pairwise(bounds)]
        return [int(part.result()) for part in work]

    def _raise_if_wrong(self, results: list[int]) -> None:
        """ContradictionError if a FIND_WRONG pass found a position whose code contradicts its moves."""
        wrong = [result for result in results if result >= 0]
        if wrong:
            cell, side = divmod(min(wrong), 2)
            raise ContradictionError(f"{self._ending.name}: cell {cell}, side {side} contradicts its moves")


class _DtmGenerator(_Generator):
    def __init__(self, ending: Ending, finished: Mapping[Ending, Values], threads: int, report: Report) -> None:
        super().__init__(ending, finished, threads, report)
        is_wide = any(child.codes.itemsize > 1 for child in self._children.values())
        self._codes: Codes = np.zeros((2, self._cells), np.uint16 if is_wide else np.uint8)
        _set_cells(self._table.own, self._codes)
        self._en_passant_cells = np.zeros(0, np.int64)

    def run(self) -> Values:
        with ThreadPoolExecutor(self._threads) as self._pool:
            self._report("legal positions")
            self._pass(dtm.MARK_ILLEGAL)
            if self._ending.has_pawns_of_both:
                self._find_en_passant_cells()
            self._report("mates and captures")
            longest = max(self._pass(dtm.INITIALIZE))
            code = 1
            while code <= longest:
                self._report(f"ply {code - 1}")
                if code + 2 > _HIGHEST_NARROW_CODE:
                    self._widen()
                longest = max(longest, *self._pass(dtm.RETRACT, code))
                if self._en_passant_cells.size:
                    longest = max(longest, self._in_one(dtm.UPDATE_EN_PASSANT, code))
                code += 1
            self._report("check")
            self._check()
        return Values(self._ending, self._codes)

    def _pass(self, task: int, known: int = 0) -> list[int]:
        return self._in_parts(run_dtm_pass, task, known, self._en_passant_cells)

    def _in_one(self, task: int, known: int = 0) -> int:
        """Run a pass in one part; return its result."""
        return int(run_dtm_pass(self._table, empty_scratch(), task, 0, self._cells, known, self._en_passant_cells))

    def _find_en_passant_cells(self) -> None:
        self._en_passant_cells = np.zeros(self._in_one(dtm.LIST_EN_PASSANT), np.int64)
        self._in_one(dtm.LIST_EN_PASSANT)

    def _widen(self) -> None:
        """Continue with two bytes per cell, because the codes no longer fit into one."""
        if self._codes.itemsize == 1:
            wide = self._codes.astype(np.uint16)
            wide[wide == NARROW_ILLEGAL] = ILLEGAL
            self._codes = wide
            _set_cells(self._table.own, wide)

    def _check(self) -> None:
        self._raise_if_wrong(self._pass(dtm.FIND_WRONG))


class _DtzGenerator(_Generator):
    def __init__(self, dtm_values: Values, finished: Mapping[Ending, Values], threads: int, report: Report) -> None:
        super().__init__(dtm_values.ending, finished, threads, report)
        self._codes: Codes = np.zeros(dtm_values.codes.shape, np.uint8)  # no code exceeds 2 * 100 + 1
        self._dtm = np.ascontiguousarray(dtm_values.codes)
        _set_cells(self._table.own, self._dtm)
        _set_cells(self._table.dtz, self._codes)

    def run(self) -> Codes:
        with ThreadPoolExecutor(self._threads) as self._pool:
            self._report("captures and pawn moves")
            longest = max(self._in_parts(run_dtz_pass, dtz.INITIALIZE, 0))
            code = 1
            while code <= longest:
                self._report(f"ply {code // 2} to the next zeroing move")
                longest = max(longest, *self._in_parts(run_dtz_pass, dtz.RETRACT, code))
                code += 1
            self._report("check")
            self._check()
        return self._codes

    def _check(self) -> None:
        self._raise_if_wrong(self._in_parts(run_dtz_pass, dtz.FIND_WRONG, 0))


def _children(pieces: tuple[int, ...]) -> list[tuple[int, list[int]]]:
    """The child index of every capture and promotion, and the pieces after it."""
    children = []
    for captured in (*range(len(pieces)), int(NO_INDEX)):
        left = [index for index in range(len(pieces)) if index != captured]
        if captured != NO_INDEX:
            children.append((int(child_index(captured, int(NO_INDEX), 0)), [pieces[index] for index in left]))
        for promoted in left:
            is_possible = captured == NO_INDEX or pieces[captured] // 8 != pieces[promoted] // 8
            if pieces[promoted] % 8 == PAWN and is_possible:
                for piece_type in PROMOTIONS:
                    after = [pieces[index] + (piece_type - int(PAWN) if index == promoted else 0) for index in left]
                    children.append((int(child_index(captured, promoted, piece_type)), after))
    return children


def _set_cells(view: ViewRecord, codes: Codes) -> None:
    view.width = 8 * codes.itemsize
    view.address[:] = [codes[side].ctypes.data for side in range(2)]
