"""What a person sees of a position: how far, how much of the judgement, and which moves do not come to mind."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.kernel import record_dtype, record_type

SIGHT = record_dtype([
    ("blindness", "i8"),  # per mille: how often an ordinary capture is overlooked one ply ahead
    ("chain", "i8"),  # plies of captures that are followed where nothing else is looked at
    ("knowledge", "i8"),  # per cent: how much of the evaluation is understood; the rest counts men
    ("margin", "i8"),  # centipawns: how much worse than the best a move may be and still have an exact value
    ("seed", "u8"),  # of the game: what is overlooked in a position stays overlooked
])
SightRecord = Any
SIGHT_TYPE = record_type(SIGHT)


class Sight(NamedTuple):
    """The same for callers in Python; `depth` is plies, a fraction of one is looked at now and then."""

    depth: float
    blindness: float
    chain: float
    knowledge: float
    margin: float


def write_sight(record: SightRecord, sight: Sight, seed: int) -> None:
    """Let kernels see so."""
    record.blindness, record.chain = round(sight.blindness), round(sight.chain)
    record.knowledge, record.margin, record.seed = round(sight.knowledge), round(sight.margin), seed


def new_sight() -> SightRecord:
    """A record of somebody who sees nothing yet."""
    return np.zeros(1, SIGHT)[0]
