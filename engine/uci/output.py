"""The engine's output, line by line, from any thread; and the log of output and input."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import IO

from engine.system.errors import InputError, reason_of


class UciOutput:
    """The output stream. When the reader has closed it, `leave(0)` ends the program.

    If writing fails, as on a full disk, the error is printed and `leave(1)` ends the program.
    """

    def __init__(self, sink: IO[str], leave: Callable[[int], object] = os._exit) -> None:
        self._sink, self._leave = sink, leave
        self._lock = threading.RLock()
        self._held: list[str] = []  # lines that go out with the next one
        self._log: IO[str] | None = None

    def send(self, line: str, *, flush: bool = True) -> None:
        """Write a line; without `flush` it goes out with the next one, in one piece, unbuffered stream or not."""
        with self._lock:
            self._held.append(line + "\n")
            if flush:
                self._write_held()
            self._write_log("<", line)

    def _write_held(self) -> None:
        text = "".join(self._held)
        self._held.clear()
        try:
            self._sink.write(text)
            self._sink.flush()
        except (BrokenPipeError, ValueError):  # the reader has gone, or the stream is closed
            self._leave(0)
        except OSError as error:
            with contextlib.suppress(OSError):
                print(f"error: cannot write to standard output: {reason_of(error)}", file=sys.stderr, flush=True)
            self._leave(1)

    def info_string(self, text: str, *, flush: bool = True) -> None:
        """Send a message to the user as `info string`."""
        self.send(f"info string {text}", flush=flush)

    def log_input(self, line: str) -> None:
        """Log a line of input."""
        self._write_log(">", line)

    def open_log(self, path: str) -> None:
        """Write the log to another file from now on, or to none; InputError changes nothing."""
        log = _open_plain_file(path) if path else None
        if self._log is not None:
            self._log.close()
        self._log = log

    def _write_log(self, direction: str, line: str) -> None:
        log = self._log
        if log is None:
            return
        try:
            log.write(f"{time.time():.3f} {direction} {line}\n")
            log.flush()
        except ValueError:  # another thread has just closed it
            pass
        except OSError as error:
            self._log = None
            with contextlib.suppress(OSError):
                log.close()
            self.info_string(f"cannot write the log, which ends here: {reason_of(error)}")


def _open_plain_file(path: str) -> IO[str]:
    """The file to append to. Only a plain file will do: a pipe could block, or feed the log back as input."""
    from engine.system.files import user_path  # not needed before the handshake

    file = user_path(path)
    try:
        if file.exists() and not file.is_file():
            raise InputError(f"{path} is not a plain file")
        return file.open("a", encoding="utf-8")  # open as long as the process
    except OSError as error:
        raise InputError(f"cannot write {path}: {reason_of(error)}") from error
