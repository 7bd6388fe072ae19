"""The record of one thread of a tree search, used besides its alpha-beta state, which values leaves."""

from __future__ import annotations

from typing import Annotated

from engine.core.movegen import MAX_MOVES
from engine.core.position import PositionRecord
from engine.kernel import record_type
from engine.kernel.records import F8, I8, U8, Fields, Numbers, dtype_of, new_record
from engine.mcts.params import TreeParamsRecord
from engine.mcts.sampling import GroupsRecord
from eval.wdl import FULL_MATERIAL

LONGEST_PATH = 256  # plies from the root; the tree grows no deeper


class WorkerRecord(Fields):
    """The data of one thread."""

    # Limits, checked every few iterations.
    iterations: I8
    iteration_limit: I8
    position_limit: I8
    deadline: I8  # nanoseconds of the monotonic clock
    stop_address: I8
    # The tree.
    pool: I8  # the address of the nodes
    pool_capacity: I8
    pool_counter: I8  # the address of the number of nodes in use
    root: I8
    root_moves: Annotated[Numbers, "u2", MAX_MOVES]  # the moves to search at the root
    root_count: I8
    is_first: I8  # of the threads: it also searches the root, see root_search.py
    root_search_depth: I8  # completed by that search
    root_search_nodes: I8
    is_full: I8  # the pool had no room for an expansion
    is_frozen: I8  # expansion has ended, because there is no time to free space
    stops_when_proven: I8  # whether the search ends when the root is proven
    shared: I8  # the address of the table of shared_values.py
    shared_entries: I8
    # The path down the tree.
    path: Annotated[Numbers, "i8", LONGEST_PATH + 1]
    keys: Annotated[Numbers, "u8", LONGEST_PATH + 1]  # of the positions
    piece_to: Annotated[Numbers, "u2", LONGEST_PATH + 1]  # of the moves to them, see `piece_to_index`; 0 at the root
    priors: Annotated[Numbers, "f8", MAX_MOVES]
    policy: I8  # the address of the learned policy; 0 for none
    see_ok: Annotated[Numbers, "u1", MAX_MOVES]  # whether a move loses no material, for the policy
    move_history: Annotated[Numbers, "f4", (2, 64 * 64)]  # [side, from and to]: see learning.py
    # Leaves and playouts.
    search_address: I8  # the machine code of the alpha-beta search
    random: U8
    groups: GroupsRecord
    playout_position: PositionRecord
    # [material on the board]: from scores to values, see values.py.
    spreads: Annotated[Numbers, "f8", FULL_MATERIAL + 1]
    odds: Annotated[Numbers, "f8", FULL_MATERIAL + 1]
    # The spread of the values of the visits: see values.py.
    value_sum: F8
    value_squares: F8
    exploration_factor: F8  # multiplies the exploration constant
    # Counters.
    seldepth: I8
    depth_sum: I8
    playouts: I8
    playout_plies: I8
    unfinished_playouts: I8  # playouts that reached the maximum length
    params: TreeParamsRecord


WORKER = dtype_of(WorkerRecord)
WORKER_TYPE = record_type(WORKER)

_WEYL_STEP = 0x9E37_79B9_7F4A_7C15  # two to the power of 64, divided by the golden ratio


def new_worker(params: TreeParamsRecord, number: int, seed: int) -> WorkerRecord:
    """The record of one thread; the same number and seed give the same random numbers."""
    worker = new_record(WorkerRecord)
    worker["params"] = params
    worker.exploration_factor = 1.0
    worker.is_first = number == 0
    # xorshift must not start at 0, and threads should start far apart.
    worker.random = ((seed + 1) * _WEYL_STEP + number * 0xD1B5_4A32_D192_ED03) % (1 << 64) | 1
    return worker
