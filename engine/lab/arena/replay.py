"""Training games replayed into the network's samples.

Whether a game is held out depends on its first position only: no run trains on it, whichever file or shard it is in,
nor on another game with the same start. The held-out games of the first shard are the validation set. A position is
quiet, and sampled, if the side to move is not in check and the move played is neither a capture nor a promotion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.core.bits import EMPTY
from engine.core.legality import is_legal, is_pseudo_legal
from engine.core.movegen import checkers_and_pinned
from engine.core.position import POSITION_TYPE, PositionRecord, empty_position, is_noisy, make
from engine.core.splitmix import mix, mix_words
from engine.kernel import Int, array_type, entry, inline, record_type
from engine.kernel.records import I8, U8, Fields, dtype_of, new_record
from engine.lab.arena.game_file import DamagedFileError, Games, bytes_per_position, read_games
from engine.lab.arena.game_rows import GAME_ROW, GAME_ROWS_TYPE, unpack_into
from engine.lab.arena.pgn_games import PACKED_PGN_BYTES, PGN_BYTES, is_pgn, read_pgn_games
from engine.system.errors import InputError
from eval.evaluate import evaluate_from_scratch
from eval.network.samples import SAMPLE, SAMPLES_TYPE, Samples, pack_sample, select_samples
from eval.weights import WEIGHTS_TYPE, WeightsRecord, load_weights


class FilterRecord(Fields):
    """Which positions are sampled: `SampleFilter`, for kernels."""

    first_ply: I8  # of a game: random openings take some moves to become normal positions
    largest_score: I8
    per_game: I8  # approximately the most positions sampled from a game
    held_out: I8  # one game in this many is held out for validation
    validates: I8  # whether to sample those games, or the others
    seed: U8


FILTER = dtype_of(FilterRecord)
FILTER_TYPE = record_type(FILTER)
_COMPRESSED = (".xz", ".gz", ".bz2", ".zip")
CHUNK = 512  # games that a thread replays at a time
_LINE_PLIES = 12  # that tell opening lines apart
_DRAWS = 1 << 53  # random numbers, which floats hold exactly
_KEY_MIX = np.uint64(0xD1342543DE82EF95)
Arrays = npt.NDArray[Any]
Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class SampleFilter:
    """Which positions are sampled, and how they are scored."""

    first_ply: int = 4
    largest_score: int = 3000
    per_game: int = 1000
    held_out: int = 200
    few_pieces_share: float = 0.2
    seed: int = 1
    lambda_: float = 0.0  # of the lambda targets that replace the scores; 0 for the scores themselves

    def record(self, *, validates: bool) -> Any:
        """The same as a record for kernels."""
        record = new_record(FilterRecord)
        for name in ("first_ply", "largest_score", "per_game", "held_out", "seed"):
            record[name] = getattr(self, name)
        record.validates = validates
        return record


@inline
def is_in_split(filter_by, key):
    """Whether a game belongs to the split of the filter: the held-out games, or the others."""
    return (key % np.uint64(filter_by.held_out) == np.uint64(0)) == (filter_by.validates != 0)


@inline
def is_sampled(filter_by, key, ply, plies):
    """Whether to sample this position of a long game: a random choice, determined by the game's key and the ply."""
    if plies <= filter_by.per_game:
        return True
    word = mix(key * _KEY_MIX + np.uint64(ply) + filter_by.seed)
    return np.int64(word % np.uint64(plies)) < filter_by.per_game


@entry(POSITION_TYPE, WEIGHTS_TYPE, FILTER_TYPE, GAME_ROWS_TYPE, array_type("i8"), array_type("u2"), array_type("i2"),
       array_type("u8"), SAMPLES_TYPE)
