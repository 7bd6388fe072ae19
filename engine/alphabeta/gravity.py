"""How histories learn: the closer a value is to its limit, the less it moves towards it, and never past it."""

from __future__ import annotations

import numpy as np

from engine.kernel import inline


@inline
def apply_gravity(value, bonus, limit_bits):
    """`value` moved by `step`; it stays within plus or minus 1 << limit_bits if both were within before."""
    value = np.int64(value)
    return value + bonus - (value * abs(bonus) >> limit_bits)
