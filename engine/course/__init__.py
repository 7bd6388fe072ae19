"""The course: lessons, drawings, quizzes and notebooks over the algorithms of `reference`.

`check(game)` says what a game of your own can be played by: print it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.course.fit import Fit
    from engine.course.reference.game import Game


def check(game: Game[Any, Any]) -> Fit:
    """What a game can be played by, to print; UnsuitableGameError if it is not a game, or breaks the rules of games."""
    from engine.course.fit import check as look

    return look(game)
