"""The layers of docs/architecture.md: which package may import which, checked on the syntax trees."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from engine.search.modes import MODES

ROOT = Path(__file__).parents[1]

GROUND = {"engine.system", "engine.kernel", "numpy"}  # no chess
RULES = {*GROUND, "engine.core"}  # the rules of chess and the layers below
TRAINING = {*RULES, "eval", "torch"}
SEARCHES = {*RULES, "engine.search", "engine.alphabeta", "eval"}  # what other searches than alpha-beta are built from

# Package or module -> what it may import besides itself, layer by layer. The longest name that contains a module
# counts; every module must be in one of them.
ALLOWED = {
    "engine.version": set(),
    "engine.system": {"psutil", "llvmlite", "numba"},  # the last two inside functions only
    "engine.kernel": {"engine.system", "engine.version", "llvmlite", "numba", "numpy"},
    "engine.core": {"engine.kernel", "engine.system.errors", "numpy"},
    "eval": RULES,
    "eval.network.model": TRAINING,
    "eval.network.nnue_teacher": TRAINING,
    "eval.network.quantize": TRAINING,
    "eval.network.teacher": TRAINING,
    "eval.network.train": TRAINING,
    "eval.network.simd": {"eval.network", "llvmlite"},
    "eval.network.simd_layers": {"eval.network", "llvmlite"},
    "eval.policy.train_torch": TRAINING,
    "eval.policy.simd": {"eval.network", "llvmlite"},
    "book": {*RULES, "chess"},
    "tablebase": {*RULES, "chess"},
    "engine.search": {*RULES, "eval.evaluator"},
    "engine.alphabeta": {*RULES, "engine.search", "eval", "tablebase.codes", "tablebase.probe", "tablebase.syzygy"},
    "engine.text": {*RULES, "engine.search.scores", "eval", "chess"},
    "engine.mcts": SEARCHES,
    "engine.expectimax": SEARCHES,
    "engine.humanlike": SEARCHES,
    # Searches are reached through engine.search.modes alone; levels set what a human-like search sees.
    "engine.player": {*RULES, "engine.search", "engine.humanlike", "eval.evaluator", "eval.human_curve",
                      "eval.networks", "eval.policy.file", "book", "tablebase", "chess"},
    "engine.player.request": set(),  # the handshake imports it
    "engine.uci": {*RULES, "engine.player", "engine.text", "engine.search.types", "engine.search.scores",
                   "engine.version", "eval.wdl", "chess"},
    "engine.uci.protocol": {"engine.system.errors", "engine.player.request", "engine.search.scores",
                            "engine.search.types", "eval.wdl"},
    "engine.analysis": {*SEARCHES, "engine.player", "engine.text", "book", "tablebase", "chess"},
    # Puzzles, repertoires and progress, for the page and the terminal.
    "engine.coach": {*RULES, "engine.analysis", "engine.text", "engine.search", "engine.humanlike.intuition", "eval",
                     "book", "tablebase", "chess", "fsrs"},
    # What all commands share knows no product.
    "engine.cli": {*RULES, "engine.search", "engine.player.options", "rich", "matplotlib"},
    "engine.course": {"engine.system", "engine.cli", "chess", "numpy"},
    "engine.course.reference": {"chess", "numpy"},
    "engine.ui": {*RULES, "engine.analysis", "engine.coach", "engine.text", "engine.player", "engine.search",
                  "engine.version", "book.names", "chess", "rich"},
    "engine.ui.terminal": {*RULES, "engine.analysis", "engine.coach", "engine.text", "engine.player", "engine.search",
                           "engine.version", "book.names", "chess", "rich",
                           *(f"engine.ui.{name}" for name in ("autosave", "clock", "game", "level", "opponent"))},
    "engine.ui.web": {*RULES, "engine.analysis", "engine.coach", "engine.text", "engine.player.options",
                      "engine.search", "engine.course", "engine.version",
                      *(f"engine.ui.{name}" for name in ("autosave", "clock", "game", "level", "opponent")),
                      "book.names", "chess", "starlette", "uvicorn"},
    # Games by the thousand and what they are for; the games themselves know no terminal.
    "engine.lab": {*SEARCHES, "engine.cli", "engine.mcts", "engine.player", "engine.text", "engine.analysis",
                   "engine.version", "book", "tablebase", "chess", "psutil", "torch"},
    "engine.lab.arena": {*SEARCHES, "book", "engine.mcts", "engine.player.options", "tablebase", "chess",
                         "distributed"},
    "engine.commands": {"engine", "eval", "book", "tablebase", "chess", "rich", "psutil", "matplotlib", "selenium",
                        "torch", "numpy"},
    "engine.__main__": {"engine.system", "engine.version", "engine.uci", "engine.cli", "engine.commands"},
}
EMPTY_PACKAGES = {"eval", "book", "tablebase"}  # an __init__ that is only a docstring


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for package in ("engine", "eval", "book", "tablebase")
         for path in sorted((ROOT / package).rglob("*.py"))}


def imports_of(path: Path) -> set[str]:
    """Full names of the modules that a file imports, wherever in the file it does so."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(name if name in FILES else str(node.module) for name in names)
    return {name for name in found if name.partition(".")[0] not in sys.stdlib_module_names}


