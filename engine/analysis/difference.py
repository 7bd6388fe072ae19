"""Why a move is worse than another: everything that can be proven of the difference, the most telling first.

One function for all callers: given a comparison of two moves, with lines and a search after null moves, it returns
statements with their claims. Of a bad move the first one is the reason for its mark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.analysis.comparison import MoveComparison, Statement
from engine.analysis.line_material import material_statements, promotion_statements
from engine.analysis.move_facts import move_statements
from engine.analysis.quiet_ends import positional_statements
from engine.analysis.sacrifices import sacrifice_statements
from engine.analysis.threats import threat_statements

_EXPLAINERS: tuple[Callable[[MoveComparison], Iterator[Statement]], ...] = (
    material_statements, promotion_statements, threat_statements, sacrifice_statements, move_statements,
    positional_statements)


def statements(comparison: MoveComparison) -> list[Statement]:
    """What the better move does that the other does not, or the reverse, by falling rank."""
    found = [statement for explain in _EXPLAINERS for statement in explain(comparison)]
    return sorted(found, key=lambda statement: -statement.rank)
