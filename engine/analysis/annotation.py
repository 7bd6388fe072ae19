"""Annotation of a game: marks, reasons and better lines, written into its PGN nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess
import chess.engine
import chess.pgn

from engine.analysis.accuracy import PlayerAccuracy, player_accuracies
from engine.analysis.claims import Claim
from engine.analysis.lookup import last_opening, tb_mate
from engine.analysis.move_verdicts import MoveVerdict, classify_game
from engine.analysis.reasons import Reason, reason_for
from engine.analysis.result_remarks import result_remark
from engine.analysis.results import Score
from engine.analysis.review import Line
from engine.analysis.review_driver import GameReview

_LINE_PLIES = 8  # of a better line
_QUALITY_NAGS = frozenset(range(chess.pgn.NAG_GOOD_MOVE, chess.pgn.NAG_DUBIOUS_MOVE + 1))
_COLUMNS = 80
_LARGEST_SCORE = 9_999  # centipawns, in an evaluation
_LEAST_BOOK_PLIES = 2  # a game that leaves the book sooner counts as never in it


@dataclass(frozen=True)
class MoveNote:
    """The annotation of one move."""

    ply: int  # 0 for the first move
    san: str
    score: Score  # after the move, for White
    mark: str  # `??`, `?`, `?!`, `!`, `!!`, `□` for the only move, or nothing
    reason: str
    better: tuple[str, ...]  # the line that should have been played, in SAN
    lost: float  # expected score on the human curve
    cost: int  # centipawns
    side: chess.Color = chess.WHITE  # who moved
    claim: Claim | None = None  # what proves the reason, on exactly the line that it prints


@dataclass(frozen=True)
class MoveComment:
    """What there is to say about a move: its verdict, the reason for its mark, and remarks on book and result."""

    verdict: MoveVerdict
    reason: Reason
    remarks: tuple[str, ...]  # some may be empty

    @property
    def text(self) -> str:
        """The comment where the better line is not beside it."""
        return self._joined(self.reason.text)

    @property
    def brief_text(self) -> str:
        """The comment beside a variation with the better line, which it leaves out."""
        return self._joined(self.reason.brief or self.reason.text)

    def _joined(self, reason: str) -> str:
        return "; ".join(filter(None, (reason, *self.remarks)))

    @property
    def better_line(self) -> Line:
        """The line that was better: as far as it proves the reason, otherwise some plies, or all up to the mate.

        Empty unless the move is marked as bad.
        """
        if not self.verdict.mark.is_bad:
            return ()
        is_mate = self.verdict.before.is_winning_mate
        if self.reason.better and (self.reason.claim is not None or is_mate):
            return self.reason.better
        return self.verdict.best_line if is_mate else self.verdict.best_line[:_LINE_PLIES]


@dataclass(frozen=True)
class Annotation:
    """The annotation of a game."""

    notes: tuple[MoveNote, ...]
    white: PlayerAccuracy
    black: PlayerAccuracy


def annotate(game: chess.pgn.Game, review: GameReview) -> Annotation:
    """Annotate `game` in place from the searches of its moves. Existing comments, marks and variations stay."""
    nodes = list(game.mainline())
    verdicts = classify_game(game.board(), [node.move for node in nodes], review)
    exit_ply, exit_words = _book_exit(verdicts)
    comments = [MoveComment(verdict, reason_for(verdict), (
        exit_words if verdict.ply == exit_ply else "",
        result_remark(game.headers, verdict) if node is nodes[-1] else ""))
        for verdict, node in zip(verdicts, nodes, strict=True)]
    for comment, node in zip(comments, nodes, strict=True):
        _write(node, comment)
    white, black = player_accuracies(verdicts)
    return Annotation(tuple(map(_note, comments)), white, black)


def pgn_text(game: chess.pgn.Game) -> str:
    """A game as PGN, wrapped at 80 columns."""
    return game.accept(chess.pgn.StringExporter(columns=_COLUMNS)) + "\n\n"


def player_name(game: chess.pgn.Game, side: chess.Color) -> str:
    """The name of a player; the name of the side if the headers have none."""
    color = chess.COLOR_NAMES[side].title()
    name = game.headers.get(color, "?").strip()
    return color if name in ("", "?") else name


def _note(comment: MoveComment) -> MoveNote:
    verdict = comment.verdict
    cursor = verdict.board.copy(stack=False)
    better = tuple(cursor.san_and_push(move) for move in comment.better_line)
    return MoveNote(verdict.ply, verdict.board.san(verdict.move), verdict.position_score, verdict.mark.text,
                    comment.text, better, verdict.lost, verdict.cost, verdict.board.turn, comment.reason.claim)


def _book_exit(verdicts: Sequence[MoveVerdict]) -> tuple[int, str]:
    """The ply at which a game leaves theory, and the comment; -1 if it never does or never was in it."""
    left = next((verdict for verdict in verdicts if not verdict.is_theory), None)
    name = None if left is None else last_opening(left.board)
    if left is None or name is None or left.ply < _LEAST_BOOK_PLIES:
        return -1, ""
    return left.ply, f"leaves the book: {name}"


def _write(node: chess.pgn.ChildNode, comment: MoveComment) -> None:
    """Write a comment into its node; a line that becomes a variation is left out of the text."""
    verdict, words = comment.verdict, comment.text
    after = verdict.board.copy(stack=False)  # `node.board()` would replay the whole game
    after.push(verdict.move)
    if any(after.generate_legal_moves()):  # no evaluation where the game is over
        node.set_eval(_pov_score(verdict.position_score, after), verdict.depth)
    if verdict.mark.nag is not None and not node.nags & _QUALITY_NAGS:
        node.nags.add(verdict.mark.nag)
    if verdict.mark.is_bad and not node.parent.has_variation(verdict.best_line[0]):
        node.parent.add_line(comment.better_line)
        words = comment.brief_text
    if words:
        node.comment = f"{node.comment} {words}".strip()


def _pov_score(score: Score, board: chess.Board) -> chess.engine.PovScore:
    """A position's score as GUIs read it: a win by the endgame tables is a mate, or the largest score they accept."""
    if score.centipawns is not None and abs(score.centipawns) > _LARGEST_SCORE:
        mate = tb_mate(board)
        if mate is not None:
            return chess.engine.PovScore(chess.engine.Mate(mate), board.turn)
        limited = max(-_LARGEST_SCORE, min(score.centipawns, _LARGEST_SCORE))
        return chess.engine.PovScore(chess.engine.Cp(limited), score.side)
    if score.centipawns is None:
        return chess.engine.PovScore(chess.engine.Mate(score.mate or 0), score.side)
    return chess.engine.PovScore(chess.engine.Cp(score.centipawns), score.side)
