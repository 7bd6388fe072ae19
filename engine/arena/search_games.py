"""Games between settings that are played move by move in this process: one of them, at least, is a tree search."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.arena.cancellation import check_stop
from engine.arena.configs import Config
from engine.arena.records import Adjudication, GameRecord, MoveRecord, Opening
from engine.arena.referee import EngineLimits, GameInProgress
from engine.core.game import Game
from engine.mcts.searcher import MctsSearch
from engine.search.types import Limits


def search_of(setting: Config, megabytes: int) -> AlphaBetaSearch | MctsSearch:
    """A new search with this setting."""
    if setting.tree is None:
        return AlphaBetaSearch(megabytes, params=setting.params_record(), evaluation=setting.evaluation())
    return MctsSearch(setting.tree.params_record(), megabytes, evaluation=setting.evaluation(),
                      policy=setting.tree.loaded_policy())


_kept = threading.local()


def cached_search(setting: Config, seat: int, megabytes: int) -> AlphaBetaSearch | MctsSearch:
    """The calling thread's search for a setting: kept from one shard to the next, since allocating memory is slow."""
    searches: dict[int, tuple[Config, int, AlphaBetaSearch | MctsSearch]] = _kept.__dict__.setdefault("searches", {})
    if seat not in searches or searches[seat][:2] != (setting, megabytes):
        searches[seat] = setting, megabytes, search_of(setting, megabytes)
    search = searches[seat][2]
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
        """Play both games; StoppedError if they were stopped."""
        return [self._play(2 * self.number + color, (self.first, self.second)[::1 - 2 * color]) for color in (0, 1)]

    def _play(self, number: int, settings: tuple[Config, ...]) -> GameRecord:
        """Play one game; the settings are White's and Black's."""
        searches = [cached_search(setting, int(setting is self.second), self.megabytes) for setting in settings]
        live = GameInProgress(self.opening, EngineLimits(), self.rules)
        game = Game(self.opening.fen, self.opening.chess960, self.opening.moves)
        nodes = 0
        while (verdict := live.verdict()) is None:
            check_stop()
            result = searches[0 if live.board.turn else 1].run(game.position, self.limits)
            text = game.uci(result.move)
            live.thoughts.append(MoveRecord(text, result.score, result.depth, result.seconds))
            live.board.push_uci(text)
            game.push_uci(text)
            nodes += result.nodes
        return GameRecord(number, (settings[0].name, settings[1].name), self.opening, tuple(live.thoughts), *verdict,
                          nodes=nodes)
