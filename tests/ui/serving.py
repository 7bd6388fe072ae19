"""A real server in a process of its own, and visitors who connect to it over the network."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import chess
import psutil
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from tests.timing import PATIENCE

ROOT = Path(__file__).parents[2]
_PROGRAM = "import sys; from engine.__main__ import main; sys.exit(main(sys.argv[1:]))"


class Server:
    """A server that runs."""

    def __init__(self, process: subprocess.Popen[str], first_line: str, complaints: Path) -> None:
        """`first_line` has the address."""
        found = re.search(r":(\d+)/", first_line)
        assert found, complaints.read_text(encoding="utf-8")
        self.process, self.first_line, self.port, self._complaints = process, first_line, int(found[1]), complaints
        self._usage = psutil.Process(process.pid)

    @property
    def megabytes(self) -> float:
        """The memory that it uses."""
        return float(self._usage.memory_info().rss) / (1 << 20)

    @property
    def cpu_seconds(self) -> float:
        """The CPU time that it has used."""
        return float(sum(self._usage.cpu_times()[:2]))

    @property
    def complaints(self) -> str:
        """What it has written to stderr."""
        return self._complaints.read_text(encoding="utf-8")

    @property
    def address(self) -> str:
        """Where it is reached."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def serving(folder: Path, *options: str, program: str = _PROGRAM) -> Iterator[Server]:
    """A server, which has ended afterwards; `program` is Python that runs the command in `sys.argv`."""
    complaints = folder / "stderr.txt"
    command = [sys.executable, "-c", program, "web", "--port", "0", *options]
    with (complaints.open("w", encoding="utf-8") as errors,
          subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT,
                           env={**os.environ, "XDG_DATA_HOME": str(folder)}) as process):
        try:
            assert process.stdout is not None
            yield Server(process, process.stdout.readline(), complaints)
        finally:
            process.terminate()
            process.wait(PATIENCE)


class Guest:
    """A visitor over the network."""

    def __init__(self, server: Server) -> None:
        self._address, self._origin = f"ws://127.0.0.1:{server.port}/session", server.address
        self._socket: ClientConnection | None = None

    async def __aenter__(self) -> Self:
        self._socket = await connect(self._address, origin=Origin(self._origin), max_size=None, open_timeout=PATIENCE)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()

    @property
    def socket(self) -> ClientConnection:
        """The connection."""
        assert self._socket is not None
        return self._socket

    async def send(self, name: str, **fields: Any) -> None:
        """Send a request."""
        await self.socket.send(json.dumps({"type": name, **fields}))

    async def receive(self, *names: str) -> dict[str, Any]:
        """The next message of one of these names."""
        while True:
            message: dict[str, Any] = json.loads(await asyncio.wait_for(self.socket.recv(), PATIENCE))
            if message["type"] in names:
                return message

    async def begin(self, level: int | str, start: str | None = None) -> dict[str, Any]:
        """Start a game with White, from `start` or from the initial position."""
        await self.send("new", level=level, side="white", clock=None, start=start, chess960=False, delay=False)
        return await self.receive("game")

    async def move(self, game: dict[str, Any], uci: str) -> tuple[dict[str, Any], float]:
        """Make a move; returns the game after the engine's answer, and the seconds until it came."""
        began = time.perf_counter()
        await self.send("move", uci=uci, ply=game["ply"])
        response = await self.receive("game")
        while response["thinking"] or response["ply"] == game["ply"]:
            response = await self.receive("game")
        return response, time.perf_counter() - began


def some_move(game: dict[str, Any], number: int) -> str:
    """A legal move, not always the same."""
    board = chess.Board(game["fen"])
    moves = sorted(move.uci() for move in board.legal_moves)
    return moves[number * 7919 % len(moves)]