def replay_games(pos: PositionRecord, weights: WeightsRecord, filter_by: Any, rows: Arrays, starts: Arrays,
                 moves: Arrays, scores: Arrays, keys: Keys, out: Samples) -> Int:
    """Write the samples of the games in `rows` to `out`; returns their number.

    The moves and scores of each game are between two entries of `starts`, `keys` are those of `start_keys`. A game with
    an illegal move ends before it.
    """
    written = np.int64(0)
    for game in range(len(rows)):
        if not is_in_split(filter_by, keys[game]):
            continue
        unpack_into(pos, rows, game)
        plies = starts[game + 1] - starts[game]
        for ply in range(plies):
            move, score = np.int64(moves[starts[game] + ply]), np.int64(scores[starts[game] + ply])
            checkers, pinned = checkers_and_pinned(pos)
            if not (is_pseudo_legal(pos, move) and is_legal(pos, move, checkers, pinned)):
                break
            if (ply >= filter_by.first_ply and checkers == EMPTY and abs(score) <= filter_by.largest_score
                    and not is_noisy(pos, move) and is_sampled(filter_by, keys[game], ply, plies)):
                result = np.int64(rows[game].result)
                static = evaluate_from_scratch(pos, weights)
                pack_sample(pos, out[written], score, static, -result if pos.side else result)
                written += 1
            make(pos, move)
    return written


def start_keys(rows: Arrays) -> Keys:
    """[game]: a hash of its start position, which decides whether it is held out."""
    pieces = np.ascontiguousarray(rows["pieces"]).view(np.uint64)
    keys: Keys = np.zeros(len(rows), np.uint64)
    for words in (rows["occupied"], pieces[:, 0], pieces[:, 1], rows["side"].astype(np.uint64)):
        keys = mix_words(keys + words)
    return keys


def line_keys(games: Games) -> Keys:
    """[game]: `start_keys`, for games that all begin with the same position: its first moves count too.

    Games that share an opening line are held out together.
    """
    keys = start_keys(games.rows)
    for ply in range(_LINE_PLIES):
        is_long = games.rows["plies"] > ply
        keys[is_long] = mix_words(keys[is_long] + games.moves[games.starts[:-1][is_long] + ply].astype(np.uint64))
    return keys


def replay(games: Games, filter_by: SampleFilter, threads: int, *, validates: bool) -> Samples:
    """The samples of all games, in their order, replayed by several threads."""
    weights, record, keys = load_weights(), filter_by.record(validates=validates), start_keys(games.rows)

    def run(first: int) -> Samples:
        last = min(first + CHUNK, len(games.rows))
        out = np.empty(int(games.starts[last] - games.starts[first]), SAMPLE)
        written = replay_games(empty_position(), weights, record, games.rows[first:last],
                               games.starts[first : last + 1], games.moves, games.scores, keys[first:last], out)
        return out[:written].copy()

    return samples_by_chunk(run, games, CHUNK, threads)


def samples_by_chunk(run: Callable[[int], Samples], games: Games, size: int, threads: int) -> Samples:
    """The samples of all games, computed by some threads: `run` returns those of `size` games from a number on."""
    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(run, range(0, len(games.rows), size)))
    return np.concatenate([np.empty(0, SAMPLE), *parts])


