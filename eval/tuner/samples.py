"""The tuner's samples: positions as sparse rows of feature counts, with the results of their games."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]

# One feature that a position has.
TERM = np.dtype([("feature", "u2"),  # the index of its weight
                 ("count", "i2")])  # White's minus Black's
# One position.
SAMPLE = np.dtype([("length", "u2"),  # how many terms it has
                   ("phase", "u1"),  # WHOLE_PHASE: middle game; 0: endgame
                   ("scale", "u1"),  # of WHOLE_SCALE
                   ("material", "u1"),  # on the board, as wdl.py counts it
                   ("result", "i1"),  # 1 White won, 0 draw, -1 Black won
                   ("score", "i2"),  # centipawns from White's view, by the search
                   ("game", "i4")], align=True)  # the number of the game it is from


@dataclass(frozen=True)
class Samples:
    """Positions: `rows`, an array of SAMPLE, and `terms`, an array of TERM, of which each row has `length`."""

    terms: Numbers
    rows: Numbers

    def __len__(self) -> int:
        return len(self.rows)

    def starts(self) -> npt.NDArray[np.int64]:
        """Where the terms of each position begin, and finally where they end."""
        return np.concatenate([[0], np.cumsum(self.rows["length"], dtype=np.int64)])

    @classmethod
    def join(cls, parts: Iterable[Samples]) -> Samples:
        """All parts, one after the other."""
        listed = list(parts)
        return cls(np.concatenate([np.zeros(0, TERM), *(part.terms for part in listed)]),
                   np.concatenate([np.zeros(0, SAMPLE), *(part.rows for part in listed)]))
