"""Marks from scores, rule by rule: the loss on the human curve, decided games, mates, tables and theory."""

from __future__ import annotations

import chess
import pytest

from engine.analysis.marks import (
    Mark,
    is_near_threshold,
    is_too_early,
    lower_class_in_doubt,
    mark_of_scores,
    mark_of_table_results,
    mark_of_theory,
)
from engine.analysis.results import Score
from eval.wdl import Wdl


def score(value: int | str) -> Score:
    """A score from centipawns, or from `#3`, `#-3`."""
    if isinstance(value, int):
        return Score(value, None, Wdl(400, 300, 300))
    mate = int(value[1:])
    return Score(None, mate, Wdl(1000, 0, 0) if mate > 0 else Wdl(0, 0, 1000))


@pytest.mark.parametrize(("best", "played", "mark"), [
    (0, -64, ""), (0, -66, "?!"), (0, -107, "?"), (0, -190, "??"),
    (300, 208, ""), (300, 206, "?!"), (300, 157, "?"), (300, 78, "??"),
    (500, 301, ""), (500, 269, ""), (500, 249, "?"), (500, 172, "??"),
    (900, 510, ""), (1200, 800, ""), (-510, -900, ""), (-310, -450, ""),
    # mates
    ("#2", 900, "?!"), ("#2", 500, "?"), ("#2", 50, "??"), ("#2", 0, "??"), ("#2", "#-3", "??"), ("#2", "#5", ""),
    ("#6", 600, ""), ("#6", 200, "??"),
    (0, "#-8", "??"), (-299, "#-1", "??"), (-500, "#-4", "?"), (-800, "#-2", "?!"), (-800, "#-5", ""),
    ("#-5", "#-1", ""),
])
def test_marks_follow_the_scores(best, played, mark):
    assert mark_of_scores(score(best), score(played)).text == mark


def test_the_tables_are_the_judge_of_small_endings():
    assert mark_of_table_results(1, 0) is mark_of_table_results(0, -1) is mark_of_table_results(1, -1) is Mark.BLUNDER
    assert mark_of_table_results(1, 1) is mark_of_table_results(-1, -1) is mark_of_table_results(0, 0) is Mark.NONE


def test_theory_is_at_most_dubious():
    assert mark_of_theory(0.12) is Mark.NONE
    assert mark_of_theory(0.13) is mark_of_theory(0.5) is Mark.DUBIOUS


def test_the_first_moves_of_a_game_are_not_marked():
    board = chess.Board()
    for san, is_early in (("e4", True), ("e5", True), ("Ke2", True), ("Nf6", False)):
        assert is_too_early(board) == is_early
        board.push_san(san)
    assert not is_too_early(chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")), "a position that was set up"


def test_what_is_in_doubt_gets_the_lower_mark():
    assert is_near_threshold(0.21) and is_near_threshold(0.14) and not is_near_threshold(0.17)
    assert lower_class_in_doubt(Mark.BLUNDER, Mark.MISTAKE, 0.23) is Mark.MISTAKE
    assert lower_class_in_doubt(Mark.BLUNDER, Mark.MISTAKE, 0.25) is Mark.BLUNDER
    assert lower_class_in_doubt(Mark.BLUNDER, Mark.NONE, 0.23) is Mark.MISTAKE
    assert lower_class_in_doubt(Mark.DUBIOUS, Mark.NONE, 0.09) is Mark.NONE
    assert lower_class_in_doubt(Mark.DUBIOUS, Mark.MISTAKE, 0.09) is Mark.DUBIOUS
    assert lower_class_in_doubt(Mark.NONE, Mark.BLUNDER, 0.0) is Mark.NONE
