"""Where trainings run: torch, if it is installed, and the devices that it knows."""

from __future__ import annotations

from typing import Any

from engine.core.errors import InputError, quote

PROCESSOR = "cpu"


def require_torch(what: str) -> Any:
    """The module torch; InputError if it is not installed, though `what` needs it."""
    try:
        import torch
    except ImportError as error:
        raise InputError(f"{what} needs torch: pip install '.[train]', where the sources are") from error
    return torch


def find_device(name: str | None) -> str:
    """The device of that name, or by default a GPU if there is one; InputError if torch has none of that name."""
    if name is None:
        return _best_device()
    if name == PROCESSOR:
        return name
    torch = require_torch("--device")
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise InputError(f"--device {quote(name)}: {str(error).splitlines()[0]}") from error
    return name


def _best_device() -> str:
    try:
        import torch
    except ImportError:
        return PROCESSOR
    return "cuda" if torch.cuda.is_available() else PROCESSOR
