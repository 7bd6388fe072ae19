"""Pacman's four meetings: two players with different beliefs about the ghost, and two ghosts."""

from __future__ import annotations

import random
import statistics
from collections.abc import Mapping

from engine.course.reference.game import MAX
from engine.course.reference.games.pacman import GHOST_STARTS, START, Cell, Maze, Pacman
from engine.course.reference.planner import Planner

GAME = Pacman()
MINIMAX: Planner[Maze, Cell | str] = Planner(GAME, None, GAME.evaluate)
EXPECTIMAX: Planner[Maze, Cell | str] = Planner(GAME, None, GAME.evaluate, GAME.random_ghost)
ADVERSARY, RANDOM = "an adversarial ghost", "a random ghost"
HEADINGS = ("", "points", "error", "won", "lecture", "difference")
_PLAYERS = {"minimax": MINIMAX, "expectimax": EXPECTIMAX}
LECTURE: Mapping[tuple[str, str], int] = {("minimax", ADVERSARY): 483, ("minimax", RANDOM): 493,
                                          ("expectimax", ADVERSARY): -303, ("expectimax", RANDOM): 503}


def meeting_rows(games: int) -> list[tuple[str, ...]]:
    """A row for each player and ghost: mean points, their error, games won, the lecture's mean, and the difference."""
    rows: list[tuple[str, ...]] = []
    for (name, ghost), shown in LECTURE.items():
        chance = random.Random(1)
        points = [points_of_game(_PLAYERS[name], ghost, GHOST_STARTS[number % len(GHOST_STARTS)], chance)
                  for number in range(games)]
        mean = round(statistics.mean(points))
        rows.append((f"{name} against {ghost}", f"{mean}",
                     f"{statistics.stdev(points) / games**0.5:.1f}",
                     f"{sum(result > 0 for result in points)} of {games}", str(shown), f"{mean - shown:+d}"))
    return rows


def points_of_game(player: Planner[Maze, Cell | str], ghost: str, start: Cell, chance: random.Random) -> float:
    """The points of one game. The adversarial ghost looks as far ahead as minimax, and picks among equals by chance."""
    maze = Maze(start, START)
    while not GAME.is_terminal(maze):
        if maze.player == MAX:
            action = player.choose(maze)
        elif ghost == RANDOM:
            action = chance.choice(GAME.actions(maze))
        else:
            action = MINIMAX.choose(maze, chance)
        maze = GAME.result(maze, action)
    return GAME.utility(maze, MAX)
