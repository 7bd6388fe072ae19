"""`annotate GAMES.pgn --out FILE.pgn`: add evaluations, and marks, reasons and better lines to mistakes."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import chess
import chess.pgn

from engine.analysis.accuracy import Phase, PhaseSums, PlayerAccuracy
from engine.analysis.annotation import MoveNote, annotate, pgn_text, player_name
from engine.analysis.game_queue import review_queue
from engine.analysis.graphs import accuracy_chart, evaluation_graph
from engine.analysis.marks import BAD
from engine.analysis.pgn_reader import count_games
from engine.analysis.review import DEFAULT_HASH, DEFAULT_NODES, SearchEffort
from engine.analysis.review_driver import GameReview
from engine.analysis.summary import game_summary
from engine.cli.arguments import OutputFile, OutputFolder, add_games_file, add_review
from engine.cli.output import add_json, pluralize, print_object, print_warning
from engine.cli.tables import print_table
from engine.lab.game_workers import finished_games
from engine.system.errors import InputError
from engine.system.files import begins_with, create_folder, write_file
from engine.system.resumable_file import ResumableFile, digest_of_file

_GAMES_SKIPPED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_games_file(parser)
    parser.add_argument("--out", type=OutputFile("PGN file", begins_with(b"[")), required=True, metavar="FILE.pgn",
                        help="the annotated games; an interrupted run is resumed")
    add_review(parser, "annotate", DEFAULT_NODES, DEFAULT_HASH)
    parser.add_argument("--plots", type=OutputFolder(), metavar="DIR",
                        help="draw a graph of each game, and one of the players")
    add_json(parser, "one object per game, then one per player")


def run(arguments: argparse.Namespace) -> int:
    """Annotate, print the summary, and return the exit status: 1 if a game was skipped."""
    effort = SearchEffort(arguments.movetime, arguments.nodes, arguments.depth, arguments.hash)
    total = count_games(arguments.games)
    if not total:
        raise InputError(f"{arguments.games} contains no games")
    has_new_folder = arguments.plots is not None and not arguments.plots.exists()
    if has_new_folder:
        create_folder(arguments.plots)
    with ResumableFile(arguments.out, {"games": digest_of_file(arguments.games), "effort": vars(effort)}) as file:
        skipped = _annotate_games(arguments, effort, file, total)
        if not file.rows:
            file.remove()
            if has_new_folder:
                arguments.plots.rmdir()
            raise InputError(f"none of the games in {arguments.games} could be annotated; nothing was written")
        _summarize(file, arguments)
        file.finish()
    return _GAMES_SKIPPED if skipped else 0


def _annotate_games(arguments: argparse.Namespace, effort: SearchEffort, file: ResumableFile, total: int) -> int:
    """Annotate the games that are not in the file yet; returns the number of games that were skipped."""
    done_before, skipped = file.rows[-1]["game"] if file.rows else 0, 0
    queue = review_queue(arguments.games, done_before, effort, print_warning)
    with finished_games(queue, done_before, total, address=arguments.cluster,
                        concurrency=arguments.concurrency) as finished:
        for done in finished:
            if done is None:
                skipped += 1
            else:
                pending, review = done
                _finish(pending.number, pending.game, review, file, arguments.plots)
    return skipped


def _finish(number: int, game: chess.pgn.Game, review: GameReview, file: ResumableFile, plots: Path | None) -> None:
    """Write a game, its graph, and the accuracy of its players."""
    annotation = annotate(game, review)
    white, black = (player_name(game, side) for side in chess.COLORS)
    if plots is not None:
        title = f"{white} - {black}, {game.headers.get('Event', '?')} {game.headers.get('Date', '')}"
        graph = evaluation_graph(title, annotation)
        write_file(plots / f"game-{number}.svg", graph)
    notes = [_note_row(number, note) for note in annotation.notes]
    marked = [[row for note, row in zip(annotation.notes, notes, strict=True)
               if note.mark and note.side == side] for side in chess.COLORS]
    file.add(pgn_text(game), {"game": number, "white": [white, asdict(annotation.white), marked[0]],
                             "black": [black, asdict(annotation.black), marked[1]],
                             "summary": game_summary(annotation, game.board(), white, black)})


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
            players.setdefault(name, PlayerAccuracy()).add_all([_accuracy_from_row(counts)])
            marked.setdefault(name, []).extend(moves)
    ranked = sorted(players.items(), key=lambda item: (-(item[1].accuracy or 0.0), item[0]))
    if arguments.plots is not None and ranked:
        chart = accuracy_chart([(name, player.accuracy) for name, player in ranked if player.accuracy is not None])
        write_file(arguments.plots / "players.svg", chart)
    if arguments.json:
        for row in file.rows:
            print_object({"type": "game", "game": row["game"], "white": row["white"][0], "black": row["black"][0],
                          "summary": row["summary"]})
        for name, player in ranked:
            print_object({"type": "player", **_as_json(name, player), "marked": marked[name]})
        return
    headings = ("player", "games", "moves", "accuracy", *(phase.value for phase in Phase), "loss per move",
                *(mark.text for mark in BAD), "played like")
    print_table(headings, [
        (name, str(player.games), str(player.moves), _percent(player.accuracy),
         *(_percent(player.phase_accuracy(phase)) for phase in Phase), f"{player.average_loss / 100:.2f}",
         *(str(player.of(mark)) for mark in BAD), _range_text(player)) for name, player in ranked])
    print("loss per move: without theory, recaptures and forced moves; "
          "played like: nine of ten such players, on the scale of Stockfish's levels; -: too little was at stake")
    print(f"{pluralize(len(file.rows), 'game')} in {file.path}")
    if len(file.rows) == 1:
        for sentence in file.rows[0]["summary"]:
            print(sentence)


def _accuracy_from_row(row: Mapping[str, Any]) -> PlayerAccuracy:
    """A player's accuracy from a journal entry."""
    sums = {phase: PhaseSums(**values) for phase, values in row["sums"].items()}
    return PlayerAccuracy(**{**row, "sums": sums})


def _percent(accuracy: float | None) -> str:
    return "-" if accuracy is None else f"{accuracy:.1f} %"


def _round_accuracy(accuracy: float | None) -> float | None:
    return None if accuracy is None else round(accuracy, 2)


def _range_text(player: PlayerAccuracy) -> str:
    return "-" if player.rating_range is None else str(player.rating_range)


def _as_json(name: str, player: PlayerAccuracy) -> dict[str, Any]:
    phases = {phase.value: player.phase_accuracy(phase) for phase in Phase}
    return {"player": name, "games": player.games, "moves": player.moves, "accuracy": _round_accuracy(player.accuracy),
            "phases": {phase: _round_accuracy(accuracy) for phase, accuracy in phases.items()},
            "rating": None if player.rating_range is None else list(player.rating_range),
            "average_loss": round(player.average_loss, 1), "mistakes": player.counts}
