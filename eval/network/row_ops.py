"""Sums over whole rows of int16, and small layers of bytes, as intrinsics that kernels call.

`emission` and `layer_emission` emit their vector code. A row is given by its address and its size in bytes, which are
multiples of 128, or of 256 where its halves are multiplied. All forms give the same integers on every machine: rows
wrap around at 16 bits, sums of products at 32. The form depends on the processor that a kernel is compiled for, which
need not be this one.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from engine.kernel import LateIntrinsic, int64
from eval.network.file import QUANT_CELL, QUANT_SUM, SQUARE_BITS, SUM_BITS
from eval.network.layout import FIRST_STEP, SECOND_STEP

if TYPE_CHECKING:
    from eval.network.simd import RowEmitter, VectorIsa
    from eval.network.simd_layers import LayerEmitter

Value = Any  # of LLVM


def declare_operation(names: str, write: Callable[[Any, dict[str, Value]], Value | None], has_result: bool,
                      form: VectorIsa | None, emitter: Callable[[VectorIsa, Any], Any], doc: str) -> Any:
    """An intrinsic with int64 arguments of these names, in the given form or that of the target processor.

    `emitter` makes what `write` emits with.
    """
    parameters = names.split()

    def emit(builder: Any, machine: Any, *values: Value) -> Value | None:
        from eval.network.simd import vector_isa_of

        return write(emitter(form or vector_isa_of(machine), builder), dict(zip(parameters, values, strict=True)))

    emit.__doc__ = doc
    return LateIntrinsic(emit, int64 if has_result else None, (int64,) * len(parameters))


def _emitter(form: VectorIsa, builder: Any) -> RowEmitter:
    from eval.network.simd import RowEmitter

    return RowEmitter(form, builder)


def _layer_emitter(form: VectorIsa, builder: Any) -> LayerEmitter:
    from eval.network.simd_layers import LayerEmitter

    return LayerEmitter(form, builder)


_EXTRAS = {"update": [], "output": ["weights"], "bytes": [], "pairs": ["cells", "limits"]}  # arguments besides rows
_UPDATE_DOCS = {"update": ".", "output": "; returns `screlu_dot` of it.", "bytes": ", which are int8.",
                "pairs": ", which are int8; cells = `pairs_of` it."}


def _updater(kind: str, added: int, taken: int, form: VectorIsa | None) -> Any:
    added_names = [f"added_{number}" for number in range(added)]
    taken_names = [f"taken_{number}" for number in range(taken)]

    def emit(emitter: Any, rows: dict[str, Value]) -> Value | None:
        lists = [rows[name] for name in added_names], [rows[name] for name in taken_names]
        if kind == "pairs":
            emitter.add_up_pairs(rows["target"], rows["source"], lists, rows["cells"], rows["limits"], rows["size"])
            return None
        return emitter.add_up(rows["target"], rows["source"], *lists, rows.get("weights"), rows["size"])

    names = ["target", "source", *added_names, *taken_names, *_EXTRAS[kind], "size"]
    doc = f"target = source + added rows - taken rows{_UPDATE_DOCS[kind]}"
    return declare_operation(" ".join(names), emit, kind == "output", form,
                             _layer_emitter if kind in ("bytes", "pairs") else _emitter, doc)


def _emit_pairs(emitter: LayerEmitter, rows: dict[str, Value]) -> None:
    emitter.add_up_pairs(None, rows["row"], ([], []), rows["cells"], rows["limits"], rows["size"])


def _emit_first(emitter: LayerEmitter, given: dict[str, Value]) -> None:
    sums = emitter.sums(given["cells"], given["weights"], given["biases"], given["count"], FIRST_STEP)
    emitter.store_both(sums, given["target"], given["squared"], (SUM_BITS, SQUARE_BITS), (QUANT_CELL, QUANT_SUM))


def _emit_second(emitter: LayerEmitter, given: dict[str, Value]) -> Value:
    sums = emitter.sums(given["cells"], given["weights"], given["biases"], given["count"], SECOND_STEP)
    return emitter.output(sums, given["outputs"], QUANT_SUM)


def _emit_dot(emitter: RowEmitter, rows: dict[str, Value]) -> Value | None:
    return emitter.add_up(None, rows["row"], [], [], rows["weights"], rows["size"])


def _emit_apply(emitter: RowEmitter, rows: dict[str, Value]) -> None:
    emitter.apply_list(rows["target"], rows["source"], (rows["added"], rows["taken"]),
                       (rows["added_count"], rows["taken_count"]), rows["size"])


def row_operations(form: VectorIsa | None = None) -> SimpleNamespace:
    """All operations in one form; by default that of the processor for which the calling kernel is compiled."""
    listed = "target source added added_count taken taken_count size"
    operations = SimpleNamespace(
        screlu_dot=declare_operation("row weights size", _emit_dot, True, form, _emitter,
                                     "Sum of clamp(row, 0, 255)^2 * weights, with |weights| <= 127."),
        apply_rows=declare_operation(listed, _emit_apply, False, form, _emitter,
                                     "Add and subtract rows whose addresses are listed to and from `source`; "
                                     "target = source."),
        apply_bytes=declare_operation(listed, _emit_apply, False, form, _layer_emitter, "The same with rows of int8."),
        pairs_of=declare_operation("row cells limits size", _emit_pairs, False, form, _layer_emitter,
                                   "cells = the halves of a row, clamped to 0 and `limits`, multiplied, and shifted "
                                   "down to 0 to 127."),
        first_layer=declare_operation("target squared cells weights biases count", _emit_first, False, form,
                                      _layer_emitter, "target[0:8] = clamped cells, squared[0:8] = squared cells, of "
                                                      "eight sums: `count` cells, a multiple of 64, by int8 weights "
                                                      "[group of cells][output][cell], aligned to 64 bytes."),
        second_layer=declare_operation("cells weights biases outputs count", _emit_second, True, form, _layer_emitter,
                                       "What eight such sums, of a multiple of 16 cells, clamped, add to the "
                                       "network's output: the total of their products with int32 `outputs`, 64 bits "
                                       "wide."))
    for name, added, taken in (("move", 1, 1), ("capture", 1, 2), ("castle", 2, 2)):
        for kind in _EXTRAS:
            setattr(operations, f"{kind}_{name}", _updater(kind, added, taken, form))
    return operations


_operations = row_operations()
screlu_dot, apply_rows, apply_bytes = _operations.screlu_dot, _operations.apply_rows, _operations.apply_bytes
pairs_of, first_layer, second_layer = _operations.pairs_of, _operations.first_layer, _operations.second_layer
update_move, output_move = _operations.update_move, _operations.output_move
update_capture, output_capture = _operations.update_capture, _operations.output_capture
update_castle, output_castle = _operations.update_castle, _operations.output_castle
bytes_move, pairs_move = _operations.bytes_move, _operations.pairs_move
bytes_capture, pairs_capture = _operations.bytes_capture, _operations.pairs_capture
bytes_castle, pairs_castle = _operations.bytes_castle, _operations.pairs_castle