class SampleSource:
    """The samples of many files, in shards that fit into memory; the first shard is kept there."""

    def __init__(self, paths: Sequence[Path], filter_by: SampleFilter, *, shard_positions: int, threads: int,
                 window: Sequence[Path] = (), warn: Callable[[str], None] = lambda text: None) -> None:
        """Read the first shard. InputError if a file cannot be read, or if there are too few games.

        `window` are files of older games: of these only as many are taken as there are in `paths`.
        """
        self._paths, self.filter, self.threads = [*paths, *window], filter_by, threads
        self._shares = dict.fromkeys(window, _share(paths, window))
        self._shard_positions, self._warn = shard_positions, warn
        self.first_games = games = next(self.games(), join([]))
        self.validation = self.samples_of(games, validates=True)
        self._first = self.samples_of(games, validates=False)
        if not len(self.validation) or not len(self._first):
            raise InputError("too few games: some are needed for training and some for validation")
        self.length = self._estimated_length()

    def _estimated_length(self) -> int:
        """The approximate number of shards, from the sizes of the files."""
        if self.first_games.positions < self._shard_positions:
            return 1
        positions = sum(_estimated_positions(path) * self._shares.get(path, 1.0) for path in self._paths)
        return max(2, round(positions / self._shard_positions))

    def games(self) -> Iterator[Games]:
        """Yield shards of games; files are mixed in proportion to their sizes."""
        blocks: list[Games] = []
        positions = 0
        for block in mixed_blocks(self._paths, self._warn, self._draw):
            blocks.append(block)
            positions += block.positions
            if positions >= self._shard_positions:
                yield self._join(blocks)
                blocks, positions = [], 0
        if blocks:
            yield self._join(blocks)

    def _draw(self, path: Path, block: Games) -> Games:
        """The games of a block that are used: a random choice of the older ones, determined by their starts."""
        share = self._shares.get(path, 1.0)
        if share >= 1:
            return block
        keys = start_keys(block.rows)
        draws = mix_words(keys + np.uint64(self.filter.seed)) >> np.uint64(11)
        return pick(block, (draws < share * _DRAWS) | is_held_out(keys, self.filter.held_out))

    def _join(self, blocks: Sequence[Games]) -> Games:
        return with_lambda_targets(join(blocks), self.filter.lambda_)

    def shards(self) -> Iterator[Samples]:
        """The training samples, shard by shard; the same each time."""
        yield self._first
        if self.first_games.positions >= self._shard_positions:
            for games in islice(self.games(), 1, None):
                yield self.samples_of(games, validates=False)

    def samples_of(self, games: Games, *, validates: bool) -> Samples:
        """The samples of the held-out games, or of the others."""
        samples = replay(games, self.filter, self.threads, validates=validates)
        return select_samples(samples, self.filter.few_pieces_share, self.filter.seed, self.threads)


def held_out_samples(paths: Sequence[Path], filter_by: SampleFilter, threads: int,
                     warn: Callable[[str], None]) -> Samples:
    """The samples of all held-out games of some files, in the order of play."""
    blocks = (pick(block, is_held_out(start_keys(block.rows), filter_by.held_out))
              for block in mixed_blocks(paths, warn))
    games = with_lambda_targets(join(list(blocks)), filter_by.lambda_)
    samples = replay(games, filter_by, threads, validates=True)
    return select_samples(samples, filter_by.few_pieces_share, filter_by.seed, threads)


def is_held_out(keys: Keys, held_out: int) -> npt.NDArray[np.bool_]:
    """[game]: whether it is one of the held-out games, one in `held_out`, by its key."""
    return keys % np.uint64(held_out) == 0


def pick(games: Games, chosen: npt.NDArray[np.bool_]) -> Games:
    """Only the chosen games."""
    positions = np.repeat(chosen, np.diff(games.starts))
    rows = games.rows[chosen]
    starts = np.concatenate([[0], np.cumsum(rows["plies"], dtype=np.int64)])
    return Games(rows, starts, games.moves[positions], games.scores[positions])


def join(blocks: Sequence[Games]) -> Games:
    """All games of some blocks as one, in arrays for kernels."""
    rows = np.concatenate([np.empty(0, GAME_ROW), *(block.rows for block in blocks)])
    starts = np.concatenate([[0], np.cumsum(rows["plies"], dtype=np.int64)])
    moves = np.concatenate([np.empty(0, np.uint16), *(block.moves for block in blocks)])
    scores = np.concatenate([np.empty(0, np.int16), *(block.scores for block in blocks)])
    return Games(rows, starts, moves, scores)


