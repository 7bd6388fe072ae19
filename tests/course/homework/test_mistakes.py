"""Classic mistakes, a student's file for each: all are found, and named; so are those that are no answer at all."""

from __future__ import annotations

import ast
import json
import re
import runpy
from pathlib import Path

import pytest

from engine.course.homework import grading
from engine.course.homework.cases import boards
from engine.course.homework.grading import POINTS, FunctionGrade, grade_file
from engine.course.homework.process import StudentProcess
from engine.course.homework.stubs import STUBS
from engine.course.reference.games.board import TicTacToe
from engine.system.packages import SOURCE_ROOT
from tests.commands.running import run

RIGHT = Path(__file__).parent / "students" / "right.py"
SOURCE = RIGHT.read_text(encoding="utf-8")
ANY_FUNCTION = "def {}(*arguments, **named):\n    {}\n"


def student(tmp_path: Path, function: str, *changes: tuple[str, str], inside: str | None = None) -> Path:
    """A file that is right but for some words of one function, and of those that it calls."""
    node = next(node for node in ast.parse(SOURCE).body
                if isinstance(node, ast.FunctionDef) and node.name == (inside or function))
    body = ast.get_source_segment(SOURCE, node)
    assert body is not None
    changed = body
    for old, new in changes:
        assert old in changed, old
        changed = changed.replace(old, new)
    file = tmp_path / f"{function}.py"
    file.write_text(SOURCE.replace(body, changed), encoding="utf-8")
    return file


def graded(file: Path, function: str, **options) -> FunctionGrade:
    """The grade of one function, where all others are right."""
    grade = grade_file(file, **options)
    assert grade.error is None
    (found,) = [one for one in grade.functions if one.name == function]
    for one in grade.functions:
        assert one is found or one.points == one.of or (function, one.name) == ("ucb1", "uct"), one
    return found


MOVES = "(len(state) if len(state) < 9 else 9 - state.count(None))"  # made, on a path or on a board
MISTAKES = [
    ("minimax", [("game.utility(state, MAX)", "game.utility(state, MIN)")], "sign at the leaf: the utility is MIN's"),
    ("minimax", [("depth == 0", "depth == 1")], "depth off by one: it stops a ply too early"),
    ("minimax", [("depth == 0", "depth == -1")], "depth off by one: it looks a ply too far"),
    ("minimax", [("max(values) if game.to_move(state) == MAX else min(values)", "max(values)")], "it never alternates"),
    ("minimax", [("max(values) if", "min(values) if"), ("else min(values)", "else max(values)")],
     "MAX and MIN are swapped"),
    ("minimax", [("left = None if depth is None else depth - 1", "left = None"), ("depth == 0", "False")],
     "the depth is ignored"),
    ("alphabeta", [("evaluate, alpha, beta)", "evaluate, beta, alpha)")], "bounds swapped: beta is passed down"),
    ("alphabeta", [("alpha >= beta", "alpha > beta")], "it cuts only where alpha > beta, not where they are equal"),
    ("alphabeta", [("left, evaluate, alpha, beta)", "left, evaluate)")], "window not passed down"),
    ("alphabeta", [("if alpha >= beta:", "if False:")], "no cutoff: it looks at as many leaves as minimax"),
    ("alphabeta", [("game.utility(state, MAX)", "game.utility(state, MIN)")], "sign at the leaf"),
    ("alphabeta", [("depth == 0", "depth == 1")], "depth off by one: it stops a ply too early"),
    ("alphabeta", [("best = -math.inf", "best = 0"), ("best = math.inf", "best = 0")], "begins at 0, not at infinity"),
    ("expectimax", [("sum(game.probability(state, action) * expectimax(game, game.result(state, action))",
                     "sum(expectimax(game, game.result(state, action)) / len(game.actions(state))")],
     "expectimax without weights"),
    ("expectimax", [("sum(game.probability(state, action) * ", "min(")], "the chance node is treated as MIN"),
    ("expectimax", [("    return max(", "    return __import__('statistics').mean(")], "MAX's moves are averaged, too"),
    ("minimax", [("game.utility(state, MAX)", f"game.utility(state, {MOVES} % 2 ^ 1)")], "the player who moved last"),
    ("minimax", [("evaluate):", "evaluate, own=True):"), ("left, evaluate)", "left, evaluate, not own)"),
                 ("game.to_move(state) == MAX", "own")], "to_move is not asked"),
    ("alphabeta", [("beta = min(beta, best)\n        if alpha >= beta:", "beta = min(beta, best)\n        if False:")],
     "it cuts off at MAX's nodes only"),
    ("alphabeta", [("alpha = max(alpha, best)\n            if alpha >= beta:", "if best >= beta:")],
     "alpha is never raised"),
    ("ucb1", [("math.sqrt(math.log(", "math.sqrt(2 * math.log(")], "a factor of 2 under the root"),
    ("ucb1", [("+ c *", "+ math.sqrt(2) *")], "sqrt(2) stands where c belongs"),
    ("ucb1", [("total / visits", "total // visits")], "the average is rounded down"),
    ("uct", [("math.sqrt(2)", "0")], "no exploration: C is 0"),
    ("uct", [("key=lambda child: ucb1(child.total, child.visits, parent.visits, math.sqrt(2))",
              "key=lambda child: chance.random()")], "selection at random"),
    ("uct", [("            node = node.parent\n", "            node = None\n        root.visits += 1\n")],
     "no back-propagation"),
    ("ucb1", [("math.log(parent_visits)", "math.log(visits)")], "the logarithm of the wrong count"),
    ("ucb1", [("math.log(", "math.log10(")], "a logarithm to base 10"),
    ("ucb1", [("math.sqrt(math.log(parent_visits) / visits)", "math.log(parent_visits) / visits")], "no root"),
    ("uct", [("utility if node.mover == MAX else -utility", "utility")], "UCT without negation"),
    ("evaluation", [("math.tanh(", "-math.tanh(")], "evaluation from the wrong side: it is high where MIN wins"),
    ("evaluation", [("math.tanh(", "(1 if state.count(None) % 2 else -1) * math.tanh(")],
     "evaluation from the wrong side: it is that of the player to move"),
    ("evaluation", [("math.tanh(total / 100 + (0.5 if state.count(None) % 2 else -0.5))", "0.25")],
     "every board has the same value"),
]


