"""The table of options, and what it accepts."""

from __future__ import annotations

import pytest

from engine.player.options import OPTIONS, OptionType, Settings, find_option
from engine.system.errors import InputError


def test_every_default_is_a_value():
    settings = Settings()
    for option in OPTIONS:
        if option.type is not OptionType.BUTTON:
            assert option.read("<empty>" if option.default == "" else str(option.default)) == option.default
            assert settings.value(option) == option.default


def test_names_are_found_in_any_case_and_spacing():
    assert find_option("mOVE   overhead").name == "Move Overhead"
    with pytest.raises(InputError, match="unknown option 'Hsah'"):
        find_option("Hsah")


@pytest.mark.parametrize(("name", "value"), [
    ("Hash", "0"), ("Hash", ""), ("Hash", "many"), ("Hash", "1e3"), ("Hash", "-5"), ("Hash", "9" * 30), ("Hash", "٣"),
    ("Ponder", "yes"), ("Ponder", ""), ("SearchMode", "guess"), ("Threads", "1025"),
])
def test_other_values_are_refused_and_change_nothing(name, value):
    settings, option = Settings(), find_option(name)
    with pytest.raises(InputError, match=f"option {name} must be"):
        settings.set(option, value)
    assert settings.value(option) == option.default


def test_values_are_read_in_any_case():
    settings = Settings()
    settings.set(find_option("ponder"), "TRUE")
    settings.set(find_option("searchmode"), "AlphaBeta")
    settings.set(find_option("hash"), "+128")
    assert (settings.ponder, settings.search_mode, settings.hash) == (True, "alphabeta", 128)


@pytest.mark.parametrize(("name", "value"), [
    ("Hash", 0), ("Hash", True), ("Hash", "64"), ("MultiPV", 257), ("Ponder", 1), ("Ponder", "true"),
    ("SearchMode", "guess"), ("SearchMode", "AlphaBeta"), ("BookFile", 5)])
def test_typed_values_are_checked_too(name, value):
    settings, option = Settings(), find_option(name)
    with pytest.raises(InputError, match=f"option {name} must be"):
        settings.set_value(option, value)
    assert settings.value(option) == option.default
    settings.set_value(option, option.default)


def test_values_and_their_texts_mean_the_same():
    typed, read = Settings(), Settings()
    for name, value, text in (("MultiPV", 256, "256"), ("Ponder", True, "true"), ("SearchMode", "uct", "UCT"),
                              ("BookFile", "a.bin", "a.bin"), ("BookFile", "", "<empty>")):
        typed.set_value(find_option(name), value)
        read.set(find_option(name), text)
        assert typed == read
