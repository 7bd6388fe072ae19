"""The two layers of the policy, as intrinsics that kernels call; simd.py emits their vector code."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from eval.network.row_ops import declare_operation
from eval.policy.file import QA

if TYPE_CHECKING:
    from eval.network.simd import VectorIsa
    from eval.policy.simd import FloatEmitter, PolicyEmitter

Value = Any  # of LLVM
_ROWS = ("from_to", "piece_to", "trait", "danger")


def _emitter(form: VectorIsa, builder: Any) -> PolicyEmitter:
    from eval.policy.simd import PolicyEmitter

    return PolicyEmitter(form, builder)


def _emit_hidden(emitter: PolicyEmitter, given: dict[str, Value]) -> None:
    emitter.hidden(given["target"], given["biases"], given["rows"], given["count"], given["width"], QA)


def _emit_dot(emitter: PolicyEmitter, given: dict[str, Value]) -> Value:
    return emitter.dot(given["cells"], [given[name] for name in _ROWS], given["width"])


def policy_operations(form: VectorIsa | None = None) -> SimpleNamespace:
    """Both operations for one vector ISA, by default that of the processor for which the calling kernel is compiled."""
    return SimpleNamespace(
        hidden_cells=declare_operation("target biases rows count width", _emit_hidden, False, form, _emitter,
                                       "target = clamp(biases + rows whose addresses are listed, 0, QA) squared."),
        move_score=declare_operation(" ".join(("cells", *_ROWS, "width")), _emit_dot, True, form, _emitter,
                                     "Sum of cells * (sum of the rows)."))


def _float_emitter(form: VectorIsa, builder: Any) -> FloatEmitter:
    from eval.policy.simd import FloatEmitter

    return FloatEmitter(form, builder)


def _declare_floats(names: str, write: Callable[[FloatEmitter, dict[str, Value]], None], doc: str) -> Any:
    return declare_operation(names, write, False, None, _float_emitter, doc)


def _emit_back(emitter: FloatEmitter, given: dict[str, Value]) -> None:
    tables = [given[name] for name in _ROWS], [given[f"{name}_gradient"] for name in _ROWS]
    emitter.push_back(given["factor"], given["cells"], given["slopes"], tables, given["width"])


add_rows = _declare_floats(
    "target rows count width", lambda emitter, given: emitter.add_rows(*given.values()),
    "Add the rows of floats whose addresses are listed to target.")
add_to_rows = _declare_floats(
    "rows count source width", lambda emitter, given: emitter.add_to_rows(*given.values()),
    "Add source to the rows of floats whose addresses are listed.")
weigh_move = _declare_floats(
    " ".join(("out", "cells", *_ROWS, "width")),
    lambda emitter, given: emitter.weigh(given["out"], given["cells"], [given[name] for name in _ROWS], given["width"]),
    "Write the sum of cells * (sum of the rows), all floats, to an address.")
push_back = _declare_floats(
    " ".join(("factor", "cells", "slopes", *_ROWS, *(f"{name}_gradient" for name in _ROWS), "width")), _emit_back,
    "Add factor, which is given by its address, times the rows to slopes, and factor times cells to their gradients.")

_operations = policy_operations()
hidden_cells, move_score = _operations.hidden_cells, _operations.move_score
