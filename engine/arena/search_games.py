"""Games between configs, played move by move in this process, for matches with at least one tree search."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.arena.cancellation import check_cancelled
from engine.arena.configs import Config
from engine.arena.records import Adjudication, GameRecord, MoveRecord, Opening
from engine.arena.referee import EngineLimits, GameInProgress
from engine.core.game import Game
from engine.mcts.searcher import MctsSearch
from engine.search.types import Limits


def new_search(config: Config, megabytes: int) -> AlphaBetaSearch | MctsSearch:
    """A new search with this config."""
    if config.tree is None:
        return AlphaBetaSearch(megabytes, params=config.params_record(), evaluation=config.evaluator())
    return MctsSearch(config.tree.params_record(), megabytes, evaluation=config.evaluator(),
                      policy=config.tree.loaded_policy())


_kept = threading.local()


def cached_search(config: Config, index: int, megabytes: int) -> AlphaBetaSearch | MctsSearch:
    """The calling thread's search for a config, cleared; kept between shards because allocating memory is slow."""
    searches: dict[int, tuple[Config, int, AlphaBetaSearch | MctsSearch]] = _kept.__dict__.setdefault("searches", {})
    if index not in searches or searches[index][:2] != (config, megabytes):
        searches[index] = config, megabytes, new_search(config, megabytes)
    search = searches[index][2]
    search.clear()
    return search


@dataclass(frozen=True)
class SearchPair:
    """Two games from one opening, with colours reversed: a shard of a match. Calling it plays them."""

    number: int  # of the pair
    opening: Opening
    first: Config
    second: Config
    limits: Limits  # of each move
    rules: Adjudication
    megabytes: int

    def __call__(self) -> list[GameRecord]:
        """Play both games; GamesCancelledError if games are cancelled."""
        return [self._play(2 * self.number + color, (self.first, self.second)[::1 - 2 * color]) for color in (0, 1)]

    def _play(self, number: int, configs: tuple[Config, ...]) -> GameRecord:
        """Play one game; the configs are those of White and Black."""
        searches = [cached_search(config, int(config is self.second), self.megabytes) for config in configs]
        live = GameInProgress(self.opening, EngineLimits(), self.rules)
        game = Game(self.opening.fen, self.opening.chess960, self.opening.moves)
        nodes = 0
        while (verdict := live.verdict()) is None:
            check_cancelled()
            result = searches[0 if live.board.turn else 1].run(game.position, self.limits)
            text = game.uci(result.move)
            live.records.append(MoveRecord(text, result.score, result.depth, result.seconds))
            live.board.push_uci(text)
            game.push_uci(text)
            nodes += result.nodes
        return GameRecord(number, (configs[0].name, configs[1].name), self.opening, tuple(live.records), *verdict,
                          nodes=nodes)
