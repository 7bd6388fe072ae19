"""Kuhn poker: three cards, two players, one bet. The smallest poker in which bluffing pays."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from engine.course.reference.game import CHANCE, MAX, MIN, HiddenGame, Player

JACK, QUEEN, KING = range(3)
CARDS = "JQK"
PASS, BET = "p", "b"  # pass: check, or fold if there is a bet; bet: bet, or call if there is one

Deal = tuple[int, int]
_DEALS = tuple(itertools.permutations((JACK, QUEEN, KING), 2))
_ENDINGS = ("pp", "pbp", "pbb", "bp", "bb")


class Table(NamedTuple):
    """The two cards, once they are dealt, and what has been done since."""

    cards: Deal | None = None
    history: str = ""


class Kuhn(HiddenGame[Table, str | Deal]):
    """Both put 1 into the pot; a bet is 1 more. A player who folds loses that 1; otherwise the higher card wins."""

    def initial(self) -> Table:
        return Table()

    def to_move(self, state: Table) -> Player:
        if state.cards is None:
            return CHANCE
        return (MAX, MIN)[len(state.history) % 2]

    def actions(self, state: Table) -> Sequence[str | Deal]:
        return _DEALS if state.cards is None else (PASS, BET)

    def result(self, state: Table, action: str | Deal) -> Table:
        if isinstance(action, str):
            return Table(state.cards, state.history + action)
        return Table(action)

    def is_terminal(self, state: Table) -> bool:
        return state.history in _ENDINGS

    def utility(self, state: Table, player: Player) -> float:
        assert state.cards is not None
        if state.history.endswith("bp"):  # a fold: the one who bet wins the other's 1
            winner = (MAX, MIN)[len(state.history) % 2]
            stake = 1
        else:
            winner = MAX if state.cards[0] > state.cards[1] else MIN
            stake = 2 if BET in state.history else 1
        return stake if player == winner else -stake

    def view(self, state: Table) -> str:
        """My own card and what has been done: "Kpb" holds a king, passed, and faces a bet."""
        assert state.cards is not None
        return CARDS[state.cards[self.to_move(state)]] + state.history
