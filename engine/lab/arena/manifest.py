"""The manifest beside a file of training games: who played them, how, and the checksum of the file.

Seeds do not replace the file: after any change of the engine they give other games.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from engine.system.errors import InputError
from engine.system.files import open_bytes, write_file
from eval.evaluator import FEATURES, network_file

_CHUNK = 1 << 20  # bytes
_DIGITS = 16  # of a network's checksum, enough to tell networks apart


def manifest_of(path: Path) -> Path:
    """The path of the manifest of a file of games."""
    return path.with_name(f"{path.name}.json")


def checksum(path: Path) -> str:
    """The SHA-256 of a file; InputError if it cannot be read."""
    digest = hashlib.sha256()
    with open_bytes(path) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def network_id(network: str) -> str:
    """What identifies the network of a config: the start of its file's checksum; `features` has none."""
    if network == FEATURES:
        return FEATURES
    return checksum(network_file(network))[:_DIGITS]


def add_run(path: Path, run: dict[str, Any], positions: int) -> None:
    """Enter a run that appended games to a file, which now holds so many positions; InputError if that fails."""
    runs = read_runs(path)
    content = {"positions": positions, "checksum": checksum(path), "runs": [*runs, run]}
    write_file(manifest_of(path), json.dumps(content, indent=1) + "\n")


def read_runs(path: Path) -> list[dict[str, Any]]:
    """The runs in the manifest of a file; none if it has no manifest. InputError if the manifest is damaged."""
    return list(_read(path).get("runs", []))


def is_as_noted(path: Path) -> bool:
    """Whether a file has the checksum in its manifest, or has no manifest; InputError if the manifest is damaged."""
    noted = _read(path).get("checksum")
    return noted is None or noted == checksum(path)


def _read(path: Path) -> dict[str, Any]:
    manifest = manifest_of(path)
    if not manifest.exists():
        return {}
    try:
        content = json.loads(manifest.read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the manifest {manifest}: it is damaged") from error
    runs = content.get("runs") if isinstance(content, dict) else None
    if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
        raise InputError(f"cannot read the manifest {manifest}: it is damaged")
    return dict(content)
