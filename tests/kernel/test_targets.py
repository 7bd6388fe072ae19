"""Machine code for this processor and others: its instructions and the symbols it calls."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np
import pytest
from numba.core.errors import NumbaError
from numba.core.types.functions import BaseFunction

from engine.core.fen import START_FEN, parse_fen
from engine.core.movegen import empty_move_list
from engine.core.perft import BULK, perft
from engine.kernel import compiler, entry, int64, kernel, targets
from engine.kernel.codefile import symbol_of
from engine.kernel.intrinsics import add_atomic_i64, load_acquire, load_atomic, popcount, store_release
from engine.kernel.signature import Declaration, bind
from engine.kernel.targets import BASELINES, Baseline, Loader
from eval.network.row_ops import pairs_of

LINUX = {"x86_64": "x86_64-unknown-linux-gnu", "aarch64": "aarch64-unknown-linux-gnu"}
IN_TEXT, UNDEFINED = 2, 0  # of ELF: the type of a function, the section of what is elsewhere


@entry(int64, int64)
def instructions(address, word):
    """One operation of each group that differs between processors."""
    store_release(address, load_acquire(word) + load_atomic(address + 8))
    add_atomic_i64(address + 16, 1)
    return popcount(np.uint64(word))


def object_for(baseline: Baseline, point=instructions) -> bytes:
    machine = targets.machine(baseline, LINUX[baseline.architecture])
    return compiler.emit_object_code(compiler.to_bitcode(point.declaration), machine).object_code


def sections(code: bytes) -> Iterator[tuple[int, int, int, int]]:
    """(type, offset, size, link) of the sections of an ELF object."""
    assert code[:6] == b"\x7fELF\x02\x01"
    start, = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    for number in range(count):
        section_type, = struct.unpack_from("<I", code, start + number * size + 4)
        offset, length, link = struct.unpack_from("<QQI", code, start + number * size + 24)
        yield section_type, offset, length, link


def undefined_symbols(code: bytes) -> set[str]:
    found, everything = set(), list(sections(code))
    for section_type, offset, length, link in everything:
        if section_type == 2:  # the table of symbols
            names = everything[link][1]
            for symbol in range(offset, offset + length, 24):
                name, _, _, section = struct.unpack_from("<IBBH", code, symbol)
                if section == UNDEFINED and name:
                    found.add(code[names + name:code.index(b"\0", names + name)].decode())
    return found


@pytest.mark.parametrize("baseline", BASELINES, ids=lambda baseline: baseline.name)
@pytest.mark.parametrize("point", [instructions, perft], ids=lambda point: point.name)
def test_machine_code_calls_only_known_symbols(baseline, point):
    assert undefined_symbols(object_for(baseline, point)) <= targets.RUNTIME_SYMBOLS


def words_of(code: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(code) // 4}I", code[: len(code) // 4 * 4]))


@pytest.mark.parametrize("baseline", targets.baselines_of("aarch64-linux"), ids=lambda baseline: baseline.name)
def test_publishing_is_ordered_on_aarch64(baseline):
    words = words_of(object_for(baseline))
    assert any(word & 0xFFFFFC00 == 0xC8DFFC00 for word in words), "ldar: a load that later ones cannot overtake"
    assert any(word & 0xFFFFFC00 == 0xC89FFC00 for word in words), "stlr: a store that waits for earlier ones"


def test_only_armv8_2_has_atomic_add_instructions():
    def has_ldadd(baseline: Baseline) -> bool:
        return any(word & 0xFF20FC00 == 0xF8200000 for word in words_of(object_for(baseline)))

    assert {baseline.name: has_ldadd(baseline) for baseline in targets.baselines_of("aarch64-linux")} == {
        "armv8.2-a": True, "armv8-a": False}


def test_the_tables_of_endings_are_published_in_order():
    from tablebase.background_reader import publish
    from tablebase.probe import position_outcome
    from tablebase.syzygy.probe_wdl import wdl_entry

    arm = targets.baselines_of("aarch64-linux")[0]
    for reader in (position_outcome, wdl_entry):
        assert any(word & 0xFFFFFC00 == 0xC8DFFC00 for word in words_of(object_for(arm, reader))), reader.name
    assert any(word & 0xFFFFFC00 == 0xC89FFC00 for word in words_of(object_for(arm, publish)))


def test_machine_code_of_a_baseline_runs_here():
    """Code made by `build` is loaded by the same loader, and has the same perft as native code."""
    position, out = parse_fen(START_FEN), empty_move_list()
    for baseline in targets.baselines_of(targets.triple()):
        if not targets.missing_features(baseline):
            code = compiler.emit_object_code(compiler.to_bitcode(perft.declaration), targets.machine(baseline))
            loader = Loader()  # the code lives as long as this does
            address = loader.load(code.object_code, symbol_of(code.name))
            count = bind(address, perft.declaration.arguments, code.results, code.is_tuple)
            assert count(position, out, 4, BULK) == 197_281


@entry(int64, int64, int64, int64)
def pairs(row, cells, limits, size):
    """An operation whose instructions depend on the processor."""
    pairs_of(row, cells, limits, size)


@pytest.mark.parametrize("baseline", BASELINES, ids=lambda baseline: baseline.name)
def test_another_process_generates_code_from_specialised_bitcode(baseline, monkeypatch):
    machine = targets.machine(baseline, LINUX[baseline.architecture])
    bitcode = compiler.to_bitcode(pairs.declaration)
    specialized, here = compiler.specialize(bitcode, machine), compiler.emit_object_code(bitcode, machine)
    monkeypatch.setattr(compiler, "_late", {})  # as in a process that has not imported the sources
    assert compiler.emit_object_code(specialized, machine) == here
    with pytest.raises(KeyError):
        compiler.emit_object_code(bitcode, machine)


def allocating(count):
    return np.zeros(count).size


def test_a_kernel_that_needs_numba_is_refused():
    with pytest.raises(NumbaError):
        compiler.to_bitcode(Declaration("tests.allocating", allocating, (int64,)))


@kernel
def _even(count):
    if count == 0:
        return np.int64(1)
    return _odd(count - 1)


@kernel
def _odd(count):
    if count == 0:
        return np.int64(0)
    return _even(count - 1)


def is_even(count):
    return _even(count)


def test_mutually_recursive_kernels_are_refused():
    with pytest.raises(TypeError, match="mutually recursive"):
        compiler.compile_entry(Declaration("tests.is_even", is_even, (int64,)))


def test_numba_outside_the_project_is_unchanged():
    resolve = BaseFunction.get_call_type
    compiler.to_bitcode(perft.declaration)
    assert BaseFunction.get_call_type is resolve
