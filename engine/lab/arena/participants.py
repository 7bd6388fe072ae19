"""Who plays games in this process: a config or a search mode, with a budget for each move."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path
from zlib import crc32

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.position import PositionRecord
from engine.lab.arena.configs import DEFAULT, Config, parse_config
from engine.lab.arena.kernel_games import SMALLEST_TABLE
from engine.lab.arena.search_games import MoveChooser
from engine.mcts.params import CONFIGS
from engine.mcts.searcher import MctsSearch
from engine.player.options import Settings
from engine.search.interface import (
    Clearable,
    Evaluating,
    PositionCounting,
    Search,
    Seeded,
    Stoppable,
    limits_alike,
)
from engine.search.modes import DEFAULT_MODE, MODES, mode_named
from engine.search.types import Limits, Result
from engine.system.errors import InputError, quote
from engine.system.threads import per_thread
from eval.evaluator import BUILT_IN, FEATURES, evaluator_named

MODE_NAMES = tuple(mode.name for mode in MODES)
_MEGABYTES = 16
_SHORTEST_WAIT = 0.0005  # seconds, between two looks at the CPU time


class Unit(Enum):
    """What a budget counts."""

    NODES = auto()  # as the search itself counts them: those of a tree are iterations
    POSITIONS = auto()  # counted alike: in alpha-beta, in playouts, in searches of leaves, one for an iteration
    CPU_TIME = auto()  # milliseconds: other work on the machine does not matter
    MOVETIME = auto()  # milliseconds by the clock
    DEPTH = auto()  # plies


_UNIT_NAMES = {Unit.NODES: "nodes", Unit.POSITIONS: "nodes", Unit.CPU_TIME: "ms", Unit.MOVETIME: "ms",
               Unit.DEPTH: "plies"}


@dataclass(frozen=True)
class MoveBudget:
    """What a participant may spend on a move."""

    amount: int
    unit: Unit

    def __str__(self) -> str:
        return f"{self.amount} {_UNIT_NAMES[self.unit]}"

    def limits(self, search: Search) -> Limits:
        """The limits of a search on this budget; CPU time has none, and is watched from outside."""
        match self.unit:
            case Unit.NODES:
                return Limits(nodes=self.amount)
            case Unit.POSITIONS:
                return limits_alike(search, self.amount)
            case Unit.MOVETIME:
                return Limits(movetime=self.amount / 1000)
            case Unit.DEPTH:
                return Limits(depth=self.amount)
        return Limits()


@dataclass(frozen=True)
class Participant:
    """A player of games in this process, and of one scale of ratings."""

    name: str
    config: Config | None  # None for the search mode of this name, which has no config
    budget: MoveBudget
    megabytes: int = _MEGABYTES
    network: str = BUILT_IN  # that a mode without a config evaluates with

    @classmethod
    def of(cls, config: Config, nodes: int, megabytes: int = SMALLEST_TABLE) -> Participant:
        """A config at fixed nodes, as its search counts them."""
        return cls(config.name, config, MoveBudget(nodes, Unit.NODES), megabytes)

    def __str__(self) -> str:
        return f"{self.name} at {self.budget}"

    def new_search(self) -> Search:
        """A new search. Expectimax assumes that its opponent moves at random."""
        if self.config is not None:
            return new_search(self.config, self.megabytes)
        search = mode_named(self.name).create(Settings(opponent_elo=0), self.megabytes)
        if isinstance(search, Evaluating) and self.network != BUILT_IN:
            search.set_evaluation(evaluator_named(self.network))
        return search

    def chooser(self, side: int, seed: str | None) -> MoveChooser:
        """How the first (0) or the second player (1) of a game chooses its moves; a seed decides its random numbers."""
        search = self._kept_search(side)
        search.load()  # no budget pays for the compiler
        if isinstance(search, Seeded) and seed is not None:
            search.set_seed(crc32(f"{seed}/{side}".encode()))
        if isinstance(search, Clearable):
            search.clear()
        return lambda position: choose_move(search, position, self.budget)

    def _kept_search(self, side: int) -> Search:
        """The calling thread's search, kept between games because allocating memory is slow."""
        key, made_from = (self.name, side), (self.config, self.megabytes, self.network)
        if key not in _searches() or _searches()[key][0] != made_from:
            _searches()[key] = made_from, self.new_search()
        return _searches()[key][1]


_searches = per_thread(dict[tuple[str, int], tuple[object, Search]])


def new_search(config: Config, megabytes: int) -> AlphaBetaSearch | MctsSearch:
    """A new search with this config."""
    if config.tree is None:
        return AlphaBetaSearch(megabytes, params=config.params_record(), evaluation=config.evaluator())
    return MctsSearch(config.tree.params_record(), megabytes, evaluation=config.evaluator(),
                      policy=config.tree.loaded_policy())


def choose_move(search: Search, position: PositionRecord, budget: MoveBudget) -> Result:
    """Search on a budget; the seconds of the result are CPU time, its nodes are positions."""
    is_watched = budget.unit is Unit.CPU_TIME and isinstance(search, Stoppable)
    started = time.process_time()
    with cpu_limit(search, budget.amount / 1000) if is_watched else nullcontext():  # type: ignore[arg-type]
        result = search.run(position, budget.limits(search))
    if isinstance(search, PositionCounting):
        result = replace(result, nodes=search.positions, iterations=result.nodes)
    return replace(result, seconds=time.process_time() - started)


@contextmanager
def cpu_limit(search: Stoppable, seconds: float) -> Iterator[None]:
    """Stop the search in this block when it has used so much CPU time.

    One thread searches, so the CPU time left is the least that has to pass.
    """
    is_over, end = threading.Event(), time.process_time() + seconds

    def watch() -> None:
        while not is_over.wait(max(end - time.process_time(), _SHORTEST_WAIT)):
            if time.process_time() >= end:
                search.stop()
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()
        search.clear_stop()


def parse_participants(texts: Sequence[str], network: str | None, budget: MoveBudget) -> tuple[Participant, ...]:
    """The participants of these texts; InputError if one is invalid or named twice, or if there are fewer than two."""
    participants = tuple(parse_participant(text, network, budget) for text in texts)
    if len(set(texts)) < len(texts):
        raise InputError("a player is named twice")
    if len(texts) < 2:
        raise InputError("a tournament needs two players or more")
    return participants


def parse_participant(text: str, network: str | None, budget: MoveBudget) -> Participant:
    """A mode, a rung of the ladder of tree searches, or a config as in `match`; `network` is what all evaluate with.

    InputError if it is none of them, or if the network cannot be read.
    """
    if text in MODE_NAMES and text not in (*CONFIGS, DEFAULT_MODE.name):
        if network is not None:
            evaluator_named(network)  # raises InputError for a bad file
        return Participant(text, None, budget, network=network or BUILT_IN)
    if text != DEFAULT_MODE.name and _is_unknown_player(text):
        raise InputError(f"no player {quote(text)}: neither a mode nor a config as in `match`; the modes are "
                         f"{', '.join(dict.fromkeys((*MODE_NAMES, *CONFIGS)))}")
    config = Config() if text == DEFAULT_MODE.name else parse_config(text)
    return Participant(text, replace(config.with_network(network), name=text), budget)


def _is_unknown_player(text: str) -> bool:
    """Whether a text begins with a word that is not the name of a config, an entry NAME=VALUE or a file."""
    word = text.partition(",")[0]
    return ("=" not in word and word not in (*CONFIGS, DEFAULT, FEATURES) and not Path(text).suffix
            and not os.path.exists(text))  # noqa: PTH110  any text may be a path
