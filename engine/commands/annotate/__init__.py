"""`annotate GAMES.pgn --out FILE.pgn`: add evaluations, and marks, reasons and better lines to mistakes."""

from __future__ import annotations

import argparse
import hashlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import chess
import chess.pgn

from engine.analysis.accuracy import Phase, PlayerAccuracy
from engine.analysis.annotation import MoveNote, annotate, pgn_text
from engine.analysis.lookup import theory_plies
from engine.analysis.marks import BAD
from engine.analysis.move_verdicts import GameReview
from engine.analysis.pgn_reader import count_games, read_games
from engine.analysis.review import DEFAULT_NODES, PositionEval, SearchEffort, slices_of
from engine.analysis.verification import candidates_of
from engine.analysis.workers import cancel_all, resume, review_slice, verify_candidate
from engine.arena.cluster import cluster
from engine.arena.executors import threads
from engine.commands.annotate.graphs import accuracy_chart, evaluation_graph
from engine.commands.annotate.journal import ResumableFile, accuracy_from_row, accuracy_to_row
from engine.commands.shared.arguments import (
    OutputFile,
    OutputFolder,
    add_concurrency,
    add_hash,
    in_file,
    milliseconds,
    plies,
    positive,
    text,
)
from engine.commands.shared.interruption import stop_on_interrupt
from engine.commands.shared.output import add_json, pluralize, print_object, print_warning
from engine.commands.shared.progress import progress_bar
from engine.commands.shared.tables import print_table
from engine.system.errors import InputError
from engine.system.files import begins_with, create_folder
from engine.system.host import usable_cores

_SLICES_AHEAD = 2  # for each worker
_GAMES_SKIPPED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("games", type=in_file, metavar="GAMES.pgn",
                        help="the games, also compressed (.gz, .xz, .bz2, .zip)")
    parser.add_argument("--out", type=OutputFile("PGN file", begins_with(b"[")), required=True, metavar="FILE.pgn",
                        help="the annotated games; an interrupted run is resumed")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--nodes", type=positive, metavar="N",
                        help=f"nodes per position (default {DEFAULT_NODES}); moves in doubt get four times as many and "
                             "more: the same result every time")
    limits.add_argument("--depth", type=plies, metavar="D", help="plies per position instead: as reproducible")
    parser.add_argument("--movetime", type=milliseconds, metavar="MS",
                        help="at most so many milliseconds per position: the result then depends on the machine")
    add_hash(parser, 16)
    add_concurrency(parser)
    parser.add_argument("--cluster", type=text, metavar="ADDRESS", help="annotate on the dask cluster at tcp://...")
    parser.add_argument("--plots", type=OutputFolder(), metavar="DIR",
                        help="draw a graph of each game, and one of the players")
    add_json(parser, "one object per player")


@dataclass
class Pending:
    """A game under review."""

    number: int  # in the file, from 1
    game: chess.pgn.Game
    parts: list[Future[list[PositionEval]]]

    def review(self, effort: SearchEffort, executor: Executor) -> GameReview:
        """Wait for all slices, have the moves in doubt searched again, and return all searches of the game."""
        evals = [position_eval for part in self.parts for position_eval in part.result()]
        board, moves = self.game.board(), list(self.game.mainline_moves())
        candidates = candidates_of(board, moves, evals, effort, theory_plies(board, moves))
        verified = [executor.submit(verify_candidate, candidate) for candidate in candidates]
        return GameReview(evals, {candidate.ply: future.result()
                                  for candidate, future in zip(candidates, verified, strict=True)})


def run(arguments: argparse.Namespace) -> int:
    """Annotate, print the summary, and return the exit status: 1 if a game was skipped."""
    effort = SearchEffort(arguments.movetime, arguments.nodes, arguments.depth, arguments.hash)
    total = count_games(arguments.games)
    if not total:
        raise InputError(f"{arguments.games} contains no games")
    has_new_folder = arguments.plots is not None and not arguments.plots.exists()
    if has_new_folder:
        create_folder(arguments.plots)
    file = ResumableFile(arguments.out, {"games": _digest(arguments.games), "effort": vars(effort)})
    skipped = 0
    with _workers(arguments) as (executor, width), progress_bar(total) as show, stop_on_interrupt(cancel_all):
        try:
            for pending in _pending(arguments.games, effort, file, executor, width):
                if isinstance(pending, str):
                    print_warning(f"skipped {pending}")
                    skipped += 1
                else:
                    _finish(pending, pending.review(effort, executor), file, arguments.plots)
                    show(pending.number, "games")
        finally:
            cancel_all()
    if not file.rows:
        file.remove()
        if has_new_folder:
            arguments.plots.rmdir()
        raise InputError(f"none of the games in {arguments.games} could be annotated; nothing was written")
    _summarize(file, arguments)
    file.finish()
    return _GAMES_SKIPPED if skipped else 0


