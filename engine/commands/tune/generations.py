"""`tune generations`: the tree search teaches itself. Its games teach the next network and policy, which play the next.

A network needs many games before it knows more than the one before: if it does not beat that when both use the new
policy, the old one stays.

Each step is a command of its own, whose files stay in the folder: a call that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.commands.shared.arguments import IntRange, OutputFolder, add_concurrency, add_seed, positive
from engine.commands.shared.interruption import run_child
from engine.commands.shared.plots import plot_file, save_plot
from engine.commands.shared.tables import print_table
from engine.system.errors import InputError
from engine.system.files import write_file

_STARTS = ("nothing", "built-in")
_HEADINGS = ("generation", "games", "against the one before", "error", "since the first")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("--folder", type=OutputFolder(), required=True, metavar="FOLDER",
        help="for everything that is played and learned; what is there is not done again")
    add("--start", default=_STARTS[0], choices=_STARTS,
        help="from nothing: material as value, all moves alike; or from what comes with the engine (default nothing)")
    add("--generations", type=positive, default=4, metavar="N", help="(default 4)")
    add("--positions", type=positive, default=100_000, metavar="N", help="to learn from, each time (default 100000)")
    add("--nodes", type=positive, default=400, metavar="N", help="iterations per move, in all games (default 400)")
    add("--games", type=positive, default=200, metavar="N", help="of each match (default 200)")
    add("--memory", type=positive, default=3, metavar="N", help="generations whose games are learned from (default 3)")
    add("--epochs", type=positive, default=20, metavar="N", help="passes over the games (default 20)")
    add("--batch", type=positive, default=256, metavar="N", help="positions a step (default 256)")
    add("--hidden", type=IntRange(128), default=128, metavar="N", help="width of the network (default 128)")
    add("--policy-hidden", type=IntRange(64), default=64, metavar="N", help="width of the policy (default 64)")
    add("--plot", type=plot_file, metavar="FILE.png", help="draw Elo by generation")
    add_seed(parser, "games and courses")
    add_concurrency(parser)


def run(arguments: argparse.Namespace) -> int:
    """Play and learn, print Elo by generation, and return the exit status."""
    loop = GenerationLoop(arguments)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    loop.begin()
    found = [loop.step(number) for number in range(1, arguments.generations + 1)]
    sums = _sums(found)
    print_table(_HEADINGS, [
        (str(number), str(match.games), f"{match.elo:+.0f}", f"{match.low:+.0f} to {match.high:+.0f}",
         f"{total:+.0f} +- {error:.0f}")
        for number, (match, (total, error)) in enumerate(zip(found, sums, strict=True), start=1)])
    if arguments.plot is not None:
        heights, errors = [0.0, *(total for total, _ in sums)], [0.0, *(error for _, error in sums)]
        save_plot(arguments.plot, ("generation", "Elo since the first"),
                  {"the tree search": (list(range(len(heights))), heights)},
                  errors={"the tree search": (errors, errors)}, title="What the tree search taught itself")
    return 0


@dataclass(frozen=True)
class GenerationMatch:
    """How a generation fared against the one before."""

    games: int
    elo: float
    low: float
    high: float


def _sums(matches: Sequence[GenerationMatch]) -> list[tuple[float, float]]:
    """(Elo since the first, its error) of each generation; independent errors add up as squares."""
    found, total, variance = [], 0.0, 0.0
    for match in matches:
        total += match.elo
        variance += ((match.high - match.low) / 2) ** 2
        found.append((total, math.sqrt(variance)))
    return found


def _knowledge(network: Path, policy: Path) -> str:
    """What a player knows, as settings name it."""
    return f"network={network},policy={policy}"


class GenerationLoop:
    """The steps, and where their files are."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments, self._folder = arguments, arguments.folder

    def begin(self) -> None:
        """Write what the first generation plays with."""
        from eval.blank import material_only_network, uniform_policy
        from eval.evaluator import BUILT_IN_FILE as NETWORK_FILE
        from eval.network.file import write_network
        from eval.policy.file import write_policy
        from eval.policy.memory import BUILT_IN_FILE as POLICY_FILE

        network, policy = self._file(0, "network"), self._file(0, "policy")
        if network.exists() and policy.exists():
            return
        if self._arguments.start == _STARTS[0]:
            write_network(material_only_network(), network)
            write_policy(uniform_policy(), policy)
            return
        for built_in, copy in ((NETWORK_FILE, network), (POLICY_FILE, policy)):
            if not built_in.exists():
                raise InputError(f"the engine comes without {built_in.name}: --start nothing")
            shutil.copy(built_in, copy)

    def step(self, number: int) -> GenerationMatch:
        """Make a generation out of the one before, and let it play against that."""
        arguments, before = self._arguments, number - 1
        self._make(self._file(before, "games"), "selfplay", "--mode", "mcts", "--setting", self._knowledge(before),
                   "--nodes", arguments.nodes, "--positions", arguments.positions, "--seed", arguments.seed + before,
                   *self._width(), "--out")
        games = [self._file(earlier, "games") for earlier in range(max(0, number - arguments.memory), number)]
        course = ("--epochs", arguments.epochs, "--batch", arguments.batch, "--seed", arguments.seed)
        self._make(self._file(number, "policy"), "tune", "policy", *games, *course, "--hidden",
                   arguments.policy_hidden, "--positions", 0, "--out")
        taught = self._file(number, "taught.network")
        self._make(taught, "tune", "network", *games, *course, "--hidden", arguments.hidden, "--share", "0.5",
                   "--out")
        if not self._file(number, "network").exists():
            policy, old = self._file(number, "policy"), self._file(before, "network")
            trial = self._match(self._file(number, "trial.json"), _knowledge(taught, policy), _knowledge(old, policy))
            shutil.copy(taught if trial.elo > 0 else old, self._file(number, "network"))
        return self._match(self._file(number, "json"), self._knowledge(number), self._knowledge(before))

    def _match(self, file: Path, first: str, second: str) -> GenerationMatch:
        """The match between two who know this, kept in a file."""
        arguments = self._arguments
        if not file.exists():
            told = self._run("match", f"mcts,{first}", f"mcts,{second}", "--nodes", arguments.nodes, "--games",
                             arguments.games, "--seed", arguments.seed, "--hash", 16, *self._width(), "--json")
            write_file(file, told)
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        elo = found["elo"] or {"value": math.nan, "low": math.nan, "high": math.nan}
        return GenerationMatch(found["games"], elo["value"], elo["low"], elo["high"])

    def _knowledge(self, number: int) -> str:
        return _knowledge(self._file(number, "network"), self._file(number, "policy"))

    def _file(self, number: int, kind: str) -> Path:
        path: Path = self._folder / f"generation-{number}.{kind}"
        return path

    def _width(self) -> tuple[str, ...]:
        return () if self._arguments.concurrency is None else ("--concurrency", str(self._arguments.concurrency))

    def _make(self, file: Path, *words: object) -> None:
        """Run a command whose last word is the file, unless that is there; until it is whole it has another name."""
        if file.exists():
            return
        draft = file.with_name(f"unfinished-{file.name}")
        self._run(*words, draft)
        draft.replace(file)

    def _run(self, *words: object) -> str:
        """What one of the engine's commands prints; InputError if it fails."""
        texts = [str(word) for word in words]
        print(f"adversary {' '.join(texts)}", file=sys.stderr, flush=True)
        done = run_child([sys.executable, "-m", "engine", *texts], os.environ)
        if done.returncode:
            complaint = (done.stderr.strip() or "it said nothing").splitlines()[-1]
            raise InputError(f"{' '.join(texts[:2])} failed: {complaint}")
        return done.stdout
