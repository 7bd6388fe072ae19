"""A visitor for tests: sends requests to the server, and waits for its responses."""

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
SOCKET = f"ws://127.0.0.1:{PORT}/session"
ORIGIN = {"origin": ADDRESS}
START: dict[str, Any] = {"start": None, "chess960": False, "moves": []}
FASTEST = 400
_MOST = 400  # messages until a response: more means never


def client(limits: ResourceLimits | None = None, address: ServerAddress | None = None, **rates: float) -> TestClient:
    """A browser, and the server that it connects to."""
    app = make_app(address or ServerAddress("127.0.0.1", PORT, None), EnginePool(limits or ResourceLimits(4, 16, 2)),
                   **rates)
    return TestClient(app, base_url=ADDRESS, raise_server_exceptions=True, follow_redirects=False)


class Visitor:
    """One session."""

    def __init__(self, socket: WebSocketTestSession) -> None:
        self._socket = socket
        self.game: dict[str, Any] = {}  # as the messages so far tell it

    def send(self, name: str, **fields: Any) -> None:
        """Send a request."""
        self._socket.send_json({"type": name, **fields})

    def receive(self, *names: str) -> dict[str, Any]:
        """The next message of one of these names, of a game the whole; others are passed over, but an error is not."""
        for _ in range(_MOST):
            message: dict[str, Any] = self._socket.receive_json()
            if message["type"] == "game":
                message = self.game = merged(self.game, message)
            if message["type"] in names:
                return message
            assert message["type"] != "error", message
        raise AssertionError(f"no response is one of {names}")

    def receive_change(self) -> dict[str, Any]:
        """The next message, a change of the game, as it was sent."""
        message: dict[str, Any] = self._socket.receive_json()
        assert message["type"] == "game" and "kept" in message
        self.game = merged(self.game, message)
        return message

    def request(self, name: str, *names: str, **fields: Any) -> dict[str, Any]:
        """Send a request, and wait for its response."""
        self.send(name, **fields)
        return self.receive(*names)

    def begin(self, **options: Any) -> dict[str, Any]:
        """Begin a game."""
        usual = {"level": FASTEST, "side": "white", "clock": None, "start": None, "chess960": False, "delay": False}
        return self.request("new", "game", **{**usual, **options})

    def settled(self, game: dict[str, Any]) -> dict[str, Any]:
        """The game when the engine has answered."""
        while game["thinking"]:
            game = self.receive("game")
        return game

    def move(self, uci: str, ply: int) -> dict[str, Any]:
        """Make a move, and wait for the engine's answer."""
        return self.settled(self.request("move", "game", uci=uci, ply=ply))


def merged(before: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    """A game after a message about it, which is the whole game or a change."""
    if "kept" not in message:
        return message
    assert before["id"] == message["id"] and message["kept"] <= before["ply"]
    moves = before["moves"][: message["kept"]] + message["moves"]
    assert len(moves) == message["ply"]
    return {**before, **message, "moves": moves}


def board_after(game: dict[str, Any]) -> chess.Board:
    """The board that a game's moves lead to."""
    board = chess.Board(game["start"] or chess.STARTING_FEN, chess960=game["chess960"])
    for move in game["moves"]:
        assert board.san(chess.Move.from_uci(move["uci"])) == move["san"]
        board.push_uci(move["uci"])
    return board
