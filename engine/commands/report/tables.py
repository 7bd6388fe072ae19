"""The report as tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cli.output import pluralize
from engine.cli.tables import print_table
from engine.coach.report import LEAST_GAMES, LEAST_MOVES, GameGroup, Percentage, Report, accuracy_total
from engine.coach.report_advice import MOST_ADVICE, Advice

_MOST_OPENINGS, _MOST_THEMES, _MOST_ENDINGS = 12, 12, 12
_GAME_HEADINGS = ("games", "won", "drawn", "lost", "score", "accuracy")


def print_report(report: Report, names: Sequence[str], advice: Sequence[Advice]) -> None:
    """Print everything, and last what to practise; `names` are the spellings of the player."""
    dates = [game.date for game in report.games if game.date]
    when = f", {dates[0]} to {dates[-1]}" if dates else ""
    print(f"{' = '.join(names)}: {pluralize(len(report.games), 'game')}{when}")
    _print_games("", [report.total, *report.colors])
    _print_standing(report)
    _print_games("opening", report.openings[:_MOST_OPENINGS])
    if len(report.openings) > _MOST_OPENINGS:
        print(f"and {pluralize(len(report.openings) - _MOST_OPENINGS, 'rarer opening')}")
    _print_games("opponent", report.opponents)
    if report.performance is not None and report.performance[1] is not None:
        print(f"expected by the ratings: {report.performance[0]:.0f} %; scored: {report.performance[1]} %")
    if report.phases:
        print()
        print_table(("phase", "games", "accuracy", "points lost per game"), [
            (name, str(games), _text(accuracy), f"{lost:.2f}") for name, games, accuracy, lost in report.phases])
    _print_clocks(report)
    _print_themes(report)
    _print_endings(report)
    _print_games("date", report.blocks)
    _print_change(report)
    _print_advice(report, advice)


def _print_standing(report: Report) -> None:
    judged = report.judged
    if len(judged) < len(report.games):
        print(f"moves are judged in {len(judged)} of {pluralize(len(report.games), 'game')}")
    tagged = [game.tagged_accuracy for game in report.games if game.tagged_accuracy is not None and not game.accuracy]
    if tagged:
        print(f"accuracy by the tags of the file, on a scale of its own: {sum(tagged) / len(tagged):.0f} "
              f"over {pluralize(len(tagged), 'game')}")
    rating = accuracy_total(judged).rating_range
    if rating is not None and len(judged) >= LEAST_GAMES:
        print(f"played like {rating}, by the accuracy, on the scale of Stockfish's levels")
    print(f"±: half the width of the 95 % interval; -: fewer than {LEAST_GAMES} games, or too little at stake")


def _print_games(heading: str, rows: Sequence[GameGroup]) -> None:
    if not rows:
        return
    if heading:
        print()
    print_table((heading, *_GAME_HEADINGS), [
        (row.name, *map(str, (row.games, row.wins, row.draws, row.losses)), _percent(row.score), _text(row.accuracy))
        for row in rows])


def _print_clocks(report: Report) -> None:
    if report.clocks:
        print()
        print_table(("time left", "moves", "mistakes", "of 100 moves"), [
            (row.name, str(row.moves), str(row.mistakes), _text(row.rate)) for row in report.clocks])
        print(f"moves at which something was at stake; mistakes: ? and ??; -: fewer than {LEAST_MOVES} moves")


def _print_themes(report: Report) -> None:
    if report.themes:
        print()
        print_table(("theme", "missed", "allowed", "in games"), [
            (row.name, str(row.missed), str(row.allowed), str(row.games)) for row in report.themes[:_MOST_THEMES]])


def _print_endings(report: Report) -> None:
    if report.endings:
        print()
        print_table(("ending", "games", "won", "kept", "drawn", "kept", "thrown away"), [
            (row.name, *map(str, row[1:])) for row in report.endings[:_MOST_ENDINGS]])
        print("by the endgame tables, your pieces first: won or drawn when the ending began, and kept to the end of "
              "the game; moves that gave away half a point or more")


def _print_change(report: Report) -> None:
    if report.change is None:
        return
    change, is_proven = report.change
    if is_proven:
        print(f"accuracy of the later half of the games: {change.value:+.0f} ± {change.error:.0f} beside the earlier")
    else:
        print(f"no change of the accuracy is proven: {change.value:+.0f} ± {change.error:.0f} between the halves")


def _print_advice(report: Report, advice: Sequence[Advice]) -> None:
    print()
    for number, item in enumerate(advice, 1):
        print(f"{number}. {item.sentence}:")
        for proof in item.proofs:
            print(f"   {proof.title}: {proof.move}, {proof.fen}")
    if not report.judged:
        print("what to practise: unknown, since no moves are judged")
    elif len(advice) < MOST_ADVICE:
        print(f"{'nothing else' if advice else 'nothing'} to practise is proven by three moves in two games")


def _percent(estimate: Percentage | None) -> str:
    return "-" if estimate is None else f"{estimate} %"


def _text(estimate: Percentage | None) -> str:
    return "-" if estimate is None else str(estimate)