def is_below(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def home_of(module: str) -> str:
    homes = [package for package in ALLOWED if is_below(module, package)]
    assert homes, f"{module} is in no package of ALLOWED"
    return max(homes, key=len)


@pytest.mark.parametrize("module", FILES)
def test_imports_point_one_way(module):
    if module in EMPTY_PACKAGES:
        assert not imports_of(FILES[module])
        return
    home = "engine.analysis" if module == "engine" else home_of(module)  # the public names, which live there
    for name in imports_of(FILES[module]):
        assert is_below(name, home) or any(is_below(name, allowed) for allowed in ALLOWED[home]), (
            f"{module} must not import {name}")
        assert name != "eval", f"{module}: `import eval` hides the builtin"


def command_of(module: str) -> str | None:
    """The command that a module belongs to."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["engine", "commands"] and len(parts) > 2 else None


def test_only_main_imports_commands():
    """A command imports no other command; code for several of them is in `engine.cli` or the room of its product."""
    for module, path in FILES.items():
        for name in imports_of(path):
            assert command_of(name) in (None, command_of(module)), f"{module} imports the command {name}"


@pytest.mark.parametrize(("room", "never"), [
    ("engine.ui", {"engine.lab"}), *((room, {"engine.lab", "engine.course"})
                                     for room in ("engine.analysis", "engine.player", "engine.uci"))])
def test_users_are_served_without_the_laboratory(room, never):
    """Directly or through others: only the page uses the course, for its questions and trees."""
    pending, reached = [module for module in FILES if is_below(module, room)], set()
    while pending:
        module = pending.pop()
        if module not in reached:
            reached.add(module)
            pending += [name for name in imports_of(FILES[module]) if name in FILES]
    assert not {module for module in reached if any(is_below(module, package) for package in never)}


def test_there_is_no_cycle():
    graph = {module: {name for name in imports_of(path) if name in FILES} for module, path in FILES.items()}
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join((*trail, module))
        if module not in done:
            for name in graph[module]:
                visit(name, (*trail, module))
            done.add(module)

    for module in graph:
        visit(module, ())


def test_every_search_mode_has_a_factory():
    for mode in MODES:
        module, _, function = mode.factory.partition(":")
        assert home_of(module) in ("engine.alphabeta", "engine.expectimax", "engine.mcts")
        names = {node.name for node in ast.parse(FILES[module].read_text(encoding="utf-8")).body
                 if isinstance(node, ast.FunctionDef)}
        assert function in names


def test_jit_options_stand_in_one_module():
    for module, path in FILES.items():
        text = path.read_text(encoding="utf-8")
        assert is_below(module, "engine.kernel") or "njit" not in text, module
