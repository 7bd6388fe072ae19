"""`tune generations`: the tree search teaches itself. Each generation's games train the next network and policy.

A network needs many games to surpass its predecessor: if it does not beat it when both use the new policy, the old
network stays.

Each step is a command of its own, and its files stay in the folder, so that an interrupted run resumes where it was.
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
        help="holds everything that is played and trained; finished parts are not repeated")
    add("--start", default=_STARTS[0], choices=_STARTS,
        help="start from material and equal priors, or from the built-in files (default nothing)")
    add("--generations", type=positive, default=4, metavar="N", help="number of generations (default 4)")
    add("--positions", type=positive, default=100_000, metavar="N",
        help="training positions per generation (default 100000)")
    add("--nodes", type=positive, default=400, metavar="N", help="iterations per move, in all games (default 400)")
    add("--games", type=positive, default=200, metavar="N", help="games of each match (default 200)")
    add("--memory", type=positive, default=3, metavar="N", help="generations whose games are trained on (default 3)")
    add("--epochs", type=positive, default=20, metavar="N", help="passes over the games (default 20)")
    add("--batch", type=positive, default=256, metavar="N", help="batch size (default 256)")
    add("--hidden", type=IntRange(128), default=128, metavar="N", help="width of the network (default 128)")
    add("--policy-hidden", type=IntRange(64), default=64, metavar="N", help="width of the policy (default 64)")
    add("--plot", type=plot_file, metavar="FILE.png", help="draw Elo by generation")
    add_seed(parser, "games and training")
    add_concurrency(parser)


def run(arguments: argparse.Namespace) -> int:
    """Play and train, print Elo by generation, and return the exit status."""
    loop = GenerationLoop(arguments)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    loop.write_start()
    matches = [loop.step(number) for number in range(1, arguments.generations + 1)]
    sums = _cumulative_elo(matches)
    print_table(_HEADINGS, [
        (str(number), str(match.games), f"{match.elo:+.0f}", f"{match.low:+.0f} to {match.high:+.0f}",
         f"{total:+.0f} +- {error:.0f}")
        for number, (match, (total, error)) in enumerate(zip(matches, sums, strict=True), start=1)])
    if arguments.plot is not None:
        heights, errors = [0.0, *(total for total, _ in sums)], [0.0, *(error for _, error in sums)]
        save_plot(arguments.plot, ("generation", "Elo since the first"),
                  {"the tree search": (list(range(len(heights))), heights)},
                  errors={"the tree search": (errors, errors)}, title="What the tree search taught itself")
    return 0


@dataclass(frozen=True)
class GenerationMatch:
    """The result of a generation against the one before, in Elo with its 95 % interval."""

    games: int
    elo: float
    low: float
    high: float


def _cumulative_elo(matches: Sequence[GenerationMatch]) -> list[tuple[float, float]]:
    """(Elo since the first generation, its error) of each; the variances of independent errors add up."""
    sums, total, variance = [], 0.0, 0.0
    for match in matches:
        total += match.elo
        variance += ((match.high - match.low) / 2) ** 2
        sums.append((total, math.sqrt(variance)))
    return sums


def _config(network: Path, policy: Path) -> str:
    """The network and policy of a player, in the syntax of configs."""
    return f"network={network},policy={policy}"


class GenerationLoop:
    """Runs the commands of each generation, and names their files."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments, self._folder = arguments, arguments.folder

    def write_start(self) -> None:
        """Write the network and the policy of generation 0, unless both exist."""
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
                raise InputError(f"{built_in.name} is not built in; use --start nothing")
            shutil.copy(built_in, copy)

    def step(self, number: int) -> GenerationMatch:
        """Train a generation on the games of those before, and return its match against the previous one."""
        arguments, before = self._arguments, number - 1
        self._make(self._file(before, "games"), "selfplay", "--mode", "mcts", "--config", self._config(before),
                   "--nodes", arguments.nodes, "--positions", arguments.positions, "--seed", arguments.seed + before,
                   *self._width(), "--out")
        games = [self._file(earlier, "games") for earlier in range(max(0, number - arguments.memory), number)]
        training = ("--epochs", arguments.epochs, "--batch", arguments.batch, "--seed", arguments.seed)
        self._make(self._file(number, "policy"), "tune", "policy", *games, *training, "--hidden",
                   arguments.policy_hidden, "--positions", 0, "--out")
        trained = self._file(number, "taught.network")
        self._make(trained, "tune", "network", *games, *training, "--hidden", arguments.hidden, "--wdl-weight", "0.5",
                   "--out")
        if not self._file(number, "network").exists():
            policy, old = self._file(number, "policy"), self._file(before, "network")
            trial = self._match(self._file(number, "trial.json"), _config(trained, policy), _config(old, policy))
            shutil.copy(trained if trial.elo > 0 else old, self._file(number, "network"))
        return self._match(self._file(number, "json"), self._config(number), self._config(before))

    def _match(self, file: Path, first: str, second: str) -> GenerationMatch:
        """The match between two configs; played unless `file` holds it already."""
        arguments = self._arguments
        if not file.exists():
            output = self._run("match", f"mcts,{first}", f"mcts,{second}", "--nodes", arguments.nodes, "--games",
                               arguments.games, "--seed", arguments.seed, "--hash", 16, *self._width(), "--json")
            write_file(file, output)
        result: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        elo = result["elo"] or {"value": math.nan, "low": math.nan, "high": math.nan}
        return GenerationMatch(result["games"], elo["value"], elo["low"], elo["high"])

    def _config(self, number: int) -> str:
        return _config(self._file(number, "network"), self._file(number, "policy"))

    def _file(self, number: int, suffix: str) -> Path:
        path: Path = self._folder / f"generation-{number}.{suffix}"
        return path

    def _width(self) -> tuple[str, ...]:
        return () if self._arguments.concurrency is None else ("--concurrency", str(self._arguments.concurrency))

    def _make(self, file: Path, *words: object) -> None:
        """Run a command whose last argument is the output file, unless the file exists; rename it when complete."""
        if file.exists():
            return
        draft = file.with_name(f"unfinished-{file.name}")
        self._run(*words, draft)
        draft.replace(file)

    def _run(self, *words: object) -> str:
        """Run one of the engine's commands and return its stdout; InputError if it fails."""
        texts = [str(word) for word in words]
        print(f"adversary {' '.join(texts)}", file=sys.stderr, flush=True)
        done = run_child([sys.executable, "-m", "engine", *texts], os.environ)
        if done.returncode:
            message = (done.stderr.strip() or "no error message").splitlines()[-1]
            raise InputError(f"{' '.join(texts[:2])} failed: {message}")
        return done.stdout
