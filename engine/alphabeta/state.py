"""The record that one search thread works in: limits, counters, stacks by ply and histories. Only the transposition
table, the endgame tables, the network and the stop flag are shared; they are reached by their addresses.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from engine.alphabeta.leaf_reservoir import LeafReservoirRecord
from engine.alphabeta.params import ParamsRecord, default_params
from engine.alphabeta.tt import clear_words
from engine.core.movegen import MAX_MOVES, MOVE_LIST_PLIES, MoveListRecord
from engine.core.position import POSITION_TYPE
from engine.kernel import inline, int64, record_type
from engine.kernel.intrinsics import function_at
from engine.kernel.records import I4, I8, U1, U2, U4, U8, Fields, Numbers, dtype_of
from engine.search.scores import MAX_PLY
from engine.search.tb import TbRecord
from engine.system.host import zeroed_memory
from eval.cache import EvalCacheRecord
from eval.evaluator import Evaluator, built_in_evaluator
from eval.network.memory import PLIES, AccumulatorsRecord
from eval.weights import WeightsRecord
from tablebase.syzygy.records import ScratchRecord

STACK_SIZE = MAX_PLY + 8
ROOT_OFFSET = np.int64(4)  # frames before the root's: those of the moves that led to it, which are not known

# Every ply fits into these bits. Masking it tells the compiler that it is not negative, which saves a test each time it
# is used as an index: dozens in a node.
PLY_MASK = np.int64(255)
PAWN_HISTORY_SIZE = 512
PIECE_TO_SIZE = 1024  # [piece * 64 + square]: the piece that moved and where to
CORRECTION_SIZE = 1 << 14
CORRECTION_MASK = np.uint64(CORRECTION_SIZE - 1)
REDUCTION_ROWS = 64
MAX_TRIED = 64
COUNTED_DEPTHS = 64  # remaining depths whose nodes are counted; the last stands for all deeper ones


class FrameRecord(Fields):
    """One ply of a search thread's stack."""

    psq: I8  # packed material and piece-square sum, for the features
    threats: U8  # squares that the other side attacks, if the histories use them
    attacked_by_lesser: Annotated[Numbers, "u8", 3]  # by its pawns; by minor pieces as well; by rooks as well
    static_eval: I4  # corrected; NO_SCORE in check
    positional_eval: I4  # the static evaluation without material, piece-square values and tempo
    double_extensions: I4  # in the line up to here
    move_history: I4  # the history score of the move made here; 0 unless it is quiet
    # The move picker's range in `move_list` and `scored_moves`.
    moves_begin: U4
    moves_cursor: U4
    moves_end: U4
    bad_noisy_end: U4
    piece_to: U2  # piece and target square of the move made here; 0 for none
    move: U2  # the move made here
    excluded_move: U2  # the move that a singular search leaves out
    killers: Annotated[Numbers, "u2", 2]
    refutations: Annotated[Numbers, "u2", 3]  # killers and counter move as handed out: the originals may have changed
    tt_pv: U1  # whether the position is or was in a PV
    stage: U1  # of the move picker
    pv_length: U1


