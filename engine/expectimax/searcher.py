"""Expectimax with iterative deepening, and the random mover.

The nodes are in chance.py, the model of the opponent is in opponent.py.
"""

from __future__ import annotations

import math
import random
import time
from typing import NamedTuple

from engine.alphabeta.iterations import MainThreadSearch, PvLine
from engine.alphabeta.params import ParamsRecord, default_params, set_param
from engine.alphabeta.root import search_from
from engine.alphabeta.searcher import IterativeSearch
from engine.alphabeta.state import StateRecord, root_pv
from engine.core.game import list_moves
from engine.core.movegen import empty_move_list
from engine.core.position import PositionRecord, empty_position
from engine.expectimax.chance import ExpectimaxRecord, value_of_move
from engine.expectimax.opponent import default_opponent_params, set_opponent_param
from engine.kernel.records import new_record
from engine.search.interface import Search, Seeded
from engine.search.scores import MAX_EVALUATION, clamp_evaluation
from engine.search.types import Bound, Info, Limits, Report, Result, no_report
from eval.evaluator import Evaluator

_SOFT_TIME_FACTOR = 0.2  # beyond this part of the soft time, another iteration would take too long


class RootMove(NamedTuple):
    """The result of an iteration for one root move."""

    mate: int  # the score of a certain mate, or 0
    utility: float
    line: tuple[int, ...]

    def rank(self) -> tuple[int, float]:
        """The sort key, higher is better: a certain mate first, then utility."""
        return self.mate, self.utility


def score_of(move: RootMove, scale: float) -> int:
    """The score of a certain mate, otherwise the utility in centipawns, within the range of evaluations."""
    if move.mate:
        return move.mate
    if abs(move.utility) >= 1:
        return int(math.copysign(MAX_EVALUATION, move.utility))
    return int(clamp_evaluation(round(scale * math.atanh(move.utility))))


class ExpectimaxIterations(MainThreadSearch):
    """Expectimax with iterative deepening. Every root move has its exact value after each iteration."""

    def __init__(self, pos: PositionRecord, state: StateRecord, limits: Limits, started: float, report: Report,
                 tree: ExpectimaxRecord) -> None:
        super().__init__(pos, state, limits, started, report)
        self._tree = tree
        self._moves: list[int] = state.root_moves[: state.root_count].tolist()  # the best so far first

    def _iterate(self) -> bool:
        depth = self.depth + 1
        self._state.seldepth = 0
        searched = self._root_moves(depth)
        if len(searched) < len(self._moves):
            # Stopped. The best move so far came first, so that only a move that is better at the new depth replaces it;
            # with MultiPV, the other lines would have another depth.
            if len(self.lines) == 1 and searched:
                self.lines = [self._line(searched[0])]
            return False
        self._moves = [move.line[0] for move in searched]
        self.lines = [self._line(move) for move in searched[: len(self.lines)]]
        self.depth = depth
        for number, line in enumerate(self.lines):
            self._report_line(depth, number, line, Bound.EXACT)
        return True

    def _root_moves(self, depth: int) -> list[RootMove]:
        """Search the root moves until stopped; return those searched, the best first."""
        state, searched = self._state, []
        for number, move in enumerate(self._moves, start=1):
            state.current_move, state.current_move_number = move, number
            utility, mate = value_of_move(self._pos, state, self._tree, move, depth)
            if state.stopped:
                break
            searched.append(RootMove(int(mate), float(utility), root_pv(state)))
        return sorted(searched, key=RootMove.rank, reverse=True)

    def _line(self, move: RootMove) -> PvLine:
        return PvLine(score_of(move, float(self._tree.opponent_model.scale)), move.line)

    def _time_factor(self) -> float:
        """A constant: nothing is pruned, so each iteration takes many times as long as all before it."""
        return _SOFT_TIME_FACTOR


class ExpectimaxSearch(IterativeSearch):
    """Expectimax in one thread, with a model of the opponent.

    It does not use the TT, so that values do not depend on earlier searches.
    """

    def __init__(self, params: ParamsRecord | None = None, evaluation: Evaluator | None = None) -> None:
        self._tree = new_record(ExpectimaxRecord)
        self._tree["opponent_model"] = default_opponent_params()
        super().__init__(params=_for_plain_quiescence(params), evaluation=evaluation)

    def set_opponent(self, temperature: float) -> None:
        """Assume an opponent of this temperature (see `temperature_of`); infinity is a random mover."""
        self.set_opponent_param("temperature", temperature)

    def set_opponent_param(self, name: str, value: float) -> None:
        """Set a row of OPPONENT_PARAMS for the next searches; InputError if it is unknown or out of range."""
        set_opponent_param(self._tree["opponent_model"], name, value)

    def set_params(self, params: ParamsRecord) -> None:
        """Use other search parameters from now on."""
        super().set_params(_for_plain_quiescence(params))

    def load(self) -> None:
        """Compile or load the kernels."""
        super().load()
        value_of_move.load()
        self._tree.search_address = search_from.address

    def _iterations(self, report: Report) -> ExpectimaxIterations:
        return ExpectimaxIterations(self._position, self._states[0], self._limits, self._started, report,
                                    self._tree)


def _for_plain_quiescence(params: ParamsRecord | None) -> ParamsRecord:
    """Return `params` without TT and quiescence checks; the temperatures are fitted to quiescence without checks."""
    changed = default_params() if params is None else params.copy()
    for name in ("use_tt", "use_quiescence_checks"):
        set_param(changed, name, 0)
    return changed


class RandomMover(Search, Seeded):
    """Plays random legal moves, without a search."""

    def __init__(self, seed: int | None = None) -> None:
        self._rng = random.Random(seed)  # noqa: S311  not for security
        self._moves = empty_move_list()
        self._position = empty_position()
        self._limits = Limits()

    def set_seed(self, seed: int) -> None:
        """Start the random numbers here."""
        self._rng = random.Random(seed)  # noqa: S311  not for security

    def load(self) -> None:
        """Compile or load the kernel that lists moves."""
        list_moves.load()

    def prepare(self, position: PositionRecord, limits: Limits) -> None:
        """Store the position and the limits."""
        self._position, self._limits = position, limits

    def search(self, report: Report = no_report) -> Result:
        """Return a random legal move, one of `search_moves` if there are any; 0 if there is none."""
        started = time.perf_counter()
        count, _ = list_moves(self._position, self._moves)
        allowed = self._limits.search_moves
        moves = [move for move in self._moves.moves[:count].tolist() if not allowed or move in allowed]
        chosen = self._rng.sample(moves, min(self._limits.multipv, len(moves)))
        seconds = time.perf_counter() - started
        infos = [Info(1, 1, number, 0, 1, seconds, 0, (move,)) for number, move in enumerate(chosen, start=1)]
        for info in infos:
            report(info)
        if not infos:
            return Result(0, 0, 0, 0, seconds)
        return Result(chosen[0], 0, 1, 1, seconds, (chosen[0],), infos)
