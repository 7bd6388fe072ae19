"""Row operations: all forms against NumPy, and the machine code that other processors get."""

from __future__ import annotations

import numpy as np
import pytest
from llvmlite import binding as llvm
from llvmlite import ir

from engine.kernel import array_type, entry, int64, targets
from eval.network.row_ops import row_operations
from eval.network.simd import AVX2, AVX512, DOTPROD, PORTABLE, SSE2, RowEmitter, VectorIsa, vector_isa_of
from eval.network.simd_layers import LayerEmitter

ROWS, WIDTH = 10, 192

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()


def host_machine() -> llvm.TargetMachine:
    return targets.machine(None)


def forms_of_the_host() -> list[VectorIsa | None]:
    """None is what kernels take; wider vectors than the processor has are cut into pieces by LLVM."""
    widest = vector_isa_of(host_machine())
    own = [form for form in (SSE2, AVX2, AVX512) if widest.multiply_add and form.lanes <= widest.lanes]
    own += [DOTPROD] if widest == DOTPROD else []
    return [None, PORTABLE, VectorIsa(16), VectorIsa(32), *own]


def door_to(form: VectorIsa | None):
    """A function that runs every operation once over ten rows, and fills in the sums."""
    run = row_operations(form)
    dot, apply_rows = run.screlu_dot, run.apply_rows
    update_move, update_capture, update_castle = run.update_move, run.update_capture, run.update_castle
    output_move, output_capture, output_castle = run.output_move, run.output_capture, run.output_castle

    def operate(rows, weights, size, lists, sums, added, taken):
        one, two, three, four = rows + size, rows + 2 * size, rows + 3 * size, rows + 4 * size
        sums[0] = dot(rows, weights, size)
        update_move(rows + 5 * size, rows, one, two, size)
        sums[1] = output_move(rows + 5 * size, rows, one, two, weights, size)
        update_capture(rows + 6 * size, rows, one, two, three, size)
        sums[2] = output_capture(rows + 6 * size, rows, one, two, three, weights, size)
        update_castle(rows + 7 * size, rows, one, two, three, four, size)
        sums[3] = output_castle(rows + 7 * size, rows, one, two, three, four, weights, size)
        apply_rows(rows + 8 * size, rows + 9 * size, lists, added, lists + 16, taken, size)

    operate.__qualname__ = f"operate_{form}"  # each is an entry of its own
    return entry(int64, int64, int64, int64, array_type("i8"), int64, int64)(operate)


