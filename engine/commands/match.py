"""`match A B`: two engines or two settings play each other, and the result comes with its error.

`match --ablate` lets the engine play against itself with each technique switched off, and prints what each is worth.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from engine.arena import executors
from engine.arena.match import PgnFile, Score, Shard, play
from engine.arena.openings import Openings, RandomOpenings
from engine.arena.records import Adjudication, Opening
from engine.arena.referee import Contender, TimeControl, UciPair
from engine.arena.statistics import Sprt
from engine.commands._score import ablation_table, live_score, summary
from engine.core.errors import InputError, quote

_FAULTS_SEEN = 1
_DEFAULT_NODES = 5000
_DEFAULT_CONTROL = "10+0.1"
_COMMAND = "cmd:"
_LARGEST_ELO = 500


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("first", nargs="?", metavar="A", help="cmd:COMMAND, any UCI engine; or a setting of this one: "
                        "default, features, NAME=VALUE,..., or a file: a network, weights or parameters")
    parser.add_argument("second", nargs="?", metavar="B", help="the same (default: default)")
    parser.add_argument("--ablate", action="store_true", help="instead: play with each technique switched off")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="games, at most with --sprt (default 100)")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--tc", metavar="S+INC", help=f"seconds a game and a move (default {_DEFAULT_CONTROL})")
    limits.add_argument("--nodes", type=int, metavar="N",
                        help=f"nodes a move instead of a clock (settings: always, default {_DEFAULT_NODES})")
    limits.add_argument("--movetime", type=int, metavar="MS", help="milliseconds for each move instead of a clock")
    for side in "ab":
        parser.add_argument(f"--depth-{side}", type=int, metavar="D", help=f"{side.upper()} searches so deep instead")
    for side in "ab":
        parser.add_argument(f"--network-{side}", metavar="FILE", help=f"settings: {side.upper()} evaluates with this "
                            "network, or by `features`")
    parser.add_argument("--openings", type=Path, metavar="FILE", help="EPD or PGN, also zipped (default: random ones)")
    parser.add_argument("--chess960", action="store_true", help="play Chess960")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="decides the openings (default 1)")
    parser.add_argument("--concurrency", type=int, metavar="N",
                        help="games at the same time (default 1; settings: as many as there are cores)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="settings: play on the dask cluster at tcp://...")
    parser.add_argument("--hash", type=int, default=4, metavar="MB", help="settings: size of the tables (default 4)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="UCI option of both")
    parser.add_argument("--option-a", action="append", default=[], metavar="NAME=VALUE", help="UCI option of A")
    parser.add_argument("--option-b", action="append", default=[], metavar="NAME=VALUE", help="UCI option of B")
    parser.add_argument("--pgn", type=Path, metavar="FILE", help="append the games to this file")
    parser.add_argument("--resume", action="store_true", help="go on with the match that --pgn holds")
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"), help="stop when this test is decided")
    parser.add_argument("--no-adjudication", action="store_true", help="play every game to its end")


def run(arguments: argparse.Namespace) -> int:
    """Play, print the result, and return the exit status: 1 if a game was lost by a fault."""
    for name in ("games", "nodes", "movetime", "depth-a", "depth-b", "concurrency", "hash"):
        value = getattr(arguments, name.replace("-", "_"))
        if value is not None and value < 1:
            raise InputError(f"--{name} must be at least 1, not {value}")
    if arguments.sprt is not None and not -_LARGEST_ELO <= arguments.sprt[0] < arguments.sprt[1] <= _LARGEST_ELO:
        raise InputError(f"--sprt needs a smaller and a larger Elo, within {_LARGEST_ELO}")
    if arguments.ablate:
        return _ablate(arguments)
    if arguments.first is None:
        raise InputError("match needs two players, or --ablate")
    is_between_processes = (arguments.first.startswith(_COMMAND)
                            or (arguments.second is not None and arguments.second.startswith(_COMMAND)))
    pairing = _UciPairing(arguments) if is_between_processes else _SettingsPairing(arguments)
    score = Score(pairing.players, is_refereed=is_between_processes)
    file = _pgn_file(arguments, score)
    sprt = Sprt(*arguments.sprt) if arguments.sprt is not None else None
    try:
        with pairing.executor() as (executor, width):
            course = play(score, _shards(arguments, pairing, score), executor, width, sprt=sprt,
                          keep=file.add if file is not None else lambda records: None)
            live_score(course, score, arguments.games, sprt)
    except KeyboardInterrupt:
        print(summary(score, sprt))
        raise
    print(summary(score, sprt))
    return _FAULTS_SEEN if any(score.faults()) or score.illegal_lines else 0


class _UciPairing:
    """Two UCI engines, on the clock or at fixed nodes."""

    is_fair: Callable[[Opening], bool] | None = None

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._first, self._second = _contenders(arguments)
        self.players = (self._first.name, self._second.name)
        base, increment = _read_control(arguments.tc or _DEFAULT_CONTROL)
        movetime = arguments.movetime / 1000 if arguments.movetime is not None else None
        self._control = TimeControl(base, increment, arguments.nodes, movetime)
        self._width = arguments.concurrency or 1
        if arguments.cluster is not None:
            raise InputError("--cluster is for settings: engines are started on this machine")
        if arguments.network_a or arguments.network_b:
            raise InputError("--network-a and --network-b are for settings: engines have UCI options, like EvalFile")

    def executor(self) -> AbstractContextManager[tuple[Executor, int]]:
        """A process of its own for each game in progress: nobody's clock runs while another game is looked after."""
        return executors.processes(self._width)

    def shard(self, number: int, opening: Opening, rules: Adjudication) -> Shard:
        return UciPair(number, opening, self._first, self._second, self._control, rules)


