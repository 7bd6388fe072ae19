"""`python -m engine`, also installed as `adversary`: speaks UCI, or runs a COMMAND.

Nothing is imported before it is needed: a command starts without loading the others.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from engine.system import host
from engine.system.errors import message_of
from engine.system.packages import ForeignModuleError, check_packages
from engine.version import NAME, VERSION

# One row per command: the module or folder of that name in engine/commands has `configure(parser)`, `run(arguments)`.
COMMANDS = {
    "play": "play against the engine, at a level of your choice, on a board in the terminal",
    "web": "play, analyse and watch the search on a board in the browser",
    "analyse": "find the best moves in a position, or in every position of a file",
    "annotate": "annotate games: evaluations, mistakes with their reasons and better lines, accuracy of the players",
    "report": "show what a player's games have in common, and what to practise first",
    "puzzles": "find the positions of games in which exactly one move wins, saves or mates",
    "train": "solve puzzles in the terminal: what is due first, with a rating of your own",
    "train openings": "learn a repertoire from a PGN file: practice plays the other side, and repeats what you forget",
    "perft": "count the positions a given number of plies away, or check a suite of known counts",
    "bench": "measure speed, alone or against another engine in the same run",
    "suite": "solve the positions of an EPD test suite",
    "class": "learn adversarial search, one lesson per idea, in the terminal, as pictures and as notebooks",
    "class play": "play a game of the course, or of your own, against any of its algorithms",
    "class tree": "step through minimax, alpha-beta, expectimax, max^n or UCT on a tree of your own",
    "class grade": "grade homework on adversarial search, or write the functions to fill in",
    "compare": "compare searches, evaluations and levels, in positions and in games",
    "explain": "explain a position or a move in words: the best line, and what matters in it",
    "match": "let two engines play each other: Elo with its error, and an SPRT",
    "selfplay": "play training games against itself, or print statistics of a file of them",
    "tune": "tune the search parameters and train the evaluation on games",
    "book": "build an opening book from games, check it, and look up its moves",
    "tablebase": "build endgame tables, check them, and look up positions",
    "warmup": "load every kernel once, and compile those that the package does not contain for this processor",
    "doctor": "show what is installed and in use, and how to fix problems",
}
# Commands whose name cannot be a module name; those of two words have one here.
MODULES = {"class": "course", "class play": "class_play", "class tree": "class_tree", "class grade": "class_grade",
           "train openings": "train_openings"}
SPELLINGS = {"analyze": "analyse"}  # other spellings of a command
TRAINING = "tune"  # the one command that multiplies large matrices
USAGE_ERROR = 2


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose error messages are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message with a hint to `--help`, and exit."""
        self.exit(USAGE_ERROR, f"error: {message.removeprefix('argument ')} (try: {self.prog} --help)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:
            print(message, end="")  # argparse ignores that help cannot be written
        else:
            super()._print_message(message, file)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    _open_closed_streams()
    _escape_unencodable_characters()
    try:
        check_packages()
        try:
            return _run(sys.argv[1:] if argv is None else list(argv))
        finally:
            sys.stdout.flush()  # also when `--help` exits: at its own exit, the interpreter would print a traceback
    except KeyboardInterrupt:
        return host.INTERRUPTED_STATUS
    except ForeignModuleError as error:
        print(f"error: {error}", file=sys.stderr)
        return USAGE_ERROR
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            print(f"error: {message_of(error)}", file=sys.stderr)
        # The rest of the buffer cannot be written, which the interpreter would report again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _open_closed_streams() -> None:
    """Replace a stdin, stdout or stderr that was closed when the process started by an empty one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  for good


def _escape_unencodable_characters() -> None:
    """Escape characters that the locale's encoding lacks, so that printing never fails."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _run(argv: list[str]) -> int:
    if argv[:1] != [TRAINING]:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy starts its threads when imported: 0.1 s of CPU time
    if not argv:
        from engine.uci.session import serve

        return serve()
    argv = [SPELLINGS.get(argv[0], argv[0]), *argv[1:]]
    if " ".join(argv[:2]) in COMMANDS:  # `class play`: a command of two words
        argv = [" ".join(argv[:2]), *argv[2:]]
    chosen = next((word for word in argv if not word.startswith("-")), "")
    parser = OneLineParser(prog="adversary", description="A chess engine in Python, compiled by Numba. "
                           "Without a command it speaks UCI.")
    parser.add_argument("--version", action="version", version=f"{NAME} {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    named = [chosen] if chosen in COMMANDS and argv[0] == chosen else COMMANDS
    parsers = {name: commands.add_parser(name, help=COMMANDS[name], description=COMMANDS[name]) for name in named}
    if chosen not in COMMANDS:
        parser.parse_args(argv)  # --help, or an unknown command: does not return
    module = importlib.import_module(f"engine.commands.{MODULES.get(chosen, chosen)}")
    module.configure(parsers[chosen])
    return _run_command(parser, parsers[chosen], module.run, argv)


def _run_command(parser: OneLineParser, command: OneLineParser, work: Callable[[argparse.Namespace], int],
                 argv: Sequence[str]) -> int:
    from engine.cli.arguments import check_combinations, joined_fens
    from engine.cli.interruption import run_interruptible
    from engine.cli.old_spellings import check_spelling
    from engine.cli.output import count_warnings_anew
    from engine.system.errors import InputError

    try:
        check_spelling(argv)
        arguments = parser.parse_args(joined_fens(argv))
        check_combinations(command, arguments)
        count_warnings_anew()
        return run_interruptible(lambda: work(arguments))
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return USAGE_ERROR


if __name__ == "__main__":
    sys.exit(main())
