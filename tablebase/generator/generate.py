"""Making endgame tables: one ending after the other, each by several threads, each checked when it is done."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.core.bits import PAWN
from tablebase.codes import ILLEGAL, NARROW_ILLEGAL
from tablebase.generator.draft import DRAFT, NOBODY, DraftRecord, child_number, empty_bench
from tablebase.generator.retrograde import (
    BEGIN,
    FIND_WRONG,
    LIST_EN_PASSANT,
    MARK_ILLEGAL,
    STEP_BACK,
    STEP_EN_PASSANT,
    run_pass,
)
from tablebase.geometry import pairs_of, set_view, shape_of
from tablebase.material import PROMOTIONS, Ending, ending_of

_HIGHEST_NARROW_CODE = 250
_PARTS_A_THREAD = 4  # so that no thread waits long for the last

Codes = npt.NDArray[Any]  # [side to move, cell], of one or two bytes
Report = Callable[[str], None]


@dataclass(frozen=True)
class Values:
    """The finished table of an ending."""

    ending: Ending
    codes: Codes


class ContradictionError(Exception):
    """An endgame table contradicts itself: a fault of the program or of the machine."""


def generate(ending: Ending, finished: Mapping[Ending, Values], threads: int = 1,
             report: Report = lambda _: None) -> Values:
    """The table of an ending, from those of all endings it can turn into. `report` hears what is being done."""
    return _Generator(ending, finished, threads, report).run()


class _Generator:
    def __init__(self, ending: Ending, finished: Mapping[Ending, Values], threads: int, report: Report) -> None:
        self._ending, self._threads, self._report = ending, threads, report
        self._children = {child: finished[child] for child in ending.next_endings()}
        is_wide = any(child.codes.itemsize > 1 for child in self._children.values())
        self._codes: Codes = np.zeros((2, int(np.prod(shape_of(ending)))), np.uint16 if is_wide else np.uint8)
        self._draft = self._new_draft()
        self._en_passant_cells = np.zeros(0, np.int64)

    def run(self) -> Values:
        with ThreadPoolExecutor(self._threads) as pool:
            self._pool = pool
            self._report("legal positions")
            self._in_parts(MARK_ILLEGAL)
            if self._ending.has_pawns_of_both:
                self._find_en_passant_cells()
            self._report("mates and captures")
            longest = max(self._in_parts(BEGIN))
            code = 1
            while code <= longest:
                self._report(f"ply {code - 1}")
                if code + 2 > _HIGHEST_NARROW_CODE:
                    self._widen()
                longest = max(longest, *self._in_parts(STEP_BACK, code))
                if self._en_passant_cells.size:
                    longest = max(longest, self._in_one(STEP_EN_PASSANT, code))
                code += 1
            self._report("check")
            self._check()
        return Values(self._ending, self._codes)

    def _new_draft(self) -> DraftRecord:
        """The record that kernels work on."""
        draft = np.zeros(1, DRAFT)[0]
        pieces = self._ending.pieces
        shape = shape_of(self._ending)
        draft.pieces[: len(pieces)], draft.radix[: len(pieces)] = pieces, shape[1:]
        draft.others, draft.pair_cells = len(pieces), int(np.prod(shape[1:]))
        draft.has_pawns, draft.has_pawns_of_both = self._ending.has_pawns, self._ending.has_pawns_of_both
        set_view(draft.own, pieces)
        _set_cells(draft.own, self._codes)
        for number, child in _children(pieces):
            if child:
                set_view(draft.children[number], child)
                _set_cells(draft.children[number], self._children[ending_of(child)[0]].codes)
        return draft

    def _in_one(self, task: int, known: int = 0) -> int:
        """The result of a pass over all positions that allow en passant."""
        return int(run_pass(self._draft, empty_bench(), task, 0, pairs_of(self._ending), known, self._en_passant_cells))

    def _in_parts(self, task: int, known: int = 0) -> list[int]:
        """The results of a pass over all cells, part by part."""
        pairs = pairs_of(self._ending)
        parts = min(self._threads * _PARTS_A_THREAD, pairs) if self._threads > 1 else 1
        bounds = [pairs * part // parts for part in range(parts + 1)]
        cells = self._en_passant_cells
        work = [self._pool.submit(run_pass, self._draft, empty_bench(), task, first, last, known, cells)
                for first, last in itertools.pairwise(bounds)]
        return [int(part.result()) for part in work]

    def _find_en_passant_cells(self) -> None:
        self._en_passant_cells = np.zeros(self._in_one(LIST_EN_PASSANT), np.int64)
        self._in_one(LIST_EN_PASSANT)

    def _widen(self) -> None:
        """Go on with two bytes a cell: the codes outgrow one."""
        if self._codes.itemsize == 1:
            wide = self._codes.astype(np.uint16)
            wide[wide == NARROW_ILLEGAL] = ILLEGAL
            self._codes = wide
            _set_cells(self._draft.own, wide)

    def _check(self) -> None:
        """ContradictionError unless every position has the code of its best move."""
        wrong = [found for found in self._in_parts(FIND_WRONG) if found >= 0]
        if wrong:
            cell, side = divmod(min(wrong), 2)
            raise ContradictionError(f"{self._ending.name}: cell {cell}, side {side}, does not follow from its moves")


def _children(pieces: tuple[int, ...]) -> list[tuple[int, list[int]]]:
    """The number of every capture and promotion, and the men it leaves."""
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


def _set_cells(view: Any, codes: Codes) -> None:
    view.width = 8 * codes.itemsize
    view.address[:] = [codes[side].ctypes.data for side in range(2)]
