"""Row operations: all forms against NumPy, and the machine code that other processors get."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from llvmlite import binding as llvm
from llvmlite import ir

from engine.kernel import array_type, entry, int64, targets
from eval.network.row_ops import row_operations
from eval.network.simd import AVX2, AVX2_VNNI, AVX512, AVX512_VNNI, DOTPROD, PORTABLE, SSE2, VectorIsa, vector_isa_of
from eval.network.simd_layers import LayerEmitter

X86, AARCH64 = "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()


def host_machine() -> llvm.TargetMachine:
    return targets.machine(None)


def forms_of_the_host() -> list[VectorIsa | None]:
    """None is what kernels take; wider vectors than the processor has are cut into pieces by LLVM."""
    widest = vector_isa_of(host_machine())
    own = [form for form in (SSE2, AVX2, AVX512) if widest.multiply_add and form.lanes <= widest.lanes]
    own += {DOTPROD: [DOTPROD], AVX2_VNNI: [AVX2_VNNI], AVX512_VNNI: [AVX512_VNNI, AVX2_VNNI]}.get(widest, [])
    return [None, PORTABLE, VectorIsa(16), VectorIsa(32), *own]


def aligned(array):
    room = np.zeros(array.nbytes + 128, np.uint8)
    start = -room.ctypes.data % 128
    copy = room[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def door_to(form: VectorIsa | None):
    """A function that updates by rows of bytes, multiplies the pairs, and runs both small layers on the products."""
    run = row_operations(form)
    update_row, update_pairs, apply_rows = run.update_row, run.update_pairs, run.apply_rows
    pairs_of, first_layer, second_layer = run.pairs_of, run.first_layer, run.second_layer

    def operate(places, size, counts, sums):
        rows, features, cells, limits = places[0], places[1], places[2], places[3]
        weights, biases, outputs, lists = places[4], places[5], places[6], places[7]
        one, two, three, four = (features, features + (size >> 1), features + size, features + 3 * (size >> 1))
        width = size >> 2
        pairs_of(rows, cells, limits, size)
        update_row(rows + size, rows, one, 0, two, 0, size)
        update_row(rows + 2 * size, rows, one, 0, two, three, size)
        update_row(rows + 3 * size, rows, one, two, three, four, size)
        update_pairs(rows + 4 * size, rows, one, 0, two, 0, cells + width, limits, size)
        update_pairs(rows + 5 * size, rows, one, 0, two, three, cells + 2 * width, limits, size)
        update_pairs(rows + 6 * size, rows, one, two, three, four, cells + 3 * width, limits, size)
        apply_rows(rows + 7 * size, rows + 8 * size, lists, counts[0], lists + 16, counts[1], size)
        first_layer(cells + 4 * width, cells + 4 * width + 8, cells, weights, biases, 4 * width)
        sums[0] = second_layer(cells + 4 * width, weights, biases, outputs, 16)

    operate.__qualname__ = f"operate_{form}"  # each is an entry of its own
    return entry(array_type("i8"), int64, array_type("i8"), array_type("i8"))(operate)


def pairs(row, limits):
    left, right = np.split(row.astype(np.int64), 2)
    most_left, most_right, shift, _ = np.repeat(limits, 64, 0).T.astype(np.int64)
    return np.clip(left, 0, most_left) * np.clip(right, 0, most_right) >> shift


@pytest.mark.parametrize("form", forms_of_the_host(), ids=str)
def test_every_form_gives_the_same_integers(form):
    operate = door_to(form)
    generator = np.random.default_rng(2)
    limits = np.array([[255, 255, 9, 0], [63, 127, 6, 0]], np.int16)
    for largest, added, removed in ((2, 2, 1), (20, 0, 2), (127, 1, 0), (127, 0, 0)):
        rows = aligned(generator.integers(-200, 400, (9, 256)).astype(np.int16))
        rows[8] = generator.integers(-32_768, 32_768, 256)  # wraps around
        rows[0, :64] = rows[0, 128:192] = 255 if largest == 127 else 100
        features = aligned(generator.integers(-128, 128, (4, 256)).astype(np.int8))
        weights = aligned(generator.integers(-largest - 1, largest + 1, 8 * 512).astype(np.int8))
        biases = aligned(generator.integers(-9_000, 9_000, 8).astype(np.int32))
        outputs = aligned(generator.integers(-32_768, 32_768, 8).astype(np.int32))
        lists = np.array([features[number].ctypes.data for number in range(4)], np.int64)
        cells, sums = aligned(np.zeros(640, np.uint8)), np.zeros(1, np.int64)
        base, kept, (one, two, three, four) = rows[0].copy(), rows[8].copy(), features.astype(np.int16)
        arrays = (rows, features, cells, limits, weights, biases, outputs, lists)
        operate(np.array([array.ctypes.data for array in arrays], np.int64), 512, np.array([added, removed]), sums)
        expected = base, base + one - two, base + one - two - three, base + one + two - three - four
        assert np.array_equal(rows[1:4], expected[1:]) and np.array_equal(rows[4:7], expected[1:])
        listed = kept + features[:added].sum(0, np.int16) - features[2:2 + removed].sum(0, np.int16)
        assert np.array_equal(rows[7], listed) and np.array_equal(rows[8], listed)
        inputs = np.concatenate([pairs(row, limits) for row in expected])
        assert np.array_equal(cells[:512], inputs)
        blocks = weights.reshape(64, 8, 8).astype(np.int64)
        found = np.einsum("gc,goc->o", inputs.reshape(64, 8), blocks) + biases
        assert np.array_equal(cells[512:520], np.clip(found >> 6, 0, 127))
        assert np.array_equal(cells[520:528], np.clip(found, -8128, 8128) ** 2 >> 19)
        second = np.einsum("gc,goc->o", cells[512:528].reshape(2, 8).astype(np.int64), blocks[:2]) + biases
        assert sums[0] == np.clip(second, 0, 8128) @ outputs.astype(np.int64)


def assembly_of(triple: str, cpu: str, parameters: int, emit: Callable[..., ir.Value | None]) -> tuple[VectorIsa, str]:
    """(form, machine code as text) of what `emit` emits with so many int64, compiled for another processor."""
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, opt=2)
    form, module = vector_isa_of(machine), ir.Module()
    module.triple = triple
    function = ir.Function(module, ir.FunctionType(ir.IntType(64), [ir.IntType(64)] * parameters), "operation")
    emitter = LayerEmitter(form, ir.IRBuilder(function.append_basic_block()))
    emitter.builder.ret(emit(emitter, *function.args) or ir.IntType(64)(0))
    return form, machine.emit_assembly(llvm.parse_assembly(str(module)))


def emit_update(emitter: LayerEmitter, target, source, added, removed, cells, limits, size) -> None:
    emitter.add_up_pairs(target, source, ([added], [removed]), cells, limits, size)


@pytest.mark.parametrize(("triple", "cpu", "form", "instruction", "register"), [
    (X86, "x86-64", SSE2, "pmullw", "xmm"), (X86, "x86-64-v3", AVX2, "vpmullw", "ymm"),
    (X86, "x86-64-v4", AVX512, "vpmullw", "zmm"), (X86, "cascadelake", AVX512_VNNI, "vpmullw", "zmm"),
    (X86, "znver4", AVX512_VNNI, "vpmullw", "zmm"), (X86, "alderlake", AVX2_VNNI, "vpmullw", "ymm"),
    (AARCH64, "generic", PORTABLE, "mul", ".8h"),
    (AARCH64, "neoverse-n1", DOTPROD, "mul", ".8h")])
def test_the_form_follows_the_processor_that_is_compiled_for(triple, cpu, form, instruction, register):
    found, assembly = assembly_of(triple, cpu, 7, emit_update)
    assert found == form
    assert any(line.split()[0] == instruction and register in line for line in assembly.splitlines() if line.strip())


def emit_layer(emitter: LayerEmitter, cells, weights, biases, outputs, count) -> ir.Value:
    return emitter.output(emitter.sums(cells, weights, biases, count, 64), outputs, 8128)


@pytest.mark.parametrize(("triple", "cpu", "instruction"), [
    (AARCH64, "neoverse-n1", "sdot"), (AARCH64, "generic", "smull"), (X86, "x86-64-v3", "vpmaddubsw"),
    (X86, "x86-64-v4", "vpmaddubsw"), (X86, "cascadelake", "vpdpbusd"), (X86, "alderlake", "vpdpbusd")])
def test_layers_multiply_bytes(triple, cpu, instruction):
    assert instruction in assembly_of(triple, cpu, 5, emit_layer)[1]
