"""Building a book from games."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from book.pgn import PgnGame
from book.polyglot import LARGEST_WEIGHT, BookEntry, packed_move
from book.replay import replay_san
from engine.core.fen import START_FEN, parse_fen
from engine.core.movegen import empty_move_list
from engine.system.errors import InputError, quote

_STANDARD = ("standard", "chess", "from position", "")
_CHESS960 = ("chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random")
_POINTS = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1), "*": (1, 1)}  # half points; without a result a draw


class Weighting(Enum):
    """What a move's weight means."""

    SCORE = "score"  # the half points that it scored
    GAMES = "games"  # how often it was played


@dataclass(frozen=True)
class BookFilter:
    """Which games and which moves get into a book."""

    max_ply: int = 30
    min_games: int = 2  # in which a move must have been played
    min_score: float = 0.0  # percentage of the points that a move must have scored
    min_elo: int | None = None  # of both players, by the headers
    since: int | None = None  # the year, by the headers
    weighting: Weighting = Weighting.SCORE


class Builder:
    """Turns games into book entries."""

    def __init__(self, rules: BookFilter) -> None:
        self.rules = rules
        self.used = self.refused = self.broken = 0
        self._tally = MoveCounter()
        self._start, self._list = parse_fen(START_FEN), empty_move_list()

    @property
    def undercount(self) -> int:
        """By how many games a move may have been undercounted, because there were too many different moves."""
        return self._tally.undercount

    def add_games(self, games: Iterable[PgnGame], complain: Callable[[str], None]) -> Iterator[int]:
        """Count the moves of games; yields the number of each game. A broken game is left out with a complaint."""
        for game in games:
            if not self._is_wanted(game):
                self.refused += 1
            else:
                try:
                    self._count(game)
                    self.used += 1
                except InputError as error:
                    self.broken += 1
                    complain(f"game {game.number}: {error}; left out")
            yield game.number

    def _is_wanted(self, game: PgnGame) -> bool:
        rules, headers = self.rules, game.headers
        elos = [headers.get(name, "") for name in ("WhiteElo", "BlackElo")]
        if rules.min_elo is not None and any(not elo.isdecimal() or int(elo) < rules.min_elo for elo in elos):
            return False
        years = [headers.get(name, "")[:4] for name in ("Date", "UTCDate")]
        return rules.since is None or any(year.isdecimal() and int(year) >= rules.since for year in years)

    def _count(self, game: PgnGame) -> None:
        fen, variant = game.headers.get("FEN"), game.headers.get("Variant", "Standard").lower()
        if variant not in (*_STANDARD, *_CHESS960):
            raise InputError(f"it is not chess but {quote(variant)}")
        position = self._start.copy() if fen is None else parse_fen(fen, variant in _CHESS960)
        words = game.moves[: self.rules.max_ply]
        side = int(position.side)
        keys, moves = replay_san(words, position, self._list)
        if len(moves) < len(words):
            raise InputError(f"move {len(moves) + 1}, {quote(words[len(moves)])}, is not a legal move there")
        points = np.resize(_POINTS[game.result] if side == 0 else _POINTS[game.result][::-1], len(words))
        self._tally.add(keys, _packed(moves), points.astype(np.uint8))

    def entries(self) -> list[BookEntry]:
        """The moves that the rules allow into the book."""
        return list(_entries(self._tally.counts(), self.rules))


def _packed(moves: np.ndarray) -> np.ndarray:
    """`packed_move` for an array of moves: start and target are swapped, and promotions count from 1."""
    start, target, kind = moves & 63, moves >> 6 & 63, moves >> 12
    return (target | start << 6 | np.where(kind >= 4, kind - 3, 0) << 12).astype(np.uint16)


assert int(_packed(np.array([4 | 7 << 6 | 2 << 12]))[0]) == packed_move(4 | 7 << 6 | 2 << 12)


def _entries(counts: Counts, rules: BookFilter) -> Iterator[BookEntry]:
    shares = 50.0 * counts["points"] / np.maximum(counts["games"], 1)
    weighed = "points" if rules.weighting is Weighting.SCORE else "games"
    kept = counts[(counts["games"] >= rules.min_games) & (shares >= rules.min_score) & (counts[weighed] > 0)]
    weights = kept[weighed]
    rows = zip(kept["key"].tolist(), kept["move"].tolist(), weights.tolist(), strict=True)
    for _, moves in groupby(rows, key=itemgetter(0)):
        yield from _scaled_weights([BookEntry(*row) for row in moves])


def _scaled_weights(moves: list[BookEntry]) -> Iterator[BookEntry]:
    """The moves of one position, with their weights scaled down to what the file can hold."""
    most = max(move.weight for move in moves)
    for move in moves:
        weight = move.weight if most <= LARGEST_WEIGHT else move.weight * LARGEST_WEIGHT // most
        yield move._replace(weight=max(weight, min(move.weight, 1)))  # at 0 the move would never be played


def merge_books(books: Iterable[Iterable[BookEntry]]) -> list[BookEntry]:
    """All entries of several books. Duplicates get the sum of their weights, and the first one's learning field."""
    found: dict[tuple[int, int], BookEntry] = {}
    for entry in (entry for book in books for entry in book):
        known = found.get((entry.key, entry.move), entry._replace(weight=0))
        found[entry.key, entry.move] = known._replace(weight=known.weight + entry.weight)
    ordered = sorted(found.values(), key=itemgetter(0))
    return [entry for _, moves in groupby(ordered, key=itemgetter(0)) for entry in _scaled_weights(list(moves))]


_COUNT = np.dtype([("key", "u8"), ("move", "u2"), ("games", "u4"), ("points", "u4")])  # points: the mover's half points
_BUFFER = 1 << 20  # moves between two sortings
Counts = npt.NDArray[Any]  # of _COUNT, sorted by key and move


class MoveCounter:
    """Counts of moves. If there are more than `most` different moves, the rarest are dropped.

    A move that reappears is counted from zero again, so a count may be too low by at most `undercount`.
    """

    def __init__(self, most: int = 1 << 23) -> None:
        self._most = most
        self._counts = np.zeros(0, _COUNT)
        self._new: list[Counts] = []
        self._new_size = 0
        self.undercount = 0

    def add(self, keys: npt.NDArray[np.uint64], moves: npt.NDArray[np.uint16], points: npt.NDArray[np.uint8]) -> None:
        """Add one game: the keys of its positions, its moves, and the half points that each mover scored."""
        part = np.zeros(len(keys), _COUNT)
        part["key"], part["move"], part["games"], part["points"] = keys, moves, 1, points
        self._new.append(part)
        self._new_size += len(part)
        if self._new_size >= _BUFFER:
            self._sort_in()

    def counts(self) -> Counts:
        """All moves, sorted by key and move."""
        self._sort_in()
        return self._counts

    def _sort_in(self) -> None:
        whole = np.concatenate([self._counts, *self._new])
        self._new, self._new_size = [], 0
        if len(whole) == 0:
            return
        whole = whole[np.lexsort((whole["move"], whole["key"]))]
        is_first = np.ones(len(whole), np.bool_)
        is_first[1:] = (whole["key"][1:] != whole["key"][:-1]) | (whole["move"][1:] != whole["move"][:-1])
        starts = np.flatnonzero(is_first)
        summed = whole[starts]
        for field in ("games", "points"):
            summed[field] = np.add.reduceat(whole[field], starts)
        rarest = 0
        while len(summed) > self._most:
            rarest += 1
            summed = summed[summed["games"] > rarest]
        self.undercount += rarest
        self._counts = summed
