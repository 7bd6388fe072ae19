"""The page's files and the men's pictures: a name is looked for in a list, and never becomes a path."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

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


def page_file_content(name: str) -> bytes | None:
    """A file of the page; None if the page's own folder has none of that name."""
    folder = files("engine.desk") / "page"
    found = next((item for item in folder.iterdir() if item.name == name), None)
    return None if found is None or _type_of(name) is None or not found.is_file() else found.read_bytes()


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


def _answer(request: Request, content: bytes | None, name: str) -> Response:
    if content is None:
        return PlainTextResponse("nothing is here", 404)
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    return Response(content, media_type=_type_of(name), headers={"ETag": tag})


async def index(request: Request) -> Response:
    """The page itself."""
    return _answer(request, page_file_content(_INDEX), _INDEX)


async def page_file(request: Request) -> Response:
    """One of its files."""
    name = request.path_params["name"]
    return _answer(request, page_file_content(name), name)


async def piece(request: Request) -> Response:
    """The picture of a man."""
    name = request.path_params["name"]
    answer = _answer(request, pieces().get(name), name)
    answer.headers["Content-Security-Policy"] = _PICTURE_POLICY
    return answer


async def health_check(_: Request) -> Response:
    """Whether somebody is at home."""
    return PlainTextResponse("ok")
