"""`perft`: count positions, or check known counts."""

from __future__ import annotations

from engine.lab.perft import configure as configure
from engine.lab.perft import run as run
