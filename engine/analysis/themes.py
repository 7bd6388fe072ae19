"""The evaluation features grouped into themes that chess players know: king safety, rook activity.

A single feature says little by itself, because the weights were tuned together. A theme sums the features that belong
together, and only the sum is reported.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import chess

from engine.analysis.ledger import net_pieces
from engine.core.position import PositionRecord
from engine.text.display import to_cp
from eval.explain import PARTS_PER_CENTIPAWN, Comparison, EvalBreakdown, Term, TermChange
from eval.features import FEATURES
from eval.phrases import PHRASES, PhraseKind, change_text
from eval.wdl import features_wdl_model

MATERIAL = "material"
PASSED = "passed pawns"
_PIECES = range(chess.PAWN, chess.KING)
_NUMBERS = {2: "two", 3: "three", 4: "four"}
_MINORS = (Counter([chess.KNIGHT]), Counter([chess.BISHOP]))
_MIDDLEGAME = 0.35  # phase above which king safety matters
_SIDES = ("White", "Black")
_MENTION_SHARE = 0.4  # share of a theme above which one of its features is named too
_REPLACE_SHARE = 0.7  # share above which the feature alone is named
_SCALE_CENTIPAWNS = 10_000  # to measure the display scale


class Theme(NamedTuple):
    """Features that belong together, and the templates of their sentences.

    {better} and {worse} are the sides, {pieces} the pieces in question, {up} and {down} adjectives for the king.
    """

    features: tuple[str, ...]
    compared: str  # for a position
    own: tuple[str, str]  # what a move does to its own side: better, worse
    others: tuple[str, str]  # what it does to the opponent's side: better, worse for the mover
    piece: int = 0  # the type of {pieces}


# Features of the attacker, which describe the other side's king.
_ATTACK = ("king_attacker", "safe_check", "king_flank_attacks", "king_danger")
# Features of a piece's placement. If one side has more pieces of the type, they count as material.
_PLACED = {f"{group}_{chess.piece_name(piece)}": piece for group in ("squares", "mobility")
           for piece in range(chess.PAWN, chess.KING)}


def _activity(piece: int, *features: str) -> Theme:
    name = chess.piece_name(piece)
    return Theme((f"squares_{name}", f"mobility_{name}", *features), "{better} has the more active {pieces}",
                 ("makes its {pieces} more active", "makes its {pieces} less active"),
                 ("makes the opponent's {pieces} less active", "lets the opponent's {pieces} become more active"),
                 piece)


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
    PASSED: Theme(
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

# Features that can be seen and counted on the board, and may therefore be named.
_VISIBLE = frozenset((
    "doubled", "isolated", "isolated_open", "backward", "backward_open", "passed", "passed_connected",
    "passed_unstoppable", "king_open_file", "king_half_open_file", "castling_right", "outpost_knight", "bad_bishop",
    "trapped_bishop", "outpost_bishop", "rook_open_file", "rook_half_open_file", "rook_on_seventh", "trapped_rook"))


@dataclass(frozen=True)
class Point:
    """One point of an explanation: its worth in parts of a centipawn, and its words."""

    parts: int
    words: str
    theme: str = ""
    is_own: bool = True  # whether a change is one of the mover's own side


def displayed_part(position: PositionRecord) -> float:
    """The displayed centipawns of one part, by the features' own scale, whatever evaluator the search uses."""
    return to_cp(position, _SCALE_CENTIPAWNS, features_wdl_model()) / _SCALE_CENTIPAWNS / PARTS_PER_CENTIPAWN


def theme_parts(explanation: EvalBreakdown) -> Counter[str]:
    """White's parts by theme."""
    parts = Counter[str]()
    for term in explanation.terms:
        if term.feature.name in _THEME_OF:
            parts[_THEME_OF[term.feature.name]] += term.parts
    return parts


