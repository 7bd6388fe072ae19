"""The UCI options: one table, from which the printed list, the parsing, the range checks and the README's table come.

Standard library only: the list is printed before Numba is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from engine.core.errors import InputError, quote

Value = int | bool | str

_LARGEST_HASH = 1 << 20  # MB; what the machine really has is found out when it is asked for
_MOST_THREADS = 1024


class Kind(Enum):
    """The types of options that UCI knows."""

    SPIN = "spin"
    CHECK = "check"
    COMBO = "combo"
    STRING = "string"
    BUTTON = "button"


@dataclass(frozen=True)
class Option:
    """One row: what a GUI shows, and what a value must be."""

    name: str
    kind: Kind
    about: str
    default: Value = ""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    ends_search: bool = True  # a change of it cannot wait for a running search

    def declaration(self) -> str:
        """The line that declares the option to a GUI."""
        line = f"option name {self.name} type {self.kind.value}"
        if self.kind is Kind.BUTTON:
            return line
        line += f" default {_as_text(self.default)}"
        if self.kind is Kind.SPIN:
            line += f" min {self.low} max {self.high}"
        return line + "".join(f" var {choice}" for choice in self.choices)

    def read(self, text: str) -> Value:
        """The value that `text` means; InputError if it is none."""
        if self.kind is Kind.SPIN:
            return self._read_number(text)
        if self.kind is Kind.CHECK:
            if text.lower() not in ("true", "false"):
                raise InputError(f"option {self.name} is true or false, not {quote(text)}")
            return text.lower() == "true"
        if self.kind is Kind.COMBO:
            for choice in self.choices:
                if choice.lower() == text.lower():
                    return choice
            raise InputError(f"option {self.name} is one of {', '.join(self.choices)}, not {quote(text)}")
        return "" if text == "<empty>" else text

    def _read_number(self, text: str) -> int:
        digits = text.removeprefix("-").removeprefix("+")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
            raise InputError(f"option {self.name} is a number from {self.low} to {self.high}, not {quote(text)}")
        number = int(text)
        if not self.low <= number <= self.high:
            raise InputError(f"option {self.name} is from {self.low} to {self.high}, not {number}")
        return number


def _as_text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if value != "" else "<empty>"


OPTIONS = (
    Option("Hash", Kind.SPIN, "size of the transposition table in MB", 64, 1, _LARGEST_HASH),
    Option("Clear Hash", Kind.BUTTON, "empties the transposition table"),
    Option("Threads", Kind.SPIN, "threads that search together", 1, 1, _MOST_THREADS),
    Option("Ponder", Kind.CHECK, "whether the GUI lets the engine think on the opponent's time", False,
           ends_search=False),
    Option("MultiPV", Kind.SPIN, "how many of the best moves are shown, each with its line", 1, 1, 256,
           ends_search=False),
    Option("Move Overhead", Kind.SPIN, "milliseconds lost per move between engine and clock", 20, 0, 10_000),
    # The file before the wish to use it: a bad file is refused, and the wish stands.
    Option("BookFile", Kind.STRING, "a Polyglot book; empty for the one that is built in"),
    Option("OwnBook", Kind.CHECK, "whether the engine plays from an opening book", False),
    Option("Book Depth", Kind.SPIN, "the last move of a game for which the book is asked", 255, 1, 255,
           ends_search=False),
    Option("Book Variety", Kind.SPIN, "0 plays the book's best move only, 50 moves as often as their weights say, "
           "100 all alike", 55, 0, 100, ends_search=False),
    Option("OwnTables", Kind.CHECK, "whether the engine's own endgame tables are used", True),
    Option("TablePath", Kind.STRING, "a folder with more endgame tables, made by `tablebase build`"),
    Option("SyzygyPath", Kind.STRING, "folders with Syzygy tables, separated as in PATH"),
    Option("SyzygyProbeDepth", Kind.SPIN, "the least depth at which the largest Syzygy tables are asked", 1, 1, 100),
    Option("Syzygy50MoveRule", Kind.CHECK, "whether a win by Syzygy that takes over fifty moves is a draw", True),
    Option("SearchMode", Kind.COMBO, "the kind of search; the others are there to be compared with the first",
           "alphabeta", choices=("alphabeta", "mcts", "uct", "montecarlo", "minimax", "expectimax", "random")),
    Option("PUCT Exploration", Kind.SPIN, "mcts: how much uncertain moves are explored, in hundredths", 300, 0, 10_000),
    Option("UCT Exploration", Kind.SPIN, "uct: UCB1's constant C, in hundredths", 141, 0, 10_000),
    Option("Playout Policy", Kind.COMBO, "uct and montecarlo: how games are played on", "random",
           choices=("random", "light", "cutoff")),
    Option("MCTS Leaf Depth", Kind.SPIN, "mcts: how deep leaves are searched; 0 is quiescence", 0, 0, 8),
    Option("MCTS Pool", Kind.SPIN, "mcts, uct, montecarlo: the percentage of Hash that is for the tree", 75, 10, 90),
    Option("Opponent Elo", Kind.SPIN, "expectimax: how well the opponent plays, 0 for moves at random, "
           "-1 for what UCI_Opponent tells", -1, -1, 3500),
    Option("UCI_Chess960", Kind.CHECK, "Chess960: castling is written as king takes rook", False),
    Option("UCI_ShowWDL", Kind.CHECK, "whether wins, draws and losses of a thousand games are shown beside the score",
           False),
    Option("UCI_LimitStrength", Kind.CHECK, "whether the engine plays as well as UCI_Elo says, not as well as it can",
           False),
    Option("UCI_Elo", Kind.SPIN, "the strength to play with, if it is limited", 1500, 800, 2800),
    Option("UCI_AnalyseMode", Kind.CHECK, "the GUI analyses and does not play", False),
    Option("UCI_Opponent", Kind.STRING, "title, rating, kind and name of the opponent, as the GUI tells it"),
    Option("UCI_EngineAbout", Kind.STRING, "what the engine says of itself",
           "Adversary, a chess engine in Python compiled by Numba"),
    Option("Debug Log File", Kind.STRING, "a file that everything said and heard is appended to"),
)

_BY_NAME = {option.name.lower(): option for option in OPTIONS}


def find_option(name: str) -> Option:
    """The option of that name, in any case; InputError if there is none."""
    option = _BY_NAME.get(" ".join(name.lower().split()))
    if option is None:
        raise InputError(f"no option is called {quote(name)}")
    return option


class Settings:
    """The values of all options."""

    def __init__(self) -> None:
        self._values = {option.name: option.default for option in OPTIONS}

    def set(self, option: Option, text: str) -> None:
        """Give an option the value that `text` means; InputError, and nothing is changed, if it means none."""
        self._values[option.name] = option.read(text)

    def put_back(self, option: Option, value: Value) -> None:
        """Return to an earlier value, when a new one turned out to be of no use."""
        self._values[option.name] = value

    def value(self, option: Option) -> Value:
        """What an option is set to."""
        return self._values[option.name]

    def number(self, name: str) -> int:
        """The value of a spin."""
        value = self._values[name]
        assert isinstance(value, int)
        return value

    def flag(self, name: str) -> bool:
        """The value of a check."""
        value = self._values[name]
        assert isinstance(value, bool)
        return value

    def text(self, name: str) -> str:
        """The value of a string or a combo."""
        value = self._values[name]
        assert isinstance(value, str)
        return value


def declarations() -> Iterator[str]:
    """The lines that answer `uci`, one an option."""
    return (option.declaration() for option in OPTIONS)
