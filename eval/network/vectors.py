"""Sums over whole rows of int16, and small layers of bytes, as intrinsics that kernels call.

`emission` and `layer_emission` emit their vector code. A row is given by its address and its size in bytes; addresses
and sizes are multiples of 128. All forms give the same integers on every machine: additions wrap around at 16 bits,
sums of products at 32. The form depends on the processor that a kernel is compiled for, which need not be this one.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from engine.kernel import LateIntrinsic, int64
from eval.network.file import PAIR_BITS, QC, QS, SQUARE_BITS, SUM_BITS

if TYPE_CHECKING:
    from eval.network.emission import Emitter, Form
    from eval.network.layer_emission import LayerEmitter

Value = Any  # of LLVM


def declare_operation(names: str, write: Callable[[Any, dict[str, Value]], Value | None], has_result: bool,
                      form: Form | None, emitter: Callable[[Form, Any], Any], doc: str) -> Any:
    """An intrinsic with int64 arguments of these names, in the given form or that of the target processor.

    `emitter` makes what `write` emits with.
    """
    parameters = names.split()

    def emit(builder: Any, machine: Any, *values: Value) -> Value | None:
        from eval.network.emission import form_of

        return write(emitter(form or form_of(machine), builder), dict(zip(parameters, values, strict=True)))

    emit.__doc__ = doc
    return LateIntrinsic(emit, int64 if has_result else None, (int64,) * len(parameters))


def _emitter(form: Form, builder: Any) -> Emitter:
    from eval.network.emission import Emitter

    return Emitter(form, builder)


def _layer_emitter(form: Form, builder: Any) -> LayerEmitter:
    from eval.network.layer_emission import LayerEmitter

    return LayerEmitter(form, builder)


def _row_names(added: int, taken: int) -> tuple[list[str], list[str]]:
    return [f"added_{number}" for number in range(added)], [f"taken_{number}" for number in range(taken)]


def _updater(added: int, taken: int, form: Form | None, *, with_output: bool) -> Any:
    added_names, taken_names = _row_names(added, taken)

    def emit(emitter: Emitter, rows: dict[str, Value]) -> Value | None:
        return emitter.add_up(rows["target"], rows["source"], [rows[name] for name in added_names],
                              [rows[name] for name in taken_names], rows.get("weights"), rows["size"])

    names = ["target", "source", *added_names, *taken_names, *(["weights"] if with_output else []), "size"]
    doc = "target = source + added rows - taken rows" + ("; returns `screlu_dot` of it." if with_output else ".")
    return declare_operation(" ".join(names), emit, with_output, form, _emitter, doc)


def _pairing_updater(added: int, taken: int, form: Form | None) -> Any:
    added_names, taken_names = _row_names(added, taken)

    def emit(emitter: LayerEmitter, rows: dict[str, Value]) -> None:
        lists = [rows[name] for name in added_names], [rows[name] for name in taken_names]
        emitter.add_up_pairs(rows["target"], rows["source"], lists, rows["cells"], rows["size"], PAIR_BITS)

    names = ["target", "source", *added_names, *taken_names, "cells", "size"]
    doc = "target = source + added rows - taken rows; cells = `pairs_of` it."
    return declare_operation(" ".join(names), emit, False, form, _layer_emitter, doc)


def _emit_pairs(emitter: LayerEmitter, rows: dict[str, Value]) -> None:
    emitter.add_up_pairs(None, rows["row"], ([], []), rows["cells"], rows["size"], PAIR_BITS)


def _emit_first(emitter: LayerEmitter, given: dict[str, Value]) -> None:
    emitter.first_layer(given, given["squared"], (SUM_BITS, SQUARE_BITS), (QC, QS))


def _emit_second(emitter: LayerEmitter, given: dict[str, Value]) -> Value:
    return emitter.second_layer(given, QS)


def _emit_dot(emitter: Emitter, rows: dict[str, Value]) -> Value | None:
    return emitter.add_up(None, rows["row"], [], [], rows["weights"], rows["size"])


def _emit_apply(emitter: Emitter, rows: dict[str, Value]) -> None:
    emitter.apply_list(rows["target"], rows["source"], (rows["added"], rows["taken"]),
                       (rows["added_count"], rows["taken_count"]), rows["size"])


def row_operations(form: Form | None = None) -> SimpleNamespace:
    """All operations in one form; by default that of the processor for which the calling kernel is compiled."""
    operations = SimpleNamespace(
        screlu_dot=declare_operation("row weights size", _emit_dot, True, form, _emitter,
                                     "Sum of clamp(row, 0, 255)^2 * weights, with |weights| <= 127."),
        apply_rows=declare_operation("target source added added_count taken taken_count size", _emit_apply, False, form,
                                     _emitter, "Add and subtract rows whose addresses are listed to and from `source`; "
                                               "target = source."),
        pairs_of=declare_operation("row cells size", _emit_pairs, False, form, _layer_emitter,
                                   "cells = clamp(row, 0, 255) by halves, multiplied and shifted down to 0 to 127."),
        first_layer=declare_operation("target squared cells weights biases count", _emit_first, False, form,
                                      _layer_emitter, "Eight outputs of the first small layer, clamped and squared."),
        second_layer=declare_operation("cells weights biases outputs count", _emit_second, True, form, _layer_emitter,
                                       "What eight outputs of the second small layer add to the network's output."))
    for name, added, taken in (("move", 1, 1), ("capture", 1, 2), ("castle", 2, 2)):
        setattr(operations, f"update_{name}", _updater(added, taken, form, with_output=False))
        setattr(operations, f"output_{name}", _updater(added, taken, form, with_output=True))
        setattr(operations, f"pairs_{name}", _pairing_updater(added, taken, form))
    return operations


_operations = row_operations()
screlu_dot, apply_rows = _operations.screlu_dot, _operations.apply_rows
pairs_of, first_layer, second_layer = _operations.pairs_of, _operations.first_layer, _operations.second_layer
update_move, output_move, pairs_move = _operations.update_move, _operations.output_move, _operations.pairs_move
update_capture, output_capture = _operations.update_capture, _operations.output_capture
pairs_capture, pairs_castle = _operations.pairs_capture, _operations.pairs_castle
update_castle, output_castle = _operations.update_castle, _operations.output_castle
