"""Games of Stockfish on the rungs of a ladder, by UCI_Elo, to measure marks and accuracy on.

    python -m tests.analysis.ladder --games 4 --seed 1 --out ladder.pgn

Each rung plays itself and its neighbour. Moves are limited by nodes, so the level does not depend on the machine. The
seed decides the openings alone: Stockfish draws its weaker moves without one, so no two runs play the same games.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import chess.polyglot

STOCKFISH = Path("/usr/games/stockfish")
BOOK = Path(__file__).parents[2] / "book" / "openings.bin"
RUNGS = tuple(range(1350, 2851, 150))
NODES = 12_000
_OPENING_PLIES = 4
_LONGEST = 240  # plies


def pairings(number: int) -> Iterator[tuple[int, int]]:
    """White's and Black's rung: each plays `number` games, half of them with the next rung."""
    for index, rung in enumerate(RUNGS):
        neighbour = RUNGS[min(index + 1, len(RUNGS) - 1)]
        for game in range(number):
            other = neighbour if game % 2 else rung
            yield (rung, other) if game % 4 < 2 else (other, rung)


def played(judge: chess.engine.SimpleEngine, white: int, black: int, seed: int) -> chess.pgn.Game:
    """One game between two rungs."""
    chance, board = random.Random(seed), chess.Board()
    with chess.polyglot.open_reader(BOOK) as reader:
        while board.ply() < _OPENING_PLIES:
            board.push(reader.weighted_choice(board, random=chance).move)
    judge.configure({"Clear Hash": None})
    while not board.is_game_over(claim_draw=True) and board.ply() < _LONGEST:
        judge.configure({"UCI_LimitStrength": True, "UCI_Elo": white if board.turn else black})
        move = judge.play(board, chess.engine.Limit(nodes=NODES)).move
        assert move is not None
        board.push(move)
    game = chess.pgn.Game.from_board(board)
    game.headers.update(Event=f"ladder, seed {seed}", White=f"Stockfish {white}", Black=f"Stockfish {black}",
                        Result=board.result(claim_draw=True))
    return game


def main() -> None:
    """Play and write the games."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=4, help="of each rung")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    with chess.engine.SimpleEngine.popen_uci(str(STOCKFISH), timeout=None) as judge, arguments.out.open("w") as file:
        for number, (white, black) in enumerate(pairings(arguments.games)):
            file.write(f"{played(judge, white, black, 1000 * arguments.seed + number)}\n\n")
            file.flush()


if __name__ == "__main__":
    main()
