"""What the tests of the search share."""

from __future__ import annotations

from typing import Any

import pytest

from engine.alphabeta.params import default_params
from engine.alphabeta.state import HISTORY_FIELDS, new_state

_STATE = new_state()


@pytest.fixture
def state() -> Any:
    """A state with empty histories and default parameters; one for all tests, because it is large."""
    for name in HISTORY_FIELDS:
        _STATE[name][...] = 0
    _STATE["params"] = default_params()
    return _STATE
