"""The score of a match: a live table while it is played, and a summary as text or JSON when it is over."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from engine.cli.output import percent, pluralize
from engine.cli.tables import live_table, print_table
from engine.lab.arena.match import MatchScore
from engine.lab.arena.records import Forfeit
from engine.lab.arena.statistics import Estimate, Sprt, elo_estimate, likelihood_of_superiority, log_likelihood_ratio

_LINE_SECONDS = 30.0  # between two lines where stderr is not a terminal


def live_score(results: Iterable[MatchScore], score: MatchScore, games: int, sprt: Sprt | None) -> None:
    """Play a match to its end, showing its score on stderr: a table on a terminal, a line at intervals elsewhere."""
    title = f"{score.players[0]} against {score.players[1]}, up to {games} games"
    began, before = time.monotonic(), len(score.outcomes)
    printed, is_terminal = began, sys.stderr.isatty()
    with live_table() as show:
        show(title, ("", ""), _facts(score, sprt))
        for now in results:
            pace = (time.monotonic() - began) / (len(now.outcomes) - before)
            left = timedelta(seconds=round(pace * (games - len(now.outcomes))))
            show(f"{title}; time left: {left}", ("", ""), _facts(now, sprt))
            if not is_terminal and time.monotonic() - printed >= _LINE_SECONDS:
                printed = time.monotonic()
                print(_headline(now), file=sys.stderr, flush=True)


def summary(score: MatchScore, sprt: Sprt | None) -> str:
    """The result, one fact per line."""
    return "\n".join([f"{score.players[0]} against {score.players[1]}",
                      *(f"{name}: {value}" for name, value in _facts(score, sprt))])


def as_object(score: MatchScore, sprt: Sprt | None) -> dict[str, Any]:
    """The result for programs, from the first player's view."""
    wins, draws, losses = score.wins_draws_losses
    games, pairs = wins + draws + losses, score.pentanomial
    has_error = sum(count > 0 for count in pairs) > 1
    fields = {"players": list(score.players), "games": games, "wins": wins, "draws": draws, "losses": losses,
              "score": round((wins + draws / 2) / games, 4) if games else None, "pairs": list(pairs),
              "elo": asdict(elo_estimate(pairs)) if has_error else None,
              "los": round(likelihood_of_superiority(pairs), 4) if has_error else None, "sprt": None, "forfeits": None,
              "illegal_lines": score.illegal_lines}
    if sprt is not None:
        fields["sprt"] = {"elo0": sprt.elo0, "elo1": sprt.elo1, "llr": _ratio(sprt, pairs), "bounds": list(sprt.bounds),
                          "accepted": sprt.verdict(pairs)}
    if score.is_refereed:
        fields["forfeits"] = {forfeit.name.lower(): list(score.forfeits(forfeit)) for forfeit in Forfeit}
    return fields


def _headline(score: MatchScore) -> str:
    wins, draws, losses = score.wins_draws_losses
    return f"{pluralize(wins + draws + losses, 'game')}: +{wins} ={draws} -{losses}"


def _facts(score: MatchScore, sprt: Sprt | None) -> list[tuple[str, str]]:
    wins, draws, losses = score.wins_draws_losses
    games, pairs = wins + draws + losses, score.pentanomial
    share = f" ({percent((wins + draws / 2) / games)})" if games else ""
    facts = [("games", str(games)), ("result", f"+{wins} ={draws} -{losses}{share}")]
    if sum(pairs):
        facts.append(("pairs that scored 0, 1/2, 1, 3/2 and 2 points", ", ".join(map(str, pairs))))
    if sum(count > 0 for count in pairs) > 1:  # results that are all the same say nothing about the error
        facts += [("Elo", elo_estimate(pairs).with_interval()),
                  ("LOS", percent(likelihood_of_superiority(pairs)))]
    if sprt is not None:
        facts.append(("SPRT", _sprt_text(sprt, pairs)))
    if score.is_refereed:
        for forfeit in Forfeit:
            first, second = score.forfeits(forfeit)
            facts.append((f"lost because it {forfeit.value}", f"{first} and {second}"))
        facts.append(("announced lines with an illegal move", str(score.illegal_lines)))
    return facts


SCALING_COLUMNS = (("nodes", 9), ("games", 6), ("result", 20), ("score", 7), ("Elo", 24))


def scaling_cells(nodes: int, score: MatchScore) -> tuple[str, ...]:
    """The row of a match at a number of nodes under SCALING_COLUMNS."""
    fields = as_object(score, None)
    return (str(nodes), str(fields["games"]), f"+{fields['wins']} ={fields['draws']} -{fields['losses']}",
            "" if fields["score"] is None else percent(fields["score"]),
            "" if fields["elo"] is None else Estimate(**fields["elo"]).with_interval())


def print_ablation(scores: Sequence[tuple[str, MatchScore]]) -> None:
    """Print the Elo lost without each technique, the most valuable first."""
    rows = []
    for name, score in sorted(scores, key=lambda row: elo_estimate(row[1].pentanomial).value):
        wins, draws, losses = score.wins_draws_losses
        rows.append((name.removeprefix("use_"), str(wins + draws + losses), f"+{wins} ={draws} -{losses}",
                     elo_estimate(score.pentanomial).with_interval(0)))
    print_table(("without", "games", "result", "Elo"), rows)


def _sprt_text(sprt: Sprt, pairs: tuple[int, ...]) -> str:
    low, high = sprt.bounds
    ratio = _ratio(sprt, pairs)
    decided = sprt.verdict(pairs)
    verdict = "undecided" if decided is None else f"{sprt.elo1:+g} {'accepted' if decided else 'rejected'}"
    return f"[{sprt.elo0:g}, {sprt.elo1:g}] LLR {ratio:+.2f} in [{low:.2f}, {high:.2f}]: {verdict}"


def _ratio(sprt: Sprt, pairs: tuple[int, ...]) -> float:
    return log_likelihood_ratio(pairs, sprt.elo0, sprt.elo1) if sum(pairs) else 0.0
