"""Games between searches of any kind, played move by move in this process; and pairs of them between configs, for
matches with at least one tree search.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import chess

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.arena.cancellation import check_cancelled
from engine.arena.configs import Config
from engine.arena.records import Adjudication, Forfeit, GameRecord, MoveRecord, Opening
from engine.arena.referee import EngineLimits, GameInProgress
from engine.core.game import Game
from engine.core.position import PositionRecord
from engine.mcts.searcher import MctsSearch
from engine.search.types import Limits, Result

MoveChooser = Callable[[PositionRecord], Result]


def new_search(config: Config, megabytes: int) -> AlphaBetaSearch | MctsSearch:
    """A new search with this config."""
    if config.tree is None:
        return AlphaBetaSearch(megabytes, params=config.params_record(), evaluation=config.evaluator())
    return MctsSearch(config.tree.params_record(), megabytes, evaluation=config.evaluator(),
                      policy=config.tree.loaded_policy())


def play_game(number: int, opening: Opening, white: tuple[str, MoveChooser], black: tuple[str, MoveChooser],
              rules: Adjudication) -> GameRecord:
    """Play one game between two players, each a name and a function that chooses a move; python-chess checks the moves.

    A player with an illegal move forfeits the game. GamesCancelledError if games are cancelled.
    """
    live, players = GameInProgress(opening, EngineLimits(), rules), (white, black)
    game, forfeit = Game(opening.fen, opening.chess960, opening.moves), None
    while (verdict := live.verdict()) is None:
        check_cancelled()
        name, choose = players[live.mover]
        result = choose(game.position)
        text = game.uci(result.move)
        if not _is_legal(live.board, text):
            forfeit = Forfeit.ILLEGAL_MOVE
            verdict = ("0-1" if live.board.turn else "1-0"), f"{name} {forfeit.value}"
            break
        live.records.append(MoveRecord(text, result.score, result.depth, result.seconds, result.nodes))
        live.board.push_uci(text)
        game.push_uci(text)
    return GameRecord(number, (white[0], black[0]), opening, tuple(live.records), *verdict, forfeit,
                      nodes=sum(record.nodes for record in live.records))


def _is_legal(board: chess.Board, text: str) -> bool:
    try:
        return bool(board.parse_uci(text))  # the null move is false
    except ValueError:
        return False


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
        white, black = ((config.name, self._chooser(config)) for config in configs)
        return play_game(number, self.opening, white, black, self.rules)

    def _chooser(self, config: Config) -> MoveChooser:
        search = cached_search(config, int(config is self.second), self.megabytes)
        return lambda position: search.run(position, self.limits)
