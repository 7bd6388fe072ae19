"""Start this program again in a new process: the code of this installation, whatever the current folder contains."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from engine.system.packages import SOURCE_ROOT

PROGRAM = "engine"
_PATH, _SAFE_PATH = "PYTHONPATH", "PYTHONSAFEPATH"


def own_command(words: Sequence[str] = (), module: str = PROGRAM) -> list[str]:
    """The command line that runs a module of this installation, by default `adversary WORDS`, in `own_environment`.

    Without -P Python would look for every module in the current folder first.
    """
    return [sys.executable, "-P", "-m", module, *words]


def own_environment(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for `own_command`, with these variables added.

    It names the folder of this installation, which may be a checkout that is not installed. Empty parts of PYTHONPATH,
    which mean the current folder, are left out.
    """
    path = [str(SOURCE_ROOT), *os.environ.get(_PATH, "").split(os.pathsep)]
    return {**os.environ, **(variables or {}), _PATH: os.pathsep.join(filter(None, path))}


def start_own(words: Sequence[str] = (), *, module: str = PROGRAM, variables: Mapping[str, str] | None = None,
              stdin: int = subprocess.DEVNULL, stderr: int | None = subprocess.PIPE) -> subprocess.Popen[str]:
    """Start a module of this installation, by default `adversary WORDS`; its stdout is piped, as text."""
    return subprocess.Popen(own_command(words, module), env=own_environment(variables), text=True, stdin=stdin,
                            stdout=subprocess.PIPE, stderr=stderr)


@contextmanager
def safe_path_for_children() -> Iterator[None]:
    """Within this context, Python processes that are started look for no module in the current folder.

    For `multiprocessing`, which starts them by a command line of its own. They should call `forget_safe_path`.
    """
    if _SAFE_PATH in os.environ:
        yield
        return
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        forget_safe_path()


def forget_safe_path() -> None:
    """Start other programs as the user would: a script's own folder must be on its path."""
    os.environ.pop(_SAFE_PATH, None)
