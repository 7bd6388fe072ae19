"""Neighbouring positions of a game whose scores contradict each other, to be searched again for longer.

A position cannot be worth less than the move played makes it, nor more than its best move if that is the one played.
Where the scores say so, one of them is wrong; both are searched again, the later one first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import chess

from engine.analysis.review import GameSlice, PositionEval, SearchEffort, slices_between

_CONTRADICTION = 0.10  # of the expected score on the human curve
_MOST, _FEWEST = 0.25, 4  # of the positions of a game: those with the largest contradictions


def contradicting_plies(moves: Sequence[chess.Move], evals: Sequence[PositionEval]) -> set[int]:
    """The positions to search again, by the number of moves before them."""
    sizes = [(_contradiction(move, here, there), ply)
             for ply, (move, (here, there)) in enumerate(zip(moves, pairwise(evals), strict=True))]
    found = set[int]()
    for size, ply in sorted(sizes, key=lambda item: (-item[0], item[1])):
        if size < _CONTRADICTION or len(found) + 2 > max(_MOST * len(evals), _FEWEST):
            break
        found.update(number for number in (ply, ply + 1) if evals[number].line)
    return found


def _contradiction(move: chess.Move, here: PositionEval, there: PositionEval) -> float:
    gained = 1 - there.score.human_expected - here.score.human_expected
    return abs(gained) if here.move == move else gained


def contradicting_slices(board: chess.Board, moves: Sequence[chess.Move], evals: Sequence[PositionEval],
                         effort: SearchEffort) -> list[GameSlice]:
    """Slices of the positions to search again, four times as long; neighbours are in one slice."""
    plies = contradicting_plies(moves, evals)
    begins = sorted(ply for ply in plies if ply - 1 not in plies)
    ends = sorted(ply + 1 for ply in plies if ply + 1 not in plies)
    deeper = effort.for_positions().times_four()
    return list(slices_between(board, moves, zip(begins, ends, strict=True), deeper, has_glances=False))


def with_corrections(evals: Sequence[PositionEval], moves: Sequence[chess.Move],
                     corrected: Sequence[Sequence[PositionEval]]) -> list[PositionEval]:
    """The evaluations with those of the positions that were searched again."""
    found, again = list(evals), iter([position_eval for part in corrected for position_eval in part])
    for ply in sorted(contradicting_plies(moves, evals)):
        old, new = evals[ply], next(again)
        found[ply] = replace(new, glance=old.glance, nodes=old.nodes + new.nodes)
    return found
