"""`explain FEN`: explain a position or a move in words, by a search and the features where its line has settled.

`--all` prints every term of the static evaluation instead.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

import chess
import chess.svg

from engine.analysis.engine import EXPLANATION_NODES, Engine
from engine.analysis.explain import explain_board
from engine.analysis.results import Score
from engine.analysis.review import SearchEffort
from engine.cli.arguments import in_file, milliseconds, plies, positive, svg_file, text
from engine.cli.interruption import stop_on_interrupt
from engine.cli.output import add_json, print_object
from engine.cli.tables import print_table
from engine.core.game import Game
from engine.system.files import write_file
from engine.text.eval_table import HEADINGS, PIECE_HEADINGS, network_summary, piece_rows, rows, summary
from engine.text.explained_position import (
    ExplainedPosition,
    change_lines,
    explained_position,
    picture,
    terms_as_object,
)
from engine.text.notation import START, parse_move, parse_position, san, to_board_with_history
from eval.evaluator import BUILT_IN, evaluator_named
from eval.wdl import WdlModel
from eval.weight_file import read_weight_file
from eval.weights import load_weights


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("position", nargs="*", type=text, default=[START], metavar="FEN",
                        help="the position: a FEN, quoted or not, or `startpos`; then optionally `moves e4 e5 ...`")
    parser.add_argument("--move", type=text, metavar="MOVE",
                        help="explain this move (Nf3 or g1f3)")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--nodes", type=positive, metavar="N", help=f"nodes per search (default {EXPLANATION_NODES})")
    limits.add_argument("--depth", type=plies, metavar="D", help="plies per search")
    limits.add_argument("--movetime", type=milliseconds, metavar="MS",
                        help="milliseconds per search: the result then depends on the machine")
    parser.add_argument("--all", action="store_true", help="all terms of the evaluation, without a search")
    add_json(parser, "one object")
    parser.add_argument("--svg", type=svg_file, metavar="FILE.svg", help="draw the board and the main terms")
    parser.add_argument("--weights", type=in_file, metavar="FILE.json",
                        help="explain with these weights of the features")
    parser.add_argument("--network", type=text, metavar="FILE",
                        help="with --all or --svg: the network to explain as well (default: the built-in one), or "
                        "`features` for none")
    parser.add_argument("--chess960", action="store_true", help="castle by the rules of Chess960")


def run(arguments: argparse.Namespace) -> int:
    """Explain, print, and return the exit status."""
    weights = load_weights(arguments.weights)
    game = parse_position(" ".join(arguments.position), arguments.chess960)
    model = WdlModel(*read_weight_file(arguments.weights).outcome)
    evaluation = evaluator_named(arguments.network or BUILT_IN, weights)
    explained = explained_position(game, evaluation, model)
    moved = None
    if arguments.move is not None:
        after = game.copy()
        after.push_uci(game.uci(parse_move(game, arguments.move)))
        moved = explained_position(after, evaluation, model)
    if arguments.all and arguments.json:
        print_object(terms_as_object(explained, moved))
    elif arguments.all:
        _print_table(moved or explained)
        if moved is not None:
            _print_changes(explained, moved)
    else:
        _print_explanation(game, moved, arguments)
    if arguments.svg is not None:
        write_file(arguments.svg, picture(explained, moved))
    return 0


def _print_explanation(game: Game, moved: ExplainedPosition | None, arguments: argparse.Namespace) -> None:
    """Search, and print the explanation."""
    has_limit = arguments.movetime or arguments.depth
    nodes = arguments.nodes or (None if has_limit else EXPLANATION_NODES)
    effort = SearchEffort(arguments.movetime, nodes, arguments.depth)
    board = to_board_with_history(game)
    move = None if moved is None else board.parse_uci(game.uci(moved.game.moves[-1]))
    with Engine() as engine, stop_on_interrupt(engine.stop):
        explanation = explain_board(engine, board, move, effort, load_weights(arguments.weights))
    if arguments.json:
        print_object({"fen": board.fen(), **asdict(explanation), "score": _score_as_object(explanation.score),
                      "move_score": _score_as_object(explanation.move_score)})
        return
    for line in explanation.lines():
        print(line)


def _score_as_object(score: Score | None) -> dict[str, Any] | None:
    return None if score is None else {**asdict(score), "side": chess.COLOR_NAMES[score.side]}


def _print_table(explained: ExplainedPosition) -> None:
    listed = list(rows(explained.explanation))
    print_table(HEADINGS, [row.cells for row in listed],
                bold=[number for number, row in enumerate(listed) if row.is_group])
    for line in summary(explained.explanation, *explained.verdict):
        print(line)
    if explained.by_network is not None:
        print()
        for line in network_summary(explained.by_network):
            print(line)
        print()
        print_table(PIECE_HEADINGS, piece_rows(explained.by_network.pieces))


def _print_changes(before: ExplainedPosition, after: ExplainedPosition) -> None:
    mover = int(before.game.position.side)
    gain = (after.explanation.score - before.explanation.score) * (-1 if mover else 1)
    print(f"\n{san(before.game, after.game.moves[-1])} changes the evaluation by {gain:+} centipawns for "
          f"{'black' if mover else 'white'}, who moves:")
    for line in change_lines(before, after):
        print(f"  {line}")
    if before.by_network is not None and after.by_network is not None:
        difference = (after.by_network.verdict.score - before.by_network.verdict.score) * (-1 if mover else 1)
        print(f"by the network it changes by {difference:+}")
