"""`explain FEN`: what a search finds, what a move allows, and what matters when things have calmed down, in words.

`--all` adds every term of the evaluation of the position as it stands.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass
from typing import Any
from xml.sax.saxutils import escape

import chess
import chess.svg

from engine.analysis.engine import Engine
from engine.analysis.explain import explain_board
from engine.analysis.review import SearchEffort
from engine.commands.shared.arguments import add_limits, in_file, movetime_of, svg_file, text
from engine.commands.shared.interruption import stop_on_interrupt
from engine.commands.shared.output import add_json, print_object
from engine.commands.shared.tables import print_table
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

_DEFAULT_MOVETIME = 1000  # milliseconds
_MAIN_TERMS = 12  # of a picture
_LEAST_PARTS = PARTS_PER_CENTIPAWN // 2  # half a centipawn: what a move changes by less is not worth a word
_BOARD, _TEXT_WIDTH, _LINE = 420, 560, 24  # pixels
_SVG_MARGIN, _SVG_SQUARE, _SVG_SIZE = 15, 45, 390  # of python-chess's boards, which are scaled to _BOARD


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("position", nargs="*", type=text, default=[START], metavar="FEN",
                        help="the position: a FEN, quoted or not, or `startpos`; then maybe `moves e4 e5 ...`")
    parser.add_argument("--move", type=text, metavar="MOVE",
                        help="what this move allows and changes (Nf3 or g1f3)")
    add_limits(parser, "search", _DEFAULT_MOVETIME)
    parser.add_argument("--all", action="store_true", help="all terms of the evaluation, without a search")
    add_json(parser, "one object")
    parser.add_argument("--svg", type=svg_file, metavar="FILE.svg", help="draw the board with the main terms beside it")
    parser.add_argument("--weights", type=in_file, metavar="FILE.json",
                        help="explain with these weights of the features")
    parser.add_argument("--network", type=text, metavar="FILE",
                        help="the network that is asked too (default: the built-in one), or `features` for none")
    parser.add_argument("--chess960", action="store_true", help="castling as in Chess960")


@dataclass(frozen=True)
class ExplainedPosition:
    """A position, and its explanation."""

    game: Game
    explanation: EvalBreakdown
    model: WdlModel  # of the chances, which the weights brought along
    by_network: NetworkExplanation | None  # if one was asked

    @property
    def verdict(self) -> tuple[int, Wdl]:
        """White's score in users' units, and white's chances."""
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
        _print_found(game, moved, arguments)
    if arguments.svg is not None:
        write_file(arguments.svg, _picture(scene, moved))
    return 0


def _scene(game: Game, evaluation: Evaluator, model: WdlModel) -> ExplainedPosition:
    by_network = None if evaluation.network is None else network_explanation(game.position, evaluation)
    return ExplainedPosition(game, explain(game.position, evaluation.weights), model, by_network)


def _print_found(game: Game, moved: ExplainedPosition | None, arguments: argparse.Namespace) -> None:
    """Search, and print what was found."""
    effort = SearchEffort(movetime_of(arguments, _DEFAULT_MOVETIME), arguments.nodes, arguments.depth)
    board = to_board_with_history(game)
    move = None if moved is None else board.parse_uci(game.uci(moved.game.moves[-1]))
    with Engine() as engine, stop_on_interrupt(engine.stop):
        found = explain_board(engine, board, move, effort, load_weights(arguments.weights))
    if arguments.json:
        print_object({"fen": board.fen(), **asdict(found)})
        return
    for line in found.lines():
        print(line)


def _terms_as_object(scene: ExplainedPosition, moved: ExplainedPosition | None) -> dict[str, Any]:
    """Every term of the position, or of the one after the move, for White."""
    told = moved or scene
    shown, chances_of_white = told.verdict
    return {"fen": told.game.fen(), "move": None if moved is None else san(scene.game, moved.game.moves[-1]),
            "phase": round(told.explanation.phase_share, 4), "scale": round(told.explanation.scale_share, 4),
            "score": told.explanation.score, "centipawns": shown, "wdl": list(chances_of_white),
            "terms": [{"name": term.feature.name, "group": term.feature.group,
                       "score": round(term.parts / PARTS_PER_CENTIPAWN, 1),
                       **{name: {"count": share.count, "middlegame": share.mg, "endgame": share.eg}
                          for name, share in (("white", term.white), ("black", term.black))}}
                      for term in told.explanation.present()],
            "network": None if told.by_network is None else _network_as_object(told.by_network)}


