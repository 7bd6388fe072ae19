"""Named opening lines, and the marks on their moves: theory is called dubious at most, and seldom.

    python -m tests.analysis.theory --lines 60 --seed 1

The lines are drawn at random from the published lists.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections import Counter
from collections.abc import Iterator

import chess

from engine.analysis.engine import Engine
from engine.analysis.move_verdicts import classify_game
from engine.analysis.review import SearchEffort
from engine.analysis.review_driver import review_game
from tests.positions import DATA


def named_lines() -> Iterator[tuple[str, list[chess.Move]]]:
    """The names and moves of the published lists of openings."""
    for path in sorted((DATA / "openings").glob("lichess-*.tsv")):
        with path.open(newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                board = chess.Board()
                yield row["name"], [board.push_san(word) for word in row["pgn"].split() if not word[0].isdigit()]


def main() -> None:
    """Annotate some lines, drawn at random, and count the marks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, help="of each search of the first round; the default effort without it")
    arguments = parser.parse_args()
    lines = random.Random(arguments.seed).sample(list(named_lines()), arguments.lines)
    marks, moves = Counter[str](), 0
    with Engine(hash=16) as adversary:
        for number, (name, line) in enumerate(lines, 1):
            review = review_game(adversary, chess.Board(), line, SearchEffort(nodes=arguments.nodes))
            for verdict in classify_game(chess.Board(), line, review):
                moves += 1
                marks[verdict.mark.text] += verdict.mark.is_bad
                if verdict.mark.is_bad:
                    print(f"{name}: {verdict.board.fullmove_number}{'.' if verdict.board.turn else '...'}"
                          f"{verdict.board.san(verdict.move)}{verdict.mark.text}")
            print(f"{number} lines, {moves} moves: {marks['?!']} with ?!, {marks['?'] + marks['??']} with ? or ??",
                  flush=True)


if __name__ == "__main__":
    main()
