"""A make-believe UCI engine for the commands that measure another one beside this."""

from __future__ import annotations

import sys
from pathlib import Path

_PROGRAM = """#!{}
import sys
for line in sys.stdin:
    if line.startswith("go"):
        print("info depth 1 seldepth 2 score cp 3 nodes 20 nps 5 pv e2e4")
        print("info depth 2 seldepth 9 score cp 3 lowerbound nodes 50 nps 5 pv e2e4")
        print("info depth 2 seldepth 4 score cp 3 nodes 60 nps 5 pv e2e4")
        if "nodes" in line:  # as Stockfish may report an iteration that it has not finished
            print("info depth 3 seldepth 5 score cp 3 nodes", line.split()[-1], "nps 5 pv e2e4")
    print({{"uci": "id name Rival\\nuciok", "go": "bestmove e2e4"}}.get(line.split()[0], "readyok"), flush=True)
"""


def write_rival(folder: Path) -> Path:
    """Write the engine, and return its path: it finishes two iterations, the second after a bound, and plays e2e4."""
    path = folder / "rival"
    path.write_text(_PROGRAM.format(sys.executable))
    path.chmod(0o755)
    return path
