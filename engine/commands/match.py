"""`match A B`: two engines or two settings play each other, and the result comes with its error."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from engine.arena.match import PgnFile, Score, play
from engine.arena.openings import Openings, RandomOpenings
from engine.arena.records import Adjudication
from engine.arena.referee import Contender, TimeControl, UciPair
from engine.arena.statistics import Sprt
from engine.commands._score import live_score, summary
from engine.core.errors import InputError, quote

_FAULTS_SEEN = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("first", metavar="A", help="cmd:COMMAND, any UCI engine")
    parser.add_argument("second", metavar="B", help="the same")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="games, at most with --sprt (default 100)")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--tc", default="10+0.1", metavar="S+INC", help="seconds a game and a move (default 10+0.1)")
    limits.add_argument("--nodes", type=int, metavar="N", help="nodes a move instead of a clock")
    parser.add_argument("--openings", type=Path, metavar="FILE", help="EPD or PGN, also zipped (default: random ones)")
    parser.add_argument("--chess960", action="store_true", help="play Chess960")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="decides the openings (default 1)")
    parser.add_argument("--concurrency", type=int, default=1, metavar="N", help="games at the same time (default 1)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="UCI option of both")
    parser.add_argument("--option-a", action="append", default=[], metavar="NAME=VALUE", help="UCI option of A")
    parser.add_argument("--option-b", action="append", default=[], metavar="NAME=VALUE", help="UCI option of B")
    parser.add_argument("--pgn", type=Path, metavar="FILE", help="append the games to this file")
    parser.add_argument("--resume", action="store_true", help="go on with the match that --pgn holds")
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"), help="stop when this test is decided")
    parser.add_argument("--no-adjudication", action="store_true", help="play every game to its end")


def run(arguments: argparse.Namespace) -> int:
    """Play, print the result, and return the exit status: 1 if a game was lost by a fault."""
    for name in ("games", "nodes", "concurrency"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            raise InputError(f"--{name} must be at least 1, not {value}")
    if arguments.sprt is not None and arguments.sprt[0] >= arguments.sprt[1]:
        raise InputError("--sprt needs a smaller and a larger Elo")
    first, second = _contenders(arguments)
    score = Score((first.name, second.name))
    file = _pgn_file(arguments, score)
    sprt = Sprt(*arguments.sprt) if arguments.sprt is not None else None
    width = arguments.concurrency
    # A process of its own for each game in progress: nobody's clock runs while another game is looked after.
    with ProcessPoolExecutor(width, multiprocessing.get_context("spawn")) as pool:
        course = play(score, _pairs(arguments, first, second, score), pool, width, sprt=sprt,
                      keep=file.add if file is not None else lambda record: None)
        live_score(course, score, arguments.games, sprt)
    print(summary(score, sprt))
    return _FAULTS_SEEN if any(score.faults()) or score.illegal_lines else 0


def _pgn_file(arguments: argparse.Namespace, score: Score) -> PgnFile | None:
    """Where the games go; what is there already is counted if the match is resumed."""
    path: Path | None = arguments.pgn
    if path is None:
        if arguments.resume:
            raise InputError("--resume needs --pgn")
        return None
    if not path.parent.is_dir():
        raise InputError(f"--pgn: no folder {path.parent}")
    if path.exists() and not arguments.resume:
        raise InputError(f"{path} exists; --resume goes on with it")
    file = PgnFile(path)
    for outcome in file.resume(score.players):
        score.add(outcome)
    return file


def _pairs(arguments: argparse.Namespace, first: Contender, second: Contender, score: Score) -> Iterator[UciPair]:
    """The pairs that are still to be played."""
    base, increment = _read_control(arguments.tc)
    control = TimeControl(base, increment, arguments.nodes)
    rules = Adjudication(draw_score=None, win_score=None) if arguments.no_adjudication else Adjudication()
    source = (RandomOpenings(arguments.chess960) if arguments.openings is None
              else Openings(arguments.openings, arguments.chess960))
    done = set(score.outcomes)
    for number, opening in enumerate(source.draw((arguments.games + 1) // 2, arguments.seed, _complain)):
        if 2 * number not in done:
            yield UciPair(number, opening, first, second, control, rules)


def _complain(text: str) -> None:
    print(f"error: {text}", file=sys.stderr)


def _read_control(text: str) -> tuple[float, float]:
    base, _, increment = text.partition("+")
    try:
        seconds = float(base), float(increment or 0)
    except ValueError as error:
        raise InputError(f"--tc is seconds a game + seconds a move, like 10+0.1, not {quote(text)}") from error
    if not (0 < seconds[0] < 1e6 and 0 <= seconds[1] < 1e6):
        raise InputError(f"--tc {quote(text)} is no time")
    return seconds


def _contenders(arguments: argparse.Namespace) -> tuple[Contender, Contender]:
    both = _read_options(arguments.option)
    first = _contender(arguments.first, both | _read_options(arguments.option_a))
    second = _contender(arguments.second, both | _read_options(arguments.option_b))
    if first.name != second.name:
        return first, second
    return (Contender(f"{first.name} A", first.command, first.options),
            Contender(f"{second.name} B", second.command, second.options))


def _contender(text: str, options: Mapping[str, str]) -> Contender:
    kind, _, command = text.partition(":")
    if kind != "cmd" or not command.strip():
        raise InputError(f"{quote(text)} is no player: cmd:COMMAND names a UCI engine")
    words = command.split()
    return Contender(" ".join([os.path.basename(words[0]), *words[1:]]), command, options)  # noqa: PTH119


def _read_options(texts: list[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for name, equals, _ in pairs:
        if not equals or not name:
            raise InputError(f"an option is NAME=VALUE, not {quote(name)}")
    return {name: value for name, _, value in pairs}
