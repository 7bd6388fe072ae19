"""A player of limited strength: which search it uses, what comes to its mind, and what it plays in the end."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.core.bits import PAWN
from engine.core.game import Game
from engine.core.moves import to_square
from engine.core.piece_values import PIECE_VALUES
from engine.player.options import Settings
from engine.player.skill import (
    SkillLevel,
    book_habits,
    choice_weights,
    pick_weakened_move,
    seen_loss,
    skill_level,
    skill_limits,
    strength_today,
)
from engine.search.interface import Search
from engine.search.scores import is_decisive
from engine.search.types import Info, Limits, Report, Result
from eval.evaluator import Evaluator

if TYPE_CHECKING:
    from engine.humanlike.intuition import Idea, Intuition
    from engine.humanlike.searcher import HumanlikeSearch

_FAMILIAR = 0.1  # a move that people play this often is never overlooked
# lines that are searched if there is a recapture, so that it is among them: usually, and if material has decided the
# game, when all moves look alike
_RECAPTURE_LINES, _LINES_IF_DECIDED, _DECISIVE_PAWNS = 4, 20, 4
_BEST_DAY = 2.0  # standard deviations of a level's form
_RECAPTURE_MARGIN = 0.12  # of expected score: by so much another move must seem better, or the level's limit


class LimitedStrength:
    """What a player needs besides its search to play at a level. The seed decides what it overlooks in a game."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.rng = random.Random()  # noqa: S311  mistakes need no secrecy
        self.begin_game()
        self._search: HumanlikeSearch | None = None  # until a level uses it
        self._intuition: Intuition | None = None  # likewise
        self._appeal: dict[int, float] = {}  # of the moves in the position of the last `prepare`
        self._recaptures: set[int] = set()  # likewise: the moves that take back
        self._naivety = 0.0  # of the next move, from 0 to 1
        self.difficulty = 0.0  # of the last choice, from 0 to 1

    def begin_game(self) -> None:
        """Overlook other moves than in the last game, on a better or worse day."""
        self._seed = self.rng.getrandbits(64)
        self._day = min(max(self.rng.gauss(), -_BEST_DAY), _BEST_DAY)

    def draw_level(self, game: Game) -> SkillLevel | None:
        """Draw the level that the next move is played at; None if strength is not limited."""
        self.difficulty = 0.0
        if not self._settings.uci_limit_strength:
            return None
        position = game.position
        is_against_bare_king = int(position.colors[1 - position.side]).bit_count() == 1
        elo = strength_today(self._settings.uci_elo, self._day)
        level = skill_level(elo, is_against_bare_king, self.rng.random())
        self._naivety = _naivety(game, elo)
        return replace(level, habit=level.habit + self._naivety * (1 - level.habit))

    def create(self, evaluation: Evaluator, load: Callable[[Intuition, HumanlikeSearch], None]) -> None:
        """Create the human-like search and the intuition, once, if strength is limited; `load` loads their kernels."""
        if not self._settings.uci_limit_strength or self._search is not None:
            return
        from engine.humanlike.intuition import Intuition
        from engine.humanlike.searcher import HumanlikeSearch

        self._search, self._intuition = HumanlikeSearch(evaluation), Intuition()
        load(self._intuition, self._search)

    def set_evaluation(self, evaluation: Evaluator) -> None:
        """Use this evaluator from now on."""
        if self._search is not None:
            self._search.set_evaluation(evaluation)

    def prepare(self, game: Game, limits: Limits, level: SkillLevel) -> tuple[Search | None, Limits]:
        """(the search to use, None for that of the player; its limits), for a move at a level. `create` came first."""
        assert self._search is not None and self._intuition is not None
        weighed = self._intuition.weigh(game.position, level.carelessness, self._seed)
        if self._naivety:
            from engine.humanlike.openings import beginners_ideas

            weighed = beginners_ideas(game, weighed, self._naivety)
        self._appeal = {idea.move: idea.prior * (1 + level.eagerness * idea.is_forcing) for idea in weighed}
        self._recaptures = _recaptures(game, weighed)
        if level.vision is None:
            lines = max(level.candidates, _recapture_lines(game) if self._recaptures else 0)
            return None, skill_limits(limits, replace(level, candidates=lines), self._settings.threads)
        from engine.humanlike.intuition import list_ideas

        allowed = [idea for idea in weighed if not limits.search_moves or idea.move in limits.search_moves]
        ideas = tuple(idea.move for idea in list_ideas(allowed))
        limits = replace(limits, search_moves=ideas or limits.search_moves)
        depth = self._search.set_vision(level.vision, self._seed, self.rng, _familiar(game, weighed))
        return self._search, skill_limits(limits, replace(level, depth=depth))

    def choose(self, result: Result, level: SkillLevel, report: Report) -> Result:
        """The answer that a weaker player would give after this search: its line is the first that is reported."""
        if not result.infos:
            return result
        last = max(index for index, info in enumerate(result.infos) if info.multipv == 1)
        seen = self._prefer_recaptures(result.infos[last:], level)
        chosen = pick_weakened_move(seen, level, self.rng, self._appeal)
        self.difficulty = self._difficulty_of(seen, level)
        others = [info for info in seen if info is not chosen]
        for number, info in enumerate([chosen, *others][: self._settings.multipv], start=1):
            report(replace(info, multipv=number))
        return replace(result, move=chosen.pv[0], score=chosen.score, pv=chosen.pv)

    def _prefer_recaptures(self, seen: Sequence[Info], level: SkillLevel) -> Sequence[Info]:
        """The lines that come into question: people take back, unless something else seems clearly better."""
        best = next((line.score for line in seen if line.pv[0] in self._recaptures), None)
        if best is None:
            return seen
        least = min(_RECAPTURE_MARGIN, level.largest_loss)
        return [line for line in seen if line.pv[0] in self._recaptures or seen_loss(line.score, best) >= least]

    def _difficulty_of(self, seen: Sequence[Info], level: SkillLevel) -> float:
        """How hard the choice between the lines is: 0 if only one comes into question."""
        weights = choice_weights(seen, level, self._appeal)
        return 0.0 if is_decisive(seen[0].score) else 1 - max(weights) / sum(weights)


def _naivety(game: Game, elo: int) -> float:
    """How much a level plays the next move as beginners open: not at all when the opening is over."""
    naivety = book_habits(elo).naivety
    if naivety:
        from engine.humanlike.openings import is_opening

        return naivety if is_opening(game) else 0.0
    return 0.0


def _familiar(game: Game, weighed: list[Idea]) -> set[int]:
    """The moves that are never overlooked: what people usually play, and taking what has just moved."""
    last_target = to_square(game.moves[-1]) if game.moves else None
    return {idea.move for idea in weighed
            if idea.prior >= _FAMILIAR or (idea.is_forcing and to_square(idea.move) == last_target)}


def _recaptures(game: Game, weighed: list[Idea]) -> set[int]:
    """The moves that take a piece which has just captured something; pawns are a matter of taste."""
    position = game.position
    if not game.moves or position.rule50:
        return set()
    target = to_square(game.moves[-1])
    if int(position.board[target]) & 7 == PAWN:
        return set()
    return {idea.move for idea in weighed if idea.is_forcing and to_square(idea.move) == target}


def _recapture_lines(game: Game) -> int:
    position = game.position
    white, black = (sum(pawns * int(position.types[piece_type] & position.colors[side]).bit_count()
                      for piece_type, pawns in enumerate(PIECE_VALUES)) for side in (0, 1))
    return _LINES_IF_DECIDED if abs(white - black) >= _DECISIVE_PAWNS else _RECAPTURE_LINES
