"""Files of puzzles: JSON, EPD, and PGN with the solution as main line and the refuted tries as variations."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import chess
import chess.pgn

from engine.analysis.pgn_reader import read_games, read_games_text
from engine.analysis.wording import moves_text
from engine.coach.puzzle import (
    Goal,
    Puzzle,
    RefutedTry,
    checked_board,
    checked_goal,
    checked_line,
    checked_rating,
    legal_line,
    puzzle_from_json,
    shorten,
)
from engine.system.errors import InputError
from engine.system.files import begins_with, numbered_lines, read_json

STARTING_SET = Path(__file__).with_name("start.puzzles.xz")
_COLUMNS = 80
_RATING = re.compile(r"rating (\d+)")
_RATING_DIGITS = 4
_SOLUTION = '; c9 "'
_CHESS960 = "chess960"  # of an EPD record
_TASKS = {Goal.WIN: "find the only winning move", Goal.SAVE: "find the only move that holds",
          Goal.MATE: "find the forced mate"}
_JSON_BEGIN, _JSON_END = "[\n", "\n]\n"
_JSON_LIST = re.compile(r"\s*(\{|\[\s*[{\]])")
_BEGINNING = 2000  # characters, in which the first line of an EPD file ends


class PuzzleFormat(NamedTuple):
    """A format of puzzle files, which can be written game by game."""

    name: str
    is_ours: Callable[[Path], bool]
    text: Callable[[Puzzle], str]
    read: Callable[[Path], Iterator[Puzzle]]
    parse: Callable[[str], Iterator[Puzzle]]
    begin: str = ""
    between: str = ""
    end: str = ""


def puzzle_format(path: Path) -> PuzzleFormat:
    """The format that a file's name asks for; InputError if it is none of them."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"{path}: expected a name that ends in .pgn, .epd or .json")
    return FORMATS[suffix]


def read_puzzles(path: Path) -> list[Puzzle]:
    """All puzzles of a file; InputError if it has none or one is invalid."""
    puzzles = list(puzzle_format(path).read(path))
    if not puzzles:
        raise InputError(f"{path} contains no puzzles")
    return puzzles


def parse_puzzles(text: str) -> list[Puzzle]:
    """All puzzles of the text of a file, in the format that it begins with; InputError as from `read_puzzles`."""
    first = text.lstrip()[:_BEGINNING].partition("\n")[0]
    suffix = ".json" if _JSON_LIST.match(text) else ".epd" if _SOLUTION in first else ".pgn"
    puzzles = list(FORMATS[suffix].parse(text))
    if not puzzles:
        raise InputError("the file contains no puzzles")
    return puzzles


@cache
def starting_puzzles() -> tuple[Puzzle, ...]:
    """The puzzles of the package: from games of masters that are in the public domain."""
    return tuple(map(puzzle_from_json, json.loads(lzma.decompress(STARTING_SET.read_bytes()))))


def _as_json(puzzle: Puzzle) -> str:
    return json.dumps(puzzle.as_json(), ensure_ascii=False)


def _read_json_file(path: Path) -> Iterator[Puzzle]:
    return _from_json(read_json(path), f"{path}, ")


def _parse_json(text: str) -> Iterator[Puzzle]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the file is not JSON: {error}") from error
    return _from_json(value)


def _from_json(value: object, prefix: str = "") -> Iterator[Puzzle]:
    if not isinstance(value, list):
        raise InputError(f"{prefix}no puzzles: expected a list")
    for number, row in enumerate(value, 1):
        try:
            yield puzzle_from_json(row)
        except InputError as error:
            raise InputError(f"{prefix}puzzle {number}: {error}") from error


def _begins_with_record(path: Path) -> bool:
    """Whether the first line of an EPD file is a puzzle as it is written here."""
    with path.open(errors="replace") as file:
        return _SOLUTION in file.readline()


def _as_epd(puzzle: Puzzle) -> str:
    board = puzzle.board()
    operations: dict[str, Any] = {
        "bm": [puzzle.solution[0]], "id": puzzle.id, "c0": f"rating {puzzle.rating}",
        "c1": _quotable(", ".join(puzzle.themes)), "c2": _quotable(puzzle.source), "c3": puzzle.goal.value,
        "c9": " ".join(move.uci() for move in puzzle.solution), "hmvc": board.halfmove_clock,
        "fmvn": board.fullmove_number}
    if puzzle.chess960:
        operations["c4"] = _CHESS960
    return board.epd(shredder=puzzle.chess960, **operations) + "\n"


def _quotable(text: str) -> str:
    return text.replace('"', "'")


def _read_epd_file(path: Path) -> Iterator[Puzzle]:
    return _from_epd(numbered_lines(path), f"{path}, ")


