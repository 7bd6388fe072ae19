"""The transposition table: what is stored comes back, and nothing else."""

from __future__ import annotations

import numpy as np
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.alphabeta.tt import EXACT, LOWER, UPPER, TranspositionTable
from engine.search.scores import MATE, MAX_EVALUATION, MAX_PLY, NO_SCORE
from engine.system.errors import InputError
from tests.alphabeta.kernels import tt_node_score, tt_pack, tt_probe, tt_store

KEYS = st.integers(1, (1 << 64) - 1)


def put(table: TranspositionTable, key: int, move=1, score=0, static_eval=0, depth=1, bound=EXACT, ply=0,
        was_pv=0) -> None:
    data = tt_pack(move, tt_node_score(score, ply), static_eval, depth, int(bound), was_pv)
    tt_store(table.address, table.buckets, table.generation, key, data)


def get(table: TranspositionTable, key: int, ply: int = 0):
    found, *rest = tt_probe(table.address, table.buckets, key, ply)
    return tuple(rest) if found else None


@settings(max_examples=200, deadline=None)
@given(KEYS, st.integers(1, 32767), st.integers(-int(MAX_EVALUATION), int(MAX_EVALUATION)),
       st.one_of(st.integers(-9999, 9999), st.just(int(NO_SCORE))), st.integers(0, 127), st.sampled_from([1, 2, 3]),
       st.integers(0, 1))
def test_round_trip(key, move, score, static_eval, depth, bound, was_pv):
    table = TranspositionTable(1)
    put(table, key, move, score, static_eval, depth, bound, was_pv=was_pv)
    assert get(table, key) == (move, score, static_eval, depth, bound, was_pv)
    assert get(table, key ^ 1) is None


@given(st.integers(1, MAX_PLY - 1), st.integers(0, 20), st.booleans())
@settings(deadline=None)
def test_mates_are_counted_from_the_node(ply, distance, wins):
    """A mate `distance` plies below a node is stored at one ply and read at another."""
    table, sign = TranspositionTable(1), 1 if wins else -1
    ply = min(ply, MAX_PLY - 21)
    put(table, 99, score=sign * (int(MATE) - ply - distance), ply=ply)
    assert get(table, 99, ply=0)[1] == sign * (int(MATE) - distance)
    assert get(table, 99, ply=7)[1] == sign * (int(MATE) - 7 - distance)


def test_a_torn_entry_is_never_used():
    """Two threads write the two words of one slot: whatever mixture results, no key finds it."""
    table = TranspositionTable(1)
    keys = [0x1234_5678_9ABC_DEF0, 0x1234_5678_9ABC_DE00]
    for first in range(2):
        words = []
        for key, move, score in zip(keys, (5, 6), (11, 22), strict=True):
            table.clear()
            put(table, key, move, score)
            words.append(table.words[np.flatnonzero(table.words)[0] // 2 * 2 :][:2].copy())
            slot = np.flatnonzero(table.words)[0] // 2 * 2
        table.clear()
        table.words[slot], table.words[slot + 1] = words[first][0], words[1 - first][1]
        assert get(table, keys[0]) is None
        assert get(table, keys[1]) is None


def test_deep_entries_of_this_search_survive_and_old_ones_go():
    table = TranspositionTable(1)
    same_bucket = [0x7000_0000_0000_0000 + number for number in range(1, 9)]
    for depth, key in enumerate(same_bucket[:4], start=10):
        put(table, key, depth=depth)
    put(table, same_bucket[4], depth=1)
    assert get(table, same_bucket[0]) is None
    assert all(get(table, key) for key in same_bucket[1:5])
    for _ in range(4):
        table.next_generation()
    put(table, same_bucket[5], depth=1)
    assert get(table, same_bucket[4]) is None


@pytest.mark.parametrize("generation", [0, 62])
@pytest.mark.parametrize(("old_depth", "is_replaced"), [(13, True), (15, False)])
def test_an_old_entry_is_replaced_before_a_shallow_new_one_unless_it_is_much_deeper(generation, old_depth, is_replaced):
    """Three searches later it is worth twelve plies less; searches are counted up to 64 and then from 0 again."""
    table = TranspositionTable(1)
    table.generation = generation
    old, *new, last = (0x7000_0000_0000_0000 + number for number in range(1, 6))
    put(table, old, depth=old_depth)
    for _ in range(3):
        table.next_generation()
    for key in new:
        put(table, key, depth=2)
    put(table, last, depth=1)
    assert (get(table, old) is None) == is_replaced
    assert sum(get(table, key) is None for key in new) == 1 - is_replaced
    assert get(table, last) is not None


@pytest.mark.parametrize(("depth", "age", "is_replaced"), [(9, 0, True), (8, 0, False), (8, 1, True), (1, 1, True)])
def test_a_bound_replaces_one_that_is_up_to_three_plies_deeper_or_old(depth, age, is_replaced):
    table = TranspositionTable(1)
    put(table, 42, depth=12, bound=LOWER, score=50)
    for _ in range(age):
        table.next_generation()
    put(table, 42, depth=depth, bound=UPPER, score=-50)
    assert get(table, 42)[1] == (-50 if is_replaced else 50)


def test_a_shallow_bound_does_not_replace_a_deep_one_of_the_same_position():
    table = TranspositionTable(1)
    put(table, 42, depth=12, bound=LOWER, score=50)
    put(table, 42, depth=3, bound=UPPER, score=-50)
    assert get(table, 42)[1] == 50
    put(table, 42, depth=3, bound=EXACT, score=-50)
    assert get(table, 42)[1] == -50


def test_depths_beyond_the_largest_are_stored_as_the_largest():
    table = TranspositionTable(1)
    put(table, 42, depth=130)
    assert get(table, 42)[3:] == (127, EXACT, 0)


def test_the_move_survives_a_result_without_one():
    table = TranspositionTable(1)
    put(table, 42, move=77, depth=3)
    put(table, 42, move=0, depth=9)
    assert get(table, 42)[0] == 77


@pytest.mark.parametrize("megabytes", [1, 3, 17])
def test_the_size_is_exactly_what_was_asked_for(megabytes):
    table = TranspositionTable(megabytes)
    assert table.words.nbytes == megabytes * 1024 * 1024
    assert table.address % 64 == 0
    for key in (1, (1 << 64) - 1):
        put(table, key)
        assert get(table, key)


def test_clearing_with_threads_and_hashfull():
    table = TranspositionTable(1)
    generator = np.random.default_rng(1)
    for key in generator.integers(1, 1 << 63, 200_000, dtype=np.uint64).tolist():
        put(table, key)
    assert table.hashfull() > 900
    table.next_generation()
    assert table.hashfull() == 0
    table.clear(threads=3)
    assert not table.words.any()


def test_too_much_memory_is_refused():
    with pytest.raises(InputError, match="no memory"):
        TranspositionTable(1 << 40)


def test_the_memory_is_there_before_the_clock_runs():
    megabytes, process = 64, psutil.Process()
    before = process.memory_info().rss
    table = TranspositionTable(megabytes)
    table.words[512] = 7
    table.prefault()
    assert process.memory_info().rss - before > 0.9 * table.words.nbytes
    assert (table.words.sum(), table.words[512]) == (7, 7)
