"""Pacman on a small grid: one dot, one ghost, and three ways to the dot, of which the shorter two can be blocked.

Every step costs a point, the dot brings 10 and wins 500, the ghost costs 500. With `slip`, Pacman's moves can fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from engine.course.reference.game import CHANCE, MAX, MIN, Game, Player

# P is where Pacman starts, . the dot, > a corridor too narrow to turn round in. Commas are the ghost's room, blanks are
# too narrow for it, and both can go where + stands.
GRID = """
%%%%%%%%%%%
% P>>>>+ .%
% %%%%,,, %
% %%%%,,, %
% %%%%,,, %
% %%%%,,, %
% %%%%,,, %
%      +  %
%%%%% %%% %
%%%   %%% %
%%% %%%%% %
%%%       %
%%%%%%%%%%%
""".strip().splitlines()

Cell = tuple[int, int]
GHOST_STARTS: Sequence[Cell] = ((5, 6), (5, 7), (5, 8), (6, 7), (6, 6))  # from the last it comes too late
GOES, SLIPS = "goes", "slips"
_STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))
_DOT, _WIN, _CAUGHT = 10, 500, -500
_LONGEST = 40  # steps


def _sign(cell: Cell) -> str:
    return GRID[cell[0]][cell[1]]


def _cells(signs: str) -> set[Cell]:
    return {(row, column) for row, line in enumerate(GRID) for column, sign in enumerate(line) if sign in signs}


_OPEN_TO_PACMAN, _OPEN_TO_GHOST = _cells(" P>+."), _cells(",+")
(START,), (DOT,) = _cells("P"), _cells(".")


@cache
def pacman_moves(cell: Cell) -> Sequence[Cell]:
    """Where Pacman can go; along a narrow corridor only on, and into it only from its beginning."""
    steps = _STEPS[:1] if _sign(cell) == ">" else _STEPS
    reached = [((cell[0] + down, cell[1] + right), (down, right)) for down, right in steps]
    return tuple(at for at, step in reached if at in _OPEN_TO_PACMAN and (_sign(at) != ">" or step == _STEPS[0]))


@cache
def ghost_moves(cell: Cell) -> Sequence[Cell]:
    """Where the ghost can go: it cannot stand still."""
    return tuple(at for down, right in _STEPS if (at := (cell[0] + down, cell[1] + right)) in _OPEN_TO_GHOST)


def _distances() -> Mapping[Cell, int]:
    """How many steps Pacman is from the dot, from everywhere."""
    found, layer = {DOT: 0}, [DOT]
    while layer:
        layer = [cell for cell in sorted(_OPEN_TO_PACMAN - found.keys()) if set(pacman_moves(cell)) & set(layer)]
        found |= dict.fromkeys(layer, max(found.values()) + 1)
    return found


DISTANCES = _distances()


@dataclass(frozen=True)
class Maze:
    """Where both are, how many steps Pacman has made, whose turn it is, and where Pacman wants to go if he may slip."""

    ghost: Cell
    pacman: Cell = START
    steps: int = 0
    player: Player = MAX
    wanted: Cell | None = None


class Pacman(Game[Maze, Cell | str]):
    """Pacman is MAX, the ghost is MIN. `slip` is the probability that a move of Pacman's leaves him where he is."""

    def __init__(self, ghost: Cell = GHOST_STARTS[0], slip: float = 0.0) -> None:
        self._ghost, self._slip = ghost, slip

    def initial(self) -> Maze:
        return Maze(self._ghost)

    def to_move(self, state: Maze) -> Player:
        return state.player if state.wanted is None else CHANCE

    def actions(self, state: Maze) -> Sequence[Cell | str]:
        if state.wanted is not None:
            return (GOES, SLIPS)
        return pacman_moves(state.pacman) if state.player == MAX else ghost_moves(state.ghost)

    def result(self, state: Maze, action: Cell | str) -> Maze:
        if isinstance(action, str):
            return self._moved(state, state.wanted if action == GOES and state.wanted else state.pacman)
        if state.player == MIN:
            return Maze(action, state.pacman, state.steps)
        return Maze(state.ghost, state.pacman, state.steps, MAX, action) if self._slip else self._moved(state, action)

    @staticmethod
    def _moved(state: Maze, cell: Cell) -> Maze:
        return Maze(state.ghost, cell, state.steps + 1, MIN)

    def is_terminal(self, state: Maze) -> bool:
        return state.pacman in {state.ghost, DOT} or state.steps >= _LONGEST

    def utility(self, state: Maze, player: Player) -> float:
        points = -state.steps + (_CAUGHT if state.pacman == state.ghost else _DOT + _WIN if state.pacman == DOT else 0)
        return points if player == MAX else -points

    def probability(self, state: Maze, action: Cell | str) -> float:
        return self._slip if action == SLIPS else 1 - self._slip

    def evaluate(self, state: Maze) -> float:
        """What the game brings if no ghost comes in the way."""
        return _DOT + _WIN - state.steps - DISTANCES[state.pacman]

    def random_ghost(self, state: Maze) -> Sequence[float]:
        """Every move of the ghost is equally likely."""
        count = len(self.actions(state))
        return (1 / count,) * count

    def text(self, state: Maze) -> str:
        """The grid with Pacman as P and the ghost as G; what is open to either is blank."""
        shown = {state.ghost: "G", state.pacman: "P"} if state.pacman != DOT else {state.ghost: "G"}
        return "\n".join("".join(shown.get((row, column), "." if (row, column) == DOT else "%" if sign == "%" else
                                           ">" if sign == ">" else " ") for column, sign in enumerate(line))
                         for row, line in enumerate(GRID))
