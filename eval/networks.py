"""The networks that come with the engine, by name. Standard library only: options name them before NumPy is loaded."""

from __future__ import annotations

from pathlib import Path

TAUGHT = "taught"  # learned the static judgement of Stockfish 17.1's network, on positions of own games and searches
SELFPLAY = "selfplay"  # learned from own games alone

NETWORK_FILES = {name: Path(__file__).with_name("network") / f"{name}.network" for name in (TAUGHT, SELFPLAY)}
BUILT_IN_FILE = NETWORK_FILES[TAUGHT]  # the one in use unless another is named
