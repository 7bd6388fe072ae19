"""Accumulator updates, pairwise products and the small layers, as intrinsics that kernels call.

simd_layers.py emits their vector code. An accumulator is a row of int16, given by its address, a multiple of 128, and
its size in bytes, a multiple of 256, since each half holds one cell of every pair; a row of feature weights has as many
int8. All vector ISAs give the same integers: accumulators wrap around at 16 bits, sums of products at 32. The ISA is
that of the processor that a kernel is compiled for, which may differ from the one that compiles.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from engine.kernel import LateIntrinsic, int64
from eval.network.file import QUANT_CELL, QUANT_SUM, SQUARE_BITS, SUM_BITS
from eval.network.layout import FIRST_STEP, SECOND_STEP

if TYPE_CHECKING:
    from eval.network.simd import VectorIsa
    from eval.network.simd_layers import LayerEmitter

Value = Any  # of LLVM


def declare_operation(names: str, write: Callable[[Any, dict[str, Value]], Value | None], has_result: bool,
                      form: VectorIsa | None, emitter: Callable[[VectorIsa, Any], Any], doc: str) -> Any:
    """An intrinsic with int64 arguments of these names, for the given vector ISA or that of the target processor.

    `emitter` creates the emitter that `write` uses.
    """
    parameters = names.split()

    def emit(builder: Any, machine: Any, *values: Value) -> Value | None:
        from eval.network.simd import vector_isa_of

        return write(emitter(form or vector_isa_of(machine), builder), dict(zip(parameters, values, strict=True)))

    emit.__doc__ = doc
    return LateIntrinsic(emit, int64 if has_result else None, (int64,) * len(parameters))


def _layer_emitter(form: VectorIsa, builder: Any) -> LayerEmitter:
    from eval.network.simd_layers import LayerEmitter

    return LayerEmitter(form, builder)


_CHANGES = "added second_added removed second_removed"
_CHANGES_DOC = "target = source + added rows - removed rows, the second ones 0 where there is none"


def _changes(given: dict[str, Value]) -> tuple[tuple[Value, Value], tuple[Value, Value]]:
    """(added rows, removed rows)."""
    return (given["added"], given["second_added"]), (given["removed"], given["second_removed"])


def _emit_update(emitter: LayerEmitter, given: dict[str, Value]) -> None:
    emitter.by_move_type(*_changes(given), lambda rows: emitter.add_up(
        given["target"], given["source"], rows, given["size"]))


def _emit_update_pairs(emitter: LayerEmitter, given: dict[str, Value]) -> None:
    emitter.by_move_type(*_changes(given), lambda rows: emitter.add_up_pairs(
        given["target"], given["source"], rows, given["cells"], given["limits"], given["size"]))


def _emit_pairs(emitter: LayerEmitter, rows: dict[str, Value]) -> None:
    emitter.add_up_pairs(None, rows["row"], ([], []), rows["cells"], rows["limits"], rows["size"])


def _emit_first(emitter: LayerEmitter, given: dict[str, Value]) -> None:
    sums = emitter.sums(given["cells"], given["weights"], given["biases"], given["count"], FIRST_STEP)
    emitter.store_both(sums, given["target"], given["squared"], (SUM_BITS, SQUARE_BITS), (QUANT_CELL, QUANT_SUM))


def _emit_second(emitter: LayerEmitter, given: dict[str, Value]) -> Value:
    sums = emitter.sums(given["cells"], given["weights"], given["biases"], given["count"], SECOND_STEP)
    return emitter.output(sums, given["outputs"], QUANT_SUM)


def _emit_apply(emitter: LayerEmitter, rows: dict[str, Value]) -> None:
    emitter.apply_list(rows["target"], rows["source"], (rows["added"], rows["removed"]),
                       (rows["added_count"], rows["removed_count"]), rows["size"])


def row_operations(form: VectorIsa | None = None) -> SimpleNamespace:
    """All operations for one vector ISA, by default that of the processor for which the calling kernel is compiled."""
    def declare(names: str, write: Callable[[Any, dict[str, Value]], Value | None], doc: str, *,
                has_result: bool = False) -> Any:
        return declare_operation(names, write, has_result, form, _layer_emitter, doc)

    return SimpleNamespace(
        update_row=declare(f"target source {_CHANGES} size", _emit_update, f"{_CHANGES_DOC}."),
        update_pairs=declare(f"target source {_CHANGES} cells limits size", _emit_update_pairs,
                             f"{_CHANGES_DOC}; cells = `pairs_of` target."),
        apply_rows=declare("target source added added_count removed removed_count size", _emit_apply,
                           "Add and subtract rows whose addresses are listed to and from `source`; target = source."),
        pairs_of=declare("row cells limits size", _emit_pairs,
                         "cells = the halves of a row, clamped to 0 and `limits`, multiplied, and shifted down to 0 to "
                         "127."),
        first_layer=declare("target squared cells weights biases count", _emit_first,
                            "target[0:8] = clamped cells, squared[0:8] = squared cells, of eight sums: `count` cells, "
                            "a multiple of 64, by int8 weights [group of cells][output][cell], aligned to 64 bytes."),
        second_layer=declare("cells weights biases outputs count", _emit_second,
                             "The contribution of eight such sums, of a multiple of 16 cells, clamped, to the output: "
                             "the total of their products with int32 `outputs`, as int64.", has_result=True))


_operations = row_operations()
update_row, update_pairs, apply_rows = _operations.update_row, _operations.update_pairs, _operations.apply_rows
pairs_of, first_layer, second_layer = _operations.pairs_of, _operations.first_layer, _operations.second_layer
