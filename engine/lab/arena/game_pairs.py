"""Pairs of games between two participants: the unit of every match, tournament, screen and tuning run."""

from __future__ import annotations

from dataclasses import dataclass

from engine.lab.arena.kernel_games import kernel_player, play_kernel_game
from engine.lab.arena.participants import Participant, Unit
from engine.lab.arena.records import Adjudication, GameRecord, Opening
from engine.lab.arena.search_games import play_game


@dataclass(frozen=True)
class GamePair:
    """Two games from one opening, with colours reversed: a shard. Calling it plays them.

    Two alpha-beta searches with equal nodes play inside a kernel, all others move by move.
    """

    number: int  # of the pair
    opening: Opening
    first: Participant
    second: Participant
    rules: Adjudication
    seed: int | None = None  # of random numbers; None to leave them as they are

    def __call__(self) -> list[GameRecord]:
        """Play both games; GamesCancelledError if games are cancelled."""
        play = self._play_in_kernel if self.is_in_kernel else self._play_by_move
        return [play(2 * self.number), play(2 * self.number + 1)]

    @property
    def is_in_kernel(self) -> bool:
        """Whether no Python code runs between moves."""
        return self.first.budget == self.second.budget and all(
            player.budget.unit is Unit.NODES and player.config is not None and player.config.tree is None
            for player in (self.first, self.second))

    def _sides(self, number: int) -> list[tuple[Participant, int]]:
        """White, then Black, each with its side: 0 for the first participant, who has White in even games."""
        sides = [(self.first, 0), (self.second, 1)]
        return sides if number % 2 == 0 else sides[::-1]

    def _play_in_kernel(self, number: int) -> GameRecord:
        white, black = ((player.name, kernel_player(player.config, side, player.megabytes))
                        for player, side in self._sides(number) if player.config is not None)
        return play_kernel_game(number, self.opening, white, black, self.first.budget.amount, self.rules)

    def _play_by_move(self, number: int) -> GameRecord:
        seed = None if self.seed is None else f"{self.seed}/{number}"
        white, black = ((player.name, player.chooser(side, seed)) for player, side in self._sides(number))
        return play_game(number, self.opening, white, black, self.rules)
