"""Find the puzzles of a game: positions after a mistake in which exactly one move wins, saves or mates.

The first round is a quick look at all positions, for mistakes only. The second searches the positions after them,
longer the more they look like puzzles, and follows the solution: the opponent answers with its best move, until the
mate is there, the gain is quiet, or more than one move is good. Tasks are pure functions, as those of a review are.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import chess

from engine.analysis.accuracy import phase_of
from engine.analysis.boards import recent_board
from engine.analysis.ledger import balance, is_settled
from engine.analysis.motifs import MATING, WINNING, find_motif, perpetual_check
from engine.analysis.results import Score
from engine.analysis.review import (
    Analyser,
    Line,
    PositionEval,
    SearchEffort,
    board_after,
    evaluate_unless_cancelled,
    never,
    slices_of,
)
from engine.analysis.review_driver import ReviewTask, Rounds
from engine.coach.puzzle import LONGEST_SOLUTION, Goal, Puzzle, RefutedTry
from engine.coach.puzzle_rating import estimated_rating, nodes_until_found
from engine.coach.refutation import refutation_reason, shown_refutation
from engine.search.scores import MAX_PLY

_SUSPECTED_MISTAKE = 0.10  # expected score that the move before must lose, by the first round
_LEAST_GAP = 0.25  # expected score by which the only move must be better than the second-best
_CLEAR_GAP = 0.30  # the same for the first move, by the longest search
_SHORT_MATE = 3  # moves
_WINNING, _NOT_WINNING, _NOT_LOST, _LOSING = 200, 150, -60, -200  # centipawns
_MOST_SOLVER_MOVES = 8
_SUSPECTED_GOAL = -150  # centipawns that the first round must see: less is lost
_SCREENING = 8  # the effort is so many times that of the first round
# Nodes in multiples of the effort, for each line: to reject, to accept, to go on, to confirm, and to answer.
_GLANCE, _PROOF, _STEP, _CONFIRMATION, _REPLY = 1, 5, 4, 10, 2
_SHOWN_REFUTATION = 6  # plies, unless it mates
_DETECTORS = {**MATING, **WINNING, "perpetual check": perpetual_check}


def goal_of(best: Score, second: Score | None, gap: float = _LEAST_GAP) -> Goal | None:
    """What only the best move does, by the scores of the two best; None if the second-best move does it too.

    None as well without a second move: who has no choice has nothing to find.
    """
    if second is None or second.is_winning_mate:
        return None
    if is_short_mate(best):
        return Goal.MATE  # the task says in how many moves, which a slow win does not do
    if best.human_expected - second.human_expected < gap:
        return None
    if second.value < _NOT_WINNING and (best.is_winning_mate or best.value >= _WINNING):
        return Goal.MATE if best.is_winning_mate else Goal.WIN
    return Goal.SAVE if best.value >= _NOT_LOST and second.value <= _LOSING else None


def is_short_mate(score: Score) -> bool:
    """Whether it is a mate in so few moves that people look for it."""
    return score.is_winning_mate and score.mate is not None and score.mate <= _SHORT_MATE


def is_as_good(best: Score, tried: Score) -> bool:
    """Whether a move does what the best one does: it wins as well, or loses little."""
    is_close = best.human_expected - tried.human_expected < _LEAST_GAP
    return tried.value >= _NOT_WINNING or (is_close and goal_of(best, tried) is None)


class PuzzleRounds(Rounds[list[Puzzle]]):
    """The search for the puzzles of a game that starts at `board`; `source` names the game."""

    def __init__(self, board: chess.Board, moves: Sequence[chess.Move], effort: SearchEffort, source: str) -> None:
        super().__init__(_rounds(board, moves, effort, source))


def _rounds(board: chess.Board, moves: Sequence[chess.Move], effort: SearchEffort,
            source: str) -> Generator[Sequence[ReviewTask], Sequence[Any], list[Puzzle]]:
    slices = slices_of(board, moves, divide_effort(effort, _SCREENING), has_glances=False)
    evals = [position_eval for part in (yield slices) for position_eval in part]
    tasks = mistakes_of(board, moves, evals, effort)
    verified = (yield tasks) if tasks else ()
    return [replace(puzzle, source=f"{source}, move {puzzle.board().fullmove_number}")
            for puzzle in verified if puzzle is not None]


def mistakes_of(board: chess.Board, moves: Sequence[chess.Move], evals: Sequence[PositionEval],
                effort: SearchEffort) -> list[PuzzleTask]:
    """The positions of a game after what the first round takes for a mistake."""
    tasks, cursor = list[PuzzleTask](), board.copy()
    for ply, (before, here) in enumerate(pairwise(evals)):
        cursor.push(moves[ply])
        gained = here.score.human_expected - (1 - before.score.human_expected)
        is_mistake = gained >= _SUSPECTED_MISTAKE and here.score.value >= _SUSPECTED_GOAL
        if is_mistake or (is_short_mate(here.score) and not before.score.is_losing_mate):
            start = recent_board(cursor)
            played = moves[ply + 1] if ply + 1 < len(moves) else None
            tasks.append(PuzzleTask(start.root().fen(shredder=board.chess960), board.chess960,
                                    tuple(start.move_stack), played, effort.for_positions()))
    return tasks


@dataclass(frozen=True)
class PuzzleTask:
    """A position that may be a puzzle: that after `moves`, the last of which is the mistake."""

    fen: str
    chess960: bool
    moves: Line
    played: chess.Move | None  # in the game
    effort: SearchEffort  # of the first round
    positions = 1  # for the progress

    def run(self, engine: Analyser, is_cancelled: Callable[[], bool] = never) -> Puzzle | None:
        """The puzzle, if it is one; ReviewCancelledError as soon as `is_cancelled` returns true."""
        engine.clear()
        board = board_after(self.fen, self.chess960, self.moves)
        return find_puzzle(_Searches(engine, self.effort, is_cancelled), board, self.played)


@dataclass
class _Searches:
    """Searches with multiples of the first round's effort, of positions alone, as the solver gets them.

    With the moves before them, a way back to an earlier position would count as a draw.
    """

    engine: Analyser
    effort: SearchEffort
    is_cancelled: Callable[[], bool]

    def two(self, board: chess.Board, times: int) -> PositionEval:
        """The two best lines."""
        return self._search(board, times, 2)

    def one(self, board: chess.Board, times: int, *moves: chess.Move) -> PositionEval:
        """The best line, or the best one of certain moves."""
        return self._search(board, times, 1, moves or None)

    def _search(self, board: chess.Board, times: int, lines: int,
                moves: Sequence[chess.Move] | None = None) -> PositionEval:
        effort = multiply_effort(self.effort, times, lines)
        alone = board.copy(stack=False)
        return evaluate_unless_cancelled(self.engine, alone, effort, self.is_cancelled, lines, moves)


def multiply_effort(effort: SearchEffort, times: int, lines: int = 1) -> SearchEffort:
    """An effort of so many times the nodes for each of some lines, or with a ply more for each doubling."""
    nodes = None if effort.nodes is None else times * lines * effort.nodes
    depth = None if effort.depth is None else min(effort.depth + times.bit_length() - 1, MAX_PLY - 1)
    return replace(effort, nodes=nodes, depth=depth)


def divide_effort(effort: SearchEffort, by: int) -> SearchEffort:
    """An effort of a fraction of the nodes, or with a ply less for each halving."""
    nodes = None if effort.nodes is None else max(effort.nodes // by, 1)
    depth = None if effort.depth is None else max(effort.depth - by.bit_length() + 1, 1)
    return replace(effort, nodes=nodes, depth=depth)


def find_puzzle(searches: _Searches, board: chess.Board, played: chess.Move | None) -> Puzzle | None:
    """The puzzle of a position; `played` is the game's move. None if it is not one."""
    if goal_of((glance := searches.two(board, _GLANCE)).score, glance.second) is None:
        return None
    first = searches.two(board, _PROOF)
    goal = goal_of(first.score, first.second, _CLEAR_GAP if not first.score.is_winning_mate else _LEAST_GAP)
    if goal is None or first.move != glance.move or not _is_confirmed(searches, board, first):
        return None
    steps = _solution(searches, board, first, goal)
    cursor = board.copy()
    for move in (solution := tuple(move for move, _ in steps)):
        cursor.push(move)
    if goal is Goal.MATE and not cursor.is_checkmate():  # more than one way to mate from here on
        if first.second is None or first.second.value >= _NOT_WINNING:
            return None
        goal = Goal.WIN
    if not cursor.is_checkmate() and goal is Goal.WIN and balance(cursor, board.turn) < balance(board, board.turn):
        return None  # the sacrifice pays only later, where more than one move is good
    tries = _refuted_tries(searches, board, steps, played)
    nodes = nodes_until_found(searches.engine, board, solution[0])
    return Puzzle(board.fen(shredder=board.chess960), solution, goal, themes_of(board, solution, goal),
                  estimated_rating(board, solution, nodes), tries, mistake=_last_san(board), chess960=board.chess960)


