"""`class` as a student types it: lessons in a pipe and at a terminal, their pictures, and the notebooks."""

from __future__ import annotations

import ast
import contextlib
import io
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from engine.course import cutoffs, svg
from engine.course.curves import chart
from engine.course.lesson import LESSONS, load, steps_of
from engine.course.lessons.alphabeta import DEEPER, GAME
from engine.course.notebooks import notebook
from engine.course.reference.alphabeta import alphabeta
from engine.course.reference.exercises.cutoffs import cut_offs
from engine.course.reference.exercises.question import plain
from engine.course.reference.games.tree import TreeGame
from engine.course.reference.minimax import minimax
from engine.course.reference.trace import Trace
from engine.course.trees import Drawn, outline, picture, traced
from tests.commands.running import run
from tests.timing import slowness

NOTEBOOKS = Path(__file__).parents[2] / "engine" / "course" / "reference" / "notebooks"
COURSE = Path(__file__).parents[2] / "engine" / "course" / "lessons"
LONG = {"alphazero"}  # some eight seconds
LONGEST = 10.0  # seconds of CPU time that a lesson may take on a quiet machine
SAID = {  # what a lesson must have said: the numbers of the notes
    "game": ["5,478 states, 549,946 nodes", "Pile(number=5, player=0)", "halve"],
    "minimax": ["MAX plays a, which is worth 3", "10^123", "6                18", "function MAX-VALUE(state)"],
    "alphabeta": ["3 cutoffs by the 5 of the root's first move; 3 of 6 leaves", "function ALPHA-BETA-SEARCH(state)",
                  "MAX plays a, which is worth 3",
                  "After c: d cut off", "After i: j cut off", "After l: m, n cut off", "the same value every time"],
    "ordering": ["10,000 leaves, 1,000 one level above: 10 % more", "chess          20.0",
                 "2 b^(d/2)", "type A: 5    type B: 0",
                 "3,281          1,806                  1,186                 2,498"],
    "tables": ["549,946", "59,705", "5,478", "4,852", "column 2: draw"],
    "horizon": ["games among the labels: 0", "minimax plays b; in truth a is better in 71 %", "legal moves: 1;",
                "Qxd5", "doubled pawns   +0.0", "383 Elo at depth 1 and 584 at depth 8", "upside down",
                "after Qxd5: cut off +15, searched on -1"],
    "expectimax": ["= 10\n", "an adversary: B, worth 1", "a coin toss:  C, worth 5", "MAX −2"],
    "assumptions": ["bucket C", "Optimism is dangerous"],
    "players": ["Bob  aims at Cleo", "looks like cooperation: 36 %",
                "into the air  Ann 0.397   Bob 0.381   Cleo 0.222", "backed up to the root: (2, 5, 2)",
                "expected 25/63"],
    "uct": ["learned  0.3", "playouts  iterations", "function UCB1(node)", "drawn: 10 of 10", "UCB1", "x plays 3,1",
            "which is worth +1 to x",
            "2,1            16 visits   average +0.19   truth +1.00", "2,1          1329 visits   average +0.96"],
    "dice": ["steady  steady", "wild    wild"],
    "alphazero": ["attention", "before any game: value", "which wins",
                  "AlphaStar, for StarCraft, first learned to imitate people's moves"],
    "regret": ["(0, 1, 2)", "(0.000, 0.333, 0.667)", "could be exploited for +1.00",
               "highest regret                          +0.23                        -1.00"],
    "pacman": ["minimax against an adversarial ghost        482", "minimax against a random ghost              488",
               "expectimax against an adversarial ghost    -303", "40 of 200", "199 of 200",
               "1 %       453.8      476.7  way round"],
    "backgammon": ["[..X..o] 1 o   off: x 0, o 0   worth +0.362", "2,093               74,088,000       42,875",
                   "6 with three faces, 21 with six"],
    "hidden": ["after 1. e4 and a hidden reply: 20 positions",
               "squares 3-4: 1.00", "wins against averaging +0.667 a game", "0.00        0.167",
               "0.4999          0.00"],
    "notes": ["MAX would like 8, MIN 1; 2 is the compromise", "0 to 192", "win 1   draw 0.5   loss 0", "Scrabble",
              "Deep Fritz", "top 0.2 %", "1 x pawns", "10^120", "3 x 10^106", "14",
              "35^100   about 10^154", "b^d = 4,096 leaves; b^(d/2) = 64",
              "value 2, 3 of 4 leaves looked at; MAX plays the first move",
              "minimax: value 8, 16 of 16 leaves", "alpha-beta: value 8, 10 of 16 leaves",
              "37/100 -> 60/79 -> 16/53 -> 27/35", "37/101 -> 61/80 -> 16/54 -> 28/36 -> 0/1",
              "returned: row 2, column 2", "(-1, 0, 1) - (-1) = (0, 1, 2)", "440 billion",
              "20 of 27 nodes", "9 of 10 nodes", "(1) in the aggregate: very many agents are an economy",
              "(2) as part of the environment: others are like rain", "(3) as adversaries",
              "(1) By analysis, strategy and tactics, as people do", "as when a wheel slips",
              "parallel and uneven search", "= 10\n", "Qxd5 and the queen is lost",
              "expectimax against an adversarial ghost    -303  201.6  1 of 5     -303",
              "expectimax against a random ghost           503    0.0  5 of 5      503",
              "call: 1/2 x (+2) + 1/2 x (-2) = 0"],
    "hex": ["about 10^63", "14 of 20 points", "0.3          248      1                  4 of 16",
            "Hex 4 x 4                21 %        43 %        50 %          86 %", "The answer is 1,3"],
    "poker": ["-0.05556", "first to act", "0.33", "bet 0.33: MAX 0.60   (Qpb)"],
}


