"""Statistics of a finished table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.core.bits import PIECE_LETTERS
from tablebase.codes import DRAWN, ILLEGAL, NARROW_ILLEGAL
from tablebase.indexing import ON_DIAGONAL, PAIR_SQUARES, pairs_of, shape_of
from tablebase.material import Ending

_WHITE_KING, _BLACK_KING = 6, 14


@dataclass(frozen=True)
class Summary:
    """All legal positions of an ending with one side to move, on the whole board, including symmetric ones."""

    wins: int
    draws: int
    losses: int
    longest_win: int  # plies; -1 for none
    longest_loss: int
    longest_wins: int  # the number of positions with that length
    longest_losses: int
    win_example: str | None  # FEN
    loss_example: str | None

    @property
    def positions(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def longest(self) -> int:
        return max(self.longest_win, self.longest_loss)


def summarize(ending: Ending, codes: npt.NDArray[Any], side: int) -> Summary:
    """Count the results of an ending with `side` to move; `codes` come from the generator."""
    of_side = codes[side].reshape(pairs_of(ending), -1)
    counts = np.zeros(int(ILLEGAL) + 1, np.int64)
    weights = _weights(ending)
    for weight in np.unique(weights):
        of_weight = np.bincount(of_side[weights == weight].ravel(), minlength=counts.size)
        counts += int(weight) * of_weight
    counts[NARROW_ILLEGAL if codes.itemsize == 1 else ILLEGAL] = 0
    draws = int(counts[DRAWN])
    counts[DRAWN] = 0
    longest_win, longest_loss = _highest(counts[0::2]) * 2, _highest(counts[1::2]) * 2 + 1
    return Summary(
        int(counts[0::2].sum()), draws, int(counts[1::2].sum()), _plies(longest_win), _plies(longest_loss),
        int(counts[longest_win]) if longest_win > 0 else 0, int(counts[longest_loss]) if longest_loss > 0 else 0,
        _example(ending, codes, side, longest_win), _example(ending, codes, side, longest_loss))


def _weights(ending: Ending) -> npt.NDArray[np.int64]:
    """[king pair]: the number of positions on the board that each of its cells represents."""
    if ending.has_pawns:
        return np.full(pairs_of(ending), 2)
    return np.where(ON_DIAGONAL, 4, 8)


def _highest(counts: npt.NDArray[np.int64]) -> int:
    """The highest index with a count; -1 if there is none."""
    return int(np.flatnonzero(counts)[-1]) if counts.any() else -1


def _plies(code: int) -> int:
    return code - 1 if code > 0 else -1


def _example(ending: Ending, codes: npt.NDArray[Any], side: int, code: int) -> str | None:
    """The first position with this code."""
    if code <= 0:
        return None
    pair, *squares = np.unravel_index(int(np.argmax(codes[side] == code)), shape_of(ending))
    return position_fen(ending, int(pair), [int(square) for square in squares], side)


def position_fen(ending: Ending, pair: int, indices: list[int], side: int) -> str:
    """The FEN of a cell, given by its king pair and the index of each piece along its axis."""
    white_king, black_king = PAIR_SQUARES[int(ending.has_pawns), pair].tolist()
    board = {white_king: _WHITE_KING, black_king: _BLACK_KING}
    for piece, index, size in zip(ending.pieces, indices, shape_of(ending)[1:], strict=True):
        board[index + (64 - size) // 2] = piece
    ranks = []
    for rank in range(7, -1, -1):
        text = "".join(PIECE_LETTERS[board.get(8 * rank + file, 0)] for file in range(8)).replace(" ", "1")
        for length in range(8, 1, -1):
            text = text.replace("1" * length, str(length))
        ranks.append(text)
    return f"{'/'.join(ranks)} {'wb'[side]} - - 0 1"
