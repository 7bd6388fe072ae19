"""Blind spots of a player: positions of its lost games where only the winner's score was decisive.

A side's score is decisive from the ply on from which it stays beyond a threshold. The lag of a lost game is the number
of plies from the winner's decisive score to the loser's.
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

    winner_ply: int  # from which the winner's score is decisive
    loser_ply: int
    fens: tuple[str, ...]  # the positions from the one to the other

    @property
    def lag(self) -> int:
        """Plies by which the loser's score was decisive later than the winner's; negative if it was earlier."""
        return self.loser_ply - self.winner_ply


def parse_score(comment: str) -> int | None:
    """The score at the start of a comment, in centipawns from the mover's view; None if there is none."""
    match = _SCORE.match(comment)
    if match is None:
        return None
    sign, pawns, mate = match.groups()
    size = round(100 * float(pawns)) if pawns is not None else _MATE - int(mate)
    return -size if sign == "-" else size


def lost_game(game: chess.pgn.Game, player: str, threshold: int) -> LostGame | None:
    """What a game shows about `player`; None if it did not lose, or if the winner's score was never decisive."""
    winner = _WINNERS.get(game.headers.get("Result", ""))
    if winner is None or game.headers.get("Black" if winner else "White") != player:
        return None
    board, since, boards = game.board(), dict[chess.Color, int | None].fromkeys(chess.COLORS), list[chess.Board]()
    for ply, node in enumerate(game.mainline()):
        boards.append(board.copy(stack=False))
        mover, score = board.turn, parse_score(node.comment)
        if score is not None:
            is_decisive = score >= threshold if mover == winner else score <= -threshold
            since[mover] = (ply if since[mover] is None else since[mover]) if is_decisive else None
        board.push(node.move)
    first, last = since[winner], since[not winner]
    if first is None:
        return None  # lost on time, or adjudicated by tables
    last = len(boards) if last is None else last
    return LostGame(first, last, tuple(_epd(boards[ply]) for ply in range(first, last) if not boards[ply].is_check()))


def _epd(board: chess.Board) -> str:
    return board.epd(shredder=board.chess960)


def spread(items: Sequence[str], count: int) -> list[str]:
    """At most `count` of the items, evenly spread."""
    return list(items) if len(items) <= count else [items[len(items) * index // count] for index in range(count)]
