"""The syntax of the protocol: parses the arguments of commands into plain values, and formats values as lines.

Standard library only, apart from types: all of it is needed before Numba is loaded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.player.request import GoRequest, SearchSignals
from engine.search.types import Bound, Info, Progress
from engine.system.errors import InputError, quote

if TYPE_CHECKING:
    from eval.wdl import Wdl

_LARGEST_NUMBER = 1 << 62


@dataclass(frozen=True)
class PositionCommand:
    """The `position` command: a FEN, or None for the starting position, and the moves played from there."""

    fen: str | None = None
    moves: tuple[str, ...] = ()


def parse_setoption(words: Sequence[str]) -> tuple[str, str]:
    """(name, value) of `setoption name NAME value VALUE`; both may contain spaces."""
    lowered = [word.lower() for word in words]
    end = lowered.index("value") if "value" in lowered else len(words)
    if lowered[:1] != ["name"] or end < 2:
        raise InputError("setoption needs 'name NAME', and 'value VALUE' unless the option is a button")
    return " ".join(words[1:end]), " ".join(words[end + 1 :])


def parse_position_command(words: Sequence[str]) -> PositionCommand:
    """The arguments of `position`."""
    end = words.index("moves") if "moves" in words else len(words)
    moves = tuple(words[end + 1 :])
    if words[:1] == ["startpos"] and end == 1:
        return PositionCommand(None, moves)
    if words[:1] == ["fen"] and end > 1:
        return PositionCommand(" ".join(words[1:end]), moves)
    raise InputError(f"position needs 'startpos' or 'fen FEN', optionally 'moves ...', got {quote(' '.join(words))}")


_NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime", "perft")
_FLAGS = ("infinite", "ponder")


def _read_number(text: str) -> int:
    """The integer, also if it is written as 100.0 or 1e3; ValueError if it is not a number."""
    try:
        number = int(text)
    except ValueError:
        value = float(text)
        if not math.isfinite(value):
            raise ValueError(text) from None
        number = round(value)
    return max(-_LARGEST_NUMBER, min(number, _LARGEST_NUMBER))


def parse_go(words: Sequence[str], warn: Callable[[str], None]) -> GoRequest:
    """The arguments of `go`, in any order; what cannot be parsed is ignored with a warning."""
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    moves: list[str] = []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word in _FLAGS:
            flags.add(word)
        elif word == "searchmoves":
            while rest and rest[-1] not in (*_NUMBERS, *_FLAGS, "searchmoves"):
                moves.append(rest.pop())
        elif word in _NUMBERS:
            text = rest.pop() if rest else ""
            try:
                numbers[word] = _read_number(text)
            except ValueError:
                warn(f"go {word} needs a number, got {quote(text)}")

    def positive(name: str) -> int | None:
        return max(numbers[name], 1) if name in numbers else None

    if not numbers and not flags:
        flags.add("infinite")
    return GoRequest((numbers.get("wtime"), numbers.get("btime")), (numbers.get("winc", 0), numbers.get("binc", 0)),
                     numbers["movestogo"] if numbers.get("movestogo", 0) > 0 else None, positive("depth"),
                     positive("nodes"), numbers.get("movetime"), positive("mate"), positive("perft"),
                     "infinite" in flags, "ponder" in flags, tuple(moves))


def fallback_seconds(request: GoRequest, signals: SearchSignals) -> float | None:
    """The time for a move while the kernels are not ready; None if the request sets no time, or is still pondering."""
    if request.infinite or (request.ponder and not signals.ponderhit.is_set()):
        return None
    if request.movetime is not None:
        return max(request.movetime / 1000, 0.0)
    clocks = [left for left in request.times if left is not None]
    return max(min(clocks) / 1000, 0.0) / 20 if clocks else None


def format_score(info: Info, shown: int, wdl: Wdl | None) -> str:
    """The score of a line as UCI writes it: `shown` is the score in users' units, used unless it is a mate."""
    from engine.search.scores import mate_distance

    distance = mate_distance(info.score)
    text = f"cp {shown}" if distance is None else f"mate {distance}"
    if info.bound is not Bound.EXACT:
        text += f" {info.bound.value}bound"
    return text if wdl is None else f"{text} wdl {wdl.win} {wdl.draw} {wdl.loss}"


def format_info(info: Info, score: str, line: str) -> str:
    """The UCI line for what an iteration found."""
    milliseconds = int(1000 * info.seconds)
    return (f"info depth {info.depth} seldepth {info.seldepth} multipv {info.multipv} "
            f"score {score} nodes {info.nodes} "
            f"nps {int(info.nodes / max(info.seconds, 1e-3))} hashfull {info.hashfull} tbhits {info.tb_hits} "
            f"time {milliseconds} pv {line}")


def format_currmove(progress: Progress, move: str) -> str:
    """The UCI line for how far a long search has come."""
    return (f"info depth {progress.depth} currmove {move} currmovenumber {progress.current_move_number} "
            f"nodes {progress.nodes} nps {int(progress.nodes / max(progress.seconds, 1e-3))} "
            f"hashfull {progress.hashfull} time {int(1000 * progress.seconds)}")