def position_points(explanation: EvalBreakdown, board: chess.Board) -> list[Point]:
    """The points for either side of a position, largest first; the parts are White's."""
    terms: dict[str, list[Term]] = defaultdict(list)
    for term in explanation.terms:
        if term.feature.name in _THEME_OF:
            piece = _PLACED.get(term.feature.name)
            is_part = piece is not None and _number(board, piece, True) != _number(board, piece, False)
            terms[MATERIAL if is_part else _THEME_OF[term.feature.name]].append(term)
    phase = explanation.phase_share
    return _ranked(Point(sum(term.parts for term in members), _position_words(theme, members, board, phase))
                   for theme, members in terms.items())


def _number(board: chess.Board, piece: int, color: chess.Color) -> int:
    return len(board.pieces(piece, color))


def _position_words(theme: str, terms: Sequence[Term], board: chess.Board, phase: float) -> str:
    """Which side a theme favours, and why."""
    parts = sum(term.parts for term in terms)
    better = 0 if parts > 0 else 1
    if theme == MATERIAL:
        return material_words(board, better)
    if theme == PASSED:
        return _passed_words(terms, better)
    words = _compared_words(THEMES[theme], board, better, phase)
    visible = [term for term in terms if term.feature.name in _VISIBLE and term.parts * parts > 0]
    main = max(visible, key=lambda term: abs(term.parts), default=None)
    if main is None or abs(main.parts) < _MENTION_SHARE * abs(parts):
        return words
    owner = 1 - better if PHRASES[main.feature.name].phrase_kind is PhraseKind.BURDEN else better
    if main.of(owner).count <= main.of(1 - owner).count:
        return words
    noun = PHRASES[main.feature.name].noun.format(own="its", other="the opponent's")
    return f"{words}: {_SIDES[owner]} has {noun}"


def _compared_words(row: Theme, board: chess.Board, better: int, phase: float) -> str:
    """How the sides compare in a theme; pieces that only one side has are not compared with those of the other."""
    ours, theirs = (_number(board, row.piece, side == 0) if row.piece else 0 for side in (better, 1 - better))
    if row.piece and not (ours and theirs):
        if not (ours or theirs):  # a feature of the theme may belong to another piece
            return f"{_SIDES[better]} has the more active pieces"
        owner, number, placed = (better, ours, "well") if ours else (1 - better, theirs, "badly")
        return f"{_SIDES[owner]}'s {_pieces_word(row.piece, number)} {'is' if number == 1 else 'are'} {placed} placed"
    return row.compared.format(better=_SIDES[better], worse=_SIDES[1 - better], **_king_words(phase),
                               pieces=_pieces_word(row.piece, ours))


def _passed_words(terms: Sequence[Term], better: int) -> str:
    passed = next(term for term in terms if term.feature.name == "passed")
    ours, theirs = passed.of(better).count, passed.of(1 - better).count
    if not ours:
        return f"{_SIDES[1 - better]}'s passed {_pieces_word(chess.PAWN, theirs)} will not get far"
    if not theirs:
        return f"{_SIDES[better]} has {'a passed pawn' if ours == 1 else 'passed pawns'}"
    return f"{_SIDES[better]}'s passed {_pieces_word(chess.PAWN, ours)} will get further"


def _pieces_word(piece: int, number: int) -> str:
    name = chess.piece_name(piece) if piece else ""
    return name if number == 1 else f"{name}s"


def _king_words(phase: float) -> dict[str, str]:
    """Adjectives for the king: safety in the middlegame, activity in the endgame."""
    if phase > _MIDDLEGAME:
        return {"up": "safer", "down": "less safe"}
    return {"up": "more active", "down": "less active"}


def material_words(board: chess.Board, better: int) -> str:
    """`White is a pawn up`, `Black has a rook for a knight`: the material balance, for the side that it favours."""
    color = better == 0
    more, less = material_difference(board, color)
    if more and less:
        is_exchange = more == Counter([chess.ROOK]) and less in _MINORS
        return f"{_SIDES[better]} is the exchange up" if is_exchange else (
            f"{_SIDES[better]} has {piece_list_text(more)} for {piece_list_text(less)}")
    if more:
        return f"{_SIDES[better]} is {piece_list_text(more)} up"
    return f"{_SIDES[1 - better]}'s extra material counts little"


