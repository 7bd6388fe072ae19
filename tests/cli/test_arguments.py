"""The argument types that all commands share."""

from __future__ import annotations

import argparse

import pytest

from engine.cli.arguments import (
    DEEPEST_SEARCH,
    FloatRange,
    IntRange,
    OutputFolder,
    OutputStem,
    add_limits,
    folder,
    in_file,
    joined_fens,
    movetime_of,
    svg_file,
)
from engine.search.scores import MAX_PLY

FEN = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def test_the_deepest_search_is_the_largest_ply():
    assert DEEPEST_SEARCH == MAX_PLY - 1


@pytest.mark.parametrize(("words", "joined"), [
    (["perft", "4", "--fen", *FEN.split()], ["perft", "4", "--fen", FEN]),
    (["perft", "--fen", *FEN.split(), "4"], ["perft", "--fen", FEN, "4"]),
    (["perft", "--fen", FEN, "4"], ["perft", "--fen", FEN, "4"]),
    (["perft", "--fen", *FEN.split()[:4], "4"], ["perft", "--fen", " ".join(FEN.split()[:4]), "4"]),
    (["explain", *FEN.split()[:3]], ["explain", *FEN.split()[:3]]),
    (["explain", "8/8/8/8/8/8/8/8"], ["explain", "8/8/8/8/8/8/8/8"]),
])
def test_a_fen_needs_no_quotes(words, joined):
    assert joined_fens(words) == joined


@pytest.mark.parametrize(("argument_type", "text"), [
    (IntRange(), "0"), (IntRange(), "-1"), (IntRange(), "x"), (IntRange(), "1.5"), (IntRange(), ""),
    (IntRange(), "9" * 30),
    (IntRange(1, 5), "6"), (FloatRange(0, 1), "nan"), (FloatRange(0, 1), "inf"), (FloatRange(0, 1), "-0.1"),
    (FloatRange(0, 1, above=True), "0"),
    (FloatRange(0, 1), "x"),
])
def test_numbers_out_of_their_range_are_refused(argument_type, text):
    with pytest.raises(argparse.ArgumentTypeError):
        argument_type(text)


@pytest.mark.parametrize("argument_type", [in_file, folder, svg_file, OutputStem((".json",)), OutputFolder()])
def test_an_invalid_file_name_is_refused(argument_type):
    with pytest.raises(argparse.ArgumentTypeError):
        argument_type("x" * 5000)


@pytest.mark.parametrize(("words", "movetime"), [
    ([], 300), (["--movetime", "50"], 50), (["--depth", "4"], None), (["--nodes", "1000"], None),
])
def test_time_is_the_limit_unless_another_is_given(words, movetime):
    parser = argparse.ArgumentParser()
    add_limits(parser, "position", 300)
    assert movetime_of(parser.parse_args(words), 300) == movetime
