"""`tune screen`: what many changes of the search are worth, measured at once."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from itertools import islice

from engine.alphabeta.params import PARAMETERS
from engine.arena import executors
from engine.arena.cancellation import cancel_games
from engine.arena.configs import DEFAULT, parse_config
from engine.arena.openings import Openings, RandomOpenings
from engine.arena.screening import Screening, ScreenPair, changes_of, trials
from engine.arena.shards import in_order
from engine.commands.shared.arguments import add_concurrency, add_seed, in_file, minutes, positive, text
from engine.commands.shared.interruption import is_interrupted, stop_on_interrupt
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
        help=f"which ones, between which values; `{_SWITCHES}` stands for all techniques that are not in use, "
        f"`{_NUMBERS}` for all numbers, a step either way (default {_NUMBERS})")
    add("--setting", type=text, default=DEFAULT, metavar="SETTING", help="what is changed (as in `match`)")
    add("--pairs", type=positive, default=10_000, metavar="N", help="pairs of games in all (default 10000)")
    add("--minutes", type=minutes, metavar="X", help="play no longer than this")
    add("--nodes", type=positive, default=5000, metavar="N", help="nodes per move (default 5000)")
    add("--openings", type=in_file, metavar="FILE", help="EPD or PGN, also packed (default: random ones)")
    add_seed(parser, "openings and sides")
    add_concurrency(parser)


def run(arguments: argparse.Namespace) -> int:
    """Play, print what each change is worth, and return the exit status."""
    base = parse_config(arguments.setting)
    changes = changes_of(_names(arguments.params), base)
    source = RandomOpenings() if arguments.openings is None else Openings(arguments.openings)
    openings = source.draw(arguments.pairs, arguments.seed, lambda line: print(f"error: {line}", file=sys.stderr))
    screening = Screening(changes)
    _play(screening, trials(changes, base, openings, arguments.nodes, arguments.seed), arguments)
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
        raise InputError("there is nothing to screen: all techniques are in use")
    return names


def _play(screening: Screening, source: Iterator[ScreenPair], arguments: argparse.Namespace) -> None:
    """Play batch after batch until the pairs or the minutes are over, or somebody stops it."""
    end = time.monotonic() + 60 * (arguments.minutes or float("inf"))
    with (executors.threads(arguments.concurrency or usable_cores()) as (executor, width),
          progress_bar(arguments.pairs) as show, stop_on_interrupt(cancel_games)):
        while time.monotonic() < end and not is_interrupted():
            batch = list(islice(source, _BATCH * width))
            if not batch:
                return
            results = in_order(executor, [trial.pair for trial in batch], width)
            for trial, records in zip(batch, results, strict=False):  # fewer results if it was stopped
                screening.add(trial.signs, records)
            show(screening.pairs, "pairs")
