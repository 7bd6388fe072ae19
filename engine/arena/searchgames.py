"""Games between settings that are played move by move in this process: one of them, at least, is a tree search."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from engine.alphabeta.searcher import Searcher
from engine.arena.records import Adjudication, GameRecord, Opening, Thought
from engine.arena.referee import LiveGame, TimeControl
from engine.arena.settings import Setting
from engine.arena.stopping import check_stop
from engine.core.game import Game
from engine.mcts.searcher import TreeSearcher
from engine.search.limits import Limits


def search_of(setting: Setting, megabytes: int) -> Searcher | TreeSearcher:
    """A new search with this setting."""
    if setting.tree is None:
        return Searcher(megabytes, params=setting.params_record(), evaluation=setting.evaluation())
    return TreeSearcher(setting.tree.params_record(), megabytes, evaluation=setting.evaluation(),
                        policy=setting.tree.loaded_policy())


_kept = threading.local()


def kept_search(setting: Setting, seat: int, megabytes: int) -> Searcher | TreeSearcher:
    """The calling thread's search for a setting: kept from one shard to the next, since allocating memory is slow."""
    searches: dict[int, tuple[Setting, int, Searcher | TreeSearcher]] = _kept.__dict__.setdefault("searches", {})
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
    first: Setting
    second: Setting
    limits: Limits  # of each move
    rules: Adjudication
    megabytes: int

    def __call__(self) -> list[GameRecord]:
        """Play both games; StoppedError if they were stopped."""
        return [self._play(2 * self.number + color, (self.first, self.second)[::1 - 2 * color]) for color in (0, 1)]

    def _play(self, number: int, settings: tuple[Setting, ...]) -> GameRecord:
        """Play one game; the settings are White's and Black's."""
        searches = [kept_search(setting, int(setting is self.second), self.megabytes) for setting in settings]
        live = LiveGame(self.opening, TimeControl(), self.rules)
        game = Game(self.opening.fen, self.opening.chess960, self.opening.moves)
        nodes = 0
        while (verdict := live.verdict()) is None:
            check_stop()
            result = searches[0 if live.board.turn else 1].run(game.position, self.limits)
            text = game.text(result.move)
            live.thoughts.append(Thought(text, result.score, result.depth, result.seconds))
            live.board.push_uci(text)
            game.play(text)
            nodes += result.nodes
        return GameRecord(number, (settings[0].name, settings[1].name), self.opening, tuple(live.thoughts), *verdict,
                          nodes=nodes)
