"""Emits the two layers of the policy as vector code, in integers for inference and in floats for training.

Rows of weights are int8, widened to int16 when they are loaded; their addresses and sizes are multiples of 64 bytes.
All vector ISAs give the same integers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from llvmlite import ir

from eval.network.simd import RowEmitter

CELLS = 64  # that one step of a loop processes
_I8, _I32, _I64, _F32 = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.FloatType()
_FLOATS = 16  # in a vector
_VECTOR = ir.VectorType(_F32, _FLOATS)
Value = Any  # of LLVM


class PolicyEmitter(RowEmitter):
    """Emits loops over rows of int8."""

    def load_bytes(self, address: Value, number: int) -> Value:
        """The vector of int8 with this number after an address, widened."""
        lanes = self.form.lanes
        start = self.builder.add(address, _I64(number * lanes))
        pointer = self.builder.inttoptr(start, ir.VectorType(_I8, lanes).as_pointer())
        return self.builder.sext(self.builder.load(pointer, align=lanes), self.form.words)

    def hidden(self, target: Value, biases: Value, rows: Value, count: Value, width: Value, largest: int) -> None:
        """Write clamp(biases + listed rows, 0, largest) squared to target, all int16; there is at least one row."""
        builder = self.builder

        def part(cell: Value, _: list[Value]) -> list[Value]:
            offset = builder.mul(cell, _I64(2))

            def add_row(entry: Value, values: list[Value]) -> list[Value]:
                row = builder.load(builder.inttoptr(builder.add(rows, entry), _I64.as_pointer()))
                start = builder.add(row, cell)
                return [builder.add(value, self.load_bytes(start, number)) for number, value in enumerate(values)]

            start = builder.add(biases, offset)
            values = [self.load(start, number) for number in range(self.form.step)]
            values = self.repeat(builder.mul(count, _I64(8)), 8, values, add_row)
            end = builder.add(target, offset)
            for number, value in enumerate(values):
                clamped = self.clamp(value, self.constant(self.form.words, largest))
                self.store(builder.mul(clamped, clamped), end, number)
            return []

        self.repeat(width, CELLS, [], part)

    def dot(self, cells: Value, rows: list[Value], width: Value) -> Value:
        """The sum of cells * (the sum of all rows): int16 cells, rows of int8."""
        builder = self.builder

        def body(cell: Value, sums: list[Value]) -> list[Value]:
            values = builder.add(cells, builder.mul(cell, _I64(2)))
            starts = [builder.add(row, cell) for row in rows]
            for number in range(self.form.step):
                weights = reduce(builder.add, (self.load_bytes(start, number) for start in starts))
                for product in self.products(self.load(values, number), weights):
                    sums = [*sums[1:], builder.add(sums[0], product)]
            return sums

        return self.total(self.repeat(width, CELLS, [self.constant(self.form.sums, 0)] * 2, body))


class FloatEmitter(RowEmitter):
    """Emits loops over rows of float32, for training; their addresses and sizes are multiples of 256 bytes.

    LLVM cuts the vectors into pieces that the processor has.
    """

    def at(self, address: Value, cell: Value, number: int) -> Value:
        """A pointer to the vector with this number after a cell of a row."""
        start = self.builder.add(address, self.builder.mul(cell, _I64(4)))
        start = self.builder.add(start, _I64(4 * _FLOATS * number))
        return self.builder.inttoptr(start, _VECTOR.as_pointer())

    def get(self, address: Value, cell: Value, number: int) -> Value:
        return self.builder.load(self.at(address, cell, number), align=64)

    def put(self, value: Value, address: Value, cell: Value, number: int) -> None:
        self.builder.store(value, self.at(address, cell, number), align=64)

    def multiply_add(self, left: Value, right: Value, added: Value) -> Value:
        function = self.declare(f"llvm.fmuladd.v{_FLOATS}f32", _VECTOR, _VECTOR, _VECTOR, _VECTOR)
        return self.builder.call(function, [left, right, added])

    def broadcast(self, address: Value) -> Value:
        """A vector of copies of the float at an address."""
        builder, first = self.builder, ir.Constant(ir.VectorType(_I32, _FLOATS), [0] * _FLOATS)
        value = builder.load(builder.inttoptr(address, _F32.as_pointer()), align=4)
        single = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, _I32(0))
        return builder.shuffle_vector(single, single, first)

    def each(self, width: Value, write: Callable[[Value, int], None]) -> None:
        """Call `write` for every vector of a row."""
        def body(cell: Value, _: list[Value]) -> list[Value]:
            for number in range(CELLS // _FLOATS):
                write(cell, number)
            return []

        self.repeat(width, CELLS, [], body)

    def add_rows(self, target: Value, rows: Value, count: Value, width: Value) -> None:
        """Add all listed rows, of which there is at least one, to target."""
        builder = self.builder

        def part(cell: Value, _: list[Value]) -> list[Value]:
            def add_row(entry: Value, values: list[Value]) -> list[Value]:
                row = builder.load(builder.inttoptr(builder.add(rows, entry), _I64.as_pointer()))
                return [builder.fadd(value, self.get(row, cell, number)) for number, value in enumerate(values)]

            values = [self.get(target, cell, number) for number in range(CELLS // _FLOATS)]
            values = self.repeat(builder.mul(count, _I64(8)), 8, values, add_row)
            for number, value in enumerate(values):
                self.put(value, target, cell, number)
            return []

        self.repeat(width, CELLS, [], part)

    def add_to_rows(self, rows: Value, count: Value, source: Value, width: Value) -> None:
        """Add source to all listed rows, of which there is at least one."""
        builder = self.builder

        def add_to(entry: Value, _: list[Value]) -> list[Value]:
            row = builder.load(builder.inttoptr(builder.add(rows, entry), _I64.as_pointer()))
            self.each(width, lambda cell, number: self.put(
                builder.fadd(self.get(row, cell, number), self.get(source, cell, number)), row, cell, number))
            return []

        self.repeat(builder.mul(count, _I64(8)), 8, [], add_to)

    def weigh(self, out: Value, cells: Value, rows: list[Value], width: Value) -> None:
        """Write the product of cells with the sum of the rows to the float at `out`."""
        builder = self.builder

        def body(cell: Value, sums: list[Value]) -> list[Value]:
            for number in range(CELLS // _FLOATS):
                weights = reduce(builder.fadd, (self.get(row, cell, number) for row in rows))
                sums = [*sums[1:], self.multiply_add(self.get(cells, cell, number), weights, sums[0])]
            return sums

        sums = self.repeat(width, CELLS, [ir.Constant(_VECTOR, [0.0] * _FLOATS)] * 2, body)
        left, lanes = builder.fadd(*sums), _FLOATS
        while lanes > 1:
            lanes //= 2
            halves = [ir.Constant(ir.VectorType(_I32, lanes), list(range(first, first + lanes)))
                      for first in (0, lanes)]
            left = builder.fadd(*(builder.shuffle_vector(left, left, half) for half in halves))
        total = builder.extract_element(left, _I32(0))
        builder.store(total, builder.inttoptr(out, _F32.as_pointer()), align=4)

    def push_back(self, factor_address: Value, cells: Value, slopes: Value, tables: tuple[list[Value], list[Value]],
                  width: Value) -> None:
        """Backpropagate: add factor * the weights of the rows to slopes, and factor * cells to each row's gradient."""
        builder, factor = self.builder, self.broadcast(factor_address)
        rows, gradients = tables

        def write(cell: Value, number: int) -> None:
            weights = reduce(builder.fadd, (self.get(row, cell, number) for row in rows))
            self.put(self.multiply_add(factor, weights, self.get(slopes, cell, number)), slopes, cell, number)
            change = builder.fmul(factor, self.get(cells, cell, number))
            for gradient in gradients:
                self.put(builder.fadd(self.get(gradient, cell, number), change), gradient, cell, number)

        self.each(width, write)
