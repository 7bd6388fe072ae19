"""Blind spots of a player: the positions of its lost games where only the winner knew who was winning.

A side knows from the ply on from which its reported score stays beyond a threshold. The lag of a lost game is the
number of plies from the winner's ply to the loser's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import chess
import chess.pgn

_SCORE = re.compile(r"\s*([+-]?)(?:(\d+\.\d+)|[M#](\d+))")  # pawns or moves to mate, at the start of a comment
_MATE = 100_000  # centipawns
_WINNERS = {"1-0": chess.WHITE, "0-1": chess.BLACK}


@dataclass(frozen=True)
class LostGame:
    """A lost game with the scores of both sides. Plies count from the first move of the game."""

    winner_knew: int  # the ply
    loser_knew: int
    fens: tuple[str, ...]  # the positions from the one to the other

    @property
    def lag(self) -> int:
        """Plies from when the winner knew to when the loser did; negative if the loser knew first."""
        return self.loser_knew - self.winner_knew


def parse_score(comment: str) -> int | None:
    """The score at the start of a comment, in centipawns from the mover's view; None if there is none."""
    found = _SCORE.match(comment)
    if found is None:
        return None
    sign, pawns, mate = found.groups()
    size = round(100 * float(pawns)) if pawns is not None else _MATE - int(mate)
    return -size if sign == "-" else size


def lost_game(game: chess.pgn.Game, player: str, threshold: int) -> LostGame | None:
    """What a game shows about `player`; None if it did not lose, or if the scores do not tell when a side knew."""
    winner = _WINNERS.get(game.headers.get("Result", ""))
    if winner is None or game.headers.get("Black" if winner else "White") != player:
        return None
    board, knew, boards = game.board(), dict[chess.Color, int | None].fromkeys(chess.COLORS), list[chess.Board]()
    for ply, node in enumerate(game.mainline()):
        boards.append(board.copy(stack=False))
        mover, score = board.turn, parse_score(node.comment)
        if score is not None:
            is_clear = score >= threshold if mover == winner else score <= -threshold
            knew[mover] = (ply if knew[mover] is None else knew[mover]) if is_clear else None
        board.push(node.move)
    first, last = knew[winner], knew[not winner]
    if first is None:
        return None  # lost on time, or adjudicated by tables
    last = len(boards) if last is None else last  # lost without ever knowing
    return LostGame(first, last, tuple(_epd(boards[ply]) for ply in range(first, last) if not boards[ply].is_check()))


def _epd(board: chess.Board) -> str:
    return board.epd(shredder=board.chess960)


def spread(items: Sequence[str], most: int) -> list[str]:
    """At most so many of the items, evenly spread."""
    return list(items) if len(items) <= most else [items[len(items) * index // most] for index in range(most)]
