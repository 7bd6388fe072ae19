"""The search against plain minimax: what is switched off must not change the value, nor what only orders moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from engine.alphabeta.params import minimax_params, set_param
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.alphabeta.tt import EXACT, LOWER, UPPER
from engine.core.fen import parse_fen
from engine.core.game import list_moves, make_if_legal
from engine.core.movegen import empty_move_list
from engine.core.perft import PERFT_POSITIONS
from engine.lab.bench_positions import BENCH_FENS
from engine.search.types import Limits
from eval.evaluator import features_evaluator
from tests.alphabeta.few_moves import FEW_MOVES_FENS
from tests.alphabeta.kernels import tt_probe
from tests.alphabeta.reference import minimax, value_at
from tests.kernels import unmake_entry

# What must not change the value, each with all before it. The table's cut-offs may: what it remembers was searched
# deeper, or by another way.
LOSSLESS = ("use_alphabeta", "use_pvs", "use_ordering", "use_killers", "use_counter_moves", "use_history",
            "use_continuation", "use_tt", "use_mate_distance", "use_aspiration")
FEW_MOVES = [fen for fen in BENCH_FENS if sum(letter.isalpha() for letter in fen.split()[0]) <= 8]


def switched(*on: str):
    """Parameters with every technique off, but those named."""
    params = minimax_params()
    for name in on:
        set_param(params, name, 1)
    return params


SEARCHER = AlphaBetaSearch(1, evaluation=features_evaluator())
LADDER = [LOSSLESS[:length] for length in range(len(LOSSLESS) + 1)]


def value(fen: str, depth: int, *on: str) -> int:
    SEARCHER.set_params(switched(*on))
    SEARCHER.clear()
    return SEARCHER.run(parse_fen(fen), Limits(depth=depth)).score


def check(fen: str, depth: int, with_quiescence: bool) -> None:
    """Compare every technique that loses nothing with the truth."""
    truth = minimax(parse_fen(fen), depth, 0, with_quiescence)
    for on in LADDER:
        assert value(fen, depth, *on, *(["use_quiescence"] if with_quiescence else [])) == truth, on


@pytest.mark.parametrize("fen", BENCH_FENS)
def test_one_and_two_plies(fen):
    for depth in (1, 2):
        check(fen, depth, with_quiescence=False)


@pytest.mark.parametrize("fen", FEW_MOVES)
def test_two_plies_with_quiescence(fen):
    """With few pieces: without pruning, the captures of a crowded board have no end."""
    for depth in (1, 2):
        check(fen, depth, with_quiescence=True)


@pytest.mark.slow
@pytest.mark.parametrize("fen", BENCH_FENS)
def test_three_plies(fen):
    check(fen, 3, with_quiescence=False)


@pytest.mark.slow
@pytest.mark.parametrize("fen", FEW_MOVES)
def test_three_plies_with_quiescence(fen):
    check(fen, 3, with_quiescence=True)


@pytest.mark.parametrize("fen", BENCH_FENS)
def test_every_way_of_four_plies_is_minimax(fen):
    """Too deep for plain Python: here the kernel's own minimax, which the tests above judge, is the truth."""
    depth = 3 if fen not in FEW_MOVES else 4
    truth = value(fen, depth)
    for on in LADDER[1:]:
        assert value(fen, depth, *on) == truth, on


def counted(depth: int, *on: str):
    value(PERFT_POSITIONS[1].fen, depth, *on)
    return SEARCHER.counts


def test_minimax_visits_every_leaf_and_cuts_nothing():
    known = PERFT_POSITIONS[1]
    for depth in (1, 2, 3):
        counts = counted(depth)
        assert counts.leaf_nodes == sum(known.counts[:depth])  # of all iterations
        assert counts.beta_cutoffs == counts.first_move_cutoffs == 0


