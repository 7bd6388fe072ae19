"""`analyse FEN`: the best moves of a position, or of every position of a file, with score, WDL and line."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chess

from engine.analysis.engine import Engine
from engine.analysis.lookup import ending_text, last_opening, tb_verdict_text
from engine.analysis.results import AnalysisInfo
from engine.cli.arguments import add_hash, add_limits, add_threads, movetime_of, option_range, text
from engine.cli.interruption import is_interrupted, stop_on_interrupt
from engine.cli.output import add_json, as_object, print_object, print_warning
from engine.cli.tables import live_table, print_table
from engine.system.errors import InputError
from engine.system.files import numbered_lines
from engine.system.host import INTERRUPTED_STATUS
from engine.text.notation import START, parse_position, play_moves, read_epd, to_board_with_history

_DEFAULT_MOVETIME = 2000  # milliseconds
_SHOWN_PLIES = 16  # of a line that does not mate
_HEADINGS = ("move", "score", "white wins", "draw", "black wins", "depth", "line")
_TEXTS = ("line",)
_LINES_SKIPPED = 1
_TAG_PAIR = re.compile(r'\[\w+ "')  # how a game in PGN begins


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("position", nargs="*", type=text, default=[START], metavar="FEN",
                        help="a FEN, `startpos`, or a file of positions, one per line (default: startpos)")
    parser.add_argument("--moves", nargs="+", type=text, default=[], metavar="MOVE",
                        help="moves from there: e4 or e2e4")
    add_limits(parser, "position", _DEFAULT_MOVETIME)
    parser.add_argument("--multipv", type=option_range("MultiPV"), default=3, metavar="K",
                        help="number of lines (default 3)")
    add_threads(parser)
    add_hash(parser)
    parser.add_argument("--chess960", action="store_true", help="castle by the rules of Chess960")
    add_json(parser, "one object per position")


def run(arguments: argparse.Namespace) -> int:
    """Analyse, print, and return the exit status."""
    boards, warnings = _boards(arguments)
    for warning in warnings:
        print_warning(f"skipped {warning}")
    if not boards:
        raise InputError("no position to analyse")
    with Engine(threads=arguments.threads, hash=arguments.hash) as engine:
        for number, board in enumerate(boards):
            if number and not arguments.json:
                print()
            infos = [] if ending_text(board) else _search(engine, board, arguments)
            if arguments.json:
                print_object(_as_json(board, infos))
            else:
                _print_board(board)
                _print_lines(board, infos)
            if is_interrupted():
                return INTERRUPTED_STATUS
    return _LINES_SKIPPED if warnings else 0


def _boards(arguments: argparse.Namespace) -> tuple[list[chess.Board], list[str]]:
    """The positions with their move history, and a warning for each invalid line of a file."""
    text = " ".join(arguments.position)
    path = Path(text)
    if text == START or not (text.endswith(".epd") or os.path.exists(path)):  # noqa: PTH110  any text may be a path
        return [_board(text, arguments.moves, arguments.chess960)], []
    boards, warnings = [], []
    lines = numbered_lines(path)
    if lines and _TAG_PAIR.match(lines[0][1]):
        raise InputError(f"{path} holds games, not positions: `adversary annotate` analyses them")
    for number, line in lines:
        try:
            board, _ = read_epd(line, arguments.chess960)
            boards.append(_board(board.fen(), arguments.moves, arguments.chess960))
        except ValueError as error:
            warnings.append(f"{path}, line {number}: {error}")
    return boards, warnings


def _board(text: str, moves: Sequence[str], chess960: bool) -> chess.Board:
    game = parse_position(text, chess960)
    play_moves(game, moves)
    return to_board_with_history(game)


def _search(engine: Engine, board: chess.Board, arguments: argparse.Namespace) -> list[AnalysisInfo]:
    """The best lines of a position, displayed while they change; after Ctrl-C, the lines so far."""
    movetime = movetime_of(arguments, _DEFAULT_MOVETIME)
    best: dict[int, AnalysisInfo] = {}
    with stop_on_interrupt(engine.stop), live_table(_TEXTS) as show:
        for info in engine.analyse(board, movetime=movetime, depth=arguments.depth, nodes=arguments.nodes,
                                   multipv=arguments.multipv):
            best[info.number] = info
            show(f"{info.nodes:,} nodes, {info.seconds:.1f} s", _HEADINGS, _rows(board, _rank_lines(best)))
    return _rank_lines(best)


def _rank_lines(best: dict[int, AnalysisInfo]) -> list[AnalysisInfo]:
    """One line per move: from the last iteration, or the one before where it was stopped early."""
    deepest: dict[chess.Move, AnalysisInfo] = {}
    for number in sorted(best):
        known = deepest.get(best[number].move)
        if known is None or known.depth < best[number].depth:
            deepest[best[number].move] = best[number]
    return sorted(deepest.values(), key=lambda info: info.number)


def _rows(board: chess.Board, infos: Sequence[AnalysisInfo]) -> list[tuple[str, ...]]:
    rows = []
    for info in infos:
        score = info.score.white()
        shown = info.line[:_SHOWN_PLIES] if score.mate is None else info.line
        rows.append((board.san(info.move), str(score), *(f"{part / 10:.1f} %" for part in score.wdl),
                     str(info.depth), board.variation_san(shown)))
    return rows


def _print_board(board: chess.Board) -> None:
    for rank, row in zip(range(8, 0, -1), str(board).splitlines(), strict=True):
        print(f" {rank}  {row}")
    print("    a b c d e f g h")
    print(f"{chess.COLOR_NAMES[board.turn]} to move{', in check' if board.is_check() else ''}: {board.fen()}")
    for name, value in (("opening", last_opening(board)), ("endgame tables", tb_verdict_text(board))):
        if value is not None:
            print(f"{name}: {value}")


def _print_lines(board: chess.Board, infos: Sequence[AnalysisInfo]) -> None:
    if infos:
        print_table(_HEADINGS, _rows(board, infos), left=_TEXTS)
        last = max(infos, key=lambda info: info.nodes)
        print(f"scores are White's; {last.nodes:,} nodes in {last.seconds:.2f} s")
    else:
        print(ending_text(board) or "no line was found in time")


def _as_json(board: chess.Board, infos: Sequence[AnalysisInfo]) -> dict[str, Any]:
    return {
        "fen": board.fen(), "turn": chess.COLOR_NAMES[board.turn], "check": board.is_check(),
        "ending": ending_text(board), "opening": as_object(last_opening(board)), "table": tb_verdict_text(board),
        "lines": [_line_as_json(board, info) for info in infos]}


def _line_as_json(board: chess.Board, info: AnalysisInfo) -> dict[str, Any]:
    score, cursor, sans = info.score.white(), board.copy(stack=False), []
    for move in info.line:
        sans.append(cursor.san(move))
        cursor.push(move)
    return {"move": sans[0], "centipawns": score.centipawns, "mate": score.mate, "wdl": list(score.wdl),
            "bound": info.bound, "depth": info.depth, "seldepth": info.seldepth, "nodes": info.nodes,
            "seconds": round(info.seconds, 3), "line": sans, "uci": [move.uci() for move in info.line]}
