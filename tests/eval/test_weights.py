"""The feature table, the weight file and the packed numbers."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.system.errors import InputError
from eval import features
from eval.features import FEATURES, WEIGHT_COUNT, weight_names
from eval.weight_file import DEFAULT_FILE, LARGEST_WEIGHT, read_weight_file
from eval.weights import load_weights, pack, save_weights, values_of, weights_from
from tests.eval.boards import own_weights, random_weights
from tests.eval.kernels import unpack

HALVES = st.integers(-2**30, 2**30)


def default_content():
    return json.loads(DEFAULT_FILE.read_text(encoding="utf-8"))


def test_each_row_of_the_table_is_named_like_its_constant():
    for row in FEATURES:
        assert getattr(features, row.name.upper()) == row.offset
    assert len({row.name for row in FEATURES}) == len(FEATURES)


def test_rows_follow_each_other_without_gaps():
    assert [row.offset for row in FEATURES] == np.cumsum([0, *(row.size for row in FEATURES)])[:-1].tolist()
    names = weight_names()
    assert len(names) == len(set(names)) == WEIGHT_COUNT
    assert names[features.MOBILITY_KNIGHT + 3] == "mobility_knight[3]"
    assert names[features.BISHOP_PAIR] == "bishop_pair"


@settings(deadline=None)  # the first call may compile
@given(HALVES, HALVES)
def test_packed_values_unpack(mg, eg):
    assert unpack(pack(mg, eg)) == (mg, eg)


@given(st.lists(st.tuples(st.integers(-2000, 2000), st.integers(-2000, 2000), st.integers(-60, 60)), max_size=50))
def test_sums_of_packed_numbers_are_sums_of_their_halves(terms):
    total = sum(pack(mg, eg) * count for mg, eg, count in terms)
    assert unpack(total) == (sum(mg * count for mg, _, count in terms), sum(eg * count for _, eg, count in terms))


def test_the_built_in_weights_have_their_provenance():
    assert default_content()["provenance"]
    mg, eg = values_of(own_weights())
    assert np.abs(mg).max() < LARGEST_WEIGHT and np.abs(eg).max() < LARGEST_WEIGHT


def test_saved_weights_are_loaded_again(tmp_path):
    path = tmp_path / "weights.json"
    save_weights(random_weights(), path, 'a "quoted" line\nand another', [150.0, -20.0, 0.25, 1.0])
    assert load_weights(path).tobytes() == random_weights().tobytes()
    assert json.loads(path.read_text(encoding="utf-8"))["provenance"] == 'a "quoted" line\nand another'
    assert read_weight_file(path).outcome == [150.0, -20.0, 0.25, 1.0]


def test_the_weight_file_is_what_the_writer_writes(tmp_path):
    save_weights(own_weights(), tmp_path / "again.json", default_content()["provenance"],
                 read_weight_file().outcome)
    assert (tmp_path / "again.json").read_bytes() == DEFAULT_FILE.read_bytes()


def test_black_pieces_are_worth_the_negative_of_white_ones():
    squares = own_weights().squares.reshape(2, 2, 16, 8, 8)  # [white king's wing, black king's wing, piece, rank, file]
    for white_wing, black_wing in product((0, 1), (0, 1)):
        blacks, whites = squares[white_wing, black_wing, 9:15], squares[black_wing, white_wing, 1:7]
        assert (blacks == -whites[:, ::-1]).all()
    assert not squares[:, :, [0, 7, 8, 15]].any()


def test_squares_are_mirrored_when_the_king_changes_wings():
    squares = random_weights().squares.reshape(2, 2, 16, 8, 8)
    assert (squares[0, 0] == squares[1, 1, :, :, ::-1]).all()
    assert (squares[0, 1] == squares[1, 0, :, :, ::-1]).all()
    assert (squares[0, 1, 1:7] != squares[0, 0, 1:7]).any()


def test_a_wrong_number_of_weights_is_refused():
    with pytest.raises(ValueError, match="zip"):
        weights_from([0] * WEIGHT_COUNT, [0] * (WEIGHT_COUNT - 1))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*nowhere\.json: No such file"):
        load_weights(tmp_path / "nowhere.json")


@pytest.mark.parametrize("text", ["", "{", "\0", '{"weights"', "\udcff"])
def test_a_file_that_is_not_json_is_named(tmp_path, text):
    path = tmp_path / "broken.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=r"broken\.json is not (JSON|a text file)"):
        load_weights(path)


BREAKAGES = {
    "expected version 2, got '1'": lambda content: content.update(version=1),
    "expected version 2, got 'None'": lambda content: content.pop("version"),
    '"outcome" must be a list of 4 numbers': lambda content: content["outcome"].pop(),
    '"outcome" is invalid: a better score must win more often': lambda content: content.update(outcome=[0, 0, 0, 0]),
    "\"outcome\" must hold numbers up to 1000, got 'nan'":
        lambda content: content.update(outcome=[1, 2, 3, math.nan]),
    "\"outcome\" must hold numbers up to 1000, got 'x'": lambda content: content.update(outcome=[1, 2, 3, "x"]),
    'no object "weights"': lambda content: content.pop("weights"),
    "unknown feature 'mobility_camel'": lambda content: content["weights"].update(mobility_camel={}),
    "feature 'tempo' is missing": lambda content: content["weights"].pop("tempo"),
    "'tempo' mg must be a list": lambda content: content["weights"].update(tempo=3),
    "'tempo' eg must be a list": lambda content: content["weights"]["tempo"].pop("eg"),
    "'phalanx' mg must have 6 values, got 7": lambda content: content["weights"]["phalanx"]["mg"].append(1),
    "'phalanx' eg must have 6 values, got 5": lambda content: content["weights"]["phalanx"]["eg"].pop(),
    "'tempo' mg must hold integers, got '1.5'":
        lambda content: content["weights"]["tempo"].update(mg=[1.5]),
    "'tempo' eg must hold integers, got 'True'":
        lambda content: content["weights"]["tempo"].update(eg=[True]),
    "'tempo' eg must hold values from -4000 to 4000, got -4001":
        lambda content: content["weights"]["tempo"].update(eg=[-4001]),
}


@pytest.mark.parametrize("message", BREAKAGES)
def test_a_broken_file_is_an_error(tmp_path, message):
    content = default_content()
    BREAKAGES[message](content)
    path = tmp_path / "weights.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_weights(path)
    assert message in str(caught.value) and str(path) in str(caught.value)


def test_a_file_with_other_content_is_refused(tmp_path):
    path = tmp_path / "list.json"
    path.write_text("[1, 2]", encoding="utf-8")
    with pytest.raises(InputError, match="no object"):
        load_weights(path)
