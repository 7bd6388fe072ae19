"""`suite`: solve the positions of a test suite."""

from __future__ import annotations

from engine.lab.suite import configure as configure
from engine.lab.suite import run as run
