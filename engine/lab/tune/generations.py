"""`tune generations`: the tree search teaches itself. Each generation's games train the next network and policy.

A network needs many games to surpass its predecessor: if it does not beat it when both use the new policy, the old
network stays. That match is the network's share of the gain; the policy's share is what the new one wins over the old
one when both use the old network.

Each step is a command of its own, and its files stay in the folder, so that an interrupted run resumes where it was.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.cli.arguments import IntRange, OutputFolder, add_concurrency, add_seed, positive
from engine.cli.interruption import run_own
from engine.cli.plots import Curve, Errors, plot_file, save_plot
from engine.cli.tables import print_table
from engine.lab.arena.manifest import manifest_of
from engine.lab.arena.statistics import Estimate
from engine.system.errors import InputError
from engine.system.files import create_folder, write_file

_STARTS = ("nothing", "built-in")
_HEADINGS = ("generation", "games", "against the one before", "95 % interval", "by the policy", "by the network",
             "over generation 0")
# What must be the same when a loop is resumed.
_SETTINGS = ("start", "positions", "nodes", "games", "memory", "epochs", "batch", "hidden", "policy_hidden", "seed")
# A few hundred thousand positions are few for a network, so it first learns to count material; the results of the games
# would mislead it otherwise.
_NETWORK_TRAINING = ("--pretrain", "1000000:material", "--games-learning-rate", "0.0005", "--wdl-weight", "0.5",
                     "--lambda", "0.9", "--scale", "400", "--output-buckets", "1", "--average", "0.999",
                     "--held-out", "20")
# The tree plays alone, for a search of the root beside it would hide what network and policy have learned.
_TREE_ALONE = "root_share=0"
_WHOLE, _POLICY, _NETWORK = "the tree search", "by the policy", "by the network"  # the curves of a plot


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("--folder", type=OutputFolder(), required=True, metavar="FOLDER",
        help="holds everything that is played and trained; finished parts are not repeated")
    add("--start", default=_STARTS[0], choices=_STARTS,
        help="start from material and equal priors, or from the built-in files (default nothing)")
    add("--generations", type=positive, default=4, metavar="N", help="number of generations (default 4)")
    add("--positions", type=positive, default=250_000, metavar="N",
        help="training positions per generation (default 250000)")
    add("--nodes", type=positive, default=100, metavar="N", help="iterations per move, in all games (default 100)")
    add("--games", type=positive, default=200, metavar="N", help="games of each match (default 200)")
    add("--memory", type=positive, default=4, metavar="N", help="generations whose games are trained on (default 4)")
    add("--epochs", type=positive, default=5, metavar="N", help="passes over the games (default 5)")
    add("--batch", type=positive, default=1024, metavar="N", help="batch size (default 1024)")
    add("--hidden", type=IntRange(128), default=128, metavar="N", help="width of the network (default 128)")
    add("--policy-hidden", type=IntRange(64), default=64, metavar="N", help="width of the policy (default 64)")
    add("--plot", type=plot_file, metavar="FILE.png", help="draw Elo by generation, and the shares in it")
    add_seed(parser, "games and training")
    add_concurrency(parser)


def run(arguments: argparse.Namespace) -> int:
    """Play and train, print Elo by generation, and return the exit status."""
    loop = GenerationLoop(arguments)
    create_folder(arguments.folder)
    loop.check_settings()
    loop.write_start()
    gains = [loop.step(number) for number in range(1, arguments.generations + 1)]
    sums = {_WHOLE: _cumulative_elo([gain.whole for gain in gains]),
            _POLICY: _cumulative_elo([gain.policy for gain in gains]),
            _NETWORK: _cumulative_elo([gain.network if gain.keeps_network else _NO_GAIN for gain in gains])}
    print_table(_HEADINGS, [(str(number), *_cells(gain), _with_error(*total))
                            for number, (gain, total) in enumerate(zip(gains, sums[_WHOLE], strict=True), start=1)])
    print(f"over generation 0 {_with_error(*sums[_POLICY][-1])} by the policies, with the previous network, and "
          f"{_with_error(*sums[_NETWORK][-1])} by the networks that were kept, with the same policy")
    if any(gain.keeps_network for gain in gains):
        share = loop.network_share(arguments.generations)
        print(f"the last network against the first, both with the last policy: {_with_error(share.elo, _error(share))}")
    if arguments.plot is not None:
        curves, errors = dict[str, Curve](), dict[str, Errors]()
        for name, points in sums.items():
            heights, error = [0.0, *(total for total, _ in points)], [0.0, *(error for _, error in points)]
            curves[name], errors[name] = (list(range(len(heights))), heights), (error, error)
        save_plot(arguments.plot, ("generation", "Elo over generation 0"), curves, errors=errors,
                  title="What the tree search taught itself")
    return 0


@dataclass(frozen=True)
class GenerationMatch:
    """The result of a match between two configs, in Elo with its 95 % interval."""

    games: int
    score: float  # from 0 to 1
    elo: float
    low: float
    high: float

    @property
    def is_won(self) -> bool:
        """Whether the first config scored more; its Elo is unknown if all pairs of games ended alike."""
        return self.score > 0.5


_NO_GAIN = GenerationMatch(0, 0.5, 0.0, 0.0, 0.0)  # of a network that was not kept


@dataclass(frozen=True)
class GenerationGain:
    """What a generation gained over the one before, and the shares of its parts."""

    whole: GenerationMatch
    policy: GenerationMatch  # the new policy against the old one, with the old network
    network: GenerationMatch  # the new network against the old one, with the new policy

    @property
    def keeps_network(self) -> bool:
        """Whether the new network is used."""
        return self.network.is_won


def _cells(gain: GenerationGain) -> tuple[str, ...]:
    whole, kept = gain.whole, "" if gain.keeps_network else ", not kept"
    return (str(whole.games), "unknown" if math.isnan(whole.elo) else f"{whole.elo:+.0f}",
            "" if math.isnan(whole.elo) else f"{whole.low:+.0f} to {whole.high:+.0f}",
            _with_error(gain.policy.elo, _error(gain.policy)),
            _with_error(gain.network.elo, _error(gain.network)) + kept)


def _error(match: GenerationMatch) -> float:
    return (match.high - match.low) / 2


def _with_error(elo: float, error: float) -> str:
    return "unknown" if math.isnan(elo) else Estimate(elo, elo - error, elo + error).with_error()


def _cumulative_elo(matches: Sequence[GenerationMatch]) -> list[tuple[float, float]]:
    """(Elo over generation 0, its error) of each; the variances of independent errors add up."""
    sums, total, variance = [], 0.0, 0.0
    for match in matches:
        total += match.elo
        variance += _error(match) ** 2
        sums.append((total, math.sqrt(variance)))
    return sums


def _config(network: Path, policy: Path) -> str:
    """The network and policy of a player, in the syntax of configs."""
    return f"{_TREE_ALONE},network={network},policy={policy}"


class GenerationLoop:
    """Runs the commands of each generation, and names their files."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments, self._folder = arguments, arguments.folder

    def check_settings(self) -> None:
        """Keep the settings in the folder; InputError if a loop with others was begun there."""
        settings = {name: getattr(self._arguments, name) for name in _SETTINGS}
        file = self._folder / "settings.json"
        try:
            begun = dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else settings
        except (TypeError, ValueError) as error:
            raise InputError(f"{file} does not hold the settings of a loop") from error
        for name, value in settings.items():
            if begun.get(name) != value:
                raise InputError(f"{self._folder} holds a loop with --{name.replace('_', '-')} {begun.get(name)}, "
                                 f"got {value}")
        write_file(file, json.dumps(settings))

    def write_start(self) -> None:
        """Write the network and the policy of generation 0, unless both exist."""
        from eval.blank import material_only_network, uniform_policy
        from eval.network.file import write_network
        from eval.networks import BUILT_IN_FILE as NETWORK_FILE
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

    def step(self, number: int) -> GenerationGain:
        """Train a generation on the games of those before, and return its matches against the previous one."""
        arguments, before = self._arguments, number - 1
        self._make(self._file(before, "games"), "selfplay", "--mode", "mcts", "--config", self._config(before),
                   "--nodes", arguments.nodes, "--positions", arguments.positions, "--seed", arguments.seed + before,
                   *self._width(), "--out")
        games = [self._file(earlier, "games") for earlier in range(max(0, number - arguments.memory), number)]
        training = ("--epochs", arguments.epochs, "--batch", arguments.batch, "--seed", arguments.seed)
        self._make(self._file(number, "policy"), "tune", "policy", *games, *training, "--hidden",
                   arguments.policy_hidden, "--positions", 0, "--out")
        trained = self._file(number, "taught.network")
        self._make(trained, "tune", "network", *games, *training, "--hidden", arguments.hidden, *_NETWORK_TRAINING,
                   "--out")
        policy, old = self._file(number, "policy"), self._file(before, "network")
        trial = self._match(self._file(number, "trial.json"), _config(trained, policy), _config(old, policy))
        if not self._file(number, "network").exists():
            shutil.copy(trained if trial.is_won else old, self._file(number, "network"))
        whole = self._match(self._file(number, "json"), self._config(number), self._config(before))
        if not trial.is_won:  # the network is the old one: only the policy has changed
            return GenerationGain(whole, whole, trial)
        share = self._match(self._file(number, "policy.json"), _config(old, policy), self._config(before))
        return GenerationGain(whole, share, trial)

    def network_share(self, number: int) -> GenerationMatch:
        """The match of a generation's network against the first one, both with its policy.

        Unlike the sum over the generations, it is not biased by keeping only the networks that won.
        """
        policy = self._file(number, "policy")
        return self._match(self._file(number, "share.json"), _config(self._file(number, "network"), policy),
                           _config(self._file(0, "network"), policy))

    def _match(self, file: Path, first: str, second: str) -> GenerationMatch:
        """The match between two configs; played unless `file` holds it already."""
        arguments = self._arguments
        if not file.exists():
            output = self._run("match", f"mcts,{first}", f"mcts,{second}", "--nodes", arguments.nodes, "--games",
                               arguments.games, "--seed", arguments.seed, "--hash", 16, *self._width(), "--json")
            write_file(file, output)
        result: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        elo = result["elo"] or {"value": math.nan, "low": math.nan, "high": math.nan}
        return GenerationMatch(result["games"], result["score"], elo["value"], elo["low"], elo["high"])

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
        if manifest_of(draft).exists():
            manifest_of(draft).replace(manifest_of(file))
        draft.replace(file)

    def _run(self, *words: object) -> str:
        """Run one of the engine's commands and return its stdout; InputError if it fails."""
        texts = [str(word) for word in words]
        print(f"adversary {' '.join(texts)}", file=sys.stderr, flush=True)
        done = run_own(texts)
        if done.returncode:
            message = (done.stderr.strip() or "no error message").splitlines()[-1]
            raise InputError(f"{' '.join(texts[:2])} failed: {message}")
        return done.stdout
