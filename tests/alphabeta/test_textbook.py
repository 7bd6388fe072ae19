"""The jitted minimax and alpha-beta against the textbook's of engine/course/reference, over python-chess's rules.

Plain Python sees some thousand positions a second: four plies are searched where there are few moves, crowded boards
less deep.
"""

from __future__ import annotations

import functools

import pytest

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.fen import parse_fen
from engine.course.reference.alphabeta import alphabeta
from engine.course.reference.game import MAX, Game
from engine.course.reference.games.chess import Chess
from engine.course.reference.minimax import minimax
from engine.lab.bench_positions import BENCH_FENS
from engine.search.scores import MATE, MATE_BAND
from engine.search.types import Limits
from eval.evaluate import evaluate_entry
from eval.evaluator import features_evaluator
from eval.weights import load_weights
from tests.alphabeta.few_moves import FEW_MOVES_FENS
from tests.alphabeta.test_truth import switched

CROWDED = BENCH_FENS[:24]
RULES = Chess()
WEIGHTS = load_weights()
SEARCHER = AlphaBetaSearch(1, evaluation=features_evaluator())


class ChessLine(Game[tuple[str, ...], str]):
    """Chess as a search meets it: a state is the line of FENs from the root. So a repetition can be seen, and a mate is
    worth the more the nearer it is.
    """

    def __init__(self, fen: str) -> None:
        self._fen = fen

    def initial(self):
        return (self._fen,)

    def to_move(self, state):
        return _to_move(state[-1])

    def actions(self, state):
        return _actions(state[-1])

    def result(self, state, action):
        return (*state, _result(state[-1], action))

    def is_terminal(self, state):
        return _is_repeated(state) or _is_over(state[-1])

    def utility(self, state, player):
        if _is_repeated(state):
            return 0
        return _utility(state[-1], player) * (int(MATE) - (len(state) - 1))


_to_move, _actions = functools.cache(RULES.to_move), functools.cache(RULES.actions)
_result = functools.cache(RULES.result)
_is_over, _utility = functools.cache(RULES.is_terminal), functools.cache(RULES.utility)


def _is_repeated(line: tuple[str, ...]) -> bool:
    """Whether the last position has occurred in the line: all but the counters of its FEN are the same."""
    return _place(line[-1]) in map(_place, line[-5::-2])


@functools.cache
def _place(fen: str) -> str:
    return fen.rsplit(maxsplit=2)[0]


def evaluation(state: tuple[str, ...]) -> int:
    return _white_score(f"{_place(state[-1])} 0 1")


@functools.cache
def _white_score(fen: str) -> int:
    score = int(evaluate_entry(parse_fen(fen), WEIGHTS))
    return score if _to_move(fen) == MAX else -score


def engine_value(fen: str, depth: int, *on: str) -> int:
    """White's value by the engine's search, with these techniques and no others, searched at once."""
    SEARCHER.set_params(switched(*on))
    SEARCHER.clear()
    score = SEARCHER.run(parse_fen(fen), Limits(depth=depth, first_depth=depth)).score
    return score if _to_move(fen) == MAX else -score


def check(fen: str, depth: int) -> None:
    game = ChessLine(fen)
    assert engine_value(fen, depth) == minimax(game, game.initial(), depth, evaluation)
    assert engine_value(fen, depth, "use_alphabeta") == alphabeta(game, game.initial(), depth, evaluation)


@pytest.mark.parametrize("fen", FEW_MOVES_FENS)
def test_one_to_four_plies(fen):
    for depth in (1, 2, 3, 4):
        check(fen, depth)


@pytest.mark.parametrize("fen", CROWDED[::6])
def test_one_and_two_plies_of_a_crowded_board(fen):
    for depth in (1, 2):
        check(fen, depth)


@pytest.mark.slow
@pytest.mark.parametrize("fen", CROWDED)
def test_three_plies_of_a_crowded_board(fen):
    """By alpha-beta alone: minimax would take plain Python a quarter of an hour."""
    game = ChessLine(fen)
    truth = alphabeta(game, game.initial(), 3, evaluation)
    assert engine_value(fen, 3) == engine_value(fen, 3, "use_alphabeta") == truth


def test_mates_and_draws_are_among_the_values():
    values = [engine_value(fen, 4) for fen in FEW_MOVES_FENS]
    assert any(abs(value) > MATE_BAND for value in values)
    assert 0 in values
