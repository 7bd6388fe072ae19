"""Builds opening books from games, and merges books."""

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
from book.polyglot import LARGEST_WEIGHT, BookEntry, pack_move
from book.replay import replay_san
from engine.core.fen import START_FEN, parse_fen
from engine.core.movegen import empty_move_list
from engine.system.errors import InputError, quote

_STANDARD = ("standard", "chess", "from position", "")
_CHESS960 = ("chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random")
_POINTS = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1), "*": (1, 1)}  # half points; without a result a draw
_COUNT = np.dtype([("key", "u8"), ("move", "u2"), ("games", "u4"), ("points", "u4")])  # points: the mover's half points
_BUFFER = 1 << 20  # moves that are counted before they are merged into the counts

Counts = npt.NDArray[Any]  # of _COUNT, sorted by key and move


class Weighting(Enum):
    """The meaning of the weight of a move."""

    SCORE = "score"  # its half points
    GAMES = "games"  # its number of games


@dataclass(frozen=True)
class BookFilter:
    """Conditions for the games and moves of a book."""

    max_ply: int = 30
    min_games: int = 2  # with a move
    min_score: float = 0.0  # per cent of the points of a move
    min_elo: int | None = None  # of both players
    since: int | None = None  # year
    weighting: Weighting = Weighting.SCORE


class Builder:
    """Counts the moves of games, and turns them into book entries."""

    def __init__(self, book_filter: BookFilter) -> None:
        self.book_filter = book_filter
        self.used = self.refused = self.broken = 0
        self._counter = MoveCounter()
        self._start, self._list = parse_fen(START_FEN), empty_move_list()

    @property
    def undercount(self) -> int:
        """The number of games by which the count of a move may be too low, because rare moves were dropped."""
        return self._counter.undercount

    def add_games(self, games: Iterable[PgnGame], warn: Callable[[str], None]) -> Iterator[int]:
        """Count the moves of games; yield the number of each game. Skip broken games with a warning."""
        for game in games:
            if not self._passes_filter(game):
                self.refused += 1
            else:
                try:
                    self._count(game)
                    self.used += 1
                except InputError as error:
                    self.broken += 1
                    warn(f"game {game.number}: {error}")
            yield game.number

    def _passes_filter(self, game: PgnGame) -> bool:
        book_filter, headers = self.book_filter, game.headers
        elos = [headers.get(name, "") for name in ("WhiteElo", "BlackElo")]
        if book_filter.min_elo is not None and any(not elo.isdecimal() or int(elo) < book_filter.min_elo
                                                   for elo in elos):
            return False
        years = [headers.get(name, "")[:4] for name in ("Date", "UTCDate")]
        return book_filter.since is None or any(year.isdecimal() and int(year) >= book_filter.since for year in years)

    def _count(self, game: PgnGame) -> None:
        fen, variant = game.headers.get("FEN"), game.headers.get("Variant", "Standard").lower()
        if variant not in (*_STANDARD, *_CHESS960):
            raise InputError(f"variant must be chess or Chess960, got {quote(variant)}")
        position = self._start.copy() if fen is None else parse_fen(fen, variant in _CHESS960)
        words = game.moves[: self.book_filter.max_ply]
        side = int(position.side)
        keys, moves = replay_san(words, position, self._list)
        if len(moves) < len(words):
            raise InputError(f"move {len(moves) + 1} {quote(words[len(moves)])} is illegal")
        points = np.resize(_POINTS[game.result] if side == 0 else _POINTS[game.result][::-1], len(words))
        self._counter.add(keys, _pack_moves(moves), points.astype(np.uint8))

    def entries(self) -> list[BookEntry]:
        """The book entries of the moves that pass the filter."""
        return list(_entries(self._counter.counts(), self.book_filter))


def _pack_moves(moves: np.ndarray) -> np.ndarray:
    """`pack_move` for an array of moves."""
    start, target, flags = moves & 63, moves >> 6 & 63, moves >> 12
    return (target | start << 6 | np.where(flags >= 4, flags - 3, 0) << 12).astype(np.uint16)


assert int(_pack_moves(np.array([4 | 7 << 6 | 2 << 12]))[0]) == pack_move(4 | 7 << 6 | 2 << 12)


def _entries(counts: Counts, book_filter: BookFilter) -> Iterator[BookEntry]:
    percentages = 50.0 * counts["points"] / np.maximum(counts["games"], 1)
    weight_field = "points" if book_filter.weighting is Weighting.SCORE else "games"
    kept = counts[(counts["games"] >= book_filter.min_games) & (percentages >= book_filter.min_score)
                  & (counts[weight_field] > 0)]
    weights = kept[weight_field]
    rows = zip(kept["key"].tolist(), kept["move"].tolist(), weights.tolist(), strict=True)
    for _, moves in groupby(rows, key=itemgetter(0)):
        yield from _scaled_weights([BookEntry(*row) for row in moves])


def _scaled_weights(moves: list[BookEntry]) -> Iterator[BookEntry]:
    """The moves of one position, with their weights scaled to the range of the file."""
    most = max(move.weight for move in moves)
    for move in moves:
        weight = move.weight if most <= LARGEST_WEIGHT else move.weight * LARGEST_WEIGHT // most
        yield move._replace(weight=max(weight, min(move.weight, 1)))  # a move of weight 0 would never be played


def merge_books(books: Iterable[Iterable[BookEntry]]) -> list[BookEntry]:
    """Merge the entries of several books. Duplicates get the sum of their weights, and the first learning field."""
    merged: dict[tuple[int, int], BookEntry] = {}
    for entry in (entry for book in books for entry in book):
        known = merged.get((entry.key, entry.move), entry._replace(weight=0))
        merged[entry.key, entry.move] = known._replace(weight=known.weight + entry.weight)
    ordered = sorted(merged.values(), key=itemgetter(0))
    return [entry for _, moves in groupby(ordered, key=itemgetter(0)) for entry in _scaled_weights(list(moves))]


class MoveCounter:
    """Counts moves. Drops the rarest if there are more than `most` different moves.

    A dropped move that reappears is counted from zero, so a count may be too low by at most `undercount`.
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
            self._merge_new()

    def counts(self) -> Counts:
        """All moves, sorted by key and move."""
        self._merge_new()
        return self._counts

    def _merge_new(self) -> None:
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