def _solution(searches: _Searches, board: chess.Board, first: PositionEval,
              goal: Goal) -> list[tuple[chess.Move, PositionEval | None]]:
    """The moves of the solution, the solver's each with its search."""
    cursor, evaluated, start = board.copy(), first, balance(board, board.turn)
    steps = list[tuple[chess.Move, PositionEval | None]]()
    while True:
        steps.append((evaluated.line[0], evaluated))
        cursor.push(evaluated.line[0])
        if cursor.is_game_over() or len(steps) >= 2 * _MOST_SOLVER_MOVES - 1:
            return steps
        is_calm = is_settled(cursor)
        reply = searches.one(cursor, _REPLY).line[0]
        cursor.push(reply)
        if is_calm and goal is not Goal.MATE and _is_quiet(cursor, start, goal):
            return steps
        evaluated = searches.two(cursor, _STEP)
        mates_at_once = evaluated.score.mate == 1 and evaluated.score.is_winning_mate
        if not evaluated.line or not (mates_at_once or (goal_of(evaluated.score, evaluated.second) is not None
                                                        and _is_confirmed(searches, cursor, evaluated))):
            return steps
        steps.append((reply, None))


def _is_confirmed(searches: _Searches, board: chess.Board, found: PositionEval) -> bool:
    """Whether what the two best lines say holds when the other moves, and then the move itself, are searched alone.

    The second of two lines is searched with what the first has put into the table, and misses what costs it longer to
    win; so the table is cleared. The best of the other moves is answered in a search of its own, to which a way back to
    this position, from which it wins after all, is no draw. A short mate needs no confirmation: it is there.
    """
    if is_short_mate(found.score):
        return True
    searches.engine.clear()
    others = searches.one(board, _CONFIRMATION, *(move for move in board.legal_moves if move != found.move))
    if goal_of(found.score, others.score) is None:
        return False
    after = board.copy(stack=False)
    after.push(others.line[0])
    answer = searches.one(after, _CONFIRMATION)
    if goal_of(found.score, -answer.score) is None:
        return False
    alone = searches.one(board, _CONFIRMATION, found.line[0])
    return goal_of(alone.score, max(others.score, -answer.score)) is not None


