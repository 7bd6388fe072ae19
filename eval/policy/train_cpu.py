"""Training the policy on the CPU: kernels compute the gradient of the cross-entropy over the legal moves, on all cores.

A position has few features and few moves, and the kernels touch only their rows: 24,000 samples per second on two
cores, where PyTorch's products of whole matrices reach 4,000. On a GPU it is the other way round, so there are two
trainers.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import numpy as np

from engine.core.bits import BIT
from engine.kernel import array_type, entry, inline, int64, kernel, record_type
from engine.kernel.intrinsics import address_reader
from engine.kernel.records import I8, Fields, Numbers, dtype_of, new_record
from engine.kernel.signature import offset_of
from engine.system.host import zeroed_memory
from eval.policy.encoding import feature_of, from_to_targets
from eval.policy.file import DANGERS, FEATURES, FROM_TO_ROWS, PIECE_TO_ROWS, TRAITS
from eval.policy.params import MOVE_TABLES, Floats, PolicyMetrics, Values, largest_of
from eval.policy.row_ops import add_rows, add_to_rows, push_back, weigh_move
from eval.policy.samples import CHOICES_TYPE, MOST_MOVES, NO_PIECE_CODE, Choices

_FIRST_PIECE_TO, _FIRST_TRAIT = np.int64(FEATURES + FROM_TO_ROWS), np.int64(FEATURES + FROM_TO_ROWS + PIECE_TO_ROWS)
_FIRST_FROM_TO, _FIRST_DANGER = np.int64(FEATURES), np.int64(FEATURES + FROM_TO_ROWS + PIECE_TO_ROWS + TRAITS)
_ROWS = FEATURES + FROM_TO_ROWS + PIECE_TO_ROWS + TRAITS + DANGERS
_TABLES = ("feature_weights", *MOVE_TABLES)  # in memory one after another
_TARGETS = from_to_targets()
_MAX_PIECES = 64
_TRAITS_PER_PIECE = np.int64(TRAITS // 6)
_DANGERS_PER_PIECE = np.int64(27)
_MOMENTA = (0.9, 0.999)
_TINY = np.float32(1e-8)
_ZERO, _ONE, _TWO = np.float32(0), np.float32(1), np.float32(2)

# The rows of a thread's own floats: the biases of hidden cells and their gradient; cells before they are clamped, after
# they are clamped and squared, and the gradient of either.
_BIASES, _BIAS_GRADIENTS, _SUMS, _CELLS, _SLOPES = (np.int64(row) for row in range(5))
_OWN_ROWS = 5


class DescentRecord(Fields):
    """The working memory of one thread; rows have `width` floats."""

    width: I8
    weights: I8  # address of all rows
    gradients: I8  # address of as many
    own: I8  # address of the thread's own rows
    rows: Annotated[Numbers, "i8", _MAX_PIECES]  # addresses of the rows of the features
    row_gradients: Annotated[Numbers, "i8", _MAX_PIECES]
    moves: Annotated[Numbers, "i8", (MOST_MOVES, 4)]  # offsets of the rows of each move
    trait_biases: Annotated[Numbers, "f4", TRAITS]
    trait_gradients: Annotated[Numbers, "f4", TRAITS]
    scores: Annotated[Numbers, "f4", MOST_MOVES]  # of the moves, and then the gradient of each


DESCENT = dtype_of(DescentRecord)
DESCENT_TYPE = record_type(DESCENT)
_address_of = address_reader(DESCENT_TYPE)
_ROW_LIST, _GRADIENT_LIST, _SCORES = (np.int64(offset_of(DESCENT, name))
                                      for name in ("rows", "row_gradients", "scores"))


@inline
def _list_features(thread, sample):
    """List the feature rows of all pieces; returns their number."""
    count, size = np.int64(0), 4 * thread.width
    for square in range(64):
        code = np.int64(sample.board[square >> 4] >> 4 * (square & 15) & np.uint64(15))
        if code != NO_PIECE_CODE:
            row = feature_of(code, square, np.int64(sample.attacked >> square & BIT),
                             np.int64(sample.defended >> square & BIT)) * size
            thread.rows[count] = thread.weights + row
            thread.row_gradients[count] = thread.gradients + row
            count += 1
    return count


@inline
def _list_move(thread, sample, move):
    """List the four rows of a move; returns its traits."""
    from_to, traits, size = np.int64(sample.from_to[move]), np.int64(sample.traits[move]), 4 * thread.width
    moved = traits // _TRAITS_PER_PIECE
    danger = 2 * (_DANGERS_PER_PIECE * moved + np.int64(sample.dangers[move])) + (traits & 1)
    thread.moves[move, 0] = (_FIRST_FROM_TO + from_to) * size
    thread.moves[move, 1] = (_FIRST_PIECE_TO + 64 * moved + _TARGETS[from_to]) * size
    thread.moves[move, 2] = (_FIRST_TRAIT + traits) * size
    thread.moves[move, 3] = (_FIRST_DANGER + danger) * size
    return traits


@inline
def _own(thread, row):
    """The address of one of the thread's own rows."""
    return thread.own + 4 * thread.width * row


