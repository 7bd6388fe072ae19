"""The page's files and the men's pictures, read once: what is not in these two tables cannot be asked for."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import chess
import chess.svg
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

_INDEX = "index.html"
_TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
          ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
          ".png": "image/png", ".webmanifest": "application/manifest+json"}
_SVG = ('<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 45 45">'
        "{}</svg>")
_PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # python-chess's men have styles of their own


def _files(folder: Traversable, prefix: str = "") -> dict[str, bytes]:
    """The files of the page's folder by their names, those of its subfolders with a slash."""
    found: dict[str, bytes] = {}
    for item in folder.iterdir():
        if item.is_dir():
            found |= _files(item, f"{prefix}{item.name}/")
        elif _type_of(item.name) is not None:
            found[prefix + item.name] = item.read_bytes()
    return found


def page_files() -> dict[str, bytes]:
    """All files of the page."""
    return _files(files("engine.desk") / "page")


@cache
def pieces() -> dict[str, bytes]:
    """The men as pictures: `wK.svg`, `bP.svg`."""
    found = {}
    for letter, drawing in chess.svg.PIECES.items():
        name = ("w" if letter.isupper() else "b") + letter.upper() + ".svg"
        found[name] = _SVG.format(drawing).encode()
    return found


def _type_of(name: str) -> str | None:
    return next((kind for ending, kind in _TYPES.items() if name.endswith(ending)), None)


def _answer(request: Request, table: dict[str, bytes], name: str) -> Response:
    content = table.get(name)
    if content is None:
        return PlainTextResponse("nothing is here", 404)
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    return Response(content, media_type=_type_of(name), headers={"ETag": tag})


async def index(request: Request) -> Response:
    """The page itself."""
    return _answer(request, page_files(), _INDEX)


async def page_file(request: Request) -> Response:
    """One of its files."""
    return _answer(request, page_files(), request.path_params["name"])


async def piece(request: Request) -> Response:
    """The picture of a man."""
    answer = _answer(request, pieces(), request.path_params["name"])
    answer.headers["Content-Security-Policy"] = _PICTURE_POLICY
    return answer


async def health(_: Request) -> Response:
    """Whether somebody is at home."""
    return PlainTextResponse("ok")