def _network_as_object(found: NetworkExplanation) -> dict[str, Any]:
    score, shown, chances_of_white = found.verdict
    return {"score": score, "centipawns": shown, "wdl": list(chances_of_white), "men": [
        {"square": chess.square_name(man.square), "piece": " PNBRQK  pnbrqk"[man.piece], "worth": man.worth,
         "worth_to_features": man.features_worth} for man in found.men]}


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
        print_table(PIECE_HEADINGS, piece_rows(scene.by_network.men))


def _print_changes(before: ExplainedPosition, after: ExplainedPosition) -> None:
    mover = int(before.game.position.side)
    gain = (after.explanation.score - before.explanation.score) * (-1 if mover else 1)
    print(f"\n{san(before.game, after.game.moves[-1])} changes the evaluation by {gain:+} centipawns for "
          f"{'black' if mover else 'white'}, who moves:")
    for line in _remarks(before, after):
        print(f"  {line}")
    if before.by_network is not None and after.by_network is not None:
        difference = (after.by_network.verdict.score - before.by_network.verdict.score) * (-1 if mover else 1)
        print(f"by the network it changes by {difference:+}")


def _remarks(before: ExplainedPosition, after: ExplainedPosition) -> list[str]:
    """What a move does, in words, the weightiest first."""
    mover = int(before.game.position.side)
    comparison = compare(before.explanation, after.explanation, mover)
    remarks = [_remark(change.parts, change_text(change, mover)) for change in comparison.changes
               if abs(change.parts) >= _LEAST_PARTS]
    if abs(comparison.phase) >= _LEAST_PARTS:
        remarks.append(_remark(comparison.phase, "shifts the weight between middle game and endgame"))
    remarks.append(_remark(comparison.turn, "passes the turn"))
    for color, whose in ((mover, "its own"), (1 - mover, "the enemy's")):
        remarks += [f"{'':>8}  opens the {file}-file next to {whose} king, which has no pawn there any more"
                    for file in opened_files(before.game.position, after.game.position, color)]
    return remarks


def _remark(parts: int, words: str) -> str:
    return f"{centipawns(parts):>8}  {words}"


def _picture(scene: ExplainedPosition, moved: ExplainedPosition | None) -> str:
    """The board, and beside it the main terms; or after a move, what it changed."""
    shown = moved or scene
    move = None if moved is None else chess.Move.from_uci(scene.game.uci(moved.game.moves[-1]))
    board = chess.svg.board(to_board(shown.game), lastmove=move, size=_BOARD)
    worths = "" if shown.by_network is None else "".join(map(_worth_on_board, shown.by_network.men))
    terms = sorted(shown.explanation.present(), key=lambda term: -abs(term.parts))
    texts = [*summary(shown.explanation, *shown.verdict), "",
             *([f"{centipawns(term.parts):>8}  {term.feature.name}" for term in terms] if moved is None
               else _remarks(scene, moved))]
    lines = "".join(f'<text x="{_BOARD + 16}" y="{_LINE * (number + 1)}">{escape(text)}</text>'
                    for number, text in enumerate(texts[: _MAIN_TERMS + 5]))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_BOARD + _TEXT_WIDTH}" height="{_BOARD}" '
            f'font-family="monospace" font-size="13" xml:space="preserve">'
            f'<rect width="100%" height="100%" fill="white"/>{board}{worths}{lines}</svg>\n')


def _worth_on_board(man: PieceWorth) -> str:
    """What a man is worth, in the corner of its square."""
    scale = _BOARD / _SVG_SIZE
    x = scale * (_SVG_MARGIN + _SVG_SQUARE * ((man.square & 7) + 1) - 1)
    y = scale * (_SVG_MARGIN + _SVG_SQUARE * (8 - (man.square >> 3)) - 2)
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="end" font-size="9" fill="darkred">{man.worth}</text>'
