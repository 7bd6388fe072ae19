"""Parameters for tests of all techniques together."""

from __future__ import annotations

from engine.alphabeta.params import PARAMETERS, ParamsRecord, default_params, set_param


def every_technique() -> ParamsRecord:
    """The default parameters with every switch on."""
    params = default_params()
    for row in PARAMETERS:
        if row.is_switch:
            set_param(params, row.name, 1)
    return params