@pytest.mark.parametrize(("function", "changes", "words"), MISTAKES, ids=[words[:40] for *_, words in MISTAKES])
def test_a_classic_mistake_is_named(tmp_path, function, changes, words):
    grade = graded(student(tmp_path, function, *changes), function)
    assert grade.points < grade.of
    assert grade.failed is not None
    assert grade.mistake is not None and words in grade.mistake, grade


@pytest.mark.parametrize(("changes", "failed"), [
    ([("beta = min(beta, best)\n        if alpha >= beta:", "beta = min(beta, best)\n        if alpha > beta:")],
     "it looks at no leaf that cannot matter"),
    ([("in game.actions(state):\n            best", "in game.actions(state)[::-1]:\n            best")],
     "it looks at no leaf that cannot matter"),
])
def test_a_mistake_that_is_not_known_has_no_name(tmp_path, changes, failed):
    """Right values do not say which mistake it is: the leaves have to agree with the mistake's, too."""
    grade = graded(student(tmp_path, "alphabeta", *changes), "alphabeta")
    assert (grade.points, grade.failed, grade.mistake) == (18, failed, None)


def test_totals_are_sums_and_not_averages(tmp_path):
    grade = graded(student(tmp_path, "uct", ("child.total) for", "child.total / child.visits) for")), "uct")
    assert (grade.points, grade.failed) == (13, "totals are sums of utilities")


@pytest.mark.parametrize(("changed", "words"), [
    ("game.utility(state, MIN)", "rollout from the wrong side: the utility is MIN's"),
    ("(1 if turn == MAX else -1) * game.utility(state, MAX)", "rollout from the wrong side: the utility is the leaf's"),
])
def test_rollouts_from_the_wrong_side(tmp_path, changed, words):
    file = student(tmp_path, "uct", ("    while not game", "    turn = len(state) % 2\n    while not game"),
                   ("game.utility(state, MAX)", changed), inside="rollout")
    grade = graded(file, "uct")
    assert grade.mistake is not None and words in grade.mistake, grade


