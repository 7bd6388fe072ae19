"""The extras of the package: optional packages of some commands, and how to install them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from engine.system.errors import InputError

DISTRIBUTION = "adversary-chess"  # the name of the package for pip

# Extra -> the packages that it installs, by the names under which they are imported. A test holds that pyproject.toml
# says the same.
EXTRAS = {
    "coach": ("fsrs",),
    "web": ("starlette", "uvicorn", "websockets"),
    "class": ("jupyterlab", "nbclient", "ipykernel"),
    "lab": ("matplotlib", "selenium"),
    "train": ("torch",),
    "cluster": ("distributed",),
}

_CHECKOUT = Path(__file__).resolve().parents[2]


def missing_packages(extra: str) -> list[str]:
    """The packages of an extra that are not installed."""
    return [name for name in EXTRAS[extra] if importlib.util.find_spec(name) is None]


def install_command(*extras: str) -> str:
    """The command that installs extras: from the sources in a checkout, otherwise from the package index."""
    names = ",".join(extras)
    if (_CHECKOUT / "pyproject.toml").is_file():
        return f"pip install '.[{names}]' in {_CHECKOUT}"
    return f"pip install '{DISTRIBUTION}[{names}]'"


def missing_extra(what: str, extra: str, *packages: str) -> InputError:
    """The error that `what` needs these packages of an extra, with the command that installs it."""
    return InputError(f"{what} needs {' and '.join(packages)}; {install_command(extra)}")
