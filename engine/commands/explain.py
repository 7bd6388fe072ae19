"""`explain FEN`: explain a position or a move in words, by a search and the features where its line has settled.

`--all` prints every term of the static evaluation instead.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass
from typing import Any
from xml.sax.saxutils import escape

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
from engine.text.display import NetworkExplanation, network_explanation
from engine.text.eval_table import HEADINGS, PIECE_HEADINGS, centipawns, network_summary, piece_rows, rows, summary
from engine.text.notation import START, parse_move, parse_position, san, to_board, to_board_with_history
from eval.evaluator import BUILT_IN, Evaluator, evaluator_named
from eval.explain import PARTS_PER_CENTIPAWN, EvalBreakdown, compare, explain
from eval.phrases import change_text, opened_files
from eval.piece_worth import PieceWorth
from eval.wdl import Wdl, WdlModel, material_on, normalized_score, wdl_of
from eval.weight_file import read_weight_file
from eval.weights import load_weights

_MAIN_TERMS = 12  # of a picture
_LEAST_PARTS = PARTS_PER_CENTIPAWN // 2  # half a centipawn: smaller changes are not reported
_BOARD, _TEXT_WIDTH, _LINE = 420, 560, 24  # pixels
_SVG_MARGIN, _SVG_SQUARE, _SVG_SIZE = 15, 45, 390  # of python-chess's boards, which are scaled to _BOARD


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


@dataclass(frozen=True)
class ExplainedPosition:
    """A position and its breakdown."""

    game: Game
    explanation: EvalBreakdown
    model: WdlModel  # the WDL model in the weight file
    by_network: NetworkExplanation | None  # None with `features`

    @property
    def verdict(self) -> tuple[int, Wdl]:
        """White's displayed score and WDL."""
        material = material_on(self.game.position.board.tolist())
        score = self.explanation.score
        return normalized_score(score, material, self.model), wdl_of(score, material, self.model)


def run(arguments: argparse.Namespace) -> int:
    """Explain, print, and return the exit status."""
    weights = load_weights(arguments.weights)
    game = parse_position(" ".join(arguments.position), arguments.chess960)
    model = WdlModel(*read_weight_file(arguments.weights).outcome)
    evaluation = evaluator_named(arguments.network or BUILT_IN, weights)
    scene = _scene(game, evaluation, model)
    moved = None
    if arguments.move is not None:
        after = game.copy()
        after.push_uci(game.uci(parse_move(game, arguments.move)))
        moved = _scene(after, evaluation, model)
    if arguments.all and arguments.json:
        print_object(_terms_as_object(scene, moved))
    elif arguments.all:
        _print_table(moved or scene)
        if moved is not None:
            _print_changes(scene, moved)
    else:
        _print_explanation(game, moved, arguments)
    if arguments.svg is not None:
        write_file(arguments.svg, _picture(scene, moved))
    return 0


def _scene(game: Game, evaluation: Evaluator, model: WdlModel) -> ExplainedPosition:
    by_network = None if evaluation.network is None else network_explanation(game.position, evaluation)
    return ExplainedPosition(game, explain(game.position, evaluation.weights), model, by_network)


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


def _terms_as_object(scene: ExplainedPosition, moved: ExplainedPosition | None) -> dict[str, Any]:
    """All terms of the position, or of the position after the move, White's."""
    shown = moved or scene
    score, wdl = shown.verdict
    return {"fen": shown.game.fen(), "move": None if moved is None else san(scene.game, moved.game.moves[-1]),
            "phase": round(shown.explanation.phase_share, 4), "scale": round(shown.explanation.scale_share, 4),
            "score": shown.explanation.score, "centipawns": score, "wdl": list(wdl),
            "terms": [{"name": term.feature.name, "group": term.feature.group,
                       "score": round(term.parts / PARTS_PER_CENTIPAWN, 1),
                       **{name: {"count": share.count, "middlegame": share.mg, "endgame": share.eg}
                          for name, share in (("white", term.white), ("black", term.black))}}
                      for term in shown.explanation.present()],
            "network": None if shown.by_network is None else _network_as_object(shown.by_network)}


