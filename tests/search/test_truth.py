"""The search against plain minimax: what is switched off must not change the value, nor what only orders moves."""

from __future__ import annotations

import pytest

from engine.commands._positions import BENCH_FENS
from engine.core.fen import parse_fen
from engine.search.limits import Limits
from engine.search.params import PARAMETERS, default_params, set_param
from engine.search.threads import Searcher
from tests.search.reference import minimax

ORDERING = ("use_table", "use_killers", "use_counter_moves", "use_history", "use_continuation", "use_aspiration")
FEW_MOVES = [fen for fen in BENCH_FENS if sum(letter.isalpha() for letter in fen.split()[0]) <= 8]


def switched(*on: str):
    """Parameters with every technique off, but those named."""
    params = default_params()
    for row in PARAMETERS:
        if (row.low, row.high) == (0, 1):
            set_param(params, row.name, int(row.name in on))
    return params


PLAIN = {quiescence: Searcher(1, params=switched(*(["use_quiescence"] if quiescence else []))) for quiescence in (0, 1)}
ORDERED = Searcher(1, params=switched("use_quiescence", *ORDERING))


def value(searcher: Searcher, fen: str, depth: int) -> int:
    searcher.clear()
    return searcher.run(parse_fen(fen), Limits(depth=depth)).score


@pytest.mark.parametrize("fen", BENCH_FENS)
def test_one_and_two_plies(fen):
    for depth in (1, 2):
        assert value(PLAIN[0], fen, depth) == minimax(parse_fen(fen), depth, 0, with_quiescence=False)


@pytest.mark.parametrize("fen", FEW_MOVES)
def test_two_plies_with_quiescence(fen):
    """With few pieces: without pruning, the captures of a crowded board have no end."""
    for depth in (1, 2):
        truth = minimax(parse_fen(fen), depth, 0, with_quiescence=True)
        assert value(PLAIN[1], fen, depth) == truth
        assert value(ORDERED, fen, depth) == truth


@pytest.mark.slow
@pytest.mark.parametrize("fen", BENCH_FENS)
def test_three_plies(fen):
    assert value(PLAIN[0], fen, 3) == minimax(parse_fen(fen), 3, 0, with_quiescence=False)


@pytest.mark.slow
@pytest.mark.parametrize("fen", FEW_MOVES)
def test_three_plies_with_quiescence(fen):
    truth = minimax(parse_fen(fen), 3, 0, with_quiescence=True)
    assert value(PLAIN[1], fen, 3) == truth
    assert value(ORDERED, fen, 3) == truth
