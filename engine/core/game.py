"""The Python interface to the rules: a position with the moves that led to it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from engine.core.bits import EMPTY
from engine.core.draws import is_fifty_moves, is_insufficient_material, repetition_count
from engine.core.fen import START_FEN, format_fen, parse_fen
from engine.core.legality import is_legal, is_pseudo_legal
from engine.core.movegen import (
    ALL_MOVES,
    MOVE_LIST_TYPE,
    MoveListRecord,
    checkers_and_pinned,
    empty_move_list,
    generate,
)
from engine.core.position import POSITION_TYPE, PositionRecord, make
from engine.core.uci_moves import format_uci, parse_uci
from engine.kernel import entry, int64
from engine.system.errors import InputError, quote

_MAX_RULE50 = np.int64(50_000)


@entry(POSITION_TYPE, MOVE_LIST_TYPE)
def list_moves(pos: PositionRecord, out: MoveListRecord) -> tuple[int, bool]:
    """Write all legal moves to the start of `out`; return their number, and whether the side to move is in check."""
    checkers, pinned = checkers_and_pinned(pos)
    return generate(pos, out, np.int64(0), ALL_MOVES, checkers, pinned), checkers != EMPTY


@entry(POSITION_TYPE, int64)
def make_if_legal(pos: PositionRecord, move: int) -> bool:
    """Make `move`, which may be any 16-bit number, if it is legal; return whether it was."""
    checkers, pinned = checkers_and_pinned(pos)
    if is_pseudo_legal(pos, move) and is_legal(pos, move, checkers, pinned):
        make(pos, move)
        pos.rule50 = int(min(np.int64(pos.rule50), _MAX_RULE50))  # it must not overflow in an endless game
        return True
    return False


@entry(POSITION_TYPE)
def draw_state(pos: PositionRecord) -> tuple[int, bool, bool]:
    """(earlier occurrences, whether the fifty-move rule applies, whether material is insufficient)."""
    return repetition_count(pos), is_fifty_moves(pos), is_insufficient_material(pos)


class Game:
    """A position and the moves that led to it. Invalid input raises InputError and leaves the game unchanged."""

    def __init__(self, fen: str = START_FEN, chess960: bool = False, moves: Iterable[str] = ()) -> None:
        self.position = parse_fen(fen, chess960)
        self._start = (fen, chess960)
        self.moves: list[int] = []
        self._list = empty_move_list()
        for text in moves:
            self.push_uci(text)

    def copy(self) -> Game:
        """An independent copy of the game."""
        clone = copy.copy(self)
        clone.position, clone.moves = self.position.copy(), self.moves.copy()
        clone._list = empty_move_list()  # noqa: SLF001  of the same class
        return clone

    def start_position(self) -> Game:
        """Return a new game that starts where this one started."""
        return Game(*self._start)

    def fen(self, shredder: bool = False) -> str:
        """The position as FEN."""
        return format_fen(self.position, shredder)

    def legal_moves(self) -> list[int]:
        """Every legal move, in the generator's order."""
        count, _ = list_moves(self.position, self._list)
        moves: list[int] = self._list.moves[:count].tolist()
        return moves

    def is_check(self) -> bool:
        """Whether the side to move is in check."""
        return bool(list_moves(self.position, self._list)[1])

    def uci(self, move: int) -> str:
        """UCI text of a move in this position."""
        return format_uci(self.position, move)

    def push_uci(self, text: str) -> int:
        """Make a move given as UCI text and return it; InputError if it is malformed or illegal."""
        move = parse_uci(self.position, text)
        if not make_if_legal(self.position, move):
            raise InputError(f"move {quote(text)} is illegal in {self.fen()}")
        self.moves.append(move)
        return move

    def repetitions(self) -> int:
        """How often this position has occurred, including now; 3 is a draw."""
        return int(draw_state(self.position)[0]) + 1

    def is_insufficient_material(self) -> bool:
        """Whether no sequence of moves leads to mate."""
        return bool(draw_state(self.position)[2])

    def is_fifty_moves(self) -> bool:
        """Whether fifty moves have passed without a capture or a pawn move; mate takes precedence."""
        return bool(draw_state(self.position)[1])


def parse_legal_moves(game: Game, texts: Sequence[str], reject: Callable[[str], object]) -> tuple[int, ...]:
    """The legal moves that `texts` name in UCI notation, in that order; `reject` is called with every other text."""
    legal = {game.uci(move): move for move in game.legal_moves()} if texts else {}
    for text in texts:
        if text not in legal:
            reject(text)
    return tuple(legal[text] for text in texts if text in legal)
