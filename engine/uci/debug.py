"""A command of this engine in a separate process, which runs this installation's code from any current folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import chess

from engine.core.game import Game

_ROOT = Path(__file__).resolve().parents[1]
_TERMINATED = 128 + signal.SIGTERM  # the exit status of a program that was terminated


def run_adversary(words: Sequence[str]) -> Iterator[str]:
    """The lines that `adversary WORDS` prints; if this process is terminated, so is that one."""
    path = os.pathsep.join(part for part in (str(_ROOT), os.environ.get("PYTHONPATH", "")) if part)
    # -P: otherwise Python would look for `engine` in the current folder first, where anybody may have put one.
    with subprocess.Popen([sys.executable, "-P", "-m", "engine", *words], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "PYTHONPATH": path}) as process, _ended_together(process):
        assert process.stdout is not None
        for line in process.stdout:
            yield line.rstrip()


@contextmanager
def _ended_together(process: subprocess.Popen[str]) -> Iterator[None]:
    """Within this context SIGTERM ends `process` as well; so does leaving the context in any way."""

    def end(number: int, frame: FrameType | None) -> None:
        process.kill()
        os._exit(_TERMINATED)

    is_main = threading.current_thread() is threading.main_thread()  # no other thread may handle signals
    before = signal.signal(signal.SIGTERM, end) if is_main else None
    try:
        yield
    finally:
        process.kill()
        if is_main:
            signal.signal(signal.SIGTERM, before)


_FILES = "    a b c d e f g h"


def board_of(game: Game) -> chess.Board:
    """The position of a game as a python-chess board."""
    return chess.Board(game.fen(shredder=True), chess960=True)


def position_lines(game: Game) -> Iterator[str]:
    """The position, line by line."""
    for rank, row in zip(range(8, 0, -1), str(board_of(game)).splitlines(), strict=True):
        yield f" {rank}  {row}"
    yield _FILES
    yield f"{'black' if game.position.side else 'white'} to move"
    yield f"Fen: {game.fen()}"
    yield f"Key: {int(game.position.key):016X}"


def mirrored_fen(game: Game) -> str:
    """The position with the colours exchanged."""
    return board_of(game).mirror().fen(shredder=bool(game.position.chess960))
