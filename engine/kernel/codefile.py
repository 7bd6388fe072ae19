"""Files of machine code, with one format for the package and for the cache.

A line that names the format, the SHA-256 of the header, the header's length, the header (JSON: for which processor and
by what it was compiled, and for each entry its signature, the digest of its sources, its offset and its SHA-256), then
the object code.
The code is executed: nothing in a file is used before its checksum has been verified, and nothing is unpickled.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

NATIVE = "native"  # the baseline of code compiled for the processor that it runs on
UNFINISHED = ".part"  # the suffix of a file that is being written

_MAGIC = b"Adversary machine code 2\n"
_DIGEST_BYTES, _LENGTH_BYTES = 32, 4
_LONGEST_HEADER = 1 << 20
_LONGEST_OBJECT = 1 << 26


class CodeFileError(Exception):
    """A file of machine code that cannot be used; the message says why."""


@dataclass(frozen=True)
class Code:
    """The machine code of one entry."""

    name: str  # of the entry, with its module
    signature: str  # the types of its arguments
    sources: str  # their digest
    results: tuple[str, ...]  # the types of its results
    is_tuple: bool  # whether the results come as a tuple, even if there is only one
    object_code: bytes  # which defines `symbol_of(name)`


@dataclass(frozen=True)
class Provenance:
    """Where a file's machine code comes from."""

    triple: str  # architecture and system, as LLVM names them
    baseline: str  # the baseline that it requires
    version: str  # of the project
    compiler: str  # for human readers


def symbol_of(name: str) -> str:
    """The symbol by which the machine code of an entry is found."""
    return f"adversary.{name}"


def write(path: Path, provenance: Provenance, codes: Sequence[Code]) -> None:
    """Write a file atomically; OSError if that fails."""
    import tempfile

    entries, offset = [], 0
    for code in codes:
        entries.append({"name": code.name, "signature": code.signature, "sources": code.sources,
                        "results": code.results, "is_tuple": code.is_tuple, "offset": offset,
                        "size": len(code.object_code), "sha256": hashlib.sha256(code.object_code).hexdigest()})
        offset += len(code.object_code)
    header = json.dumps({**asdict(provenance), "entries": entries}).encode()
    parts = (_MAGIC, hashlib.sha256(header).digest(), len(header).to_bytes(_LENGTH_BYTES, "little"), header,
             *(code.object_code for code in codes))
    handle, temporary = tempfile.mkstemp(suffix=UNFINISHED, prefix=path.name, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
        os.replace(temporary, path)  # noqa: PTH105  as Path.replace, for a name that is a string
    except OSError:
        os.unlink(temporary)  # noqa: PTH108
        raise


class CodeFile:
    """A file of machine code with a verified header; object code is read and verified by `read`."""

    def __init__(self, path: Path, reason_not_to_trust: Callable[[os.stat_result],
                                                                 str | None] = lambda status: None) -> None:
        """Read the header; CodeFileError if the file cannot be used, FileNotFoundError if there is none.

        `reason_not_to_trust` returns the reason why a file with this status must not be used, or None.
        """
        self.path = path
        try:
            with path.open("rb") as file:
                if (reason := reason_not_to_trust(os.fstat(file.fileno()))) is not None:
                    raise CodeFileError(reason)
                header = _read_header(file)
                self._start = file.tell()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise FileNotFoundError(path) from error
        except OSError as error:
            raise CodeFileError(f"it cannot be read ({error.strerror})") from error
        self.provenance = Provenance(**{field: header[field] for field in Provenance.__annotations__})
        self._entries: dict[str, dict[str, Any]] = {entry["name"]: entry for entry in header["entries"]}

    @property
    def names(self) -> list[str]:
        """The names of the entries in the file."""
        return list(self._entries)

    def has(self, name: str, signature: str, sources: str) -> bool:
        """Whether the file has the machine code of this entry, with these types and made from these sources."""
        entry = self._entries.get(name)
        return entry is not None and (entry["signature"], entry["sources"]) == (signature, sources)

    def read(self, name: str) -> Code:
        """The machine code of an entry; CodeFileError if it is damaged."""
        entry = self._entries[name]
        try:
            with self.path.open("rb") as file:
                file.seek(self._start + entry["offset"])
                code = file.read(min(entry["size"], _LONGEST_OBJECT))
        except OSError as error:
            raise CodeFileError(f"it cannot be read ({error.strerror})") from error
        if hashlib.sha256(code).hexdigest() != entry["sha256"]:
            raise CodeFileError("it is damaged: a checksum is wrong")
        return Code(name, entry["signature"], entry["sources"], tuple(entry["results"]), entry["is_tuple"], code)


def _read_header(file: Any) -> dict[str, Any]:
    if file.read(len(_MAGIC)) != _MAGIC:
        raise CodeFileError("it is damaged, or of another format")
    digest = file.read(_DIGEST_BYTES)
    length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
    text = file.read(min(length, _LONGEST_HEADER))
    if hashlib.sha256(text).digest() != digest:
        raise CodeFileError("it is damaged: a checksum is wrong")
    header: dict[str, Any] = json.loads(text)  # valid, since the checksum is right
    return header
