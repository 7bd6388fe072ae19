"""Files of tensors, for checkpoints and teachers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from engine.core.errors import InputError
from engine.files import replacing


def save_tensors(content: dict[str, Any], path: Path) -> None:
    """Write a file for `torch.load`; InputError if that fails. An incomplete one never replaces another."""
    try:
        with replacing(path) as file:
            torch.save(content, file)
    except RuntimeError as error:  # what torch makes of an OSError
        raise InputError(f"cannot write {path}: {str(error).splitlines()[0]}") from error
