"""The games of a player in a PGN file: which they are, and which of them have to be reviewed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import chess
import chess.pgn

from engine.analysis.annotation import annotate, pgn_text
from engine.analysis.move_verdicts import classify_game
from engine.analysis.pgn_reader import Warn, read_games, read_headers
from engine.analysis.review_driver import GameReview
from engine.coach.player_names import find_player
from engine.coach.report_games import ReportGame, annotated_verdicts, game_facts, judge_moves
from engine.system.errors import InputError

Sides = Mapping[int, chess.Color]  # of the player, by the number of the game in the file


def games_of_player(path: Path, wanted: str) -> tuple[list[str], Sides]:
    """The spellings of the player, the most frequent first, and the player's side in each game of the player."""
    sides, games = list[tuple[int, chess.Color, str]](), Counter[str]()
    number = 0
    for number, headers in read_headers(path):
        for color, header in ((chess.WHITE, "White"), (chess.BLACK, "Black")):
            name = headers.get(header, "?").strip()
            if name.strip("?"):
                games[name] += 1
                sides.append((number, color, name))
    if not number:
        raise InputError(f"{path} contains no games")
    names = find_player(wanted, games)
    return (sorted(names, key=lambda name: (-games[name], name)),
            {number: color for number, color, name in reversed(sides) if name in names})


def read_report_games(path: Path, sides: Sides, warn: Warn,
                      show: Callable[[int, str], None]) -> tuple[dict[int, ReportGame], set[int], list[str]]:
    """The player's games, those among them to be reviewed, and what is wrong with the games that cannot be read."""
    games, pending, problems = dict[int, ReportGame](), set[int](), list[str]()
    for done, (number, game) in enumerate(read_games(path, warn, sides), 1):
        show(done, "games read")
        if isinstance(game, str):
            problems.append(game)
            continue
        games[number] = game_facts(number, game, sides[number])
        verdicts = annotated_verdicts(game)
        if verdicts is None:
            pending.add(number)
        else:
            games[number] = judge_moves(games[number], game, verdicts)
    return games, pending, problems


def reviewed_game(number: int, game: chess.pgn.Game, review: GameReview,
                  side: chess.Color) -> tuple[str, dict[str, Any]]:
    """A game that was reviewed: its PGN with annotations, and what the report keeps of it; annotates `game`."""
    verdicts = classify_game(game.board(), list(game.mainline_moves()), review)
    row = judge_moves(game_facts(number, game, side), game, verdicts).as_row()
    annotate(game, review)
    return pgn_text(game), row
