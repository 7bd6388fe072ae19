"""Output of `tablebase probe` and `tablebase stats`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.cli.output import pluralize, print_object, print_warning
from engine.cli.tables import print_table
from engine.core.game import Game
from engine.lab.tablebase.opening import open_tables
from engine.system.errors import InputError
from engine.text.notation import san
from tablebase.files import TableKind
from tablebase.material import ending_of, pieces_besides_kings
from tablebase.root_ranking import (
    BLESSED_LOSS,
    CURSED_WIN,
    DRAWS,
    IS_MATED,
    LOSES,
    MATES,
    MAY_LOSE,
    MAY_WIN,
    WINS,
    RankedMove,
)
from tablebase.tables import OwnTables

_RESULTS = {
    int(grade): words for grade, words in (
        (MATES, "wins"), (WINS, "wins, but the mate may take longer than the table says: the fifty-move rule is near"),
        (MAY_WIN, "wins unless the fifty-move rule comes first"),
        (CURSED_WIN, "draws: the fifty-move rule or a repetition comes before the win"), (DRAWS, "draws"),
        (BLESSED_LOSS, "draws: the fifty-move rule or a repetition comes before the loss"),
        (MAY_LOSE, "loses unless the fifty-move rule comes first"),
        (LOSES, "loses, but the mate may take longer than the table says: the fifty-move rule is near"),
        (IS_MATED, "loses"))}
# For programs: the result, and whether the fifty-move rule cannot change it any more.
_SHORT_RESULTS = {
    int(grade): (result, is_certain) for grade, result, is_certain in (
        (MATES, "win", True), (WINS, "win", True), (MAY_WIN, "win", False), (CURSED_WIN, "draw", True),
        (DRAWS, "draw", True), (BLESSED_LOSS, "draw", True), (MAY_LOSE, "loss", False), (LOSES, "loss", True),
        (IS_MATED, "loss", True))}


def print_verdicts(game: Game, folders: Sequence[Path], as_json: bool) -> None:
    """Print who wins, and the result of each legal move, best first."""
    tables = open_tables(folders)
    reason = tables.reason_not_covered(game.position)
    if reason is not None:
        raise InputError(f"no table for {game.fen()}: {reason}")
    tables.load_for(game.position, *TableKind)
    code, ranked_moves = tables.code(game.position), tables.ranked_moves(game.position)
    for warning in tables.take_warnings():
        print_warning(warning)
    if code is None or ranked_moves is None:
        ending = ending_of(pieces_besides_kings(game.position))[0].name
        raise InputError(f"no table for {game.fen()}: {ending} is missing or damaged")
    side = "black" if game.position.side else "white"
    if as_json:
        print_object({"fen": game.fen(), "turn": side, **_outcome(code, ranked_moves[0] if ranked_moves else None),
                      "moves": [{"move": san(game, ranked.move), "uci": game.uci(ranked.move), **_outcome(0, ranked)}
                                for ranked in ranked_moves]})
        return
    print(f"{game.fen()}\n{side} to move {_in_words(code, ranked_moves[0] if ranked_moves else None)}")
    if not ranked_moves:
        return
    rows = [(san(game, ranked_move.move), _RESULTS[ranked_move.outcome_class], str(ranked_move.code)
             if ranked_move.outcome_class in (MATES, IS_MATED) else "")
            for ranked_move in ranked_moves]
    print_table(("move", f"for {side}", "plies to mate"), rows, left=(f"for {side}",))


def _outcome(code: int, ranked_move: RankedMove | None) -> dict[str, Any]:
    """The result of a move for the side that makes it; without a move, the result by the position's code."""
    if ranked_move is None:
        return {"result": "loss" if code == 1 else "draw", "certain": True, "plies": 0 if code == 1 else None}
    result, is_certain = _SHORT_RESULTS[ranked_move.outcome_class]
    is_mate = ranked_move.outcome_class in (MATES, IS_MATED)
    return {"result": result, "certain": is_certain, "plies": int(ranked_move.code) if is_mate else None}


def _in_words(code: int, best: RankedMove | None) -> str:
    """The result of a position in words, by its code and its best move under the fifty-move rule."""
    if best is None:
        return "is mated" if code == 1 else "draws: stalemate"
    if best.outcome_class in (MATES, IS_MATED):
        plies = best.code  # counted before the move
        mate = f"{pluralize((plies + 1) // 2, 'move')}, {pluralize(plies, 'ply', 'plies')}"
        return f"{_RESULTS[best.outcome_class]}: mate in {mate}"
    return _RESULTS[best.outcome_class]


def _print_stats_objects(tables: OwnTables) -> None:
    for ending in tables.outcomes.endings:
        for side, summary in enumerate(tables.outcomes.entry(ending).summary):
            is_win = summary.longest_win >= summary.longest_loss
            print_object({"ending": ending.name, "turn": ("white", "black")[side], "positions": summary.positions,
                          "wins": summary.wins, "draws": summary.draws, "losses": summary.losses,
                          "longest": summary.longest if summary.longest >= 0 else None,
                          "example": (summary.win_example if is_win else summary.loss_example) or None})


def print_stats(folders: Sequence[Path], as_json: bool) -> None:
    """Print the statistics of every table."""
    tables = open_tables(folders)
    if as_json:
        _print_stats_objects(tables)
        return
    rows = []
    positions, seconds = 0, 0.0
    for ending in tables.outcomes.endings:
        entry = tables.outcomes.entry(ending)
        seconds += entry.seconds
        for side, summary in enumerate(entry.summary):
            positions += summary.positions
            is_win = summary.longest_win >= summary.longest_loss
            example = summary.win_example if is_win else summary.loss_example
            longest = pluralize(summary.longest, "ply", "plies") if summary.longest >= 0 else ""
            rows.append((ending.name if side == 0 else "", ("white", "black")[side], f"{summary.positions:,}",
                         f"{summary.wins:,}", f"{summary.draws:,}", f"{summary.losses:,}", longest, example or "",
                         f"{entry.seconds:.1f}" if side == 0 else ""))
    print_table(("ending", "to move", "positions", "wins", "draws", "losses", "longest", "an example", "CPU s"), rows,
                left=("to move", "an example"))
    print(f"{len(tables.outcomes.endings)} endings, {positions:,} positions, {seconds:.0f} s CPU to generate")
