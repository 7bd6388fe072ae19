"""`tune screen`: measure what many changes of the search are worth, all in the same games."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from threading import Timer

from engine.cli.arguments import OutputFile, add_concurrency, add_seed, in_file, minutes, positive, text
from engine.cli.interruption import stop_on_interrupt
from engine.cli.output import pluralize, print_warning
from engine.cli.progress import progress_bar
from engine.cli.tables import print_table
from engine.lab.arena import executors
from engine.lab.arena.cancellation import cancel_games
from engine.lab.arena.configs import DEFAULT, Config, parse_config
from engine.lab.arena.game_pairs import GamePair
from engine.lab.arena.openings import Openings, RandomOpenings
from engine.lab.arena.screen_file import ScreenJournal, ScreenPlan, is_screen_file, open_screen, read_screen
from engine.lab.arena.screening import (
    ParamChange,
    Screening,
    fold,
    parse_changes,
    rows_of,
    screen_pairs,
    suggest,
)
from engine.lab.arena.shards import in_order
from engine.lab.arena.statistics import Estimate
from engine.search.params import Parameter
from engine.system.errors import InputError
from engine.system.host import usable_cores

_SWITCHES, _NUMBERS = "switches", "numbers"
_WAITING = 4  # pairs per thread that are drawn ahead, so that no thread waits while an earlier pair takes long
_REPORT_INTERVAL = 60.0  # seconds
_ENDS_SHOWN = 3  # changes at either end of a report


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("--params", type=text, default=_NUMBERS, metavar="NAME[=LOW:HIGH],...",
        help=f"parameters and their two values; `{_SWITCHES}` is all techniques not in use, `{_NUMBERS}` all numbers, "
        f"a step either way (default {_NUMBERS})")
    add("--config", type=text, default=DEFAULT, metavar="CONFIG",
        help="the config to change (as in `match`); that of a tree search, such as `mcts`, for its parameters")
    add("--pairs", type=positive, default=10_000, metavar="N", help="pairs of games in total (default 10000)")
    add("--minutes", type=minutes, metavar="X", help="play no longer than this")
    add("--nodes", type=positive, default=5000, metavar="N", help="nodes, of trees iterations, per move (default 5000)")
    add("--openings", type=in_file, metavar="FILE", help="EPD or PGN, also compressed (default: random openings)")
    add_seed(parser, "openings and sides")
    add_concurrency(parser)
    add("--out", type=OutputFile("screen", is_screen_file), metavar="FILE",
        help="keep the pairs, written as they are played; if the file exists, its screen is continued")
    add("--fold", type=in_file, nargs="+", default=[], metavar="FILE",
        help="fold these screens in as well; without --out nothing is played")


def run(arguments: argparse.Namespace) -> int:
    """Play, print what each change is worth, and return the exit status."""
    base = parse_config(arguments.config)
    screens = [read_screen(path)[1] for path in arguments.fold]
    if arguments.out is not None or not screens:
        screens.append(_play_screen(arguments, base))
    _print_effects(screens, base)
    return 0


def _play_screen(arguments: argparse.Namespace, base: Config) -> Screening:
    changes = tuple(parse_changes(_names(arguments.params, rows_of(base)), base))
    source = RandomOpenings() if arguments.openings is None else Openings(arguments.openings)
    openings = source.draw(arguments.pairs, arguments.seed, print_warning)
    plan = ScreenPlan(changes, arguments.nodes, arguments.seed,
                      "" if arguments.openings is None else arguments.openings.name, _name_of(arguments.config))
    with open_screen(arguments.out, plan) as journal:
        pairs = screen_pairs(changes, base, openings, arguments.nodes, arguments.seed)
        _play(journal, islice(pairs, journal.screening.pairs, None), arguments, base.tree is not None)
        return journal.screening


def _name_of(config: str) -> str:
    """A config as it is kept in a file: that of a file by its name, so that it may be read in another folder."""
    return config if "=" in config else Path(config).name


def _names(words: str, rows: Sequence[Parameter]) -> list[str]:
    groups = {_SWITCHES: [row.name for row in rows if row.is_switch and not row.is_on],
              _NUMBERS: [row.name for row in rows if row.step]}
    names = [name for word in words.split(",") for name in groups.get(word, [word])]
    if not names:
        raise InputError("nothing to screen: all techniques are in use")
    return names


def _play(journal: ScreenJournal, pairs: Iterator[tuple[tuple[int, ...], GamePair]], arguments: argparse.Namespace,
          has_tree: bool) -> None:
    """Play until the pairs or the minutes are used up, or the user interrupts; the games in progress are dropped."""
    drawn: list[tuple[int, ...]] = []

    def shards() -> Iterator[GamePair]:
        for signs, pair in pairs:
            drawn.append(signs)
            yield pair

    reported = time.monotonic()
    start = executors.processes if has_tree else executors.threads  # Python code plays the games of trees
    with (start(arguments.concurrency or usable_cores()) as (executor, width),
          progress_bar(arguments.pairs) as show, stop_on_interrupt(cancel_games), _time_limit(arguments.minutes)):
        for number, records in enumerate(in_order(executor, shards(), _WAITING * width)):
            if records[0].number // 2 != journal.screening.pairs:
                break  # cancelled: this pair was finished before an earlier one, which will be played again
            journal.add(drawn[number], sum(record.points for record in records))
            show(journal.screening.pairs, "pairs")
            if time.monotonic() - reported >= _REPORT_INTERVAL:
                reported = time.monotonic()
                _print_report(journal.screening)


@contextmanager
def _time_limit(most_minutes: float | None) -> Iterator[None]:
    """Cancel all games when these minutes are over."""
    if most_minutes is None:
        yield
        return
    timer = Timer(60 * most_minutes, cancel_games)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _print_report(screening: Screening) -> None:
    """One line on how the screen stands: the changes at either end."""
    effects = list(fold([screening]).items())
    ends = effects[:_ENDS_SHOWN] + effects[max(len(effects) - _ENDS_SHOWN, _ENDS_SHOWN):]
    shown = ", ".join(f"{_label(change)} {elo.value:+.1f}" for change, elo in ends)
    print(f"{pluralize(screening.pairs, 'pair')}, each with an error of {_error(effects[0][1])}: {shown}", flush=True)


def _label(change: ParamChange) -> str:
    return change.name if (change.low, change.high) == (0, 1) else f"{change.name} {change.low:g}:{change.high:g}"


def _error(elo: Estimate) -> str:
    return f"{elo.high - elo.value:.1f}"


def _print_effects(screens: Sequence[Screening], base: Config) -> None:
    """Print each change's worth at every number of nodes, and together, and the suggested values."""
    lengths = sorted({screen.nodes for screen in screens if screen.pairs})
    for nodes in lengths:
        pairs = sum(screen.pairs for screen in screens if screen.nodes == nodes)
        print(f"{pluralize(pairs, 'pair')} of games at {nodes} nodes per move")
    together = fold(screens)
    columns = [together] if len(lengths) < 2 else [
        *(fold([screen for screen in screens if screen.nodes == nodes]) for nodes in lengths), together]
    headings = [""] if len(lengths) < 2 else [*(f" at {nodes}" for nodes in lengths), " together"]
    print_table(("parameter", "from", "to", *(f"{word}{heading}" for heading in headings for word in ("Elo", "error"))),
                [(change.name, f"{change.low:g}", f"{change.high:g}",
                  *(cell for column in columns for cell in _cells(column.get(change)))) for change in together])
    moves = suggest(together, base)
    print("suggested: " + (",".join(f"{name}={value}" for name, value in moves.items()) or "no change"))


def _cells(elo: Estimate | None) -> tuple[str, str]:
    return ("", "") if elo is None else (f"{elo.value:+.1f}", _error(elo))