def test_the_grader_takes_another_way_to_write_it_as_right(tmp_path):
    """Negamax."""
    begins = "    values = ["
    first = "    if depth is None and game.to_move(state) == MIN:\n        return -negamax(game, state, evaluate)\n"
    file = student(tmp_path, "minimax", (begins, first + begins))
    file.write_text(file.read_text() + """

def negamax(game, state, evaluate):
    if game.is_terminal(state):
        return game.utility(state, MAX)
    sign = 1 if game.to_move(state) == MAX else -1
    return max(sign * minimax(game, game.result(state, action), None, evaluate) for action in game.actions(state))
""")
    assert graded(file, "minimax").points == 20
    assert sum(POINTS.values()) == 100


def test_the_smallest_tree_and_what_was_done_there(tmp_path):
    """An equality cut needs two MIN nodes with an equal value, the second of which has a leaf to spare."""
    grade = graded(student(tmp_path, "alphabeta", ("alpha >= beta", "alpha > beta")), "alphabeta")
    assert grade.failed == "it looks at no leaf that cannot matter"
    assert grade.case == {"tree": [1, [1, 0]]}
    assert grade.reason == "expected 1 after 2 leaves, got 1 after 3 leaves"
    grade = graded(student(tmp_path, "minimax", ("max(values) if game.to_move(state) == MAX else min(values)",
                                                 "max(values)")), "minimax")
    assert grade.case == {"tree": [[0, 1]]} and grade.reason == "expected 0 after 2 leaves, got 1 after 2 leaves"


@pytest.mark.parametrize(("body", "reason"), [
    ("raise NotImplementedError", "not written yet"),
    ("while True: pass", "ran for more than 2 seconds of CPU time"),
    ("import sys; sys.exit(3)", "calls sys.exit"),
    ("import os; os._exit(0)", "exited without an answer"),
    ("return 'three'", "returns 'three', not a number"),
    ("return None", "returns None, not a number"),
    ("return [0] * 10**10", "needs too much memory"),
    ("return ucb1(*arguments)", "infinite recursion"),
    ("return 1 / 0", "raises ZeroDivisionError: division by zero (line"),
    ("from engine.course.reference.uct import ucb1 as found; return found(*arguments)",
     "the course cannot be imported in homework"),
    ("import os; os.kill(os.getpid(), 11)", "crashes its process"),
    ("raise type('Silent', (Exception,), {'__str__': lambda self: 1 / 0})()", "raises Silent (line"),
])
def test_no_answer_is_a_zero_with_its_reason(tmp_path, body, reason):
    file = tmp_path / "student.py"
    file.write_text(SOURCE + "\n\n" + ANY_FUNCTION.format("ucb1", body))
    grade = grade_file(file)
    points = {one.name: one.points for one in grade.functions}
    (found,) = [one for one in grade.functions if one.name == "ucb1"]
    assert found.points == 0 and found.reason is not None and reason in found.reason, found
    assert "\n" not in found.reason
    assert points["minimax"] == 20 and points["evaluation"] == 10


def test_a_constant_has_no_points_for_leaves(tmp_path):
    file = tmp_path / "constant.py"
    file.write_text(SOURCE + "\n\n" + ANY_FUNCTION.format("alphabeta", "return 0"))
    assert graded(file, "alphabeta").points == 0


@pytest.mark.parametrize("cheat", [
    "game.looked = {}",
    "getattr(game, 'looked', {}).clear()",
    "getattr(getattr(game.utility, '__self__', None), 'looked', {}).clear()",
    "getattr(getattr(evaluate, '__self__', None), 'looked', {}).clear()",
    "[part.clear() for part in vars(game).values() if isinstance(part, dict)]",
])
def test_the_count_of_leaves_cannot_be_set(tmp_path, cheat):
    """Minimax that empties what it takes for the count: it is told apart from alpha-beta all the same."""
    begins = "    if game.is_terminal(state):"
    file = student(tmp_path, "alphabeta", ("if alpha >= beta:", "if False:"), (begins, f"    {cheat}\n{begins}"))
    grade = graded(file, "alphabeta")
    assert grade.points == 18 and grade.mistake is not None and "as many leaves as minimax" in grade.mistake, grade


