"""The features in plain words: what a move gains, gives up, improves or spoils."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from engine.core.bits import KING, PAWN
from engine.core.position import PositionRecord
from eval.explain import Change
from eval.features import FEATURES

_PIECE_NAMES = ("a pawn", "a knight", "a bishop", "a rook", "a queen")
_FILES = "abcdefgh"


_STATE_VERBS = ("improves {}", "spoils {}", "improves {}", "spoils {}")


class Kind(Enum):
    """How a feature is spoken of: the verbs for (own more, own fewer, the opponent more, the opponent fewer)."""

    ASSET = ("gains {}", "gives up {}", "allows the opponent {}", "takes {} from the opponent")
    BURDEN = ("takes on {}", "gets rid of {}", "burdens the opponent with {}", "frees the opponent of {}")
    # What is always there, for better or worse.
    STATE = _STATE_VERBS


class Words(NamedTuple):
    """One row of the table."""

    kind: Kind
    noun: str  # with {own} for the side whose feature it is, {other} for its opponent


_ASSET, _BURDEN, _STATE = Kind.ASSET, Kind.BURDEN, Kind.STATE

WORDS = {
    "material": Words(_ASSET, "material"),
    "squares_pawn": Words(_STATE, "the places of {own} pawns"),
    "squares_knight": Words(_STATE, "the places of {own} knights"),
    "squares_bishop": Words(_STATE, "the places of {own} bishops"),
    "squares_rook": Words(_STATE, "the places of {own} rooks"),
    "squares_queen": Words(_STATE, "the place of {own} queen"),
    "squares_king": Words(_STATE, "the place of {own} king"),
    "mobility_knight": Words(_STATE, "the mobility of {own} knights"),
    "mobility_bishop": Words(_STATE, "the mobility of {own} bishops"),
    "mobility_rook": Words(_STATE, "the mobility of {own} rooks"),
    "mobility_queen": Words(_STATE, "the mobility of {own} queen"),
    "doubled": Words(_BURDEN, "a doubled pawn"),
    "isolated": Words(_BURDEN, "an isolated pawn"),
    "isolated_open": Words(_BURDEN, "an isolated pawn on a half-open file"),
    "backward": Words(_BURDEN, "a backward pawn"),
    "backward_open": Words(_BURDEN, "a backward pawn on a half-open file"),
    "phalanx": Words(_ASSET, "pawns side by side"),
    "supported": Words(_ASSET, "a pawn that a pawn defends"),
    "rammed": Words(_STATE, "the look of {own} pawns that pawns block"),
    "candidate": Words(_ASSET, "a candidate for a passed pawn"),
    "passed": Words(_ASSET, "a passed pawn"),
    "passed_connected": Words(_ASSET, "a connected passed pawn"),
    "passed_blocked": Words(_BURDEN, "a block before a passed pawn"),
    "passed_free_step": Words(_ASSET, "a passed pawn that may step ahead"),
    "passed_free_path": Words(_ASSET, "a passed pawn with a free path"),
    "passed_escorted": Words(_ASSET, "a passed pawn whose next square is defended"),
    "passed_own_king": Words(_STATE, "the nearness of {own} king to {own} passed pawns"),
    "passed_enemy_king": Words(_STATE, "the distance of {other} king from {own} passed pawns"),
    "passed_unstoppable": Words(_ASSET, "a passed pawn that nobody can stop"),
    "king_attacker": Words(_ASSET, "an attacker of {other} king"),
    "safe_check": Words(_ASSET, "a safe check"),
    "king_flank_attacks": Words(_ASSET, "squares about {other} king"),
    "king_danger": Words(_STATE, "the attack on {other} king"),
    "shelter": Words(_STATE, "the pawn shelter of {own} king"),
    "storm": Words(_STATE, "the stand of {own} king against the storm of pawns"),
    "storm_blocked": Words(_STATE, "the block before the storm of pawns at {own} king"),
    "king_half_open_file": Words(_BURDEN, "a half-open file before {own} king"),
    "king_open_file": Words(_BURDEN, "an open file before {own} king"),
    "king_bare_wing": Words(_BURDEN, "a king on a wing without pawns"),
    "king_nearest_pawn": Words(_STATE, "the nearness of {own} king to the pawns"),
    "castling_right": Words(_ASSET, "a right to castle"),
    "threat_by_pawn": Words(_ASSET, "a pawn's attack on a piece"),
    "threat_by_push": Words(_ASSET, "a threat to attack a piece with a pawn"),
    "threat_by_minor": Words(_ASSET, "an attack by a minor piece"),
    "threat_by_rook": Words(_ASSET, "an attack by a rook"),
    "threat_by_king": Words(_ASSET, "an attack by the king"),
    "hanging": Words(_ASSET, "the attack on a hanging piece"),
    "queen_chased": Words(_ASSET, "a square from which to chase {other} queen"),
    "restricted": Words(_ASSET, "squares denied to {other} pieces"),
    "bishop_pair": Words(_ASSET, "the bishop pair"),
    "bishop_long_diagonal": Words(_ASSET, "a bishop on a long diagonal"),
    "bad_bishop": Words(_BURDEN, "pawns on a bishop's colour"),
    "bad_bishop_blocked": Words(_BURDEN, "blocked pawns on a bishop's colour"),
    "trapped_bishop": Words(_BURDEN, "a trapped bishop"),
    "outpost_knight": Words(_ASSET, "an outpost for a knight"),
    "outpost_bishop": Words(_ASSET, "an outpost for a bishop"),
    "outpost_reachable": Words(_ASSET, "an outpost within a knight's reach"),
    "minor_behind_pawn": Words(_ASSET, "a minor piece behind a pawn"),
    "king_distance_knight": Words(_STATE, "the nearness of {own} knights to the king"),
    "king_distance_bishop": Words(_STATE, "the nearness of {own} bishops to the king"),
    "rook_open_file": Words(_ASSET, "a rook on an open file"),
    "rook_half_open_file": Words(_ASSET, "a rook on a half-open file"),
    "rook_on_seventh": Words(_ASSET, "a rook on the seventh rank"),
    "trapped_rook": Words(_BURDEN, "a trapped rook"),
    "knight_per_pawn": Words(_STATE, "the number of pawns for {own} knights"),
    "rook_per_pawn": Words(_STATE, "the number of pawns for {own} rooks"),
    "centre_control": Words(_ASSET, "control of the centre"),
    "space": Words(_ASSET, "space"),
    "tempo": Words(_ASSET, "the move"),
    "mate_won": Words(_ASSET, "a won ending"),
    "mate_edge": Words(_STATE, "the drive of the bare king to the edge"),
    "mate_corner": Words(_STATE, "the drive of the bare king to the right corner"),
    "mate_close": Words(_STATE, "the approach of the kings"),
}
assert WORDS.keys() == {feature.name for feature in FEATURES}


def in_words(change: Change, mover: int) -> str:
    """What a change means, as one would say it of the side that moves."""
    words = WORDS[change.feature.name]
    if change.feature.name == "material":
        words = Words(words.kind, _pieces(change))
    is_other = change.color != mover
    verbs, is_more = words.kind.value, change.after.count > change.before.count
    if change.feature.name == "material":
        is_more = change.after.mg > change.before.mg  # a promotion takes a pawn and makes a queen
    elif words.kind is Kind.STATE or change.after.count == change.before.count:
        verbs, is_more = _STATE_VERBS, (change.parts > 0) != is_other
    own, other = ("the opponent's", "its") if is_other else ("its", "the enemy's")
    return verbs[2 * is_other + (not is_more)].format(words.noun.format(own=own, other=other))


def _pieces(change: Change) -> str:
    """The pieces that came or went; where both happened, one for the other."""
    gone, come = ([name for name, number in zip(_PIECE_NAMES, numbers, strict=True) for _ in range(number)]
                  for numbers in (_excess(change.before.counts, change.after.counts),
                                  _excess(change.after.counts, change.before.counts)))
    if gone and come:
        return f"{' and '.join(come)} for {' and '.join(gone)}"
    return " and ".join(gone or come)


def _excess(more: tuple[int, ...], fewer: tuple[int, ...]) -> list[int]:
    return [max(0, first - second) for first, second in zip(more, fewer, strict=True)]


def opened_files(before: PositionRecord, after: PositionRecord, color: int) -> list[str]:
    """The files on and beside that of the king of `color` where its last pawn has gone."""
    king = int(after.types[KING] & after.colors[color]).bit_length() - 1
    near = [file for file in range(8) if abs(file - king % 8) <= 1]
    return [_FILES[file] for file in near
            if _has_pawn(before, color, file) and not _has_pawn(after, color, file)]


def _has_pawn(position: PositionRecord, color: int, file: int) -> bool:
    return bool(int(position.types[PAWN] & position.colors[color]) & 0x0101_0101_0101_0101 << file)
