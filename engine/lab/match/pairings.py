"""The two sides of a match, UCI engines or configs of this one, and the executor that plays their games."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from engine.lab.arena import executors
from engine.lab.arena.cluster import cluster
from engine.lab.arena.configs import DEFAULT, parse_config
from engine.lab.arena.engines import EngineSpec
from engine.lab.arena.game_pairs import GamePair
from engine.lab.arena.kernel_games import FairnessTest
from engine.lab.arena.match import Shard
from engine.lab.arena.participants import MoveBudget, Participant, Unit
from engine.lab.arena.records import Adjudication, Opening
from engine.lab.arena.referee import EngineLimits, UciGame
from engine.system.errors import InputError, quote
from engine.system.host import usable_cores

DEFAULT_NODES = 5000
DEFAULT_CONTROL = "10+0.1"
COMMAND = "cmd:"
HASH = 4  # megabytes of each config

_SECONDS = r"(?:\d{1,9}(?:\.\d*)?|\.\d+)"
_CONTROL = re.compile(rf"(?:(?P<moves>\d{{1,4}})/)?(?P<base>{_SECONDS})(?:\+(?P<increment>{_SECONDS}))?", re.ASCII)
_LONGEST = 1e6  # seconds of a time control


class UciPairing:
    """Two UCI engines, with a time control or at fixed nodes, time or depth."""

    is_fair: Callable[[Opening], bool] | None = None

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._first, self._second = _engine_specs(arguments)
        self.players = (self._first.name, self._second.name)
        movetime = arguments.movetime / 1000 if arguments.movetime is not None else None
        control = _parse_time_control(arguments.tc or DEFAULT_CONTROL)
        self._control = replace(control, nodes=arguments.nodes, movetime=movetime)
        self._width = arguments.concurrency or 1
        if arguments.cluster is not None:
            raise InputError("--cluster works with configs only: engines are started on this machine")
        if arguments.network_a or arguments.network_b:
            raise InputError("--network-a and --network-b work with configs only; engines have UCI options such as "
                             "EvalFile")
        if arguments.hash != HASH:
            raise InputError(f"--hash works with configs only; for engines use --option Hash={arguments.hash}")

    def executor(self) -> AbstractContextManager[tuple[Executor, int]]:
        """A process for each game in progress, so that no clock runs while this process handles another game."""
        return executors.processes(self._width)

    def shards(self, number: int, opening: Opening, rules: Adjudication) -> list[Shard]:
        """The games of a pair, which may be played at the same time."""
        return [UciGame(2 * number + color, opening, self._first, self._second, self._control, rules)
                for color in (0, 1)]


class ConfigPairing:
    """Two configs of this engine, in this process or on a cluster."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._first = parse_config(arguments.first).with_network(arguments.network_a)
        self._second = parse_config(arguments.second or DEFAULT).with_network(arguments.network_b)
        self._has_trees = self._first.tree is not None or self._second.tree is not None
        for_processes = ("tc", "depth_a", "depth_b", "option", "option_a", "option_b")
        if any(getattr(arguments, name) for name in for_processes) or (arguments.movetime and not self._has_trees):
            raise InputError("configs play at fixed --nodes, without UCI options; other limits are for cmd: players")
        second_name = self._second.name if self._second.name != self._first.name else f"{self._second.name} again"
        self.players = (self._first.name, second_name)
        self._budget = (MoveBudget(arguments.movetime, Unit.MOVETIME) if arguments.movetime
                        else MoveBudget(arguments.nodes or DEFAULT_NODES, Unit.NODES))
        self.megabytes = arguments.hash
        self._width, self._cluster = arguments.concurrency or usable_cores(), arguments.cluster
        self.is_fair: Callable[[Opening], bool] | None = FairnessTest()

    def executor(self) -> AbstractContextManager[tuple[Executor, int]]:
        """Threads, or processes for trees, whose games Python code plays; or the workers of a cluster."""
        if self._cluster is not None:
            return cluster(self._cluster)
        return executors.processes(self._width) if self._has_trees else executors.threads(self._width)

    def shards(self, number: int, opening: Opening, rules: Adjudication) -> list[Shard]:
        """The games of a pair, as one shard."""
        first, second = (Participant(name, config, self._budget, self.megabytes)
                         for name, config in zip(self.players, (self._first, self._second), strict=True))
        return [GamePair(number, opening, first, second, rules)]


def _parse_time_control(text: str) -> EngineLimits:
    parts = _CONTROL.fullmatch(text)
    if parts is None:
        raise InputError("--tc must be seconds per game + seconds per move, like 10+0.1, or 40/10 for every 40 moves, "
                         f"got {quote(text)}")
    control = EngineLimits(float(parts["base"]), float(parts["increment"] or 0),
                           moves=int(parts["moves"]) if parts["moves"] else None)
    if not 0 < control.base < _LONGEST or control.increment >= _LONGEST or control.moves == 0:
        raise InputError(f"--tc {quote(text)} is not a time control")
    return control


def _engine_specs(arguments: argparse.Namespace) -> tuple[EngineSpec, EngineSpec]:
    both = _parse_options(arguments.option)
    if not arguments.second:
        raise InputError("match needs a second player: cmd:COMMAND for another UCI engine")
    needed = ("UCI_Chess960",) if arguments.chess960 else ()
    first, second = (
        replace(_engine_spec(text, {**both, **_parse_options(own)}), needed=needed, depth=depth)
        for text, own, depth in ((arguments.first, arguments.option_a, arguments.depth_a),
                                 (arguments.second, arguments.option_b, arguments.depth_b)))
    if first.name != second.name:
        return first, second
    return replace(first, name=f"{first.name} A"), replace(second, name=f"{second.name} B")


def _engine_spec(text: str, options: Mapping[str, str]) -> EngineSpec:
    command = text.removeprefix(COMMAND).strip()
    if not text.startswith(COMMAND) or not command:
        raise InputError(f"against a UCI engine both players must be cmd:COMMAND, got {quote(text)}")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"{quote(text)} is not a command: {error}") from error
    return EngineSpec(" ".join([Path(words[0]).name, *words[1:]]), command, options)


def _parse_options(texts: list[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for name, equals, _ in pairs:
        if not equals or not name:
            raise InputError(f"an option must be NAME=VALUE, got {quote(name)}")
    return {name: value for name, _, value in pairs}
