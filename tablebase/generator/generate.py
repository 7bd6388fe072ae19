"""Generating endgame tables: one ending at a time, each with several threads, and each verified when it is done."""

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
from tablebase.generator.dtm import run_pass
from tablebase.generator.dtz import run_reset_pass
from tablebase.generator.work_table import NOBODY, WorkTableRecord, child_number, empty_bench
from tablebase.indexing import ViewRecord, set_view, shape_of
from tablebase.material import PROMOTIONS, Ending, ending_of

_HIGHEST_NARROW_CODE = 250
_PARTS_A_THREAD = 4  # so that threads do not wait long for the last one

Report = Callable[[str], None]


@dataclass(frozen=True)
class Values:
    """The finished endgame table of an ending."""

    ending: Ending
    codes: Codes

    @property
    def longest(self) -> int:
        """Plies of the longest mate; -1 if there is none."""
        illegal = NARROW_ILLEGAL if self.codes.itemsize == 1 else ILLEGAL
        return int(self.codes.max(initial=0, where=self.codes != illegal)) - 1


class ContradictionError(Exception):
    """An endgame table contradicts itself: a bug, or a hardware fault."""


def generate(ending: Ending, finished: Mapping[Ending, Values], threads: int = 1,
             report: Report = lambda _: None) -> Values:
    """The mates of an ending, given those of all endings it can lead to. `report` is told what is being done."""
    return _MateGenerator(ending, finished, threads, report).run()


def generate_resets(mates: Values, finished: Mapping[Ending, Values], threads: int = 1,
                    report: Report = lambda _: None) -> Codes:
    """How soon the fifty-move counter is reset on the way to the mates; codes as in `tablebase.generator.dtz`.

    Correct only if no mate of the ending, or of one that it can lead to, takes more than fifty moves.
    """
    return _ResetGenerator(mates, finished, threads, report).run()


