"""The WDL model: from a score to the probabilities of win, draw and loss; logistic, fitted to self-play games.

The side to move wins with probability 1 / (1 + exp((even - score) / spread)), loses by the same formula for the
negative score, and draws otherwise. `even` is the score that wins half of the games: it is higher with few pieces left.

Its parameters are in the weight file, since other weights give other scores, and in a network's file: `tune weights`
fits weights and model, `tune wdl` the model of a network.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from engine.core.piece_values import PIECE_VALUES
from eval.weight_file import read_weight_file

FULL_MATERIAL = 78  # of both sides at the start
SPREAD_UNIT = 50.0
WDL_TOTAL = 1000  # the games that wins, draws and losses add up to
_STEEPEST = 50.0  # beyond this many spreads nothing changes


class WdlModel(NamedTuple):
    """`even` and the logarithm of `spread` are linear in the fraction of the material that is on the board."""

    even_base: float
    even_slope: float
    spread_base: float
    spread_slope: float

    def even_score(self, material: int) -> float:
        """The score in centipawns that wins half of the games with this much material on the board."""
        return self.even_base + self.even_slope * min(material, FULL_MATERIAL) / FULL_MATERIAL

    def spread(self, material: int) -> float:
        """The width of the logistic curve around `even_score`, in centipawns."""
        fraction = min(material, FULL_MATERIAL) / FULL_MATERIAL
        return SPREAD_UNIT * math.exp(self.spread_base + self.spread_slope * fraction)


class Wdl(NamedTuple):
    """Wins, draws and losses per thousand games for one side, usually the side to move."""

    win: int
    draw: int
    loss: int


def material_on(board: Iterable[int]) -> int:
    """The material of the pieces on these squares."""
    return sum(PIECE_VALUES[piece & 7] for piece in board)


@cache
def features_wdl_model() -> WdlModel:
    """The model of the features with the engine's own weights."""
    return WdlModel(*read_weight_file().outcome)


def normalized_score(score: int, material: int, model: WdlModel | None = None) -> int:
    """The score in users' centipawns, on the scale where +100 wins half of the games."""
    return round(100 * score / (model or features_wdl_model()).even_score(material))


def wdl_of(score: int, material: int, model: WdlModel | None = None) -> Wdl:
    """The WDL of a score from the side to move's view; the default is the model of the features."""
    used = model or features_wdl_model()
    win, loss = _win_rate(score, material, used), _win_rate(-score, material, used)
    return Wdl(win, WDL_TOTAL - win - loss, loss)


def format_wdl_model(model: WdlModel) -> str:
    """A one-line description of a model."""
    few, full = model.even_score(FULL_MATERIAL // 4), model.even_score(FULL_MATERIAL)
    return f"half of the games are won at {full:+.0f} centipawns with all material, at {few:+.0f} with a quarter of it"


def _win_rate(score: int, material: int, model: WdlModel) -> int:
    exponent = (model.even_score(material) - score) / model.spread(material)
    return round(WDL_TOTAL / (1 + math.exp(max(-_STEEPEST, min(exponent, _STEEPEST)))))
