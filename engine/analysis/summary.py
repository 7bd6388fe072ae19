"""What a coach says after a game: where it was decided, its best move, the mistakes of both sides, what to practise.

The command, the page and the terminal print the same sentences, from the annotation alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import chess

from engine.analysis.accuracy import PlayerAccuracy
from engine.analysis.annotation import Annotation, MoveNote
from engine.analysis.claims import KING_HUNT, MATE, MATERIAL, PERPETUAL, PROMOTION, SACRIFICE, THREAT
from engine.analysis.marks import BAD
from engine.analysis.wording import count_text, joined

_WINNING, _HELD = 0.75, 0.60  # expected score on the human curve: reached, and never lost again
_BETTER = 0.60
_PRAISE = "!!", "!", "□"
_BAD = tuple(mark.text for mark in BAD)
# What mistakes of a topic did.
_BY_TOPIC = {MATERIAL: "lost or missed material", MATE: "allowed or missed a mate",
             PROMOTION: "misjudged a passed pawn", PERPETUAL: "allowed or missed a perpetual check",
             SACRIFICE: "overlooked a sacrifice",
             KING_HUNT: "overlooked an attack on the king", THREAT: "overlooked a threat"}
_PRACTICE = {MATE: "mates in one to three",
             MATERIAL: "tactics, and look before each move at what it leaves unprotected",
             PROMOTION: "pawn endings", PERPETUAL: "perpetual checks", SACRIFICE: "sacrifices against the king",
             KING_HUNT: "attacks on the king",
             THREAT: "asking after each move of the other side what it threatens"}
_BY_PHASE = {"opening": "the first moves of the openings you play", "middlegame": "plans in quiet middlegames",
             "endgame": "basic endings"}


def game_summary(annotation: Annotation, start: chess.Board, white: str = "", black: str = "") -> list[str]:
    """The five sentences on an annotated game that began at `start`; none for a game without moves."""
    if not annotation.notes:
        return []
    names = {chess.WHITE: _name(white, "White"), chess.BLACK: _name(black, "Black")}
    if names[chess.WHITE] == names[chess.BLACK]:
        names = {chess.WHITE: "White", chess.BLACK: "Black"}
    players = {chess.WHITE: annotation.white, chess.BLACK: annotation.black}
    patterns = [_pattern(annotation.notes, side, names[side], players[side]) for side in chess.COLORS]
    return [_turning_point(annotation.notes, start, names), _best_move(annotation.notes, start, names), *patterns,
            _to_practise(annotation.notes, names, players)]


def _name(name: str, side: str) -> str:
    return name if name.strip("? ") else side


def _numbered(note: MoveNote, start: chess.Board) -> str:
    """`17...Be6!!`: a move with its number and mark."""
    number = start.fullmove_number + (note.ply + (not start.turn)) // 2
    return f"{number}{'.' if note.side else '...'}{note.san}{note.mark}"


def _turning_point(notes: Sequence[MoveNote], start: chess.Board, names: dict[chess.Color, str]) -> str:
    """Where the game was decided: the move after which a side was winning and stayed so."""
    for winner in chess.COLORS:
        shares = [note.score.pov(winner).human_expected for note in notes]
        if shares[-1] < _WINNING:
            continue
        open_plies = [ply for ply, share in enumerate(shares) if share < _HELD]
        ply = next((ply for ply in range(open_plies[-1] + 1 if open_plies else 0, len(notes))
                    if shares[ply] >= _WINNING), len(notes) - 1)
        swing = "" if ply == 0 else f", from {notes[ply - 1].score} to {notes[ply].score}"
        move = _numbered(notes[ply], start)
        return f"The game was decided by {move}{swing}: {names[winner]} was winning from there to the end."
    peak = max(notes, key=lambda note: abs(note.score.human_expected - 0.5))
    share = peak.score.human_expected
    if abs(share - 0.5) <= _BETTER - 0.5:
        return "The game was never decided: neither side was ever clearly better."
    return (f"On the board the game was still open at the end: {names[share > 0.5]} was closest to winning after "
            f"{_numbered(peak, start)} ({peak.score}).")


def _best_move(notes: Sequence[MoveNote], start: chess.Board, names: dict[chess.Color, str]) -> str:
    for mark in _PRAISE:
        praised = [note for note in notes if note.mark == mark]
        if praised:
            reason = f": {praised[0].reason}" if praised[0].reason else ""
            return f"The best move was {_numbered(praised[0], start)} of {names[praised[0].side]}{reason}."
    return "No move of the game was so hard to find that it deserves praise."


def _topics(notes: Sequence[MoveNote], side: chess.Color) -> Counter[str]:
    """What a side's mistakes were about, by the claims that prove their reasons."""
    return Counter(note.claim.topic for note in notes if note.side == side and note.mark in _BAD
                   and note.claim is not None and note.claim.topic in _BY_TOPIC)


def _phases(player: PlayerAccuracy) -> Counter[str]:
    return Counter({phase: sum(counts.values()) for phase, counts in player.counts.items() if sum(counts.values())})


def _pattern(notes: Sequence[MoveNote], side: chess.Color, name: str, player: PlayerAccuracy) -> str:
    """How many mistakes a side made, when, and what they had in common."""
    phases = _phases(player)
    total = sum(phases.values())
    if not total:
        return f"{name} made no mistake that needs a mark."
    phase, number = phases.most_common(1)[0]
    when = f"{'both' if total == 2 else 'all'} in the {phase}" if number == total > 1 else (
        f"in the {phase}" if total == 1 else f"{count_text(number)} of them in the {phase}")
    count = "one mistake" if total == 1 else f"{count_text(total)} mistakes"
    topics = _topics(notes, side).most_common(2)
    if not topics:
        return f"{name} made {count}, {when}."
    whole = {1: "it", 2: "both"}.get(total, "all")
    did = [f"{whole if times == total else count_text(times)} {_BY_TOPIC[topic]}" for topic, times in topics]
    return f"{name} made {count}, {when}: {joined(did)}."


def _to_practise(notes: Sequence[MoveNote], names: dict[chess.Color, str],
                 players: dict[chess.Color, PlayerAccuracy]) -> str:
    """What each side that made mistakes should practise."""
    advice = dict[str, list[str]]()  # the sides that need it
    for side in chess.COLORS:
        topic, phase = (counts.most_common(1) for counts in (_topics(notes, side), _phases(players[side])))
        what = _PRACTICE[topic[0][0]] if topic else _BY_PHASE[phase[0][0]] if phase else ""
        if what:
            advice.setdefault(what, []).append(names[side])
    if not advice:
        return "There is nothing that this game says to practise."
    return "; ".join(f"{joined(sides)} should practise {what}" for what, sides in advice.items()) + "."
