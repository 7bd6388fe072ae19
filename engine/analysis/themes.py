"""What a chess player calls the features of the evaluation: the safety of the king, the activity of the rooks.

A single feature says little by itself, for its weight was learned together with the others': a theme sums those that
belong together, and only what is left of them is told.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import chess

from eval.explain import Comparison, EvalBreakdown, Term, TermChange
from eval.features import FEATURES
from eval.phrases import PHRASES, PhraseKind, change_text

MATERIAL = "material"
_PASSED = "passed pawns"
_PIECES = range(chess.PAWN, chess.KING)
_NUMBERS = {2: "two", 3: "three", 4: "four"}
_MIDDLEGAME = 0.35  # share of the middle game above which a king wants safety
_SIDES = ("white", "black")
_TELLING = 0.4  # share of a theme that one of its features must have to be named
_MAIN = 0.7  # and to speak for all of it


class Theme(NamedTuple):
    """Features that belong together, and how to speak of them.

    {better} and {worse} are the sides, {men} the pieces in question, {up} and {down} what a king is more and less.
    """

    features: tuple[str, ...]
    compared: str  # of a position
    own: tuple[str, str]  # what a move does to its own side: for the better, for the worse
    others: tuple[str, str]  # and to the opponent's, for the better and for the worse of the side that moves
    piece: int = 0  # which men they are


# Those of an attacker, which tell of the other side's king.
_ATTACK = ("king_attacker", "safe_check", "king_flank_attacks", "king_danger")
# What a piece is worth where it stands. Of a piece that one side has more of, that is a part of the material.
_PLACED = {f"{what}_{chess.piece_name(piece)}": piece for what in ("squares", "mobility")
           for piece in range(chess.PAWN, chess.KING)}


def _activity(piece: int, *features: str) -> Theme:
    name = chess.piece_name(piece)
    return Theme((f"squares_{name}", f"mobility_{name}", *features), "{better} has the more active {men}",
                 ("makes its {men} more active", "makes its {men} less active"),
                 ("makes the opponent's {men} less active", "lets the opponent's {men} become more active"), piece)


THEMES = {
    MATERIAL: Theme((MATERIAL,), "", ("", ""), ("", "")),
    "bishop pair": Theme(
        ("bishop_pair",), "{better} has the bishop pair", ("gains the bishop pair", "gives up the bishop pair"),
        ("takes the bishop pair from the opponent", "leaves the opponent the bishop pair")),
    "pawns": Theme(
        ("squares_pawn", "doubled", "isolated", "isolated_open", "backward", "backward_open", "phalanx", "supported",
         "rammed", "candidate"), "{better} has the better pawn structure",
        ("improves its pawn structure", "weakens its pawn structure"),
        ("weakens the opponent's pawn structure", "improves the opponent's pawn structure")),
    _PASSED: Theme(
        tuple(feature.name for feature in FEATURES if feature.group == "passed"), "",
        ("makes its passed pawns stronger", "makes its passed pawns weaker"),
        ("holds the opponent's passed pawns back", "makes the opponent's passed pawns stronger")),
    "king": Theme(
        (*_ATTACK, "shelter", "storm", "storm_blocked", "king_half_open_file", "king_open_file", "king_bare_wing",
         "king_nearest_pawn", "castling_right", "squares_king"), "{better}'s king is {up}",
        ("makes its king {up}", "makes its king {down}"),
        ("makes the opponent's king {down}", "makes the opponent's king {up}")),
    "knights": _activity(chess.KNIGHT, "outpost_knight", "outpost_reachable", "king_distance_knight",
                         "knight_per_pawn"),
    "bishops": _activity(chess.BISHOP, "bishop_long_diagonal", "bad_bishop", "bad_bishop_blocked", "trapped_bishop",
                         "outpost_bishop", "minor_behind_pawn", "king_distance_bishop"),
    "rooks": _activity(chess.ROOK, "rook_open_file", "rook_half_open_file", "rook_on_seventh", "trapped_rook",
                       "rook_per_pawn"),
    "queen": _activity(chess.QUEEN),
    "threats": Theme(
        ("threat_by_pawn", "threat_by_push", "threat_by_minor", "threat_by_rook", "threat_by_king", "hanging",
         "queen_chased"), "{better} has more threats", ("creates threats", "gives up threats"),
        ("ends threats of the opponent", "allows threats of the opponent")),
    "space": Theme(
        ("restricted", "centre_control", "space"), "{better} controls more of the board",
        ("gains control of the board", "gives up control of the board"),
        ("takes squares from the opponent", "leaves the opponent more squares")),
    "mating": Theme(
        tuple(feature.name for feature in FEATURES if feature.group == "mating"),
        "{better} has what it takes to mate the bare king",
        ("drives the bare king back", "lets the bare king go"),
        ("drives the bare king back", "lets the bare king go")),
}
_THEME_OF = {name: theme for theme, row in THEMES.items() for name in row.features}
assert _THEME_OF.keys() - set(_PLACED) == {feature.name for feature in FEATURES} - {"tempo"} - set(_PLACED)

# Features that can be seen and counted on the board, so that they may be named.
_VISIBLE = frozenset((
    "doubled", "isolated", "isolated_open", "backward", "backward_open", "passed", "passed_connected",
    "passed_unstoppable", "king_open_file", "king_half_open_file", "castling_right", "outpost_knight", "bad_bishop",
    "trapped_bishop", "outpost_bishop", "rook_open_file", "rook_half_open_file", "rook_on_seventh", "trapped_rook"))


@dataclass(frozen=True)
class Point:
    """One thing that matters: parts of a centipawn that it is worth, and the words."""

    parts: int
    words: str


def position_points(explanation: EvalBreakdown, board: chess.Board) -> list[Point]:
    """What speaks for either side of a position, the weightiest first; the parts are White's."""
    terms: dict[str, list[Term]] = defaultdict(list)
    for term in explanation.terms:
        if term.feature.name in _THEME_OF:
            piece = _PLACED.get(term.feature.name)
            is_part = piece is not None and _number(board, piece, True) != _number(board, piece, False)
            terms[MATERIAL if is_part else _THEME_OF[term.feature.name]].append(term)
    return _ranked(Point(sum(term.parts for term in members), _held(theme, members, board, explanation.phase_share))
                   for theme, members in terms.items())


