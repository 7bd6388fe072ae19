"""Grades: which properties a file's functions have, the smallest tree on which one fails, and the mistake behind."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.course.homework import cases
from engine.course.homework.cases import Case
from engine.course.homework.mistakes import MISTAKES, RIGHT, Result
from engine.course.homework.process import CallOutcome, StudentProcess
from engine.course.reference.game import MAX
from engine.course.reference.games.board import TicTacToe
from engine.course.reference.solved import SolvedState, solve

_SAME = 1e-6  # values that differ by less are equal
_MOST_TRIES = 250  # calls to find the smallest tree
_NEAR = 0.12  # of visits and averages: how close two trees of UCT have to be on average to count as the same
_NEAR_EVERYWHERE = 0.25  # and on each of them
_DECIDED, _ANY = 30, 40  # boards for an evaluation: won or lost ones of each kind, and any
_GOOD, _BAD = 0.75, 0.3  # how often an evaluation puts a won board above a lost one


@dataclass(frozen=True)
class Property:
    """What a function should have: a name, its points, the cases, and whether an answer is right."""

    name: str
    points: int
    cases: Sequence[Case]
    holds: Callable[[Case, CallOutcome, Result], bool]


@dataclass
class FunctionGrade:
    """The points of a function; if some are missing, why."""

    name: str
    of: int
    points: int = 0
    failed: str | None = None  # the first property that it lacks
    reason: str | None = None  # what it did there, or why it could not be graded
    case: Case | None = None  # the smallest on which it fails
    mistake: str | None = None


@dataclass
class FileGrade:
    """The grades of a file; `error` if it cannot be run at all."""

    file: str
    functions: list[FunctionGrade] = field(default_factory=list)
    error: str | None = None

    @property
    def points(self) -> int:
        return sum(grade.points for grade in self.functions)

    @property
    def of(self) -> int:
        return sum(grade.of for grade in self.functions)


def same_value(case: Case, answer: CallOutcome, right: Result) -> bool:
    return bool(abs(answer.value - right[0]) < _SAME)


def same_leaves(case: Case, answer: CallOutcome, right: Result) -> bool:
    return same_value(case, answer, right) and answer.leaves == right[1]


def no_leaf_too_many(case: Case, answer: CallOutcome, right: Result) -> bool:
    return same_value(case, answer, right) and answer.leaves <= right[1]


def _visits_add_up(case: Case, answer: CallOutcome, right: Result) -> bool:
    return bool(abs(sum(visits for visits, _ in answer.value.values()) - case["iterations"]) <= 1)


def _sums_of_utilities(case: Case, answer: CallOutcome, right: Result) -> bool:
    """Where each move ends the game, each visit brings its utility."""
    return all(abs(total - visits * case["tree"][int(action)]) < _SAME
               for action, (visits, total) in answer.value.items())


def _best_is_most_visited(case: Case, answer: CallOutcome, right: Result) -> bool:
    def best(found: Mapping[str, Sequence[float]]) -> str:
        return max(found, key=lambda action: found[action][0])

    return bool(answer.value) and best(answer.value) == best(right[0])


def properties(function: str, seed: int) -> list[Property]:
    """What is asked of a function, in the order in which it is checked."""
    trees, cut, boards = cases.trees(seed), cases.cut_trees(seed), cases.board_cases(seed)
    return {
        "minimax": [Property("the value of a tree", 8, trees, same_value),
                    Property("it stops at the depth and evaluates there", 6, cut, same_value),
                    Property("the value of a board of tic-tac-toe", 3, boards, same_value),
                    Property("it looks at every leaf", 3, trees, same_leaves)],
        "alphabeta": [Property("the value of minimax", 8, trees, same_value),
                      Property("it stops at the depth and evaluates there", 6, cut, same_value),
                      Property("the value of a board of tic-tac-toe", 4, boards, same_value),
                      Property("it looks at no leaf that cannot matter", 12, [*trees, *cut], no_leaf_too_many)],
        "expectimax": [Property("the average of even odds", 6, cases.dice_trees(seed, is_even=True), same_value),
                       Property("the average of other odds", 9, cases.dice_trees(seed, is_even=False), same_value)],
        "ucb1": [Property("the formula", 10, cases.bounds(seed), same_value)],
        "uct": [Property("as many visits as iterations", 3, cases.SHALLOW, _visits_add_up),
                Property("totals are sums of utilities", 2, cases.SHALLOW, _sums_of_utilities),
                Property("the best of MAX's moves is visited most", 3, cases.SHALLOW, _best_is_most_visited),
                Property("MIN's replies are counted", 7, cases.DEEPER, _best_is_most_visited)],
    }[function]


POINTS: Mapping[str, int] = {"minimax": 20, "alphabeta": 30, "expectimax": 15, "ucb1": 10, "uct": 15, "evaluation": 10}


def grade_file(path: Path, seed: int = 1, patience: float | None = None) -> FileGrade:
    """Grade a file; whatever is wrong with it is in the grade, so that the other files of a class are graded, too."""
    try:
        return _grade_file(path, seed, patience)
    except Exception as error:  # noqa: BLE001
        return FileGrade(str(path), [FunctionGrade(name, points) for name, points in POINTS.items()],
                         f"could not be graded: {type(error).__name__}: {' '.join(str(error).split())}")


def _grade_file(path: Path, seed: int, patience: float | None) -> FileGrade:
    grade = FileGrade(str(path), [FunctionGrade(name, points) for name, points in POINTS.items()])
    if not path.is_file():
        grade.error = "a folder: name the files in it" if path.is_dir() else "no such file"
        return grade
    with StudentProcess(path) if patience is None else StudentProcess(path, patience) as student:
        functions, grade.error = student.load()
        if grade.error is None:
            for one in grade.functions:
                if one.name in functions:
                    student.restart_clock()
                    _grade(one, student, seed)
                else:
                    one.reason = "not in the file"
    return grade


def _grade(grade: FunctionGrade, student: StudentProcess, seed: int) -> None:
    if grade.name == "evaluation":
        _grade_evaluation(grade, student, seed)
        return
    answers: list[tuple[Case, CallOutcome]] = []
    known: dict[int, CallOutcome] = {}
    for asked in properties(grade.name, seed):
        wrong = None
        for case in asked.cases:
            answer = known.get(id(case)) or student.call(grade.name, case)
            known[id(case)] = answer
            if answer.error is not None:
                grade.points, grade.failed, grade.reason, grade.case = 0, asked.name, answer.error, case
                return
            answers.append((case, answer))
            if wrong is None and not asked.holds(case, answer, RIGHT[grade.name](case)):
                wrong = case
        if wrong is None:
            grade.points += asked.points
        elif grade.failed is None:
            grade.failed = asked.name
            grade.case, answer = _shrunk(wrong, known[id(wrong)], asked, grade.name, student)
            grade.reason = _reason(grade.name, grade.case, answer)
    if grade.failed is not None:
        grade.mistake = _mistake(grade.name, answers)


def _shrunk(case: Case, known: CallOutcome, asked: Property, name: str,
            student: StudentProcess) -> tuple[Case, CallOutcome]:
    """The smallest case that still fails, with its answer: while one that is a little smaller does, go on with that."""
    if "tree" not in case or name == "uct":
        return case, known
    tries, is_smaller = 0, True
    while is_smaller and tries < _MOST_TRIES and not student.is_out_of_time():
        is_smaller = False
        for less in cases.smaller(case):
            tries += 1
            answer = student.call(name, less)
            if answer.error is None and not asked.holds(less, answer, RIGHT[name](less)):
                case, known, is_smaller = less, answer, True
                break
            if tries >= _MOST_TRIES or student.is_out_of_time():
                break
    return case, known


def _number(value: float) -> str:
    return f"{round(value, 4):g}"


def _reason(name: str, case: Case, answer: CallOutcome) -> str:
    """What the function did, against what is right."""
    value, leaves = RIGHT[name](case)
    if name == "uct":
        pairs = [{action: (int(visits), round(total, 2)) for action, (visits, total) in found.items()}
                 for found in (value, answer.value)]
        return f"expected visits and totals such as {pairs[0]}, got {pairs[1]}"
    if name in {"expectimax", "ucb1"}:
        return f"expected {_number(value)}, got {_number(answer.value)}"
    return (f"expected {_number(value)} after {_leaves(leaves)}, "
            f"got {_number(answer.value)} after {_leaves(answer.leaves)}")


def _leaves(count: int) -> str:
    return f"{count} {'leaf' if count == 1 else 'leaves'}"


def _mistake(name: str, answers: Sequence[tuple[Case, CallOutcome]]) -> str | None:
    """The classic mistake that explains every answer; None if none does."""
    if name == "uct":
        return _mistake_in_tree(answers)
    counts = name in {"minimax", "alphabeta"}
    has_wrong_value = not all(same_value(case, answer, RIGHT[name](case)) for case, answer in answers)
    for with_leaves in [True] * counts + [False] * has_wrong_value:  # right values say nothing about the mistake
        for words, wrong in MISTAKES[name].items():
            agrees = same_leaves if with_leaves else same_value
            if all(agrees(case, answer, wrong(case)) for case, answer in answers):
                return words
    return None


def _mistake_in_tree(answers: Sequence[tuple[Case, CallOutcome]]) -> str | None:
    """UCT is random: the mistake whose visits and averages are nearest, if they are near and nearer than right ones."""
    def distances(implementation: Callable[[Case], Result]) -> list[float]:
        return [_distance(case, answer.value, implementation(case)[0]) for case, answer in answers]

    far = {words: distances(wrong) for words, wrong in MISTAKES["uct"].items()}
    best = min(far, key=lambda words: sum(far[words]))
    limit = min(_NEAR * len(answers), sum(distances(RIGHT["uct"])))
    return best if sum(far[best]) < limit and max(far[best]) < _NEAR_EVERYWHERE else None


def _distance(case: Case, mine: Mapping[str, Sequence[float]], theirs: Mapping[str, Sequence[float]]) -> float:
    actions = theirs.keys() | mine.keys()
    apart = []
    for action in actions:
        (visits, total), (others, sum_of_others) = mine.get(action, (0, 0.0)), theirs.get(action, (0, 0.0))
        apart.append(abs(visits - others) / case["iterations"])
        apart.append(abs(total / max(visits, 1) - sum_of_others / max(others, 1)) / 2)
    return float(sum(apart) / len(apart))


@functools.cache
def _solution() -> dict[tuple[int | None, ...], SolvedState]:
    game = TicTacToe()
    return solve(game, game.initial())


def _decided_boards(seed: int) -> list[tuple[int | None, ...]]:
    """As many boards that MAX wins as MIN wins, with MAX to move and with MIN: early ones, where lines count."""
    chance, found = random.Random(seed), []
    for stones in (3, 4):
        for truth in (1, -1):
            boards = [board for board, solved in _solution().items()
                      if len(board) - board.count(None) == stones and solved.value == truth]
            found += chance.sample(boards, _DECIDED)
    return found


def _grade_evaluation(grade: FunctionGrade, student: StudentProcess, seed: int) -> None:
    """An evaluation has no right value: it should lie between loss and win, and be high where MAX wins.

    Boards with the same player to move are compared, so that to know who moves is not enough.
    """
    values: list[tuple[Case, float, float]] = []  # each with its truth
    decided = _decided_boards(seed)
    for board in [*decided, *cases.boards(seed, _ANY, (2, 3, 4, 5, 6))]:
        case: Case = {"board": list(board)}
        answer = student.call("evaluation", case)
        if answer.error is not None:
            grade.failed, grade.reason, grade.case = "a value for every board", answer.error, case
            return
        values.append((case, answer.value, _solution()[board].value))
    outside = next(((case, value) for case, value, _ in values if not -1 <= value <= 1), (None, 0.0))
    again = student.call("evaluation", values[0][0])
    by_mover = [_share_in_order([row for row in values[: len(decided)]
                                 if (cases.player_of(row[0]["board"]) == MAX) == is_max]) for is_max in (True, False)]
    share = sum(by_mover) / len(by_mover)
    in_order = (f"of pairs of a won and a lost board with the same player to move, {100 * share:.0f} % are in the "
                f"right order, expected {100 * _GOOD:.0f} %")
    checks = (("it lies between -1 and 1", 2, outside[0] is None, outside[0],
               f"expected a number between -1 and 1, got {_number(outside[1])}"),
              ("it is the same when asked again", 2, again.error is None and again.value == values[0][1], values[0][0],
               f"expected {_number(values[0][1])} again, got {again.error or _number(again.value)}"),
              ("a board that MAX wins is higher than one that MIN wins", 6, share >= _GOOD, None, in_order))
    for name, points, holds, example, reason in checks:
        if holds:
            grade.points += points
        elif grade.failed is None:
            grade.failed, grade.case, grade.reason = name, example, reason
    if share < _GOOD:
        grade.mistake = _mistake_in_evaluation([value for _, value, _ in values], share, by_mover)


def _mistake_in_evaluation(values: Sequence[float], share: float, by_mover: Sequence[float]) -> str | None:
    if len(set(values)) == 1:
        return "every board has the same value"
    if share <= _BAD:
        return "evaluation from the wrong side: it is high where MIN wins"
    if by_mover[0] >= 1 - _BAD and by_mover[1] <= _BAD:
        return "evaluation from the wrong side: it is that of the player to move, not MAX's"
    return None


def _share_in_order(values: Sequence[tuple[Case, float, float]]) -> float:
    """How often a board that MAX wins has a higher value than one that MIN wins; equal ones count half."""
    won, lost = ([value for _, value, truth in values if truth == wanted] for wanted in (1, -1))
    pairs = [(high > low) + 0.5 * (high == low) for high in won for low in lost]
    return sum(pairs) / len(pairs)
