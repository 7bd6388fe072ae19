"""Annotation of a game: marks, reasons and better lines, written into its PGN nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import chess
import chess.engine
import chess.pgn

from engine.analysis.accuracy import MoveVerdict, PlayerAccuracy, classify_move, player_accuracies
from engine.analysis.boards import recent_board
from engine.analysis.lookup import is_in_book, opening_name
from engine.analysis.reasons import reason_for
from engine.analysis.results import Score
from engine.analysis.review import PositionEval

_LINE_PLIES = 8  # of a better line
_QUALITY_NAGS = frozenset(range(chess.pgn.NAG_GOOD_MOVE, chess.pgn.NAG_DUBIOUS_MOVE + 1))
_COLUMNS = 80
_LEAST_BOOK_PLIES = 2  # a game that leaves the book sooner counts as never in it


@dataclass(frozen=True)
class MoveNote:
    """The annotation of one move."""

    ply: int  # 0 for the first move
    san: str
    score: Score  # after the move, for White
    mark: str  # `??`, `?`, `?!`, `!`, `□` for the only move, or nothing
    reason: str
    better: tuple[str, ...]  # the line that should have been played, in SAN
    lost: float  # expected score
    cost: int  # centipawns


@dataclass(frozen=True)
class Annotation:
    """The annotation of a game."""

    notes: tuple[MoveNote, ...]
    white: PlayerAccuracy
    black: PlayerAccuracy


def annotate(game: chess.pgn.Game, evals: Sequence[PositionEval]) -> Annotation:
    """Annotate `game` in place from the evaluations of its positions. Existing comments, marks and variations stay."""
    nodes = list(game.mainline())
    boards = list(_boards_before(game))
    verdicts = [classify_move(board, node.move, here, there) for board, node, here, there
                in zip(boards, nodes, evals, evals[1:], strict=False)]
    book_exit = _book_exit(boards, nodes)
    notes = []
    for ply, (board, node, verdict) in enumerate(zip(boards, nodes, verdicts, strict=True)):
        here, there = evals[ply], evals[ply + 1]
        reason = reason_for(board, node.move, here, there, verdict)
        if ply == book_exit[0]:
            reason = f"{reason}; {book_exit[1]}" if reason else book_exit[1]
        better = here.line[:_LINE_PLIES] if verdict.mark.is_bad else ()
        notes.append(_note(ply, board, node, there, verdict, reason, better))
        _write(node, board, there, verdict, reason, better)
    white, black = player_accuracies(boards, verdicts)
    return Annotation(tuple(notes), white, black)


def _boards_before(game: chess.pgn.Game) -> Iterator[chess.Board]:
    """The board before each move of the main line, with the moves that led there."""
    follower = game.board()
    for move in game.mainline_moves():
        yield recent_board(follower).copy()
        follower.push(move)


def pgn_text(game: chess.pgn.Game) -> str:
    """A game as PGN, wrapped at 80 columns."""
    return game.accept(chess.pgn.StringExporter(columns=_COLUMNS)) + "\n\n"


def _note(ply: int, board: chess.Board, node: chess.pgn.ChildNode, there: PositionEval, verdict: MoveVerdict,
          reason: str, better: Sequence[str]) -> MoveNote:
    follower, texts = board.copy(stack=False), []
    for text in better:
        texts.append(follower.san(chess.Move.from_uci(text)))
        follower.push_uci(text)
    score = -there.score if board.turn else there.score  # `there` is the other side's point of view
    return MoveNote(ply, board.san(node.move), score, verdict.mark.text, reason, tuple(texts), verdict.lost,
                    verdict.cost)


def _book_exit(boards: Sequence[chess.Board], nodes: Sequence[chess.pgn.ChildNode]) -> tuple[int, str]:
    """The ply at which a game leaves the book, and the comment; -1 if it never does or never was in it."""
    name = None
    for ply, (board, node) in enumerate(zip(boards, nodes, strict=True)):
        name = opening_name(board) or name
        if not is_in_book(board, node.move):
            name = opening_name(node.board()) or name
            is_worth_noting = ply >= _LEAST_BOOK_PLIES and name is not None
            return (ply, f"leaves the book: {name}") if is_worth_noting else (-1, "")
    return -1, ""


def _write(node: chess.pgn.ChildNode, board: chess.Board, there: PositionEval, verdict: MoveVerdict, reason: str,
           better: Sequence[str]) -> None:
    if there.line:  # no evaluation where the game is over
        node.set_eval(_pov_score(there.score, not board.turn), there.depth)
    if verdict.mark.nag is not None and not node.nags & _QUALITY_NAGS:
        node.nags.add(verdict.mark.nag)
    if reason:
        node.comment = f"{node.comment} {reason}".strip()
    parent = node.parent
    if better and not parent.has_variation(chess.Move.from_uci(better[0])):
        parent.add_line([chess.Move.from_uci(text) for text in better])


def _pov_score(score: Score, turn: chess.Color) -> chess.engine.PovScore:
    if score.centipawns is None:
        return chess.engine.PovScore(chess.engine.Mate(score.mate or 0), turn)
    return chess.engine.PovScore(chess.engine.Cp(score.centipawns), turn)
