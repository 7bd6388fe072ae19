"""`compare --tournament`: the modes against each other at equal time, and assumptions against reality.

Minimax believes in an adversary who sees what it sees, expectimax in one who moves at random. Both meet both kinds of
opponent: the strongest there is here, and one who does move at random.
"""

from __future__ import annotations

import itertools
import shlex
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from engine.arena import executors
from engine.arena.cancellation import cancel_games
from engine.arena.engines import EngineSpec
from engine.arena.match import MatchScore
from engine.arena.openings import RandomOpenings
from engine.arena.records import Adjudication, GameRecord, GameScore
from engine.arena.referee import EngineLimits, UciGame
from engine.arena.shards import in_order
from engine.commands.shared.interruption import stop_on_interrupt
from engine.commands.shared.progress import progress_bar
from engine.search.modes import MODES
from engine.system.host import usable_cores

_HASH = {"Hash": "16"}
_MODES = tuple(mode.name for mode in MODES)
_ASSUMING = ("minimax", "expectimax")
_OPPONENTS = {"the full search": "alphabeta", "a random mover": "random"}
_MOVES_AT_RANDOM = {"Opponent Elo": "0"}
_USUAL_RULES = Adjudication()
_TO_THE_END = Adjudication(draw_score=None, win_score=None, by_tables=False)

HEADINGS = ("points of", *_MODES, "score")
BELIEF_HEADINGS = ("against", *(f"{mode}: {what}" for mode in _ASSUMING for what in ("score", "moves to win")))


@dataclass(frozen=True)
class Pairing:
    """Two modes, by name."""

    first: str
    second: str
    rules: Adjudication = _USUAL_RULES


@dataclass(frozen=True)
class PairingResult:
    """What came of a pairing, from the first one's view."""

    pairing: Pairing
    points: float
    games: int
    moves_to_win: float | None  # the median of the games that the first one won, but for those lost by a fault
    faults: int


@dataclass(frozen=True)
class Conditions:
    """What all games have in common."""

    games: int  # a pairing, rounded up to pairs
    milliseconds: int  # a move
    seed: int = 1
    width: int = 0  # games at the same time; 0 for as many as there are cores


def all_pairings() -> list[Pairing]:
    """All modes against each other."""
    return [Pairing(*pair) for pair in itertools.combinations(_MODES, 2)]


def assumption_pairings() -> list[Pairing]:
    """Minimax and expectimax against both kinds of opponent, every game to its end."""
    return [Pairing(first, second, _TO_THE_END) for first, second in itertools.product(_ASSUMING, _OPPONENTS.values())]


def play_tournament(pairings: Sequence[Pairing], conditions: Conditions) -> list[PairingResult]:
    """What comes of all pairings; after an interruption, of those that have been played, if only in part."""
    openings = list(RandomOpenings().draw((conditions.games + 1) // 2, conditions.seed, lambda text: None))
    width = conditions.width or usable_cores()
    control = EngineLimits(movetime=conditions.milliseconds / 1000)
    shards = [UciGame(2 * number + color, opening, _seat(pairing.first), _seat(pairing.second), control, pairing.rules)
              for pairing in pairings for number, opening in enumerate(openings) for color in (0, 1)]
    played: dict[tuple[str, ...], list[GameRecord]] = {}
    with (executors.processes(width) as (executor, _), stop_on_interrupt(cancel_games),
          progress_bar(len(shards)) as show):
        for done, (record,) in enumerate(in_order(executor, shards, len(shards))):
            show(done, f"{record.players[0]} against {record.players[1]}")
            played.setdefault(tuple(sorted(record.players)), []).append(record)
    records = {pairing: played.get(tuple(sorted((pairing.first, pairing.second))), []) for pairing in pairings}
    return [_meeting(pairing, found) for pairing, found in records.items() if found]


def _seat(mode: str) -> EngineSpec:
    own = {"SearchMode": mode, **(_MOVES_AT_RANDOM if mode == "expectimax" else {})}
    return EngineSpec(mode, f"{shlex.quote(sys.executable)} -m engine", {**_HASH, **own})


def _meeting(pairing: Pairing, records: Sequence[GameRecord]) -> PairingResult:
    score = MatchScore((pairing.first, pairing.second), is_refereed=True)
    for record in records:
        score.add(GameScore.of(record))
    wins, draws, losses = score.wins_draws_losses
    lengths = [(len(record.moves) + 1) // 2 for record in records
               if record.fault is None and record.result == ("1-0" if record.players[0] == pairing.first else "0-1")]
    return PairingResult(pairing, wins + draws / 2, wins + draws + losses,
                         statistics.median(lengths) if lengths else None,
                         sum(score.forfeits()))


def cross_table_rows(meetings: Sequence[PairingResult]) -> list[tuple[str, ...]]:
    """A line for every mode, the best first: its points against each other, and its share of all."""
    points = {(meeting.pairing.first, meeting.pairing.second): (meeting.points, meeting.games) for meeting in meetings}
    points |= {(second, first): (games - made, games) for (first, second), (made, games) in points.items()}
    shares = {mode: sum(made for (first, _), (made, _) in points.items() if first == mode)
              / sum(games for (first, _), (_, games) in points.items() if first == mode)
              for mode in _MODES if any(first == mode for first, _ in points)}
    return [(mode, *(f"{points[mode, other][0]:g}" if (mode, other) in points else "-" for other in _MODES),
             f"{100 * shares[mode]:.0f} %") for mode in sorted(shares, key=lambda mode: -shares[mode])]


def belief_rows(meetings: Sequence[PairingResult]) -> list[tuple[str, ...]]:
    """A line for every kind of opponent: how minimax and expectimax fared."""
    found = {(meeting.pairing.first, meeting.pairing.second): meeting for meeting in meetings}
    return [(name, *(text for mode in _ASSUMING for text in _fate(found.get((mode, opponent)))))
            for name, opponent in _OPPONENTS.items()]


def _fate(meeting: PairingResult | None) -> tuple[str, str]:
    if meeting is None:
        return "-", "-"
    moves = "-" if meeting.moves_to_win is None else f"{meeting.moves_to_win:g}"
    return f"{100 * meeting.points / meeting.games:.0f} %", moves
