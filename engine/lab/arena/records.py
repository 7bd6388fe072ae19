"""Openings, games and adjudication rules of a match, as plain values that can be sent between processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

import chess
import chess.pgn

POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}  # White's
_EVENT = "Adversary match"
EVENT_LINE = f'[Event "{_EVENT}"]'  # the first line of every game
FORFEIT_TAG, _ILLEGAL_TAG = "Forfeit", "IllegalLines"


@dataclass(frozen=True)
class Opening:
    """The start of a game: a position, and moves played from there before the players take over."""

    fen: str = chess.STARTING_FEN
    moves: tuple[str, ...] = ()
    chess960: bool = False

    def board(self) -> chess.Board:
        """The position in which the players take over, with its history."""
        board = chess.Board(self.fen, chess960=self.chess960)
        for text in self.moves:
            board.push_uci(text)
        return board


@dataclass(frozen=True)
class Adjudication:
    """When a game is adjudicated before the rules end it; None for never."""

    draw_score: int | None = 10  # centipawns: both sides' scores are within this ...
    draw_moves: int = 8  # ... for this many moves in a row,
    draw_from: int = 40  # ... not before this move
    win_score: int | None = 1000
    win_moves: int = 4
    by_tables: bool = True  # as soon as the endgame tables know the result


class Forfeit(Enum):
    """How a player forfeits a game."""

    TIME = "loses on time"
    ILLEGAL_MOVE = "plays an illegal move"
    CRASH = "ends its process"
    SILENCE = "gives no answer"


@dataclass(frozen=True)
class MoveRecord:
    """A move with the score, depth and time that its player reported."""

    move: str  # UCI
    score: int | None = None  # centipawns from the mover's view
    depth: int | None = None
    seconds: float = 0.0
    nodes: int = 0
    iterations: int = 0  # of a tree search


@dataclass(frozen=True)
class GameRecord:
    """A game that is over."""

    number: int  # from 0; two games with colours reversed make a pair
    players: tuple[str, str]  # White, Black
    opening: Opening
    moves: tuple[MoveRecord, ...]
    result: str  # "1-0", "1/2-1/2" or "0-1"
    reason: str
    forfeit: Forfeit | None = None  # the loser's
    illegal_lines: tuple[int, int] = (0, 0)  # lines with an illegal move announced by White and by Black
    nodes: int = 0  # searched by both, if known

    @property
    def first_is_white(self) -> bool:
        """Whether the match's first player has White, which alternates."""
        return self.number % 2 == 0

    @property
    def points(self) -> float:
        """What the match's first player scored."""
        return POINTS[self.result] if self.first_is_white else 1 - POINTS[self.result]

    def pgn(self, more_tags: Mapping[str, str] = MappingProxyType({})) -> str:
        """The game as PGN, with scores, depths and times as comments."""
        game = chess.pgn.Game()
        start = chess.Board(self.opening.fen, chess960=self.opening.chess960)
        game.setup(start)
        headers = {"Event": _EVENT, "Round": str(self.number + 1), "White": self.players[0],
                   "Black": self.players[1], "Result": self.result, "Termination": self.reason, **more_tags}
        if any(self.illegal_lines):
            headers[_ILLEGAL_TAG] = str(sum(self.illegal_lines))
        for name, value in headers.items():
            game.headers[name] = value
        if self.forfeit is not None:
            game.headers[FORFEIT_TAG] = self.forfeit.name
        node: chess.pgn.GameNode = game
        for text in self.opening.moves:
            node = node.add_main_variation(node.board().parse_uci(text))
        board = node.board()
        for record in self.moves:
            move = board.parse_uci(record.move)
            node = node.add_main_variation(move, comment=_comment(record))
            board.push(move)
        return f"{game}\n\n"


def _comment(record: MoveRecord) -> str:
    parts = [] if record.score is None else [f"{record.score / 100:+.2f}"]
    if record.depth is not None:
        parts.append(f"depth {record.depth}")
    if record.seconds:
        parts.append(f"{record.seconds:.3f}s")
    return " ".join(parts)


@dataclass(frozen=True)
class GameScore:
    """The score of a game, without its moves."""

    number: int
    points: float  # the first player's
    forfeit: Forfeit | None = None  # the loser's
    illegal_lines: int = 0

    @classmethod
    def of(cls, record: GameRecord) -> GameScore:
        """The score of a finished game."""
        return cls(record.number, record.points, record.forfeit, sum(record.illegal_lines))

    @classmethod
    def from_tags(cls, tags: Mapping[str, str]) -> GameScore | None:
        """The score in PGN tags; None if they are not those of a finished game of a match."""
        number, result = tags.get("Round", ""), tags.get("Result", "")
        if not number.isdigit() or int(number) < 1 or result not in POINTS:
            return None
        points = POINTS[result] if int(number) % 2 else 1 - POINTS[result]
        illegal = tags.get(_ILLEGAL_TAG, "0")
        return cls(int(number) - 1, points, Forfeit.__members__.get(tags.get(FORFEIT_TAG, "")),
                   int(illegal) if illegal.isdigit() else 0)
