"""`selfplay`: training games of the engine against itself; `--stats` describes a file of them, `--compact` packs it."""

from __future__ import annotations

import argparse
import lzma
import math
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np

from engine.cli.arguments import (
    FloatRange,
    IntRange,
    OutputFile,
    add_concurrency,
    add_seed,
    conflicts_with,
    in_file,
    minutes,
    positive,
    text,
)
from engine.cli.interruption import stop_on_interrupt
from engine.cli.output import percent, print_warning
from engine.cli.progress import progress_bar
from engine.lab.arena import executors
from engine.lab.arena.cancellation import cancel_games
from engine.lab.arena.cluster import cluster
from engine.lab.arena.configs import DEFAULT, Config, parse_config
from engine.lab.arena.game_file import MAGIC, DamagedFileError, GameFile, pack_compact_block, read_games
from engine.lab.arena.manifest import add_run, is_as_noted, manifest_of, network_id, read_runs
from engine.lab.arena.openings import Openings
from engine.lab.arena.played_on import PlayedOn, count_played_on
from engine.lab.arena.shards import in_order
from engine.lab.arena.training import TrainingShard, TreeTrainingShard, games_per_shard
from engine.lab.provenance import today
from engine.mcts.params import BY_MODE
from engine.search.modes import DEFAULT_MODE
from engine.system.errors import InputError
from engine.system.files import begins_with, replacing
from engine.system.host import usable_cores
from engine.version import VERSION

_DAMAGED = 1
_MATE_SCORE = 30_000
_DECISIVE = 400  # centipawns


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--positions", type=positive, metavar="N", help="play until the file holds this many")
    parser.add_argument("--minutes", type=minutes, metavar="X", help="play no longer than this")
    parser.add_argument("--out", type=OutputFile("file of training games", begins_with(MAGIC)), metavar="FILE",
                        help="the file; games are appended if it exists")
    stats = parser.add_argument("--stats", type=in_file, metavar="FILE", help="instead: print statistics of a file")
    compact = parser.add_argument("--compact", type=in_file, metavar="FILE",
                                  help="instead: write a copy of a file to --out in half the space, with coarser "
                                  "scores; compressed if --out ends in .xz")
    parser.add_argument("--nodes", type=positive, default=5000, metavar="N", help="nodes per move (default 5000)")
    add_seed(parser, "all games")
    parser.add_argument("--mode", default=DEFAULT_MODE.name, choices=(DEFAULT_MODE.name, *BY_MODE),
                        help=f"the search mode (default {DEFAULT_MODE.name})")
    parser.add_argument("--config", type=text, default=DEFAULT, metavar="CONFIG",
                        help="the config that plays (as in `match`)")
    parser.add_argument("--network", type=text, metavar="FILE",
                        help="a network to evaluate with, or `features`")
    parser.add_argument("--openings", type=in_file, metavar="FILE",
                        help="EPD or PGN: start from these, each followed by 2 or 3 random moves")
    parser.add_argument("--chess960", action="store_true", help="play Chess960")
    conflicts_with(parser.add_argument("--chess960-share", type=FloatRange(0, 1), default=0.0, metavar="X",
                                       help="share of the games that start from random positions of Chess960, "
                                       "whatever the openings of the others are (default 0)"), "--chess960")
    parser.add_argument("--adjudicate", type=IntRange(0, _MATE_SCORE), metavar="CP",
                        help="end games after four plies in a row beyond this score, but one in 20 is played on; 0 to "
                        f"play all of them on (default {_DECISIVE}); with --stats, count the games that were played on")
    conflicts_with(add_concurrency(parser), "--cluster")
    parser.add_argument("--cluster", type=text, metavar="ADDRESS", help="play on the dask cluster at tcp://...")
    playing = ("--positions", "--minutes", "--nodes", "--seed", "--mode", "--config", "--network", "--openings",
               "--chess960", "--chess960-share", "--concurrency", "--cluster")
    conflicts_with(stats, "--out", "--compact", *playing)
    conflicts_with(compact, "--adjudicate", *playing)