@kernel
def _forward(thread, own, sample):
    """Compute hidden cells and the scores of all moves; returns the number of pieces."""
    width, lists = thread.width, _address_of(thread)
    pieces = _list_features(thread, sample)
    for cell in range(width):
        own[_SUMS * width + cell] = own[_BIASES * width + cell]
    add_rows(_own(thread, _SUMS), lists + _ROW_LIST, pieces, width)
    for cell in range(width):
        value = min(max(own[_SUMS * width + cell], _ZERO), _ONE)
        own[_CELLS * width + cell] = value * value
    for move in range(np.int64(sample.count)):
        traits, start = _list_move(thread, sample, move), thread.weights
        weigh_move(lists + _SCORES + 4 * move, _own(thread, _CELLS), start + thread.moves[move, 0],
                   start + thread.moves[move, 1], start + thread.moves[move, 2], start + thread.moves[move, 3], width)
        thread.scores[move] += thread.trait_biases[traits]
    return pieces


@kernel
def _add_metrics(thread, sample, totals):
    """Add the cross-entropy and the top-1 and top-3 hits to `totals`; scores become the cross-entropy's gradient."""
    count, played, better = np.int64(sample.count), thread.scores[0], np.int64(0)
    best = played
    for move in range(1, count):
        better += np.int64(thread.scores[move] >= played)
        best = max(best, thread.scores[move])
    whole = 0.0
    for move in range(count):
        thread.scores[move] = math.exp(np.float64(thread.scores[move] - best))
        whole += np.float64(thread.scores[move])
    for move in range(count):
        thread.scores[move] = np.float64(thread.scores[move]) / whole
    thread.scores[0] -= _ONE
    totals[0] += np.float64(best - played) + math.log(whole)
    totals[1] += np.float64(better == 0)
    totals[2] += np.float64(better < 3)


@kernel
def _backward(thread, own, sample, pieces):
    """Add the gradient of one sample."""
    width, lists, start, gradient = thread.width, _address_of(thread), thread.weights, thread.gradients
    for cell in range(width):
        own[_SLOPES * width + cell] = 0
    for move in range(np.int64(sample.count)):
        from_to, piece_to = thread.moves[move, 0], thread.moves[move, 1]
        trait, danger = thread.moves[move, 2], thread.moves[move, 3]
        push_back(lists + _SCORES + 4 * move, _own(thread, _CELLS), _own(thread, _SLOPES), start + from_to,
                  start + piece_to, start + trait, start + danger, gradient + from_to, gradient + piece_to,
                  gradient + trait, gradient + danger, width)
        thread.trait_gradients[np.int64(sample.traits[move])] += thread.scores[move]
    for cell in range(width):
        value = own[_SUMS * width + cell]
        slope = _ZERO if value <= _ZERO or value >= _ONE else _TWO * value * own[_SLOPES * width + cell]
        own[_SLOPES * width + cell] = slope
        own[_BIAS_GRADIENTS * width + cell] += slope
    add_to_rows(lists + _GRADIENT_LIST, pieces, _own(thread, _SLOPES), width)


@entry(DESCENT_TYPE, array_type("f4"), CHOICES_TYPE, int64, array_type("f8"))
def accumulate_gradient(thread: DescentRecord, own: Floats, samples: Choices, learns: int, totals: Any) -> None:
    """Add the metrics of the samples to `totals` and, if `learns` is not 0, their gradient to the thread's."""
    for index in range(len(samples)):
        sample = samples[index]
        pieces = _forward(thread, own, sample)
        _add_metrics(thread, sample, totals)
        if learns != 0:
            _backward(thread, own, sample, pieces)


class _Thread:
    """The memory of one thread."""

    def __init__(self, width: int, weights: Floats) -> None:
        self._memory = zeroed_memory(4 * width * (_ROWS + _OWN_ROWS))
        floats = np.frombuffer(self._memory, np.float32)
        self.gradients, self.own = floats[: _ROWS * width], floats[_ROWS * width :]
        self.record = new_record(DescentRecord)
        self.record.width, self.record.weights = width, int(weights.ctypes.data)
        self.record.gradients, self.record.own = int(self.gradients.ctypes.data), int(self.own.ctypes.data)
        self.biases, self.bias_gradients = self.own[:width], self.own[width : 2 * width]

    def reset(self, values: Values) -> None:
        """Set the biases, and clear the gradients."""
        self.biases[:] = values["feature_biases"]
        self.record["trait_biases"][:] = values["trait_biases"]
        for gradients in (self.gradients, self.bias_gradients, self.record["trait_gradients"]):
            gradients[:] = 0


