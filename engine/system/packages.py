"""The packages of this installation, and modules of other programs that are in their way."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("engine", "eval", "book", "tablebase")
SOURCE_ROOT = Path(__file__).resolve().parents[2]


class ForeignModuleError(ImportError):
    """A module of another program has the name of one of these packages. The message is one line."""


def check_packages() -> None:
    """ForeignModuleError if Python finds another module, such as a user's `book.py`, instead of one of the packages."""
    for name in PACKAGES:
        location = _location(find_spec(name))
        if location is not None and not location.is_relative_to(SOURCE_ROOT / name):
            raise ForeignModuleError(f"{location} is in the way of the engine's package `{name}`: rename or move it")


def _location(spec: ModuleSpec | None) -> Path | None:
    """The file or folder of a module; None if it has none."""
    if spec is None:
        return None
    locations = [spec.origin] if spec.has_location else list(spec.submodule_search_locations or ())
    return Path(str(locations[0])).resolve() if locations else None