class _SettingsPairing:
    """Two settings of this engine, in this process or on a cluster."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        from engine.arena.duel import FairnessTest
        from engine.arena.settings import DEFAULT, read_setting

        for_processes = ("tc", "movetime", "depth_a", "depth_b", "option", "option_a", "option_b")
        if any(getattr(arguments, name) for name in for_processes):
            raise InputError("settings play at fixed --nodes, without UCI options; other limits are for cmd: players")
        self._first = read_setting(arguments.first).judged_by(arguments.network_a)
        self._second = read_setting(arguments.second or DEFAULT).judged_by(arguments.network_b)
        second_name = self._second.name if self._second.name != self._first.name else f"{self._second.name} again"
        self.players = (self._first.name, second_name)
        self._nodes, self._megabytes = arguments.nodes or _DEFAULT_NODES, arguments.hash
        self._width, self._cluster = arguments.concurrency or os.cpu_count() or 1, arguments.cluster
        self.is_fair: Callable[[Opening], bool] | None = FairnessTest()

    def executor(self) -> AbstractContextManager[tuple[Executor, int]]:
        return executors.threads(self._width) if self._cluster is None else executors.cluster(self._cluster)

    def shard(self, number: int, opening: Opening, rules: Adjudication) -> Shard:
        from engine.arena.duel import SettingsPair

        return SettingsPair(number, opening, self._first, replace(self._second, name=self.players[1]), self._nodes,
                            rules, self._megabytes)


def _shards(arguments: argparse.Namespace, pairing: _UciPairing | _SettingsPairing, score: Score) -> Iterator[Shard]:
    """The pairs that are still to be played."""
    never = Adjudication(draw_score=None, win_score=None, by_tables=False)
    rules = never if arguments.no_adjudication else Adjudication()
    source = (RandomOpenings(arguments.chess960, pairing.is_fair or (lambda opening: True))
              if arguments.openings is None else Openings(arguments.openings, arguments.chess960))
    done = set(score.outcomes)
    for number, opening in enumerate(source.draw((arguments.games + 1) // 2, arguments.seed, _complain)):
        if 2 * number not in done:
            yield pairing.shard(number, opening, rules)


def _ablate(arguments: argparse.Namespace) -> int:
    """A match for each switch, with it turned off, against the default."""
    from engine.alphabeta.params import PARAMETERS

    if arguments.first is not None or arguments.pgn is not None or arguments.sprt is not None:
        raise InputError("--ablate takes no players, no --pgn and no --sprt")
    scores = []
    for row in PARAMETERS:
        if (row.low, row.high) == (0, 1):
            arguments.first = f"{row.name}=0"
            pairing = _SettingsPairing(arguments)
            score = Score(pairing.players)
            with pairing.executor() as (executor, width):
                live_score(play(score, _shards(arguments, pairing, score), executor, width), score, arguments.games,
                           None)
            scores.append((row.name, score))
    print(ablation_table(scores))
    return 0


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
    file = PgnFile(path, _conditions(arguments))
    for outcome in file.resume(score.players):
        score.add(outcome)
    return file


def _conditions(arguments: argparse.Namespace) -> str:
    """What must be the same when a match is resumed, in one line."""
    openings = "random openings" if arguments.openings is None else arguments.openings.name
    limit = f"{arguments.nodes} nodes" if arguments.nodes else arguments.tc or "default limit"
    limit = f"{arguments.movetime} ms" if arguments.movetime else limit
    limit += "".join(f", {side} depth {depth}" for side, depth in zip("AB", (arguments.depth_a, arguments.depth_b),
                                                                      strict=True) if depth)
    if arguments.chess960:
        openings += " of Chess960"
    if arguments.no_adjudication:
        openings += ", played out"
    options = " ".join([*arguments.option, *arguments.option_a, *arguments.option_b])
    return f"{limit}; {openings}; seed {arguments.seed}; Hash {arguments.hash}; {options}".replace('"', "'")


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
    needed = ("UCI_Chess960",) if arguments.chess960 else ()
    first, second = (
        replace(_contender(text, both, _read_options(own)), needed=needed, depth=depth)
        for text, own, depth in ((arguments.first, arguments.option_a, arguments.depth_a),
                                 (arguments.second or "", arguments.option_b, arguments.depth_b)))
    if first.name != second.name:
        return first, second
    return replace(first, name=f"{first.name} A"), replace(second, name=f"{second.name} B")


def _contender(text: str, options: Mapping[str, str], own_options: Mapping[str, str]) -> Contender:
    command = text.removeprefix(_COMMAND).strip()
    if not text.startswith(_COMMAND) or not command:
        raise InputError(f"{quote(text)} cannot play a UCI engine: cmd:COMMAND names another one")
    words = command.split()
    name = " ".join([os.path.basename(words[0]), *words[1:]])  # noqa: PTH119
    return Contender(name, command, options, own_options)


def _read_options(texts: list[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for name, equals, _ in pairs:
        if not equals or not name:
            raise InputError(f"an option is NAME=VALUE, not {quote(name)}")
    return {name: value for name, _, value in pairs}
