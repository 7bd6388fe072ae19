"""splitmix64 against the numbers that its authors give for the seed 0."""

from __future__ import annotations

import numpy as np

from engine.core.splitmix import GOLDEN, mix, mix_words
from engine.kernel import array_type, entry

FIRST_NUMBERS = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


@entry(array_type("u8"))
def mix_each(words):
    for index in range(words.size):
        words[index] = mix(words[index])


def test_the_first_numbers_are_those_of_the_generator():
    states = GOLDEN * np.arange(3, dtype=np.uint64)
    assert mix_words(states).tolist() == FIRST_NUMBERS
    words = states + GOLDEN
    mix_each(words)
    assert words.tolist() == FIRST_NUMBERS
