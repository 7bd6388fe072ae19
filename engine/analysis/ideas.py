"""The table of named ideas: what each is called, how it is proven, and on whose lines it is looked for.

`ideas_in` asks all detectors about a line that begins with a move. A detector says what can be seen on the boards of
the line; whether the idea works is for the search to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import chess

from engine.analysis import attack_ideas, ending_ideas, strategic_ideas
from engine.analysis.idea import ProvenIdea
from engine.analysis.tactical_line import TacticalLine

ANY, SOUND, UNSOUND = "any", "sound", "unsound"  # moves


class NamedIdea(NamedTuple):
    """A row of the table."""

    article: str  # or none
    name: str
    find: Callable[[TacticalLine], ProvenIdea | None]
    moves: str = ANY  # which moves the idea is said of: any, those that are not mistakes, or mistakes only


# In the order in which they are named: what decides before what lasts.
IDEAS = (
    NamedIdea("", "Légal's mate", attack_ideas.legal_mate),
    NamedIdea("a", "Greek gift", attack_ideas.greek_gift),
    NamedIdea("a", "windmill", attack_ideas.windmill, SOUND),
    NamedIdea("a", "fork trick", attack_ideas.fork_trick),
    NamedIdea("the", "Noah's Ark trap", attack_ideas.noahs_ark, SOUND),
    NamedIdea("a", "stalemate trick", attack_ideas.stalemate_trick),
    NamedIdea("", "perpetual check", attack_ideas.perpetual_check, SOUND),
    NamedIdea("an", "underpromotion", attack_ideas.underpromotion, SOUND),
    NamedIdea("a", "double check", attack_ideas.double_check, SOUND),
    NamedIdea("a", "trapped piece", attack_ideas.shut_in, UNSOUND),
    NamedIdea("a", "desperado", attack_ideas.desperado, SOUND),
    NamedIdea("an", "overload", attack_ideas.overloaded_guard, SOUND),
    NamedIdea("an", "exchange sacrifice", attack_ideas.exchange_sacrifice),
    NamedIdea("the", "Lucena position", ending_ideas.lucena),
    NamedIdea("the", "Philidor position", ending_ideas.philidor),
    NamedIdea("a", "wrong bishop", ending_ideas.wrong_bishop),
    NamedIdea("a", "trebuchet", ending_ideas.trebuchet),
    NamedIdea("the", "opposition", ending_ideas.opposition, SOUND),
    NamedIdea("", "zugzwang", ending_ideas.table_zugzwang, SOUND),
    NamedIdea("a", "pawn breakthrough", ending_ideas.breakthrough, SOUND),
    NamedIdea("", "Réti's manoeuvre", ending_ideas.two_aims, SOUND),
    NamedIdea("a", "rook behind a passed pawn", ending_ideas.rook_behind_pawn, SOUND),
    NamedIdea("", "castling into an attack", strategic_ideas.castling_into_attack, UNSOUND),
    NamedIdea("a", "premature attack", strategic_ideas.premature_attack, UNSOUND),
    NamedIdea("a", "greedy capture", strategic_ideas.greedy_capture, UNSOUND),
    NamedIdea("a", "minority attack", strategic_ideas.minority_attack),
    NamedIdea("an", "outpost", strategic_ideas.outpost),
    NamedIdea("a", "weak square", strategic_ideas.weak_square),
    NamedIdea("a", "bad bishop", strategic_ideas.bad_bishop),
    NamedIdea("an", "isolated pawn", strategic_ideas.isolated_pawn),
)


def ideas_in(board: chess.Board, moves: Sequence[chess.Move], is_mistake: bool = False) -> list[ProvenIdea]:
    """The ideas of a line that begins at `board`, in the order of the table; `is_mistake` is about its first move."""
    if not moves:
        return []
    line, skipped = TacticalLine(board, moves), SOUND if is_mistake else UNSOUND
    found = (row.find(line) for row in IDEAS if row.moves != skipped)
    return [idea for idea in found if idea is not None]


def with_article(idea: ProvenIdea) -> str:
    """The name of an idea as a sentence needs it: `a fork trick`, `zugzwang`."""
    article = next(row.article for row in IDEAS if row.name == idea.name)
    return f"{article} {idea.name}".lstrip()
