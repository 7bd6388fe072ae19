"""docs/uci-options.md lists the options as the engine declares them."""

from __future__ import annotations

import pytest

from engine.player.options import OPTIONS, Option, OptionType
from tests.docs.pages import page, rows, sections

ROWS = {cells[0].strip("`"): cells for cells in rows(sections(page("docs/uci-options.md"))["Options"])}


def values_of(option: Option) -> str:
    """Return the column of values that an option should have."""
    return {OptionType.BUTTON: "a button", OptionType.CHECK: "true, false", OptionType.COMBO: ", ".join(option.choices),
            OptionType.SPIN: f"{option.low} to {option.high}", OptionType.STRING: "text"}[option.type]


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_option_has_its_row(option):
    default = str(option.default).lower() if isinstance(option.default, bool) else str(option.default)
    assert ROWS[option.name] == [f"`{option.name}`", default, values_of(option), option.about]


def test_no_other_option_is_listed():
    assert set(ROWS) == {"option", *(option.name for option in OPTIONS)}
