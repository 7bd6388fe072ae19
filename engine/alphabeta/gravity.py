"""How histories learn: the nearer a value is to its limit, the less it moves towards it, and so it never leaves."""

from __future__ import annotations

import numpy as np

from engine.kernel import inline


@inline
def moved(value, step, limit_bits):
    """`value` moved by `step`; between plus and minus 1 << limit_bits it stays there, if the step is no larger."""
    value = np.int64(value)
    return value + step - (value * abs(step) >> limit_bits)
