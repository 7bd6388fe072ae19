"""The network file: what is written is read, and nothing damaged is."""

from __future__ import annotations

import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.system.errors import InputError
from eval.binary_file import ArrayBlock, FileFormat
from eval.network.file import DEFAULT_LAYERS, MAGIC, VERSION, Shape, read_network, write_network
from eval.networks import BUILT_IN_FILE
from tests.eval.network.reference import QUARTERS, random_network

SHAPE = Shape(128, (8, 32), QUARTERS, mirrored=True, output_buckets=2)


@pytest.fixture(scope="module")
def content(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("networks") / "whole.network"
    write_network(random_network(1, SHAPE), path)
    return path.read_bytes()


def refusal(content: bytes, path) -> str:
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_network(path)
    message = str(caught.value)
    assert str(path) in message and "\n" not in message
    return message


def changed_header(content: bytes, **fields) -> bytes:
    _, version, length = struct.unpack_from("<8sII", content)
    header = {**json.loads(content[16:16 + length]), **fields}
    text = json.dumps(header).encode()
    start = content[:8] + struct.pack("<II", version, len(text)) + text
    return start + bytes(-len(start) % 64) + content[16 + length + -(16 + length) % 64:]


@pytest.mark.parametrize("shape", [SHAPE, Shape(128, (8, 32)), Shape(256, (16, 8), mirrored=False, output_buckets=1)])
def test_what_is_written_is_read(shape, tmp_path):
    network = random_network(5, shape)
    write_network(network, tmp_path / "a.network")
    again = read_network(tmp_path / "a.network")
    assert (again.shape, again.scale, again.provenance) == (shape, 136.0, {"seed": 5})
    for name, code, _ in shape.blocks:
        assert np.array_equal(getattr(again, name), getattr(network, name))
        assert getattr(again, name).dtype == np.dtype(code)
    assert [path.name for path in tmp_path.iterdir()] == ["a.network"]


def test_a_senseless_model_of_the_game_is_refused(content, tmp_path):
    for outcome in (None, [1, 2, 3], [0, 0, 0, 0], [150, -20, "0", 1]):
        assert "outcome" in refusal(changed_header(content, outcome=outcome), tmp_path / "a.network")


def test_the_layout_is_the_documented_one(content):
    """Read by hand: a prefix, a header, zeros up to a multiple of 64, then the numbers."""
    network = random_network(1, SHAPE)
    assert content[:8] == b"ADVNET\r\n"
    version, length = struct.unpack_from("<II", content, 8)
    assert version == 1
    header = json.loads(content[16:16 + length])
    assert (header["hidden"], header["layers"], header["activation"]) == (128, [8, 32], "pairs")
    assert [header[name] for name in ("qa", "qb", "qo", "pair_bits", "square_bits")] == [255, 64, 1024, 9, 19]
    start = 16 + length + -(16 + length) % 64
    assert not any(content[16 + length:start])
    numbers = b"".join(array.tobytes() for array in (
        network.feature_weights, network.feature_biases, network.pair_shifts, network.first_weights,
        network.first_biases, network.second_weights, network.second_biases, network.output_weights,
        network.output_biases))
    assert content[start:] == numbers


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_byte_can_change_unnoticed(content, tmp_path_factory, data):
    offset = data.draw(st.one_of(st.integers(0, 700), st.integers(0, len(content) - 1)))
    damaged = bytearray(content)
    damaged[offset] ^= data.draw(st.integers(1, 255))
    refusal(bytes(damaged), tmp_path_factory.getbasetemp() / "flipped.network")


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_no_cut_goes_unnoticed(content, tmp_path_factory, data):
    length = data.draw(st.one_of(st.integers(0, 700), st.integers(0, len(content) - 1)))
    refusal(content[:length], tmp_path_factory.getbasetemp() / "cut.network")


@pytest.mark.parametrize(("fields", "words"), [
    ({"hidden": 100}, "got '100'"), ({"hidden": 4096}, "got '4096'"), ({"hidden": True}, "width"),
    ({"hidden": 256}, "truncated"), ({"king_buckets": [0] * 63}, "king_buckets"),
    ({"king_buckets": [0] * 64}, "too long"),
    ({"output_buckets": 0}, "output_buckets"), ({"mirrored": 1}, "mirrored"), ({"activation": "relu"}, "activation"),
    ({"layers": 8}, "list of two widths"), ({"layers": None}, "list of two widths"),
    ({"layers": [8]}, "list of two widths"),
    ({"layers": [8, 12]}, "a layer's width must be a multiple of 8 up to 64, got '12'"),
    ({"layers": [8, 128]}, "got '128'"), ({"layers": [8, "8"]}, "got '8'"), ({"layers": [8, 16]}, "too long"),
    ({"layers": [16, 32]}, "truncated"), ({"qa": 181}, '"qa"'), ({"pair_bits": 8}, '"pair_bits"'),
    ({"scale": "x"}, "scale"), ({"scale": 1e99}, "scale"), ({"provenance": []}, "provenance"),
    ({"scale": 137.0}, "checksum"), ({"checksum": 5}, "checksum"), ({"mirrored": False}, "checksum")])
def test_other_shapes_are_refused(content, tmp_path, fields, words):
    assert words in refusal(changed_header(content, **fields), tmp_path / "other.network")


def test_a_network_without_layers_is_refused(tmp_path):
    """The kind that was written before: one output layer behind accumulators that are clamped and squared."""
    blocks = (ArrayBlock("feature_weights", "<i2", (768, 64)), ArrayBlock("feature_biases", "<i2", (64,)),
              ArrayBlock("output_weights", "<i2", (1, 2, 64)), ArrayBlock("output_biases", "<i4", (1,)))
    header = {"hidden": 64, "king_buckets": [0] * 64, "mirrored": True, "output_buckets": 1, "activation": "screlu",
              "qa": 255, "qb": 64, "scale": 136.0, "provenance": {}}
    content = FileFormat("network", MAGIC, VERSION).pack(
        header, blocks, {block.name: np.zeros(block.dimensions, block.code) for block in blocks})
    path = tmp_path / "old.network"
    assert refusal(content, path) == f'network file {path}: activation "screlu" is not supported'


def test_other_files_are_refused(content, tmp_path):
    assert "version 2" in refusal(content[:8] + struct.pack("<I", 2) + content[12:], tmp_path / "a")
    assert "not a network file" in refusal(b"", tmp_path / "b")
    assert "too long" in refusal(content + b"\0", tmp_path / "c")
    with pytest.raises(InputError, match="cannot read "):
        read_network(tmp_path / "missing")
    with pytest.raises(InputError, match="cannot read "):
        read_network(tmp_path)


def test_what_could_not_be_read_is_not_written(tmp_path):
    network = random_network(1, SHAPE)
    biases = network.first_biases.copy()
    biases[1, 5] = 2**31 - 1
    wrong = {
        "first biases is above": {"first_biases": biases},
        "a pair shift is above": {"pair_shifts": network.pair_shifts + 5},
        "feature_weights holds numbers that do not fit into 8 bits":
            {"feature_weights": network.feature_weights.astype(int) + 100},
        "feature_weights must have the shape": {"feature_weights": network.feature_weights[1:]}}
    for words, numbers in wrong.items():
        with pytest.raises(InputError, match=words):
            write_network(replace(network, **numbers), tmp_path / "wrong.network")
    assert not list(tmp_path.iterdir())


def test_the_default_layers_are_those_of_the_built_in_network():
    assert read_network(BUILT_IN_FILE).shape.layers == DEFAULT_LAYERS
