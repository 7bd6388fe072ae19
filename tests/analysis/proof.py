"""What the checker of sentences reads in them: pieces, moves and lines, replayed with python-chess alone."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import chess
import chess.pgn

NAMES = {name: number for number, name in enumerate(chess.PIECE_NAMES) if name}
NUMBERS = {"a": 1, "an": 1, "the": 1, "two": 2, "three": 3, "four": 4}
LONGEST = 20  # plies of a line that does not end in mate
PIECE = r"(the|a|two|three|four) (pawn|knight|bishop|rook|queen)s?(?: on ([a-h][1-8]))?"
PLAIN_PIECE = re.sub(r"[(](?![?])", "(?:", PIECE)
PIECES = rf"(?:the exchange(?: and (?:a|two|three|four) pawns?)?|(?:{PLAIN_PIECE}(?:, | and )?)+)"


class WrongSentenceError(Exception):
    """A sentence that is not true, and why."""


def claim(is_true: bool, why: str) -> None:
    """Raise WrongSentenceError unless a claim is true."""
    if not is_true:
        raise WrongSentenceError(why)


@dataclass
class Context:
    """A commented move: the positions before and after it, the move, and its match of a template."""

    before: chess.Board
    after: chess.Board
    move: chess.Move
    match: re.Match[str]
    node: chess.pgn.ChildNode

    def line(self, board: chess.Board, group: str = "line") -> tuple[list[chess.Move], chess.Board]:
        """The moves of the sentence's line, played from a board; WrongSentenceError if one is illegal."""
        words = self.match[group].split()
        claim(bool(words) and (len(words) <= LONGEST or words[-1].endswith("#")), f"a line of {len(words)} plies")
        return replay(board, self.match[group])

    def pieces(self, group: str) -> list[tuple[int, chess.Square]]:
        """The pieces that a group names with their squares."""
        return pieces_in(self.match[group])[1]


def replay(board: chess.Board, text: str) -> tuple[list[chess.Move], chess.Board]:
    """The numbered moves of a text, played from a board; WrongSentenceError if one is illegal."""
    moves, cursor = list[chess.Move](), board.copy()
    for word in text.split():
        found = re.fullmatch(r"(?:(\d+)(\.{1,3}))?(\S+)", word)
        assert found is not None
        if found[1]:
            is_right = int(found[1]) == cursor.fullmove_number and (found[2] == ".") == cursor.turn
            claim(is_right, f"the number of {word}")
        try:
            moves.append(cursor.push_san(found[3]))
        except ValueError as error:
            raise WrongSentenceError(f"{word}: {error}") from error
    return moves, cursor


def pieces_in(text: str) -> tuple[Counter[int], list[tuple[int, chess.Square]]]:
    """The pieces that words name, by type, and those whose square is named."""
    counts, placed = Counter[int](), []
    for number, name, square in re.findall(PIECE, text):
        counts[NAMES[name]] += NUMBERS[number]
        if square:
            placed.append((NAMES[name], chess.parse_square(square)))
    return counts, placed
