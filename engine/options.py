"""The UCI options: one table, from which the settings, the printed list, the parsing and the range checks come.

Each field of `Settings` is a row: an attribute that code reads by its name, and what a GUI is told of it. Standard
library only: the list is printed before Numba is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import Enum, auto
from typing import Any, cast

from engine.core.errors import InputError, quote
from engine.search.kinds import KINDS, STRONGEST

Value = int | bool | str

_LARGEST_HASH = 1 << 20  # MB; what the machine really has is found out when it is asked for
_MOST_THREADS = 1024
_ROW = "option"  # where a field keeps its row
_TREES = ("mcts", "uct", "montecarlo")


class OptionType(Enum):
    """The types of options that UCI knows."""

    SPIN = "spin"
    CHECK = "check"
    COMBO = "combo"
    STRING = "string"
    BUTTON = "button"


class Effect(Enum):
    """What has to be done when a value has changed, beyond reading the new one the next time."""

    NONE = auto()
    NEW_SEARCH = auto()  # only if the kind in use is one of the row's `kinds`
    MEMORY = auto()
    THREADS = auto()
    CLEAR = auto()
    BOOK = auto()
    OWN_TABLES = auto()
    SYZYGY = auto()
    VARIANT = auto()
    STRENGTH = auto()
    EVALUATION = auto()
    LOG = auto()


@dataclass(frozen=True)
class Option:
    """One row: what a GUI shows, what a value must be, which setting it is, and what a change of it brings about."""

    name: str
    kind: OptionType
    about: str
    setting: str  # the attribute of `Settings`
    default: Value = ""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    effect: Effect = Effect.NONE
    kinds: tuple[str, ...] = ()  # the kinds of search that look at it when they are made
    ends_search: bool = True  # a change of it cannot wait for a running search

    def declaration(self) -> str:
        """The line that declares the option to a GUI."""
        line = f"option name {self.name} type {self.kind.value}"
        if self.kind is OptionType.BUTTON:
            return line
        line += f" default {_as_text(self.default)}"
        if self.kind is OptionType.SPIN:
            line += f" min {self.low} max {self.high}"
        return line + "".join(f" var {choice}" for choice in self.choices)

    def read(self, text: str) -> Value:
        """The value that `text` means; InputError if it is none."""
        if self.kind is OptionType.SPIN:
            return self._read_number(text)
        if self.kind is OptionType.CHECK:
            if text.lower() not in ("true", "false"):
                raise InputError(f"option {self.name} is true or false, not {quote(text)}")
            return text.lower() == "true"
        if self.kind is OptionType.COMBO:
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


def _row(name: str, kind: OptionType, about: str, default: Value, **details: Any) -> Any:
    return field(default=default, metadata={_ROW: (name, kind, about, details)})


def _spin(name: str, about: str, default: int, low: int, high: int, **details: Any) -> int:
    row: int = _row(name, OptionType.SPIN, about, default, low=low, high=high, **details)
    return row


def _check(name: str, about: str, default: bool, **details: Any) -> bool:
    row: bool = _row(name, OptionType.CHECK, about, default, **details)
    return row


def _combo(name: str, about: str, default: str, choices: tuple[str, ...], **details: Any) -> str:
    row: str = _row(name, OptionType.COMBO, about, default, choices=choices, **details)
    return row


def _string(name: str, about: str, default: str = "", **details: Any) -> str:
    row: str = _row(name, OptionType.STRING, about, default, **details)
    return row


def _button(name: str, about: str, **details: Any) -> str:
    row: str = _row(name, OptionType.BUTTON, about, "", **details)
    return row


@dataclass
class Settings:
    """The values of all options."""

    hash: int = _spin("Hash", "size of the transposition table in MB", 64, 1, _LARGEST_HASH, effect=Effect.MEMORY)
    clear_hash: str = _button("Clear Hash", "empties the transposition table", effect=Effect.CLEAR)
    threads: int = _spin("Threads", "threads that search together", 1, 1, _MOST_THREADS, effect=Effect.THREADS)
    ponder: bool = _check("Ponder", "whether the GUI lets the engine think on the opponent's time", False,
                          ends_search=False)
    multipv: int = _spin("MultiPV", "how many of the best moves are shown, each with its line", 1, 1, 256,
                         ends_search=False)
    move_overhead: int = _spin("Move Overhead", "milliseconds lost per move between engine and clock", 20, 0, 10_000)
    # Files before the wish to use them: a bad file is refused, and the wish stands.
    eval_file: str = _string("EvalFile", "a network to evaluate positions with; empty for the one that is built in",
                             effect=Effect.EVALUATION)
    evaluation: str = _combo("Evaluation", "what positions are judged by: a learned network, or features that can be "
                             "explained", "network", ("network", "features"), effect=Effect.EVALUATION)
    book_file: str = _string("BookFile", "a Polyglot book; empty for the one that is built in", effect=Effect.BOOK)
    own_book: bool = _check("OwnBook", "whether the engine plays from an opening book", False, effect=Effect.BOOK)
    book_depth: int = _spin("Book Depth", "the last move of a game for which the book is consulted", 255, 1, 255,
                            ends_search=False)
    book_variety: int = _spin("Book Variety", "0 plays only the book's best move, 50 plays moves as often as their "
                              "weights say, 100 plays all of them equally often", 55, 0, 100, ends_search=False)
    own_tables: bool = _check("OwnTables", "whether the engine's own endgame tables are used", True,
                              effect=Effect.OWN_TABLES)
    table_path: str = _string("TablePath", "a folder with more endgame tables, made by `tablebase build`",
                              effect=Effect.OWN_TABLES)
    syzygy_path: str = _string("SyzygyPath", "folders with Syzygy tables, separated as in PATH", effect=Effect.SYZYGY)
    syzygy_probe_depth: int = _spin("SyzygyProbeDepth", "the least depth at which the largest Syzygy tables are probed",
                                    1, 1, 100)
    syzygy_50_move_rule: bool = _check("Syzygy50MoveRule", "whether a Syzygy win that takes more than fifty moves "
                                       "counts as a draw", True)
    search_mode: str = _combo("SearchMode", "the kind of search; the others are there to be compared with the first",
                              STRONGEST.name, tuple(kind.name for kind in KINDS), effect=Effect.NEW_SEARCH,
                              kinds=tuple(kind.name for kind in KINDS))
    puct_exploration: int = _spin("PUCT Exploration", "mcts: how much uncertain moves are explored, in hundredths", 300,
                                  0, 10_000, effect=Effect.NEW_SEARCH, kinds=("mcts",))
    uct_exploration: int = _spin("UCT Exploration", "uct: UCB1's constant C, in hundredths", 141, 0, 10_000,
                                 effect=Effect.NEW_SEARCH, kinds=("uct",))
    playout_policy: str = _combo("Playout Policy", "uct and montecarlo: how moves are chosen in playouts", "random",
                                 ("random", "light", "cutoff"), effect=Effect.NEW_SEARCH, kinds=("uct", "montecarlo"))
    mcts_leaf_depth: int = _spin("MCTS Leaf Depth", "mcts: how deep leaves are searched; 0 is quiescence", 0, 0, 8,
                                 effect=Effect.NEW_SEARCH, kinds=("mcts",))
    mcts_pool: int = _spin("MCTS Pool", "mcts, uct, montecarlo: the percentage of Hash that is for the tree", 75, 10,
                           90, effect=Effect.NEW_SEARCH, kinds=_TREES)
    opponent_elo: int = _spin("Opponent Elo", "expectimax: how well the opponent plays, 0 for moves at random, "
                              "-1 for what UCI_Opponent tells", -1, -1, 3500, effect=Effect.NEW_SEARCH,
                              kinds=("expectimax",))
    uci_chess960: bool = _check("UCI_Chess960", "Chess960: castling is written as king takes rook", False,
                                effect=Effect.VARIANT)
    uci_show_wdl: bool = _check("UCI_ShowWDL", "whether wins, draws and losses per thousand games are shown beside "
                                "the score", False)
    uci_limit_strength: bool = _check("UCI_LimitStrength", "whether the engine plays at the strength of UCI_Elo "
                                      "instead of its best", False, effect=Effect.STRENGTH)
    uci_elo: int = _spin("UCI_Elo", "the strength to play at, if it is limited", 1500, 400, 2800,
                         effect=Effect.STRENGTH)
    uci_analyse_mode: bool = _check("UCI_AnalyseMode", "whether the GUI analyses and does not play", False)
    uci_opponent: str = _string("UCI_Opponent", "title, rating, kind and name of the opponent, as the GUI tells it",
                                effect=Effect.NEW_SEARCH, kinds=("expectimax",))
    uci_engine_about: str = _string("UCI_EngineAbout", "what the engine says of itself",
                                    "Adversary, a chess engine in Python compiled by Numba")
    debug_log_file: str = _string("Debug Log File", "a file to which everything said and heard is appended",
                                  effect=Effect.LOG)

    def set(self, option: Option, text: str) -> None:
        """Give an option the value that `text` means; InputError, and nothing is changed, if it means none."""
        setattr(self, option.setting, option.read(text))

    def put_back(self, option: Option, value: Value) -> None:
        """Return to an earlier value, when a new one turned out to be of no use."""
        setattr(self, option.setting, value)

    def value(self, option: Option) -> Value:
        """What an option is set to."""
        value: Value = getattr(self, option.setting)
        return value


def _options() -> Iterator[Option]:
    for row in fields(Settings):
        name, kind, about, details = row.metadata[_ROW]
        yield Option(name, kind, about, row.name, cast("Value", row.default), **details)


OPTIONS = tuple(_options())
_BY_NAME = {option.name.lower(): option for option in OPTIONS}


def find_option(name: str) -> Option:
    """The option of that name, in any case; InputError if there is none."""
    option = _BY_NAME.get(" ".join(name.lower().split()))
    if option is None:
        raise InputError(f"no option is called {quote(name)}")
    return option


def declarations() -> Iterator[str]:
    """The lines that answer `uci`, one an option."""
    return (option.declaration() for option in OPTIONS)
