"""Review games once and keep the searches, so that marks and sentences can be written anew without them.

    python -m tests.analysis.reviews GAMES.pgn --folder REVIEWS --part training --annotated OUT.pgn

The games are split by a hash of their moves: a third is held out, of which nothing but totals is looked at.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import chess
import chess.pgn

from engine.analysis.annotation import annotate, pgn_text
from engine.analysis.engine import Engine
from engine.analysis.pgn_reader import read_games
from engine.analysis.review import DEFAULT_HASH, SearchEffort
from engine.analysis.review_driver import GameReview, review_game
from engine.analysis.verification import explained

PARTS = ("training", "held-out", "all")


def digest_of(game: chess.pgn.Game) -> bytes:
    """A hash of the moves of a game."""
    return hashlib.sha256(" ".join(move.uci() for move in game.mainline_moves()).encode()).digest()


def is_held_out(game: chess.pgn.Game) -> bool:
    """Whether a game is held out: no change of the judgement was tuned to it."""
    return digest_of(game)[0] % 3 == 0


def games_of(path: Path, part: str) -> Iterator[chess.pgn.Game]:
    """The games of a file that belong to a part."""
    for _, game in read_games(path):
        if isinstance(game, chess.pgn.Game) and part in ("all", "held-out" if is_held_out(game) else "training"):
            yield game


def reviewed(adversary: Engine, game: chess.pgn.Game, effort: SearchEffort, folder: Path | None) -> GameReview:
    """The searches of a game, from the folder if they are there; they are what `annotate` makes with this effort."""
    path = None if folder is None else folder / f"{digest_of(game).hex()[:16]}-{effort.nodes or 'default'}.pickle"
    if path is not None and path.exists():
        stored: GameReview = pickle.loads(path.read_bytes())  # noqa: S301  written below
        return stored
    review = review_game(adversary, game.board(), list(game.mainline_moves()), effort)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(review))
    return review


def renewed(adversary: Engine, game: chess.pgn.Game, review: GameReview) -> GameReview:
    """A review with the statements of today's rules on the stored lines; threats are searched again."""
    board, verified = game.board(), dict(review.verified)
    for ply, move in enumerate(game.mainline_moves()):
        if ply in verified:
            adversary.clear()
            verified[ply] = explained(adversary, board.copy(), verified[ply], SearchEffort())
        board.push(move)
    return replace(review, verified=verified)


def main() -> None:
    """Review the games of a file, and write them with their annotation."""
    parser = argparse.ArgumentParser()
    parser.add_argument("games", type=Path)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--part", choices=PARTS, default="training")
    parser.add_argument("--nodes", type=int, help="of each search of the first round; the default effort without it")
    parser.add_argument("--annotated", type=Path)
    parser.add_argument("--renew", action="store_true", help="say anew why stored bad marks are bad, by today's rules")
    arguments = parser.parse_args()
    with Engine(hash=DEFAULT_HASH) as adversary, (arguments.annotated or Path(os.devnull)).open("w") as out:
        for game in games_of(arguments.games, arguments.part):
            review = reviewed(adversary, game, SearchEffort(nodes=arguments.nodes), arguments.folder)
            if arguments.renew:
                review = renewed(adversary, game, review)
            annotate(game, review)
            out.write(pgn_text(game))
            out.flush()
            print(f"{game.headers['White']} - {game.headers['Black']}: {len(review.evals) - 1} plies, "
                  f"{review.nodes / 1e6:.1f} million nodes", flush=True)


if __name__ == "__main__":
    main()
