"""`compare --tournament`: all modes play each other at equal time; minimax and expectimax test their assumptions.

Minimax assumes an opponent that plays the best move, expectimax here one that moves at random. Each of them plays both
the full search and a random mover.
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
_ASSUMING_MODES = ("minimax", "expectimax")
_OPPONENTS = {"the full search": "alphabeta", "a random mover": "random"}
_ASSUME_RANDOM_MOVES = {"Opponent Elo": "0"}
_USUAL_RULES = Adjudication()
_NO_ADJUDICATION = Adjudication(draw_score=None, win_score=None, by_tables=False)

HEADINGS = ("points of", *_MODES, "score")
ASSUMPTION_HEADINGS = ("against", *(f"{mode}: {what}" for mode in _ASSUMING_MODES for what in ("score",
                                                                                               "moves to win")))


@dataclass(frozen=True)
class Pairing:
    """Two modes that play each other, by name."""

    first: str
    second: str
    rules: Adjudication = _USUAL_RULES


@dataclass(frozen=True)
class PairingResult:
    """The result of a pairing for its first player."""

    pairing: Pairing
    points: float
    games: int
    moves_to_win: float | None  # median over the games that the first player won without a forfeit
    forfeits: int


@dataclass(frozen=True)
class Conditions:
    """The conditions of all games."""

    games: int  # per pairing, rounded up to pairs
    milliseconds: int  # per move
    seed: int = 1
    width: int = 0  # games at the same time; 0 for as many as there are cores


def all_pairings() -> list[Pairing]:
    """All modes against each other."""
    return [Pairing(*pair) for pair in itertools.combinations(_MODES, 2)]


def assumption_pairings() -> list[Pairing]:
    """Minimax and expectimax against each of the two opponents, without adjudication."""
    return [Pairing(first, second, _NO_ADJUDICATION) for first, second in itertools.product(_ASSUMING_MODES,
                                                                                            _OPPONENTS.values())]


def play_tournament(pairings: Sequence[Pairing], conditions: Conditions) -> list[PairingResult]:
    """Play all pairings; return their results, after an interruption those of the games played so far."""
    openings = list(RandomOpenings().draw((conditions.games + 1) // 2, conditions.seed, lambda text: None))
    width = conditions.width or usable_cores()
    control = EngineLimits(movetime=conditions.milliseconds / 1000)
    shards = [UciGame(2 * number + color, opening, _engine_spec(pairing.first), _engine_spec(pairing.second), control,
                      pairing.rules)
              for pairing in pairings for number, opening in enumerate(openings) for color in (0, 1)]
    played: dict[tuple[str, ...], list[GameRecord]] = {}
    with (executors.processes(width) as (executor, _), stop_on_interrupt(cancel_games),
          progress_bar(len(shards)) as show):
        for done, (record,) in enumerate(in_order(executor, shards, len(shards))):
            show(done, f"{record.players[0]} against {record.players[1]}")
            played.setdefault(tuple(sorted(record.players)), []).append(record)
    records = {pairing: played.get(tuple(sorted((pairing.first, pairing.second))), []) for pairing in pairings}
    return [_pairing_result(pairing, games) for pairing, games in records.items() if games]


def _engine_spec(mode: str) -> EngineSpec:
    own = {"SearchMode": mode, **(_ASSUME_RANDOM_MOVES if mode == "expectimax" else {})}
    return EngineSpec(mode, f"{shlex.quote(sys.executable)} -m engine", {**_HASH, **own})


def _pairing_result(pairing: Pairing, records: Sequence[GameRecord]) -> PairingResult:
    score = MatchScore((pairing.first, pairing.second), is_refereed=True)
    for record in records:
        score.add(GameScore.of(record))
    wins, draws, losses = score.wins_draws_losses
    lengths = [(len(record.moves) + 1) // 2 for record in records
               if record.fault is None and record.result == ("1-0" if record.players[0] == pairing.first else "0-1")]
    return PairingResult(pairing, wins + draws / 2, wins + draws + losses,
                         statistics.median(lengths) if lengths else None,
                         sum(score.forfeits()))


def cross_table_rows(results: Sequence[PairingResult]) -> list[tuple[str, ...]]:
    """One row per mode, the best first: its points against each other mode, and its score in per cent."""
    points = {(result.pairing.first, result.pairing.second): (result.points, result.games) for result in results}
    points |= {(second, first): (games - won, games) for (first, second), (won, games) in points.items()}
    scores = {mode: sum(won for (first, _), (won, _) in points.items() if first == mode)
              / sum(games for (first, _), (_, games) in points.items() if first == mode)
              for mode in _MODES if any(first == mode for first, _ in points)}
    return [(mode, *(f"{points[mode, other][0]:g}" if (mode, other) in points else "-" for other in _MODES),
             f"{100 * scores[mode]:.0f} %") for mode in sorted(scores, key=lambda mode: -scores[mode])]


def assumption_rows(results: Sequence[PairingResult]) -> list[tuple[str, ...]]:
    """One row per opponent: the score of minimax and expectimax, and their moves to win."""
    by_players = {(result.pairing.first, result.pairing.second): result for result in results}
    return [(name, *(text for mode in _ASSUMING_MODES for text in _score_and_length(by_players.get((mode, opponent)))))
            for name, opponent in _OPPONENTS.items()]


def _score_and_length(result: PairingResult | None) -> tuple[str, str]:
    if result is None:
        return "-", "-"
    moves = "-" if result.moves_to_win is None else f"{result.moves_to_win:g}"
    return f"{100 * result.points / result.games:.0f} %", moves
