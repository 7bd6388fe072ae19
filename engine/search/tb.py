"""Which endgame tables a search may ask: a record that kernels read, filled by whoever owns the tables."""

from __future__ import annotations

from engine.kernel.records import I8, Fields, dtype_of, new_record


class TbRecord(Fields):
    """Which endgame tables a search may ask, and how."""

    most_men: I8  # with more men nobody is asked; 0 for never
    own_address: I8  # the directory of the engine's own tables
    own_men: I8
    syzygy_address: I8  # what is open of Syzygy tables, or 0
    syzygy_men: I8
    syzygy_depth: I8  # the largest Syzygy tables are not asked nearer to the horizon
    fifty_moves_count: I8  # whether a win that takes too long is a draw


TB = dtype_of(TbRecord)


def no_tb() -> TbRecord:
    """No endgame tables at all."""
    return new_record(TbRecord)
