"""Returns: what the rest of a game says about a position.

A search of a few hundred nodes errs, and the next one, a move later, sees further along the line that was played. So
the scores of a whole game, the nearer ones more than the later ones, and at last its result, tell more about a position
than its own score does. This is TD(lambda): with a decay of d, the score after k plies counts (1 - d) d^k.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.arena.gamefile import Games

_SCALE = 200.0  # centipawns for a logit of 1, roughly what results say: averages are taken of chances, not of scores
_LARGEST_LOGIT = 15.0
_LARGEST_SCORE = int(_SCALE * _LARGEST_LOGIT)

Chances = npt.NDArray[np.float64]


def with_lambda_targets(games: Games, decay: float) -> Games:
    """The games with returns instead of scores; those beyond 3000 centipawns, such as mates, stay as they are."""
    if decay == 0:
        return games
    returns = _returns(games, decay)
    least = 1 / (1 + np.exp(_LARGEST_LOGIT))
    returns = np.clip(returns, least, 1 - least)
    scores = np.rint(_SCALE * np.log(returns / (1 - returns))).astype(games.scores.dtype)
    is_clear = np.abs(games.scores.astype(np.int32)) > _LARGEST_SCORE
    return replace(games, scores=np.where(is_clear, games.scores, scores))


def _returns(games: Games, decay: float) -> Chances:
    """[position]: the expected result from the mover's view, from 0 to 1; computed from the ends of all games."""
    logits = np.clip(games.scores / _SCALE, -_LARGEST_LOGIT, _LARGEST_LOGIT)
    returns: Chances = (1 - decay) / (1 + np.exp(-logits))
    longest_first = np.argsort(-games.rows["plies"].astype(np.int64), kind="stable")
    rows, ends = games.rows[longest_first], games.starts[1:][longest_first]
    hopes = _chances_after(rows)
    for plies in range(1, int(rows["plies"].max(initial=0)) + 1):
        count = int(np.count_nonzero(rows["plies"] >= plies))  # games that are so long
        places = ends[:count] - plies
        returns[places] += decay * hopes[:count]
        hopes = 1 - returns[places]
    return returns


def _chances_after(rows: npt.NDArray[Any]) -> Chances:
    """[game]: its result, from 0 to 1, from the view of the player who moved last."""
    black_moved_last = (rows["side"].astype(np.int64) + rows["plies"] - 1) % 2 == 1
    results = rows["result"].astype(np.float64)
    return (1 + np.where(black_moved_last, -results, results)) / 2
