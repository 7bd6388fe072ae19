"""A level in words, derived from its row in the table of levels, and which level to try next.

Nothing here searches or prints.
"""

from __future__ import annotations

from engine.player.options import find_option
from engine.player.skill import SkillLevel, book_habits, skill_level
from engine.system.errors import InputError, quote

_ELO = find_option("UCI_Elo")
LOWEST, HIGHEST = _ELO.low, _ELO.high
STEP = 200  # between a level and the next one
_STREAK = 3  # wins or losses in a row, after which another level is suggested

MAX = "max"  # full strength, as users write it
_COUNTS = ("no", "one", "two", "three", "four", "five", "six")
# [half plies beyond the first]: captures after them are followed further
_SEES = ("looks at its own moves and what they take", "looks at its own moves, and sometimes at your replies",
         "looks at your replies", "looks at your replies, and sometimes two moves ahead", "sees two moves ahead",
         "sees two moves ahead, and sometimes your replies", "sees two moves ahead, and your replies")
_HARD_TO_SEE = "knight moves, backward moves and quiet ones"
# (least blindness in per mille, words): what is no capture is harder to see
_OVERLOOKS = ((600, "misses most captures and nearly all quiet moves"),
              (450, "misses every second capture and nine quiet moves in ten"),
              (330, "misses four captures in ten and most quiet moves"),
              (200, "misses one capture in four and every second quiet move"),
              (100, f"often misses {_HARD_TO_SEE}"),
              (45, f"sometimes misses {_HARD_TO_SEE}"),
              (0, "seldom misses a move"))
# (least carelessness in per mille, words)
_CARELESS = ((900, "never checks whether a piece can be taken"),
             (600, "seldom checks whether a piece can be taken"),
             (400, "often leaves pieces where they can be taken"),
             (200, "sometimes leaves pieces where they can be taken"))
_EAGER = 0.25
# (least naivety, words): which moves are known, or what follows them
_OPENS = ((0.7, ", then moves its queen"), (0.2, ", then attacks"), (0, " of the usual openings"))
# (knowledge in per cent up to which it is said, words)
_UNDERSTANDS = ((1, "counts pieces and nothing else"), (10, "counts pieces and little else"), (30, "knows few plans"),
                (60, "knows some plans"), (90, "knows many plans"))


def describe_level(level: int | None) -> str:
    """What a level does, in one sentence without a full stop; None is full strength."""
    if level is None:
        return "searches as long as its clock allows"
    row = skill_level(level)  # what it does in most of its moves
    parts = [*(_searching_words(row) if row.vision is None else _looking_words(row)), _book_words(level)]
    return ", ".join(parts[:-1]) + f", and {parts[-1]}"


def _looking_words(row: SkillLevel) -> list[str]:
    parts = [_SEES[min(max(round(2 * (row.depth - 1)), 0), len(_SEES) - 1)],
             next(words for least, words in _OVERLOOKS if row.blindness >= least)]
    parts += [words for least, words in _CARELESS if row.carelessness >= least][:1]
    if row.eagerness >= _EAGER:
        parts.append("likes to capture and to give check")
    parts += [words for most, words in _UNDERSTANDS if row.knowledge <= most][:1]
    return parts


def _searching_words(row: SkillLevel) -> list[str]:
    return [f"searches {round(row.nodes, -3):,.0f} positions, {row.depth:.0f} plies deep at most",
            "now and then prefers what looks natural to what is best"]


def _book_words(level: int) -> str:
    habits = book_habits(level)
    moves = max(round(habits.moves), 1)
    count = _COUNTS[moves] if moves < len(_COUNTS) else moves
    then = next(words for least, words in _OPENS if habits.naivety >= least)
    return f"knows about {count} {'move' if moves == 1 else 'moves'}{then}"


def parse_level(text: str) -> int | None:
    """The level that a user wrote; None for full strength. InputError if there is no such level."""
    if text == MAX:
        return None
    try:
        elo = int(text)
    except ValueError:
        elo = -1
    if not LOWEST <= elo <= HIGHEST:
        raise InputError(f"a level is a number from {LOWEST} to {HIGHEST}, or `{MAX}`, got {quote(text)}")
    return elo


class Streak:
    """A person's results against a level; three wins or losses in a row suggest another one."""

    def __init__(self) -> None:
        self._level: int | None = None
        self._points: dict[object, float] = {}  # of the person, by game, in the order in which they ended

    def record(self, game: object, level: int | None, points: float) -> None:
        """Count a game; one that was taken back and ended again counts as it ended last."""
        if level != self._level:
            self._level, self._points = level, {}
        self._points.pop(game, None)
        self._points[game] = points

    def suggestion(self) -> int | None:
        """The level to try next; None if the present one fits, or there is no other."""
        last = list(self._points.values())[-_STREAK:]
        if self._level is None or len(last) < _STREAK or len(set(last)) > 1 or last[0] not in (0.0, 1.0):
            return None
        following = self._level + (STEP if last[0] else -STEP)
        return following if LOWEST <= following <= HIGHEST else None


def suggestion_text(level: int, following: int) -> str:
    """A sentence that suggests another level."""
    results = "wins" if following > level else "losses"
    return f"three {results} in a row: try level {following}, which {describe_level(following)}"
