"""Every option of every command with invalid values, and conflicting options: one line, status 2."""

from __future__ import annotations

import argparse
import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from engine.__main__ import COMMANDS, MODULES, OneLineParser
from engine.cli import arguments as kinds
from engine.cli.plots import PlotFile
from engine.commands.play import LevelArgument, TimeControlArgument
from engine.commands.puzzles import PuzzleFile
from engine.commands.train import RatingLimits
from engine.lab.arena.configs import Config
from engine.lab.arena.training import TrainingShard
from engine.lab.suites.built_in import SuiteFile
from engine.lab.tune.mixing import MixArgument
from engine.lab.tune.pretraining import PretrainArgument
from tests.commands.running import run

FLAGS = (argparse._StoreTrueAction, argparse._HelpAction)
Argument = tuple[tuple[str, ...], argparse.Action]  # and the words that lead to its parser
FOLDER = "{}"  # replaced by the folder of the test
NAMES = ("/no/such/folder/file", "/", f"{FOLDER}/pipe", "a\0b")

# Wrong values for every type of argument.
WRONG = {
    kinds.IntRange: lambda wanted: ["", "x", "1.5", "nan", "9" * 5000, str(wanted.low - 1),
                                  *([str(wanted.high + 1)] if wanted.high < 1 << 62 else [])],
    kinds.IntList: lambda wanted: ["", "x", "1.5", "9" * 5000, "1,", "1,,2", "2,1", "2,2", str(wanted.each.low - 1)],
    kinds.FloatRange: lambda wanted: ["", "x", "nan", "inf", "1e999", str(wanted.low - 1), str(wanted.high + 1),
                                    *([str(wanted.low)] if wanted.above else [])],
    kinds.Text: lambda wanted: ["", " "],
    kinds.InputFile: lambda wanted: [*NAMES, "", "/dev/zero"],
    kinds.OutputFile: lambda wanted: [*NAMES, "", "/dev/zero", f"{FOLDER}/notes.txt"],
    PuzzleFile: lambda wanted: [*NAMES, "", f"{FOLDER}/pipe.pgn/x.pgn", f"{FOLDER}/notes.txt", "/no/such/folder/a.pgn"],
    RatingLimits: lambda wanted: ["", "x", "1200", "1600-1200", "-5-10", "1200-1600-2000", "9" * 5000],
    SuiteFile: lambda wanted: [*NAMES, "", "/dev/zero"],
    MixArgument: lambda wanted: ["", "x", "leaves", "leaves:5", "leaves:5:0", "neighbours:0", "neighbours:5:5", "5:5"],
    PretrainArgument: lambda wanted: ["", "x", "0", "5:-1", "5:1:0", "1:2:3:4", "material", "5:1:material"],
    LevelArgument: lambda wanted: ["", "x", "399", "2801", "1200.5", "Max", "9" * 5000],
    TimeControlArgument: lambda wanted: ["", "5", "x+y", "0+1", "5+-1", "5+3+1", "9" * 5000],
    PlotFile: lambda wanted: [*NAMES, "plot", "plot.bmp", f"{FOLDER}/notes.png"],
    kinds.Folder: lambda wanted: ["/no/such/folder", f"{FOLDER}/notes.txt", "a\0b"],
    kinds.OutputFolder: lambda wanted: [f"{FOLDER}/notes.txt", f"{FOLDER}/notes.txt/below", "a\0b"],
    kinds.OutputStem: lambda wanted: ["/no/such/folder/file", "/", ".", "a\0b"],
}