def _is_quiet(board: chess.Board, start: int, goal: Goal) -> bool:
    """Whether nothing is under way before the solver's next move, and what was to be won is won."""
    return is_settled(board) and (goal is Goal.SAVE or balance(board, board.turn) > start)


def _refuted_tries(searches: _Searches, board: chess.Board, steps: Sequence[tuple[chess.Move, PositionEval | None]],
                   played: chess.Move | None) -> tuple[RefutedTry, ...]:
    """What is wrong with the second-best move at each of the solver's moves, and with the move of the game."""
    tries, cursor = list[RefutedTry](), board.copy()
    for ply, (move, best) in enumerate(steps):
        wrong = [] if best is None else [best.second_move, played if ply == 0 else None]
        for tried in dict.fromkeys(wrong):
            if best is not None and tried is not None and tried != move:
                answer = searches.one(cursor, _REPLY, tried)
                if not is_as_good(best.score, answer.score):
                    tries.append(refuted_try(ply, cursor, move, answer))
        cursor.push(move)
    return tuple(tries)


def refuted_try(ply: int, board: chess.Board, right: chess.Move, tried: PositionEval) -> RefutedTry:
    """The refutation of a wrong move at a ply of a solution, from its search; it does not tell `right`."""
    line = tried.line if tried.score.is_losing_mate else tried.line[: _SHOWN_REFUTATION + 1]
    return RefutedTry(ply, line[0], shown_refutation(line[1 : LONGEST_SOLUTION + 1], right),
                      refutation_reason(board, tried.line, tried.score))


def themes_of(board: chess.Board, solution: Line, goal: Goal) -> tuple[str, ...]:
    """The themes of a puzzle: its goal, the phase of the game, and the motifs that its solution proves."""
    end = board.copy()
    for move in solution:
        end.push(move)
    mate = f"mate in {(len(solution) + 1) // 2}" if end.is_checkmate() else ""
    motifs = [name for name, detector in _DETECTORS.items()
              if find_motif(board, solution, {name: detector}) is not None]
    return tuple(filter(None, (mate or goal.value, phase_of(board).value, *motifs)))


def _last_san(board: chess.Board) -> str:
    """The last move of a board in SAN."""
    before = board.copy()
    return before.san(before.pop()) if before.move_stack and before.peek() else ""
