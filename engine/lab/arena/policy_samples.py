"""Training games replayed into the policy's samples: positions with their legal moves and the move that was played.

All positions are used, also those in check and those with a capture, unless the move was forced.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.alphabeta.see import flag_see_ok
from engine.core.movegen import (
    ALL_MOVES,
    MAX_MOVES,
    MOVE_LIST_TYPE,
    MoveListRecord,
    checkers_and_pinned,
    count_moves,
    empty_move_list,
    generate,
)
from engine.core.position import POSITION_TYPE, PositionRecord, empty_position, make, unmake
from engine.kernel import Int, array_type, entry, inline, int64
from engine.lab.arena.game_file import Games
from engine.lab.arena.game_rows import GAME_ROWS_TYPE, unpack_into
from engine.lab.arena.replay import (
    CHUNK,
    FILTER_TYPE,
    Keys,
    SampleSource,
    is_held_out,
    is_in_split,
    is_sampled,
    line_keys,
    pick,
)
from engine.lab.arena.wdl_samples import one_position_per_game
from engine.search.types import Limits
from engine.system.threads import per_thread
from eval.policy.inference import policy_priors, policy_scores
from eval.policy.memory import LoadedPolicy
from eval.policy.samples import CHOICE, CHOICES_TYPE, MOST_MOVES, Choices, write_choice

Arrays = npt.NDArray[Any]
_FLAGS = array_type("u1")


@inline
def list_moves(pos, moves, good):
    """Write the legal moves, and flag those that lose no material by SEE; returns their number."""
    checkers, pinned = checkers_and_pinned(pos)
    count = generate(pos, moves, np.int64(0), ALL_MOVES, checkers, pinned)
    flag_see_ok(pos, moves.moves, count, good)
    return count


@inline
def _move_index(move, moves, count):
    """The index of a move in the list; -1 if it is not there."""
    for index in range(count):
        if np.int64(moves.moves[index]) == move:
            return np.int64(index)
    return np.int64(-1)


@entry(POSITION_TYPE, MOVE_LIST_TYPE, _FLAGS, FILTER_TYPE, GAME_ROWS_TYPE, array_type("i8"), array_type("u2"),
       array_type("u8"), CHOICES_TYPE)
def replay_policy_samples(pos: PositionRecord, listed: MoveListRecord, good: Arrays, filter_by: Any, rows: Arrays,
                          starts: Arrays, moves: Arrays, keys: Keys, out: Choices) -> Int:
    """Write the samples of the games in `rows` to `out`; returns their number.

    The moves of each game are between two entries of `starts`, `keys` are those of `line_keys`. A game with an illegal
    move ends before it.
    """
    written = np.int64(0)
    for game in range(len(rows)):
        if not is_in_split(filter_by, keys[game]):
            continue
        unpack_into(pos, rows, game)
        plies = starts[game + 1] - starts[game]
        for ply in range(plies):
            move = np.int64(moves[starts[game] + ply])
            count = list_moves(pos, listed, good)
            index = _move_index(move, listed, count)
            if index < 0:
                break
            if (ply >= filter_by.first_ply and count > 1 and count <= MOST_MOVES
                    and is_sampled(filter_by, keys[game], ply, plies)):
                write_choice(pos, listed.moves, count, good, index, out, written)
                written += 1
            make(pos, move)
    return written


@entry(int64, POSITION_TYPE, MOVE_LIST_TYPE, _FLAGS, array_type("f4"))
def policy_best_move(address: int, pos: PositionRecord, listed: MoveListRecord, good: Arrays, scores: Arrays) -> Int:
    """The legal move that the policy at `address` prefers; 0 if there is none. The other arguments are written."""
    count = list_moves(pos, listed, good)
    policy_scores(address, pos, listed.moves, count, good, scores)
    best = np.int64(0)
    for index in range(1, count):
        if scores[index] > scores[best]:
            best = np.int64(index)
    return np.int64(listed.moves[best]) if count > 0 else np.int64(0)


@entry(POSITION_TYPE)
def count_moves_entry(pos: PositionRecord) -> Int:
    """`count_moves`, for Python."""
    return count_moves(pos)


class PolicySampleSource(SampleSource):
    """The policy's samples from many files, in shards that fit into memory; the first shard is kept there."""

    def samples_of(self, games: Games, *, validates: bool) -> Choices:
        """The samples of the held-out games, or of the others."""
        record, keys = self.filter.record(validates=validates), line_keys(games)

        def run(first: int) -> Choices:
            last = min(first + CHUNK, len(games.rows))
            out = np.empty(int(games.starts[last] - games.starts[first]), CHOICE)
            written = replay_policy_samples(empty_position(), empty_move_list(), np.zeros(MAX_MOVES, np.uint8), record,
                                          games.rows[first:last], games.starts[first : last + 1], games.moves,
                                          keys[first:last], out)
            return out[:written].copy()

        with ThreadPoolExecutor(self.threads) as pool:
            parts = list(pool.map(run, range(0, len(games.rows), CHUNK)))
        return np.concatenate(parts) if parts else np.empty(0, CHOICE)


