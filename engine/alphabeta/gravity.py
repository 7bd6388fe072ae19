"""How histories learn: the closer a value is to its limit, the less it moves towards it, and never past it."""

from __future__ import annotations

import numpy as np

from engine.kernel import inline


@inline
def moved(value, step, limit_bits):
    """`value` moved by `step`; it stays within plus or minus 1 << limit_bits if both were within before."""
    value = np.int64(value)
    return value + step - (value * abs(step) >> limit_bits)