def _workers(arguments: argparse.Namespace) -> AbstractContextManager[tuple[Executor, int]]:
    resume()
    if arguments.cluster is not None:
        return cluster(arguments.cluster)
    return threads(arguments.concurrency or usable_cores())


def _digest(path: Path) -> str:
    """The digest of a file, to recognize it when a run is resumed."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:16]


def _pending(path: Path, effort: SearchEffort, file: ResumableFile, executor: Executor,
             width: int) -> Iterator[Pending | str]:
    """Yield the games that are still to be annotated, in order, after submitting their slices to the workers.

    An invalid game is replaced by an error message.
    """
    done = file.rows[-1]["game"] if file.rows else 0
    waiting: deque[Pending | str] = deque()
    parts = 0
    for number, game in read_games(path, print_warning):
        if number <= done:
            continue
        if isinstance(game, str):
            waiting.append(game)
            continue
        moves = list(game.mainline_moves())
        slices = slices_of(game.board(), moves, effort)
        waiting.append(Pending(number, game, [executor.submit(review_slice, part) for part in slices]))
        parts += len(slices)
        while parts > _SLICES_AHEAD * width and len(waiting) > 1:
            first = waiting.popleft()
            parts -= len(first.parts) if isinstance(first, Pending) else 0
            yield first
    yield from waiting


def _finish(pending: Pending, review: GameReview, file: ResumableFile, plots: Path | None) -> None:
    """Write a game, its graph, and the accuracy of its players."""
    game = pending.game
    annotation = annotate(game, review)
    white, black = (game.headers.get(side, "?") for side in ("White", "Black"))
    if plots is not None:
        title = f"{white} - {black}, {game.headers.get('Event', '?')} {game.headers.get('Date', '')}"
        graph = evaluation_graph(title, annotation)
        (plots / f"game-{pending.number}.svg").write_text(graph, encoding="utf-8")
    notes = [_note_row(pending.number, note) for note in annotation.notes]
    marked = [[row for note, row in zip(annotation.notes, notes, strict=True)
               if note.mark and note.side == side] for side in chess.COLORS]
    file.add(pgn_text(game), {"game": pending.number, "white": [white, accuracy_to_row(annotation.white), marked[0]],
                             "black": [black, accuracy_to_row(annotation.black), marked[1]]})


def _note_row(game: int, note: MoveNote) -> dict[str, Any]:
    """A marked move as JSON: with the claim, so that the reason can be proven again."""
    return {"game": game, "ply": note.ply, "san": note.san, "mark": note.mark, "lost": round(note.lost, 4),
            "reason": note.reason, "claim": None if note.claim is None else asdict(note.claim)}


def _summarize(file: ResumableFile, arguments: argparse.Namespace) -> None:
    """Print the accuracy of every player, and draw it."""
    players: dict[str, PlayerAccuracy] = {}
    marked: dict[str, list[dict[str, Any]]] = {}
    for row in file.rows:
        for name, counts, moves in (row["white"], row["black"]):
            players.setdefault(name, PlayerAccuracy()).add_all([accuracy_from_row(counts)])
            marked.setdefault(name, []).extend(moves)
    ranked = sorted(players.items(), key=lambda item: (-item[1].accuracy, item[0]))
    if arguments.plots is not None and ranked:
        chart = accuracy_chart([(name, player.accuracy) for name, player in ranked])
        (arguments.plots / "players.svg").write_text(chart, encoding="utf-8")
    if arguments.json:
        for name, player in ranked:
            print_object({**_as_json(name, player), "marked": marked[name]})
        return
    headings = ("player", "games", "moves", "accuracy", *(phase.value for phase in Phase), "loss per move",
                *(mark.text for mark in BAD), "played like")
    print_table(headings, [
        (name, str(player.games), str(player.moves), f"{player.accuracy:.1f} %",
         *(_percent(player.phase_accuracy(phase)) for phase in Phase), f"{player.average_loss / 100:.2f}",
         *(str(player.of(mark)) for mark in BAD), _range_text(player)) for name, player in ranked])
    print("loss per move: without theory, recaptures and forced moves; "
          "played like: on the scale of Stockfish's levels, - if too few moves count")
    print(f"{pluralize(len(file.rows), 'game')} in {file.path}")


def _percent(accuracy: float | None) -> str:
    return "-" if accuracy is None else f"{accuracy:.1f} %"


def _range_text(player: PlayerAccuracy) -> str:
    return "-" if player.rating_range is None else str(player.rating_range)


def _as_json(name: str, player: PlayerAccuracy) -> dict[str, Any]:
    phases = {phase.value: player.phase_accuracy(phase) for phase in Phase}
    return {"player": name, "games": player.games, "moves": player.moves, "accuracy": round(player.accuracy, 2),
            "phases": {phase: None if accuracy is None else round(accuracy, 2) for phase, accuracy in phases.items()},
            "rating": None if player.rating_range is None else list(player.rating_range),
            "average_loss": round(player.average_loss, 1), "mistakes": player.counts}
