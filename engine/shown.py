"""Scores as people are shown them: one scale for UCI and commands, on which a hundred wins every second game."""

from __future__ import annotations

from engine.core.position import PositionRecord
from engine.search.scores import TB_WIN, is_decisive
from eval.explain import Explanation, explain
from eval.outcome import Chances, chances, material_on, normalized
from eval.weights import load_weights

_SHOWN_TB_WIN = 20_000  # centipawns
_VALUES = bytes(material_on((piece,)) for piece in range(256))  # [piece]: summed without a loop in Python


def shown_score(position: PositionRecord, score: int) -> int:
    """A score that is no mate, in users' centipawns. A win by tables is a fixed sum, less the plies to reach them."""
    if is_decisive(score):
        plies = int(TB_WIN) - abs(score)
        return (_SHOWN_TB_WIN - plies) * (1 if score > 0 else -1)
    return normalized(score, _material(position))


def shown_chances(position: PositionRecord, score: int) -> Chances:
    """Wins, draws and losses per thousand games that a score stands for."""
    return chances(score, _material(position))


def explained(position: PositionRecord) -> tuple[Explanation, int, Chances]:
    """Why the evaluation says what it says; and its score in users' units, and the chances, from white's view."""
    explanation = explain(position, load_weights())
    return explanation, shown_score(position, explanation.score), shown_chances(position, explanation.score)


def _material(position: PositionRecord) -> int:
    return sum(position["board"].tobytes().translate(_VALUES))
