"""The suites that ship with the engine, so that figures can be repeated anywhere by name."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from engine.cli.arguments import InputFile
from engine.system.errors import quote

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class BuiltInSuite:
    """A suite of the package, and whose work it is."""

    name: str
    contents: str
    source: str  # with its licence
    is_perft: bool = False
    is_chess960: bool = False

    @property
    def path(self) -> Path:
        """The file of the suite."""
        return _FOLDER / f"{self.name}.epd.xz"


SUITES = (
    BuiltInSuite("wac", "Win at Chess, 300 positions with the one move that wins", "arasan-chess, MIT"),
    BuiltInSuite("bratko-kopec", "the Bratko-Kopec test, 24 positions", "Kopec and Bratko 1982; SenjoUCIAdapter, MIT"),
    BuiltInSuite("mates", "464 mates in 1 to 5, at most 100 of each length", "lithander/Leorik, MIT"),
    BuiltInSuite("standard", "127 positions, to depth 6", "AndyGrant/Ethereal, GPL-3", is_perft=True),
    BuiltInSuite("chess960", "960 positions of Chess960, to depth 5", "AndyGrant/Ethereal, GPL-3", is_perft=True,
                 is_chess960=True),
    BuiltInSuite("tricky", "21 corner cases of castling, en passant and X-FEN", "niklasf/shakmaty, GPL-3",
                 is_perft=True, is_chess960=True),
)


def is_chess960(path: Path) -> bool:
    """Whether a file is a built-in suite of Chess960."""
    return any(suite.is_chess960 and suite.path == path for suite in SUITES)


@dataclass(frozen=True)
class SuiteFile(InputFile):
    """A suite: the name of a built-in one, or a plain file that can be read."""

    is_perft: bool = False

    def __call__(self, text: str) -> Path:
        """Return its path; ArgumentTypeError if there is no such suite."""
        suites = {suite.name: suite for suite in SUITES if suite.is_perft == self.is_perft}
        if text in suites:
            return suites[text].path
        try:
            return super().__call__(text)
        except argparse.ArgumentTypeError as error:
            if "." in text or "/" in text:
                raise
            raise argparse.ArgumentTypeError(f"no suite or file {quote(text)}; the suites are "
                                             f"{', '.join(suites)}") from error


def add_list(parser: argparse.ArgumentParser) -> None:
    """Declare `--list`."""
    parser.add_argument("--list", action="store_true", help="list the built-in suites, with their sources and licences")


def suite_rows(is_perft: bool) -> list[tuple[str, str, str]]:
    """Name, contents and source of the built-in suites of perft, or of the others."""
    return [(suite.name, suite.contents, suite.source) for suite in SUITES if suite.is_perft == is_perft]
