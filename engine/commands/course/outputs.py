"""Pages that show what a command prints: the commands they name, and the blocks below them, renewed.

A line `<!-- output of: adversary compare --depth 6 -->` stands above each block; a block holds the first table that the
command prints, up to an empty line.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

_BLOCK = re.compile(r"^<!-- output of: adversary (?P<words>.+?) -->\n```\n(?P<shown>.*?)^```$",
                    re.MULTILINE | re.DOTALL)


def shown_outputs(page: str) -> dict[str, str]:
    """The blocks of a page, by the words of their commands."""
    return {found["words"]: found["shown"] for found in _BLOCK.finditer(page)}


def printed(words: str) -> str:
    """The first table that a command prints, without the spaces at the ends of its lines."""
    command = [sys.executable, "-m", "engine", *shlex.split(words)]
    whole = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    first = whole.strip("\n").split("\n\n", maxsplit=1)[0]
    return "\n".join(line.rstrip() for line in first.splitlines()) + "\n"


def renew(page: str) -> str:
    """The page with every block as its command prints it now."""

    def block(found: re.Match[str]) -> str:
        return f"<!-- output of: adversary {found['words']} -->\n```\n{printed(found['words'])}```"

    return _BLOCK.sub(block, page)