def leaves(parser: argparse.ArgumentParser, words: tuple[str, ...]) -> Iterator[Argument]:
    """All arguments of a parser and of those below it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from leaves(below, (*words, name))
        else:
            yield words, action


def module_of(command: str) -> ModuleType:
    return importlib.import_module(f"engine.commands.{MODULES.get(command, command)}")


def all_arguments() -> Iterator[Argument]:
    for name in COMMANDS:
        parser = OneLineParser()
        module_of(name).configure(parser)
        yield from leaves(parser, (name,))


def wrong_values(action: argparse.Action) -> list[str]:
    if action.choices is not None:
        return ["nonsense", ""]
    return WRONG[type(action.type)](action.type)


CASES = [(words, action, value) for words, action in all_arguments() if not isinstance(action, FLAGS)
         for value in wrong_values(action)]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    for name in ("notes.txt", "notes.png"):
        (tmp_path / name).write_text("notes that must not be overwritten\n")
    os.mkfifo(tmp_path / "pipe")
    return str(tmp_path)


@pytest.mark.parametrize(("words", "action", "value"), CASES,
                         ids=[f"{' '.join(words)} {action.dest} {value[:20]!r}" for words, action, value in CASES])
def test_a_wrong_value_is_refused_before_anything_is_done(words, action, value, folder, capsys, monkeypatch):
    def never(arguments: argparse.Namespace) -> int:
        raise AssertionError(arguments)

    monkeypatch.setattr(module_of(words[0]), "run", never)
    before = ["default"] if words == ("match",) and action.dest == "second" else []
    count = action.nargs if isinstance(action.nargs, int) else 1
    status, out, err = run(capsys, *words, *before, *action.option_strings[-1:],
                           *[value.replace(FOLDER, folder)] * count)
    assert (status, out) == (2, "")
    assert err.startswith("error: ") and err.count("\n") == 1
    name = action.option_strings[-1] if action.option_strings else str(action.metavar or action.dest)
    assert name in err
    assert Path(folder, "notes.txt").read_text() == "notes that must not be overwritten\n"


@pytest.mark.parametrize("words", [
    "compare", "compare position --games 3", "compare position --first 2", "compare position --nodes 5 --give-up 5",
    "compare position --depth 3 --nodes 5", "compare position --fen startpos --suite FILE", "compare bound --nodes 5",
    "compare bound --depth 3", "compare tournament --depth 3", "compare tournament --nodes 5 --time 5",
    "compare ladder --player mcts", "compare evaluations --nodes 5", "compare levels", "compare levels x --depth 3",
    "bench --network x", "bench network --policy FILE",
    "tune policy GAMES --out new --evaluate FILE", "bench shipped --movetime 5", "bench network --hash 5",
    "tune wdl GAMES --out GAMES", "tune network GAMES --out new --neighbours .",
    "selfplay --stats GAMES --minutes 5",
    "class minimax --notebooks .", "class --svg new.svg", "match cmd:a cmd:b --network-a features",
    "bench --against x", "bench startup --against x", "bench 3 --runs 2", "bench speed --runs 2",
    "bench perft --movetime 5", "bench perft --threads 2", "bench startup --hash 5", "bench threads",
    "perft 2 --max-nodes 5", "perft 2 --divide --suite FILE", "perft --fen startpos --suite FILE", "perft",
    "book check --out new.bin", "book check --worst 5", "book build FILE --out FILE", "book merge BOOK --out BOOK",
    "tune weights GAMES --out GAMES", "tune weights GAMES --out BOOK", "tune search --out new --resume --pairs 5",
    "tune search --out new --cluster tcp://x:1 --concurrency 3", "selfplay", "selfplay --positions 5",
    "selfplay --stats GAMES --positions 5", "selfplay --stats FILE", "selfplay --stats EMPTY",
    "selfplay --positions 5 --out FILE", "selfplay --positions 5 --out BOOK",
    "match", "match cmd:a", "match a cmd:b", "match cmd:a cmd:b --resume", "match cmd:a cmd:b --hash 5",
    "match cmd:a cmd:b --cluster tcp://x:1", "match default --option Hash=3", "match default --tc 1+1",
    "match default --cluster tcp://x:1 --concurrency 3", "match --ablate default", "match --ablate --pgn new.pgn",
    "match cmd:a cmd:b --sprt 5 0", "match cmd:a cmd:b --pgn FILE", "match 'cmd:a cmd:b", 'match cmd:a cmd:"b',
    "tablebase build KQvK --pieces 3", "tablebase verify --positions 5", "tablebase verify --seed 5",
    "play --pgn FILE", "play --pgn FILE --clock 5+3", "play --pgn FILE --chess960", "play --pgn EMPTY",
    "play --fen startpos --chess960 5", "play --fen nonsense",
    "explain --svg FILE", "explain startpos moves e5", "explain startpos --move e5", "suite FILE --nodes 5 --depth 5",
])
def test_conflicting_options_are_refused(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content = {"FILE": b"notes", "EMPTY": b"", "BOOK": b"\1" * 16,
               "GAMES": TrainingShard(0, 1, 50, 1, Config())().content}
    for name, text in content.items():
        Path(name).write_bytes(text)
    status, out, err = run(capsys, *words.split())
    assert (status, out) == (2, "")
    assert err.startswith("error: ") and err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == content


@pytest.mark.parametrize(("words", "new"), [
    ("compare", "compare position"), ("compare --depth 3", "compare position --depth"),
    ("compare --suite=FILE", "compare position --suite"),
    ("compare --nodes 5 --tournament", "compare tournament"), ("compare --tournament --ladder", "compare ladder"),
    ("compare --bound", "compare bound"), ("compare --evaluations --json", "compare evaluations"),
    ("compare --levels stockfish", "compare levels ENGINE"), ("tune eval GAMES --out new", "tune weights"),
    ("tune network GAMES --rate 1", "--learning-rate"), ("tablebase build --men 4", "--pieces"),
    ("bench --setting=features", "--config")])
def test_an_old_spelling_is_refused_with_the_new_one(words, new, capsys):
    status, out, err = run(capsys, *words.split())
    assert (status, out) == (2, "")
    assert err.startswith("error: ") and err.endswith(f" is now `{new}`\n") and err.count("\n") == 1
