"""Which endgame tables a search may probe: a record that kernels read, filled by the owner of the tables."""

from __future__ import annotations

from engine.kernel.records import I8, Fields, new_record


class TbRecord(Fields):
    """Which endgame tables a search may probe, and how."""

    max_pieces: I8  # positions with more pieces are not probed; 0 for none at all
    own_address: I8  # the directory of the engine's own tables
    own_max_pieces: I8
    syzygy_address: I8  # the directory of the Syzygy tables that are open, or 0
    syzygy_max_pieces: I8
    syzygy_depth: I8  # the largest Syzygy tables are not probed with less depth left
    use_rule50: I8  # whether a win that the fifty-move rule forestalls is a draw


def no_tb() -> TbRecord:
    """No endgame tables at all."""
    return new_record(TbRecord)
