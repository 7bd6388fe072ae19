"""What the weights are learned from: positions as sparse rows of feature counts, with what became of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[Any]


@dataclass(frozen=True)
class Samples:
    """Positions one after the other: of `features` and `counts` each takes the next `lengths` many."""

    features: Words  # places of weights
    counts: Words  # white's less black's
    lengths: Words
    phases: Words  # WHOLE_PHASE: middle game; 0: endgame
    scales: Words  # of WHOLE_SCALE
    materials: Words  # on the board, as outcome.py counts it
    scores: Words  # centipawns from white's view, as the search said
    results: Words  # 1 white won, 0 draw, -1 black won
    games: Words  # a number for the game each is from

    def __len__(self) -> int:
        return len(self.lengths)

    @classmethod
    def join(cls, parts: Iterable[Samples]) -> Samples:
        """All parts, one after the other."""
        listed = list(parts)
        if not listed:
            return cls(*(np.zeros(0, np.int16) for _ in fields(cls)))
        return cls(*(np.concatenate([getattr(part, field.name) for part in listed]) for field in fields(cls)))