def aligned(array):
    room = np.zeros(array.nbytes + 128, np.uint8)
    start = -room.ctypes.data % 128
    copy = room[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def activated(row, weights) -> int:
    return int((np.clip(row.astype(np.int64), 0, 255) ** 2 * weights).sum())


@pytest.mark.parametrize("form", forms_of_the_host(), ids=str)
def test_every_form_gives_the_same_integers(form):
    operate = door_to(form)
    generator = np.random.default_rng(1)
    for added, taken in ((0, 0), (2, 1), (1, 0), (0, 2)):
        rows = aligned(generator.integers(-30_000, 30_000, (ROWS, WIDTH)).astype(np.int16))
        rows[:5] = generator.integers(-100, 400, (5, WIDTH))
        weights = aligned(generator.integers(-127, 128, WIDTH).astype(np.int16))
        lists = np.array([rows[number].ctypes.data for number in (1, 2, 3, 4)], np.int64)
        before, sums = rows.copy(), np.zeros(4, np.int64)
        operate(rows.ctypes.data, weights.ctypes.data, 2 * WIDTH, lists.ctypes.data, sums, added, taken)
        base, one, two, three, four = before[:5]
        expected = (base, base + one - two, base + one - two - three, base + one + two - three - four)
        assert sums.tolist() == [activated(row, weights) for row in expected]
        assert np.array_equal(rows[5:8], expected[1:])
        listed = before[9] + before[1:1 + added].sum(0, np.int16) - before[3:3 + taken].sum(0, np.int16)
        assert np.array_equal(rows[8], listed) and np.array_equal(rows[9], listed)
        assert np.array_equal(rows[:5], before[:5])


def layer_door_to(form: VectorIsa | None):
    """A function that updates by rows of bytes, multiplies the pairs, and runs both small layers on the products."""
    run = row_operations(form)
    pairs_of, first_layer, second_layer, apply_bytes = run.pairs_of, run.first_layer, run.second_layer, run.apply_bytes
    pairs_move, pairs_capture, pairs_castle = run.pairs_move, run.pairs_capture, run.pairs_castle
    bytes_move, bytes_capture, bytes_castle = run.bytes_move, run.bytes_capture, run.bytes_castle

    def operate(places, size, sums):
        rows, features, cells, limits = places[0], places[1], places[2], places[3]
        weights, biases, outputs, lists = places[4], places[5], places[6], places[7]
        one, two, three, four = (features, features + (size >> 1), features + size, features + 3 * (size >> 1))
        width = size >> 2
        pairs_of(rows, cells, limits, size)
        bytes_move(rows + size, rows, one, two, size)
        bytes_capture(rows + 2 * size, rows, one, two, three, size)
        bytes_castle(rows + 3 * size, rows, one, two, three, four, size)
        pairs_move(rows + 4 * size, rows, one, two, cells + width, limits, size)
        pairs_capture(rows + 5 * size, rows, one, two, three, cells + 2 * width, limits, size)
        pairs_castle(rows + 6 * size, rows, one, two, three, four, cells + 3 * width, limits, size)
        apply_bytes(rows + 7 * size, rows + 8 * size, lists, 2, lists + 16, 1, size)
        first_layer(cells + 4 * width, cells + 4 * width + 8, cells, weights, biases, 4 * width)
        sums[0] = second_layer(cells + 4 * width, weights, biases, outputs, 16)

    operate.__qualname__ = f"layers_{form}"
    return entry(array_type("i8"), int64, array_type("i8"))(operate)


def pairs(row, limits):
    left, right = np.split(row.astype(np.int64), 2)
    most_left, most_right, shift, _ = np.repeat(limits, 64, 0).T.astype(np.int64)
    return np.clip(left, 0, most_left) * np.clip(right, 0, most_right) >> shift


@pytest.mark.parametrize("form", forms_of_the_host(), ids=str)
def test_every_form_has_the_same_layers(form):
    operate = layer_door_to(form)
    generator = np.random.default_rng(2)
    limits = np.array([[255, 255, 9, 0], [63, 127, 6, 0]], np.int16)
    for largest in (2, 20, 127):
        rows = aligned(generator.integers(-200, 400, (9, 256)).astype(np.int16))
        rows[0, :64] = rows[0, 128:192] = 255 if largest == 127 else 100
        features = aligned(generator.integers(-128, 128, (4, 256)).astype(np.int8))
        weights = aligned(generator.integers(-largest - 1, largest + 1, 8 * 512).astype(np.int8))
        biases = aligned(generator.integers(-9_000, 9_000, 8).astype(np.int32))
        outputs = aligned(generator.integers(-32_768, 32_768, 8).astype(np.int32))
        lists = np.array([features[number].ctypes.data for number in range(3)], np.int64)
        cells, sums = aligned(np.zeros(640, np.uint8)), np.zeros(1, np.int64)
        base, kept, (one, two, three, four) = rows[0].copy(), rows[8].copy(), features.astype(np.int16)
        arrays = (rows, features, cells, limits, weights, biases, outputs, lists)
        operate(np.array([array.ctypes.data for array in arrays], np.int64), 512, sums)
        expected = base, base + one - two, base + one - two - three, base + one + two - three - four
        assert np.array_equal(rows[1:4], expected[1:]) and np.array_equal(rows[4:7], expected[1:])
        assert np.array_equal(rows[7], kept + one + two - three) and np.array_equal(rows[8], rows[7])
        inputs = np.concatenate([pairs(row, limits) for row in expected])
        assert np.array_equal(cells[:512], inputs)
        blocks = weights.reshape(64, 8, 8).astype(np.int64)
        found = np.einsum("gc,goc->o", inputs.reshape(64, 8), blocks) + biases
        assert np.array_equal(cells[512:520], np.clip(found >> 6, 0, 127))
        assert np.array_equal(cells[520:528], np.clip(found, -8128, 8128) ** 2 >> 19)
        second = np.einsum("gc,goc->o", cells[512:528].reshape(2, 8).astype(np.int64), blocks[:2]) + biases
        assert sums[0] == np.clip(second, 0, 8128) @ outputs.astype(np.int64)


def assembly_of(triple: str, cpu: str) -> tuple[VectorIsa, str]:
    """(form, machine code as text) of the update with output, compiled for another processor."""
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, opt=2)
    form = vector_isa_of(machine)
    module = ir.Module()
    module.triple = triple
    function = ir.Function(module, ir.FunctionType(ir.IntType(64), [ir.IntType(64)] * 6), "update")
    emitter = RowEmitter(form, ir.IRBuilder(function.append_basic_block()))
    target, source, added, taken, weights, size = function.args
    emitter.builder.ret(emitter.add_up(target, source, [added], [taken], weights, size))
    return form, machine.emit_assembly(llvm.parse_assembly(str(module)))


@pytest.mark.parametrize(("cpu", "lanes", "instruction", "register"), [
    ("x86-64", 8, "pmaddwd", "xmm"), ("x86-64-v3", 16, "vpmaddwd", "ymm"), ("x86-64-v4", 32, "vpmaddwd", "zmm")])
def test_the_form_follows_the_processor_that_is_compiled_for(cpu, lanes, instruction, register):
    form, assembly = assembly_of("x86_64-unknown-linux-gnu", cpu)
    assert form.lanes == lanes
    assert any(line.split()[0] == instruction and register in line for line in assembly.splitlines() if line.strip())


def test_aarch64_multiplies_and_adds_in_one_instruction():
    form, assembly = assembly_of("aarch64-unknown-linux-gnu", "generic")
    assert form == PORTABLE
    assert "smlal2" in assembly


@pytest.mark.parametrize(("triple", "cpu", "instruction"), [
    ("aarch64-unknown-linux-gnu", "neoverse-n1", "sdot"), ("aarch64-unknown-linux-gnu", "generic", "smull"),
    ("x86_64-unknown-linux-gnu", "x86-64-v3", "vpmaddubsw"), ("x86_64-unknown-linux-gnu", "x86-64-v4", "vpmaddubsw")])
def test_layers_multiply_bytes(triple, cpu, instruction):
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, opt=2)
    module = ir.Module()
    module.triple = triple
    function = ir.Function(module, ir.FunctionType(ir.IntType(64), [ir.IntType(64)] * 5), "layer")
    emitter = LayerEmitter(vector_isa_of(machine), ir.IRBuilder(function.append_basic_block()))
    cells, weights, biases, outputs, count = function.args
    emitter.builder.ret(emitter.output(emitter.sums(cells, weights, biases, count, 64), outputs, 8128))
    assert instruction in machine.emit_assembly(llvm.parse_assembly(str(module)))
