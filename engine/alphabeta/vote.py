"""The vote of the threads: which of their best lines is played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.alphabeta.iterations import PvLine
from engine.search.scores import is_win

_LOWEST_VOTE = 14  # centipawns: the weight of the lowest score in the vote; higher ones count by their difference


class ThreadResult(NamedTuple):
    """The line that one thread found, and the depth of its last completed iteration."""

    depth: int
    line: PvLine


def vote(candidates: Sequence[ThreadResult]) -> ThreadResult:
    """The thread that wins the vote. Each votes for its move by depth and score; a proven win needs no vote."""
    eligible = [candidate for candidate in candidates if candidate.depth > 0]
    if not eligible:
        return candidates[0]
    lowest = min(candidate.line.score for candidate in eligible)
    votes: dict[int, int] = {}
    for depth, line in eligible:
        weight = (line.score - lowest + _LOWEST_VOTE) * depth
        votes[line.moves[0]] = votes.get(line.moves[0], 0) + weight
    if any(is_win(line.score) for _, line in eligible):
        return max(eligible, key=lambda candidate: candidate.line.score)
    return max(eligible, key=lambda candidate: (votes[candidate.line.moves[0]], candidate.depth,
                                                candidate is candidates[0]))