def test_lessons_are_listed(capsys):
    status, out, err = run(capsys, "class")
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[: len(LESSONS)]] == list(LESSONS)


def test_every_lesson_has_a_module_and_every_module_a_lesson():
    assert {file.stem for file in COURSE.glob("*.py")} == {*LESSONS, "__init__"}
    for name in LESSONS:
        steps = steps_of(load(name))
        assert steps and all(step.words for step in steps), name


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name
                                  for name in LESSONS])
def test_a_lesson_in_a_pipe(capsys, tmp_path, monkeypatch, name):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    file, started = tmp_path / "lesson.svg", time.process_time()
    status, out, err = run(capsys, "class", name, "--svg", str(file))
    assert (status, err) == (0, "")
    assert time.process_time() - started < LONGEST * slowness()
    unwrapped = " ".join(out.split())
    for words in SAID[name]:
        assert words in out or words in unwrapped, words
    root = ET.fromstring(file.read_text(encoding="utf-8"))  # noqa: S314
    assert root.tag.endswith("svg")
    assert len(list(root.iter())) > 20


def test_each_picture_in_a_file_of_its_own(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    status, out, _ = run(capsys, "class", "alphabeta", "--pictures", str(tmp_path / "new"))
    files = sorted((tmp_path / "new").iterdir())
    assert status == 0
    assert [file.name for file in files] == [f"alphabeta-0{number}.svg" for number in (1, 2, 3)]
    assert all(str(file) in out for file in files)
    for file in files:
        ET.fromstring(file.read_text(encoding="utf-8"))  # noqa: S314


def test_a_seed_changes_the_questions(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    first, again, other = (run(capsys, "class", "minimax", "--seed", seed)[1] for seed in ("1", "1", "2"))
    assert first == again != other


@pytest.mark.parametrize(("words", "complaint"), [
    (("chess",), "there is no lesson 'chess'; there are game, minimax"),
    (("minimax", "--svg", "no/folder/x.svg"), "no folder no/folder"),
    (("--svg", "x.svg"), "--svg needs a lesson"),
    (("--pictures", "x"), "--pictures needs a lesson"),
    (("--outputs", "nowhere.md"), "--outputs: cannot read"),
    (("minimax", "--seed", "x"), "--seed"),
    (("--notebooks", os.devnull + "/folder"), "--notebooks: cannot create the folder"),
    (("minimax", "--notebooks", "."), "--notebooks cannot be used with a lesson"),
])
def test_bad_input_is_one_line(capsys, words, complaint):
    status, out, err = run(capsys, "class", *words)
    assert (status, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1


def test_minimax_asks_before_it_shows(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    out = run(capsys, "class", "minimax")[1]
    assert out.index("MIN can answer with 14, 5 or 2") < out.index("The answer is a") < out.index("1. MAX 3")


def test_cut_offs_by_hand():
    leaves, found = cut_offs(GAME)
    assert leaves == dict(zip("abcdefghi", (3, 12, 8, 2, 4, 6, 14, 5, 2), strict=True))
    assert [(cut.after, cut.skipped) for cut in found] == [("d", ("e", "f"))]
    assert [(cut.after, cut.skipped) for cut in cut_offs(DEEPER)[1]] == [("c", ("d",)), ("i", ("j",)),
                                                                              ("l", ("m", "n"))]
    assert "alpha = 6" in cut_offs(DEEPER)[1][2].reason


def test_a_student_predicts(capsys):
    answers = iter(["c", "zebra", "J", "l", "none"])
    cutoffs.predict(DEEPER, lambda question: next(answers))
    out = capsys.readouterr().out
    assert "3 of 4 predicted" in out  # the second cut-off comes after i
    assert "a letter from a to n, or none" in out
    assert [line for line in out.splitlines() if line in {"Right.", "Not quite."}] == ["Right.", "Not quite.", "Right.",
                                                                                      "Right."]


def test_a_student_who_does_not_know_is_told(capsys):
    def leave(question):
        raise EOFError

    cutoffs.predict(DEEPER, leave)
    cutoffs.predict(DEEPER, lambda question: "")
    out = capsys.readouterr().out
    assert out.count("After l: m, n cut off") == 2
    assert "predicted" not in out
    answers = iter(["", "i", "", "none"])
    cutoffs.predict(DEEPER, lambda question: next(answers))
    assert "2 of 2 predicted" in capsys.readouterr().out


def test_the_tree_of_the_questions_shows_its_leaves(capsys):
    cutoffs.predict(GAME)
    assert capsys.readouterr().out.startswith("MAX\n    MIN   a = 3    b = 12   c = 8\n    MIN   d = 2")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_lesson_at_a_terminal_waits_and_asks():
    """A student who presses Enter all the time sees everything, and is asked after each cut-off."""
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "engine", "class", "alphabeta"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as student:
        os.close(theirs)
        os.write(ours, b"\n" * 20)
        said = b""
        with contextlib.suppress(OSError):  # the end of a pseudo-terminal
            while part := os.read(ours, 4096):
                said += part
    os.close(ours)
    assert student.returncode == 0
    assert said.count(b"(Enter to go on,") == len(steps_of(load("alphabeta")))
    assert said.count(b"After which leaf comes the next cutoff?") == 4


class Student:
    """A student at a terminal."""

    def __init__(self, *words: str) -> None:
        import pty

        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen([sys.executable, "-m", "engine", "class", *words], stdin=theirs, stdout=theirs,
                                        stderr=theirs, start_new_session=True,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # noqa: PLW1509
        os.close(theirs)
        self.seen = ""

    def wait_for(self, text: str) -> None:
        while text not in self.seen:
            assert self._read(), self.seen

    def _read(self) -> bool:
        with contextlib.suppress(OSError):  # the end of a pseudo-terminal
            part = os.read(self._ours, 4096)
            self.seen += part.decode()
            return bool(part)
        return False

    def type(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def leave(self) -> int:
        """Read to the end; returns the exit status."""
        while self._read():
            pass
        os.close(self._ours)
        return self.process.wait(60)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_ctrl_d_ends_a_lesson(tmp_path):
    student = Student("minimax", "--svg", str(tmp_path / "drawn.svg"))
    student.wait_for("(Enter to go on, Ctrl-D to end) ")
    student.type(b"\n")
    student.wait_for("MIN can answer with 14, 5 or 2")
    student.type(b"a\n")
    student.wait_for("Right.")
    while student.seen.count("(Enter to go on") < 2:
        assert student._read()
    student.type(b"\x04")
    assert student.leave() == 0
    rest = student.seen.rpartition("to end) ")[2]
    assert "The lesson ends here." in rest and "Score: 1 of 1." in rest and "Traceback" not in student.seen
    assert student.seen.count("(Enter to go on") == 2 and not list(tmp_path.iterdir()), "nothing was drawn yet"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_ctrl_c_ends_a_lesson_at_once():
    student = Student("minimax")
    student.wait_for("(Enter to go on")
    os.killpg(student.process.pid, signal.SIGINT)
    assert student.leave() == 130
    assert student.seen.rpartition("to end) ")[2].replace("\x1b[?25h", "").split() == ["interrupted"]


def test_notebooks_are_written_into_a_new_folder(capsys, tmp_path):
    folder = tmp_path / "new" / "notebooks"
    status, out, err = run(capsys, "class", "--notebooks", str(folder))
    assert (status, err) == (0, "")
    assert out.splitlines() == list(map(str, sorted(folder.iterdir()))) and out.count("\n") == len(LESSONS)


def test_a_tree_is_drawn_with_windows_order_and_cuts():
    trace = Trace()
    alphabeta(GAME, GAME.initial(), count=trace)
    tree = traced(GAME, trace, has_windows=True)
    text = picture(tree, "title").text()
    assert text.count(svg.WARNING) == 2  # one mark for each of the two leaves that are cut off
    assert text.count(">α 3<") == 2 and text.count(">≤ 2<") == 1
    for order in range(1, trace.nodes + 1):
        assert f">{order}<" in text
    lines = outline(tree).splitlines()
    assert sum("cut off" in line for line in lines) == 2
    assert len(lines) == 13
    assert [node.text for node in tree.all() if node.is_best] == ["3", "3", "3"]


def test_everything_in_a_picture_lies_inside_it():
    game, trace = TreeGame([[1, -2, 3], [4, [5, 6, 7, 8], -9]]), Trace()
    minimax(game, game.initial(), count=trace)
    drawn = traced(game, trace)
    made = picture(drawn, "a title that is longer than the tree is wide, or nearly so")
    for node in drawn.all():
        assert 20 <= node.x <= made.width - 20
        assert 20 <= node.y <= made.height - 20
    bottom = sorted(node.x for node in drawn.all() if not node.children)
    assert all(right - left > 40 for left, right in itertools.pairwise(bottom))


def test_names_of_actions_stand_over_all_lines_and_long_values_in_large_triangles():
    tree = Drawn("max", "326.67", children=[Drawn("min", "−27.25", way="far"), Drawn("leaf", "3", way="near")])
    text = picture(tree, "title").text()
    assert text.rindex("<polyline") < text.index(">far<") < text.index("<polygon")
    assert tree.size == tree.children[0].size > tree.children[1].size == 1
    assert outline(tree) == "MAX 326.67\n    far: MIN −27.25\n    near: 3"


def test_curves_have_their_names_apart():
    made = chart("title", ("x", "y"), {"one": [(1, 0.5), (10, 0.5)], "two": [(1, 1), (10, 0.5)]}, levels={"level": 0.5})
    labels = {element.text: float(element.get("y", 0)) for element in ET.fromstring(made.text()).iter()  # noqa: S314
              if element.text in {"one", "two", "level"}}
    heights = sorted(labels.values())
    assert len(heights) == 3 and all(lower - upper >= 15 for upper, lower in itertools.pairwise(heights))


def test_numbers_as_people_write_them():
    assert [plain(number) for number in (3.0, -2, 27.5, float("inf"), float("-inf"))] == ["3", "−2", "27.5", "∞", "−∞"]


@pytest.mark.parametrize("name", LESSONS)
def test_notebooks_are_those_of_the_lessons_and_have_no_outputs(name):
    """If this fails: adversary class --notebooks engine/course/reference/notebooks."""
    number = list(LESSONS).index(name) + 1
    text = (NOTEBOOKS / f"{number:02}-{name}.ipynb").read_text(encoding="utf-8")
    assert text == notebook(name)
    cells = json.loads(text)["cells"]
    assert all(not cell.get("outputs") for cell in cells)
    assert len(cells) == 2 + 2 * len(steps_of(load(name)))
    assert not any(line.startswith("return") for cell in cells if cell["cell_type"] == "code"
                   for line in cell["source"])


def test_the_readme_shows_what_the_lesson_draws(capsys, tmp_path, monkeypatch):
    """If this fails: adversary class alphabeta --svg engine/course/reference/alphabeta.svg."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    file = tmp_path / "alphabeta.svg"
    run(capsys, "class", "alphabeta", "--svg", str(file))
    assert file.read_text(encoding="utf-8") == (NOTEBOOKS.parent / "alphabeta.svg").read_text(encoding="utf-8")


def shown_values(cells: list[dict[str, Any]]) -> list[object]:
    """Run the cells one after another in one namespace, as a notebook does; what the last line of each is worth."""
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for cell in cells:
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, cell["id"], "exec"), names)  # noqa: S102
        if isinstance(last, ast.Expr):
            shown.append(eval(compile(ast.Expression(last.value), cell["id"], "eval"), names))  # noqa: S307
    return shown


@pytest.mark.slow
@pytest.mark.parametrize("name", LESSONS)
def test_the_cells_of_a_notebook_run(capsys, monkeypatch, name):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    number = list(LESSONS).index(name) + 1
    book = json.loads((NOTEBOOKS / f"{number:02}-{name}.ipynb").read_text(encoding="utf-8"))
    shown = shown_values([cell for cell in book["cells"] if cell["cell_type"] == "code"])
    assert any(isinstance(value, svg.Picture) for value in shown)
    assert "The answer is" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of what runs notebooks
@pytest.mark.parametrize("name", LESSONS)
def test_a_notebook_runs(name):
    nbformat, nbclient = (pytest.importorskip(name, reason="pip install -e '.[class]' brings what runs notebooks")
                          for name in ("nbformat", "nbclient"))
    number = list(LESSONS).index(name) + 1
    book = nbformat.read(NOTEBOOKS / f"{number:02}-{name}.ipynb", as_version=4)
    nbformat.validate(book)
    book.cells.append(nbformat.v4.new_code_cell("import time; print(time.process_time())"))
    nbclient.NotebookClient(book, timeout=600, kernel_name="python3").execute()
    outputs = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("image/svg+xml" in output.get("data", {}) for output in outputs)
    assert float(outputs[-1]["text"]) < LONGEST * slowness(), "CPU seconds of the whole notebook"
