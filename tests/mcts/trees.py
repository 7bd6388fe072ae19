"""Tree searches that tests share, and how to ask them."""

from __future__ import annotations

from engine.core.game import Game
from engine.mcts import params
from engine.mcts.searcher import MctsSearch
from engine.search.types import Limits

KINDS = {"learned": params.learned, "puct": params.puct, "uct": params.uct, "montecarlo": params.pure_monte_carlo}
MIDDLE_GAME = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"
MATES = {  # position: moves to the mate
    "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1": 1,
    "7k/8/8/8/8/8/R7/1R2K3 w - - 0 1": 2,
    "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1": 3,
}
SEARCHERS = {name: MctsSearch(make(), 4) for name, make in KINDS.items()}


def search(kind: str, fen: str, **limits):
    searcher = SEARCHERS[kind]
    searcher.clear()
    game = Game(fen)
    return game, searcher.run(game.position, Limits(**limits))