def _network_as_object(explanation: NetworkExplanation) -> dict[str, Any]:
    score, displayed, wdl = explanation.verdict
    return {"score": score, "centipawns": displayed, "wdl": list(wdl), "pieces": [
        {"square": chess.square_name(piece.square), "piece": " PNBRQK  pnbrqk"[piece.piece], "worth": piece.worth,
         "worth_to_features": piece.features_worth} for piece in explanation.pieces]}


def _print_table(scene: ExplainedPosition) -> None:
    listed = list(rows(scene.explanation))
    print_table(HEADINGS, [row.cells for row in listed],
                bold=[number for number, row in enumerate(listed) if row.is_group])
    for line in summary(scene.explanation, *scene.verdict):
        print(line)
    if scene.by_network is not None:
        print()
        for line in network_summary(scene.by_network):
            print(line)
        print()
        print_table(PIECE_HEADINGS, piece_rows(scene.by_network.pieces))


def _print_changes(before: ExplainedPosition, after: ExplainedPosition) -> None:
    mover = int(before.game.position.side)
    gain = (after.explanation.score - before.explanation.score) * (-1 if mover else 1)
    print(f"\n{san(before.game, after.game.moves[-1])} changes the evaluation by {gain:+} centipawns for "
          f"{'black' if mover else 'white'}, who moves:")
    for line in _change_lines(before, after):
        print(f"  {line}")
    if before.by_network is not None and after.by_network is not None:
        difference = (after.by_network.verdict.score - before.by_network.verdict.score) * (-1 if mover else 1)
        print(f"by the network it changes by {difference:+}")


def _change_lines(before: ExplainedPosition, after: ExplainedPosition) -> list[str]:
    """What a move changes, in words, largest first."""
    mover = int(before.game.position.side)
    comparison = compare(before.explanation, after.explanation, mover)
    lines = [_change_line(change.parts, change_text(change, mover)) for change in comparison.changes
               if abs(change.parts) >= _LEAST_PARTS]
    if abs(comparison.phase) >= _LEAST_PARTS:
        lines.append(_change_line(comparison.phase, "shifts the weight between middle game and endgame"))
    lines.append(_change_line(comparison.turn, "passes the turn"))
    for color, whose in ((mover, "its own"), (1 - mover, "the opponent's")):
        lines += [f"{'':>8}  opens the {file}-file next to {whose} king, which has no pawn there now"
                    for file in opened_files(before.game.position, after.game.position, color)]
    return lines


def _change_line(parts: int, words: str) -> str:
    return f"{centipawns(parts):>8}  {words}"


def _picture(scene: ExplainedPosition, moved: ExplainedPosition | None) -> str:
    """The board and the main terms, or the changes by the move, as SVG."""
    shown = moved or scene
    move = None if moved is None else chess.Move.from_uci(scene.game.uci(moved.game.moves[-1]))
    board = chess.svg.board(to_board(shown.game), lastmove=move, size=_BOARD)
    worths = "" if shown.by_network is None else "".join(map(_worth_on_board, shown.by_network.pieces))
    terms = sorted(shown.explanation.present(), key=lambda term: -abs(term.parts))
    texts = [*summary(shown.explanation, *shown.verdict), "",
             *([f"{centipawns(term.parts):>8}  {term.feature.name}" for term in terms] if moved is None
               else _change_lines(scene, moved))]
    lines = "".join(f'<text x="{_BOARD + 16}" y="{_LINE * (number + 1)}">{escape(text)}</text>'
                    for number, text in enumerate(texts[: _MAIN_TERMS + 5]))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_BOARD + _TEXT_WIDTH}" height="{_BOARD}" '
            f'font-family="monospace" font-size="13" xml:space="preserve">'
            f'<rect width="100%" height="100%" fill="white"/>{board}{worths}{lines}</svg>\n')


def _worth_on_board(piece: PieceWorth) -> str:
    """The worth of a piece, in the corner of its square."""
    scale = _BOARD / _SVG_SIZE
    x = scale * (_SVG_MARGIN + _SVG_SQUARE * ((piece.square & 7) + 1) - 1)
    y = scale * (_SVG_MARGIN + _SVG_SQUARE * (8 - (piece.square >> 3)) - 2)
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="end" font-size="9" fill="darkred">{piece.worth}</text>'