def _number(board: chess.Board, piece: int, color: chess.Color) -> int:
    return len(board.pieces(piece, color))


def _held(theme: str, terms: Sequence[Term], board: chess.Board, phase: float) -> str:
    """Whom a theme favours, and by what."""
    parts = sum(term.parts for term in terms)
    better = 0 if parts > 0 else 1
    if theme == MATERIAL:
        return material_words(board, better)
    if theme == _PASSED:
        return _passed_words(terms, better)
    row = THEMES[theme]
    words = row.compared.format(better=_SIDES[better], worse=_SIDES[1 - better], **_king_words(phase),
                                men=_men(row.piece, _number(board, row.piece, better == 0) if row.piece else 0))
    visible = [term for term in terms if term.feature.name in _VISIBLE and term.parts * parts > 0]
    told = max(visible, key=lambda term: abs(term.parts), default=None)
    if told is None or abs(told.parts) < _TELLING * abs(parts):
        return words
    owner = 1 - better if PHRASES[told.feature.name].kind is PhraseKind.BURDEN else better
    if told.of(owner).count <= told.of(1 - owner).count:
        return words
    noun = PHRASES[told.feature.name].noun.format(own="its", other="the opponent's")
    return f"{words}: {_SIDES[owner]} has {noun}"


def _passed_words(terms: Sequence[Term], better: int) -> str:
    passed = next(term for term in terms if term.feature.name == "passed")
    ours, theirs = passed.of(better).count, passed.of(1 - better).count
    if not ours:
        return f"{_SIDES[1 - better]}'s passed {_men(chess.PAWN, theirs)} will not get far"
    if not theirs:
        return f"{_SIDES[better]} has {'a passed pawn' if ours == 1 else 'passed pawns'}"
    return f"{_SIDES[better]}'s passed {_men(chess.PAWN, ours)} will get further"


def _men(piece: int, number: int) -> str:
    name = chess.piece_name(piece) if piece else ""
    return name if number == 1 else f"{name}s"


def _king_words(phase: float) -> dict[str, str]:
    """What makes a king good: to be safe, and when most pieces are gone, to take part."""
    if phase > _MIDDLEGAME:
        return {"up": "safer", "down": "less safe"}
    return {"up": "more active", "down": "less active"}


