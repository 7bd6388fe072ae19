"""Training games in half the space: a byte for each move and a byte for each score.

A move is its rank among the legal moves, by their codes of sixteen bits. A score is an expected result in 255ths, by a
fixed curve: two centipawns apart where the game is even, and no finer than a search is sure of anywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from engine.core.movegen import (
    ALL_MOVES,
    MOVE_LIST_TYPE,
    MoveListRecord,
    checkers_and_pinned,
    empty_move_list,
    generate,
)
from engine.core.moves import NULL_MOVE
from engine.core.position import POSITION_TYPE, PositionRecord, empty_position, make
from engine.kernel import array_type, entry, inline, int64
from engine.lab.arena.game_rows import GAME_ROWS_TYPE, Rows, unpack_into

Bytes = npt.NDArray[np.uint8]
Arrays = npt.NDArray[Any]
_NO_RANK = np.uint8(255)  # of a move that is not legal; no position has so many moves
_SCALE = 150.0  # centipawns for a logit of 1
_LARGEST_SCORE = 3000  # beyond this, scores are mates or table results, and are only known to be so
_DECIDED = 30_000
_WINS, _LOSES = 255, 0  # bytes of scores beyond that


@inline
def _list_moves(pos, listed):
    """Write the legal moves, and return their number."""
    checkers, pinned = checkers_and_pinned(pos)
    return generate(pos, listed, np.int64(0), ALL_MOVES, checkers, pinned)


@inline
def _rank_of(listed, count, move):
    """How many of the listed moves have a smaller code; _NO_RANK if the move is not there."""
    rank, is_there = np.int64(0), False
    for index in range(count):
        other = np.int64(listed.moves[index])
        rank += np.int64(other < move)
        is_there |= other == move
    return np.uint8(rank) if is_there else _NO_RANK


@inline
def _move_of(listed, count, rank):
    """The listed move of this rank; NULL_MOVE if there is none."""
    for index in range(count):
        move = np.int64(listed.moves[index])
        if _rank_of(listed, count, move) == rank:
            return move
    return np.int64(NULL_MOVE)


@entry(POSITION_TYPE, MOVE_LIST_TYPE, GAME_ROWS_TYPE, array_type("u2"), array_type("u1"), int64)
def convert_moves(pos: PositionRecord, listed: MoveListRecord, rows: Rows, moves: Arrays, ranks: Bytes,
                  from_ranks: int) -> None:
    """Write the rank of every move of the games, which follow each other; with `from_ranks`, the move of every rank.

    In each game that ends before the first move that is not legal; what follows is not written.
    """
    begin = np.int64(0)
    for game in range(len(rows)):
        unpack_into(pos, rows, game)
        end = begin + np.int64(rows[game].plies)
        for index in range(begin, end):
            count = _list_moves(pos, listed)
            if from_ranks:
                moves[index] = _move_of(listed, count, ranks[index])
            else:
                ranks[index] = _rank_of(listed, count, np.int64(moves[index]))
            if moves[index] == NULL_MOVE or ranks[index] == _NO_RANK:
                break
            make(pos, np.int64(moves[index]))
        begin = end


def compact_moves(rows: Rows, moves: Arrays) -> Bytes:
    """[position]: the rank of the move."""
    ranks: Bytes = np.full(len(moves), _NO_RANK)
    convert_moves(empty_position(), empty_move_list(), rows, moves.astype(np.uint16), ranks, 0)
    return ranks


def expand_moves(rows: Rows, ranks: Bytes) -> Arrays:
    """[position]: the move of the rank; NULL_MOVE from the first one on that was not legal."""
    moves = np.zeros(len(ranks), np.uint16)
    convert_moves(empty_position(), empty_move_list(), rows.copy(), moves, ranks.copy(), 1)
    return moves


def compact_scores(scores: Arrays) -> Bytes:
    """[position]: the score as an expected result in 255ths."""
    steps = np.rint(255 / (1 + np.exp(-scores / _SCALE))).clip(1, 254)
    codes: Bytes = np.where(scores > _LARGEST_SCORE, _WINS, np.where(scores < -_LARGEST_SCORE, _LOSES, steps)).astype(
        np.uint8)
    return codes


def expand_scores(steps: Bytes) -> Arrays:
    """[position]: the score in centipawns; one that was beyond 3000 comes back as 30,000."""
    shares = steps.astype(np.float64).clip(1, 254)
    scores = np.rint(_SCALE * np.log(shares / (255 - shares)))
    return np.where(steps == _WINS, _DECIDED, np.where(steps == _LOSES, -_DECIDED, scores)).astype(np.int16)
