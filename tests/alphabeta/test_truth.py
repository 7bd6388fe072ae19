"""The search against plain minimax: what is switched off must not change the value, nor what only orders moves."""

from __future__ import annotations

import pytest

from engine.alphabeta.params import minimax_params, set_param
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.commands.shared.bench_positions import BENCH_FENS
from engine.core.fen import parse_fen
from engine.core.perft import PERFT_POSITIONS
from engine.search.types import Limits
from eval.evaluator import features_evaluator
from tests.alphabeta.reference import minimax

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