class StateRecord(Fields):
    """The state of a search thread."""

    # Limits; the kernel reads the clock and the stop flag whenever `nodes` has reached `next_poll`.
    nodes: I8
    next_poll: I8
    node_limit: I8
    deadline: I8  # nanoseconds of the monotonic clock
    stop_address: I8
    stopped: I8
    # Counters.
    leaf_nodes: I8  # positions at the horizon
    beta_cutoffs: I8
    first_move_cutoffs: I8  # those caused by the first move
    tt_probes: I8
    tt_hits: I8
    reduced_searches: I8  # of late moves
    re_searches: I8  # of moves whose reduced search failed high
    nodes_by_depth: Annotated[Numbers, "i8", COUNTED_DEPTHS]  # entered with this remaining depth; [0] in quiescence
    leaves: LeafReservoirRecord
    # The transposition table.
    tt_address: I8
    tt_buckets: I8
    tt_generation: I8
    # The endgame tables.
    tb: TbRecord
    tb_hits: I8  # UCI's tbhits
    tb_scratch: ScratchRecord
    # The root.
    root_depth: I8
    root_score: I8  # of the line in pv[0], even if the iteration is aborted
    window_alpha: I8
    window_beta: I8
    window_width: I8
    window_fails: I8  # how often in succession the window was too low
    best_line: Annotated[Numbers, "u2", STACK_SIZE]  # the best known line, from the root
    line_length: I8
    line_score: I8
    line_bound: I8  # what that score is: EXACT, LOWER or UPPER
    multipv_scores: Annotated[Numbers, "i4", MAX_MOVES]  # a helper's scores of the MultiPV lines
    completed_depth: I8  # of the last iteration that was not aborted
    seldepth: I8  # UCI's seldepth
    root_count: I8
    root_moves: Annotated[Numbers, "u2", MAX_MOVES]
    root_nodes: Annotated[Numbers, "i8", MAX_MOVES]  # nodes spent below each root move
    first_root_move: I8  # MultiPV: the moves before this one are taken
    current_move: I8  # the root move being searched, for UCI's currmove
    current_move_number: I8
    pv_is_not_needed: I8  # the caller does not need the PV: quiescence may cut its nodes off by the TT like all others
    nmp_min_ply: I8  # no null move at a lower ply than this: one is being verified
    # By ply.
    stack: Annotated[Numbers, FrameRecord, STACK_SIZE + int(ROOT_OFFSET)]  # see frame_at
    pv: Annotated[Numbers, "u2", (STACK_SIZE, STACK_SIZE)]  # the line from each ply on; its length is in the frame
    tried_quiets: Annotated[Numbers, "u2", (STACK_SIZE, MAX_TRIED)]  # moves that did not cut, for the histories
    tried_noisies: Annotated[Numbers, "u2", (STACK_SIZE, MAX_TRIED)]
    move_list: MoveListRecord
    # the same moves with their scores, see movepicker.py
    scored_moves: Annotated[Numbers, "i8", MOVE_LIST_PLIES * MAX_MOVES]
    # Histories.
    counter_moves: Annotated[Numbers, "u2", PIECE_TO_SIZE]
    quiet_history: Annotated[Numbers, "i2", (2, 4, 64 * 64)]  # [side, threat_index, from and to]
    capture_history: Annotated[Numbers, "i2", (PIECE_TO_SIZE, 8)]  # [piece and square, captured type]
    continuation_history: Annotated[Numbers, "i2", (PIECE_TO_SIZE, PIECE_TO_SIZE)]
    pawn_history: Annotated[Numbers, "i2", (PAWN_HISTORY_SIZE, PIECE_TO_SIZE)]  # [pawns, hashed; piece and square]
    pawn_correction: Annotated[Numbers, "i2", (2, CORRECTION_SIZE)]
    non_pawn_correction: Annotated[Numbers, "i2", (2, 2, CORRECTION_SIZE)]
    continuation_correction: Annotated[Numbers, "i2", CORRECTION_SIZE]  # [the last two moves, hashed]
    # What tuning may change.
    params: ParamsRecord
    reductions: Annotated[Numbers, "i4", (2, REDUCTION_ROWS, REDUCTION_ROWS)]  # [quiet, depth, moves], 1024ths of a ply
    weights: WeightsRecord
    cache: EvalCacheRecord
    accumulators: AccumulatorsRecord  # of the network, which evaluates if there is one; else the features do


STATE = dtype_of(StateRecord)
STATE_TYPE = record_type(STATE)
_ALIGNMENT = 128  # of what follows a state in memory
_STATE_SIZE = STATE.itemsize + -STATE.itemsize % _ALIGNMENT
assert STACK_SIZE <= PLIES
HISTORY_FIELDS = ("stack", "counter_moves", "quiet_history", "capture_history", "continuation_history",
                  "pawn_history", "pawn_correction", "non_pawn_correction", "continuation_correction")


@inline
def frame_at(state, ply):
    """The frame of `ply`, which may be as low as -ROOT_OFFSET: the plies before the root have frames as well."""
    return state.stack[ROOT_OFFSET + ply]


def new_state(params: ParamsRecord | None = None, evaluation: Evaluator | None = None) -> StateRecord:
    """The state of a new search thread, with empty histories. The caller must keep the evaluation alive as long."""
    evaluator = built_in_evaluator() if evaluation is None else evaluation
    network_memory = evaluator.network.thread_size if evaluator.network is not None else 0
    memory = zeroed_memory(_STATE_SIZE + network_memory)
    state: StateRecord = np.frombuffer(memory, STATE, 1)[0]
    set_params(state, default_params() if params is None else params)
    state["weights"] = evaluator.weights
    if evaluator.network is not None:
        evaluator.network.attach(state["accumulators"], memory[_STATE_SIZE:])
    return state


def set_params(state: StateRecord, params: ParamsRecord) -> None:
    """Set the parameters of a state, and compute its table of reductions."""
    state["params"] = params
    logs = [0.0] + [math.log(number) for number in range(1, REDUCTION_ROWS)]
    products = np.outer(logs, logs)
    state["reductions"][0] = products * params.lmr_noisy_factor
    state["reductions"][1] = params.lmr_base + products * params.lmr_factor
    state["reductions"][:, 0, :] = 0
    state["reductions"][:, :, 0] = 0


def clear_histories(state: StateRecord) -> None:
    """Forget what earlier searches learned, for a new game."""
    for field in (*(state[name] for name in HISTORY_FIELDS), state.cache.structures, state.cache.scores):
        clear_words(field.ctypes.data, field.nbytes // 8)  # without the GIL: other threads may be at work


def root_pv(state: StateRecord) -> tuple[int, ...]:
    """The principal variation of the last search from the root."""
    length = int(state.stack["pv_length"][ROOT_OFFSET])
    return tuple(state.pv[0, :length].tolist())


# call_search(address, pos, state, depth, alpha, beta, ply) is search_from(pos, state, depth, alpha, beta, ply).
call_search = function_at(POSITION_TYPE, STATE_TYPE, int64, int64, int64, int64)
