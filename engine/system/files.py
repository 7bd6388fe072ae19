"""Files named by the user: one reader and one writer for all of them.

Only a plain file of a sensible size is read; anything else is refused in one line, since a pipe would block and a
device never ends. A file that is written either replaces the old one completely or leaves it as it was.
"""

from __future__ import annotations

import codecs
import errno
import io
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO
from zlib import crc32

from engine.system import host
from engine.system.errors import InputError, quote, reason_of

if TYPE_CHECKING:
    import zipfile

LARGEST_TEXT = 1 << 30  # bytes of a file that is read at once
_LARGEST_JSON = 1 << 24
_LARGEST_LINES, _MOST_LINES = 1 << 26, 1 << 19  # characters and lines that are kept: a packed file may hold any number
_LONGEST_LINE = 1 << 20  # characters: no line that a person wrote is longer

_LOCKED_BYTE = 1 << 30  # far beyond what is written: Windows lets no other handle read a locked byte

_PACKED = {".gz": "gzip", ".xz": "lzma", ".bz2": "bz2"}  # with the module that unpacks it, imported when needed
_UNREADABLE = (".zst", ".7z", ".rar")


def user_path(name: str) -> Path:
    """The path that a user names; a leading ~ stands for a home folder. InputError if there can be no such path."""
    path = Path(name)
    check_name(path)
    try:
        return path.expanduser()
    except RuntimeError as error:  # no such user
        raise InputError(f"cannot find the home folder of {quote(name.split('/', maxsplit=1)[0])}") from error


def read_bytes(path: Path, largest: int) -> bytes:
    """The whole content of a plain file; InputError if it cannot be read or is larger than `largest`.

    No more than its size is read: the system's own files have none, and some of them never end.
    """
    size = file_size(path, largest)
    with open_bytes(path) as file:
        try:
            return file.read(size)
        except OSError as error:
            raise InputError(f"cannot read {path}: {reason_of(error)}") from error
        except MemoryError as error:
            raise InputError(f"cannot read {path}: out of memory") from error


def file_size(path: Path, largest: int | None = None) -> int:
    """The size of a plain file; InputError if there is no such file or it is larger than `largest`."""
    check_name(path)
    try:
        status = path.stat()
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason_of(error)}") from error
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"cannot read {path}: it is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"cannot read {path}: it is not a plain file")
    if largest is not None and status.st_size > largest:
        raise InputError(f"cannot read {path}: it has {status.st_size} bytes, more than {largest}")
    return status.st_size


def open_bytes(path: Path, largest: int | None = None) -> BinaryIO:
    """A plain file, open for reading; InputError if it cannot be read."""
    file_size(path, largest)
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason_of(error)}") from error


def read_text(path: Path, largest: int = LARGEST_TEXT) -> str:
    """The whole text of a file; InputError if it is not a text file."""
    try:
        with open_bytes(path, largest) as file:
            content = file.read()
        return content.decode(_encoding_of(content))
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason_of(error)}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text file: {error.reason} at byte {error.start}") from error


def _encoding_of(beginning: bytes) -> str:
    """The encoding of a text: UTF-16 if it begins with its byte order mark, otherwise UTF-8."""
    return "utf-16" if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"


def read_json(path: Path) -> Any:
    """The value of a JSON file; InputError if it is not JSON."""
    try:
        return json.loads(read_text(path, _LARGEST_JSON))
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}") from error


def numbered_lines(path: Path) -> list[tuple[int, str]]:
    """The lines of a text file, plain or packed, with their numbers, without blank lines and comments (#).

    InputError if the file cannot be read or is not text.
    """
    with open_text(path, is_strict=True) as lines:
        return [(number, line.rstrip("\n")) for number, line in enumerate(bounded(lines, path), start=1)
                if line.strip() and not line.startswith("#")]


