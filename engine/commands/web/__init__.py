"""`web`: a board in the browser, to play, to analyse and to watch the search; served from this machine."""

from __future__ import annotations

import argparse
import secrets
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from engine.commands.shared.arguments import IntRange, OutputFile, Text, conflicts_with, option_range
from engine.commands.shared.interruption import stop_on_interrupt
from engine.system.extras import missing_extra, missing_packages
from engine.system.files import begins_with
from engine.system.host import usable_cores

if TYPE_CHECKING:
    from engine.ui.web.server import Server

_PORT = 8765
_HOST = "127.0.0.1"
_SESSIONS = 24
_HASH = 256
_PATIENCE = 0.4  # seconds that visitors have to hear that the server ends
_FAREWELL = "\nthe board is put away"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--port", type=IntRange(0, 65_535), default=_PORT, metavar="N",
                        help=f"where the page is found (default {_PORT}; 0 for any that is free)")
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.add_argument("--host", type=Text(), default=_HOST, metavar="ADDRESS",
                        help=f"the address to listen at (default {_HOST}: this machine alone); anything else asks for "
                        "a token, which is part of the address that is printed")
    parser.add_argument("--sessions", type=IntRange(1, 1000), default=_SESSIONS, metavar="N",
                        help=f"visitors at the same time (default {_SESSIONS})")
    parser.add_argument("--hash", type=option_range("Hash"), default=_HASH, metavar="MB",
                        help=f"memory for the transposition tables of all of them together (default {_HASH})")
    parser.add_argument("--threads", type=option_range("Threads"), default=usable_cores(), metavar="N",
                        help="threads that search at the same time, for all of them together (default: as many as "
                        "there are cores)")


    picture = parser.add_argument("--picture", type=OutputFile("PNG picture", begins_with(b"\x89PNG")),
                                  metavar="FILE.png",
                                  help="draw the page, as the README shows it, and end")
    conflicts_with(picture, "--open", "--host")


def run(arguments: argparse.Namespace) -> int:
    """Serve until the user ends it."""
    if missing := missing_packages("web"):
        raise missing_extra("the page", "web", *missing)
    from engine.ui.web.app import make_app
    from engine.ui.web.engine_pool import EnginePool, ResourceLimits
    from engine.ui.web.security import ServerAddress, is_loopback
    from engine.ui.web.server import Server, open_socket

    listener = open_socket(arguments.host, arguments.port)
    token = None if is_loopback(arguments.host) else secrets.token_urlsafe(18)
    door = ServerAddress(arguments.host, listener.getsockname()[1], token)
    desk = EnginePool(ResourceLimits(arguments.sessions, arguments.hash, arguments.threads))
    desk.load()
    server = Server(make_app(door, desk), listener)
    if arguments.picture is not None:
        _take_picture(server, door.address, arguments.picture)
        return 0
    if token is not None:
        print("warning: other machines can reach this server; only those who know the whole address are let in",
              file=sys.stderr)
    print(f"the board is at {door.address} (Ctrl-C ends it)", flush=True)
    if arguments.open:
        webbrowser.open(door.address)
    with stop_on_interrupt(server.stop, _PATIENCE, _FAREWELL):
        server.run()
    return 0


def _take_picture(server: Server, address: str, path: Path) -> None:
    """Serve as long as it takes to make a picture of the page."""
    from engine.commands.web.picture import take_picture

    serving = threading.Thread(target=server.run, daemon=True)
    with stop_on_interrupt(server.stop):
        serving.start()
        try:
            take_picture(address, path)
        finally:
            server.stop()
            serving.join()
    print(f"the page is drawn in {path}")