def material_words(board: chess.Board, better: int) -> str:
    """`white is a pawn up`, `black has a rook for a knight`: who has more, told for the side that it favours."""
    color = better == 0
    more, less = (piece_counts(board, side) - piece_counts(board, not side) for side in (color, not color))
    if more and less:
        return f"{_SIDES[better]} has {piece_list_text(more)} for {piece_list_text(less)}"
    if more:
        return f"{_SIDES[better]} is {piece_list_text(more)} up"
    return f"{_SIDES[1 - better]}'s extra material counts little"


def piece_counts(board: chess.Board, color: chess.Color) -> Counter[int]:
    """How many pieces of each type but the king a side has."""
    return Counter({kind: _number(board, kind, color) for kind in _PIECES})


def piece_list_text(men: Counter[int], article: str = "a") -> str:
    """`a rook and two pawns`, the dearest first; a pawn is never the only one."""
    words = []
    for kind in sorted(men, reverse=True):
        name, number = chess.piece_name(kind), men[kind]
        first = "a" if kind == chess.PAWN else article
        words.append(f"{first} {name}" if number == 1 else f"{_NUMBERS.get(number, str(number))} {name}s")
    return " and ".join(words) or "material"


def move_points(comparison: Comparison, before: chess.Board, after: chess.Board, phase: float) -> list[Point]:
    """What is different when `before` has become `after`, the weightiest first, for the side to move in `before`."""
    mover = 0 if before.turn else 1
    changes: dict[tuple[str, bool], list[TermChange]] = defaultdict(list)
    for change in comparison.changes:
        theme, name = _THEME_OF.get(change.feature.name), change.feature.name
        if theme is None:
            continue
        color = change.color == 0
        is_traded = name in _PLACED and (_number(before, _PLACED[name], color) != _number(after, _PLACED[name], color))
        if theme == MATERIAL or is_traded:
            changes[MATERIAL, True].append(change)
        else:
            changes[theme, (change.color == mover) != (name in _ATTACK)].append(change)
    return _ranked(Point(sum(change.parts for change in members), balance_words(before, after) if theme == MATERIAL
                         else _done(theme, is_own, members, after, phase))
                   for (theme, is_own), members in changes.items())


def _done(theme: str, is_own: bool, changes: Sequence[TermChange], after: chess.Board, phase: float) -> str:
    """What is done to one side of a theme; `after` is where it has been done."""
    mover = changes[0].color if is_own != (changes[0].feature.name in _ATTACK) else 1 - changes[0].color
    parts = sum(change.parts for change in changes)
    visible = [change for change in changes if change.feature.name in _VISIBLE and change.parts * parts > 0
               and change.after.count != change.before.count]
    told = max(visible, key=lambda change: abs(change.parts), default=None)
    if told is not None and abs(told.parts) >= _MAIN * abs(parts):
        return change_text(told, mover)
    row = THEMES[theme]
    number = _number(after, row.piece, (mover == 0) == is_own) if row.piece else 0
    words = (row.own if is_own else row.others)[parts < 0].format(men=_men(row.piece, number), **_king_words(phase))
    if told is not None and abs(told.parts) >= _TELLING * abs(parts):
        return f"{words}: {change_text(told, mover)}"
    return words


def balance_words(before: chess.Board, after: chess.Board) -> str:
    """What the side to move in `before` has won, lost or traded when it comes to `after`."""
    us, them = before.turn, not before.turn
    had, have = piece_counts(before, us), piece_counts(after, us)
    they_had, they_have = piece_counts(before, them), piece_counts(after, them)
    promoted, their_promoted = have - had, they_have - they_had
    if promoted:
        return f"gets {piece_list_text(promoted)} for a pawn"
    if their_promoted:
        return f"lets the opponent get {piece_list_text(their_promoted)} for a pawn"
    lost, gained = had - have, they_had - they_have
    gone, come = lost - gained, gained - lost  # queens that leave together are no reason
    if gone and come:
        return f"gives {piece_list_text(gone)} for {piece_list_text(come)}"
    if gone or come:
        return f"loses {piece_list_text(gone, 'the')}" if gone else f"wins {piece_list_text(come)}"
    return f"trades {piece_list_text(lost)} for {piece_list_text(gained)}"


def _ranked(points: Iterable[Point]) -> list[Point]:
    return sorted(points, key=lambda point: -abs(point.parts))
