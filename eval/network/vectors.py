"""Sums over whole rows of int16, as intrinsics that kernels call; `emission` emits their vector code.

A row is given by its address and its size in bytes; addresses and sizes are multiples of 128. All forms give the same
integers on every machine: additions wrap around at 16 bits, sums of products at 32. The form depends on the processor
that a kernel is compiled for, which need not be this one.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from engine.kernel import LateIntrinsic, int64

if TYPE_CHECKING:
    from eval.network.emission import Emitter, Form

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


def _updater(added: int, taken: int, form: Form | None, *, with_output: bool) -> Any:
    added_names = [f"added_{number}" for number in range(added)]
    taken_names = [f"taken_{number}" for number in range(taken)]

    def emit(emitter: Emitter, rows: dict[str, Value]) -> Value | None:
        return emitter.add_up(rows["target"], rows["source"], [rows[name] for name in added_names],
                              [rows[name] for name in taken_names], rows.get("weights"), rows["size"])

    names = ["target", "source", *added_names, *taken_names, *(["weights"] if with_output else []), "size"]
    doc = "target = source + added rows - taken rows" + ("; returns `screlu_dot` of it." if with_output else ".")
    return declare_operation(" ".join(names), emit, with_output, form, _emitter, doc)


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
                                               "target = source."))
    for name, added, taken in (("move", 1, 1), ("capture", 1, 2), ("castle", 2, 2)):
        setattr(operations, f"update_{name}", _updater(added, taken, form, with_output=False))
        setattr(operations, f"output_{name}", _updater(added, taken, form, with_output=True))
    return operations


_operations = row_operations()
screlu_dot, apply_rows = _operations.screlu_dot, _operations.apply_rows
update_move, output_move = _operations.update_move, _operations.output_move
update_capture, output_capture = _operations.update_capture, _operations.output_capture
update_castle, output_castle = _operations.update_castle, _operations.output_castle