def run(arguments: argparse.Namespace) -> int:
    """Play, print statistics or write a compact copy, and return the exit status."""
    if arguments.stats is not None:
        return _print_stats(arguments.stats, _win_score(arguments))
    if arguments.compact is not None:
        return _write_compact(arguments.compact, arguments.out)
    if (arguments.positions is None and arguments.minutes is None) or arguments.out is None:
        raise InputError("selfplay needs --out with --positions or --minutes, or --stats, or --compact")
    return _play(arguments)


def _write_compact(path: Path, out: Path | None) -> int:
    """Write a compact copy of a file, of a damaged one up to the damage; returns the exit status."""
    if out is None:
        raise InputError("--compact needs --out")
    games = positions = 0
    problem = None
    with replacing(out) as plain, (lzma.open(plain, "wb") if out.suffix == ".xz" else nullcontext(plain)) as file:
        try:
            for block in read_games(path):
                file.write(pack_compact_block(block))
                games, positions = games + len(block.rows), positions + block.positions
        except DamagedFileError as error:
            problem = str(error)
        if not games:
            raise InputError(problem or f"{path} holds no games")
    print(f"{games} games, {positions} positions in {out.stat().st_size} bytes: "
          f"{out.stat().st_size / positions:.2f} per position")
    if problem is not None:
        print(f"error: {problem}", file=sys.stderr)
    return 0 if problem is None else _DAMAGED


def _play(arguments: argparse.Namespace) -> int:
    read_runs(arguments.out)  # InputError now, rather than after the games
    file = GameFile(arguments.out)
    warning = file.recover() if arguments.out.exists() else None
    if warning is not None:
        print_warning(f"{warning}; the rest of the file is discarded and replayed")
    width_here = arguments.concurrency or usable_cores()
    config = parse_config(_with_mode(arguments)).with_network(arguments.network)
    if config.tree is not None and arguments.openings is not None:
        raise InputError("--openings works with alphabeta only: tree searches start from random moves")
    if config.tree is not None and arguments.chess960_share:
        raise InputError("--chess960-share works with alphabeta only: use --chess960")
    if config.tree is not None and arguments.adjudicate is not None:
        raise InputError("--adjudicate works with alphabeta only: tree searches have their own rules")
    here = executors.threads if config.tree is None else executors.processes  # Python code plays the games of trees
    executor_context = here(width_here) if arguments.cluster is None else cluster(arguments.cluster)
    games, nodes, before, started, seconds = 0, 0, file.positions, time.perf_counter(), 0.0
    most = math.inf if arguments.positions is None else arguments.positions
    longest = math.inf if arguments.minutes is None else 60 * arguments.minutes
    with (executor_context as (executor, width), stop_on_interrupt(cancel_games),
          progress_bar(arguments.positions) as show):
        blocks = in_order(executor, _shards(arguments, config, file.blocks), 2 * width)
        while file.positions < most and seconds < longest and (block := next(blocks, None)) is not None:
            file.append(block.content, block.positions)
            games, nodes = games + block.games, nodes + block.nodes
            seconds = time.perf_counter() - started
            show(file.positions, "positions")
        blocks.close()  # type: ignore[attr-defined]
        cancel_games()  # games in progress are no longer needed
    rate = 1 / max(seconds, 1e-3)
    print(f"{games} games, {file.positions - before} positions, {nodes} nodes in {seconds:.1f} s: "
          f"{nodes * rate / 1e6:.3f} Mnps, {(file.positions - before) * rate:.0f} positions per second; "
          f"{file.positions} positions in the file")
    if games:
        add_run(arguments.out, _run(arguments, config, games, file.positions - before), file.positions)
    return 0


def _run(arguments: argparse.Namespace, config: Config, games: int, positions: int) -> dict[str, Any]:
    """What the manifest of a file tells about a run that added games to it."""
    openings = None if arguments.openings is None else arguments.openings.name
    return {"date": today(), "version": VERSION, "seed": arguments.seed, "nodes": arguments.nodes,
            "config": config.name, "network": network_id(config.network), "openings": openings,
            "chess960": arguments.chess960, "chess960_share": arguments.chess960_share,
            "adjudicate": _win_score(arguments) or 0, "games": games, "positions": positions}


