"""A visitor for tests: says things to the server, and waits for what it is told."""

from __future__ import annotations

import warnings
from typing import Any

import chess

from engine.ui.web.app import make_app
from engine.ui.web.engine_pool import EnginePool, ResourceLimits
from engine.ui.web.security import ServerAddress

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # newer Starlettes would rather have httpx's successor
    from starlette.testclient import TestClient as TestClient
    from starlette.testclient import WebSocketTestSession

PORT = 8765
ADDRESS = f"http://127.0.0.1:{PORT}"
TALK = f"ws://127.0.0.1:{PORT}/talk"
ORIGIN = {"origin": ADDRESS}
START: dict[str, Any] = {"start": None, "chess960": False, "moves": []}
FASTEST = 400
_MOST = 400  # messages until something is told: more means never


def client(limits: ResourceLimits | None = None, address: ServerAddress | None = None, **rates: float) -> TestClient:
    """A browser, and the server that it talks to."""
    app = make_app(address or ServerAddress("127.0.0.1", PORT, None), EnginePool(limits or ResourceLimits(4, 16, 2)),
                   **rates)
    return TestClient(app, base_url=ADDRESS, raise_server_exceptions=True, follow_redirects=False)


class Visitor:
    """One conversation."""

    def __init__(self, socket: WebSocketTestSession) -> None:
        self._socket = socket

    def say(self, do: str, **fields: Any) -> None:
        """Say something."""
        self._socket.send_json({"do": do, **fields})

    def hear(self, *names: str) -> dict[str, Any]:
        """The next message of one of these names; others are passed over, but an error is not."""
        for _ in range(_MOST):
            told: dict[str, Any] = self._socket.receive_json()
            if told["tell"] in names:
                return told
            assert told["tell"] != "error", told
        raise AssertionError(f"nobody tells {names}")

    def ask(self, do: str, *names: str, **fields: Any) -> dict[str, Any]:
        """Say something, and wait for an answer."""
        self.say(do, **fields)
        return self.hear(*names)

    def begin(self, **wishes: Any) -> dict[str, Any]:
        """Begin a game."""
        usual = {"level": FASTEST, "side": "white", "clock": None, "start": None, "chess960": False, "delay": False}
        return self.ask("new", "game", **{**usual, **wishes})

    def settled(self, game: dict[str, Any]) -> dict[str, Any]:
        """The game when the engine has answered."""
        while game["thinking"]:
            game = self.hear("game")
        return game

    def move(self, uci: str, ply: int) -> dict[str, Any]:
        """Make a move, and wait for the engine's answer."""
        return self.settled(self.ask("move", "game", uci=uci, ply=ply))


def board_after(game: dict[str, Any]) -> chess.Board:
    """The board that a game's moves lead to."""
    board = chess.Board(game["start"] or chess.STARTING_FEN, chess960=game["chess960"])
    for move in game["moves"]:
        assert board.san(chess.Move.from_uci(move["uci"])) == move["san"]
        board.push_uci(move["uci"])
    return board
