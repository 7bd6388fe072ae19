"""Kernel games: games between two configs of this engine, each played by one thread inside a kernel."""

from __future__ import annotations

from engine.alphabeta.root import search_from
from engine.alphabeta.root_moves import NO_LIMIT
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.alphabeta.state import clear_histories, new_state, set_params
from engine.alphabeta.tt import TranspositionTable
from engine.core.game import Game
from engine.core.position import PositionRecord
from engine.core.uci_moves import format_uci
from engine.kernel.records import new_record
from engine.lab.arena.cancellation import STOP_ADDRESS, check_cancelled
from engine.lab.arena.configs import Config
from engine.lab.arena.records import Adjudication, GameRecord, MoveRecord, Opening
from engine.lab.arena.selfplay import FAIRNESS_NODES, REASONS, SelfPlayRecord, play_game
from engine.lab.arena.tb_adjudication import loaded_tables
from engine.search.scores import INFINITE
from engine.search.types import Limits
from engine.system.threads import per_thread

SMALLEST_TABLE = 4  # megabytes of a transposition table
_FAIR_SCORE = 120
_NODES_PER_MEGABYTE = 6250  # of a move: the transposition table must hold a few moves
_RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}


def table_megabytes(nodes: int) -> int:
    """The size of the transposition table for games at so many nodes per move."""
    return max(SMALLEST_TABLE, nodes // _NODES_PER_MEGABYTE)


class KernelPlayer:
    """A config that is ready to play: a search state with its own transposition table."""

    def __init__(self, config: Config, megabytes: int) -> None:
        self.megabytes = megabytes
        self._tt = TranspositionTable(megabytes)
        self._new_state(config)

    def _new_state(self, config: Config) -> None:
        self.config, self._evaluator = config, config.evaluator()
        self.state = new_state(config.params_record(), self._evaluator)
        self.state.tt_address, self.state.tt_buckets = self._tt.address, self._tt.buckets
        self.state.stop_address = STOP_ADDRESS
        self.state.deadline = NO_LIMIT

    def set_config(self, config: Config) -> None:
        """Play with these parameters and this evaluator from now on."""
        if (config.weights, config.network) != (self.config.weights, self.config.network):
            self._new_state(config)
        elif config.params != self.config.params:
            set_params(self.state, config.params_record())
        self.config = config

    def clear(self) -> None:
        """Clear the transposition table and the histories."""
        self._tt.clear()
        self.state.tt_generation = 0
        clear_histories(self.state)


_players = per_thread(dict[int, KernelPlayer])


def kernel_player(config: Config, index: int, megabytes: int) -> KernelPlayer:
    """The calling thread's player for a config, kept between shards because allocating memory is slow."""
    player = _players().get(index)
    if player is None or player.megabytes != megabytes:
        player = _players()[index] = KernelPlayer(config, megabytes)
    player.set_config(config)
    return player


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
        game.tb_address, game.tb_pieces = tables.outcomes.address, tables.max_pieces
    return game


class FairnessTest:
    """Tests with a short search whether an opening gives neither player a large advantage."""

    def __init__(self) -> None:
        self._searcher = AlphaBetaSearch(megabytes=1)

    def __call__(self, opening: Opening) -> bool:
        self._searcher.clear()
        position = Game(opening.fen, opening.chess960, opening.moves).position
        return abs(self._searcher.run(position, Limits(nodes=int(FAIRNESS_NODES))).score) <= _FAIR_SCORE


def play_kernel_game(number: int, opening: Opening, white: tuple[str, KernelPlayer], black: tuple[str, KernelPlayer],
                     nodes: int, rules: Adjudication) -> GameRecord:
    """Play one game at these nodes per move between two players, each with its name; GamesCancelledError if games are
    cancelled.
    """
    for _, player in (white, black):
        player.clear()
    # Soft and hard limit are equal: if iterations could end, the player with the longer ones would get more nodes.
    game = new_game(nodes, nodes, rules, opening.board().ply())
    position = Game(opening.fen, opening.chess960, opening.moves).position
    play_game(position, white[1].state, black[1].state, game)
    check_cancelled()
    return GameRecord(number, (white[0], black[0]), opening, move_records(game, position),
                      _RESULTS[int(game.result)], REASONS[game.reason], nodes=int(game.nodes))


def move_records(game: SelfPlayRecord, position: PositionRecord) -> tuple[MoveRecord, ...]:
    """The moves of a game as text, with their scores; `position` only determines how castling is written."""
    moves, scores = game.moves[: game.count].tolist(), game.scores[: game.count].tolist()
    return tuple(MoveRecord(format_uci(position, move), score) for move, score in zip(moves, scores, strict=True))