def material_difference(board: chess.Board, color: chess.Color) -> tuple[Counter[int], Counter[int]]:
    """What a side has more than the other, and less; a bishop for a knight only if nothing else differs."""
    own, other = piece_counts(board, color), piece_counts(board, not color)
    more, less = net_pieces(own, other)
    return (more, less) if more or less else (own - other, other - own)


def piece_counts(board: chess.Board, color: chess.Color) -> Counter[int]:
    """The number of pieces of each type except kings."""
    return Counter({piece_type: _number(board, piece_type, color) for piece_type in _PIECES})


def piece_list_text(counts: Counter[int], article: str = "a") -> str:
    """`a rook and two pawns`, most valuable first; a pawn always gets `a`, since it is rarely the only one."""
    words = []
    for piece_type in sorted(counts, reverse=True):
        name, number = chess.piece_name(piece_type), counts[piece_type]
        first = "a" if piece_type == chess.PAWN else article
        words.append(f"{first} {name}" if number == 1 else f"{_NUMBERS.get(number, str(number))} {name}s")
    return " and ".join(words) or "material"


def move_points(comparison: Comparison, before: chess.Board, after: chess.Board, phase: float) -> list[Point]:
    """What changes from `before` to `after`, largest first, for the side to move in `before`."""
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
                         else _move_words(theme, is_own, members, after, phase), theme, is_own)
                   for (theme, is_own), members in changes.items())


def _move_words(theme: str, is_own: bool, changes: Sequence[TermChange], after: chess.Board, phase: float) -> str:
    """What a move does to one side of a theme; `after` is the position it leads to."""
    mover = changes[0].color if is_own != (changes[0].feature.name in _ATTACK) else 1 - changes[0].color
    parts = sum(change.parts for change in changes)
    visible = [change for change in changes if change.feature.name in _VISIBLE and change.parts * parts > 0
               and change.after.count != change.before.count]
    main = max(visible, key=lambda change: abs(change.parts), default=None)
    if main is not None and abs(main.parts) >= _REPLACE_SHARE * abs(parts):
        return change_text(main, mover)
    row = THEMES[theme]
    number = _number(after, row.piece, (mover == 0) == is_own) if row.piece else 0
    template = (row.own if is_own else row.others)[parts < 0]
    words = template.format(pieces=_pieces_word(row.piece, number), **_king_words(phase))
    if main is not None and abs(main.parts) >= _MENTION_SHARE * abs(parts):
        return f"{words}: {change_text(main, mover)}"
    return words


def balance_words(before: chess.Board, after: chess.Board) -> str:
    """What the side to move in `before` wins, loses or trades up to `after`."""
    us, them = before.turn, not before.turn
    had, have = piece_counts(before, us), piece_counts(after, us)
    they_had, they_have = piece_counts(before, them), piece_counts(after, them)
    promoted, their_promoted = have - had, they_have - they_had
    if promoted:
        return f"gets {piece_list_text(promoted)} for a pawn"
    if their_promoted:
        return f"lets the opponent get {piece_list_text(their_promoted)} for a pawn"
    lost, gained = had - have, they_had - they_have
    gone, come = lost - gained, gained - lost  # pieces traded for their like do not count
    if gone and come:
        return f"gives {piece_list_text(gone)} for {piece_list_text(come)}"
    if gone or come:
        return f"loses {piece_list_text(gone, 'the')}" if gone else f"wins {piece_list_text(come)}"
    return f"trades {piece_list_text(lost)} for {piece_list_text(gained)}"


def _ranked(points: Iterable[Point]) -> list[Point]:
    return sorted(points, key=lambda point: -abs(point.parts))