def _share(paths: Sequence[Path], window: Sequence[Path]) -> float:
    """The share of the games in `window` that makes as many positions as those in `paths`, at most 1."""
    new, old = (sum(map(_estimated_positions, files)) for files in (paths, window))
    return min(new / max(old, 1.0), 1.0)


def mixed_blocks(paths: Sequence[Path], warn: Callable[[str], None],
                 draw: Callable[[Path, Games], Games] = lambda path, block: block) -> Iterator[Games]:
    """The blocks of all files; the next one is always from the file of which the smallest fraction has been read.

    `draw` chooses games of a block. A damaged file is reported to `warn`, after its blocks before the damage.
    """
    readers = {path: read_pgn_games(path, partial(_warn_about, path, warn)) if is_pgn(path) else read_games(path)
               for path in paths}
    sizes = {path: max(_estimated_positions(path), 1.0) for path in paths}
    read = dict.fromkeys(readers, 0.0)
    while readers:
        path = min(readers, key=lambda path: read[path])
        try:
            block = next(readers[path])
        except StopIteration:
            del readers[path]
            continue
        except DamagedFileError as error:
            warn(str(error))
            del readers[path]
            continue
        read[path] += block.positions / sizes[path]
        yield draw(path, block)


def _warn_about(path: Path, warn: Callable[[str], None], problem: str) -> None:
    warn(f"{path}: {problem}")


def _estimated_positions(path: Path) -> float:
    """The approximate number of positions in a file, from its size; 0 if it is missing, which its reader reports."""
    if not path.exists():
        return 0.0
    if is_pgn(path):
        bytes_each: float = PACKED_PGN_BYTES if path.suffix in _COMPRESSED else PGN_BYTES
    else:
        bytes_each = bytes_per_position(path)
    return path.stat().st_size / bytes_each


_SCALE = 200.0  # centipawns for a logit of 1, about that of the results: expected results are averaged, not scores
_LARGEST_LOGIT = 15.0
_LARGEST_SCORE = int(_SCALE * _LARGEST_LOGIT)
Results = npt.NDArray[np.float64]


def with_lambda_targets(games: Games, lambda_: float) -> Games:
    """The games with lambda targets for scores; scores beyond 3000 centipawns, such as mates, stay as they are."""
    if lambda_ == 0:
        return games
    targets = _lambda_targets(games, lambda_)
    least = 1 / (1 + np.exp(_LARGEST_LOGIT))
    targets = np.clip(targets, least, 1 - least)
    scores = np.rint(_SCALE * np.log(targets / (1 - targets))).astype(games.scores.dtype)
    is_clear = np.abs(games.scores.astype(np.int32)) > _LARGEST_SCORE
    return replace(games, scores=np.where(is_clear, games.scores, scores))


def _lambda_targets(games: Games, lambda_: float) -> Results:
    """[position]: the expected result from the mover's view, from 0 to 1; computed from the ends of all games."""
    logits = np.clip(games.scores / _SCALE, -_LARGEST_LOGIT, _LARGEST_LOGIT)
    targets: Results = (1 - lambda_) / (1 + np.exp(-logits))
    longest_first = np.argsort(-games.rows["plies"].astype(np.int64), kind="stable")
    rows, ends = games.rows[longest_first], games.starts[1:][longest_first]
    following = _final_results(rows)
    for plies in range(1, int(rows["plies"].max(initial=0)) + 1):
        count = int(np.count_nonzero(rows["plies"] >= plies))  # games that are this long
        indices = ends[:count] - plies
        targets[indices] += lambda_ * following[:count]
        following = 1 - targets[indices]
    return targets


def _final_results(rows: npt.NDArray[Any]) -> Results:
    """[game]: its result, from 0 to 1, from the view of the player who moved last."""
    black_moved_last = (rows["side"].astype(np.int64) + rows["plies"] - 1) % 2 == 1
    results = rows["result"].astype(np.float64)
    return (1 + np.where(black_moved_last, -results, results)) / 2
