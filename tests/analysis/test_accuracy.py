"""Accuracy, loss per move and the range of ratings: they count the same moves, and say nothing of too few."""

from __future__ import annotations

from dataclasses import replace
from statistics import harmonic_mean, mean

import chess
import pytest

from engine.analysis.accuracy import Phase, PhaseSums, PlayerAccuracy, RatingRange
from engine.analysis.marks import Mark
from engine.analysis.move_verdicts import MoveVerdict
from engine.analysis.results import Score
from eval.wdl import Wdl

EVEN = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"


def moved(before: int, after: int, lost: float) -> MoveVerdict:
    """A verdict on a move that is not the best one."""
    best, played = (Score(value, None, Wdl(0, 1000, 0), chess.WHITE) for value in (before, after))
    return MoveVerdict(4, chess.Board(EVEN), chess.Move.from_uci("f1b5"), Mark.NONE, best, played, lost,
                       (chess.Move.from_uci("d2d4"),),
                       (chess.Move.from_uci("f1b5"),), None, 10)


def player(*verdicts: MoveVerdict) -> PlayerAccuracy:
    made = PlayerAccuracy(games=1)
    for verdict in verdicts:
        made.add(verdict, Phase.OPENING)
    return made


def test_theory_changes_neither_accuracy_nor_loss_per_move():
    loses = moved(20, -30, 0.06)
    theory = replace(moved(20, 10, 0.01), is_theory=True)
    own, with_book = player(*[loses] * 10), player(*[theory] * 30, *[loses] * 10)
    assert with_book.moves == 40 and own.moves == 10
    assert own.average_loss == with_book.average_loss == 50
    assert own.accuracy == pytest.approx(with_book.accuracy)


def test_a_move_without_a_choice_costs_nothing():
    forced = replace(moved(20, -80, 0.1), board=chess.Board("7k/8/8/8/8/8/1r6/K7 w - - 0 1"),
                     move=chess.Move.from_uci("a1b2"))
    assert forced.board.legal_moves.count() == 1
    made = player(forced, moved(0, -10, 0.01))
    assert made.average_loss == 10


def test_a_bad_move_in_a_decided_game_costs_something():
    assert player(moved(-900, -1000, 0.0)).average_loss == 0
    assert player(replace(moved(-900, -1000, 0.0), mark=Mark.DUBIOUS)).undecided == 1


def test_too_few_moves_have_no_rating_and_more_moves_narrow_it():
    """The stake of a move in an even position is 1."""
    move = moved(0, -30, 0.03)
    assert player(*[move] * 14).rating_range is None
    assert player(*[replace(move, is_theory=True)] * 10, *[move] * 14).rating_range is None, "theory tells nothing"
    found = [player(*[move] * number).rating_range for number in (15, 120, 1000)]
    widths = [made.high - made.low for made in found]
    assert widths[0] <= 1400 and widths[0] > widths[1] > widths[2] == 300
    assert found[0].low <= found[1].low <= found[2].low < found[2].high <= found[1].high <= found[0].high


def test_who_loses_more_is_not_rated_higher_whatever_book_is_known():
    theory = replace(moved(0, 0, 0.0), is_theory=True)
    careful, careless = player(*[moved(0, -20, 0.02)] * 40), player(*[theory] * 60, *[moved(0, -60, 0.07)] * 40)
    assert careful.average_loss < careless.average_loss
    assert careful.rating_range.low > careless.rating_range.low
    assert careful.rating_range.high > careless.rating_range.high


@pytest.mark.parametrize(("found", "text"), [
    (RatingRange(1500, 2100), "1500 to 2100"), (RatingRange(600, 1250), "below 1250"),
    (RatingRange(2350, 3200), "above 2350")])
def test_a_range_is_open_where_the_scale_ends(found, text):
    assert str(found) == text


def test_the_accuracy_is_half_the_mean_and_half_the_harmonic_mean():
    losses, single = (0.0, 0.02, 0.25), []
    together = PhaseSums()
    for lost in losses:
        alone = PhaseSums()
        alone.add(1.0, lost)
        together.add(1.0, lost)
        single.append(alone.accuracy)
    assert single[0] == 100 > single[1] > single[2]
    assert together.accuracy == pytest.approx((mean(single) + harmonic_mean(single)) / 2)
    assert harmonic_mean(single) < mean(single) - 5, "the two differ here"


def test_where_little_was_at_stake_there_is_no_accuracy():
    assert player().accuracy is None and player(*[replace(moved(0, 0, 0.0), is_theory=True)] * 20).accuracy is None
    assert player(*[moved(990, 990, 0.0)] * 15).accuracy is None, "the game was decided"
    assert player(moved(0, 0, 0.0)).accuracy == pytest.approx(100)


def test_a_mistake_counts_whatever_it_is_called():
    blunder = replace(moved(0, -400, 0.4), is_theory=True, mark=Mark.BLUNDER)
    assert player(blunder).accuracy < 20
    mated = Score(None, -1, Wdl(0, 0, 1000), chess.WHITE)
    assert player(replace(moved(0, 0, 0.49), after=mated, is_theory=True)).accuracy < 20