def _shards(arguments: argparse.Namespace, config: Config, first: int) -> Iterator[TrainingShard | TreeTrainingShard]:
    """The shards from number `first` on, endlessly."""
    games = games_per_shard(arguments.nodes, config)
    common = games, arguments.nodes, arguments.seed, config
    if config.tree is not None:
        yield from (TreeTrainingShard(number, *common, arguments.chess960) for number in count(first))
    for number, openings in _openings_of_shards(arguments, games, first):
        if _is_chess960_shard(number, arguments.chess960_share):
            yield TrainingShard(number, *common, chess960=True, win_score=_win_score(arguments))
        else:
            yield TrainingShard(number, *common, arguments.chess960, openings, _win_score(arguments))


def _is_chess960_shard(number: int, share: float) -> bool:
    """Whether a shard is one of those that start from random positions of Chess960, spread evenly."""
    return int((number + 1) * share) > int(number * share)


def _win_score(arguments: argparse.Namespace) -> int | None:
    """The score at which games are adjudicated; None for never."""
    return (_DECISIVE if arguments.adjudicate is None else arguments.adjudicate) or None


def _openings_of_shards(arguments: argparse.Namespace, games: int, first: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """(a shard's number, its openings), which depend only on the number and the seed."""
    if arguments.openings is None:
        yield from ((number, ()) for number in count(first))
        return
    drawn = Openings(arguments.openings, arguments.chess960).draw(sys.maxsize, arguments.seed, print_warning)
    fens = (opening.board().fen(shredder=arguments.chess960) for opening in islice(drawn, first * games, None))
    for number in count(first):
        yield number, tuple(islice(fens, games))


def _with_mode(arguments: argparse.Namespace) -> str:
    """The config with its mode, in the syntax of `match`."""
    if arguments.mode == DEFAULT_MODE.name:
        return str(arguments.config)
    return arguments.mode if arguments.config == DEFAULT else f"{arguments.mode},{arguments.config}"


def _print_stats(path: Path, win_score: int | None) -> int:
    """Print statistics of a file, of a damaged one up to the damage; returns the exit status."""
    games = positions = size = 0
    played_on = PlayedOn()
    results = np.zeros(3, np.int64)
    lengths, levels = [], []
    problem = None
    try:
        for block in read_games(path):
            games += len(block.rows)
            positions += block.positions
            size += block.rows.nbytes + block.moves.nbytes + block.scores.nbytes
            results += [int((block.rows["result"] == result).sum()) for result in (1, 0, -1)]
            lengths.append(block.rows["plies"])
            played_on += count_played_on(block, win_score) if win_score is not None else PlayedOn()
            levels.append(np.abs(block.scores[np.abs(block.scores) < _MATE_SCORE]))
    except DamagedFileError as error:
        problem = str(error)
    if not games:
        raise InputError(problem or f"{path} holds no games")
    plies, level = np.concatenate(lengths), np.concatenate(levels)
    print(f"{games} games, {positions} positions, {size / max(positions, 1):.2f} bytes per position")
    print(f"white wins {results[0]}, draws {results[1]}, black wins {results[2]}")
    print(f"plies per game: {plies.min()} to {plies.max()}, {plies.mean():.1f} on average")
    if len(level):  # all may be mates
        half, most = np.percentile(level, (50, 90))
        print(f"scores: half within {half:.0f} centipawns, nine of ten within {most:.0f}")
    if played_on.games:
        drawn, lost = played_on.drawn / played_on.games, played_on.lost / played_on.games
        print(f"{played_on.games} games were played on beyond {win_score} centipawns: {percent(drawn)} drawn, "
              f"{percent(lost)} lost")
    return _DAMAGED if _print_manifest(path, problem) else 0


def _print_manifest(path: Path, problem: str | None) -> bool:
    """Print the runs that played a file, and what is wrong with it; returns whether anything is."""
    for run in read_runs(path):
        print(", ".join(f"{name} {value}" for name, value in run.items() if value not in (None, False)))
    if problem is None and not is_as_noted(path):
        problem = f"{path} does not have the checksum in {manifest_of(path)}"
    if problem is not None:
        print(f"error: {problem}", file=sys.stderr)
    return problem is not None
