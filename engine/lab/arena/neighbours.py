"""Neighbours: positions near those of training games, cheap to label by the hundred million, for pretraining.

A neighbour is reached from a position of a game by one to three random legal moves. It is quiet: the side to move is
not in check, SEE finds no winning capture, and the search that labels it, if any, does not play a noisy move. Random
moves leave a winning capture in every second position; a search would play it whatever the static evaluation, so a
network should not spend its capacity on such positions. A neighbour's score is the features' static evaluation, or that
of a short search; it has no result.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from engine.alphabeta.deepening import iterative_deepening
from engine.alphabeta.root import search_from
from engine.alphabeta.root_moves import init_root
from engine.alphabeta.see import see_ge
from engine.alphabeta.state import STATE_TYPE, StateRecord
from engine.core.bits import EMPTY
from engine.core.legality import is_legal, is_pseudo_legal
from engine.core.movegen import ALL_MOVES, NOISY, checkers_and_pinned, generate
from engine.core.position import POSITION_TYPE, PositionRecord, empty_position, is_noisy, make, unmake
from engine.core.splitmix import GOLDEN, mix
from engine.kernel import Int, array_type, entry, inline, int64, kernel, record_type
from engine.kernel.intrinsics import multiply_high
from engine.kernel.records import I8, U8, Fields, Numbers, dtype_of, new_record
from engine.lab.arena.configs import Config
from engine.lab.arena.game_file import Games
from engine.lab.arena.game_rows import GAME_ROWS_TYPE, unpack_into
from engine.lab.arena.kernel_games import kernel_player
from engine.lab.arena.replay import samples_by_chunk
from eval.evaluate import evaluate_from_scratch
from eval.network.samples import SAMPLE, SAMPLES_TYPE, Samples, pack_sample


class NeighbourRequestRecord(Fields):
    """The request for neighbours, and the state of the random number generator."""

    nodes: I8  # of the search; 0 for the static evaluation
    search_address: I8
    random: U8  # the state of the generator
    chance: U8  # how many neighbours per position, in units of 2^-32
    largest_score: I8
    moves: Annotated[Numbers, "u2", 4]  # the random moves that lead to the neighbour


REQUEST = dtype_of(NeighbourRequestRecord)
REQUEST_TYPE = record_type(REQUEST)
Arrays = npt.NDArray[Any]

_CHUNK = 256  # games that a thread works on at a time
_MOST_PLIES = np.uint64(3)
_TRIES_PER_NEIGHBOUR = 2  # about half of all positions are not quiet
_A_GAIN = np.int64(1)
_HARD_PER_SOFT = np.int64(4)
_LOW = np.uint64(0xFFFF_FFFF)


@inline
def _random_number(request, count):
    request.random += GOLDEN
    return multiply_high(mix(request.random), np.uint64(count))


@kernel
def _random_walk(pos, state, request):
    """Make one to three random moves, fewer if the legal moves run out; returns the number made."""
    plies = np.int64(1) + _random_number(request, _MOST_PLIES)
    for ply in range(plies):
        checkers, pinned = checkers_and_pinned(pos)
        count = generate(pos, state.move_list, np.int64(0), ALL_MOVES, checkers, pinned)
        if count == 0:
            return np.int64(ply)
        request.moves[ply] = state.move_list.moves[_random_number(request, np.uint64(count))]
        make(pos, np.int64(request.moves[ply]))
    return plies


@kernel
def _has_winning_capture(pos, state, checkers, pinned):
    """Whether some capture or promotion wins material by SEE."""
    for index in range(generate(pos, state.move_list, np.int64(0), NOISY, checkers, pinned)):
        if see_ge(pos, np.int64(state.move_list.moves[index]), _A_GAIN):
            return True
    return False


@kernel
def _add_neighbour(pos, state, request, out, written):
    """Write `pos` to `out[written]` if it is quiet and not decided; returns the new number of samples."""
    checkers, pinned = checkers_and_pinned(pos)
    if checkers != EMPTY or _has_winning_capture(pos, state, checkers, pinned):
        return written
    static = evaluate_from_scratch(pos, state.weights)
    score = static
    if request.nodes > 0:
        init_root(pos, state)
        if state.root_count == 0:
            return written
        score = iterative_deepening(pos, state, request.search_address, request.nodes, _HARD_PER_SOFT * request.nodes)
        if is_noisy(pos, np.int64(state.root_moves[0])):
            return written
    if abs(score) > request.largest_score:
        return written
    pack_sample(pos, out[written], score, static, np.int64(0))
    return written + 1


@entry(POSITION_TYPE, STATE_TYPE, REQUEST_TYPE, GAME_ROWS_TYPE, array_type("i8"), array_type("u2"), int64, int64,
       SAMPLES_TYPE)
def find_neighbours(pos: PositionRecord, state: StateRecord, request: Any, rows: Arrays, starts: Arrays, moves: Arrays,
                    first: int, last: int, out: Samples) -> Int:
    """Write neighbours of the positions in games `first` to `last` to `out`, until it is full; returns their number."""
    written = np.int64(0)
    for game in range(first, last):
        unpack_into(pos, rows, game)
        for index in range(starts[game], starts[game + 1]):
            count = np.int64(request.chance >> np.uint64(32))
            if _random_number(request, _LOW) < np.int64(request.chance & _LOW):
                count += 1
            for _ in range(count):
                if written < len(out):
                    played = _random_walk(pos, state, request)
                    written = _add_neighbour(pos, state, request, out, written)
                    for ply in range(played - 1, -1, -1):
                        unmake(pos, np.int64(request.moves[ply]))
            move = np.int64(moves[index])
            checkers, pinned = checkers_and_pinned(pos)
            if not (is_pseudo_legal(pos, move) and is_legal(pos, move, checkers, pinned)):
                break
            make(pos, move)
    return written


def neighbours(games: Games, count: int, nodes: int, seed: int, threads: int, largest_score: int = 3000) -> Samples:
    """About `count` neighbours of the games' positions, scored by the static evaluation if `nodes` is 0."""
    per_position = _TRIES_PER_NEIGHBOUR * count / max(games.positions, 1)

    def run(first: int) -> Samples:
        last = min(first + _CHUNK, len(games.rows))
        request = new_record(NeighbourRequestRecord)
        request.nodes, request.search_address, request.largest_score = nodes, search_from.address, largest_score
        request.chance = int(per_position * (1 << 32))
        request.random = (seed << 32) + first & 0xFFFF_FFFF_FFFF_FFFF
        player = kernel_player(Config(), 0, 1)
        player.clear()  # the samples must not depend on which thread computes them
        room = int(per_position * 1.2 * int(games.starts[last] - games.starts[first])) + 64
        out = np.empty(room, SAMPLE)
        written = find_neighbours(empty_position(), player.state, request, games.rows, games.starts, games.moves, first,
                                last, out)
        return out[:written].copy()

    return samples_by_chunk(run, games, _CHUNK, threads)
