"""Machine code that comes with the package: used where it fits, explained where it does not, and Numba not needed.

A copy of the sources gets the machine code of the rules of chess, which takes seconds; all of it is a slow test's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engine.kernel import CACHE_VARIABLE, PACKAGES, SOURCE_ROOT, codefile, library, sources, targets
from engine.kernel.codefile import CodeFile, Provenance

FORBIDDEN = "import sys; sys.modules['numba'] = None; "
PERFT = "from engine.__main__ import main; sys.exit(main(['perft', '3']))"
COUNT = "Nodes searched: 8902"


def start(tree: Path, program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a Python program with the sources of `tree` and a cache next to them."""
    return subprocess.run([sys.executable, "-c", program], cwd=tree, capture_output=True, text=True, check=False,
                          timeout=1000, env={**os.environ, CACHE_VARIABLE: str(tree / "cache"),
                                            "PYTHONPATH": str(tree), **environment})


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    tree = tmp_path_factory.mktemp("package")
    for package in PACKAGES:
        shutil.copytree(SOURCE_ROOT / package, tree / package, ignore=shutil.ignore_patterns("__pycache__", "shipped"))
    command = [sys.executable, "-m", "engine.kernel.build", "engine/kernel/shipped", "--only", "engine.core"]
    done = subprocess.run(command, cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    return tree


@pytest.fixture
def tree(built, tmp_path) -> Path:
    """A copy of the build that a test may damage; the cache is shared, so that one compile serves all tests."""
    shutil.copytree(built, tmp_path / "tree", symlinks=True, ignore=shutil.ignore_patterns("cache"))
    (built / "cache").mkdir(mode=0o700, exist_ok=True)
    (tmp_path / "tree" / "cache").symlink_to(built / "cache")
    return tmp_path / "tree"


def shipped_files(tree: Path) -> list[Path]:
    return sorted((tree / "engine" / "kernel" / "shipped").iterdir())


def test_shipped_machine_code_needs_neither_numba_nor_a_cache(tree):
    (tree / "cache").unlink()
    done = start(tree, FORBIDDEN + PERFT)
    assert (done.returncode, done.stdout.splitlines()[0], done.stderr) == (0, COUNT, "")
    assert not (tree / "cache").exists()


def test_every_file_has_its_provenance(tree):
    baselines = targets.baselines_of(targets.triple())
    assert {path.stem for path in shipped_files(tree)} == {baseline.name for baseline in baselines} != set()
    for path in shipped_files(tree):
        provenance = CodeFile(path).provenance
        assert (provenance.triple, provenance.baseline) == (targets.triple(), path.stem)
        assert "Numba " in provenance.compiler
        code = CodeFile(path).read("engine.core.perft.perft")
        assert code.sources == sources.SourceTree(tree).digest_of("engine.core.perft")


def test_every_baseline_has_the_same_perft(tree):
    for path in shipped_files(tree):
        if not targets.missing_features(next(baseline for baseline in targets.BASELINES if baseline.name == path.stem)):
            done = start(tree, FORBIDDEN + PERFT, **{library.CODE_VARIABLE: str(path)})
            assert (done.stdout.splitlines()[0], done.stderr) == (COUNT, ""), path


def test_damaged_files_give_a_warning_and_are_compiled_again(tree):
    for path in shipped_files(tree):
        content = bytearray(path.read_bytes())
        content[50] ^= 4  # in the header's checksum
        path.write_bytes(content)
    for runs in range(2):
        done = start(tree, "import sys; " + PERFT)
        assert (done.returncode, done.stdout.splitlines()[0]) == (0, COUNT)
        assert done.stderr.count("\n") == (1 if "compiling" in done.stderr else 0), runs
    assert done.stderr == ""  # by then it comes from the cache


def test_damaged_machine_code_is_not_run(tree):
    for path in shipped_files(tree):
        content = bytearray(path.read_bytes())
        for offset in range(len(content) // 2, len(content), 256):
            content[offset] ^= 1
        path.write_bytes(content)
    done = start(tree, "import sys; " + PERFT)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, COUNT)
    assert "a checksum is wrong" in done.stderr
    assert done.stderr.count("\n") == 1


def test_changed_sources_give_a_warning_and_are_compiled(tree):
    source = tree / "engine" / "core" / "movegen.py"
    text = source.read_text()
    assert text.count("KNIGHT_ATTACKS[start] & targets") == 1
    source.write_text(text.replace("KNIGHT_ATTACKS[start] & targets", "KNIGHT_ATTACKS[start] & EMPTY"))
    done = start(tree, "import sys; " + PERFT.replace("'3'", "'1'"))
    assert done.stdout.splitlines()[0] == "Nodes searched: 16"
    assert "the sources have changed since the package was built" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_change_elsewhere_leaves_shipped_machine_code_in_use(tree):
    with (tree / "engine" / "alphabeta" / "node.py").open("a") as file:
        file.write("\n")
    done = start(tree, FORBIDDEN + PERFT)
    assert (done.returncode, done.stdout.splitlines()[0], done.stderr) == (0, COUNT, "")


def rewritten(path: Path, provenance: Provenance) -> None:
    file = CodeFile(path)
    codefile.write(path, provenance, [file.read(name) for name in file.names])


@pytest.mark.parametrize(("field", "value", "reason"), [
    ("triple", "sparc-sun-solaris", "it was built for sparc-sun-solaris"),
    ("baseline", "unheard-of", "unheard-of is an unknown baseline"),
])
def test_code_for_another_processor_is_not_used(tree, field, value, reason):
    path = shipped_files(tree)[0]
    rewritten(path, replace(CodeFile(path).provenance, **{field: value}))
    done = start(tree, "from engine.kernel.library import shipped_file; print(shipped_file())",
                 **{library.CODE_VARIABLE: str(path)})
    assert done.stdout.startswith("Shipped(file=None")
    assert reason in done.stdout


def test_a_processor_that_lacks_a_feature_gets_no_code(monkeypatch):
    monkeypatch.setattr(targets, "host_features", lambda: frozenset({"sse4.2"}))
    for baseline in targets.BASELINES:
        provenance = Provenance(targets.triple(), baseline.name, "", "")
        assert "this processor has no " in str(library._mismatch(provenance))


@pytest.mark.parametrize(("built_for", "here", "fits"), [
    ("arm64-apple-darwin23.6.0", "arm64-apple-darwin24.1.0", True),
    ("arm64-apple-darwin23.6.0", "x86_64-apple-darwin23.6.0", False),
    ("x86_64-unknown-linux-gnu", "x86_64-unknown-linux-gnu", True),
    ("x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl", False),
])
def test_the_release_of_a_system_does_not_matter(monkeypatch, built_for, here, fits):
    monkeypatch.setattr(targets, "triple", lambda: here)
    monkeypatch.setattr(targets, "missing_features", lambda baseline: [])
    assert (library._mismatch(Provenance(built_for, targets.BASELINES[0].name, "", "")) is None) == fits


def test_a_newer_processor_gets_the_better_code(monkeypatch):
    wanted = {"x86-64-v4": targets._V4, "x86-64-v3": targets._V3}
    for name, features in wanted.items():
        monkeypatch.setattr(targets, "host_features", lambda features=features: frozenset(features))
        fitting = [baseline.name for baseline in targets.baselines_of("x86_64-unknown-linux-gnu")
                   if not targets.missing_features(baseline)]
        assert fitting[0] == name
