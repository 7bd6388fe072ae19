"""Who may import whom: the table of the house, held by walking the syntax trees."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from engine.search.kinds import MODES

ROOT = Path(__file__).parents[1]

RULES = {"engine.core", "engine.kernel"}  # what everything above the rules of chess may use
LIBRARIES = {"numpy"}

# Package or module -> what it may import beside itself, of the project and of others. The longest name that fits a
# module counts, and a module that none fits is in no room of the house.
ALLOWED = {
    "engine.host": {"llvmlite", "numba", "psutil"},  # inside functions only: see test_the_handshake_needs_no_numba
    "engine.version": set(),
    "engine.kernel": {"engine.host", "engine.version", "llvmlite", "numba", *LIBRARIES},
    "engine.core": {"engine.kernel", *LIBRARIES},
    "engine.files": {"engine.core.errors"},
    "engine.chesstext": {*RULES, "chess"},
    "eval": {*RULES, "engine.files", *LIBRARIES},
    "eval.network": {*RULES, "engine.files", "engine.host", "eval", *LIBRARIES},
    "eval.network.model": {*RULES, "eval", "torch", *LIBRARIES},
    "eval.network.layered": {*RULES, "eval", "torch", *LIBRARIES},
    "eval.network.teacher": {*RULES, "eval", "torch", *LIBRARIES},
    "eval.network.rounding": {*RULES, "eval", "torch", *LIBRARIES},
    "eval.network.tensors": {"engine.core.errors", "engine.files", "torch"},
    "eval.network.train": {*RULES, "eval", "torch", *LIBRARIES},
    "eval.network.emission": {"eval.network.rows", "llvmlite"},
    "eval.network.layer_emission": {"eval.network.emission", "eval.network.rows", "llvmlite"},
    "eval.policy": {*RULES, "engine.files", "engine.host", "eval", *LIBRARIES},
    "eval.policy.model": {*RULES, "eval", "torch", *LIBRARIES},
    "eval.policy.emission": {"eval.network.emission", "llvmlite"},
    "tablebase": {*RULES, "engine.host", "chess", *LIBRARIES},
    "book": {*RULES, "engine.files", "chess", *LIBRARIES},
    "engine.search": {*RULES, "eval.choice", *LIBRARIES},
    "engine.alphabeta": {*RULES, "engine.host", "engine.search", "eval", "tablebase.codes", "tablebase.probe",
                         "tablebase.syzygy", *LIBRARIES},
    "engine.expectimax": {*RULES, "engine.search", "engine.alphabeta", "eval", *LIBRARIES},
    "engine.fallible": {*RULES, "engine.search", "engine.alphabeta", "eval", *LIBRARIES},
    "engine.mcts": {*RULES, "engine.host", "engine.search", "engine.alphabeta", "eval",
                    *LIBRARIES},
    "engine.reference": {"chess", *LIBRARIES},
    "engine.options": {"engine.core.errors", "engine.search.kinds"},
    "engine.order": set(),
    "engine.budget": {"engine.core.game", "engine.order", "engine.search.clock"},
    "engine.diagram": {"engine.core.game", "chess"},
    "engine.shown": {*RULES, "engine.search.scores", "eval"},
    "engine.stopgap": {"chess", "engine.core.errors"},
    "engine.handicap": {"engine.fallible.sight", "engine.search.limits", "engine.search.scores"},
    "engine.repertoire": {*RULES, "book", "engine.options", "engine.order"},
    "engine.tb_root": {*RULES, "tablebase", "engine.options", "engine.search.clock", "engine.search.scores",
                       "engine.search.tb", "chess"},
    "engine.player": {*RULES, "engine.host", "engine.budget", "engine.tb_root", "engine.fallible", "engine.handicap",
                      "engine.options",
                      "engine.order", "engine.repertoire", "engine.search", "eval.choice"},
    "engine.protocol": {"engine.core.errors", "engine.order", "engine.search.limits", "engine.search.scores",
                        "eval.outcome"},  # the last two for types and inside functions
    "engine.explanation": {"engine.shown", "eval.explain", "eval.men", "eval.outcome"},  # types; inside functions
    "engine.pending": {"engine.order", "engine.protocol", "engine.stopgap"},
    "engine.voice": {"engine.core.errors"},
    "engine.ownprocess": set(),
    "engine.uci": {"engine.pending", "engine.protocol", "engine.explanation", "engine.player", "engine.stopgap",
                   "engine.options", "engine.order", "engine.search.limits", "engine.diagram", "engine.shown",
                   "engine.core.errors", "engine.core.perft", "engine.host", "engine.kernel", "engine.ownprocess",
                   "engine.version", "engine.voice"},
    "engine.arena": {*RULES, "engine.files", "engine.search", "engine.alphabeta", "engine.mcts", "eval", "tablebase",
                     "chess", "distributed", *LIBRARIES},
    "engine.analysis": {*RULES, "engine.alphabeta", "engine.explanation", "engine.files", "engine.options",
                        "engine.order", "engine.player", "engine.search", "engine.shown", "eval",
                        "book", "tablebase", "chess", *LIBRARIES},
    "engine.desk": {*RULES, "engine.analysis", "engine.chesstext", "engine.files", "engine.host", "engine.options",
                    "engine.order", "engine.player", "engine.search", "engine.version", "book.names", "chess", "rich"},
    "engine.desk.web": {*RULES, "engine.analysis", "engine.desk", "engine.host", "engine.options", "engine.reference",
                        "engine.search", "engine.version", "book.names", "chess", "starlette", "uvicorn"},
    "engine.commands": {"engine", "eval", "book", "tablebase", "chess", "rich", "psutil", "matplotlib", "selenium",
                        "torch", *LIBRARIES},
    "engine.__main__": {"engine.host", "engine.version", "engine.uci", "engine.commands", "engine.core.errors"},
}
EMPTY_ROOMS = {"eval", "book", "tablebase"}  # an __init__ that is only a docstring


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
    assert homes, f"{module} stands in no room of the house"
    return max(homes, key=len)


@pytest.mark.parametrize("module", FILES)
def test_imports_point_one_way(module):
    if module in EMPTY_ROOMS:
        assert not imports_of(FILES[module])
        return
    home = "engine.analysis" if module == "engine" else home_of(module)  # the public names, which live there
    for name in imports_of(FILES[module]):
        assert is_below(name, home) or any(is_below(name, allowed) for allowed in ALLOWED[home]), (
            f"{module} must not import {name}")
        assert name != "eval", f"{module}: `import eval` hides the builtin"


def command_of(module: str) -> str | None:
    """The command that a module belongs to; "shared" for what all of them use."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["engine", "commands"] and len(parts) > 2 else None


def test_nobody_imports_a_command():
    """A command's folder is its own; what two of them need lies in `shared`, which knows none of them."""
    for module, path in FILES.items():
        for name in imports_of(path):
            assert command_of(name) in (None, "shared", command_of(module)), f"{module} imports the command {name}"


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


def test_every_kind_of_search_has_a_maker():
    for kind in MODES:
        module, _, function = kind.factory.partition(":")
        assert home_of(module) in ("engine.alphabeta", "engine.expectimax", "engine.mcts")
        names = {node.name for node in ast.parse(FILES[module].read_text(encoding="utf-8")).body
                 if isinstance(node, ast.FunctionDef)}
        assert function in names


def test_jit_options_stand_in_one_module():
    for module, path in FILES.items():
        text = path.read_text(encoding="utf-8")
        assert is_below(module, "engine.kernel") or "njit" not in text, module
