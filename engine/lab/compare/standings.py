"""The results of a tournament: a cross table with Elo, what a move cost, Elo by budget, and curves to be drawn."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from engine.cli.output import percent
from engine.cli.plots import Curve, Errors
from engine.cli.tables import print_table
from engine.lab.arena.participants import MoveBudget, Participant, Unit
from engine.lab.arena.ratings import Ratings
from engine.lab.compare.round_robin import ASSUMING_MODES, OPPONENTS, PairingResult

ASSUMPTION_HEADINGS = ("against", *(f"{mode}: {what}" for mode in ASSUMING_MODES for what in ("score",
                                                                                              "moves to win")))
COST_HEADINGS = ("a move of", "nodes", "iterations", "CPU ms")
Row = tuple[str, ...]


def print_standings(results: Sequence[PairingResult], rated: Ratings[Participant],
                    budgets: Sequence[MoveBudget], steps: Sequence[str] = ()) -> None:
    """Print the cross table at one budget, or Elo by budget; then the tests of assumptions, and what moves cost.

    `steps` are players each of which adds something to the one before it.
    """
    if len(budgets) == 1:
        print_table(headings(names_of(results)), cross_table(results, rated))
        unit = "of CPU time " if budgets[0].unit is Unit.CPU_TIME else ""
        print(f"points in {max(result.games for result in results)} games each at {budgets[0]} {unit}per move; Elo "
              "over the average, fitted to all games, with 95 % errors")
    else:
        print_table(("Elo of", *map(str, budgets)), budget_rows(results, rated, budgets))
        print("over the average, fitted to all games, with 95 % errors; the budget is for each move")
        for sentence in (*crossings(results, rated, budgets), *paying_steps(rated, budgets, steps)):
            print(sentence)
    assumptions = assumption_rows(results)
    if assumptions:
        print()
        print_table(ASSUMPTION_HEADINGS, assumptions)
        print("minimax assumes the best replies, expectimax random ones; games are played without adjudication;\n"
              "moves to win: the median, and its 95 % interval, or all games if they are fewer than six")
    print()
    print_table(COST_HEADINGS, cost_rows(results))
    print("on average; nodes are positions: in alpha-beta, in playouts, in searches of leaves, and one for each "
          "iteration of a tree;\niterations are playouts where a search has any")


def names_of(results: Sequence[PairingResult]) -> list[str]:
    """The names of the participants, in the order in which they entered."""
    return list(dict.fromkeys(player.name for result in results for player in (result.first, result.second)))


def headings(names: Sequence[str]) -> Row:
    """The headings of the cross table."""
    return ("points of", *names, "score", "Elo")


def cross_table(results: Sequence[PairingResult], rated: Ratings[Participant]) -> list[Row]:
    """One row per participant at one budget, the best first: its points against the others, its score in per cent, and
    its Elo over the average of all.
    """
    rivals = [result for result in results if not result.is_played_out and result.games]
    points = {(result.first, result.second): (result.points, result.games) for result in rivals}
    points |= {(second, first): (games - won, games) for (first, second), (won, games) in points.items()}
    names = names_of(results)
    rows = []
    for player in sorted({first for first, _ in points}, key=lambda player: -rated.rating(player).value):
        own = {other.name: counted for (first, other), counted in points.items() if first == player}
        score = sum(won for won, _ in own.values()) / sum(games for _, games in own.values())
        rows.append((player.name, *(f"{own[name][0]:g}" if name in own else "-" for name in names),
                     percent(score, 0), rated.rating(player).with_error()))
    return rows


def assumption_rows(results: Sequence[PairingResult]) -> list[Row]:
    """One row per opponent: the score of minimax and expectimax, and their moves to win; none if they did not play."""
    by_players = {(result.first.name, result.second.name): result
                  for result in results if result.is_played_out and result.games}
    if not by_players:
        return []
    return [(name, *(text for mode in ASSUMING_MODES for text in _score_and_length(by_players.get((mode, opponent)))))
            for name, opponent in OPPONENTS.items()]


def _score_and_length(result: PairingResult | None) -> tuple[str, str]:
    if result is None:
        return "-", "-"
    extremes = result.moves_to_win_range
    moves = "-" if extremes is None else f"{result.moves_to_win:g} [{extremes[0]}, {extremes[1]}]"
    return percent(result.points / result.games, 0), moves


def cost_rows(results: Sequence[PairingResult]) -> list[Row]:
    """One row per participant: the nodes, iterations and CPU time of a move, on average."""
    sums: dict[Participant, tuple[int, int, int, float]] = {}
    for result in results:
        for side, player in enumerate((result.first, result.second)):
            for game in result.summaries:
                moves, nodes, iterations, seconds = sums.get(player, (0, 0, 0, 0.0))
                sums[player] = (moves + game.moves[side], nodes + game.nodes[side],
                                iterations + game.iterations[side], seconds + game.seconds[side])
    return [(str(player), f"{nodes / moves:,.0f}", f"{iterations / moves:,.0f}" if iterations else "-",
             f"{1000 * seconds / moves:.1f}") for player, (moves, nodes, iterations, seconds) in sums.items() if moves]


def budget_rows(results: Sequence[PairingResult], rated: Ratings[Participant],
                budgets: Sequence[MoveBudget]) -> list[Row]:
    """One row per name: its Elo at every budget, over the average of all."""
    by_name = {name: {player.budget: player for player in rated.players if player.name == name}
               for name in names_of(results)}
    return [(name, *(rated.rating(players[budget]).with_error() if budget in players else "-" for budget in budgets))
            for name, players in by_name.items()]


def crossings(results: Sequence[PairingResult], rated: Ratings[Participant],
              budgets: Sequence[MoveBudget]) -> list[str]:
    """A sentence for each participant that overtakes another one between two budgets."""
    values = {(player.name, player.budget): rated.rating(player).value for player in rated.players}
    crossings = []
    for less, more in itertools.pairwise(budgets):
        for one, other in itertools.permutations(names_of(results), 2):
            if {(name, budget) for name in (one, other) for budget in (less, more)} <= set(values) and (
                    values[one, less] < values[other, less] and values[one, more] > values[other, more]):
                crossings.append(f"{one} overtakes {other} between {less} and {more}")
    return crossings


def paying_steps(rated: Ratings[Participant], budgets: Sequence[MoveBudget], steps: Sequence[str]) -> list[str]:
    """A sentence for each step: the smallest budget from which on it is ahead of the step before it."""
    values = {(player.name, player.budget): rated.rating(player) for player in rated.players}
    texts = []
    for less, more in itertools.pairwise(steps):
        if not {(name, budget) for name in (less, more) for budget in budgets} <= set(values):
            continue
        gains = [values[more, budget].value - values[less, budget].value for budget in budgets]
        ahead = list(itertools.takewhile(lambda pair: pair[1] > 0, reversed(list(zip(budgets, gains, strict=True)))))
        texts.append(f"{more} pays over {less} from {ahead[-1][0]} on: {ahead[-1][1]:+.0f} Elo there, {gains[-1]:+.0f} "
                     f"at {budgets[-1]}" if ahead else
                     f"{more} does not pay over {less} up to {budgets[-1]}: {gains[-1]:+.0f} Elo there")
    return texts


def curves(results: Sequence[PairingResult],
           rated: Ratings[Participant]) -> tuple[dict[str, Curve], dict[str, Errors]]:
    """Elo by budget, one curve per name, and the 95 % errors of its points."""
    by_name, errors = dict[str, Curve](), dict[str, Errors]()
    for name in names_of(results):
        players = sorted((player for player in rated.players if player.name == name),
                         key=lambda player: player.budget.amount)
        ratings = [rated.rating(player) for player in players]
        by_name[name] = [player.budget.amount for player in players], [elo.value for elo in ratings]
        errors[name] = [elo.value - elo.low for elo in ratings], [elo.high - elo.value for elo in ratings]
    return by_name, errors


def objects(results: Sequence[PairingResult], rated: Ratings[Participant]) -> Iterator[dict[str, Any]]:
    """One object per pairing, then one per participant with its Elo."""
    for result in results:
        yield {"type": "pairing", "first": result.first.name, "first_budget": str(result.first.budget),
               "second": result.second.name, "second_budget": str(result.second.budget),
               "played_out": result.is_played_out, "points": result.points, "games": result.games,
               "moves_to_win": result.moves_to_win,
               "moves_to_win_range": result.moves_to_win_range, "forfeits": list(result.forfeits)}
    for player in rated.players:
        elo = rated.rating(player)
        yield {"type": "rating", "player": player.name, "budget": str(player.budget), "elo": elo.value,
               "low": elo.low, "high": elo.high}
