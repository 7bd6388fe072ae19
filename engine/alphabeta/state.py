"""The record that one search thread works in: limits, counters, stacks by ply and histories. Nothing is shared but the
transposition table, the endgame tables and the stop flag, which are reached by their addresses.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.alphabeta.params import PARAMS, ParamsRecord, default_params
from engine.alphabeta.transpositions import clear_words
from engine.core.movegen import MAX_MOVES, MOVE_LIST, MOVE_LIST_PLIES
from engine.host import zeroed_memory
from engine.kernel import record_dtype, record_type
from engine.search.scores import MAX_PLY
from engine.search.tb import TB
from eval.cache import EVAL_CACHE
from eval.choice import Evaluation, built_in
from eval.network.memory import ACCUMULATORS, PLIES
from eval.weights import WEIGHTS
from tablebase.syzygy.records import SCRATCH

STACK = MAX_PLY + 8
# No ply has other bits. Masking it tells the compiler that it is not negative, which saves a test at every use as an
# index: there are dozens in a node.
PLY_MASK = np.int64(255)
BEFORE_ROOT = np.int64(4)  # rows of the move stack that stand for moves before the root

PIECE_SQUARES = 1024  # [piece * 64 + square]: the piece that moved and where to
CORRECTION_SLOTS = 16_384
CORRECTION_MASK = np.uint64(CORRECTION_SLOTS - 1)
REDUCTION_ROWS = 64
MOST_TRIED = 64

STATE = record_dtype([
    # Limits; the kernel reads the clock and the stop flag whenever `nodes` has reached `next_poll`.
    ("nodes", "i8"),
    ("next_poll", "i8"),
    ("node_limit", "i8"),
    ("deadline", "i8"),  # nanoseconds of the monotonic clock
    ("stop_address", "i8"),
    ("stopped", "i8"),
    # What the search has done.
    ("leaves", "i8"),  # positions at the horizon
    ("cuts", "i8"),  # nodes that a move ended because its score was at least beta
    ("first_cuts", "i8"),  # of those, by the first move
    # The transposition table.
    ("tt_address", "i8"),
    ("tt_buckets", "i8"),
    ("generation", "i8"),
    # The endgame tables.
    ("tb", TB),
    ("tb_hits", "i8"),  # UCI's tbhits
    ("tb_scratch", SCRATCH),
    # The root.
    ("root_depth", "i8"),
    ("root_score", "i8"),  # of the line in pv[0], also when the iteration is broken off
    ("window_alpha", "i8"),
    ("window_beta", "i8"),
    ("window_width", "i8"),
    ("line", "u2", STACK),  # the best line that is known, from the root on
    ("line_length", "i8"),
    ("line_score", "i8"),
    ("line_bound", "i8"),  # what that score is: EXACT, LOWER or UPPER
    ("line_scores", "i4", MAX_MOVES),  # what helpers know of the lines of MultiPV
    ("finished_depth", "i8"),  # of the last iteration that was not broken off
    ("deepest", "i8"),  # UCI's seldepth
    ("root_count", "i8"),
    ("root_moves", "u2", MAX_MOVES),
    ("root_nodes", "i8", MAX_MOVES),  # nodes spent below each root move
    ("first_root_move", "i8"),  # MultiPV: the moves before this one are taken
    ("current_move", "i8"),  # the root move being searched, for UCI's currmove
    ("current_number", "i8"),
    ("lines_are_cut", "i8"),  # nobody wants to know the line: in quiescence its nodes are cut off like all others
    ("null_floor", "i8"),  # no null move at a ply smaller than this: one is being verified
    # By ply.
    ("static_evals", "i4", STACK),
    ("rests", "i4", STACK),  # what the static evaluation is more than material, squares and the right to move
    ("slots", "u2", STACK),  # [BEFORE_ROOT + ply]: piece and square of the move made there; 0 for none
    ("moves", "u2", STACK),  # the move made there
    ("excluded", "u2", STACK),  # the move that a singular search leaves out
    ("extended", "i4", STACK),  # how often the line was extended twice
    ("psq", "i8", STACK),  # material and piece-square sum, packed
    ("killers", "u2", (STACK, 2)),
    ("pv", "u2", (STACK, STACK)),
    ("pv_length", "u1", STACK),
    # The picker's, by ply.
    ("stage", "u1", STACK),
    ("begin", "u4", STACK),
    ("cursor", "u4", STACK),
    ("end", "u4", STACK),
    ("bad_end", "u4", STACK),
    ("specials", "u2", (STACK, 3)),  # killers and counter move that were handed out: both may change meanwhile
    ("tried_quiets", "u2", (STACK, MOST_TRIED)),  # moves that did not cut, for the histories
    ("tried_noisies", "u2", (STACK, MOST_TRIED)),
    ("list", MOVE_LIST),
    ("ranked", "i8", MOVE_LIST_PLIES * MAX_MOVES),  # the same moves with their scores, see ordering.py
    # Histories.
    ("counter_moves", "u2", PIECE_SQUARES),
    ("quiet_history", "i2", (2, 64 * 64)),
    ("noisy_history", "i2", (PIECE_SQUARES, 8)),  # [piece and square, captured type]
    ("continuation", "i2", (PIECE_SQUARES, PIECE_SQUARES)),
    ("pawn_correction", "i2", (2, CORRECTION_SLOTS)),
    ("non_pawn_correction", "i2", (2, 2, CORRECTION_SLOTS)),
    ("continuation_correction", "i2", CORRECTION_SLOTS),  # [the last two moves, hashed]
    # What tuning may change.
    ("params", PARAMS),
    ("reductions", "i4", (2, REDUCTION_ROWS, REDUCTION_ROWS)),  # [quiet, depth, moves], 1024ths of a ply
    ("weights", WEIGHTS),
    ("cache", EVAL_CACHE),
    ("accumulators", ACCUMULATORS),  # of the network, if there is one: then it evaluates, else the features do
])
StateRecord = Any
STATE_TYPE = record_type(STATE)

_ALIGNMENT = 128  # of what follows a state in memory
_STATE_SIZE = STATE.itemsize + -STATE.itemsize % _ALIGNMENT
assert STACK <= PLIES

HISTORY_FIELDS = ("killers", "counter_moves", "quiet_history", "noisy_history", "continuation", "pawn_correction",
                  "non_pawn_correction", "continuation_correction")


def new_state(params: ParamsRecord | None = None, evaluation: Evaluation | None = None) -> StateRecord:
    """The state of a new search thread, with empty histories. The caller keeps the evaluation as long as the state."""
    judge = built_in() if evaluation is None else evaluation
    network_memory = judge.network.thread_size if judge.network is not None else 0
    memory = zeroed_memory(_STATE_SIZE + network_memory)
    state = np.frombuffer(memory, STATE, 1)[0]
    set_params(state, default_params() if params is None else params)
    state["weights"] = judge.weights
    if judge.network is not None:
        judge.network.connect(state["accumulators"], memory[_STATE_SIZE:])
    return state


def set_params(state: StateRecord, params: ParamsRecord) -> None:
    """Give the state its parameters, and work out the table of reductions."""
    state["params"] = params
    logs = [0.0] + [math.log(number) for number in range(1, REDUCTION_ROWS)]
    products = np.outer(logs, logs)
    state["reductions"][0] = products * params.lmr_noisy_factor
    state["reductions"][1] = params.lmr_base + products * params.lmr_factor
    state["reductions"][:, 0, :] = 0
    state["reductions"][:, :, 0] = 0


def clear_histories(state: StateRecord) -> None:
    """Forget what earlier searches learned: a new game begins."""
    for field in (*(state[name] for name in HISTORY_FIELDS), state.cache.structures, state.cache.scores):
        clear_words(field.ctypes.data, field.nbytes // 8)  # without the GIL: other threads may be at work
