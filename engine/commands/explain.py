"""`explain FEN`: why the evaluation says what it says, and what a move would change."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import chess
import chess.svg

from engine.core.errors import InputError, quote
from engine.core.fen import START_FEN
from engine.core.game import Game
from engine.explanation import HEADINGS, centipawns, rows, summary
from eval.explain import PARTS, Explanation, compare, explain
from eval.outcome import Chances, Model, chances, material_on, normalized
from eval.weightfile import read_weight_file
from eval.weights import load_weights
from eval.words import in_words, opened_files

_MAIN_TERMS = 12  # of a picture
_LEAST_PARTS = PARTS // 2  # half a centipawn: what a move changes by less is not worth a word
_BOARD, _TEXT_WIDTH, _LINE = 420, 560, 24  # pixels


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("fen", nargs="*", metavar="FEN", help="the position, quoted or not (default: the start)")
    parser.add_argument("--move", metavar="MOVE", help="what this move changes, term by term (Nf3 or g1f3)")
    parser.add_argument("--svg", type=Path, metavar="FILE.svg", help="draw the board with the main terms beside it")
    parser.add_argument("--weights", type=Path, metavar="FILE.json", help="explain with these weights")
    parser.add_argument("--chess960", action="store_true", help="castling as in Chess960")


@dataclass(frozen=True)
class Scene:
    """A position, and its explanation."""

    game: Game
    explanation: Explanation
    model: Model  # of the chances, which the weights brought along
    chess960: bool

    @property
    def verdict(self) -> tuple[int, Chances]:
        """White's score in users' units, and white's chances."""
        material = material_on(self.game.position.board.tolist())
        score = self.explanation.score
        return normalized(score, material, self.model), chances(score, material, self.model)

    @property
    def board(self) -> chess.Board:
        """The position for python-chess."""
        return chess.Board(self.game.fen(shredder=self.chess960), chess960=self.chess960)


def run(arguments: argparse.Namespace) -> int:
    """Explain, print, and return the exit status."""
    if arguments.svg is not None and not arguments.svg.absolute().parent.is_dir():
        raise InputError(f"--svg: no folder {arguments.svg.parent}")
    weights = load_weights(arguments.weights)
    game = Game(" ".join(arguments.fen) or START_FEN, arguments.chess960)
    model = Model(*read_weight_file(arguments.weights).outcome)
    scene = Scene(game, explain(game.position, weights), model, arguments.chess960)
    moved = None
    if arguments.move is not None:
        after = game.copy()
        move = _read_move(scene.board, arguments.move)
        after.play(scene.board.uci(move))
        moved = Scene(after, explain(after.position, weights), model, arguments.chess960)
    _print_table(moved or scene)
    if moved is not None:
        _print_changes(scene, moved, arguments.move)
    if arguments.svg is not None:
        arguments.svg.write_text(_picture(scene, moved), encoding="utf-8")
    return 0


def _read_move(board: chess.Board, text: str) -> chess.Move:
    """A move in either notation."""
    for read in (board.parse_uci, board.parse_san):
        try:
            move = read(text)
        except ValueError:
            continue
        if move:
            return move
    raise InputError(f"--move: {quote(text)} is no legal move in {board.fen()}")


def _print_table(scene: Scene) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="left" if place == 0 else "right", no_wrap=True)
    for row in rows(scene.explanation):
        table.add_row(*row.cells, style="bold" if row.is_group else None)
    console.print(table)
    for line in summary(scene.explanation, *scene.verdict):
        console.print(line)


def _print_changes(before: Scene, after: Scene, move: str) -> None:
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    mover = int(before.game.position.side)
    gain = (after.explanation.score - before.explanation.score) * (-1 if mover else 1)
    console.print(f"\n[bold]{move}[/bold] changes the evaluation by {gain:+} centipawns for "
                  f"{'black' if mover else 'white'}, who moves:")
    for line in _remarks(before, after):
        console.print(f"  {line}")


def _remarks(before: Scene, after: Scene) -> list[str]:
    """What a move does, in words, the weightiest first."""
    mover = int(before.game.position.side)
    comparison = compare(before.explanation, after.explanation, mover)
    remarks = [_remark(change.parts, in_words(change, mover)) for change in comparison.changes
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


def _picture(scene: Scene, moved: Scene | None) -> str:
    """The board, and beside it the main terms; or after a move, what it changed."""
    shown = moved or scene
    move = None if moved is None else chess.Move.from_uci(scene.game.text(moved.game.moves[-1]))
    board = chess.svg.board(shown.board, lastmove=move, size=_BOARD)
    terms = sorted(shown.explanation.present(), key=lambda term: -abs(term.parts))
    texts = [*summary(shown.explanation, *shown.verdict), "",
             *([f"{centipawns(term.parts):>8}  {term.feature.name}" for term in terms] if moved is None
               else _remarks(scene, moved))]
    lines = "".join(f'<text x="{_BOARD + 16}" y="{_LINE * (number + 1)}">{escape(text)}</text>'
                    for number, text in enumerate(texts[: _MAIN_TERMS + 5]))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_BOARD + _TEXT_WIDTH}" height="{_BOARD}" '
            f'font-family="monospace" font-size="13" xml:space="preserve">'
            f'<rect width="100%" height="100%" fill="white"/>{board}{lines}</svg>\n')
