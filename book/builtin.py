"""The book in the package."""

from __future__ import annotations

from pathlib import Path

BUILT_IN = Path(__file__).with_name("openings.bin")
