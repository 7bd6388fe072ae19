"""The nodes of the tree: 40 bytes each, in one pool that all threads share.

The children of a node are adjacent, and always come after it in the pool. A value is a number from -1 (loss) to 1
(win), stored as a multiple of 1 / ONE in an integer, so that the result does not depend on the order in which threads
add to it. Values and proofs are those of the player whose move leads to the node.

value_sum, visits   the sum of the values of all visits, and their number
draws               the sum of their draw probabilities; a value is wins - losses, so wins and losses follow
proof               a forced win (positive) or loss (negative) in this many plies, including the move to the node; plus
                    TB_PROOF if endgame tables prove it instead of a mate
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from engine.core.game import make_if_legal
from engine.core.position import HISTORY, PAST_KEY, PositionRecord
from engine.kernel import entry, inline, int64, kernel, record_type
from engine.kernel.intrinsics import (
    add_atomic_i32,
    add_atomic_i64,
    load_acquire_i32,
    prefetch,
    record_reader,
    store_release_i32,
)
from engine.kernel.records import F4, I2, I4, I8, U1, U2, Fields, dtype_of
from engine.system.errors import InputError
from engine.system.host import address_of, zeroed_memory


class NodeRecord(Fields):
    """A node of the tree."""

    value_sum: I8
    draws: I8
    visits: I4
    prior: F4
    first: I4  # the index of the first child; 0 before expansion
    mark: I4  # not 0 once a thread has claimed the node; its new index while the pool is compacted
    move: U2
    children: U2
    proof: I2
    is_drawn: U1  # a forced draw on any path: stalemate, insufficient material, tables, or best play to those
    is_shuffled: U1  # whether the children are no longer sorted by prior


NODE = dtype_of(NodeRecord)
NODE_TYPE = record_type(NODE)
NODE_BYTES = NODE.itemsize
_BYTES = np.int64(NODE_BYTES)
assert NODE_BYTES == 40

ONE = np.int64(1 << 30)  # a win
_SECONDS_PER_NODE = 20e-9  # of `free_space`, until it is measured
_MAX_NODES = (1 << 31) - 1  # indices have 32 bits
_CACHE_LINE, _LINES_TO_FETCH = np.int64(64), np.int64(4)
_MAX_PLIES_TO_REUSE = 2
MIN_CAPACITY = 1024 + 2  # the root, and as many children as a position can have
TB_PROOF = np.int64(10_000)  # more than the plies of any mate

# Offsets of the fields with atomic access.
_VALUE_SUM, _DRAWS, _VISITS, _FIRST, _MARK = np.int64(0), np.int64(8), np.int64(16), np.int64(24), np.int64(28)

_record_at = record_reader(NODE_TYPE)


@inline
def node_at(pool, index):
    """The node with this index in the pool at the address `pool`."""
    return _record_at(pool + index * _BYTES)


@inline
def children_of(pool, index):
    """(first, end): the indices of the children; equal before expansion."""
    first = load_acquire_i32(pool + index * _BYTES + _FIRST)
    return first, first + np.int64(node_at(pool, index).children) if first != 0 else first


@inline
def prefetch_children(pool, index):
    """Prefetch the first children of a node before selection."""
    first = np.int64(node_at(pool, index).first)
    if first != 0:
        for line in range(_LINES_TO_FETCH):
            prefetch(pool + first * _BYTES + line * _CACHE_LINE)


@inline
def publish_children(pool, index, first, count):
    """Make the children of a node, already written, visible to other threads."""
    node_at(pool, index).children = count
    store_release_i32(pool + index * _BYTES + _FIRST, first)


@inline
def claim(pool, index):
    """Claim a node for expansion; return whether this thread is the first to do so."""
    return node_at(pool, index).mark == 0 and add_atomic_i32(pool + index * _BYTES + _MARK, 1) == 0


@inline
def count_visit(pool, index):
    """Count a visit with a virtual loss, which makes other threads choose other nodes.

    Return the number of visits, including this one.
    """
    address = pool + index * _BYTES
    before = add_atomic_i32(address + _VISITS, 1)
    add_atomic_i64(address + _VALUE_SUM, -ONE)
    return before + 1


@inline
def add_value(pool, index, value, draw):
    """Replace the virtual loss of a visit by its value, and add its draw probability, in multiples of 1 / ONE."""
    address = pool + index * _BYTES
    add_atomic_i64(address + _VALUE_SUM, ONE + value)
    add_atomic_i64(address + _DRAWS, draw)


@inline
def average(node):
    """The mean value of a node that has been visited."""
    return np.float64(node.value_sum) / (np.float64(node.visits) * ONE)


@inline
def average_draw(node):
    """The mean draw probability of a node that has been visited."""
    return np.float64(node.draws) / (np.float64(node.visits) * ONE)


@inline
def average_before(node):
    """The mean value without the visit that this thread is making; 0 if it is the first."""
    before = np.float64(node.visits - 1) * ONE
    return np.float64(node.value_sum + ONE) / before if before > 0.0 else 0.0


@inline
def write_node(pool, index, move, prior):
    """Write a node without visits."""
    node = node_at(pool, index)
    node.value_sum = 0
    node.draws = 0
    node.visits = 0
    node.prior = prior
    node.first = 0
    node.mark = 0
    node.move = move
    node.children = 0
    node.proof = 0
    node.is_drawn = 0
    node.is_shuffled = 0


@kernel
def prove(pool, index):
    """The proof of an expanded node by its children; 0 if they prove nothing.

    A winning child means a loss for the player whose move leads to the node; the shortest win counts. If all children
    lose, the longest resistance counts.
    """
    first, end = children_of(pool, index)
    shortest_win, longest_loss, is_lost = np.int64(0), np.int64(0), first != end
    for child in range(first, end):
        proof = np.int64(node_at(pool, child).proof)
        if proof > 0 and (shortest_win == 0 or proof < shortest_win):
            shortest_win = proof
        is_lost = is_lost and proof < 0
        longest_loss = max(longest_loss, -proof)
    if shortest_win > 0:
        return -(shortest_win + 1)
    return longest_loss + 1 if is_lost else np.int64(0)


@kernel
def is_drawn_at_best(pool, index):
    """Whether an expanded node is a forced draw: a child is drawn, and all others are drawn or lose."""
    first, end = children_of(pool, index)
    is_drawn = False
    for child in range(first, end):
        node = node_at(pool, child)
        if node.is_drawn:
            is_drawn = True
        elif node.proof >= 0:
            return False
    return is_drawn


@entry(int64, int64)
def prove_node(pool: int, index: int) -> int:
    """`prove` for Python."""
    return prove(pool, index)


@kernel
def _mark_live(pool, root, used, least_visits):
    """Mark the root and its descendants; drop the children of nodes with fewer than `least_visits` visits."""
    for index in range(root, used):
        node_at(pool, index).mark = 0
    node_at(pool, root).mark = 1
    for index in range(root, used):
        node = node_at(pool, index)
        if node.mark == 0 or node.first == 0:
            continue
        if node.visits < least_visits and index != root:
            node.first = 0
            node.children = 0
            node.is_shuffled = 0
            continue
        for child in range(np.int64(node.first), np.int64(node.first) + np.int64(node.children)):
            node_at(pool, child).mark = 1


@kernel
def _compact_live(pool, root, used):
    """Move the marked nodes to the front, keeping their order; return their end."""
    end = np.int64(1)
    for index in range(root, used):
        node = node_at(pool, index)
        if node.mark != 0:
            node.mark = end
            end += 1
    for index in range(root, used):
        node = node_at(pool, index)
        if node.mark == 0:
            continue
        moved = node_at(pool, np.int64(node.mark))
        moved.value_sum, moved.draws, moved.visits, moved.prior = node.value_sum, node.draws, node.visits, node.prior
        moved.first = node_at(pool, np.int64(node.first)).mark if node.first != 0 else 0
        moved.move, moved.children, moved.proof = node.move, node.children, node.proof
        moved.is_drawn, moved.is_shuffled = node.is_drawn, node.is_shuffled
    for index in range(1, end):
        node = node_at(pool, index)
        node.mark = 1 if node.first != 0 else 0
    return end


@entry(int64, int64, int64, int64)
def compact(pool: int, root: int, used: int, least_visits: int) -> int:
    """Keep only the tree below `root`, which becomes node 1, and drop the children of rarely visited nodes.

    Return the new end of the nodes in use.
    """
    _mark_live(pool, root, used, least_visits)
    return _compact_live(pool, root, used)


def _keys_between(before: PositionRecord, after: PositionRecord) -> list[int]:
    """The keys of the positions after `before` up to `after`, if it is one or two plies later; otherwise []."""
    plies = range(int(before.ply) + 1, int(after.ply))
    if len(plies) > _MAX_PLIES_TO_REUSE - 1:
        return []
    keys = [int(after.undo_stack[ply & (HISTORY - 1), PAST_KEY]) for ply in plies]
    return [*keys, int(after.key)] if after.ply > before.ply else []


def _have_same_history(one: PositionRecord, other: PositionRecord) -> bool:
    """Whether two positions are equal, and have the same history as far as repetitions can reach."""
    if (one.key, one.ply, one.rule50) != (other.key, other.ply, other.rule50):
        return False
    plies = (int(one.ply) - np.arange(1, min(int(one.rule50), int(one.ply)) + 1)) & (HISTORY - 1)
    return bool((one.undo_stack[plies, PAST_KEY] == other.undo_stack[plies, PAST_KEY]).all())


class Pool:
    """Memory for nodes. Index 0 means no node, `root` is the index of the root, `used` the end of the nodes in use."""

    def __init__(self, size: int) -> None:
        """A pool of `size` bytes; InputError if that is too small for one position, or not available."""
        self.capacity = min(size // NODE_BYTES, _MAX_NODES)
        if self.capacity < MIN_CAPACITY:
            raise InputError(f"tree memory must be at least {MIN_CAPACITY * NODE_BYTES} bytes, got {size}")
        try:
            self._memory = zeroed_memory(self.capacity * NODE_BYTES)
        except MemoryError as error:
            raise InputError(str(error)) from error
        self.nodes: Any = np.frombuffer(self._memory, NODE)
        self.address = address_of(self._memory)
        self.counter = np.zeros(1, np.int64)  # the number of nodes in use; threads add to it atomically
        self.root = 1
        self._seconds_per_node = _SECONDS_PER_NODE
        self.clear()

    @property
    def used(self) -> int:
        """The end of the nodes in use."""
        return min(int(self.counter[0]), self.capacity)

    def hashfull(self) -> int:
        """How full the pool is, per thousand."""
        return 1000 * self.used // self.capacity

    def children(self, node: Any) -> Any:
        """The children of a node, as an array."""
        first = int(node.first)  # read once, because a thread may be publishing the children
        return self.nodes[first : first + int(node.children)] if first else self.nodes[:0]

    def new_root(self) -> None:
        """Prepare the root for a search; it may have been a terminal node of the tree before."""
        root = self.nodes[self.root]
        root.is_drawn, root.proof = 0, prove_node(self.address, self.root)
        root.mark = int(root.first != 0)

    def clear(self) -> None:
        """Drop the tree, leaving a root without children."""
        self.nodes[1] = np.zeros(1, NODE)[0]
        self.root, self.counter[0] = 1, 2

    def reuse_tree(self, before: PositionRecord, after: PositionRecord) -> bool:
        """Move the root from the position `before` to `after`, up to two plies later, keeping its subtree.

        Drop the tree and return False if `after` is not in it.
        """
        index, position = self.root, before
        for key in _keys_between(before, after):
            for number, child in enumerate(self.children(self.nodes[index])):
                after_child = position.copy()
                make_if_legal(after_child, int(child.move))
                if after_child.key == key:
                    index, position = int(self.nodes[index].first) + number, after_child
                    break
        if not _have_same_history(position, after):
            self.clear()
            return False
        self.root = index
        return True

    def seconds_to_free_space(self) -> float:
        """The time that `free_space` may take."""
        return self._seconds_per_node * self.used

    def free_space(self) -> None:
        """Drop nodes that are not below the root, then the least visited ones, until half of the pool is free."""
        started, used = time.perf_counter(), self.used
        self._compact()
        self._seconds_per_node = (time.perf_counter() - started) / used

    def _compact(self) -> None:
        least_visits = 1
        while True:
            self.counter[0] = compact(self.address, self.root, self.used, least_visits)
            self.root = 1
            if 2 * self.used < self.capacity or least_visits > self.nodes[1].visits:
                return
            least_visits *= 2
