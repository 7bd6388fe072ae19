"""docs/web-protocol.md has the messages that the page sends and listens for."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT, page, rows, sections

SCRIPTS = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "engine").glob("**/page/*.js"))
MESSAGES = [cells for cells in rows(sections(page("docs/web-protocol.md"))["Messages"]) if cells[0] != "request"]
_OF_THE_PAGE = {"disconnected"}  # the page's own event


def test_every_request_has_a_row():
    documented = {name for cells in MESSAGES for name in re.findall(r"`(\w+)`", cells[0])}
    assert documented == set(re.findall(r"\.(?:send|request)\(\"(\w+)\"", SCRIPTS))


def test_every_response_is_named():
    text = sections(page("docs/web-protocol.md"))["Messages"]
    heard = set(re.findall(r"\.on\(\"(\w+)\"", SCRIPTS)) - _OF_THE_PAGE
    assert heard and heard <= set(re.findall(r"`(\w+)`", text))
