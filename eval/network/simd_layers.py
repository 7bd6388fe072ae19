"""Emits the vector code of the network: accumulator updates by rows of int8, pairwise products, and layers of bytes.

An accumulator is a row of int16, which wrap around; its address and its size in bytes are multiples of 128. In the
layers, cells are bytes from 0 to 127, weights int8, sums int32. All vector ISAs give the same integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

from llvmlite import ir

from eval.network.layout import GROUP, LAYER_OUTPUTS, PAIR_LIMITS, ROW_STEP
from eval.network.simd import RowEmitter

_I8, _I16, _I32, _I64 = (ir.IntType(bits) for bits in (8, 16, 32, 64))
_BLOCK = LAYER_OUTPUTS * GROUP  # bytes of weights for a group of cells
_CHAINS = 8  # independent chains of additions, since each addition of products takes four or five cycles
Value = Any  # of LLVM
Rows = tuple[list[Value], list[Value]]  # added, removed


class LayerEmitter(RowEmitter):
    """Emits loops over rows, over pairs and over groups of cells."""

    def parts(self, row: Value, offset: Value) -> Iterator[Value]:
        """The vectors of one step of a row of int8, widened; `offset` is that of the accumulator, in bytes."""
        builder, form = self.builder, self.form
        # x86 widens what it loads; others load a whole vector and widen its halves.
        count = form.lanes if form.multiply_add is not None else 2 * form.lanes
        start = builder.add(row, builder.lshr(offset, _I64(1)))
        for first in range(0, form.step * form.lanes, count):
            pointer = builder.inttoptr(builder.add(start, _I64(first)), ir.VectorType(_I8, count).as_pointer())
            value = builder.load(pointer, align=count)
            for lane in range(0, count, form.lanes):
                chosen = ir.Constant(ir.VectorType(_I32, form.lanes), list(range(lane, lane + form.lanes)))
                yield builder.sext(builder.shuffle_vector(value, value, chosen), form.words)

    def by_move_type(self, added: tuple[Value, Value], removed: tuple[Value, Value],
                     emit: Callable[[Rows], None]) -> None:
        """Emit the code for a quiet move, a capture and castling, and the choice between them.

        Only a capture and castling remove a second row, and only castling adds one; a row that does not exist is 0.
        """
        builder = self.builder
        with builder.if_else(builder.icmp_unsigned("==", removed[1], _I64(0))) as (is_quiet, is_not):
            with is_quiet:
                emit(([added[0]], [removed[0]]))
            with is_not, builder.if_else(builder.icmp_unsigned("==", added[1], _I64(0))) as (is_capture, is_castling):
                with is_capture:
                    emit(([added[0]], list(removed)))
                with is_castling:
                    emit((list(added), list(removed)))

    def update(self, target: Value | None, source: Value, rows: Rows, offset: Value) -> Iterator[Value]:
        """The vectors of one step of source + added rows - removed rows, each written to target, if there is one."""
        builder, start = self.builder, self.builder.add(source, offset)
        added, removed = ([self.parts(row, offset) for row in some] for some in rows)
        end = builder.add(target, offset) if target is not None else None
        for number in range(self.form.step):
            value = self.load(start, number)
            for parts in added:
                value = builder.add(value, next(parts))
            for parts in removed:
                value = builder.sub(value, next(parts))
            if end is not None:
                self.store(value, end, number)
            yield value

    def add_up(self, target: Value, source: Value, rows: Rows, size: Value) -> None:
        """Set target = source + added rows - removed rows."""
        def body(offset: Value, _: list[Value]) -> list[Value]:
            list(self.update(target, source, rows, offset))  # writes the vectors
            return []

        self.repeat(size, ROW_STEP, [], body)

    def add_up_pairs(self, target: Value | None, source: Value, rows: Rows, cells: Value, limits: Value,
                     size: Value) -> None:
        """Set target = source + added rows - removed rows, and cells = its pairwise products, shifted down.

        One pass does both, since the update waits for memory and the products for the multiplier.

        A pair is a cell of the first half and the one at the same index of the second. `limits` are four int16 per
        step: the largest cell of each half, the shift, and one unused. Without a target only the cells are written.
        """
        builder = self.builder
        half = builder.lshr(size, _I64(1))

        def body(offset: Value, _: list[Value]) -> list[Value]:
            own = builder.add(limits, builder.udiv(offset, _I64(ROW_STEP // PAIR_LIMITS)))
            most_left, most_right, shift = (self.broadcast(own, number) for number in range(3))
            pairs = zip(self.update(target, source, rows, offset),
                        self.update(target, source, rows, builder.add(offset, half)), strict=True)
            products = [builder.lshr(builder.mul(self.clamp(left, most_left), self.clamp(right, most_right)), shift)
                        for left, right in pairs]
            self.store_bytes(products, builder.add(cells, builder.lshr(offset, _I64(1))))
            return []

        self.repeat(half, ROW_STEP, [], body)

    def apply_list(self, target: Value, source: Value, lists: tuple[Value, Value], counts: tuple[Value, Value],
                   size: Value) -> None:
        """Add listed rows to source, subtract listed rows, and copy it to target; each step stays in registers."""
        builder = self.builder

        def part(offset: Value, _: list[Value]) -> list[Value]:
            values = [self.load(builder.add(source, offset), number) for number in range(self.form.step)]
            for addresses, count, join in zip(lists, counts, (builder.add, builder.sub), strict=True):
                values = self.join_rows(offset, addresses, count, values, join)
            for number, value in enumerate(values):
                self.store(value, builder.add(source, offset), number)
                self.store(value, builder.add(target, offset), number)
            return []

        self.repeat(size, ROW_STEP, [], part)

    def join_rows(self, offset: Value, addresses: Value, count: Value, values: list[Value],
                  join: Callable[[Value, Value], Value]) -> list[Value]:
        """`values` with a part of every listed row added or subtracted; the list may be empty."""
        builder = self.builder
        before, ready = builder.block, builder.append_basic_block("joined")
        filled = builder.append_basic_block("filled")
        builder.cbranch(builder.icmp_signed(">", count, _I64(0)), filled, ready)
        builder.position_at_end(filled)

        def body(entry: Value, values: list[Value]) -> list[Value]:
            row = builder.load(builder.inttoptr(builder.add(addresses, entry), _I64.as_pointer()))
            return [join(value, part) for value, part in zip(values, self.parts(row, offset), strict=True)]

        results = self.repeat(builder.mul(count, _I64(8)), 8, values, body)
        last = builder.block
        builder.branch(ready)
        builder.position_at_end(ready)
        merged = []
        for old, new in zip(values, results, strict=True):
            phi = builder.phi(old.type)
            phi.add_incoming(old, before)
            phi.add_incoming(new, last)
            merged.append(phi)
        return merged

    def broadcast(self, address: Value, number: int) -> Value:
        """A vector of copies of the int16 with this number after an address."""
        builder, words, count = self.builder, self.form.words, self.form.lanes
        pointer = builder.inttoptr(builder.add(address, _I64(2 * number)), _I16.as_pointer())
        single = builder.insert_element(ir.Constant(words, ir.Undefined), builder.load(pointer, align=2), _I32(0))
        return builder.shuffle_vector(single, single, ir.Constant(ir.VectorType(_I32, count), [0] * count))

    def store_bytes(self, values: list[Value], address: Value) -> None:
        """Store vectors of int16 as bytes, two vectors of them in one."""
        builder, lanes = self.builder, 2 * self.form.lanes
        for number in range(0, len(values), 2):
            both = self.concatenate(values[number], values[number + 1])
            start = builder.add(address, _I64(number // 2 * lanes))
            pointer = builder.inttoptr(start, ir.VectorType(_I8, lanes).as_pointer())
            builder.store(builder.trunc(both, ir.VectorType(_I8, lanes)), pointer, align=lanes)

    def sums(self, cells: Value, weights: Value, biases: Value, count: Value, step: int) -> Value:
        """LAYER_OUTPUTS sums, a vector of int32, of `count` cells by weights [group of cells][output][cell].

        A step of the loop processes `step` cells, or fewer if that is enough to keep the processor busy.
        """
        builder, vectors = self.builder, _BLOCK // self.form.bytes
        groups = min(step // GROUP, _CHAINS // vectors)

        def body(cell: Value, totals: list[Value]) -> list[Value]:
            results: list[Value] = []
            for group in range(groups):
                start = builder.add(cell, _I64(group * GROUP))
                inputs = self.broadcast_group(builder.add(cells, start))
                block = builder.add(weights, builder.mul(start, _I64(LAYER_OUTPUTS)))
                results += [self.dot_bytes(totals[len(results) + number], inputs, self.load_bytes(block, number))
                            for number in range(vectors)]
            return results

        # Each group of a step has its own totals, so that no instruction waits for the one before it.
        totals = self.repeat(count, GROUP * groups, [self.constant(self.form.sums, 0)] * (vectors * groups), body)
        totals = [reduce(builder.add, totals[number::vectors]) for number in range(vectors)]
        while len(totals) > 1:
            totals = [self.concatenate(*pair) for pair in zip(totals[::2], totals[1::2], strict=True)]
        sums = builder.add(*(self.every(totals[0], GROUP // 4, first) for first in range(GROUP // 4)))
        return builder.add(sums, builder.load(builder.inttoptr(biases, sums.type.as_pointer()), align=4))

    def store_both(self, sums: Value, target: Value, squared: Value, shifts: tuple[int, int],
                   limits: tuple[int, int]) -> None:
        """Store sums as cells twice: shifted down and clamped, and clamped, squared and shifted down.

        `limits` are the largest cell and the largest sum.
        """
        builder, llvm_type, (largest_cell, largest_sum) = self.builder, sums.type, limits
        shifted = builder.ashr(sums, self.constant(llvm_type, shifts[0]))
        self.store_cells(self.clamp_sums(shifted, 0, largest_cell), target)
        clamped = self.clamp_sums(sums, -largest_sum, largest_sum)
        self.store_cells(builder.lshr(builder.mul(clamped, clamped), self.constant(llvm_type, shifts[1])), squared)

    def output(self, sums: Value, weights: Value, largest_sum: int) -> Value:
        """The total of the clamped sums times int32 weights, an int64."""
        builder, wide = self.builder, ir.VectorType(_I64, sums.type.count)
        factors = builder.load(builder.inttoptr(weights, sums.type.as_pointer()), align=4)
        clamped = builder.sext(self.clamp_sums(sums, 0, largest_sum), wide)
        total = self.declare(f"llvm.vector.reduce.add.v{wide.count}i64", _I64, wide)
        return builder.call(total, [builder.mul(clamped, builder.sext(factors, wide))])

    def clamp_sums(self, value: Value, least: int, most: int) -> Value:
        """A vector of int32, clamped to least .. most."""
        llvm_type = value.type
        maximum = self.declare(f"llvm.smax.v{llvm_type.count}i32", llvm_type, llvm_type, llvm_type)
        minimum = self.declare(f"llvm.smin.v{llvm_type.count}i32", llvm_type, llvm_type, llvm_type)
        value = self.builder.call(maximum, [value, self.constant(llvm_type, least)])
        return self.builder.call(minimum, [value, self.constant(llvm_type, most)])

    def store_cells(self, value: Value, address: Value) -> None:
        """Store a vector of int32 as bytes."""
        cells = self.builder.trunc(value, ir.VectorType(_I8, value.type.count))
        self.builder.store(cells, self.builder.inttoptr(address, cells.type.as_pointer()), align=value.type.count)

    def concatenate(self, left: Value, right: Value) -> Value:
        """One vector from two."""
        lanes = 2 * left.type.count
        return self.builder.shuffle_vector(left, right, ir.Constant(ir.VectorType(_I32, lanes), list(range(lanes))))

    def every(self, value: Value, step: int, first: int) -> Value:
        """The lanes first, first + step, ... of a vector."""
        chosen = list(range(first, value.type.count, step))
        return self.builder.shuffle_vector(value, value, ir.Constant(ir.VectorType(_I32, len(chosen)), chosen))

    def broadcast_group(self, address: Value) -> Value:
        """A vector of copies of the group of cells at an address."""
        builder, count = self.builder, self.form.bytes // GROUP
        words = ir.VectorType(_I64, count)
        group = builder.load(builder.inttoptr(address, _I64.as_pointer()), align=GROUP)
        single = builder.insert_element(ir.Constant(words, ir.Undefined), group, _I32(0))
        copies = builder.shuffle_vector(single, single, ir.Constant(ir.VectorType(_I32, count), [0] * count))
        return builder.bitcast(copies, ir.VectorType(_I8, self.form.bytes))

    def load_bytes(self, address: Value, number: int) -> Value:
        """The vector of bytes with this number after an address."""
        size = self.form.bytes
        start = self.builder.add(address, _I64(number * size))
        return self.builder.load(self.builder.inttoptr(start, ir.VectorType(_I8, size).as_pointer()), align=size)

    def dot_bytes(self, total: Value, cells: Value, weights: Value) -> Value:
        """`total` plus the products of bytes, four to a lane."""
        builder, form, llvm_type = self.builder, self.form, cells.type
        if form.dot_bytes is not None:
            # x86's intrinsic has its bytes in lanes of int32; newer LLVM, which has not, still takes that declaration.
            lanes = llvm_type if form.multiply_add is None else form.sums
            dot = self.declare(form.dot_bytes, form.sums, form.sums, lanes, lanes)
            return builder.call(dot, [total, builder.bitcast(cells, lanes), builder.bitcast(weights, lanes)])
        if form.multiply_bytes is not None:  # two products of 127 and -128 fit into 16 bits
            multiply = self.declare(form.multiply_bytes, form.words, llvm_type, llvm_type)
            pairs = builder.call(multiply, [cells, weights])
            ones = self.constant(form.words, 1)
            assert form.multiply_add is not None
            add_pairs = self.declare(form.multiply_add, form.sums, form.words, form.words)
            return builder.add(total, builder.call(add_pairs, [pairs, ones]))
        words, sums = ir.VectorType(_I16, llvm_type.count), ir.VectorType(_I32, llvm_type.count)
        products = builder.sext(builder.mul(builder.sext(cells, words), builder.sext(weights, words)), sums)
        for first in range(4):
            total = builder.add(total, self.every(products, 4, first))
        return total
