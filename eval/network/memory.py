"""A network in memory: its read-only weights, shared by all threads, and the accumulators of each thread.

Kernels access both by address, since the sizes are known only once the file has been read.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from engine.core.bits import BLACK, WHITE
from engine.kernel import inline, record_type
from engine.kernel.intrinsics import record_reader
from engine.kernel.records import I8, Fields, Numbers, dtype_of, new_record
from engine.system.host import zeroed_memory
from eval.network.file import FEATURES, LARGEST_LAYER, MOST_BUCKETS, PAIR_BITS, QUANT_FEATURE, Network
from eval.network.layout import GROUP, LAYER_OUTPUTS, PAIR_LIMITS, ROW_STEP

PLIES = 256  # of a line that have accumulators
MAX_PIECES = 64  # positions that are set up by hand may have more than 32


class NetworkRecord(Fields):
    """A network, for kernels. A view, `king bucket << 1 | mirrored`, determines how a side sees the board."""

    row_size: I8  # bytes of an accumulator
    feature_size: I8  # bytes of a row of feature weights
    features: I8  # address of [king bucket][FEATURES] rows
    layers: I8  # address of the small layers, a LAYERS record for each output bucket
    limits: I8  # address of [step of half an accumulator] limits of pairs
    output_biases: Annotated[Numbers, "i8", MOST_BUCKETS]
    output_buckets: I8
    scale: I8
    king_buckets: Annotated[Numbers, "u1", (2, 64)]  # [colour, square of its king]: the view of that colour


class LayersRecord(Fields):
    """The small layers of one output bucket, for kernels: widths, and addresses of int8 weights and int32 biases."""

    first_width: I8
    second_width: I8
    first_weights: I8  # [block of outputs][group of cells][output][cell]
    first_biases: I8  # [first_width]
    second_weights: I8  # as above; the cells are the clamped ones, then the squared ones
    second_biases: I8  # [second_width]
    output_weights: I8  # [second_width]


NETWORK = dtype_of(NetworkRecord)
LAYERS = dtype_of(LayersRecord)
LAYERS_SIZE = LAYERS.itemsize
layers_at = record_reader(record_type(LAYERS))
NETWORK_TYPE = record_type(NETWORK)
network_at = record_reader(NETWORK_TYPE)


class AccumulatorsRecord(Fields):
    """The accumulators of one thread."""

    network: I8  # address of the NETWORK; 0 for none, and then the rest has no meaning
    rows: I8  # address of [ply][perspective] rows
    refresh_rows: I8  # address of [perspective][view] rows
    refresh_pieces: I8  # address of [perspective][view][piece] bitboards: the pieces that those rows stand for
    views: I8
    changes: Annotated[Numbers, "u8", PLIES]  # [ply]: its dirty pieces, packed as in accumulators.py
    added: I8  # addresses of memory for lists of rows
    removed: I8
    cells: I8  # addresses of memory for the inputs of the two small layers
    second_cells: I8


ACCUMULATORS = dtype_of(AccumulatorsRecord)
ACCUMULATORS_TYPE = record_type(ACCUMULATORS)

PIECES_SIZE = 16 * 8  # bytes of a set of bitboards by piece
LIST_SIZE = MAX_PIECES * 8


class LoadedNetwork:
    """A network that kernels can use while this object is alive."""

    def __init__(self, network: Network) -> None:
        shape = network.shape
        row_size = 2 * shape.hidden
        assert row_size % ROW_STEP == 0
        self.network = network
        self._biases = network.feature_biases
        self._views = 2 * (max(shape.king_buckets) + 1)
        refresh = 2 * self._views
        self._sizes = {"rows": 2 * PLIES * row_size, "refresh_rows": refresh * row_size,
                       "refresh_pieces": refresh * PIECES_SIZE, "added": LIST_SIZE, "removed": LIST_SIZE,
                       "cells": row_size // 2, "second_cells": 2 * LARGEST_LAYER}  # in this order
        self._record = np.zeros(1, NETWORK)
        record = self._record[0]
        record["row_size"] = row_size
        self._layers, self._features = _LoadedLayers(network), _copy_to_large_pages(network.feature_weights)
        record["layers"], record["limits"] = self._layers.address, self._layers.limits.ctypes.data
        record["features"], record["feature_size"] = self._features.ctypes.data, self._features[0].nbytes
        record["output_biases"][:shape.output_buckets] = network.output_biases
        record["output_buckets"] = shape.output_buckets
        record["scale"] = round(network.scale)
        for king in range(64):
            mirrored = int(shape.mirrored and king & 4 != 0)
            view = shape.king_buckets[king ^ 7 * mirrored] << 1 | mirrored
            record["king_buckets"][WHITE, king] = record["king_buckets"][BLACK, king ^ 56] = view

    @property
    def thread_size(self) -> int:
        """The number of bytes that a thread needs for its accumulators."""
        return sum(self._sizes.values())

    def attach(self, accumulators: AccumulatorsRecord, memory: memoryview) -> None:
        """Set up a thread's accumulators for this network in `memory`.

        `memory` is zeroed, aligned and `thread_size` bytes long, and the caller keeps it alive.
        """
        accumulators["network"] = self._record.ctypes.data
        accumulators["views"] = self._views
        address = int(np.frombuffer(memory, np.uint8).ctypes.data)
        for field, size in self._sizes.items():
            accumulators[field] = address
            address += size
        begin, size = self._sizes["rows"], self._sizes["refresh_rows"]
        rows = np.frombuffer(memory[begin:begin + size], np.int16).reshape(-1, len(self._biases))
        rows[:] = self._biases  # an empty board


class _LoadedLayers:
    """The small layers of a network, which kernels can use while this object is alive."""

    def __init__(self, network: Network) -> None:
        arrays = {"first_weights": _in_blocks(network.first_weights),
                  "second_weights": _in_blocks(network.second_weights),
                  "first_biases": network.first_biases, "second_biases": network.second_biases,
                  "output_weights": network.output_weights.astype(np.int32)}
        self._memory = zeroed_memory(sum(array.nbytes for array in arrays.values()))  # the weights first: aligned
        self._records = np.zeros(network.shape.output_buckets, LAYERS)
        self._records["first_width"], self._records["second_width"] = network.shape.layers
        self.limits = pair_limits(network)  # kept, since kernels read it
        offset = 0
        for name, array in arrays.items():
            copy = np.frombuffer(self._memory, array.dtype, array.size, offset).reshape(array.shape)
            copy[...] = array
            self._records[name] = [part.ctypes.data for part in copy]
            offset += array.nbytes

    @property
    def address(self) -> int:
        """The address of the first record."""
        return int(self._records.ctypes.data)


def pair_limits(network: Network) -> Any:
    """[step of half an accumulator][largest left cell, largest right cell, shift, nothing] of its pairs, int16."""
    shifts = network.pair_shifts.astype(np.int16)
    limits = np.zeros((len(shifts), PAIR_LIMITS // 2), np.int16)
    limits[:, :2], limits[:, 2] = QUANT_FEATURE >> shifts, PAIR_BITS - shifts.sum(1)
    return limits


def _copy_to_large_pages(rows: Any) -> Any:
    """A copy in memory from `zeroed_memory`, which suits large arrays."""
    copy = np.frombuffer(zeroed_memory(rows.nbytes), rows.dtype).reshape(rows.shape)
    copy[...] = rows
    return copy


def _in_blocks(weights: Any) -> Any:
    """[bucket][output][cell] as [bucket][block of outputs][group of cells][output][cell]."""
    buckets, outputs, cells = weights.shape
    blocks = weights.reshape(buckets, outputs // LAYER_OUTPUTS, LAYER_OUTPUTS, cells // GROUP, GROUP)
    return blocks.transpose(0, 1, 3, 2, 4)


class StandaloneAccumulators:
    """Accumulators outside a search; `record` is valid while this object and the network are alive."""

    def __init__(self, network: LoadedNetwork) -> None:
        self._memory = zeroed_memory(network.thread_size)
        self.record: AccumulatorsRecord = new_record(AccumulatorsRecord)
        network.attach(self.record, self._memory)


@inline
def has_network(accumulators):
    """Whether a network is attached."""
    return accumulators.network != 0


@inline
def feature_row(network, color, view, piece, square):
    """The address of the row for a piece on a square, from the perspective of `color`."""
    relation = 384 * ((piece >> 3) ^ color)
    index = FEATURES * (view >> 1) + relation + 64 * ((piece & 7) - 1) + (square ^ 56 * color ^ 7 * (view & 1))
    return network.features + index * network.feature_size


@inline
def line_row(accumulators, network, ply, color):
    """The address of an accumulator."""
    return accumulators.rows + (2 * ply + color) * network.row_size
