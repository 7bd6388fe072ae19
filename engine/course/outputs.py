"""Pages that show what a command prints: the commands they name, and the blocks below them, renewed.

A line `<!-- output of: adversary compare position --depth 6 -->` stands above each block; a block holds the first table
that the command prints, up to an empty line, or with `, table 2` after the command the second one.
"""

from __future__ import annotations

import re
import shlex
from functools import cache

from engine.cli.interruption import run_own
from engine.system.errors import InputError

_TABLE = ", table "
_BLOCK = re.compile(r"^<!-- output of: adversary (?P<words>.+?) -->\n```\n(?P<shown>.*?)^```$",
                    re.MULTILINE | re.DOTALL)


def shown_outputs(page: str) -> dict[str, str]:
    """The blocks of a page, by the words of their commands."""
    return {found["words"]: found["shown"] for found in _BLOCK.finditer(page)}


def printed(words: str) -> str:
    """The table that the words above a block name, without the spaces at the ends of its lines."""
    command, _, number = words.partition(_TABLE)
    table = _tables(command)[int(number or 1) - 1]
    return "\n".join(line.rstrip() for line in table.splitlines()) + "\n"


@cache
def _tables(words: str) -> list[str]:
    """The tables that a command prints; it is run once, since a tournament takes minutes."""
    done = run_own(shlex.split(words))
    if done.returncode:
        message = (done.stderr.strip() or "no error message").splitlines()[-1]
        raise InputError(f"adversary {words} failed: {message}")
    return done.stdout.strip("\n").split("\n\n")


def renew(page: str) -> str:
    """The page with every block as its command prints it now."""

    def block(found: re.Match[str]) -> str:
        return f"<!-- output of: adversary {found['words']} -->\n```\n{printed(found['words'])}```"

    return _BLOCK.sub(block, page)
