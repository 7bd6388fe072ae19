"""The record that one thread of a tree search works in, beside the state of the alpha-beta that values its leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.movegen import MAX_MOVES
from engine.core.position import POSITION
from engine.kernel import record_dtype, record_type
from engine.mcts.params import PARAMS, ParamsRecord
from engine.mcts.sampling import GROUPS

LONGEST_PATH = 256  # plies from the root; the tree grows no deeper

WORKER = record_dtype([
    # Limits, read after every few iterations.
    ("iterations", "i8"),
    ("iteration_limit", "i8"),
    ("deadline", "i8"),  # nanoseconds of the monotonic clock
    ("stop_address", "i8"),
    # The tree.
    ("pool", "i8"),  # the address of the nodes
    ("pool_capacity", "i8"),
    ("pool_counter", "i8"),  # the address of the number of nodes in use
    ("root", "i8"),
    ("root_moves", "u2", MAX_MOVES),  # the moves that the root may play
    ("root_count", "i8"),
    ("is_full", "i8"),  # the pool had no room for an expansion
    ("is_frozen", "i8"),  # nothing is expanded any more: there is no time to make room
    ("ends_with_proof", "i8"),  # whether nothing is left to do when the root is proven
    # The way down.
    ("path", "i8", LONGEST_PATH + 1),
    ("priors", "f8", MAX_MOVES),
    # Leaves and playouts.
    ("search_address", "i8"),  # the machine code of the alpha-beta search
    ("random", "u8"),
    ("groups", GROUPS),
    ("playground", POSITION),
    # Counters.
    ("deepest", "i8"),
    ("depth_sum", "i8"),
    ("playouts", "i8"),
    ("playout_plies", "i8"),
    ("unfinished", "i8"),  # playouts that were called a draw because they took too long
    ("params", PARAMS),
])
WorkerRecord = Any
WORKER_TYPE = record_type(WORKER)

_GOLDEN = 0x9E37_79B9_7F4A_7C15


def new_worker(params: ParamsRecord, number: int, seed: int) -> WorkerRecord:
    """The record of one of several threads; the same number and seed give the same chance events."""
    worker = np.zeros(1, WORKER)[0]
    worker["params"] = params
    # xorshift must not start at 0, and numbers next to each other should not start alike.
    worker.random = ((seed + 1) * _GOLDEN + number * 0xD1B5_4A32_D192_ED03) % (1 << 64) | 1
    return worker
