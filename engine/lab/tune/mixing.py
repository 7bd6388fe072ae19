"""Positions that `tune network` mixes in with those of the games: neighbours and leaves, labelled by a teacher."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from engine.lab.arena.replay import SampleSource, is_held_out, pick, start_keys
from engine.system.errors import quote
from eval.network.samples import Samples

NEIGHBOURS, LEAVES = "neighbours", "leaves"
_EXAMPLES = f"{NEIGHBOURS}:1000000 or {LEAVES}:1000000:500"
_FEWEST_HELD_OUT, _MOST_HELD_OUT = 1_000, 200_000  # samples


class Mixture(NamedTuple):
    """A request for positions near those of the games."""

    origin: str  # NEIGHBOURS or LEAVES
    positions: int
    nodes: int = 0  # of each search, for leaves

    def __str__(self) -> str:
        return f"{self.origin}:{self.positions}" + (f":{self.nodes}" if self.origin == LEAVES else "")


@dataclass(frozen=True)
class MixArgument:
    """Parses a mixture as it is written on a command line."""

    def __call__(self, words: str) -> Mixture:
        """The mixture; ArgumentTypeError if `words` is not neighbours:COUNT or leaves:COUNT:NODES."""
        origin, *numbers = words.split(":")
        try:
            mixture = Mixture(origin, *map(int, numbers))
        except (TypeError, ValueError):
            mixture = Mixture("", 0)
        expected = {NEIGHBOURS: 1, LEAVES: 2}.get(mixture.origin)
        if len(numbers) != expected or min(map(int, numbers)) < 1:
            raise argparse.ArgumentTypeError(f"must be like {_EXAMPLES}, got {quote(words)}")
        return mixture


class MixedSamples(NamedTuple):
    """What a mixture brought, labelled."""

    training: Samples
    held_out: Samples


def draw(mixture: Mixture, number: int, source: SampleSource, largest_score: int,
         label: Callable[[Samples], Samples]) -> MixedSamples:
    """The positions of a mixture, from games for training and from held-out games; `number` makes its draws its own."""
    from engine.lab.arena.leaves import leaves
    from engine.lab.arena.neighbours import neighbours

    games, seed = source.first_games, source.filter.seed + 7919 * number
    is_apart = is_held_out(start_keys(games.rows), source.filter.held_out)
    held_out = min(max(mixture.positions // source.filter.held_out, _FEWEST_HELD_OUT), _MOST_HELD_OUT)
    parts = []
    for chosen, count in ((~is_apart, mixture.positions), (is_apart, held_out)):
        some = pick(games, chosen)
        if mixture.origin == LEAVES:
            samples = leaves(some, count, mixture.nodes, seed, source.threads, largest_score)
        else:
            samples = neighbours(some, count, 0, seed, source.threads, largest_score)
        parts.append(label(samples))
    return MixedSamples(*parts)