_MEGABYTES = 16
_BATCH = 256  # positions that wait for a thread


def held_out_positions(source: SampleSource, seed: int) -> Iterator[PositionRecord]:
    """One position of each held-out game, unless its move is forced."""
    rng = np.random.default_rng(seed)
    for games in source.games():
        held_out = pick(games, is_held_out(line_keys(games), source.filter.held_out))
        for position, _ in one_position_per_game(held_out, rng):
            if count_moves_entry(position) > 1:
                yield position


def policy_agreement(policy: LoadedPolicy, positions: Iterator[PositionRecord], nodes: int,
                     threads: int) -> Iterator[bool]:
    """For each position, whether a search of `nodes` nodes plays the policy's first choice."""
    own = per_thread(lambda: (AlphaBetaSearch(_MEGABYTES), empty_move_list(), np.zeros(MAX_MOVES, np.uint8),
                              np.zeros(MAX_MOVES, np.float32)))

    def agrees(position: PositionRecord) -> bool:
        searcher, moves, good, scores = own()
        chosen = policy_best_move(policy.address, position, moves, good, scores)
        searcher.clear()
        return bool(searcher.run(position, Limits(nodes=nodes)).move == chosen)

    with ThreadPoolExecutor(threads) as pool:
        while batch := list(islice(positions, _BATCH)):
            yield from pool.map(agrees, batch)


_MOVES = array_type("u2")
LISTED, FLAGGED, WEIGHED = range(3)  # the last part of an expansion that is done


@inline
def _expand(pos, listed, good, priors, address, extent):
    """Do the work of an expansion up to `extent`; returns the number of legal moves."""
    if extent == LISTED:
        checkers, pinned = checkers_and_pinned(pos)
        return generate(pos, listed, np.int64(0), ALL_MOVES, checkers, pinned)
    count = list_moves(pos, listed, good)
    if extent == WEIGHED:
        policy_priors(address, pos, listed.moves, count, good, priors)
    return count


@entry(POSITION_TYPE, _MOVES, int64, MOVE_LIST_TYPE, array_type("u1"), array_type("f4"), int64, int64)
def replay_with_expansions(pos: PositionRecord, moves: Any, rounds: int, listed: MoveListRecord, good: Any, priors: Any,
                           address: int, extent: int) -> Int:
    """Make and unmake the moves `rounds` times, expanding after each; returns the total number of legal moves.

    `listed`, `good` and `priors` are written; `address` is that of a policy.
    """
    total = np.int64(0)
    for _ in range(rounds):
        for ply in range(len(moves)):
            make(pos, np.int64(moves[ply]))
            total += _expand(pos, listed, good, priors, address, extent)
        for ply in range(len(moves) - 1, -1, -1):
            unmake(pos, np.int64(moves[ply]))
    return total
