"""The matches that the arguments of `adversary match` describe: one, or one for each length of search or technique."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.alphabeta.params import PARAMETERS
from engine.cli.interruption import is_interrupted, stop_on_interrupt
from engine.cli.output import print_warning
from engine.lab.arena.cancellation import cancel_games
from engine.lab.arena.kernel_games import table_megabytes
from engine.lab.arena.match import MatchScore, PgnFile, Shard, play_match
from engine.lab.arena.openings import Openings, RandomOpenings
from engine.lab.arena.records import Adjudication
from engine.lab.arena.statistics import Sprt
from engine.lab.match.pairings import COMMAND, ConfigPairing, UciPairing
from engine.lab.match.score import live_score
from engine.system.errors import InputError

Pairing = UciPairing | ConfigPairing


def new_pairing(arguments: argparse.Namespace) -> Pairing:
    """The two players: processes if one of them is another program."""
    is_between_processes = any(player is not None and player.startswith(COMMAND)
                               for player in (arguments.first, arguments.second))
    return UciPairing(arguments) if is_between_processes else ConfigPairing(arguments)


def new_score(pairing: Pairing) -> MatchScore:
    """The score of a match before its first game."""
    return MatchScore(pairing.players, is_refereed=isinstance(pairing, UciPairing))


def play(arguments: argparse.Namespace, pairing: Pairing, score: MatchScore, sprt: Sprt | None = None,
         file: PgnFile | None = None) -> None:
    """Play a match to its end, or until the user interrupts it; updates `score` and appends the games to `file`."""
    with pairing.executor() as (executor, width), stop_on_interrupt(cancel_games):
        results = play_match(score, _shards(arguments, pairing, score), executor, width, sprt=sprt,
                             keep=file.add if file is not None else lambda records: None)
        live_score(results, score, arguments.games, sprt)


def _shards(arguments: argparse.Namespace, pairing: Pairing, score: MatchScore) -> Iterator[Shard]:
    """The pairs that have not been played yet."""
    never = Adjudication(draw_score=None, win_score=None, by_tables=False)
    rules = never if arguments.no_adjudication else Adjudication()
    source = (RandomOpenings(arguments.chess960, pairing.is_fair or (lambda opening: True))
              if arguments.openings is None else Openings(arguments.openings, arguments.chess960))
    done = set(score.outcomes)
    for number, opening in enumerate(source.draw((arguments.games + 1) // 2, arguments.seed, print_warning)):
        if 2 * number not in done:
            yield from pairing.shards(number, opening, rules)


def play_scaling(arguments: argparse.Namespace, lengths: Sequence[int]) -> Iterator[tuple[int, MatchScore]]:
    """Play a match at each number of nodes; yields each score, also that of a match that was interrupted."""
    for nodes in lengths:
        arguments.nodes = nodes
        pairing = new_pairing(arguments)
        if isinstance(pairing, ConfigPairing):
            pairing.megabytes = max(pairing.megabytes, table_megabytes(nodes))
        score = new_score(pairing)
        play(arguments, pairing, score)
        yield nodes, score
        if is_interrupted():
            break


def play_ablation(arguments: argparse.Namespace) -> Iterator[tuple[str, MatchScore]]:
    """Play a match against the default for each technique, which is switched off; yields its name and each score."""
    for row in PARAMETERS:
        if row.is_on:
            arguments.first = f"{row.name}=0"
            pairing = ConfigPairing(arguments)
            score = new_score(pairing)
            play(arguments, pairing, score)
            if is_interrupted():
                break
            yield row.name, score


def pgn_file(arguments: argparse.Namespace, score: MatchScore) -> PgnFile | None:
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