class CpuPolicyModel:
    """A policy in training on the CPU, from the values `start`."""

    def __init__(self, start: Values, decay: float, threads: int) -> None:
        hidden = len(start["feature_biases"])
        self._memory = zeroed_memory(4 * hidden * _ROWS)
        self._weights = np.frombuffer(self._memory, np.float32)
        self._rows = self._weights.reshape(_ROWS, hidden)
        self._decay, self._steps = decay, 0
        self._values = self._in_place(start)
        self._moments = {name: (np.zeros_like(value), np.zeros_like(value)) for name, value in self._values.items()}
        self._threads = [_Thread(hidden, self._weights) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads)
        self._totals, self._learned = np.zeros(3), 0
        self._samples: Choices | None = None
        self._order = np.zeros(0, np.int64)

    def _in_place(self, values: Values) -> Values:
        """The same values, with the tables in the memory that kernels read."""
        moved, first = dict(values), 0
        for name in _TABLES:
            table = self._rows[first : first + len(values[name])]
            table[:] = values[name]
            moved[name], first = table, first + len(table)
        return moved

    def begin(self, samples: Choices, *seeds: int) -> None:
        """Train on these samples from now on, in an order determined by the seeds."""
        self._samples, self._order = samples, np.random.default_rng(seeds).permutation(len(samples))

    def learn(self, begin: int, end: int, rate: float) -> None:
        """Take one step down the gradient of the samples from `begin` to `end` in their order."""
        assert self._samples is not None
        batch = self._samples[np.sort(self._order[begin:end])]  # sorted: memory is read in one direction
        self._totals += self._run(batch, learns=1)
        self._learned += len(batch)
        self._steps += 1
        first, *others = self._threads
        for thread in others:
            first.gradients += thread.gradients
            first.bias_gradients += thread.bias_gradients
            first.record["trait_gradients"] += thread.record["trait_gradients"]
        gradients = {**self._tables(first.gradients), "feature_biases": first.bias_gradients,
                     "trait_biases": first.record["trait_gradients"]}
        for name, value in self._values.items():
            self._adam_step(name, value, gradients[name] / np.float32(len(batch)), rate)

    def _tables(self, floats: Floats) -> Values:
        rows, tables, first = floats.reshape(self._rows.shape), {}, 0
        for name in _TABLES:
            tables[name] = rows[first : first + len(self._values[name])]
            first += len(tables[name])
        return tables

    def _adam_step(self, name: str, value: Floats, gradient: Floats, rate: float) -> None:
        """One step of AdamW."""
        mean, square = self._moments[name]
        mean += np.float32(1 - _MOMENTA[0]) * (gradient - mean)
        square += np.float32(1 - _MOMENTA[1]) * (gradient * gradient - square)
        corrections = [1 - beta**self._steps for beta in _MOMENTA]
        value *= np.float32(1 - rate * self._decay)
        value -= mean * np.float32(rate / corrections[0]) / (np.sqrt(square / np.float32(corrections[1])) + _TINY)
        np.clip(value, -largest_of(name), largest_of(name), out=value)

    def _run(self, samples: Choices, *, learns: int) -> Any:
        """The summed metrics of some samples, computed by all threads."""
        parts = np.array_split(np.ascontiguousarray(samples), len(self._threads))

        def work(thread: _Thread, part: Choices) -> Any:
            thread.reset(self._values)
            totals = np.zeros(3)
            accumulate_gradient(thread.record, thread.own, part, learns, totals)
            return totals

        return sum(self._pool.map(work, self._threads, parts))

    def take_loss(self) -> float:
        """The mean training loss, a cross-entropy, since the last call."""
        loss = float(self._totals[0]) / max(self._learned, 1)
        self._totals, self._learned = np.zeros(3), 0
        return loss

    def evaluate(self, samples: Choices, values: Values | None = None) -> PolicyMetrics:
        """The metrics on samples of the current parameters, or of `values`."""
        own = self.values()
        if values is not None:
            self._values = self._in_place(values)
        totals = self._run(samples, learns=0)
        if values is not None:
            self._values = self._in_place(own)
        return PolicyMetrics(*(totals / len(samples)).tolist())

    def values(self) -> Values:
        """A copy of the current parameters."""
        return {name: value.copy() for name, value in self._values.items()}
