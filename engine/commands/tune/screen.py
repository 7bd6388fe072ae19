"""`tune screen`: measure what many changes of the search are worth, all in the same games."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from itertools import islice

from engine.alphabeta.params import PARAMETERS
from engine.arena import executors
from engine.arena.cancellation import cancel_games
from engine.arena.configs import DEFAULT, parse_config
from engine.arena.openings import Openings, RandomOpenings
from engine.arena.screening import Screening, ScreenPair, parse_changes, screen_pairs
from engine.arena.shards import in_order
from engine.commands.shared.arguments import add_concurrency, add_seed, in_file, minutes, positive, text
from engine.commands.shared.interruption import is_interrupted, stop_on_interrupt
from engine.commands.shared.output import print_warning
from engine.commands.shared.progress import progress_bar
from engine.commands.shared.tables import print_table
from engine.system.errors import InputError
from engine.system.host import usable_cores

_SWITCHES, _NUMBERS = "switches", "numbers"
_BATCH = 8  # pairs per thread between two looks at the clock


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("--params", type=text, default=_NUMBERS, metavar="NAME[=LOW:HIGH],...",
        help=f"parameters and their two values; `{_SWITCHES}` is all techniques not in use, `{_NUMBERS}` all numbers, "
        f"a step either way (default {_NUMBERS})")
    add("--config", type=text, default=DEFAULT, metavar="CONFIG", help="the config to change (as in `match`)")
    add("--pairs", type=positive, default=10_000, metavar="N", help="pairs of games in total (default 10000)")
    add("--minutes", type=minutes, metavar="X", help="play no longer than this")
    add("--nodes", type=positive, default=5000, metavar="N", help="nodes per move (default 5000)")
    add("--openings", type=in_file, metavar="FILE", help="EPD or PGN, also compressed (default: random openings)")
    add_seed(parser, "openings and sides")
    add_concurrency(parser)


def run(arguments: argparse.Namespace) -> int:
    """Play, print what each change is worth, and return the exit status."""
    base = parse_config(arguments.config)
    changes = parse_changes(_names(arguments.params), base)
    source = RandomOpenings() if arguments.openings is None else Openings(arguments.openings)
    openings = source.draw(arguments.pairs, arguments.seed, print_warning)
    screening = Screening(changes)
    _play(screening, screen_pairs(changes, base, openings, arguments.nodes, arguments.seed), arguments)
    print(f"{screening.pairs} pairs of games at {arguments.nodes} nodes per move")
    print_table(("parameter", "from", "to", "Elo", "error"),
                [(change.name, str(change.low), str(change.high), f"{elo.value:+.1f}", f"{elo.high - elo.value:.1f}")
                 for change, elo in screening.effects()])
    return 0


def _names(words: str) -> list[str]:
    groups = {_SWITCHES: [row.name for row in PARAMETERS if row.is_switch and not row.is_on],
              _NUMBERS: [row.name for row in PARAMETERS if not row.is_switch]}
    names = [name for word in words.split(",") for name in groups.get(word, [word])]
    if not names:
        raise InputError("nothing to screen: all techniques are in use")
    return names


def _play(screening: Screening, pairs: Iterator[ScreenPair], arguments: argparse.Namespace) -> None:
    """Play batches until the pairs or the minutes are used up, or the user interrupts; updates `screening`."""
    end = time.monotonic() + 60 * (arguments.minutes or float("inf"))
    with (executors.threads(arguments.concurrency or usable_cores()) as (executor, width),
          progress_bar(arguments.pairs) as show, stop_on_interrupt(cancel_games)):
        while time.monotonic() < end and not is_interrupted():
            batch = list(islice(pairs, _BATCH * width))
            if not batch:
                return
            results = in_order(executor, [screen_pair.pair for screen_pair in batch], width)
            for screen_pair, records in zip(batch, results, strict=False):  # fewer results after an interruption
                screening.add(screen_pair.signs, records)
            show(screening.pairs, "pairs")
