"""Repertoires: what one side plays, position by position, from any games with variations.

A position is known by its EPD and not by the moves that led to it, so that transpositions count as known.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import chess
import chess.pgn

from engine.analysis.annotation import pgn_text
from engine.analysis.lookup import book_moves
from engine.analysis.pgn_reader import read_games, read_games_text
from engine.system.errors import InputError

DEFAULT_PLIES = 40
BOOK_PLIES = 12  # of a branch of the book
_LEAST_LIKELY = 0.02  # of a line of replies in such a branch
_MOST_MOVES = 20_000  # different ones: more can neither be learned nor kept beside the progress
_LARGEST_TEXT = 8_000_000  # characters of the games
_BAD = {chess.pgn.NAG_MISTAKE, chess.pgn.NAG_BLUNDER, chess.pgn.NAG_DUBIOUS_MOVE}
_LEAST_SHARE = 0.02  # of a reply that the book does not have, where it has others

Warn = Callable[[str], None]


class RepertoireMove(NamedTuple):
    """A move of a repertoire, in one position."""

    move: chess.Move
    after: str  # the position that it leads to
    frequency: int = 1  # how often the games have it
    comment: str = ""


def position_key(board: chess.Board) -> str:
    """What a position is known by: its EPD, in which en passant counts only if it is legal."""
    return board.epd()


def board_of(key: str) -> chess.Board:
    """The board of a position, without its history."""
    return chess.Board(f"{key} 0 1")


@dataclass
class Repertoire:
    """What one side plays. `moves` has those of both sides by position, in the order of the games."""

    name: str
    side: chess.Color
    moves: dict[str, dict[chess.Move, RepertoireMove]] = field(default_factory=dict)
    roots: dict[str, str] = field(default_factory=dict)  # where games begin: the FEN by position
    positions: set[str] = field(default_factory=set)  # also those in which a line ends

    @property
    def questions(self) -> list[str]:
        """The positions in which the side has a move to know, main lines first."""
        return [key for key, moves in self.moves.items() if moves and self.is_own(key)]

    def is_own(self, key: str) -> bool:
        """Whether the side of the repertoire is to move in a position."""
        return (key.split(" ", 2)[1] == "w") == self.side

    def answers(self, key: str) -> tuple[RepertoireMove, ...]:
        """The moves of the repertoire in a position, the main one first."""
        return tuple(self.moves.get(key, {}).values())

    def item(self, key: str) -> str:
        """What a question is known by in the user's progress: the position and its right moves."""
        return " ".join((key, *sorted(known.move.uci() for known in self.answers(key))))

    def is_known_after(self, board: chess.Board, move: chess.Move) -> bool:
        """Whether a move leads into the repertoire, perhaps by another order of moves."""
        after = board.copy(stack=False)
        after.push(move)
        return position_key(after) in self.positions

    def replies(self, key: str) -> list[tuple[RepertoireMove, float]]:
        """The moves of the other side in a position with their shares.

        They are those of the games if these have some more often than others, and otherwise those of the book.
        """
        known = self.answers(key)
        counts = [reply.frequency for reply in known]
        if min(counts, default=0) != max(counts, default=0):
            weights = [float(count) for count in counts]
        else:
            book = dict(book_moves(board_of(key)))
            weights = [max(book.get(reply.move, 0.0), _LEAST_SHARE) if book else 1.0 for reply in known]
        return [(reply, weight / sum(weights)) for reply, weight in zip(known, weights, strict=True)]

    def add(self, game: chess.pgn.Game, plies: int = DEFAULT_PLIES) -> None:
        """Add the first plies of a game and of its variations; own moves that it marks as bad only if it has no other.

        InputError if the repertoire is too large.
        """
        board = game.board()
        self.roots.setdefault(position_key(board), board.fen())
        self.positions.add(position_key(board))
        pending: list[tuple[chess.pgn.GameNode, chess.Board]] = [(game, board)]
        while pending:
            node, board = pending.pop()
            if node.ply() - game.ply() >= plies:
                continue
            children = [(child, self._add_move(board, child)) for child in self._kept_moves(board.turn, node)]
            pending += reversed(children)  # the main line first, to its end

    def _kept_moves(self, turn: chess.Color, node: chess.pgn.GameNode) -> list[chess.pgn.ChildNode]:
        """The moves after a node that belong to the repertoire."""
        moves = [child for child in node.variations if child.move]
        good = [child for child in moves if not child.nags & _BAD]
        return (good or moves) if turn == self.side else moves

    def _add_move(self, board: chess.Board, node: chess.pgn.ChildNode) -> chess.Board:
        """Add a move and return the board after it."""
        key, after = position_key(board), board.copy(stack=False)
        after.push(node.move)
        moves = self.moves.setdefault(key, {})
        known = moves.get(node.move)
        if known is None:
            moves[node.move] = RepertoireMove(node.move, position_key(after), 1, node.comment)
            self.positions.add(position_key(after))
        else:
            moves[node.move] = known._replace(frequency=known.frequency + 1, comment=known.comment or node.comment)
        if len(self.positions) > _MOST_MOVES:
            raise InputError(f"{self.name} has more than {_MOST_MOVES} moves; take fewer games, or fewer plies of each")
        return after


