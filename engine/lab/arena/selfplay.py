"""A whole game inside one kernel: two search states play each other at fixed nodes, with no Python between their moves.

The kernel runs without the GIL, so that as many games can be played in parallel as there are cores.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from engine.alphabeta.deepening import iterative_deepening
from engine.alphabeta.root_moves import init_root
from engine.alphabeta.state import STATE_TYPE, StateRecord
from engine.core.bits import EMPTY, popcount
from engine.core.draws import is_fifty_moves, is_insufficient_material, repetition_count
from engine.core.movegen import checkers_and_pinned
from engine.core.position import POSITION_TYPE, PositionRecord, make, occupied_squares, unmake
from engine.core.splitmix import GOLDEN, mix
from engine.kernel import entry, inline, int64, kernel, record_type
from engine.kernel.intrinsics import load_atomic, multiply_high
from engine.kernel.records import I8, U8, Fields, Numbers, dtype_of
from engine.lab.arena.game_rows import GAME_ROWS_TYPE, pack_into
from tablebase.codes import OUTCOME_DRAW, OUTCOME_WIN, UNKNOWN
from tablebase.probe import directory_at, outcome_with_rule50

LONGEST_GAME = 600  # plies

FAIRNESS_NODES = np.int64(2000)
_MOST_ATTEMPTS = 1000  # to draw a fair opening, before the position is played as it is
_FAIRNESS_PER_MOVE = np.int64(4)  # times the nodes of a move, if that is less: or openings would cost as much as games

# How a game ended.
MATE, STALEMATE, REPETITION, FIFTY_MOVES, MATERIAL, TOO_LONG, CALLED_EVEN, CALLED_WON, KNOWN, STOPPED = range(10)
REASONS = ("checkmate", "stalemate", "threefold repetition", "fifty moves", "insufficient material",
           f"{LONGEST_GAME // 2} moves", "adjudicated: both call it even", "adjudicated: both agree on the winner",
           "adjudicated: by endgame tables", "stopped")


class SelfPlayRecord(Fields):
    """A game played inside a kernel."""

    # The request.
    soft_nodes: I8  # no iteration starts after this many
    hard_nodes: I8  # an iteration is aborted after this many
    search_address: I8  # the machine code of `search_from`
    stop_address: I8
    draw_score: I8  # negative for never
    draw_plies: I8
    draw_from: I8  # plies after the opening, before which no game is adjudicated a draw
    win_score: I8  # INFINITE for never
    win_plies: I8
    fair_score: I8  # the largest advantage that a random opening may give
    random: U8  # the state of the generator
    random_plies: I8  # an opening begins with this many random moves, or one more
    tb_address: I8  # the directory of endgame tables
    tb_pieces: I8  # with at most this many pieces they decide the game; 0 for never
    # The result.
    count: I8
    moves: Annotated[Numbers, "u2", LONGEST_GAME]
    scores: Annotated[Numbers, "i2", LONGEST_GAME]  # from the mover's view
    result: I8  # 1 White wins, 0 draw, -1 Black wins
    reason: I8
    nodes: I8


GAME = dtype_of(SelfPlayRecord)
Rows = np.ndarray[Any, Any]
GAME_TYPE = record_type(GAME)


@inline
def _ending(pos, state, game):
    """Why the game is over in `pos`, where `init_root` has just listed the moves; -1 if it is not."""
    checkers, _ = checkers_and_pinned(pos)
    if state.root_count == 0:
        return np.int64(MATE) if checkers != EMPTY else np.int64(STALEMATE)
    if repetition_count(pos) >= 2:
        return np.int64(REPETITION)
    if is_fifty_moves(pos):
        return np.int64(FIFTY_MOVES)
    if is_insufficient_material(pos):
        return np.int64(MATERIAL)
    if game.count >= LONGEST_GAME:
        return np.int64(TOO_LONG)
    if load_atomic(game.stop_address) != 0:
        return np.int64(STOPPED)
    return np.int64(-1)


@inline
def _known_outcome(pos, game):
    """The outcome for the side to move by the endgame tables; UNKNOWN if they do not decide the game."""
    if popcount(occupied_squares(pos)) > game.tb_pieces:
        return UNKNOWN
    return outcome_with_rule50(pos, directory_at(game.tb_address))


@kernel
def _play_on(pos, white, black, game):
    """Play until the game is over; sets result and reason."""
    even = won = lost = np.int64(0)  # plies in a row with such a score, from White's view
    while True:
        state = white if pos.side == 0 else black
        init_root(pos, state)
        game.reason = _ending(pos, state, game)
        if game.reason >= 0:
            game.result = np.int64(0) if game.reason != MATE else (np.int64(-1) if pos.side == 0 else np.int64(1))
            return
        outcome = _known_outcome(pos, game)
        if outcome != UNKNOWN:
            game.reason = KNOWN
            game.result = 0 if outcome == OUTCOME_DRAW else (1 if (outcome == OUTCOME_WIN) == (pos.side == 0) else -1)
            return
        # Scores come last: a game with a winning score may just have ended in mate or stalemate.
        if even >= game.draw_plies and game.count >= game.draw_from:
            game.reason, game.result = CALLED_EVEN, 0
            return
        if won >= game.win_plies or lost >= game.win_plies:
            game.reason, game.result = CALLED_WON, (1 if won > lost else -1)
            return
        score = iterative_deepening(pos, state, game.search_address, game.soft_nodes, game.hard_nodes)
        game.nodes += state.nodes
        move = np.int64(state.root_moves[0])
        game.moves[game.count] = move
        game.scores[game.count] = score
        game.count += 1
        white_score = score if pos.side == 0 else -score
        make(pos, move)
        even = even + 1 if abs(white_score) <= game.draw_score else np.int64(0)
        won = won + 1 if white_score >= game.win_score else np.int64(0)
        lost = lost + 1 if white_score <= -game.win_score else np.int64(0)


@inline
def _random_number(game, count):
    """A number from 0 to `count` - 1, by the generator splitmix64."""
    game.random += GOLDEN
    return multiply_high(mix(game.random), np.uint64(count))


@kernel
def _play_randomly(pos, state, game, plies):
    """Make up to `plies` random moves, recorded in `game`; returns the number made before legal moves ran out."""
    for ply in range(plies):
        init_root(pos, state)
        if state.root_count == 0:
            return np.int64(ply)
        game.moves[ply] = state.root_moves[_random_number(game, state.root_count)]
        make(pos, np.int64(game.moves[ply]))
    return np.int64(plies)


@kernel
def _draw_opening(pos, state, game):
    """Play random moves, determined by `game.random`, until a short search finds neither side far ahead.

    If that does not happen, `pos` stays as it is.
    """
    nodes = min(FAIRNESS_NODES, _FAIRNESS_PER_MOVE * game.soft_nodes)
    for _ in range(_MOST_ATTEMPTS):
        plies = game.random_plies + _random_number(game, np.int64(2))  # so that either side may move first
        played = _play_randomly(pos, state, game, plies)
        init_root(pos, state)
        if played == plies and state.root_count > 0:
            score = iterative_deepening(pos, state, game.search_address, nodes, nodes)
            if abs(score) <= game.fair_score or load_atomic(game.stop_address) != 0:
                return
        for ply in range(played - 1, -1, -1):
            unmake(pos, np.int64(game.moves[ply]))


@entry(POSITION_TYPE, STATE_TYPE, STATE_TYPE, GAME_TYPE)
def play_game(pos: PositionRecord, white: StateRecord, black: StateRecord, game: SelfPlayRecord) -> None:
    """Play from `pos` to the end of the game, where `pos` is left. Both states may be the same one."""
    game.count = 0
    game.nodes = 0
    _play_on(pos, white, black, game)


@entry(POSITION_TYPE, STATE_TYPE, GAME_TYPE, GAME_ROWS_TYPE, int64)
def play_training_game(pos: PositionRecord, state: StateRecord, game: SelfPlayRecord, rows: Rows, index: int) -> None:
    """Draw an opening from `pos`, pack it into `rows[index]`, play from there to the end, and pack the result too."""
    _draw_opening(pos, state, game)
    pack_into(pos, rows, index)
    game.count = 0
    game.nodes = 0
    _play_on(pos, state, state, game)
    rows[index].result = game.result
    rows[index].plies = game.count
