"""The report as JSON, for programs and the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from engine.coach.report import Report
from engine.coach.report_advice import Advice


def report_json(report: Report, names: Sequence[str], advice: Sequence[Advice]) -> dict[str, Any]:
    """The fields that docs/json.md lists; `names` are the spellings of the player."""
    change = report.change
    (total,) = _rows([report.total])
    del total["name"]
    return {"player": report.player, "names": list(names), **total, "judged": len(report.judged),
            "colors": _rows(report.colors), "openings": _rows(report.openings), "opponents": _rows(report.opponents),
            "phases": [{"name": name, "games": games, "accuracy": _round_parts(accuracy), "lost": round(lost, 3)}
                       for name, games, accuracy, lost in report.phases],
            "clocks": _rows(report.clocks), "themes": _rows(report.themes), "endings": _rows(report.endings),
            "trend": _rows(report.blocks),
            "change": None if change is None else {"accuracy": _round_parts(change[0]), "proven": change[1]},
            "expected": None if report.performance is None else {
                "by_ratings": round(report.performance[0], 1), "scored": _round_parts(report.performance[1])},
            "advice": [{**item._asdict(), "proofs": [proof._asdict() for proof in item.proofs]} for item in advice],
            "moves": [{"game": game.number, **asdict(move)} for game in report.judged for move in game.moves
                      if move.mark]}


def _rows(groups: Sequence[Any]) -> list[dict[str, Any]]:
    return [{name: _round_parts(value) for name, value in row._asdict().items()} for row in groups]


def _round_parts(value: Any) -> Any:
    """A percentage as a list of its value and its error; other values as they are."""
    return [round(part, 1) for part in value] if isinstance(value, tuple) else value
