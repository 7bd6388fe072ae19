"""Generation: known lengths of mates, and agreement with the tables of the package."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engine.core.game import Game
from tablebase.codes import code_of_value, is_won, move_value, rank_of_move, value_of_code
from tablebase.files import Container
from tablebase.generator.builder import TableBuilder
from tablebase.generator.generate import ContradictionError, Values, generate
from tablebase.material import Ending, all_endings, parse_ending
from tablebase.random_positions import random_board
from tablebase.summary import summarize
from tablebase.tables import BUILT_IN, OwnTables
from tests.positions import DATA

Finished = dict[Ending, Values]
TRUTHS = DATA / "endgame" / "truths" / "longest_mates_3-4men.tsv"


@pytest.fixture(scope="module")
def three_pieces() -> Finished:
    finished: Finished = {}
    for ending in all_endings(3):
        finished[ending] = generate(ending, finished, threads=2)
    return finished


@pytest.mark.parametrize(("name", "white", "black", "how_many"), [("KQvK", 19, 20, 56), ("KRvK", 31, 32, 3056),
                                                                  ("KPvK", 55, 56, 4)])
def test_the_longest_mates_are_the_known_ones(three_pieces, name, white, black, how_many):
    ending = parse_ending(name)
    codes = three_pieces[ending].codes
    assert summarize(ending, codes, 0).longest_win == white
    of_black = summarize(ending, codes, 1)
    assert (of_black.longest_loss, of_black.longest_losses, of_black.wins) == (black, how_many, 0)


def test_a_lone_minor_piece_never_wins(three_pieces):
    for name in ("KBvK", "KNvK"):
        summary = [summarize(parse_ending(name), three_pieces[parse_ending(name)].codes, side) for side in (0, 1)]
        assert all((side.wins, side.losses, side.longest) == (0, 0, -1) for side in summary)
        assert all(side.draws == side.positions > 100_000 for side in summary)


def test_the_check_finds_an_error_in_a_table(three_pieces):
    """A cell that claims a quicker mate than there is; a won cell without plies to the next capture or pawn move."""
    from tablebase.generator.generate import _DtmGenerator, _DtzGenerator

    ending = parse_ending("KRvK")
    mates = _DtmGenerator(ending, three_pieces, 1, lambda _: None)
    resets = _DtzGenerator(three_pieces[ending], three_pieces, 1, lambda _: None)
    for generator, right, wrong in ((mates, 20, 18), (resets, 18, 0)):
        generator.run()
        generator._codes[0][np.flatnonzero(generator._codes[0] == right)[0]] = wrong
        with ThreadPoolExecutor(1) as generator._pool, pytest.raises(ContradictionError, match="KRvK"):
            generator._check()


def test_codes_and_values():
    for code in range(200):
        assert code_of_value(value_of_code(code)) == code
    best_first = [1, 3, 5, 0, 6, 4, 2]  # what a move may leave to the other side
    assert sorted(best_first, key=lambda code: -move_value(code)) == best_first
    assert all(rank_of_move(code) == move_value(code) for code in range(200))
    assert is_won(2) and not is_won(1) and not is_won(0)


def test_an_interrupted_build_resumes(tmp_path):
    endings = [parse_ending("KQvK")]
    builder = TableBuilder(tmp_path)
    assert [ending.name for ending, _ in builder.generate(endings, lambda *_: None)] == ["KQvK"]
    values = tmp_path / "values" / "KQvK.dtm.npy"
    stamp = values.stat().st_mtime_ns
    list(TableBuilder(tmp_path).generate(endings, lambda *_: None))
    assert values.stat().st_mtime_ns == stamp  # not made again
    values.write_bytes(values.read_bytes()[:1000])
    list(TableBuilder(tmp_path).generate(endings, lambda *_: None))
    assert values.stat().st_size > 1000
    for path in TableBuilder(tmp_path).pack(endings, "a test", lambda *_: None):
        assert list(Container(path).entries) == endings
    own, built_in = OwnTables([tmp_path]), OwnTables()
    rng = random.Random(3)
    for _ in range(200):
        position = Game(random_board(endings[0], rng).fen()).position
        assert own.code(position) == built_in.code(position)


def test_two_bytes_per_cell_give_the_same_codes(three_pieces):
    ending = parse_ending("KQvK")
    narrow = three_pieces[ending].codes
    wide_child = {child: Values(child, _widened(values.codes)) for child, values in three_pieces.items()}
    pawns = parse_ending("KPvK")
    wide = generate(pawns, wide_child).codes
    assert wide.itemsize == 2 and narrow.itemsize == 1
    assert np.array_equal(wide, _widened(three_pieces[pawns].codes))


def _widened(codes):
    wide = codes.astype(np.uint16)
    wide[wide == 255] = 65_535
    return wide


@pytest.mark.skipif(not TRUTHS.exists(), reason="needs the table of longest mates")
def test_every_length_and_number_of_the_longest_mates_is_right():
    """Of all 35 endings, as the containers' directories tell them."""
    entries = Container(BUILT_IN / "wdl.tables").entries
    rows = [line.split("\t") for line in TRUTHS.read_text().splitlines() if not line.startswith("#")][1:]
    assert len(rows) == 90
    for name, side, winner, plies, _, count, *_ in rows:
        summary = entries[parse_ending(name)].summary["wb".index(side)]
        found = ((summary.longest_win, summary.longest_wins) if side == winner[0]
                 else (summary.longest_loss, summary.longest_losses))
        assert found == (int(plies), int(count)), name


@pytest.mark.slow
def test_all_endings_with_four_pieces_are_generated_again(tmp_path):
    """The tables of the package equal those that the generator makes now."""
    finished: Finished = {}
    built_in = OwnTables()
    rng = random.Random(5)
    for ending in (*all_endings(3), *all_endings(4)):
        finished[ending] = generate(ending, finished, threads=2)
        made = tuple(summarize(ending, finished[ending].codes, side) for side in (0, 1))
        assert made == built_in.outcomes.entry(ending).summary
        for _ in range(50):
            board = random_board(ending, rng)
            assert built_in.code(Game(board.fen()).position) is not None
