"""The features in plain words, to describe what a move gains, gives up, improves or worsens."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from engine.core.bits import KING, PAWN
from engine.core.position import PositionRecord
from eval.explain import TermChange
from eval.features import FEATURES

_PIECE_NAMES = ("a pawn", "a knight", "a bishop", "a rook", "a queen")
_FILES = "abcdefgh"
_STATE_VERBS = ("improves {}", "worsens {}", "improves {}", "worsens {}")


class PhraseKind(Enum):
    """How a feature is described: the verbs for (more for the mover, fewer, more for the opponent, fewer)."""

    ASSET = ("gains {}", "gives up {}", "allows the opponent {}", "takes {} from the opponent")
    BURDEN = ("accepts {}", "gets rid of {}", "saddles the opponent with {}", "frees the opponent from {}")
    # Always present, better or worse.
    STATE = _STATE_VERBS


class Phrase(NamedTuple):
    """How one feature is described: a row of PHRASES."""

    phrase_kind: PhraseKind
    noun: str  # with {own} for the side whose feature it is, {other} for its opponent


_ASSET, _BURDEN, _STATE = PhraseKind.ASSET, PhraseKind.BURDEN, PhraseKind.STATE

PHRASES = {
    "material": Phrase(_ASSET, "material"),
    "squares_pawn": Phrase(_STATE, "the placement of {own} pawns"),
    "squares_knight": Phrase(_STATE, "the placement of {own} knights"),
    "squares_bishop": Phrase(_STATE, "the placement of {own} bishops"),
    "squares_rook": Phrase(_STATE, "the placement of {own} rooks"),
    "squares_queen": Phrase(_STATE, "the placement of {own} queen"),
    "squares_king": Phrase(_STATE, "the placement of {own} king"),
    "mobility_knight": Phrase(_STATE, "the mobility of {own} knights"),
    "mobility_bishop": Phrase(_STATE, "the mobility of {own} bishops"),
    "mobility_rook": Phrase(_STATE, "the mobility of {own} rooks"),
    "mobility_queen": Phrase(_STATE, "the mobility of {own} queen"),
    "doubled": Phrase(_BURDEN, "a doubled pawn"),
    "isolated": Phrase(_BURDEN, "an isolated pawn"),
    "isolated_open": Phrase(_BURDEN, "an isolated pawn on a half-open file"),
    "backward": Phrase(_BURDEN, "a backward pawn"),
    "backward_open": Phrase(_BURDEN, "a backward pawn on a half-open file"),
    "phalanx": Phrase(_ASSET, "a pawn phalanx"),
    "supported": Phrase(_ASSET, "a protected pawn"),
    "rammed": Phrase(_STATE, "the structure of {own} blocked pawns"),
    "candidate": Phrase(_ASSET, "a candidate passed pawn"),
    "passed": Phrase(_ASSET, "a passed pawn"),
    "passed_connected": Phrase(_ASSET, "a connected passed pawn"),
    "passed_blocked": Phrase(_BURDEN, "a blockaded passed pawn"),
    "passed_free_step": Phrase(_ASSET, "a passed pawn that can advance safely"),
    "passed_free_path": Phrase(_ASSET, "a passed pawn with a free path"),
    "passed_escorted": Phrase(_ASSET, "a passed pawn with a supported advance"),
    "passed_own_king": Phrase(_STATE, "the distance of {own} king to {own} passed pawns"),
    "passed_enemy_king": Phrase(_STATE, "the distance of {other} king from {own} passed pawns"),
    "passed_unstoppable": Phrase(_ASSET, "an unstoppable passed pawn"),
    "king_attacker": Phrase(_ASSET, "a piece in the attack on {other} king"),
    "safe_check": Phrase(_ASSET, "a safe check"),
    "king_flank_attacks": Phrase(_ASSET, "control of squares around {other} king"),
    "king_danger": Phrase(_STATE, "the attack on {other} king"),
    "shelter": Phrase(_STATE, "the pawn shelter of {own} king"),
    "storm": Phrase(_STATE, "the safety of {own} king from a pawn storm"),
    "storm_blocked": Phrase(_STATE, "the blockade of the pawn storm against {own} king"),
    "king_half_open_file": Phrase(_BURDEN, "a half-open file in front of {own} king"),
    "king_open_file": Phrase(_BURDEN, "an open file in front of {own} king"),
    "king_bare_wing": Phrase(_BURDEN, "a king on a wing without pawns"),
    "king_nearest_pawn": Phrase(_STATE, "the distance of {own} king to the pawns"),
    "castling_right": Phrase(_ASSET, "a castling right"),
    "threat_by_pawn": Phrase(_ASSET, "a pawn attack on a piece"),
    "threat_by_push": Phrase(_ASSET, "a threat to attack a piece with a pawn"),
    "threat_by_minor": Phrase(_ASSET, "an attack by a minor piece"),
    "threat_by_rook": Phrase(_ASSET, "an attack by a rook"),
    "threat_by_king": Phrase(_ASSET, "an attack by the king"),
    "hanging": Phrase(_ASSET, "an attack on a hanging piece"),
    "queen_chased": Phrase(_ASSET, "a square from which to attack {other} queen"),
    "restricted": Phrase(_ASSET, "squares denied to {other} pieces"),
    "bishop_pair": Phrase(_ASSET, "the bishop pair"),
    "bishop_long_diagonal": Phrase(_ASSET, "a bishop on a long diagonal"),
    "bad_bishop": Phrase(_BURDEN, "pawns on the colour of a bishop"),
    "bad_bishop_blocked": Phrase(_BURDEN, "blocked pawns on the colour of a bishop"),
    "trapped_bishop": Phrase(_BURDEN, "a trapped bishop"),
    "outpost_knight": Phrase(_ASSET, "a knight on an outpost"),
    "outpost_bishop": Phrase(_ASSET, "a bishop on an outpost"),
    "outpost_reachable": Phrase(_ASSET, "an outpost within reach of a knight"),
    "minor_behind_pawn": Phrase(_ASSET, "a minor piece behind a pawn"),
    "king_distance_knight": Phrase(_STATE, "the distance of {own} knights to their king"),
    "king_distance_bishop": Phrase(_STATE, "the distance of {own} bishops to their king"),
    "rook_open_file": Phrase(_ASSET, "a rook on an open file"),
    "rook_half_open_file": Phrase(_ASSET, "a rook on a half-open file"),
    "rook_on_seventh": Phrase(_ASSET, "a rook on the seventh rank"),
    "trapped_rook": Phrase(_BURDEN, "a trapped rook"),
    "knight_per_pawn": Phrase(_STATE, "the value of {own} knights with this many pawns"),
    "rook_per_pawn": Phrase(_STATE, "the value of {own} rooks with this many pawns"),
    "centre_control": Phrase(_ASSET, "control of the centre"),
    "space": Phrase(_ASSET, "space"),
    "tempo": Phrase(_ASSET, "the move"),
    "mop_up_won": Phrase(_ASSET, "a won ending"),
    "mop_up_edge": Phrase(_STATE, "the drive of the bare king to the edge"),
    "mop_up_corner": Phrase(_STATE, "the drive of the bare king to the right corner"),
    "mop_up_king_distance": Phrase(_STATE, "the distance between the kings"),
}
_unmatched = PHRASES.keys() ^ {feature.name for feature in FEATURES}
assert not _unmatched, f"features without a phrase, or phrases without a feature: {', '.join(sorted(_unmatched))}"


def change_text(change: TermChange, mover: int) -> str:
    """A change in words, with the side that moves as the subject."""
    phrase = PHRASES[change.feature.name]
    if change.feature.name == "material":
        phrase = Phrase(phrase.phrase_kind, _pieces_text(change))
    is_other = change.color != mover
    verbs, is_more = phrase.phrase_kind.value, change.after.count > change.before.count
    if change.feature.name == "material":
        is_more = change.after.mg > change.before.mg  # a promotion takes a pawn and makes a queen
    elif phrase.phrase_kind is PhraseKind.STATE or change.after.count == change.before.count:
        verbs, is_more = _STATE_VERBS, (change.parts > 0) != is_other
    own, other = ("the opponent's", "its") if is_other else ("its", "the enemy's")
    return verbs[2 * is_other + (not is_more)].format(phrase.noun.format(own=own, other=other))


def _pieces_text(change: TermChange) -> str:
    """The pieces that were gained or lost; if both, "a queen for a pawn"."""
    lost, gained = ([name for name, number in zip(_PIECE_NAMES, numbers, strict=True) for _ in range(number)]
                    for numbers in (_excess(change.before.counts, change.after.counts),
                                    _excess(change.after.counts, change.before.counts)))
    if lost and gained:
        return f"{' and '.join(gained)} for {' and '.join(lost)}"
    return " and ".join(lost or gained)


def _excess(more: tuple[int, ...], fewer: tuple[int, ...]) -> list[int]:
    return [max(0, first - second) for first, second in zip(more, fewer, strict=True)]


def opened_files(before: PositionRecord, after: PositionRecord, color: int) -> list[str]:
    """The files at and next to the king of `color` that have lost the side's last pawn."""
    king = int(after.types[KING] & after.colors[color]).bit_length() - 1
    near = [file for file in range(8) if abs(file - king % 8) <= 1]
    return [_FILES[file] for file in near
            if _has_pawn(before, color, file) and not _has_pawn(after, color, file)]


def _has_pawn(position: PositionRecord, color: int, file: int) -> bool:
    return bool(int(position.types[PAWN] & position.colors[color]) & 0x0101_0101_0101_0101 << file)
