"""The contestants of `compare --tournament`: a search of any mode, with a budget for each move that is counted alike.

A budget is CPU time, so that other work on the machine harms nobody, or nodes, so that the same seed gives the same
games. A node is a position that a search visits: in alpha-beta, in a playout, in the search of a leaf, or once for an
iteration of a tree.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from zlib import crc32

from engine.arena.configs import DEFAULT, Config, parse_config
from engine.arena.records import Adjudication, GameRecord, Opening
from engine.arena.search_games import MoveChooser, new_search, play_game
from engine.commands.shared.searches import cpu_limit
from engine.core.position import PositionRecord
from engine.mcts.params import CONFIGS
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
from eval.evaluator import BUILT_IN, FEATURES, evaluator_named

MODE_NAMES = tuple(mode.name for mode in MODES)
_MEGABYTES = 16


@dataclass(frozen=True)
class MoveBudget:
    """What a contestant may spend on a move."""

    amount: int
    is_time: bool  # milliseconds of CPU time; otherwise nodes

    def __str__(self) -> str:
        return f"{self.amount} ms" if self.is_time else f"{self.amount} nodes"


@dataclass(frozen=True)
class Contestant:
    """A search mode, or a config of alpha-beta or of a tree search."""

    name: str
    config: Config | None  # None for a mode that has no config
    network: str = BUILT_IN  # that a mode without a config evaluates with

    def new_search(self) -> Search:
        """A new search. Expectimax assumes that its opponent moves at random."""
        if self.config is not None:
            return new_search(self.config, _MEGABYTES)
        search = mode_named(self.name).create(Settings(opponent_elo=0), _MEGABYTES)
        if isinstance(search, Evaluating) and self.network != BUILT_IN:
            search.set_evaluation(evaluator_named(self.network))
        return search


def parse_contestant(text: str, network: str | None = None) -> Contestant:
    """A mode, a rung of the ladder of tree searches, or a config as in `match`; `network` is what all evaluate with.

    InputError if it is none of them, or if the network cannot be read.
    """
    if text in MODE_NAMES and text not in (*CONFIGS, DEFAULT_MODE.name):
        if network is not None:
            evaluator_named(network)  # raises InputError for a bad file
        return Contestant(text, None, network or BUILT_IN)
    if text != DEFAULT_MODE.name and _is_unknown_player(text):
        raise InputError(f"no player {quote(text)}: neither a mode nor a config as in `match`; the modes are "
                         f"{', '.join(dict.fromkeys((*MODE_NAMES, *CONFIGS)))}")
    config = Config() if text == DEFAULT_MODE.name else parse_config(text)
    return Contestant(text, replace(config.with_network(network), name=text))


def _is_unknown_player(text: str) -> bool:
    """Whether a text begins with a word that is not the name of a config, an entry NAME=VALUE or a file."""
    word = text.partition(",")[0]
    return ("=" not in word and word not in (*CONFIGS, DEFAULT, FEATURES) and not Path(text).suffix
            and not os.path.exists(text))  # noqa: PTH110  any text may be a path


@dataclass(frozen=True)
class Entrant:
    """A contestant with its budget: one player on the scale of ratings."""

    contestant: Contestant
    budget: MoveBudget

    def __str__(self) -> str:
        return f"{self.contestant.name} at {self.budget}"


@dataclass(frozen=True)
class Pairing:
    """Two entrants that play each other."""

    first: Entrant
    second: Entrant
    is_played_out: bool = False  # no game is adjudicated

    @property
    def rules(self) -> Adjudication:
        """When a game ends early. Never as a draw by the scores: those of playouts are always near 0."""
        if self.is_played_out:
            return Adjudication(draw_score=None, win_score=None, by_tables=False)
        return Adjudication(draw_score=None)


@dataclass(frozen=True)
class TournamentPair:
    """Two games from one opening, with colours reversed: a shard. Calling it plays them."""

    number: int  # of the pair
    opening: Opening
    pairing: Pairing
    seed: int

    def __call__(self) -> list[GameRecord]:
        """Play both games; seconds and nodes of their moves are CPU time and nodes as a budget counts them."""
        entrants = self.pairing.first, self.pairing.second
        games = []
        for color in (0, 1):
            number = 2 * self.number + color
            players = [(entrant.contestant.name, _chooser(entrant, side, f"{self.seed}/{number}"))
                       for side, entrant in enumerate(entrants)]
            white, black = players[::1 - 2 * color]
            games.append(play_game(number, self.opening, white, black, self.pairing.rules))
        return games


_kept = threading.local()


def _chooser(entrant: Entrant, side: int, seed: str) -> MoveChooser:
    """How an entrant chooses moves in a new game; its search is kept, because allocating memory is slow."""
    searches: dict[tuple[Contestant, int], Search] = _kept.__dict__.setdefault("searches", {})
    if (entrant.contestant, side) not in searches:
        searches[entrant.contestant, side] = entrant.contestant.new_search()
    search = searches[entrant.contestant, side]
    search.load()  # nobody pays for the compiler
    if isinstance(search, Seeded):
        search.set_seed(crc32(f"{seed}/{side}".encode()))
    if isinstance(search, Clearable):
        search.clear()
    return lambda position: _choose(search, position, entrant.budget)


def _choose(search: Search, position: PositionRecord, budget: MoveBudget) -> Result:
    limits = Limits() if budget.is_time else limits_alike(search, budget.amount)
    started = time.process_time()
    with (cpu_limit(search, budget.amount / 1000) if budget.is_time and isinstance(search, Stoppable)
          else nullcontext()):
        result = search.run(position, limits)
    nodes = search.positions if isinstance(search, PositionCounting) else result.nodes
    return replace(result, seconds=time.process_time() - started, nodes=nodes)


def parse_contestants(texts: list[str], network: str | None) -> tuple[Contestant, ...]:
    """The contestants of these texts; InputError if one is invalid or named twice, or if there are fewer than two."""
    contestants = tuple(parse_contestant(text, network) for text in texts)
    if len(set(texts)) < len(texts):
        raise InputError("a player is named twice")
    if len(texts) < 2:
        raise InputError("a tournament needs two players or more")
    return contestants
