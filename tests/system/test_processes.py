"""Own processes run the code of this installation, whatever the current folder contains."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.course.outputs import printed
from engine.kernel.codefile import NATIVE
from engine.lab.arena import executors
from engine.lab.arena.engines import EngineProcess
from engine.lab.bench import shipped, startup
from engine.lab.compare.level_match import level_spec
from engine.system.processes import own_environment, start_own
from engine.uci.debug import run_adversary
from engine.version import VERSION

ROOT = Path(__file__).parents[2]
PLANTED = ("engine", "eval", "chess", "numba", "numpy", "pickle", "selectors", "socket", "json", "random")
_MARK = "planted code has run"


@pytest.fixture(autouse=True)
def planted_folder(tmp_path, monkeypatch):
    """The current folder, with modules that leave a mark; none of them may have run at the end."""
    mark = tmp_path / _MARK
    program = f"open({str(mark)!r}, 'a').write(__name__)\nraise SystemExit({_MARK!r})\n"
    for name in PLANTED:
        (tmp_path / f"{name}.py").write_text(program)
    for folder in ("engine", "multiprocessing"):
        (tmp_path / folder).mkdir()
        for name in ("__init__", "__main__"):
            (tmp_path / folder / f"{name}.py").write_text(program)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep)  # empty parts, as scripts leave them, mean the current folder
    yield tmp_path
    assert not mark.exists(), mark.read_text()


def test_the_planted_code_would_run():
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run([sys.executable, "-m", "engine", "--version"], capture_output=True, text=True, check=False,
                          env=environment)
    assert _MARK in done.stderr
    Path(_MARK).unlink()


def test_a_module_of_the_installation_is_started():
    with start_own(["--version"]) as process:
        assert process.communicate() == (f"Adversary {VERSION}\n", "")


def test_the_uci_bench_is_safe():
    assert next(iter(run_adversary(["perft", "1"]))) == "Nodes searched: 20"


@pytest.mark.parametrize("name", startup._STARTS)
def test_the_starts_that_are_measured_are_safe(name):
    words, text = startup._STARTS[name]
    assert startup._cpu_seconds(words, text) > 0
    assert startup._imports_numba(words, text, {}) in (False, True)


def test_the_import_of_numba_is_measured():
    assert startup._cpu_seconds((), module=startup._NUMBA_ALONE) > 0


def test_the_handshake_is_measured(tmp_path):
    assert 0 < startup._seconds_to_uciok(str(tmp_path)) < 60


def test_a_bench_in_a_new_process_is_safe():
    nodes, seconds = shipped._bench(NATIVE, 1)
    assert nodes > 0 and seconds > 0


def test_the_outputs_of_a_page_are_safe():
    assert "20" in printed("perft 1")


def test_levels_are_played_safely():
    async def start_and_end() -> str:
        process = EngineProcess(level_spec(800))
        try:
            return (await process.engine()).id["name"]
        finally:
            await process.close()

    assert asyncio.run(start_and_end()) == f"Adversary {VERSION}"


def modules_and_variable(_: int) -> tuple[str, str | None]:
    """Where a worker process found a module that is planted, and whether programs that it starts are restricted."""
    import json

    return json.__file__, os.environ.get("PYTHONSAFEPATH")


def test_worker_processes_are_safe_and_start_other_programs_as_the_user_would(monkeypatch):
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    monkeypatch.delenv("PYTHONPATH")
    with executors.processes(1) as (pool, _):
        file, variable = pool.submit(modules_and_variable, 0).result(timeout=60)
    assert Path(file).parent != Path.cwd() and variable is None
    assert "PYTHONSAFEPATH" not in os.environ


@pytest.mark.skipif(not Path(sys.executable).with_name("adversary").exists(), reason="the program is not installed")
def test_the_installed_program_is_safe(monkeypatch):
    monkeypatch.delenv("PYTHONPATH")
    done = subprocess.run([Path(sys.executable).with_name("adversary"), "perft", "1"], capture_output=True, text=True,
                          check=True)
    assert done.stdout.startswith("Nodes searched: 20\n")


def test_the_variables_of_the_user_are_kept(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(("", "/elsewhere", "")))
    environment = own_environment({"ADVERSARY_TEST": "1"})
    assert environment["PYTHONPATH"] == os.pathsep.join((str(ROOT), "/elsewhere"))
    assert environment["ADVERSARY_TEST"] == "1" and environment["PATH"] == os.environ["PATH"]


def test_one_module_starts_own_processes():
    users = {path.relative_to(ROOT).as_posix() for package in ("engine", "eval", "book", "tablebase")
             for path in (ROOT / package).rglob("*.py") if "sys.executable" in path.read_text(encoding="utf-8")}
    assert users == {"engine/system/processes.py", "engine/commands/doctor.py"}, "doctor prints it"