def _parse_epd(text: str) -> Iterator[Puzzle]:
    return _from_epd((number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip())


def _from_epd(lines: Iterable[tuple[int, str]], prefix: str = "") -> Iterator[Puzzle]:
    for number, line in lines:
        try:
            yield _puzzle_of_epd(line)
        except ValueError as error:
            raise InputError(f"{prefix}line {number}: {error}") from error


class _EpdBoard(chess.Board):
    """A board that keeps all castling rights, also for the moves of a record, until it says what it is."""

    def __init__(self, fen: str | None = chess.STARTING_FEN) -> None:
        super().__init__(fen, chess960=True)


def _puzzle_of_epd(line: str) -> Puzzle:
    record = _EpdBoard()
    try:
        operations: Mapping[str, object] = record.set_epd(line)
    except ValueError as error:
        raise InputError("not an EPD record") from error
    is_chess960 = operations.get("c4") == _CHESS960
    board = checked_board(record.fen(shredder=is_chess960), is_chess960)
    moves = operations.get("c9")
    if not isinstance(moves, str):
        raise InputError("no puzzle: its solution is missing (c9)")
    rating = _RATING.search(str(operations.get("c0")))
    themes = shorten(operations.get("c1"))
    return Puzzle(board.fen(shredder=is_chess960), checked_line(board, moves.split()),
                  checked_goal(operations.get("c3")),
                  tuple(themes.split(", ")) if "," in themes else tuple(themes.split()),
                  _rating("" if rating is None else rating[1]), source=shorten(operations.get("c2")),
                  chess960=is_chess960)


def _rating(text: str) -> int:
    return checked_rating(int(text) if text.isdecimal() and len(text) <= _RATING_DIGITS else None)


def _as_pgn(puzzle: Puzzle) -> str:
    board = puzzle.board()
    game = chess.pgn.Game()
    game.setup(board)
    result = {Goal.SAVE: "1/2-1/2"}.get(puzzle.goal, "1-0" if board.turn else "0-1")
    game.headers.update({"Event": f"Puzzle {puzzle.id}", "Site": "?", "Date": "????.??.??", "Round": "-", "White": "?",
                         "Black": "?", "Result": result, "Rating": str(puzzle.rating), "Goal": puzzle.goal.value,
                         "Themes": ", ".join(puzzle.themes), "Source": puzzle.source or "?",
                         "Mistake": puzzle.mistake or "?"})
    node: chess.pgn.GameNode = game
    for ply, move in enumerate(puzzle.solution):
        parent, node = node, node.add_main_variation(move)
        for known in puzzle.tries:
            if known.ply == ply and not parent.has_variation(known.move):
                parent.add_line([known.move, *known.refutation])
                wrong = parent.variation(known.move)
                wrong.comment, wrong.nags = known.reason, {chess.pgn.NAG_MISTAKE}
    return game.accept(chess.pgn.StringExporter(columns=_COLUMNS)) + "\n\n"


def _read_pgn_file(path: Path) -> Iterator[Puzzle]:
    return _from_pgn(read_games(path), f"{path}, ")


def _parse_pgn(text: str) -> Iterator[Puzzle]:
    return _from_pgn(read_games_text(text))


def _from_pgn(games: Iterable[tuple[int, chess.pgn.Game | str]], prefix: str = "") -> Iterator[Puzzle]:
    for number, game in games:
        if isinstance(game, str):
            raise InputError(game)
        try:
            yield _puzzle_of_game(game)
        except InputError as error:
            raise InputError(f"{prefix}game {number}: {error}") from error


def _puzzle_of_game(game: chess.pgn.Game) -> Puzzle:
    if "FEN" not in game.headers:
        raise InputError("no puzzle: it has no FEN; adversary puzzles finds the puzzles of games")
    start = game.board()
    board = checked_board(start.fen(shredder=start.chess960), start.chess960)
    solution = checked_line(board, [move.uci() for move in game.mainline_moves()])
    tries = [_try_of_variation(ply, wrong)
             for ply, node in enumerate(game.mainline()) if ply % 2 == 0 and ply < len(solution)
             for wrong in node.parent.variations[1:] if wrong.move]  # a null move is a threat, and no try
    headers = game.headers
    themes = headers.get("Themes", "")
    return Puzzle(board.fen(shredder=board.chess960), solution, checked_goal(headers.get("Goal")),
                  tuple(filter(None, themes.split(", "))), _rating(headers.get("Rating", "")), tuple(tries),
                  _known_text(headers.get("Source")), _known_text(headers.get("Mistake")), board.chess960)


def _try_of_variation(ply: int, wrong: chess.pgn.ChildNode) -> RefutedTry:
    """A wrong move with its refutation, up to the first null move."""
    refutation = takewhile(bool, wrong.mainline_moves())
    line = legal_line(wrong.parent.board(), [move.uci() for move in (wrong.move, *refutation)])
    return RefutedTry(ply, line[0], line[1:], shorten(wrong.comment))


def _known_text(text: str | None) -> str:
    return "" if text == "?" else shorten(text)


FORMATS = {
    ".pgn": PuzzleFormat("PGN file", begins_with(b"["), _as_pgn, _read_pgn_file, _parse_pgn),
    ".epd": PuzzleFormat("EPD file of puzzles", _begins_with_record, _as_epd, _read_epd_file, _parse_epd),
    ".json": PuzzleFormat("JSON file", begins_with(b"["), _as_json, _read_json_file, _parse_json, _JSON_BEGIN, ",\n",
                          _JSON_END),
}


def task_text(puzzle: Puzzle) -> str:
    """What the solver is asked, as in `After Kh8: White to move; find the forced mate.`"""
    side = chess.COLOR_NAMES[puzzle.board().turn].capitalize()
    last = f"After {puzzle.mistake}: " if puzzle.mistake else ""
    return f"{last}{side} to move; {_TASKS[puzzle.goal]}."


def about_text(puzzle: Puzzle) -> str:
    """What the solver is told afterwards, as in `rated 1100; mate in 2, smothered mate; from A - B`."""
    source = f"; from {puzzle.source}" if puzzle.source else ""
    return f"rated {puzzle.rating}; {', '.join(puzzle.themes) or 'no themes'}{source}"


def solution_text(puzzle: Puzzle) -> str:
    """The solution in SAN."""
    return moves_text(puzzle.board(), puzzle.solution)
