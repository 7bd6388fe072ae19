"""`selfplay`: play training games, or describe a file of them."""

from __future__ import annotations

from engine.lab.selfplay import configure as configure
from engine.lab.selfplay import run as run
