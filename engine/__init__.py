"""Adversary: a chess engine in Python whose hot code is compiled by Numba.

    import chess
    import engine

    with engine.Engine(threads=2, hash=256) as adversary:
        print(adversary.play(chess.Board(), movetime=1000).move)

The public names are listed in `__all__`, and loaded when first used: `import engine` alone loads nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.analysis.annotation import Annotation as Annotation
    from engine.analysis.annotation import MoveNote as MoveNote
    from engine.analysis.engine import Engine as Engine
    from engine.analysis.explain import Explanation as Explanation
    from engine.analysis.results import AnalysisInfo as AnalysisInfo
    from engine.analysis.results import PlayResult as PlayResult
    from engine.analysis.results import Score as Score

    __version__: str

_HOMES = {
    "AnalysisInfo": "engine.analysis.results",
    "Annotation": "engine.analysis.annotation",
    "Engine": "engine.analysis.engine",
    "Explanation": "engine.analysis.explain",
    "MoveNote": "engine.analysis.annotation",
    "PlayResult": "engine.analysis.results",
    "Score": "engine.analysis.results",
}

__all__ = [
    "AnalysisInfo", "Annotation", "Engine", "Explanation", "MoveNote", "PlayResult", "Score", "__version__",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        return import_module("engine.version").VERSION
    if name not in _HOMES:
        raise AttributeError(f"module 'engine' has no attribute {name!r}")
    import_module("engine.system.packages").check_packages()
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
