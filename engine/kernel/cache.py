"""The compile cache: what was compiled on this machine, kept for the next start.

One folder for each state of the sources and each processor, one file for each entry. The cache is a convenience: any
problem with it, such as a full disk or an untrusted folder, is reported in one line, and the game goes on.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from functools import cache
from pathlib import Path

from engine.kernel import codefile, notices, sources
from engine.kernel.codefile import Code, CodeFile, CodeFileError, Provenance
from engine.system import host

CACHE_VARIABLE = "ADVERSARY_CACHE"
FOLDERS_KEPT = 4

_FOLDER_PREFIX, _SUFFIX = "kernels-", ".kernel"
_DIGEST_LETTERS = 16
_UNFINISHED_SECONDS = 3600  # after which an unfinished file counts as abandoned


def cache_home() -> Path:
    """The folder that holds the folders of machine code: ADVERSARY_CACHE, or one in the user's cache folder.

    RuntimeError if the user has no home folder.
    """
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named).expanduser() if named else host.user_cache_folder() / "adversary"


class Cache:
    """The folder of one state of the sources, whether or not it exists, can be read or can be written to."""

    def __init__(self, home: Path, digest: str) -> None:
        self.folder = home / f"{_FOLDER_PREFIX}{digest[:_DIGEST_LETTERS]}"
        self.is_trusted = self._judge(home) and self._judge(self.folder)
        self._can_write = self.is_trusted
        if self.is_trusted:
            with contextlib.suppress(OSError):
                os.utime(self.folder)  # marks it as in use

    def _judge(self, folder: Path) -> bool:
        try:
            reason = host.reason_not_to_trust(folder.stat())
        except OSError:
            return True  # it does not exist yet; or it cannot be read, and then nothing will be found there
        if reason is not None:
            notices.notify(f"the compile cache {folder} is not used: {reason}")
        return reason is None

    def path_of(self, name: str) -> Path:
        """The file of an entry."""
        return self.folder / f"{name}{_SUFFIX}"

    def read(self, name: str, signature: str, provenance: Provenance) -> Code | None:
        """The machine code of an entry, if it is here, undamaged, and made from these sources."""
        if not self.is_trusted:
            return None
        try:
            file = CodeFile(self.path_of(name), host.reason_not_to_trust)
            if not file.has(name, signature) or not _is_same(file.provenance, provenance):
                return None
            return file.read(name)
        except FileNotFoundError:
            return None
        except CodeFileError as error:
            notices.notify(f"machine code in {self.folder} is not used: {error}")
            return None

    def keep(self, code: Code, provenance: Provenance) -> None:
        """Store what was compiled; if that fails, the user is told once."""
        if not self._can_write:
            return
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            codefile.write(self.path_of(code.name), provenance, [code])
        except OSError as error:
            self._can_write = False
            notices.notify(f"the compiled kernels cannot be kept in {self.folder} ({error}): "
                           "the next start has to compile them again")

    def size(self) -> int:
        """The number of bytes in the cache, for these sources and others."""
        with contextlib.suppress(OSError):
            folders = [entry for entry in self.folder.parent.iterdir() if entry.name.startswith(_FOLDER_PREFIX)]
            return sum(path.stat().st_size for folder in folders for path in folder.iterdir())
        return 0

    def tidy(self) -> None:
        """Remove the folders of all but the most recently used sources, and abandoned files."""
        if self._can_write:
            with contextlib.suppress(OSError):
                folders = [entry for entry in self.folder.parent.iterdir() if entry.name.startswith(_FOLDER_PREFIX)]
                folders.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
                for place, folder in enumerate(folders):
                    _remove_files(folder, everything=place >= FOLDERS_KEPT)


def _is_same(left: Provenance, right: Provenance) -> bool:
    return (left.sources, left.triple, left.baseline) == (right.sources, right.triple, right.baseline)


def _remove_files(folder: Path, everything: bool) -> None:
    """Remove files of machine code, or only abandoned ones. Foreign files stay, and with them their folder."""
    latest = time.time() - _UNFINISHED_SECONDS
    for path in folder.iterdir():
        is_left_behind = path.name.endswith(codefile.UNFINISHED) and path.stat().st_mtime < latest
        if is_left_behind or (everything and path.name.endswith(_SUFFIX)):
            path.unlink(missing_ok=True)
    if everything:
        with contextlib.suppress(OSError):
            folder.rmdir()


@cache
def own_cache() -> Cache | None:
    """The cache for the running sources on this processor; None if the user has no home folder."""
    from engine.kernel import targets

    try:
        home = cache_home()
    except RuntimeError as error:
        notices.notify(f"there is no place for a compile cache ({error})")
        return None
    state = sources.own_digest() + targets.processor_digest()
    return Cache(home, hashlib.sha256(state.encode()).hexdigest())
