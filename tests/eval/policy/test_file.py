"""The policy file: round trip, and detection of damage."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.system.errors import InputError
from eval.policy.file import Policy, blocks_of, random_policy, read_policy, write_policy
from tests.eval.network.test_file import changed_header


@pytest.fixture(scope="module")
def content(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("policies") / "whole.policy"
    write_policy(random_policy(64, 1), path)
    return path.read_bytes()


def refusal(content: bytes, path) -> str:
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_policy(path)
    message = str(caught.value)
    assert str(path) in message and "\n" not in message
    return message


@pytest.mark.parametrize("hidden", [64, 192, 512])
def test_what_is_written_is_read(hidden, tmp_path):
    policy = random_policy(hidden, 5)
    write_policy(Policy(**{**vars(policy), "provenance": {"seed": 5}}), tmp_path / "a.policy")
    again = read_policy(tmp_path / "a.policy")
    assert (again.hidden, again.provenance) == (hidden, {"seed": 5})
    for block in blocks_of(hidden):
        assert np.array_equal(getattr(again, block.name), getattr(policy, block.name))
        assert getattr(again, block.name).dtype == np.dtype(block.code)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_no_byte_can_change_unnoticed(content, tmp_path_factory, data):
    offset = data.draw(st.one_of(st.integers(0, 300), st.integers(0, len(content) - 1)))
    damaged = bytearray(content)
    damaged[offset] ^= data.draw(st.integers(1, 255))
    refusal(bytes(damaged), tmp_path_factory.getbasetemp() / "flipped.policy")


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_no_cut_goes_unnoticed(content, tmp_path_factory, data):
    length = data.draw(st.one_of(st.integers(0, 300), st.integers(0, len(content) - 1)))
    refusal(content[:length], tmp_path_factory.getbasetemp() / "cut.policy")


@pytest.mark.parametrize(("fields", "words"), [
    ({"hidden": 100}, "got '100'"), ({"hidden": 576}, "got '576'"), ({"hidden": True}, "width"),
    ({"hidden": 128}, "truncated"), ({"activation": "relu"}, "activation"), ({"qa": 255}, '"qa"'), ({"qb": 1}, '"qb"'),
    ({"provenance": []}, "provenance"), ({"provenance": {"seed": 2}}, "checksum"), ({"checksum": 5}, "checksum")])
def test_other_shapes_are_refused(content, tmp_path, fields, words):
    assert words in refusal(changed_header(content, **fields), tmp_path / "other.policy")


def test_other_files_are_refused(content, tmp_path):
    assert "version 2" in refusal(content[:8] + struct.pack("<I", 2) + content[12:], tmp_path / "a")
    assert "not a policy file" in refusal(b"ADVNET\r\n" + content[8:], tmp_path / "b")
    assert "too long" in refusal(content + b"\0", tmp_path / "c")
    with pytest.raises(InputError, match="cannot read "):
        read_policy(tmp_path / "missing")


def test_what_could_not_be_read_is_not_written(tmp_path):
    policy = random_policy(64, 1)
    wide = Policy(**{**vars(policy), "from_to_weights": policy.from_to_weights.astype(np.int16) + 100})
    short = Policy(**{**vars(policy), "trait_weights": policy.trait_weights[1:]})
    for wrong in (wide, short):
        with pytest.raises(InputError):
            write_policy(wrong, tmp_path / "wrong.policy")
    assert not list(tmp_path.iterdir())