def test_a_game_shows_its_rules_and_no_more(tmp_path):
    names = {"initial", "to_move", "actions", "result", "is_terminal", "utility", "probability"}
    file = tmp_path / "curious.py"
    file.write_text(SOURCE + "\n\n" + ANY_FUNCTION.format(
        "expectimax", "raise ValueError(sorted(name for name in dir(arguments[0]) if not name.startswith('__')))"))
    reason = next(one.reason for one in grade_file(file).functions if one.name == "expectimax")
    assert reason is not None and str(sorted(names)) in reason, reason


@pytest.mark.parametrize("value", ["math.inf", "math.nan", "-math.inf"])
def test_visits_are_finite(tmp_path, value):
    file = tmp_path / "endless.py"
    file.write_text(SOURCE + "\n\n" + ANY_FUNCTION.format("uct", f"return {{0: ({value}, 0)}}"))
    found = graded(file, "uct")
    assert found.points == 0 and "not a pair of finite numbers" in (found.reason or "")


def test_a_function_is_not_called_again_for_its_reason(tmp_path):
    """Wrong on each of its 13 cases, and raises after them."""
    file = tmp_path / "once.py"
    file.write_text(SOURCE + "\ncalls = []\n\n\n" + ANY_FUNCTION.format(
        "ucb1", "calls.append(1); assert len(calls) < 14; return 100.0"))
    found = next(one for one in grade_file(file).functions if one.name == "ucb1")
    assert found.reason is not None and found.reason.endswith("got 100")


def test_what_goes_wrong_in_grading_is_that_files_error(monkeypatch):
    def breaks(*_):
        raise TypeError("a\nb")

    monkeypatch.setattr(grading, "_grade", breaks)
    grade = grade_file(RIGHT)
    assert (grade.points, grade.of, grade.error) == (0, 100, "could not be graded: TypeError: a b")


def test_a_file_may_have_any_name(tmp_path):
    file = tmp_path / "homework.txt"
    file.write_text(SOURCE)
    assert grade_file(file).points == 100


OPEN_LINES = """
    lines = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]
    owners = [{state[square] for square in line} for line in lines]
    return sum((MIN not in held) - (MAX not in held) for held in owners) / 9
"""


@pytest.mark.parametrize(("body", "points"), [
    (OPEN_LINES, 10), ("return 1 if state.count(None) % 2 else -1", 4), ("return 2", 2),
    ("return random.random()", 2),
])
def test_an_evaluation_tells_boards_apart_and_not_only_movers(tmp_path, body, points):
    file = tmp_path / "judge.py"
    file.write_text(f"import random\nMAX, MIN = 0, 1\n\n\ndef evaluation(game, state):\n    {body.strip()}\n")
    for seed in (1, 2):
        grade = grade_file(file, seed).functions[-1]
        assert grade.points == points, grade
    if points == 2:
        assert grade.reason is not None
        assert re.fullmatch(r"expected (a number between -1 and 1, got 2|0\S* again, got 0\S*)", grade.reason)


def test_the_evaluation_of_the_course_is_the_one_above(tmp_path):
    file, game = tmp_path / "judge.py", TicTacToe()
    file.write_text(f"MAX, MIN = 0, 1\n\n\ndef judge(state):\n    {OPEN_LINES.strip()}\n")
    judge = runpy.run_path(str(file))["judge"]
    assert all(judge(board) == game.open_lines(board) for board in boards(1, 40, (2, 3, 4, 5, 6)))


def test_forks_neither_shift_the_replies_nor_multiply(tmp_path):
    file = student(tmp_path, "ucb1", ("    return", "    import os\n    os.fork()\n    return"))
    assert graded(file, "ucb1").points == 10


def test_a_function_has_a_budget_for_all_its_calls(tmp_path):
    file = tmp_path / "slow.py"
    file.write_text(ANY_FUNCTION.format("ucb1", "import time; time.sleep(1000)"))
    with StudentProcess(file, budget=2) as process:
        for _ in range(2):
            assert process.call("ucb1", {"numbers": [1, 2, 3, 4]}).error == "took more than 2 seconds for all its cases"
        process.restart_clock()
        assert not process.is_out_of_time()


