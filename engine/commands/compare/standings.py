"""The results of a tournament: a cross table with Elo, what a move cost, Elo by budget, and curves to be drawn."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from engine.arena.ratings import Ratings
from engine.arena.statistics import Estimate
from engine.commands.compare.contestants import Entrant, MoveBudget
from engine.commands.compare.tournament import ASSUMING_MODES, OPPONENTS, PairingResult
from engine.commands.shared.output import percent
from engine.commands.shared.plots import Curve, Errors
from engine.commands.shared.tables import print_table

ASSUMPTION_HEADINGS = ("against", *(f"{mode}: {what}" for mode in ASSUMING_MODES for what in ("score",
                                                                                              "moves to win")))
COST_HEADINGS = ("a move of", "nodes", "CPU ms")
Row = tuple[str, ...]


def print_standings(results: Sequence[PairingResult], rated: Ratings[Entrant], budgets: Sequence[MoveBudget]) -> None:
    """Print the cross table at one budget, or Elo by budget; then the tests of assumptions, and what moves cost."""
    if len(budgets) == 1:
        print_table(headings(names_of(results)), cross_table(results, rated))
        unit = "of CPU time " if budgets[0].is_time else ""
        print(f"points in {max(result.games for result in results)} games each at {budgets[0]} {unit}per move; Elo "
              "over the average, fitted to all games, with 95 % errors")
    else:
        print_table(("Elo of", *map(str, budgets)), budget_rows(results, rated, budgets))
        print("over the average, fitted to all games, with 95 % errors; the budget is for each move")
        for sentence in crossings(results, rated, budgets):
            print(sentence)
    assumptions = assumption_rows(results)
    if assumptions:
        print()
        print_table(ASSUMPTION_HEADINGS, assumptions)
        print("minimax assumes the best replies, expectimax random ones; games are played without adjudication")
    print()
    print_table(COST_HEADINGS, cost_rows(results))
    print("on average; nodes are positions: in alpha-beta, in playouts, in searches of leaves, and one for each "
          "iteration of a tree")


def names_of(results: Sequence[PairingResult]) -> list[str]:
    """The contestants, in the order in which they entered."""
    return list(dict.fromkeys(entrant.contestant.name for result in results
                              for entrant in (result.pairing.first, result.pairing.second)))


def headings(names: Sequence[str]) -> Row:
    """The headings of the cross table."""
    return ("points of", *names, "score", "Elo")


def cross_table(results: Sequence[PairingResult], rated: Ratings[Entrant]) -> list[Row]:
    """One row per contestant at one budget, the best first: its points against the others, its score in per cent, and
    its Elo over the average of all.
    """
    rivals = [result for result in results if not result.pairing.is_played_out and result.games]
    points = {(result.pairing.first, result.pairing.second): (result.points, result.games) for result in rivals}
    points |= {(second, first): (games - won, games) for (first, second), (won, games) in points.items()}
    names = names_of(results)
    rows = []
    for entrant in sorted({first for first, _ in points}, key=lambda entrant: -rated.rating(entrant).value):
        own = {other.contestant.name: counted for (first, other), counted in points.items() if first == entrant}
        score = sum(won for won, _ in own.values()) / sum(games for _, games in own.values())
        rows.append((entrant.contestant.name, *(f"{own[name][0]:g}" if name in own else "-" for name in names),
                     percent(score, 0), elo_text(rated.rating(entrant))))
    return rows


def elo_text(elo: Estimate) -> str:
    """A rating with its 95 % error."""
    return f"{elo.value:+.0f} ± {(elo.high - elo.low) / 2:.0f}"


def assumption_rows(results: Sequence[PairingResult]) -> list[Row]:
    """One row per opponent: the score of minimax and expectimax, and their moves to win; none if they did not play."""
    by_players = {(result.pairing.first.contestant.name, result.pairing.second.contestant.name): result
                  for result in results if result.pairing.is_played_out and result.games}
    if not by_players:
        return []
    return [(name, *(text for mode in ASSUMING_MODES for text in _score_and_length(by_players.get((mode, opponent)))))
            for name, opponent in OPPONENTS.items()]


def _score_and_length(result: PairingResult | None) -> tuple[str, str]:
    if result is None:
        return "-", "-"
    moves = "-" if result.moves_to_win is None else f"{result.moves_to_win:g}"
    return percent(result.points / result.games, 0), moves


def cost_rows(results: Sequence[PairingResult]) -> list[Row]:
    """One row per entrant: the nodes and the CPU time of a move, on average."""
    sums: dict[Entrant, tuple[int, int, float]] = {}
    for result in results:
        for side, entrant in enumerate((result.pairing.first, result.pairing.second)):
            for game in result.summaries:
                moves, nodes, seconds = sums.get(entrant, (0, 0, 0.0))
                sums[entrant] = moves + game.moves[side], nodes + game.nodes[side], seconds + game.seconds[side]
    return [(str(entrant), f"{nodes / moves:,.0f}", f"{1000 * seconds / moves:.1f}")
            for entrant, (moves, nodes, seconds) in sums.items() if moves]


def budget_rows(results: Sequence[PairingResult], rated: Ratings[Entrant], budgets: Sequence[MoveBudget]) -> list[Row]:
    """One row per contestant: its Elo at every budget, over the average of all."""
    by_name = {name: {entrant.budget: entrant for entrant in rated.players if entrant.contestant.name == name}
               for name in names_of(results)}
    return [(name, *(elo_text(rated.rating(entrants[budget])) if budget in entrants else "-" for budget in budgets))
            for name, entrants in by_name.items()]


def crossings(results: Sequence[PairingResult], rated: Ratings[Entrant], budgets: Sequence[MoveBudget]) -> list[str]:
    """A sentence for each contestant that overtakes another one between two budgets."""
    values = {(entrant.contestant.name, entrant.budget): rated.rating(entrant).value for entrant in rated.players}
    found = []
    for less, more in itertools.pairwise(budgets):
        for one, other in itertools.permutations(names_of(results), 2):
            if {(name, budget) for name in (one, other) for budget in (less, more)} <= set(values) and (
                    values[one, less] < values[other, less] and values[one, more] > values[other, more]):
                found.append(f"{one} overtakes {other} between {less} and {more}")
    return found


def curves(results: Sequence[PairingResult], rated: Ratings[Entrant]) -> tuple[dict[str, Curve], dict[str, Errors]]:
    """Elo by budget, one curve per contestant, and the 95 % errors of its points."""
    by_name, errors = dict[str, Curve](), dict[str, Errors]()
    for name in names_of(results):
        entrants = sorted((entrant for entrant in rated.players if entrant.contestant.name == name),
                          key=lambda entrant: entrant.budget.amount)
        found = [rated.rating(entrant) for entrant in entrants]
        by_name[name] = [entrant.budget.amount for entrant in entrants], [elo.value for elo in found]
        errors[name] = [elo.value - elo.low for elo in found], [elo.high - elo.value for elo in found]
    return by_name, errors


def objects(results: Sequence[PairingResult], rated: Ratings[Entrant]) -> Iterator[dict[str, Any]]:
    """One object per pairing, then one per entrant with its Elo."""
    for result in results:
        first, second = result.pairing.first, result.pairing.second
        yield {"type": "pairing", "first": first.contestant.name, "first_budget": str(first.budget),
               "second": second.contestant.name, "second_budget": str(second.budget),
               "played_out": result.pairing.is_played_out, "points": result.points, "games": result.games,
               "moves_to_win": result.moves_to_win, "forfeits": list(result.forfeits)}
    for entrant in rated.players:
        elo = rated.rating(entrant)
        yield {"type": "rating", "player": entrant.contestant.name, "budget": str(entrant.budget), "elo": elo.value,
               "low": elo.low, "high": elo.high}
