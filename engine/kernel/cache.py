"""The compile cache: one folder for each state of the sources.

Numba's cache looks at the file of the entry alone, so a change in a kernel of another file would leave stale machine
code behind: the folder is therefore named by a digest of every source file.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numba

from engine import host

PACKAGES = ("engine", "eval", "book", "tablebase")
CACHE_VARIABLE = "ADVERSARY_CACHE"
DIGESTS_KEPT = 4


def source_files(root: Path) -> list[Path]:
    """Every Python file of the project's packages below `root`, in a fixed order."""
    return sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))


def source_digest(root: Path) -> str:
    """A name for the state of all sources below `root`, of Numba and of Python."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in source_files(root):
        content = path.read_bytes()
        digest.update(f"\0{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def cache_home() -> Path:
    """The folder that holds one cache folder a digest: ADVERSARY_CACHE, or a part of the user's cache folder."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named).expanduser() if named else host.user_cache_folder() / "adversary"


def open_cache(digest: str) -> Path:
    """Create (or find) the cache folder of `digest`, mark it as just used, and return it.

    Old digests are removed. When there is no place to write to, a temporary folder serves until the process ends.
    """
    try:
        home = cache_home()
        folder = home / digest
        folder.mkdir(parents=True, exist_ok=True)
        # Writing a file is the only test that tells the truth about permissions, full disks and read-only mounts.
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)
    except (OSError, RuntimeError) as error:  # the second where the user has no home
        print(f"warning: cannot write the compile cache ({error}); compiling into a temporary folder, "
              "which takes longer at every start", file=sys.stderr)
        folder = Path(tempfile.mkdtemp(prefix="adversary-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return folder
    remove_old_digests(home, keep=DIGESTS_KEPT)
    return folder


def remove_old_digests(home: Path, keep: int) -> None:
    """Remove all but the `keep` most recently used digest folders of `home`; another process may do so too."""
    with contextlib.suppress(OSError):
        folders = [entry for entry in home.iterdir() if entry.is_dir() and _is_digest(entry.name)]
        folders.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
        for folder in folders[keep:]:
            shutil.rmtree(folder, ignore_errors=True)


def _is_digest(name: str) -> bool:
    return len(name) == 16 and all(letter in "0123456789abcdef" for letter in name)


SOURCE_ROOT = Path(__file__).resolve().parents[2]
CACHE_FOLDER = open_cache(source_digest(SOURCE_ROOT))
