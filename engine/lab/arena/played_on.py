"""Games played on past the score at which others are adjudicated: how often the adjudication would have been wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.lab.arena.game_file import Games
from engine.lab.arena.training import PLIES_TO_WIN


@dataclass(frozen=True)
class PlayedOn:
    """Counts of games that continued after a decisive score."""

    games: int = 0
    drawn: int = 0
    lost: int = 0  # by the side that was ahead

    def __add__(self, other: PlayedOn) -> PlayedOn:
        """The counts of both."""
        return PlayedOn(self.games + other.games, self.drawn + other.drawn, self.lost + other.lost)


def count_played_on(games: Games, win_score: int) -> PlayedOn:
    """The games of a block that continued although the score was beyond `win_score` for four plies in a row."""
    winners = _first_winners(games, win_score)
    results = games.rows["result"].astype(np.int64)[winners != 0]
    called = winners[winners != 0]
    return PlayedOn(len(called), int((results == 0).sum()), int((results == -called).sum()))


def _first_winners(games: Games, win_score: int) -> npt.NDArray[np.int64]:
    """[game]: 1 if White had a decisive score first, before the last position, -1 for Black, 0 for neither."""
    number = np.repeat(np.arange(len(games.rows)), np.diff(games.starts))
    ply = np.arange(games.positions) - games.starts[number]
    black_moves = (games.rows["side"].astype(np.int64)[number] + ply) % 2 == 1
    scores: npt.NDArray[Any] = np.where(black_moves, -games.scores.astype(np.int64), games.scores)
    winners = np.zeros(len(games.rows), np.int64)
    clear = np.sign(scores) * (np.abs(scores) >= win_score)
    last = np.arange(PLIES_TO_WIN - 1, games.positions - 1)  # the position after it must be of the same game
    is_called = (clear[last] != 0) & (number[last - (PLIES_TO_WIN - 1)] == number[last + 1])
    for step in range(1, PLIES_TO_WIN):
        is_called &= clear[last] == clear[last - step]
    called = last[is_called]
    called_games, firsts = np.unique(number[called], return_index=True)
    winners[called_games] = clear[called[firsts]]
    return winners
