"""Positional reasons: facts that can be counted on two printed boards and differ between them.

The boards are the ends of the line after the move played and of the better line, both at rest, with the same side to
move and the same material. A fact is named only if two witnesses agree on it: the network prefers the second board, and
the features' theme of the fact makes up much of the difference, with no theme against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import chess

from engine.analysis.board_facts import (
    doubled_files,
    files_without_shelter,
    has_bishop_pair,
    is_stuck_in_the_middle,
    isolated_pawns,
    outposts,
    passed_pawns,
    rooks_on_seventh,
)
from engine.analysis.boards import to_position
from engine.analysis.ledger import balance, is_settled
from engine.analysis.themes import PASSED, displayed_part, theme_parts
from engine.text.display import to_cp
from eval.evaluator import built_in_evaluator
from eval.explain import explain
from eval.piece_worth import StaticEvaluator
from eval.weights import load_weights

LONGEST = 7  # plies of each line
_LEAST_DIFFERENCE, _LEAST_THEME = 40, 30  # displayed centipawns
_LEAST_SHARE = 0.4  # of the difference that the theme makes up, and of the move's cost that the difference does
_MOST_AGAINST = 0.5  # of the theme's worth, in another theme


@dataclass(frozen=True)
class PositionalFact:
    """A fact against the mover, with the lines whose ends show it: after the move played, and the better one."""

    topic: str
    words: str
    square: str  # of the piece, or the file that it is about; empty for none
    reply: tuple[chess.Move, ...]
    better: tuple[chess.Move, ...]


# A finder yields what is wrong with a side's position: a key that is the same for the same fact, and its words.
Finder = Callable[[chess.Board, chess.Color], Iterator[tuple[str, str]]]


def _isolated(board: chess.Board, side: chess.Color) -> Iterator[tuple[str, str]]:
    for square in sorted(set(isolated_pawns(board, side)) - set(passed_pawns(board, side))):
        name = chess.square_name(square)
        yield name, f"leaves {chess.COLOR_NAMES[side]} with an isolated pawn on {name}"


def _doubled(board: chess.Board, side: chess.Color) -> Iterator[tuple[str, str]]:
    for file in doubled_files(board, side):
        yield file, f"leaves {chess.COLOR_NAMES[side]} with doubled pawns on the {file}-file"


def _passed(board: chess.Board, side: chess.Color) -> Iterator[tuple[str, str]]:
    for square in passed_pawns(board, not side):
        name = chess.square_name(square)
        yield name, f"gives {chess.COLOR_NAMES[not side]} a passed pawn on {name}"


def _stuck_king(board: chess.Board, side: chess.Color) -> Iterator[tuple[str, str]]:
    if is_stuck_in_the_middle(board, side):
        name = chess.square_name(board.king(side) or 0)
        yield name, f"leaves {chess.COLOR_NAMES[side]}'s king on {name} unable to castle"


def _bare_king(board: chess.Board, side: chess.Color) -> Iterator[tuple[str, str]]:
    for file in files_without_shelter(board, side):
        name = chess.square_name(board.king(side) or 0)
        yield file, f"leaves {chess.COLOR_NAMES[side]}'s king on {name} without a pawn on the {file}-file"


def _bishops(board: chess.Board, side: chess.Color) -> Iterator[tuple[str, str]]:
    if has_bishop_pair(board, not side) and not has_bishop_pair(board, side):
        yield "", f"leaves only {chess.COLOR_NAMES[not side]} with the bishop pair"


def _seventh(board: chess.Board, side: chess.Color) -> Iterator[tuple[str, str]]:
    for square in rooks_on_seventh(board, not side):
        name = chess.square_name(square)
        yield name, f"lets {chess.COLOR_NAMES[not side]}'s rook reach the seventh rank on {name}"


def _outposts(board: chess.Board, side: chess.Color) -> Iterator[tuple[str, str]]:
    for square in outposts(board, not side):
        name = chess.square_name(square)
        yield name, f"gives {chess.COLOR_NAMES[not side]}'s knight an outpost on {name}"


# Topic -> the theme of the features that must carry it, and its finder.
_FINDERS: dict[str, tuple[str, Finder]] = {
    "passed pawn": (PASSED, _passed), "king in the middle": ("king", _stuck_king), "king shelter": ("king", _bare_king),
    "doubled pawns": ("pawns", _doubled), "isolated pawn": ("pawns", _isolated),
    "bishop pair": ("bishop pair", _bishops), "seventh rank": ("rooks", _seventh), "outpost": ("knights", _outposts)}


def positional_fact(board: chess.Board, played: Sequence[chess.Move], best: Sequence[chess.Move],
                    cost: int) -> PositionalFact | None:
    """What the first of `played` does to the position of its side that `best` does not; None if nothing is proven.

    `cost` are the centipawns that the move loses: what explains little of them is no reason.
    """
    side = board.turn
    worse, better = _ends(board, played[:LONGEST]), _ends(board, best[:LONGEST])
    lengths = [(one, other) for one in worse for other in better if one > 1 and (one - other) % 2 == 0
               and balance(worse[one], side) == balance(better[other], side)]
    for one, other in sorted(lengths, key=sum, reverse=True):
        facts = list(_differences(board, worse[one], better[other], side))
        witnesses = _Witnesses(worse[one], better[other], side) if facts else None
        if witnesses is None or witnesses.difference < max(_LEAST_DIFFERENCE, _LEAST_SHARE * cost):
            continue
        for topic, key, words in facts:
            if witnesses.is_carried_by(_FINDERS[topic][0]):
                return PositionalFact(topic, words, key, tuple(played[1:one]), tuple(best[:other]))
    return None


def _ends(board: chess.Board, moves: Sequence[chess.Move]) -> dict[int, chess.Board]:
    """The boards of a line at which it has settled, by the number of moves before them."""
    cursor, found = board.copy(stack=False), dict[int, chess.Board]()
    for number, move in enumerate(moves, 1):
        cursor.push(move)
        if is_settled(cursor) and any(cursor.generate_legal_moves()):
            found[number] = cursor.copy(stack=False)
    return found


def _differences(before: chess.Board, worse: chess.Board, better: chess.Board,
                 side: chess.Color) -> Iterator[tuple[str, str, str]]:
    """The topic, key and words of facts against a side on one board, fewer on the other and not there before."""
    for topic, (_, find) in _FINDERS.items():
        here, there = dict(find(worse, side)), dict(find(better, side))
        new = [key for key in here if key not in there and key not in dict(find(before, side))]
        if len(here) > len(there) and new:
            yield topic, new[0], here[new[0]]


class _Witnesses:
    """By how much the network and the features' themes prefer one board to the other, for a side."""

    def __init__(self, worse: chess.Board, better: chess.Board, side: chess.Color) -> None:
        network, weights = StaticEvaluator(built_in_evaluator()), load_weights()
        values, themes = list[int](), []
        for board in (worse, better):
            position = to_position(board)
            value = to_cp(position, network.score(position))
            values.append(value if board.turn == side else -value)
            unit = displayed_part(position) * (1 if side else -1)
            themes.append({theme: parts * unit for theme, parts in theme_parts(explain(position, weights)).items()})
        self.difference = values[1] - values[0]  # displayed centipawns
        self._themes = {theme: themes[1][theme] - themes[0][theme] for theme in themes[0]}

    def is_carried_by(self, theme: str) -> bool:
        """Whether a theme makes up much of the difference, and no other speaks against it."""
        worth = self._themes[theme]
        return worth >= max(_LEAST_THEME, _LEAST_SHARE * self.difference) and (
            min(self._themes.values()) > -_MOST_AGAINST * worth)
