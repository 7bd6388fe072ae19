"""Ask Stockfish whether the only moves of puzzles are the only ones: its best, and any other a mistake.

`python -m tests.coach.only_moves FILE... [--nodes N] [--engine PATH]`
"""

from __future__ import annotations

import argparse
from pathlib import Path

import chess
import chess.engine

from engine.coach.puzzle import Puzzle
from engine.coach.puzzle_files import read_puzzles
from eval.human_curve import human_expected

_MISTAKE = 0.13  # expected score on the human curve, as marks have it
_MATE = 100_000


def judged(engine: chess.engine.SimpleEngine, board: chess.Board, move: chess.Move, nodes: int) -> bool:
    """Whether the move is the engine's best one and every other a mistake."""
    lines = engine.analyse(board, chess.engine.Limit(nodes=nodes), multipv=2)
    scores = [line["score"].relative for line in lines]
    if lines[0]["pv"][0] != move:
        return False
    if len(lines) == 1:
        return True
    best, second = (human_expected(score.score(mate_score=_MATE)) for score in scores)
    return best - second >= _MISTAKE


def is_confirmed(engine: chess.engine.SimpleEngine, puzzle: Puzzle, nodes: int) -> bool:
    """Whether every move of the solver is the only one; a mate in one need not be."""
    return all(puzzle.board(ply + 1).is_checkmate() or judged(engine, puzzle.board(ply), puzzle.solution[ply], nodes)
               for ply in range(0, len(puzzle.solution), 2))


def main() -> None:
    """Print the share of confirmed puzzles, and those that are not."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--engine", default="/usr/games/stockfish")
    arguments = parser.parse_args()
    puzzles = [puzzle for path in arguments.files for puzzle in read_puzzles(path)]
    first = confirmed = 0
    with chess.engine.SimpleEngine.popen_uci(arguments.engine) as engine:
        for puzzle in puzzles:
            engine.configure({"Clear Hash": None})
            first += judged(engine, puzzle.board(), puzzle.solution[0], arguments.nodes)
            if is_confirmed(engine, puzzle, arguments.nodes):
                confirmed += 1
            else:
                print(f"{puzzle.id} {puzzle.fen} {' '.join(move.uci() for move in puzzle.solution)}", flush=True)
    print(f"{len(puzzles)} puzzles: the first move is the only one in {first}, every move in {confirmed}")


if __name__ == "__main__":
    main()
