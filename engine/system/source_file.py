"""Run a Python file of the user's as a module."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType


class _FromSource(SourceFileLoader):
    """Neither reads nor leaves bytecode.

    Python takes bytecode for current as long as the source keeps its size and the second it was written in, and a
    file saved twice may do so: another file than the one on the disk would run.
    """

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def run_file(path: Path, name: str) -> ModuleType:
    """Run the file, whatever its name ends in, as the module `name`; what it raises is raised."""
    spec = importlib.util.spec_from_file_location(name, path, loader=_FromSource(name, str(path)))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
