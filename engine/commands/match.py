"""`match A B`: a match between two engines or two configs of this one, with Elo and its error.

`match --ablate` plays a match against the default for each technique, with that technique switched off. `match A B
--scaling` plays a match at each of several numbers of nodes: what gains little in short searches may gain more in long.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from engine.cli.arguments import (
    FloatRange,
    OutputFile,
    add_concurrency,
    add_hash,
    add_seed,
    conflicts_with,
    in_file,
    milliseconds,
    plies,
    positive,
    requires_option,
    text,
)
from engine.cli.interruption import is_interrupted, stop_on_interrupt
from engine.cli.output import add_json, print_object, print_warning
from engine.cli.tables import GrowingTable
from engine.lab.arena.cancellation import cancel_games
from engine.lab.arena.kernel_games import table_megabytes
from engine.lab.arena.match import MatchScore, PgnFile, Shard, play_match
from engine.lab.arena.openings import Openings, RandomOpenings
from engine.lab.arena.records import Adjudication
from engine.lab.arena.statistics import Sprt
from engine.lab.match.pairings import COMMAND, DEFAULT_CONTROL, DEFAULT_NODES, HASH, ConfigPairing, UciPairing
from engine.lab.match.score import (
    SCALING_COLUMNS,
    as_object,
    live_score,
    print_ablation,
    scaling_cells,
    summary,
)
from engine.system.errors import InputError
from engine.system.files import begins_with

_HAS_FORFEITS = 1
_LARGEST_ELO = 500
_SCALING_NODES = "5000,20000,100000,400000"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("first", nargs="?", type=text, metavar="A",
                        help="cmd:COMMAND, any UCI engine; or a config of this one: default, features, "
                             "NAME=VALUE,..., or a file: a network, weights or parameters")
    parser.add_argument("second", nargs="?", type=text, metavar="B", help="the same (default: default)")
    parser.add_argument("--ablate", action="store_true", help="instead: play with each technique switched off")
    parser.add_argument("--games", type=positive, default=100, metavar="N",
                        help="games, at most with --sprt (default 100)")
    limits = parser.add_mutually_exclusive_group()
    conflicts_with(limits.add_argument("--scaling", nargs="?", type=text, const=_SCALING_NODES, metavar="NODES,...",
                                       help="instead: play --games at each of these nodes per move; with none "
                                            f"named, at {_SCALING_NODES}"), "--ablate", "--pgn", "--sprt")
    limits.add_argument("--tc", type=text, metavar="[MOVES/]S+INC",
                        help="time control: seconds per game, or per MOVES moves, + seconds per move "
                             f"(default {DEFAULT_CONTROL})")
    limits.add_argument("--nodes", type=positive, metavar="N",
                        help=f"nodes per move instead of a clock (configs: always, default {DEFAULT_NODES})")
    limits.add_argument("--movetime", type=milliseconds, metavar="MS",
                        help="milliseconds for each move instead of a clock")
    for side in "ab":
        parser.add_argument(f"--depth-{side}", type=plies, metavar="D",
                            help=f"fixed depth for {side.upper()}, in place of the common limit")
    for side in "ab":
        parser.add_argument(f"--network-{side}", type=text, metavar="FILE", help=f"configs: {side.upper()} evaluates "
                            "with this network, or with `features`")
    parser.add_argument("--openings", type=in_file, metavar="FILE",
                        help="EPD or PGN, also compressed (default: random openings)")
    parser.add_argument("--chess960", action="store_true", help="play Chess960")
    add_seed(parser, "the openings")
    conflicts_with(add_concurrency(parser, "1; configs: as many as there are cores"), "--cluster")
    parser.add_argument("--cluster", type=text, metavar="ADDRESS", help="configs: play on the dask cluster at tcp://...")
    add_hash(parser, HASH)
    for option, whose in (("--option", "both"), ("--option-a", "A"), ("--option-b", "B")):
        parser.add_argument(option, action="append", type=text, default=[], metavar="NAME=VALUE",
                            help=f"UCI option of {whose}")
    parser.add_argument("--pgn", type=OutputFile("PGN file", begins_with(b"[")), metavar="FILE",
                        help="append the games to this file")
    requires_option(parser.add_argument("--resume", action="store_true", help="continue the match in --pgn"),
                    "--pgn")
    parser.add_argument("--sprt", type=FloatRange(-_LARGEST_ELO, _LARGEST_ELO), nargs=2, metavar=("ELO0", "ELO1"),
                        help="stop when this SPRT is decided")
    parser.add_argument("--no-adjudication", action="store_true", help="play every game to its end")
    add_json(parser, "one object, with --ablate one per technique")


def run(arguments: argparse.Namespace) -> int:
    """Play, print the result, and return the exit status: 1 if a game was forfeited or an illegal line announced."""
    if arguments.sprt is not None and not arguments.sprt[0] < arguments.sprt[1]:
        raise InputError("--sprt must be a smaller Elo, then a larger one")
    if arguments.ablate:
        return _ablate(arguments)
    if arguments.first is None:
        raise InputError("match needs two players, or --ablate")
    if arguments.scaling is not None:
        return _scale(arguments)
    pairing = _pairing(arguments)
    score = MatchScore(pairing.players, is_refereed=isinstance(pairing, UciPairing))
    file = _pgn_file(arguments, score)
    sprt = Sprt(*arguments.sprt) if arguments.sprt is not None else None
    try:
        with pairing.executor() as (executor, width), stop_on_interrupt(cancel_games):
            results = play_match(score, _shards(arguments, pairing, score), executor, width, sprt=sprt,
                                 keep=file.add if file is not None else lambda records: None)
            live_score(results, score, arguments.games, sprt)
    finally:
        if score.outcomes or is_interrupted():
            if arguments.json:
                print_object(as_object(score, sprt))
            else:
                print(summary(score, sprt))
    return _HAS_FORFEITS if any(score.forfeits()) or score.illegal_lines else 0


def _pairing(arguments: argparse.Namespace) -> UciPairing | ConfigPairing:
    is_between_processes = (arguments.first.startswith(COMMAND)
                            or (arguments.second is not None and arguments.second.startswith(COMMAND)))
    return UciPairing(arguments) if is_between_processes else ConfigPairing(arguments)


def _shards(arguments: argparse.Namespace, pairing: UciPairing | ConfigPairing, score: MatchScore) -> Iterator[Shard]:
    """The pairs that have not been played yet."""
    never = Adjudication(draw_score=None, win_score=None, by_tables=False)
    rules = never if arguments.no_adjudication else Adjudication()
    source = (RandomOpenings(arguments.chess960, pairing.is_fair or (lambda opening: True))
              if arguments.openings is None else Openings(arguments.openings, arguments.chess960))
    done = set(score.outcomes)
    for number, opening in enumerate(source.draw((arguments.games + 1) // 2, arguments.seed, print_warning)):
        if 2 * number not in done:
            yield from pairing.shards(number, opening, rules)


def _scale(arguments: argparse.Namespace) -> int:
    """A match at each number of nodes; prints each result as soon as it is known."""
    try:
        lengths = [positive(word) for word in arguments.scaling.split(",")]
    except argparse.ArgumentTypeError as error:
        raise InputError(f"--scaling: {error}") from error
    table = None if arguments.json else GrowingTable(SCALING_COLUMNS, left=("result",))
    for nodes in lengths:
        arguments.nodes = nodes
        pairing = _pairing(arguments)
        if isinstance(pairing, ConfigPairing):
            pairing.megabytes = max(pairing.megabytes, table_megabytes(nodes))
        score = MatchScore(pairing.players, is_refereed=isinstance(pairing, UciPairing))
        _play(arguments, pairing, score)
        if arguments.json:
            print_object({"nodes": nodes, **as_object(score, None)})
        elif table is not None:
            table.add(*scaling_cells(nodes, score))
        if is_interrupted():
            break
    return 0


def _play(arguments: argparse.Namespace, pairing: UciPairing | ConfigPairing, score: MatchScore) -> None:
    """Play a whole match; updates `score`."""
    with pairing.executor() as (executor, width), stop_on_interrupt(cancel_games):
        live_score(play_match(score, _shards(arguments, pairing, score), executor, width), score, arguments.games, None)


def _ablate(arguments: argparse.Namespace) -> int:
    """A match for each switch, with it turned off, against the default."""
    from engine.alphabeta.params import PARAMETERS

    if arguments.first is not None or arguments.pgn is not None or arguments.sprt is not None:
        raise InputError("--ablate takes no players, no --pgn and no --sprt")
    scores = []
    for row in PARAMETERS:
        if row.is_on:
            arguments.first = f"{row.name}=0"
            pairing = ConfigPairing(arguments)
            score = MatchScore(pairing.players)
            _play(arguments, pairing, score)
            if is_interrupted():
                break
            scores.append((row.name, score))
    if arguments.json:
        for name, score in scores:
            print_object({"without": name.removeprefix("use_"), **as_object(score, None)})
    else:
        print_ablation(scores)
    return 0


def _pgn_file(arguments: argparse.Namespace, score: MatchScore) -> PgnFile | None:
    """The file for the games; games already in it are counted if the match is resumed."""
    path: Path | None = arguments.pgn
    if path is None:
        return None
    if path.exists() and not arguments.resume:
        raise InputError(f"{path} exists; use --resume to continue it")
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
