"""The compile cache: machine code that was compiled on this machine, stored for later starts.

One folder for each processor, one file for each entry and each state of its sources. The cache is a convenience: any
problem with it, such as a full disk or an untrusted folder, is reported by a warning, and the engine keeps running.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from engine.kernel import codefile, notices
from engine.kernel.codefile import NATIVE, Code, CodeFile, CodeFileError, Provenance
from engine.system import host
from engine.system.errors import reason_of

CACHE_VARIABLE = "ADVERSARY_CACHE"
VERSIONS_KEPT = 8  # of an entry: several checkouts may be in use at the same time
LOCK_SECONDS = 120  # how long to wait for another process that compiles the same entry

_FOLDER_PREFIX, _SUFFIX, _LOCK_SUFFIX = "kernels-", ".kernel", ".lock"
_DIGEST_LETTERS = 16
_POLL_SECONDS = 0.05
_UNFINISHED_SECONDS = 3600  # after which an unfinished file or a lock counts as abandoned
_UNUSED_SECONDS = 30 * 24 * 3600  # after which machine code counts as no longer needed


def cache_home() -> Path:
    """The folder that holds the folders of machine code: ADVERSARY_CACHE, or one in the user's cache folder.

    RuntimeError if the user has no home folder.
    """
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named).expanduser() if named else host.user_cache_folder() / "adversary"


class Cache:
    """The folder of one processor; it may be missing, unreadable or read-only."""

    def __init__(self, home: Path, processor: str, triple: str) -> None:
        """`processor` is the digest of a processor, `triple` is architecture and system as LLVM names them."""
        self.folder = home / f"{_FOLDER_PREFIX}{processor[:_DIGEST_LETTERS]}"
        self.is_trusted = self._is_trustworthy(home) and self._is_trustworthy(self.folder)
        self._can_write = self.is_trusted
        self._provenance = Provenance(triple, NATIVE, "", "")

    def _is_trustworthy(self, folder: Path) -> bool:
        try:
            reason = host.reason_not_to_trust(folder.stat())
        except OSError:
            return True  # it does not exist yet; or it cannot be read, and then nothing will be found there
        if reason is not None:
            notices.notify(f"the compile cache {folder} is not used: {reason}")
        return reason is None

    def path_of(self, name: str, sources: str) -> Path:
        """The file of an entry in one state of its sources, given by their digest."""
        return self.folder / f"{name}-{sources[:_DIGEST_LETTERS]}{_SUFFIX}"

    def read(self, name: str, signature: str, sources: str) -> Code | None:
        """The machine code of an entry, if it is here, undamaged, and made from these sources."""
        if not self.is_trusted:
            return None
        path = self.path_of(name, sources)
        try:
            file = CodeFile(path, host.reason_not_to_trust)
            if not file.has(name, signature, sources) or file.provenance != self._provenance:
                return None
            code = file.read(name)
        except FileNotFoundError:
            return None
        except CodeFileError as error:
            notices.notify(f"machine code in {self.folder} is not used: {error}")
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # marks it as in use
        return code

    def store(self, code: Code) -> None:
        """Store compiled code; if that fails, send one warning."""
        if not self._can_write:
            return
        try:
            self._make_folder()
            codefile.write(self.path_of(code.name, code.sources), self._provenance, [code])
        except OSError as error:
            self._can_write = False
            notices.notify(f"cannot write the compiled kernels to {self.folder} ({reason_of(error)}); "
                           "they will be compiled again at the next start")

    def _make_folder(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextlib.contextmanager
    def lock(self, name: str, sources: str) -> Iterator[None]:
        """While the context is open, no other process compiles this entry; others wait, and then find it in the cache.

        The system releases the lock if its holder dies. If the folder is not writable, or the holder takes longer than
        LOCK_SECONDS, this continues without the lock: at worst, an entry is compiled twice.
        """
        path = self.path_of(name, sources).with_suffix(_LOCK_SUFFIX)
        try:
            if not self._can_write:
                raise PermissionError
            self._make_folder()
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            yield
            return
        is_held = False
        try:
            is_held = _wait_for_lock(handle)
            yield
        finally:
            if is_held:
                with contextlib.suppress(OSError):  # Windows does not delete a file that another process has open
                    path.unlink()
                host.unlock(handle)
            os.close(handle)

    def size(self) -> int:
        """The number of bytes in the cache, for all processors and all states of the sources."""
        with contextlib.suppress(OSError):
            return sum(path.stat().st_size for folder in self._folders() for path in folder.iterdir())
        return 0

    def _folders(self) -> list[Path]:
        return [entry for entry in self.folder.parent.iterdir() if entry.name.startswith(_FOLDER_PREFIX)]

    def tidy(self, name: str) -> None:
        """Remove all but the most recently used versions of an entry, and abandoned files from all folders."""
        if self._can_write:
            with contextlib.suppress(OSError):
                for path in self._versions(name)[VERSIONS_KEPT:]:
                    path.unlink(missing_ok=True)
                for folder in self._folders():
                    _remove_abandoned(folder)

    def _versions(self, name: str) -> list[Path]:
        """The files of an entry, the most recently used first."""
        found = self.folder.glob(f"{name}-{'?' * _DIGEST_LETTERS}{_SUFFIX}")
        return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def _wait_for_lock(handle: int) -> bool:
    """Whether the lock of an open file was obtained within LOCK_SECONDS."""
    deadline = time.monotonic() + LOCK_SECONDS
    try:
        while not (is_held := host.try_lock(handle)) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
    except OSError:  # a file system without locks
        return False
    return is_held


def _remove_abandoned(folder: Path) -> None:
    """Remove old files of machine code, unfinished ones and locks. Foreign files stay, and with them their folder."""
    now = time.time()
    limits = {_SUFFIX: _UNUSED_SECONDS, _LOCK_SUFFIX: _UNFINISHED_SECONDS, codefile.UNFINISHED: _UNFINISHED_SECONDS}
    abandoned = [path for path in folder.iterdir()
                 if path.suffix in limits and path.stat().st_mtime < now - limits[path.suffix]]
    for path in abandoned:
        path.unlink(missing_ok=True)
    if abandoned:
        with contextlib.suppress(OSError):  # it is not empty
            folder.rmdir()


@cache
def own_cache() -> Cache | None:
    """The cache for this processor; None if the user has no home folder."""
    from engine.kernel import targets

    try:
        home = cache_home()
    except RuntimeError as error:
        notices.notify(f"no folder available for the compile cache ({error})")
        return None
    return Cache(home, targets.processor_digest(), targets.triple())