class _Generator:
    """What both generators share: a draft, and threads that pass over it."""

    def __init__(self, ending: Ending, finished: Mapping[Ending, Values], threads: int, report: Report) -> None:
        self._ending, self._threads, self._report = ending, threads, report
        self._children = {child: finished[child] for child in ending.next_endings()}
        self._cells = int(np.prod(shape_of(ending)))
        self._draft = self._new_draft()
        self._pool: ThreadPoolExecutor

    def _new_draft(self) -> WorkTableRecord:
        """The record that kernels work on, without the cells of the ending itself."""
        draft = new_record(WorkTableRecord)
        pieces = self._ending.pieces
        draft.pieces[: len(pieces)], draft.radix[: len(pieces)] = pieces, shape_of(self._ending)[1:]
        draft.others = len(pieces)
        draft.has_pawns, draft.has_pawns_of_both = self._ending.has_pawns, self._ending.has_pawns_of_both
        set_view(draft.own, pieces)
        set_view(draft.resets, pieces)
        for number, child in _children(pieces):
            if child:
                set_view(draft.children[number], child)
                _set_cells(draft.children[number], self._children[ending_of(child)[0]].codes)
        return draft

    def _in_parts(self, kernel: EntryPoint[Any, Any], task: int, known: int, *rest: Any) -> list[int]:
        """The results of a pass over all cells, part by part."""
        parts = self._threads * _PARTS_A_THREAD if self._threads > 1 else 1
        bounds = [self._cells * part // parts for part in range(parts + 1)]
        work = [self._pool.submit(kernel, self._draft, empty_bench(), task, first, last, known, *rest)
                for first, last in itertools.pairwise(bounds)]
        return [int(part.result()) for part in work]

    def _complain(self, found: list[int]) -> None:
        """ContradictionError if a pass has found a position whose code does not follow from its moves."""
        wrong = [place for place in found if place >= 0]
        if wrong:
            cell, side = divmod(min(wrong), 2)
            raise ContradictionError(f"{self._ending.name}: cell {cell}, side {side}, does not follow from its moves")


class _MateGenerator(_Generator):
    def __init__(self, ending: Ending, finished: Mapping[Ending, Values], threads: int, report: Report) -> None:
        super().__init__(ending, finished, threads, report)
        is_wide = any(child.codes.itemsize > 1 for child in self._children.values())
        self._codes: Codes = np.zeros((2, self._cells), np.uint16 if is_wide else np.uint8)
        _set_cells(self._draft.own, self._codes)
        self._en_passant_cells = np.zeros(0, np.int64)

    def run(self) -> Values:
        with ThreadPoolExecutor(self._threads) as self._pool:
            self._report("legal positions")
            self._pass(dtm.MARK_ILLEGAL)
            if self._ending.has_pawns_of_both:
                self._find_en_passant_cells()
            self._report("mates and captures")
            longest = max(self._pass(dtm.BEGIN))
            code = 1
            while code <= longest:
                self._report(f"ply {code - 1}")
                if code + 2 > _HIGHEST_NARROW_CODE:
                    self._widen()
                longest = max(longest, *self._pass(dtm.STEP_BACK, code))
                if self._en_passant_cells.size:
                    longest = max(longest, self._in_one(dtm.STEP_EN_PASSANT, code))
                code += 1
            self._report("check")
            self._check()
        return Values(self._ending, self._codes)

    def _pass(self, task: int, known: int = 0) -> list[int]:
        return self._in_parts(run_pass, task, known, self._en_passant_cells)

    def _in_one(self, task: int, known: int = 0) -> int:
        """The result of a pass over all positions that allow en passant."""
        return int(run_pass(self._draft, empty_bench(), task, 0, self._cells, known, self._en_passant_cells))

    def _find_en_passant_cells(self) -> None:
        self._en_passant_cells = np.zeros(self._in_one(dtm.LIST_EN_PASSANT), np.int64)
        self._in_one(dtm.LIST_EN_PASSANT)

    def _widen(self) -> None:
        """Continue with two bytes per cell: the codes no longer fit into one."""
        if self._codes.itemsize == 1:
            wide = self._codes.astype(np.uint16)
            wide[wide == NARROW_ILLEGAL] = ILLEGAL
            self._codes = wide
            _set_cells(self._draft.own, wide)

    def _check(self) -> None:
        self._complain(self._pass(dtm.FIND_WRONG))


class _ResetGenerator(_Generator):
    def __init__(self, mates: Values, finished: Mapping[Ending, Values], threads: int, report: Report) -> None:
        super().__init__(mates.ending, finished, threads, report)
        self._codes: Codes = np.zeros(mates.codes.shape, np.uint8)  # no code exceeds 2 * 100 + 1
        self._mates = np.ascontiguousarray(mates.codes)
        _set_cells(self._draft.own, self._mates)
        _set_cells(self._draft.resets, self._codes)

    def run(self) -> Codes:
        with ThreadPoolExecutor(self._threads) as self._pool:
            self._report("captures and pawn moves")
            longest = max(self._in_parts(run_reset_pass, dtz.BEGIN, 0))
            code = 1
            while code <= longest:
                self._report(f"ply {code // 2} to the next capture or pawn move")
                longest = max(longest, *self._in_parts(run_reset_pass, dtz.STEP_BACK, code))
                code += 1
            self._report("check")
            self._check()
        return self._codes

    def _check(self) -> None:
        self._complain(self._in_parts(run_reset_pass, dtz.FIND_WRONG, 0))


def _children(pieces: tuple[int, ...]) -> list[tuple[int, list[int]]]:
    """The child number of every capture and promotion, and the men that are left."""
    found = []
    for captured in (*range(len(pieces)), int(NOBODY)):
        left = [place for place in range(len(pieces)) if place != captured]
        if captured != NOBODY:
            found.append((int(child_number(captured, int(NOBODY), 0)), [pieces[place] for place in left]))
        for promoted in left:
            if pieces[promoted] % 8 == PAWN and (captured == NOBODY or pieces[captured] // 8 != pieces[promoted] // 8):
                for kind in PROMOTIONS:
                    men = [pieces[place] if place != promoted else pieces[place] - int(PAWN) + kind for place in left]
                    found.append((int(child_number(captured, promoted, kind)), men))
    return found


def _set_cells(view: ViewRecord, codes: Codes) -> None:
    view.width = 8 * codes.itemsize
    view.address[:] = [codes[side].ctypes.data for side in range(2)]
