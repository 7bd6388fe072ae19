"""Emits the two layers of the policy as vector code.

Rows of weights are int8, widened to int16 when they are loaded; their addresses and sizes are multiples of 64 bytes.
All forms give the same integers on every machine.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from llvmlite import ir

from eval.network.emission import Emitter

CELLS = 64  # that one step of a loop processes
_I8, _I64 = ir.IntType(8), ir.IntType(64)
Value = Any  # of LLVM


class PolicyEmitter(Emitter):
    """Emits loops over rows of int8."""

    def load_bytes(self, address: Value, number: int) -> Value:
        """The vector of int8 with this number after an address, widened."""
        lanes = self.form.lanes
        place = self.builder.add(address, _I64(number * lanes))
        pointer = self.builder.inttoptr(place, ir.VectorType(_I8, lanes).as_pointer())
        return self.builder.sext(self.builder.load(pointer, align=lanes), self.form.words)

    def hidden(self, target: Value, biases: Value, rows: Value, count: Value, width: Value, largest: int) -> None:
        """Write clamp(biases + listed rows, 0, largest) squared to target, all int16; there is at least one row."""
        builder = self.builder

        def part(cell: Value, _: list[Value]) -> list[Value]:
            place = builder.mul(cell, _I64(2))

            def add_row(entry: Value, values: list[Value]) -> list[Value]:
                row = builder.load(builder.inttoptr(builder.add(rows, entry), _I64.as_pointer()))
                start = builder.add(row, cell)
                return [builder.add(value, self.load_bytes(start, number)) for number, value in enumerate(values)]

            start = builder.add(biases, place)
            values = [self.load(start, number) for number in range(self.form.step)]
            values = self.repeat(builder.mul(count, _I64(8)), 8, values, add_row)
            end = builder.add(target, place)
            for number, value in enumerate(values):
                clamped = self.clamped(value, largest)
                self.store(builder.mul(clamped, clamped), end, number)
            return []

        self.repeat(width, CELLS, [], part)

    def dot(self, cells: Value, rows: list[Value], width: Value) -> Value:
        """The sum of cells * (the sum of all rows): int16 cells, rows of int8."""
        builder = self.builder

        def body(cell: Value, sums: list[Value]) -> list[Value]:
            values = builder.add(cells, builder.mul(cell, _I64(2)))
            places = [builder.add(row, cell) for row in rows]
            for number in range(self.form.step):
                weights = reduce(builder.add, (self.load_bytes(place, number) for place in places))
                for product in self.products(self.load(values, number), weights):
                    sums = [*sums[1:], builder.add(sums[0], product)]
            return sums

        return self.total(self.repeat(width, CELLS, [self.constant(self.form.sums, 0)] * 2, body))
