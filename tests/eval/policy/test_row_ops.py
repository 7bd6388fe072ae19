"""The policy's layers in all vector ISAs against NumPy, and the machine code for other processors."""

from __future__ import annotations

import numpy as np
import pytest
from llvmlite import binding as llvm
from llvmlite import ir

from engine.kernel import array_type, entry, int64
from eval.network.simd import VectorIsa, vector_isa_of
from eval.policy.row_ops import policy_operations
from eval.policy.simd import PolicyEmitter
from tests.eval.network.test_row_ops import aligned, forms_of_the_host

ROWS, WIDTH = 40, 192


def door_to(form: VectorIsa | None):
    run = policy_operations(form)
    hidden_cells, move_score = run.hidden_cells, run.move_score

    def operate(target, biases, lists, count, width, rows, out):
        hidden_cells(target, biases, lists, count, width)
        for index in range(len(out)):
            row = rows + index * width
            out[index] = move_score(target, row, row + width, row + 2 * width, row + 3 * width, width)

    operate.__qualname__ = f"operate_{form}"  # each is an entry of its own
    return entry(int64, int64, int64, int64, int64, int64, array_type("i8"))(operate)


@pytest.mark.parametrize("form", forms_of_the_host(), ids=str)
def test_every_form_gives_the_same_integers(form):
    operate, generator = door_to(form), np.random.default_rng(2)
    rows = aligned(generator.integers(-128, 128, (ROWS, WIDTH)).astype(np.int8))
    biases = aligned(generator.integers(-200, 300, WIDTH).astype(np.int16))
    for count in (1, 2, 32, 40):
        target = aligned(np.zeros(WIDTH, np.int16))
        listed = generator.integers(0, ROWS, count)
        lists = np.array([rows[number].ctypes.data for number in listed], np.int64)
        out = np.zeros(ROWS - 3, np.int64)
        operate(target.ctypes.data, biases.ctypes.data, lists.ctypes.data, count, WIDTH, rows.ctypes.data, out)
        cells = np.clip(biases.astype(np.int64) + rows[listed].astype(np.int64).sum(0), 0, 64) ** 2
        assert np.array_equal(target, cells)
        together = rows.astype(np.int64)
        together = together[:-3] + together[1:-2] + together[2:-1] + together[3:]
        assert out.tolist() == (together * cells).sum(1).tolist()


@pytest.mark.parametrize(("triple", "cpu", "instruction"), [
    ("x86_64-unknown-linux-gnu", "x86-64-v3", "vpmaddwd"), ("x86_64-unknown-linux-gnu", "x86-64-v4", "vpmaddwd"),
    ("aarch64-unknown-linux-gnu", "generic", "smlal2")])
def test_products_are_added_in_one_instruction(triple, cpu, instruction):
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, opt=2)
    module = ir.Module()
    module.triple = triple
    function = ir.Function(module, ir.FunctionType(ir.IntType(64), [ir.IntType(64)] * 4), "score")
    emitter = PolicyEmitter(vector_isa_of(machine), ir.IRBuilder(function.append_basic_block()))
    cells, first, second, width = function.args
    emitter.builder.ret(emitter.dot(cells, [first, second], width))
    assembly = machine.emit_assembly(llvm.parse_assembly(str(module)))
    assert any(line.split()[0] == instruction for line in assembly.splitlines() if line.strip())
