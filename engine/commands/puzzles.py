"""`puzzles GAMES.pgn --out FILE`: find the positions of games in which exactly one move wins, saves or mates."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import chess.pgn

from engine.analysis.game_queue import GameQueue
from engine.analysis.pgn_reader import count_games
from engine.analysis.review import DEFAULT_HASH, DEFAULT_NODES, SearchEffort
from engine.cli.arguments import add_games_file, add_hash, add_workers, plies, positive
from engine.cli.output import add_json, pluralize, print_object, print_warning
from engine.coach.puzzle import Puzzle
from engine.coach.puzzle_files import PuzzleFormat, puzzle_format
from engine.coach.puzzle_finder import PuzzleRounds
from engine.lab.game_workers import finished_games
from engine.system.errors import InputError
from engine.system.files import check_target, user_path
from engine.system.resumable_file import ResumableFile, digest_of_file

_GAMES_SKIPPED = 1
_CLOSED = "closed"  # in the journal: the text after the last puzzle is written


@dataclass(frozen=True)
class PuzzleFile:
    """A file of puzzles to be written."""

    def __call__(self, text: str) -> Path:
        """Return its path; ArgumentTypeError if it cannot or must not be written."""
        try:
            path = user_path(text)
            form = puzzle_format(path)
            check_target(path, form.is_ours, form.name)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
        return path


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_games_file(parser)
    parser.add_argument("--out", type=PuzzleFile(), required=True, metavar="FILE",
                        help="the puzzles: .pgn, .epd or .json; an interrupted run is resumed")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--nodes", type=positive, default=DEFAULT_NODES, metavar="N",
                        help=f"nodes for what may be a puzzle (default {DEFAULT_NODES}), an eighth for each position, "
                             "ten times as many to accept one: the same result every time")
    limits.add_argument("--depth", type=plies, metavar="D", help="plies instead, three fewer for each position, up to "
                        "two more to accept a puzzle: as reproducible")
    add_hash(parser, DEFAULT_HASH)
    add_workers(parser, "search")
    add_json(parser, "one object: how many puzzles, by theme")


def run(arguments: argparse.Namespace) -> int:
    """Find the puzzles, print how many, and return the exit status: 1 if a game was skipped."""
    effort = SearchEffort(nodes=None if arguments.depth else arguments.nodes, depth=arguments.depth,
                          hash=arguments.hash)
    total = count_games(arguments.games)
    if not total:
        raise InputError(f"{arguments.games} contains no games")
    with ResumableFile(arguments.out, {"games": digest_of_file(arguments.games), "effort": vars(effort),
                                       "what": "puzzles"}) as file:
        trailing = _search_games(arguments, effort, file, total)
        if not file.rows:
            file.remove()
            raise InputError(f"none of the games in {arguments.games} could be searched; nothing was written")
        puzzles = sum(row["puzzles"] for row in file.rows)
        if not puzzles:
            file.remove()
            raise InputError(f"no puzzles in {arguments.games}: after no mistake does exactly one move win, save or "
                             "mate; nothing was written")
        if _CLOSED not in file.rows[-1]:
            last = {"game": total, "puzzles": 0, "ids": [], "themes": [], "skipped": trailing, _CLOSED: True}
            file.add(puzzle_format(file.path).end, last)
        _summarize(file, arguments)
        file.finish()
    return _GAMES_SKIPPED if any(row.get("skipped") for row in file.rows) else 0


def _search_games(arguments: argparse.Namespace, effort: SearchEffort, file: ResumableFile, total: int) -> int:
    """Write the puzzles of the games that are not in the file yet; returns how many were skipped after the last."""
    def begin(game: chess.pgn.Game) -> PuzzleRounds:
        return PuzzleRounds(game.board(), list(game.mainline_moves()), effort, _title(game))

    done_before = file.rows[-1]["game"] if file.rows else 0
    queue = GameQueue(arguments.games, done_before, begin, print_warning)
    known = {name for row in file.rows for name in row["ids"]}  # openings repeat positions
    written, form, skipped = sum(row["puzzles"] for row in file.rows), puzzle_format(file.path), 0
    with finished_games(queue, done_before, total, address=arguments.cluster,
                        concurrency=arguments.concurrency) as finished:
        for done in finished:
            if done is None:
                skipped += 1
                continue
            pending, puzzles = done
            fresh = [puzzle for puzzle in puzzles if puzzle.id not in known]
            known |= {puzzle.id for puzzle in fresh}
            file.add(_join(form, fresh, is_first=not written), {
                "game": pending.number, "puzzles": len(fresh), "ids": [puzzle.id for puzzle in fresh],
                "themes": [theme for puzzle in fresh for theme in puzzle.themes], "skipped": skipped})
            written, skipped = written + len(fresh), 0
    return skipped


def _title(game: chess.pgn.Game) -> str:
    """The name of a game, as in `Morphy - Isouard, Paris 1858`; of unknown players, `C57 1951`."""
    headers = game.headers
    players = [headers.get(side, "?") for side in ("White", "Black")]
    event = headers.get("Event", "?")
    where = event if event != "?" else headers.get("ECO", "?") if players == ["?", "?"] else "?"
    known = (text for text in (where, headers.get("Date", "").partition(".")[0]) if text.strip("?"))
    return ", ".join(filter(None, ("" if players == ["?", "?"] else " - ".join(players), " ".join(known)))) or "a game"


def _join(form: PuzzleFormat, puzzles: Sequence[Puzzle], *, is_first: bool) -> str:
    """The text of some puzzles, to be appended to a file."""
    if not puzzles:
        return ""
    return (form.begin if is_first else form.between) + form.between.join(map(form.text, puzzles))


def _summarize(file: ResumableFile, arguments: argparse.Namespace) -> None:
    games = sum(_CLOSED not in row for row in file.rows)
    puzzles = sum(row["puzzles"] for row in file.rows)
    themes = Counter(theme for row in file.rows for theme in row["themes"])
    if arguments.json:
        print_object({"games": games, "puzzles": puzzles, "themes": dict(themes.most_common())})
        return
    print(", ".join(f"{theme} {number}" for theme, number in themes.most_common()))
    print(f"{pluralize(puzzles, 'puzzle')} from {pluralize(games, 'game')} in {file.path}")