def test_alpha_beta_and_order_save_leaves():
    plain, pruned, ordered = (counted(3, *LOSSLESS[:length]) for length in (0, 1, 3))
    assert plain.leaf_nodes > pruned.leaf_nodes > ordered.leaf_nodes
    assert 0 < pruned.first_move_cutoffs < pruned.beta_cutoffs
    assert ordered.first_move_cutoffs / ordered.beta_cutoffs > pruned.first_move_cutoffs / pruned.beta_cutoffs


def positions_below(pos, plies: int, ply: int = 0) -> Iterator[int]:
    """The plies from the root to each position of the tree, while `pos` is that position."""
    yield ply
    moves = empty_move_list()
    for move in moves.moves[: list_moves(pos, moves)[0] if plies else 0].tolist():
        make_if_legal(pos, move)
        yield from positions_below(pos, plies - 1, ply + 1)
        unmake_entry(pos, move)


def audit(fen: str, plies: int, with_quiescence: bool) -> Counter[tuple[bool, int]]:
    """Hold every bound in the TT against the truth; returns how many there are that the truth exceeds or falls short
    of, as (whether quiescence stored them, bound), and how many that are the truth, as (the same, 0).
    """
    pos, audited, tt = parse_fen(fen), {}, SEARCHER.tt
    for ply in positions_below(pos, plies):
        is_hit, _, score, _, depth, bound, _ = tt_probe(tt.address, tt.buckets, pos.key, ply)
        if not is_hit or int(pos.key) in audited:
            continue
        truth = value_at(pos, depth, ply, with_quiescence)
        assert score <= truth or not bound & LOWER, (fen, ply, depth)
        assert score >= truth or not bound & UPPER, (fen, ply, depth)
        audited[int(pos.key)] = (depth == 0, bound if score != truth else 0)
    return Counter(audited.values())


# What keeps bounds true. Four plies are too few for a position to occur at two plies, or again but as the root: so its
# value does not depend on the way there, and the TT may cut. Quiescence takes entries of any depth; there it may not.
AUDITED = ("use_alphabeta", "use_pvs", "use_ordering", "use_killers", "use_counter_moves", "use_history",
           "use_continuation", "use_tt")
CAPTURES = ("4k3/8/2p1p3/3n4/2P1P3/3B4/8/4K3 w - - 0 1", "k7/8/1r1n4/2P1P3/8/1B6/8/K7 w - - 0 1",
            "k7/2b5/1r1n4/2P1P3/8/1N6/8/K7 w - - 0 1", "k7/8/1q1r1n2/2P1P3/8/8/8/K7 w - - 0 1")


def test_bounds_in_the_tt_hold():
    assert EXACT == LOWER | UPPER
    total = Counter()
    for fen in FEW_MOVES_FENS[::3]:
        value(fen, 4, *AUDITED, "use_tt_cutoffs")
        total += audit(fen, 3, with_quiescence=False)
    assert total[False, int(LOWER)] > 100 and total[False, int(UPPER)] > 10, "stored as exact they would be wrong"


def test_bounds_of_quiescence_in_the_tt_hold():
    total = Counter()
    for fen in CAPTURES:
        value(fen, 2, *AUDITED, "use_quiescence")
        total += audit(fen, 3, with_quiescence=True)
    assert total[True, int(LOWER)] > 5 and total[True, int(UPPER)] > 5, "stored as exact they would be wrong"


def test_exact_scores_are_those_of_principal_variations():
    """All others come from windows that leave out the truth. In quiescence the TT does not know which they are."""
    searcher = AlphaBetaSearch(8)
    for fen in BENCH_FENS[:8]:
        searcher.run(parse_fen(fen), Limits(nodes=20_000))
    data = searcher.tt.words[1::2]
    depths, bounds, was_pv = data >> 48 & 127, data >> 62, data >> 55 & 1
    is_exact = (bounds == EXACT) & (depths > 0)
    assert np.count_nonzero(is_exact) > 100
    assert was_pv[is_exact].all()