def read_repertoire(path: Path, side: chess.Color, plies: int, warn: Warn) -> tuple[Repertoire, str]:
    """The repertoire of a file, named after it, and its games as PGN; InputError if there is none in it.

    `warn` is called with what is left out.
    """
    return _read(read_games(path, warn), str(path), path.name.split(".")[0] or str(path), side, plies, warn)


def parse_repertoire(text: str, name: str, side: chess.Color, plies: int = DEFAULT_PLIES,
                     warn: Warn = lambda _: None) -> tuple[Repertoire, str]:
    """The repertoire of a PGN text, and its games; InputError if there is none in it."""
    return _read(read_games_text(text), name, name, side, plies, warn)


def _read(games: Iterable[tuple[int, chess.pgn.Game | str]], source: str, name: str, side: chess.Color, plies: int,
          warn: Warn) -> tuple[Repertoire, str]:
    repertoire, problems, text = Repertoire(name, side), list[str](), io.StringIO()
    used = 0
    for number, game in games:
        if isinstance(game, str) or game.board().chess960:
            problems.append(game if isinstance(game, str) else f"{source}, game {number}: it is Chess960")
            continue
        repertoire.add(game, plies)
        used += 1
        text.write(pgn_text(_shorten(game, plies)))
        if text.tell() > _LARGEST_TEXT:
            raise InputError(f"{source} is too large for a repertoire: its games have more than {_LARGEST_TEXT} "
                             "characters")
    if not used:
        raise InputError(problems[0] if problems else f"{source} contains no games")
    if not repertoire.questions:
        color = chess.COLOR_NAMES[side]
        raise InputError(f"{source} has no moves of {color}; try --side {chess.COLOR_NAMES[not side]}")
    for problem in problems:
        warn(f"skipped {problem}")
    return repertoire, text.getvalue()


def _shorten(game: chess.pgn.Game, plies: int) -> chess.pgn.Game:
    """The game, without what follows its first plies."""
    pending: list[chess.pgn.GameNode] = [game]
    while pending:
        node = pending.pop()
        if node.ply() - game.ply() >= plies:
            node.variations.clear()
        pending += node.variations
    return game


def distances_to(repertoire: Repertoire, targets: Iterable[str]) -> dict[str, int]:
    """The plies from each position of a repertoire to the nearest of some targets, where there is a way."""
    before: dict[str, list[str]] = {}
    for key, moves in repertoire.moves.items():
        for known in moves.values():
            before.setdefault(known.after, []).append(key)
    distances = dict.fromkeys(targets, 0)
    layer, distance = list(distances), 0
    while layer:
        distance += 1
        earlier = chain.from_iterable(before.get(after, ()) for after in layer)
        layer = list(dict.fromkeys(key for key in earlier if key not in distances))
        distances.update(dict.fromkeys(layer, distance))
    return distances


def book_branch(board: chess.Board, side: chess.Color, plies: int = BOOK_PLIES) -> chess.pgn.Game:
    """The moves to a position, and from there the book: one's own most frequent move, and all frequent replies.

    InputError if the book does not have the position.
    """
    game = chess.pgn.Game.from_board(board)
    pending: list[tuple[chess.pgn.GameNode, float]] = [(game.end(), 1.0)]
    if not book_moves(board):
        raise InputError("the book does not have this position")
    while pending:
        node, likely = pending.pop()
        here = node.board()
        known = book_moves(here) if here.ply() - board.ply() < plies else []
        for move, share in known[:1] if here.turn == side else known:
            if here.turn == side or likely * share >= _LEAST_LIKELY:
                pending.append((node.add_variation(move), likely if here.turn == side else likely * share))
    return game
