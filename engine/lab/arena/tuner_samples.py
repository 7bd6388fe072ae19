"""The tuner's samples: traces of quiet positions from training games, or of labelled positions.

A position is quiet if its static evaluation is reliable: the side to move is not in check, the move played is not a
capture or promotion, and quiescence agrees with the static evaluation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path

import numpy as np

from engine.alphabeta.params import default_params, set_param
from engine.alphabeta.root import search_from
from engine.alphabeta.root_moves import NO_LIMIT, init_root
from engine.alphabeta.state import STATE_TYPE, StateRecord, call_search, new_state
from engine.core.bits import BLACK, EMPTY, WHITE
from engine.core.fen import parse_fen
from engine.core.material import material_of
from engine.core.movegen import checkers_and_pinned
from engine.core.position import POSITION_TYPE, PositionRecord, is_noisy, make
from engine.kernel import Int, array_type, entry, inline, int64
from engine.lab.arena.game_file import Games
from engine.lab.arena.game_rows import unpack_position
from engine.search.scores import INFINITE
from engine.system.errors import InputError, quote
from engine.system.files import open_text
from engine.system.threads import per_thread
from eval.evaluate import trace_into, trace_position
from eval.evaluator import features_evaluator
from eval.features import WEIGHT_COUNT
from eval.trace import TRACE_TYPE, TraceRecord, empty_trace
from eval.tuner.samples import SAMPLE, TERM, Numbers, Samples
from eval.wdl import material_on
from eval.weights import WeightsRecord

_QUIET_MARGIN = np.int64(30)  # centipawns between the static evaluation and quiescence
_LARGEST_SCORE = np.int64(1500)  # little can be learned from decided positions
_FIRST_PLY = np.int64(4)  # random openings take some moves to become chess
_MOST_FEATURES = 160  # that a position can have; about seventy is usual
_STOP = np.zeros(1, np.int64)
_MOVES, _SCORES, _TERMS, _ROWS = array_type("u2"), array_type("i2"), array_type(TERM), array_type(SAMPLE)
_QUIESCENCE = np.int64(0)  # the depth of a search that is quiescence only


@inline
def _is_quiet(pos, state, trace, search_address, move, score):
    """Whether the position is quiet and not decided; if so, `trace` is overwritten with its trace."""
    checkers, _ = checkers_and_pinned(pos)
    if checkers != EMPTY or is_noisy(pos, move) or abs(score) > _LARGEST_SCORE:
        return False
    static = trace_into(pos, state.weights, trace)
    init_root(pos, state)
    quiescence_score = call_search(search_address, pos, state, _QUIESCENCE, -INFINITE, INFINITE, np.int64(0))
    return abs(quiescence_score - static) <= _QUIET_MARGIN


@entry(POSITION_TYPE, STATE_TYPE, TRACE_TYPE, int64, _MOVES, _SCORES, _TERMS, _ROWS)
def sample_game(pos: PositionRecord, state: StateRecord, trace: TraceRecord, search_address: int, moves: Numbers,
                scores: Numbers, terms: Numbers, rows: Numbers) -> tuple[Int, Int]:
    """Replay a game from `pos` and record its quiet positions; returns their number and that of their terms.

    Writes all fields of `rows` but the game and the result, and the terms of all positions in sequence to `terms`.
    """
    found = filled = np.int64(0)
    for ply in range(len(moves)):
        move, score = np.int64(moves[ply]), np.int64(scores[ply])
        if ply >= _FIRST_PLY and _is_quiet(pos, state, trace, search_address, move, score):
            begin = filled
            for index in range(WEIGHT_COUNT):
                count = trace.counts[WHITE, index] - trace.counts[BLACK, index]
                if count != 0:
                    terms[filled].feature = index
                    terms[filled].count = count
                    filled += 1
            row = rows[found]
            row.length = filled - begin
            row.phase, row.scale, row.material = trace.phase, trace.scale, material_of(pos)
            row.score = -score if pos.side else score
            found += 1
        make(pos, move)
    return found, filled


class Sampler:
    """Turns training games into samples, for one thread."""

    def __init__(self) -> None:
        params = default_params()
        set_param(params, "use_tt", 0)  # only quiescence itself counts
        self._state = new_state(params, features_evaluator())
        self._state.stop_address = _STOP.ctypes.data
        self._state.deadline = self._state.node_limit = NO_LIMIT
        self._trace = empty_trace()

    def of_block(self, games: Games, first_number: int) -> Samples:
        """The quiet positions of a block of games, which are numbered from `first_number`."""
        return Samples.join(self._of_game(games, index, first_number + index) for index in range(len(games.rows)))

    def _of_game(self, games: Games, index: int, number: int) -> Samples:
        row, part = games.rows[index], slice(games.starts[index], games.starts[index + 1])
        moves, scores = games.moves[part].astype(np.uint16), games.scores[part].astype(np.int16)
        terms, rows = np.zeros(len(moves) * _MOST_FEATURES, TERM), np.zeros(len(moves), SAMPLE)
        position = parse_fen(unpack_position(row).fen(shredder=True), chess960=True)
        found, filled = sample_game(position, self._state, self._trace, search_from.address, moves, scores, terms, rows)
        rows["result"], rows["game"] = row["result"], number
        return Samples(terms[:filled].copy(), rows[:found].copy())


def quiet_samples(blocks: Iterable[Games], threads: int = 1) -> Samples:
    """The quiet positions of all games, in their order, found by several threads."""
    own_sampler = per_thread(Sampler)

    def of_block(games: Games, first_number: int) -> Samples:
        return own_sampler().of_block(games, first_number)

    listed = list(blocks)
    first_numbers = accumulate((len(games.rows) for games in listed), initial=0)
    with ThreadPoolExecutor(threads) as pool:
        return Samples.join(pool.map(of_block, listed, first_numbers))


_LINE = re.compile(r"(\S+ [wb] \S+ \S+).*?(1-0|0-1|1/2-1/2)")
_RESULTS = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}
_LINES_OF_A_GAME = 100  # roughly: neighbouring lines are held out together, since they come from the same games


def labelled_samples(path: Path, weights: WeightsRecord, first_game: int, warn: Callable[[str], None]) -> Samples:
    """The positions of a file, whose games are numbered from `first_game`. Bad lines are skipped with a warning."""
    trace, parts = empty_trace(), []
    with open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    parts.append(_sample(line, weights, trace, first_game + number // _LINES_OF_A_GAME))
                except InputError as error:
                    warn(f"skipped {path}, line {number}: {error}")
    return Samples.join(parts)


def _sample(line: str, weights: WeightsRecord, trace: TraceRecord, game: int) -> Samples:
    found = _LINE.match(line)
    if found is None:
        raise InputError(f"no position with a result in {quote(line.strip())}")
    position = parse_fen(found[1])
    score = int(trace_position(position, weights, trace)) * (-1 if position.side else 1)
    counts = trace.counts[0] - trace.counts[1]
    features = np.flatnonzero(counts)
    terms, rows = np.zeros(len(features), TERM), np.zeros(1, SAMPLE)
    terms["feature"], terms["count"] = features, counts[features]
    rows[0] = (len(features), trace.phase, trace.scale, material_on(position.board.tolist()), _RESULTS[found[2]], score,
               game)
    return Samples(terms, rows)
