"""`doctor`: its checks and its advice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.commands import doctor as doctor_command
from engine.kernel import CACHE_VARIABLE, SOURCE_ROOT, cache, import_all
from engine.system import host
from engine.system.extras import EXTRAS
from engine.version import VERSION

OTHER_USER = 65534


def doctor(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "engine", "doctor", *words], cwd=SOURCE_ROOT, capture_output=True,
                          text=True, check=False, env={**os.environ, **environment})


def test_it_runs_all_checks_and_compiles_nothing(tmp_path):
    done = doctor("--json", **{CACHE_VARIABLE: str(tmp_path)})
    assert (done.returncode, done.stderr) == (1, "")  # for nothing is compiled yet
    found = json.loads(done.stdout)
    assert set(found) == {"version", "installed", "Python", "system", "processor", "kernels", "cache", "threads",
                          "memory", "book", "tables", "network", "extras", "warnings"}
    assert VERSION in found["version"]["found"]
    assert found["kernels"]["found"] == f"{len(import_all())} to be compiled"
    assert "adversary warmup" in found["kernels"]["advice"]
    assert all(extra in found["extras"]["found"] for extra in EXTRAS)
    assert not found["warnings"]
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(host.IS_WINDOWS, reason="Windows has no such modes")
def test_it_explains_an_untrusted_cache(tmp_path: Path):
    tmp_path.chmod(0o777)
    done = doctor(**{CACHE_VARIABLE: str(tmp_path)})
    assert done.returncode == 1
    assert "other users may write to it" in done.stdout
    assert f"name another folder in {CACHE_VARIABLE}" in done.stdout


@contextmanager
def another_user() -> Iterator[None]:
    """Acts as a user other than root, whom no closed folder stops."""
    if os.getuid() != 0:
        yield
        return
    os.setresuid(OTHER_USER, OTHER_USER, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.mark.skipif(host.IS_WINDOWS, reason="Windows has no such modes")
def test_it_explains_a_cache_in_a_folder_that_only_others_may_enter(tmp_path, monkeypatch, capsys):
    home = tmp_path / "closed" / "adversary"
    monkeypatch.setattr(cache, "own_cache", lambda: cache.Cache(home, "0" * 64, "any"))
    monkeypatch.setattr(doctor_command, "_findings", lambda: iter([doctor_command._cache()]))
    home.mkdir(parents=True)
    home.parent.chmod(0)
    with another_user():
        status = main(["doctor"])
    home.parent.chmod(0o700)
    assert status == 1
    assert capsys.readouterr().out.splitlines() == [
        f"cache  {home}, 0.0 MB", "",
        f"cache: not writable, so that kernels are compiled at each start; name another folder in {CACHE_VARIABLE}"]


def test_the_version_is_printed():
    done = subprocess.run([sys.executable, "-m", "engine", "--version"], cwd=SOURCE_ROOT, capture_output=True,
                          text=True, check=True)
    assert done.stdout == f"Adversary {VERSION}\n"
