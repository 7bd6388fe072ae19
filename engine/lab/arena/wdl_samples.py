"""Samples for the WDL model: positions of finished games, searched with an evaluator.

There is one position per game: positions of the same game share its result, so more of them would add little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.fen import parse_fen
from engine.core.game import make_if_legal
from engine.core.position import PositionRecord
from engine.lab.arena.game_file import Games
from engine.lab.arena.game_rows import unpack_position
from engine.search.types import Limits
from engine.system.threads import per_thread
from eval.evaluator import Evaluator
from eval.tuner.samples import SAMPLE, TERM, Samples
from eval.wdl import material_on

_FIRST_PLY = 4  # random openings take some moves to become chess
_MEGABYTES = 1  # for searches of a few hundred nodes

Chosen = tuple[PositionRecord, int]  # and the result of its game


def wdl_samples(blocks: Iterable[Games], evaluator: Evaluator, nodes: int, most: int, seed: int,
                threads: int) -> Iterator[Samples]:
    """Yield one position from each of at most `most` games, with the score of a search of `nodes` nodes."""
    own_searcher = per_thread(lambda: AlphaBetaSearch(_MEGABYTES, evaluation=evaluator))

    def search(chosen: Chosen) -> Samples:
        position, result = chosen
        own_searcher().clear()
        score = own_searcher().run(position, Limits(nodes=nodes)).score
        row = np.zeros(1, SAMPLE)
        row["score"], row["result"] = -score if position.side else score, result
        row["material"] = material_on(position.board.tolist())
        return Samples(np.zeros(0, TERM), row)

    rng = np.random.default_rng(seed)
    chosen = islice((position for games in blocks for position in one_position_per_game(games, rng)), most)
    with ThreadPoolExecutor(threads) as pool:
        while batch := list(islice(chosen, 1000)):
            yield from pool.map(search, batch)


def one_position_per_game(games: Games, rng: np.random.Generator) -> Iterator[Chosen]:
    """A random position of each game that is long enough, with the game's result."""
    for index, row in enumerate(games.rows):
        moves = games.moves[games.starts[index]:games.starts[index + 1]].tolist()
        if len(moves) <= _FIRST_PLY:
            continue
        position = parse_fen(unpack_position(row).fen(shredder=True), chess960=True)
        for move in moves[:int(rng.integers(_FIRST_PLY, len(moves)))]:
            make_if_legal(position, move)
        yield position, int(row["result"])
