"""Rock, paper, scissors: both choose at once, which is to say that the second does not see the first's choice."""

from __future__ import annotations

from collections.abc import Sequence

from engine.course.reference.game import MAX, MIN, HiddenGame, Player

ROCK, PAPER, SCISSORS = range(3)
NAMES = ("rock", "paper", "scissors")
PAYOFFS = ((0, -1, 1), (1, 0, -1), (-1, 1, 0))  # mine, theirs -> what I get

Hands = tuple[int, ...]  # those that have been chosen


class RockPaperScissors(HiddenGame[Hands, int]):
    """The winner gets 1 from the loser."""

    def initial(self) -> Hands:
        return ()

    def to_move(self, state: Hands) -> Player:
        return MIN if state else MAX

    def actions(self, state: Hands) -> Sequence[int]:
        return (ROCK, PAPER, SCISSORS)

    def result(self, state: Hands, action: int) -> Hands:
        return (*state, action)

    def is_terminal(self, state: Hands) -> bool:
        return len(state) == 2

    def utility(self, state: Hands, player: Player) -> float:
        payoff = PAYOFFS[state[0]][state[1]]
        return payoff if player == MAX else -payoff

    def view(self, state: Hands) -> Player:
        """Who I am, and nothing else."""
        return self.to_move(state)
