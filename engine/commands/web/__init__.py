"""`web`: a board in the browser to play, to analyse and to watch the search, served from this machine."""

from __future__ import annotations

import argparse
import secrets
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.arguments import IntRange, OutputFile, Text, conflicts_with, option_range
from engine.cli.interruption import stop_on_interrupt
from engine.system.extras import missing_extra, missing_packages
from engine.system.files import begins_with
from engine.system.host import usable_cores

if TYPE_CHECKING:
    from engine.ui.web.server import Server

_PORT = 8765
_HOST = "127.0.0.1"
_SESSIONS = 24
_HASH = 256
_SHUTDOWN_SECONDS = 0.4  # that open sessions have to end in order
_FAREWELL = "\nserver stopped"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--port", type=IntRange(0, 65_535), default=_PORT, metavar="N",
                        help=f"the port to listen at (default {_PORT}; 0 for any free port)")
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.add_argument("--host", type=Text(), default=_HOST, metavar="ADDRESS",
                        help=f"the address to listen at (default {_HOST}: this machine only); any other one requires "
                        "a token, which is part of the printed address")
    parser.add_argument("--sessions", type=IntRange(1, 1000), default=_SESSIONS, metavar="N",
                        help=f"maximum number of visitors at the same time (default {_SESSIONS})")
    parser.add_argument("--hash", type=option_range("Hash"), default=_HASH, metavar="MB",
                        help=f"memory for all transposition tables together (default {_HASH})")
    parser.add_argument("--threads", type=option_range("Threads"), default=usable_cores(), metavar="N",
                        help="threads for all searches together (default: the number of cores)")
    picture = parser.add_argument("--picture", type=OutputFile("PNG picture", begins_with(b"\x89PNG")),
                                  metavar="FILE.png",
                                  help="save a screenshot of the page, as in the README, and exit")
    conflicts_with(picture, "--open", "--host")


def run(arguments: argparse.Namespace) -> int:
    """Serve until the user interrupts."""
    if missing := missing_packages("web"):
        raise missing_extra("the page", "web", *missing)
    from engine.coach.progress_file import default_path
    from engine.ui.autosave import games_folder
    from engine.ui.web.app import make_app
    from engine.ui.web.engine_pool import EnginePool, ResourceLimits
    from engine.ui.web.security import ServerAddress, is_loopback
    from engine.ui.web.server import Server, open_socket

    listener = open_socket(arguments.host, arguments.port)
    bound_address, port, *_ = listener.getsockname()
    token = None if is_loopback(bound_address) else secrets.token_urlsafe(18)
    server_address = ServerAddress(arguments.host, port, token)
    pool = EnginePool(ResourceLimits(arguments.sessions, arguments.hash, arguments.threads),
                      *((games_folder(), default_path()) if token is None else ()))
    pool.load()
    server = Server(make_app(server_address, pool), listener)
    if arguments.picture is not None:
        _take_picture(server, server_address.url, arguments.picture)
        return 0
    if token is not None:
        print("warning: other machines can reach this server; only visitors with the full address, including the "
              "token, can connect", file=sys.stderr)
    print(f"the board is at {server_address.url} (Ctrl-C stops it)", flush=True)
    if arguments.open:
        webbrowser.open(server_address.url)
    with stop_on_interrupt(server.stop, _SHUTDOWN_SECONDS, _FAREWELL):
        server.run()
    return 0


def _take_picture(server: Server, address: str, path: Path) -> None:
    """Serve while a browser takes a screenshot of the page."""
    from engine.commands.web.picture import take_picture

    serving = threading.Thread(target=server.run, daemon=True)
    with stop_on_interrupt(server.stop):
        serving.start()
        try:
            take_picture(address, path)
        finally:
            server.stop()
            serving.join()
    print(f"screenshot saved to {path}")