def bounded(lines: Iterable[str], path: Path, largest: int = _LARGEST_LINES) -> Iterator[str]:
    """Yield the lines of a file; InputError if they are too many to fit into memory."""
    size = 0
    for number, line in enumerate(lines, start=1):
        size += len(line)
        if size > largest or number > _MOST_LINES:
            what = f"{largest} characters" if size > largest else f"{_MOST_LINES} lines"
            raise InputError(f"cannot read {path}: it has more than {what}")
        yield line


@contextmanager
def open_text(path: Path, *, is_strict: bool = False) -> Iterator[Iterator[str]]:
    """The lines of a text file, plain or packed (.gz, .xz, .bz2, or the first file in a .zip), one after the other.

    InputError, here or while reading, if the file cannot be read. The text is UTF-8, or UTF-16 with its mark. Other
    bytes count as Latin-1, the character set of the PGN standard, or, if `is_strict`, as an InputError.
    """
    import zlib
    from lzma import LZMAError
    from zipfile import BadZipFile

    try:
        with ExitStack() as stack:
            yield _lines(_open_packed(path, stack, "strict" if is_strict else _LATIN_1), path)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text file: {error.reason}") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason_of(error)}") from error
    except (EOFError, LZMAError, zlib.error, BadZipFile, RuntimeError) as error:
        raise InputError(f"{path} is damaged, or its compression is not supported: {error}") from error


def read_pgn_text(path: Path, largest: int) -> str:
    """The whole text of a PGN file, like `open_text`; InputError if it has more than `largest` characters."""
    with open_text(path) as lines:
        return "".join(bounded(lines, path, largest))


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    """Decode the bytes that are not UTF-8: an error handler for `codecs`."""
    assert isinstance(error, UnicodeDecodeError)
    data = error.object[error.start : error.end]
    if error.encoding.startswith("utf-16"):
        return "\ufffd", error.end
    # Windows has letters and quotation marks where Latin-1 has control characters.
    return "".join(map(_WINDOWS_LETTERS.__getitem__, data)), error.end


_WINDOWS_LETTERS = [bytes([byte]).decode("cp1252", "replace").replace("\ufffd", chr(byte)) for byte in range(256)]
_LATIN_1 = "adversary-latin-1"
codecs.register_error(_LATIN_1, _as_latin_1)


def _lines(file: IO[str], path: Path) -> Iterator[str]:
    while line := file.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise InputError(f"{path} has a line of more than {_LONGEST_LINE} characters: is it a text file?")
        yield line


def _open_packed(path: Path, stack: ExitStack, errors: str) -> IO[str]:
    suffix = path.suffix.lower()
    if suffix in _UNREADABLE:
        raise InputError(f"{path}: unsupported compression; use .gz, .xz, .bz2 or .zip, or unpack it")
    raw: IO[bytes] = stack.enter_context(open_bytes(path))
    if suffix == ".zip":
        from zipfile import ZipFile

        archive = stack.enter_context(ZipFile(raw))
        raw = stack.enter_context(archive.open(_name_in(archive, path)))
    elif suffix in _PACKED:
        raw = stack.enter_context(import_module(_PACKED[suffix]).open(raw))
    encoding = _encoding_of(raw.read(len(codecs.BOM_UTF16_LE)))
    raw.seek(0)
    return stack.enter_context(io.TextIOWrapper(raw, encoding, errors))


def _name_in(archive: zipfile.ZipFile, path: Path) -> str:
    names = [name for name in archive.namelist() if not name.endswith("/")]
    if not names:
        raise InputError(f"{path} contains no file")
    return names[0]


def inner_name(path: Path) -> str:
    """The name of the text that `open_text` reads, without the suffix of its compression."""
    if path.suffix.lower() == ".zip":
        from zipfile import BadZipFile, ZipFile

        with open_bytes(path) as raw:
            try:
                return _name_in(ZipFile(raw), path)
            except BadZipFile as error:
                raise InputError(f"cannot read {path}: {error}") from error
    return path.stem if path.suffix.lower() in _PACKED else path.name


