"""Games between two settings of this engine, in this process: one thread per game, all of it inside a kernel."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from engine.alphabeta.root import search_from
from engine.alphabeta.root_moves import NO_LIMIT
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.alphabeta.state import clear_histories, new_state, set_params
from engine.alphabeta.tt import TranspositionTable
from engine.arena.cancellation import STOP_ADDRESS, check_stop
from engine.arena.configs import Config
from engine.arena.records import Adjudication, GameRecord, MoveRecord, Opening
from engine.arena.selfplay import NODES_TO_JUDGE, REASONS, SelfPlayRecord, play_game
from engine.arena.tb_adjudication import loaded_tables
from engine.core.game import Game
from engine.core.position import PositionRecord
from engine.core.uci_moves import format_uci
from engine.kernel.records import new_record
from engine.search.scores import INFINITE
from engine.search.types import Limits

_FAIR_SCORE = 120
_RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}


class KernelPlayer:
    """A setting that is ready to play: a search state with its own transposition table."""

    def __init__(self, setting: Config, megabytes: int) -> None:
        self.megabytes = megabytes
        self._tt = TranspositionTable(megabytes)
        self._begin(setting)

    def _begin(self, setting: Config) -> None:
        self.setting, self._evaluation = setting, setting.evaluation()
        self.state = new_state(setting.params_record(), self._evaluation)
        self.state.tt_address, self.state.tt_buckets = self._tt.address, self._tt.buckets
        self.state.stop_address = STOP_ADDRESS
        self.state.deadline = NO_LIMIT

    def adopt(self, setting: Config) -> None:
        """Play with other parameters or another evaluation from now on."""
        if (setting.weights, setting.network) != (self.setting.weights, self.setting.network):
            self._begin(setting)
        elif setting.params != self.setting.params:
            set_params(self.state, setting.params_record())
        self.setting = setting

    def clear(self) -> None:
        """Forget the last game."""
        self._tt.clear()
        self.state.tt_generation = 0
        clear_histories(self.state)


_kept = threading.local()


def kernel_player(setting: Config, seat: int, megabytes: int) -> KernelPlayer:
    """The calling thread's side for a setting: kept from one shard to the next, since allocating memory is slow."""
    sides: dict[int, KernelPlayer] = _kept.__dict__.setdefault("sides", {})
    side = sides.get(seat)
    if side is None or side.megabytes != megabytes:
        side = sides[seat] = KernelPlayer(setting, megabytes)
    side.adopt(setting)
    return side


def new_game(soft_nodes: int, hard_nodes: int, rules: Adjudication, plies_before: int) -> SelfPlayRecord:
    """The record of a game to be played, from a position `plies_before` plies into a game.

    No iteration starts after `soft_nodes` nodes of a move; at `hard_nodes` it is aborted.
    """
    game = new_record(SelfPlayRecord)
    game.soft_nodes, game.hard_nodes = soft_nodes, hard_nodes
    game.search_address, game.stop_address = search_from.address, STOP_ADDRESS
    game.draw_score = -1 if rules.draw_score is None else rules.draw_score
    game.draw_plies, game.draw_from = 2 * rules.draw_moves, 2 * (rules.draw_from - 1) - plies_before
    game.win_score = int(INFINITE) if rules.win_score is None else rules.win_score
    game.win_plies = 2 * rules.win_moves
    game.fair_score = _FAIR_SCORE
    if rules.by_tables:
        tables = loaded_tables()
        game.tb_address, game.tb_men = tables.outcomes.address, tables.max_pieces
    return game


class FairnessTest:
    """Tests by a short search that neither side has a large advantage in an opening."""

    def __init__(self) -> None:
        self._searcher = AlphaBetaSearch(megabytes=1)

    def __call__(self, opening: Opening) -> bool:
        self._searcher.clear()
        position = Game(opening.fen, opening.chess960, opening.moves).position
        return abs(self._searcher.run(position, Limits(nodes=int(NODES_TO_JUDGE))).score) <= _FAIR_SCORE


@dataclass(frozen=True)
class KernelPair:
    """Two games from one opening, with colours reversed: a shard of a match. Calling it plays them."""

    number: int  # of the pair
    opening: Opening
    first: Config
    second: Config
    nodes: int
    rules: Adjudication
    megabytes: int = 4

    def __call__(self) -> list[GameRecord]:
        """Play both games; StoppedError if they were stopped."""
        games = [self._play(2 * self.number, first_is_white=True),
                 self._play(2 * self.number + 1, first_is_white=False)]
        check_stop()
        return games

    def _play(self, number: int, *, first_is_white: bool) -> GameRecord:
        seats = [kernel_player(self.first, 0, self.megabytes), kernel_player(self.second, 1, self.megabytes)]
        names = [self.first.name, self.second.name]
        if not first_is_white:
            seats.reverse()
            names.reverse()
        white, black = seats
        white.clear()
        black.clear()
        # Both sides get the same number of nodes: if iterations could end, the one with the longer ones would win.
        game = new_game(self.nodes, self.nodes, self.rules, self.opening.board().ply())
        position = Game(self.opening.fen, self.opening.chess960, self.opening.moves).position
        play_game(position, white.state, black.state, game)
        return GameRecord(number, (names[0], names[1]), self.opening, move_records(game, position),
                          _RESULTS[int(game.result)], REASONS[game.reason], nodes=int(game.nodes))


def move_records(game: SelfPlayRecord, position: PositionRecord) -> tuple[MoveRecord, ...]:
    """The moves of a game as text, with their scores; `position` only determines how castling is written."""
    moves, scores = game.moves[: game.count].tolist(), game.scores[: game.count].tolist()
    return tuple(MoveRecord(format_uci(position, move), score) for move, score in zip(moves, scores, strict=True))
