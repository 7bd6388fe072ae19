"""Leaves: positions that quiescence really evaluates while the engine searches positions of training games.

These are what a search asks its evaluator about, most of them with pieces on squares where no game would have put them.
Whether they are quiet does not matter: a static teacher labels them all alike. A leaf's score is the static evaluation
of the searching network; it has no result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from engine.alphabeta.deepening import iterative_deepening
from engine.alphabeta.root import search_from
from engine.alphabeta.root_moves import init_root
from engine.alphabeta.state import STATE_TYPE, StateRecord
from engine.core.legality import is_legal, is_pseudo_legal
from engine.core.movegen import checkers_and_pinned
from engine.core.position import POSITION_TYPE, PositionRecord, empty_position, make
from engine.core.splitmix import GOLDEN, mix
from engine.kernel import Int, array_type, entry, int64, record_type
from engine.kernel.records import I8, U8, Fields, dtype_of, new_record
from engine.lab.arena.configs import Config
from engine.lab.arena.game_file import Games
from engine.lab.arena.game_rows import GAME_ROWS_TYPE, unpack_into
from engine.lab.arena.kernel_games import kernel_player
from engine.lab.arena.replay import samples_by_chunk
from eval.network.samples import SAMPLE, SAMPLE_SIZE, SAMPLES_TYPE, Samples

Arrays = npt.NDArray[Any]
_CHUNK = 256  # games that a thread works on at a time
_PER_SEARCH = 32  # leaves
_MEGABYTES = 1
_HARD_PER_SOFT = np.int64(4)
_WORD = 0xFFFF_FFFF_FFFF_FFFF


class LeafRequestRecord(Fields):
    """The request for leaves, and the state of the random number generator."""

    nodes: I8  # of a search
    search_address: I8
    random: U8
    chance: U8  # that a position is searched, in units of 2^-64
    largest_score: I8  # of a leaf
    samples_address: I8  # of the samples


REQUEST_TYPE = record_type(dtype_of(LeafRequestRecord))


@entry(POSITION_TYPE, STATE_TYPE, REQUEST_TYPE, GAME_ROWS_TYPE, array_type("i8"), array_type("u2"), int64, int64,
       SAMPLES_TYPE)
def find_leaves(pos: PositionRecord, state: StateRecord, request: Any, rows: Arrays, starts: Arrays, moves: Arrays,
                first: int, last: int, out: Samples) -> Int:
    """Write leaves of searches from positions in games `first` to `last` to `out`; returns their number.

    `request.samples_address` is the address of `out`.
    """
    written = np.int64(0)
    for game in range(first, last):
        unpack_into(pos, rows, game)
        for index in range(starts[game], starts[game + 1]):
            request.random += GOLDEN
            if mix(request.random) < request.chance and written + _PER_SEARCH <= len(out):
                init_root(pos, state)
                state.leaves.room, state.leaves.seen = _PER_SEARCH, 0
                state.leaves.random = request.random
                state.leaves.address = request.samples_address + written * SAMPLE_SIZE
                iterative_deepening(pos, state, request.search_address, request.nodes, _HARD_PER_SOFT * request.nodes)
                for leaf in range(written, written + min(state.leaves.seen, _PER_SEARCH)):
                    if abs(out[leaf].score) <= request.largest_score:
                        out[written] = out[leaf]
                        written += 1
            move = np.int64(moves[index])
            checkers, pinned = checkers_and_pinned(pos)
            if not (is_pseudo_legal(pos, move) and is_legal(pos, move, checkers, pinned)):
                break
            make(pos, move)
    state.leaves.room = 0
    return written


def leaves(games: Games, count: int, nodes: int, seed: int, threads: int, largest_score: int = 3000) -> Samples:
    """About `count` leaves of searches with `nodes` nodes from the games' positions, by the built-in evaluator."""
    chance = min(count / _PER_SEARCH / max(games.positions, 1), 1.0)

    def run(first: int) -> Samples:
        last = min(first + _CHUNK, len(games.rows))
        positions = int(games.starts[last] - games.starts[first])
        out = np.empty(int(_PER_SEARCH * (1.2 * chance * positions + 16)), SAMPLE)
        request = new_record(LeafRequestRecord)
        request.nodes, request.search_address, request.largest_score = nodes, search_from.address, largest_score
        request.random = (seed << 32) + first & _WORD
        request.chance = min(int(chance * float(1 << 64)), _WORD)
        request.samples_address = out.ctypes.data
        player = kernel_player(Config(), 0, _MEGABYTES)
        player.clear()  # the samples must not depend on which thread computes them
        written = find_leaves(empty_position(), player.state, request, games.rows, games.starts, games.moves, first,
                              last, out)
        return out[:written].copy()

    return samples_by_chunk(run, games, _CHUNK, threads)