def check_target(path: Path, is_ours: Callable[[Path], bool], what: str) -> None:
    """Raise InputError if a file cannot be written, or would overwrite one that `is_ours` rejects."""
    check_name(path)
    if path.is_dir() or not path.name:
        raise InputError(f"cannot write {path}: it is a folder")
    if not path.absolute().parent.is_dir():
        raise InputError(f"cannot write {path}: no folder {path.parent}")
    if path.exists() and not path.is_file():
        raise InputError(f"cannot write {path}: it is not a plain file")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise InputError(f"cannot write {path}: {os.strerror(errno.EACCES)}")
    if path.exists() and path.stat().st_size and not is_ours(path):
        raise InputError(f"{path} exists and is not a {what}; refusing to overwrite it")


def create_folder(path: Path) -> None:
    """Create a folder, with those above it, unless it exists. InputError if it cannot be created."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot create the folder {path}: {reason_of(error)}") from error


def check_name(path: Path) -> None:
    """Raise InputError if no file can have that name."""
    if "\0" in str(path):
        raise InputError(f"invalid file name {quote(str(path))}")
    try:
        path.lstat()
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL):
            raise InputError(f"invalid file name {quote(str(path))}: {reason_of(error)}") from error


def begins_with(*beginnings: bytes) -> Callable[[Path], bool]:
    """Return a predicate: whether a file begins with one of these magic bytes, ignoring white space."""
    def is_one(path: Path) -> bool:
        with open_bytes(path) as file:
            return file.read(256).lstrip().startswith(beginnings)

    return is_one


def begins_with_epd(path: Path) -> bool:
    """Whether the first line of a file has the fields of a position, and nothing else."""
    with path.open(errors="replace") as file:
        return len(file.readline().split()) == 4


def is_plain_text(path: Path) -> bool:
    """Whether a file begins with printable characters only, and so is not binary data."""
    with open_bytes(path) as file:
        return all(32 <= byte < 127 or byte in b"\t\r\n" for byte in file.read(256))


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Lock a file, which is created if need be, while the context is open; InputError if another process holds it.

    OSError if it cannot be opened. The system releases the lock when the process ends, however it ends. On a file
    system without locks, there is none.
    """
    with ExitStack() as stack:
        while not _lock(path, stack):
            stack.close()
        yield


def _lock(path: Path, stack: ExitStack) -> bool:
    """Lock a file until the stack is closed; False if its last holder has just removed it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    stack.callback(os.close, handle)
    os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
    with suppress(OSError, ImportError):  # a system or file system without locks
        if not host.try_lock(handle):
            raise InputError(f"{path} is in use by another run")
    return path.exists() and os.path.samestat(os.fstat(handle), path.stat())


def append_whole(path: Path, content: bytes, *, is_durable: bool = False) -> None:
    """Append to a file; OSError, which names the file and leaves it as it was, if there is no room for all of it.

    What `is_durable` has reached the disk afterwards, and survives a power failure.
    """
    with path.open("ab", buffering=0) as file:  # a buffer would be flushed again on closing
        size = file.seek(0, os.SEEK_END)
        try:
            written = file.write(content)
            while written < len(content):
                written += file.write(content[written:])  # raises the OSError if nothing fits
            if is_durable:
                os.fsync(file.fileno())
        except OSError as error:
            with suppress(OSError):
                os.truncate(path, size)
            raise OSError(error.errno, error.strerror, str(path)) from error  # the system names no file


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file atomically: an incomplete one never replaces another. InputError if it cannot be written."""
    with replacing(path) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes its name when it is complete. InputError if it cannot be written."""
    target = path.resolve()
    # Its name is short: the target's may be as long as the file system allows.
    part = target.with_name(f".{crc32(os.fsencode(target.name)):08x}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(target)
    except OSError as error:
        raise InputError(f"cannot write {path}: {reason_of(error)}") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
