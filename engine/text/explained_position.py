"""A position with its static evaluation, term by term: as JSON, as the changes by a move, and as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

import chess
import chess.svg

from engine.core.game import Game
from engine.text.display import NetworkExplanation, network_explanation, to_cp_and_wdl
from engine.text.eval_table import centipawns, summary
from engine.text.notation import san, to_board
from eval.evaluator import Evaluator
from eval.explain import PARTS_PER_CENTIPAWN, EvalBreakdown, compare, explain
from eval.phrases import change_text, opened_files
from eval.piece_worth import PieceWorth
from eval.wdl import Wdl, WdlModel

_MAIN_TERMS = 12  # of a picture
_LEAST_PARTS = PARTS_PER_CENTIPAWN // 2  # half a centipawn: smaller changes are not reported
_BOARD, _TEXT_WIDTH, _LINE = 420, 560, 24  # pixels
_SVG_MARGIN, _SVG_SQUARE, _SVG_SIZE = 15, 45, 390  # of python-chess's boards, which are scaled to _BOARD


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
        return to_cp_and_wdl(self.game.position, self.explanation.score, self.model)


def explained_position(game: Game, evaluation: Evaluator, model: WdlModel) -> ExplainedPosition:
    """A position with its breakdown, and its explanation by the network of the evaluator, if it has one."""
    by_network = None if evaluation.network is None else network_explanation(game.position, evaluation)
    return ExplainedPosition(game, explain(game.position, evaluation.weights), model, by_network)


def terms_as_object(explained: ExplainedPosition, moved: ExplainedPosition | None) -> dict[str, Any]:
    """All terms of the position, or of the position after the move, White's."""
    shown = moved or explained
    score, wdl = shown.verdict
    return {"fen": shown.game.fen(), "move": None if moved is None else san(explained.game, moved.game.moves[-1]),
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


def change_lines(before: ExplainedPosition, after: ExplainedPosition) -> list[str]:
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


def picture(explained: ExplainedPosition, moved: ExplainedPosition | None) -> str:
    """The board and the main terms, or the changes by the move, as SVG."""
    shown = moved or explained
    move = None if moved is None else chess.Move.from_uci(explained.game.uci(moved.game.moves[-1]))
    board = chess.svg.board(to_board(shown.game), lastmove=move, size=_BOARD)
    worths = "" if shown.by_network is None else "".join(map(_worth_on_board, shown.by_network.pieces))
    terms = sorted(shown.explanation.present(), key=lambda term: -abs(term.parts))
    texts = [*summary(shown.explanation, *shown.verdict), "",
             *([f"{centipawns(term.parts):>8}  {term.feature.name}" for term in terms] if moved is None
               else change_lines(explained, moved))]
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
