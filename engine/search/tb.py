"""Which endgame tables a search may ask: a record that kernels read, filled by whoever owns the tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.kernel import record_dtype

TB = record_dtype([
    ("most_men", "i8"),  # with more men nobody is asked; 0 for never
    ("own_address", "i8"),  # the directory of the engine's own tables
    ("own_men", "i8"),
    ("syzygy_address", "i8"),  # what is open of Syzygy tables, or 0
    ("syzygy_men", "i8"),
    ("syzygy_depth", "i8"),  # the largest Syzygy tables are not asked nearer to the horizon
    ("fifty_moves_count", "i8"),  # whether a win that takes too long is a draw
])
TbRecord = Any


def no_tb() -> TbRecord:
    """No endgame tables at all."""
    return np.zeros(1, TB)[0]
