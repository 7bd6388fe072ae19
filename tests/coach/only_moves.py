"""Ask Stockfish whether the only moves of puzzles are the only ones: its best, and any other a mistake.

`python -m tests.coach.only_moves FILE... [--nodes N] [--engine PATH]`
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import chess
import chess.engine

from engine.coach.puzzle import Goal, Puzzle
from engine.coach.puzzle_files import read_puzzles
from eval.human_curve import human_expected

_MISTAKE = 0.13  # expected score on the human curve, as marks have it
_MATE = 100_000


class Verdict(NamedTuple):
    """What the engine says of a puzzle."""

    first: bool  # whether the first move is its best one, and every other a mistake
    every: bool  # the same of every move of the solver; a mate in one need not be the only one
    mates: bool  # the same, but of a mate it is enough that no other move mates as fast


def judged(engine: chess.engine.SimpleEngine, board: chess.Board, move: chess.Move, nodes: int) -> tuple[bool, bool]:
    """Whether the move is the engine's best one and every other a mistake, or mates more slowly."""
    lines = engine.analyse(board, chess.engine.Limit(nodes=nodes), multipv=2)
    if lines[0]["pv"][0] != move:
        return False, False
    if len(lines) == 1:
        return True, True
    best, second = (line["score"].relative for line in lines)
    expected, other = (human_expected(score.score(mate_score=_MATE)) for score in (best, second))
    return expected - other >= _MISTAKE, expected - other >= _MISTAKE or (best.is_mate() and best > second)


def verdict_of(engine: chess.engine.SimpleEngine, puzzle: Puzzle, nodes: int) -> Verdict:
    """The verdict on a puzzle."""
    engine.configure({"Clear Hash": None})
    found = [judged(engine, puzzle.board(ply), puzzle.solution[ply], nodes)
             for ply in range(0, len(puzzle.solution), 2)
             if not ply or not puzzle.board(ply + 1).is_checkmate()]
    is_mate = puzzle.goal is Goal.MATE
    return Verdict(found[0][is_mate], all(only for only, _ in found), all(only[is_mate] for only in found))


def main() -> None:
    """Print the share of confirmed puzzles, and those that are not."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--most", type=int, default=200)
    parser.add_argument("--engine", default="/usr/games/stockfish")
    arguments = parser.parse_args()
    puzzles = [puzzle for path in arguments.files for puzzle in read_puzzles(path)][: arguments.most]
    verdicts = list[Verdict]()
    with chess.engine.SimpleEngine.popen_uci(arguments.engine) as engine, suppress(KeyboardInterrupt):
        for puzzle in puzzles:
            verdicts.append(verdict_of(engine, puzzle, arguments.nodes))
            if not verdicts[-1].mates:
                print(f"{puzzle.id} {puzzle.goal.value} {puzzle.fen} {' '.join(map(str, puzzle.solution))}", flush=True)
    first, every, mates = (sum(column) for column in zip(*verdicts, strict=True))
    print(f"{len(verdicts)} puzzles: the first move is the only one in {first}, every move in {mates}; "
          f"in {every} if other ways to win count in puzzles with a mate")


if __name__ == "__main__":
    main()
