"""The two layers of the policy, as intrinsics that kernels call; `emission` emits their vector code."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from eval.network.vectors import declare_operation
from eval.policy.file import QA

if TYPE_CHECKING:
    from eval.network.emission import Form
    from eval.policy.emission import PolicyEmitter

Value = Any  # of LLVM
_ROWS = ("path", "place", "trait", "danger")


def _emitter(form: Form, builder: Any) -> PolicyEmitter:
    from eval.policy.emission import PolicyEmitter

    return PolicyEmitter(form, builder)


def _emit_hidden(emitter: PolicyEmitter, given: dict[str, Value]) -> None:
    emitter.hidden(given["target"], given["biases"], given["rows"], given["count"], given["width"], QA)


def _emit_dot(emitter: PolicyEmitter, given: dict[str, Value]) -> Value:
    return emitter.dot(given["cells"], [given[name] for name in _ROWS], given["width"])


def policy_operations(form: Form | None = None) -> SimpleNamespace:
    """Both operations in one form; by default that of the processor for which the calling kernel is compiled."""
    return SimpleNamespace(
        hidden_cells=declare_operation("target biases rows count width", _emit_hidden, False, form, _emitter,
                                       "target = clamp(biases + rows whose addresses are listed, 0, QA) squared."),
        move_score=declare_operation(" ".join(("cells", *_ROWS, "width")), _emit_dot, True, form, _emitter,
                                     "Sum of cells * (sum of the rows)."))


_operations = policy_operations()
hidden_cells, move_score = _operations.hidden_cells, _operations.move_score
