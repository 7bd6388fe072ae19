"""splitmix64: a generator of random 64-bit words, and its function that mixes the bits of a word.

The state of the generator is a word to which GOLDEN is added at each step; the number is `mix` of it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.kernel import inline

GOLDEN = np.uint64(0x9E37_79B9_7F4A_7C15)  # 2^64 divided by the golden ratio
_FIRST, _SECOND = np.uint64(0xBF58_476D_1CE4_E5B9), np.uint64(0x94D0_49BB_1331_11EB)


@inline
def mix(word):
    """A word of which every bit depends on every bit of `word`."""
    word = (word ^ word >> np.uint64(30)) * _FIRST
    word = (word ^ word >> np.uint64(27)) * _SECOND
    return word ^ word >> np.uint64(31)


def mix_words(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """`mix` for each word of an array, advanced by one step of the generator first, so that 0 is mixed too."""
    words = words + GOLDEN
    words = (words ^ words >> np.uint64(30)) * _FIRST
    words = (words ^ words >> np.uint64(27)) * _SECOND
    return words ^ words >> np.uint64(31)
