"""The UCI options: one table, from which the settings, the printed list, the parsing and the range checks come.

Each field of `Settings` is a row: an attribute that code reads by its name, and what a GUI is told about it. Standard
library only: the list is printed before Numba is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import Enum, auto
from typing import Any, cast

from engine.search.modes import DEFAULT_MODE, MODES
from engine.system.errors import InputError, quote
from eval.networks import SELFPLAY, TAUGHT

Value = int | bool | str

_LARGEST_HASH = 1 << 20  # MB; whether the machine has that much is checked when it is set
_MOST_THREADS = 1024
_ROW = "option"  # where a field keeps its row
_TREES = ("mcts", "puct", "uct", "montecarlo")


class OptionType(Enum):
    """The types of UCI options."""

    SPIN = "spin"
    CHECK = "check"
    COMBO = "combo"
    STRING = "string"
    BUTTON = "button"


class Effect(Enum):
    """What has to be done when a value has changed, besides reading the new one from then on."""

    NONE = auto()
    NEW_SEARCH = auto()  # only if the mode in use is one of the row's `modes`
    POLICY = auto()  # like NEW_SEARCH, but a named file must be valid even if it is not used now
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
    """One row: what a GUI shows, which values are allowed, which setting it is, and what a change of it entails."""

    name: str
    type: OptionType
    about: str
    setting: str  # the attribute of `Settings`
    default: Value = ""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    effect: Effect = Effect.NONE
    modes: tuple[str, ...] = ()  # the modes whose factory reads it
    ends_search: bool = True  # changing it ends a running search

    def declaration(self) -> str:
        """The line that declares the option to a GUI."""
        line = f"option name {self.name} type {self.type.value}"
        if self.type is OptionType.BUTTON:
            return line
        line += f" default {_as_text(self.default)}"
        if self.type is OptionType.SPIN:
            line += f" min {self.low} max {self.high}"
        return line + "".join(f" var {choice}" for choice in self.choices)

    def read(self, text: str) -> Value:
        """The value that `text` stands for; InputError if it is not allowed."""
        return self.checked(self._parsed(text))

    def checked(self, value: Value) -> Value:
        """`value`; InputError if it is of another type or not allowed."""
        if self.type is OptionType.SPIN:
            if isinstance(value, bool) or not isinstance(value, int):
                raise self._refusal(f"a number from {self.low} to {self.high}", value)
            if not self.low <= value <= self.high:
                raise InputError(f"option {self.name} must be from {self.low} to {self.high}, got {value}")
        elif self.type is OptionType.CHECK and not isinstance(value, bool):
            raise self._refusal("true or false", value)
        elif self.type is OptionType.COMBO and value not in self.choices:
            raise self._refusal(f"one of {', '.join(self.choices)}", value)
        elif self.type is OptionType.STRING and not isinstance(value, str):
            raise self._refusal("text", value)
        return value

    def _refusal(self, expected: str, value: Value) -> InputError:
        return InputError(f"option {self.name} must be {expected}, got {quote(str(value))}")

    def _parsed(self, text: str) -> Value:
        """The value that `text` stands for; `text` itself if it stands for none."""
        if self.type is OptionType.SPIN:
            digits = text[1:] if text[:1] in ("-", "+") else text
            return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 19 else text
        if self.type is OptionType.CHECK:
            return {"true": True, "false": False}.get(text.lower(), text)
        if self.type is OptionType.COMBO:
            return next((choice for choice in self.choices if choice.lower() == text.lower()), text)
        return "" if text == "<empty>" else text


def _as_text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if value != "" else "<empty>"


def _row(name: str, option_type: OptionType, about: str, default: Value, **details: Any) -> Any:
    return field(default=default, metadata={_ROW: (name, option_type, about, details)})


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
    threads: int = _spin("Threads", "number of search threads", 1, 1, _MOST_THREADS, effect=Effect.THREADS)
    ponder: bool = _check("Ponder", "set by the GUI if the engine may think on the opponent's time", False,
                          ends_search=False)
    multipv: int = _spin("MultiPV", "number of best moves to show, each with its line", 1, 1, 256,
                         ends_search=False)
    move_overhead: int = _spin("Move Overhead", "milliseconds to allow per move for delays outside the engine", 20, 0,
                               10_000)
    # File options come before the options that use them: a bad file is refused, and the other option still holds.
    eval_file: str = _string("EvalFile", f"network to evaluate positions with: `{TAUGHT}`, which learned from "
                             f"Stockfish's network, `{SELFPLAY}`, from own games alone, or a file", TAUGHT,
                             effect=Effect.EVALUATION)
    evaluation: str = _combo("Evaluation", "what evaluates positions: a neural network, or features that can be "
                             "explained", "network", ("network", "features"), effect=Effect.EVALUATION)
    policy_file: str = _string("PolicyFile", "mcts: file of the policy that guides the search; empty for the built-in "
                               "policy", effect=Effect.POLICY, modes=("mcts",))
    book_file: str = _string("BookFile", "Polyglot book to play from; empty for the built-in book", effect=Effect.BOOK)
    own_book: bool = _check("OwnBook", "plays from an opening book in games, on a clock or with movetime", True,
                            effect=Effect.BOOK)
    book_depth: int = _spin("Book Depth", "last move of the game for which the book is consulted", 255, 1, 255,
                            ends_search=False)
    book_variety: int = _spin("Book Variety", "0 plays only the book's best move, 50 plays moves in proportion to "
                              "their weights, 100 plays all of them equally often", 55, 0, 100, ends_search=False)
    level_book: bool = _check("LevelBook", "if UCI_LimitStrength is set: plays as many moves from the book as players "
                              "of that level know, whatever OwnBook says", True, effect=Effect.BOOK)
    level_clock: bool = _check("LevelClock", "if UCI_LimitStrength is set and a clock runs: takes time as people do, "
                               "briefly about obvious moves and longer about hard ones", False)
    own_tables: bool = _check("OwnTables", "uses the engine's own endgame tables", True, effect=Effect.OWN_TABLES)
    table_path: str = _string("TablePath", "folder with more endgame tables, made by `tablebase build`",
                              effect=Effect.OWN_TABLES)
    syzygy_path: str = _string("SyzygyPath", "folders with Syzygy tables, separated as in PATH", effect=Effect.SYZYGY)
    syzygy_probe_depth: int = _spin("SyzygyProbeDepth", "lowest depth at which the largest Syzygy tables are probed",
                                    1, 1, 100)
    syzygy_50_move_rule: bool = _check("Syzygy50MoveRule", "counts Syzygy wins that take more than fifty moves as "
                                       "draws", True)
    search_mode: str = _combo("SearchMode", "kind of search; the others are there to be compared with alphabeta",
                              DEFAULT_MODE.name, tuple(mode.name for mode in MODES), effect=Effect.NEW_SEARCH,
                              modes=tuple(mode.name for mode in MODES))
    puct_exploration: int = _spin("PUCT Exploration", "puct: exploration constant of PUCT, in hundredths", 300, 0,
                                  10_000, effect=Effect.NEW_SEARCH, modes=("puct",))
    uct_exploration: int = _spin("UCT Exploration", "uct: exploration constant C of UCB1, in hundredths", 141, 0,
                                 10_000, effect=Effect.NEW_SEARCH, modes=("uct",))
    playout_policy: str = _combo("Playout Policy", "uct, montecarlo: how moves are chosen in playouts", "random",
                                 ("random", "light", "cutoff"), effect=Effect.NEW_SEARCH, modes=("uct", "montecarlo"))
    mcts_leaf_depth: int = _spin("MCTS Leaf Depth", "mcts, puct: depth to which leaves are searched; 0 for quiescence "
                                 "only", 0, 0, 8, effect=Effect.NEW_SEARCH, modes=("mcts", "puct"))
    mcts_pool: int = _spin("MCTS Pool", "mcts, puct, uct, montecarlo: percentage of Hash that is used for the tree", 75,
                           10, 90, effect=Effect.NEW_SEARCH, modes=_TREES)
    contempt: int = _spin("Contempt", "mcts: how many hundredths of a win a draw is worth less than half a win", 0,
                          -100, 100, effect=Effect.NEW_SEARCH, modes=("mcts",))
    opponent_elo: int = _spin("Opponent Elo", "expectimax: strength of the opponent; 0 for random moves, -1 to go by "
                              "UCI_Opponent", -1, -1, 3500, effect=Effect.NEW_SEARCH, modes=("expectimax",))
    uci_chess960: bool = _check("UCI_Chess960", "plays Chess960, with castling written as king takes rook", False,
                                effect=Effect.VARIANT)
    uci_show_wdl: bool = _check("UCI_ShowWDL", "shows wins, draws and losses per thousand games with the score", False)
    uci_limit_strength: bool = _check("UCI_LimitStrength", "plays at the strength of UCI_Elo instead of full strength",
                                      False, effect=Effect.STRENGTH)
    uci_elo: int = _spin("UCI_Elo", "strength to play at if UCI_LimitStrength is set", 1500, 400, 2800,
                         effect=Effect.STRENGTH)
    uci_analyse_mode: bool = _check("UCI_AnalyseMode", "set by the GUI while it analyses: no book moves are played",
                                    False)
    uci_opponent: str = _string("UCI_Opponent", "title, rating, type and name of the opponent, as sent by the GUI",
                                effect=Effect.NEW_SEARCH, modes=("expectimax",))
    uci_engine_about: str = _string("UCI_EngineAbout", "what the engine says about itself",
                                    "Adversary, a chess engine in Python compiled by Numba")
    debug_log_file: str = _string("Debug Log File", "file to which all input and output is appended",
                                  effect=Effect.LOG)

    @property
    def uses_level_book(self) -> bool:
        """Whether a level plays from the book."""
        return self.uci_limit_strength and self.level_book

    @property
    def uses_own_book(self) -> bool:
        """Whether full strength plays from the book."""
        return self.own_book and not self.uci_limit_strength

    def set(self, option: Option, text: str) -> None:
        """Set an option to the value that `text` stands for; InputError, and no change, if it is not allowed."""
        setattr(self, option.setting, option.read(text))

    def set_value(self, option: Option, value: Value) -> None:
        """Set an option to a value; InputError, and no change, if it is not allowed."""
        setattr(self, option.setting, option.checked(value))

    def value(self, option: Option) -> Value:
        """The current value of an option."""
        value: Value = getattr(self, option.setting)
        return value


def _options() -> Iterator[Option]:
    for row in fields(Settings):
        name, option_type, about, details = row.metadata[_ROW]
        yield Option(name, option_type, about, row.name, cast("Value", row.default), **details)


OPTIONS = tuple(_options())
_BY_NAME = {option.name.lower(): option for option in OPTIONS}


def find_option(name: str) -> Option:
    """The option of that name, in any case; InputError if there is none."""
    option = _BY_NAME.get(" ".join(name.lower().split()))
    if option is None:
        raise InputError(f"unknown option {quote(name)}")
    return option


def declarations() -> Iterator[str]:
    """The lines that declare the options in answer to `uci`."""
    return (option.declaration() for option in OPTIONS)
