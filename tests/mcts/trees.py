"""Tree searches that the tests share."""

from __future__ import annotations

from engine.core.game import Game
from engine.mcts import params
from engine.mcts.searcher import MctsSearch
from engine.search.types import Limits

MODES = {"learned": params.learned, "puct": params.puct, "uct": params.uct, "montecarlo": params.pure_monte_carlo}
MIDDLE_GAME = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"
MATES = {  # position: moves to the mate
    "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1": 1,
    "7k/8/8/8/8/8/R7/1R2K3 w - - 0 1": 2,
    "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1": 3,
}
SEARCHERS = {name: MctsSearch(make(), 4) for name, make in MODES.items()}


def search(mode: str, fen: str, **limits):
    searcher = SEARCHERS[mode]
    searcher.clear()
    game = Game(fen)
    return game, searcher.run(game.position, Limits(**limits))