def test_the_course_is_not_on_the_path(tmp_path):
    file = tmp_path / "curious.py"
    root = str(SOURCE_ROOT)
    file.write_text(f"import os, sys\nassert {root!r} not in sys.path\n"
                    f"assert {root!r} not in os.environ['PYTHONPATH'].split(os.pathsep)\n")
    assert grade_file(file).error is None


def test_a_sleeper_is_not_waited_for(tmp_path):
    file = tmp_path / "sleeper.py"
    file.write_text(ANY_FUNCTION.format("ucb1", "import time; time.sleep(1000)"))
    grade = grade_file(file, patience=3)
    assert {one.name: one.reason for one in grade.functions}["ucb1"] == "gives no answer within 3 seconds"


def test_garbage_on_the_streams_changes_nothing(tmp_path):
    garbage = """    import os, sys
    print('garbage' * 1000)
    os.write(1, b'{}')
    sys.stderr.write('x')
    sys.stdin.read()
"""
    file = student(tmp_path, "ucb1", ("    return", garbage + "    return"))
    assert graded(file, "ucb1").points == 10


def test_two_hundred_are_graded_whatever_one_of_them_does(tmp_path, capsys):
    """One object for each; a broken file has its reason."""
    broken = {"syntax.py": "def minimax(:\n", "quits.py": "import sys\nsys.exit()\n",
              "loops.py": "while True:\n    pass\n", "empty.py": "", "raises.py": "1 / 0\n", "stubs.py": STUBS}
    for name, text in broken.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe\x00")
    files = [str(tmp_path / name) for name in (*broken, "bytes.py", "missing.py")] + [str(RIGHT)]
    status, out, err = run(capsys, "class", "grade", "--json", *files)
    rows = [json.loads(line) for line in out.splitlines()]
    assert (status, err) == (1, "")
    assert [row["file"] for row in rows] == files
    assert [row["points"] for row in rows] == [0] * 8 + [100]
    errors = {Path(row["file"]).name: row["error"] for row in rows}
    assert errors["missing.py"] == "no such file" and errors["quits.py"] == "calls sys.exit"
    assert errors["syntax.py"].startswith("raises SyntaxError") and "line 1" in errors["syntax.py"]
    assert "seconds of CPU time" in errors["loops.py"] and "ZeroDivisionError" in errors["raises.py"]
    assert errors["empty.py"] is None and errors["bytes.py"].startswith("raises SyntaxError")
    assert {one["reason"] for one in rows[3]["functions"]} == {"not in the file"}
    assert {one["reason"] for one in rows[5]["functions"]} == {"not written yet"}


def test_a_folder_is_no_file(tmp_path, capsys):
    status, out, err = run(capsys, "class", "grade", str(tmp_path))
    assert (status, err) == (1, "") and "a folder: name the files in it" in out


def test_the_report_of_one_file_and_the_rows_of_several(tmp_path, capsys):
    file = student(tmp_path, "expectimax", ("game.probability(state, action) * ", ""))
    status, out, _ = run(capsys, "class", "grade", str(file))
    assert status == 0 and out.startswith(f"{file}: 85 of 100 points")
    assert re.search(r"expectimax +0 of 15\n    fails: the average of even odds\n    on tree .*\n    expected", out)
    assert "classic mistake: the values are added up and not weighted" in out
    status, out, _ = run(capsys, "class", "grade", str(file), str(RIGHT))
    assert [line.split()[0] for line in out.splitlines()] == ["85", "100"]


def test_the_seed_decides_the_hidden_cases():
    from engine.course.homework.cases import trees

    assert trees(1) == trees(1) != trees(2)


def test_stubs_are_written_and_not_over_something_else(tmp_path, capsys):
    file = tmp_path / "mine.py"
    assert run(capsys, "class", "grade", "--stubs", str(file))[0] == 0
    assert file.read_text() == STUBS
    compile(STUBS, "stubs", "exec")
    file.write_text("my own work\n")
    status, out, err = run(capsys, "class", "grade", "--stubs", str(file))
    assert (status, out) == (2, "") and err.count("\n") == 1 and file.read_text() == "my own work\n"
    assert run(capsys, "class", "grade")[0] == 2
