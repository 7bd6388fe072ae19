"""What a report keeps of a game: its result, and what each move of the player cost.

It comes from the searches of a review, or from annotations that are already in the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import chess
import chess.engine
import chess.pgn

from engine.analysis.accuracy import PhaseSums, PlayerAccuracy, phase_of, player_accuracies, stake_of
from engine.analysis.boards import ends_in_mate
from engine.analysis.lookup import ending_text, last_opening
from engine.analysis.marks import Mark, is_too_early, mark_of_scores, mark_of_theory
from engine.analysis.motifs import MATING, WINNING, find_motif
from engine.analysis.move_verdicts import MoveVerdict, classify_game
from engine.analysis.results import Score, drawn_score, mated_score
from engine.analysis.review import Line, PositionEval
from engine.analysis.review_driver import GameReview
from eval.wdl import WDL_TOTAL, Wdl

_LEAST_ANNOTATED = 0.9  # of the positions of a game: with fewer evaluations it is reviewed
_DETECTORS = {**MATING, **WINNING}
_LONGEST_CONTINUATION = 10  # plies of the game that may refute a move
_RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
_DATE = re.compile(r"\d{4}[.\-/](?:\d{2}|\?\?)[.\-/](?:\d{2}|\?\?)")
_BASE_TIME = re.compile(r"(?:\d+/)?(\d+)(?:\+\d+)?(?::.*)?")
MATE = "mate"  # the theme of a forced mate


@dataclass
class ReportMove:
    """A move of the player. Only moves that are marked as bad, or lose by the endgame tables, have a position."""

    ply: int
    lost: float  # expected score on the human curve
    stake: float
    phase: str
    mark: str = ""
    clock: float | None = None  # share of the time for the game that was left before the move
    before: float = 0.0  # the expected score before the move
    san: str = ""
    fen: str = ""
    missed: str = ""  # the theme of the line that was better
    allowed: str = ""  # the theme of the refutation
    table: tuple[int, int] | None = None  # the results by the endgame tables before and after the move


@dataclass
class ReportGame:
    """A game of the player."""

    number: int  # in its file, from 1
    white: str
    black: str
    date: str  # YYYY.MM.DD, with question marks for what is unknown; empty if all is
    is_white: bool
    points: float | None  # of the player; None for a game without a result
    elo: int | None
    opponent_elo: int | None
    opening: str  # empty if it has no name
    accuracy: dict[str, Any] = field(default_factory=dict)  # of the player, if the moves are judged
    moves: list[ReportMove] = field(default_factory=list)  # of the player
    ending: tuple[str, int] | None = None  # the first position of the tables: material, and the player's result
    tagged_accuracy: float | None = None  # by the headers of the file, on a scale that is not ours

    @property
    def title(self) -> str:
        """The name of the game."""
        return f"game {self.number}, {self.white} - {self.black}{f', {self.date}' if self.date else ''}"

    @property
    def sums(self) -> PhaseSums:
        """The sums of the accuracy over all phases."""
        total = PhaseSums()
        total.add_all(PhaseSums(**sums) for sums in self.accuracy.get("sums", {}).values())
        return total

    def as_row(self) -> dict[str, Any]:
        """The game as JSON."""
        return asdict(self)


def game_of_row(row: Mapping[str, Any]) -> ReportGame:
    """The game that `as_row` has written."""
    fields = {name: row[name] for name in ReportGame.__dataclass_fields__}
    moves = [ReportMove(**{**move, "table": move["table"] and tuple(move["table"])}) for move in fields["moves"]]
    return ReportGame(**{**fields, "moves": moves, "ending": fields["ending"] and tuple(fields["ending"])})


def game_facts(number: int, game: chess.pgn.Game, side: chess.Color) -> ReportGame:
    """What the headers and the moves of a game say, without a judgement of its moves."""
    headers = game.headers
    points = _RESULTS.get(headers.get("Result", "*"))
    colors = ("White", "Black") if side else ("Black", "White")
    end = game.end().board()
    name = None if end.chess960 else last_opening(end)
    return ReportGame(number, headers.get("White", "?"), headers.get("Black", "?"), _date(headers), side,
                      points if side or points is None else 1 - points, _number(headers.get(f"{colors[0]}Elo", "")),
                      _number(headers.get(f"{colors[1]}Elo", "")),
                      headers.get("Opening", "") if name is None else name.name,
                      tagged_accuracy=_accuracy_tag(headers.get(f"{colors[0]}Accuracy", "")))


def judge_moves(facts: ReportGame, game: chess.pgn.Game, verdicts: Sequence[MoveVerdict]) -> ReportGame:
    """The game with its moves judged."""
    side = facts.is_white
    clocks = _clocks(game, side)
    own = [verdict for verdict in verdicts if verdict.board.turn == side]
    ending = next(((_material(verdict.board, side), verdict.table_results[0] if verdict.board.turn == side
                    else -verdict.table_results[0]) for verdict in verdicts if verdict.table_results is not None), None)
    moves = [_move(verdict, clocks.get(verdict.ply)) for verdict in own]
    return replace(facts, accuracy=asdict(player_accuracies(verdicts)[0 if side else 1]), moves=moves, ending=ending)


def player_accuracy(game: ReportGame) -> PlayerAccuracy:
    """The player's accuracy in a judged game."""
    sums = {phase: PhaseSums(**values) for phase, values in game.accuracy["sums"].items()}
    return PlayerAccuracy(**{**game.accuracy, "sums": sums})


def _move(verdict: MoveVerdict, clock: float | None) -> ReportMove:
    own = ReportMove(verdict.ply, round(verdict.lost, 4), round(stake_of(verdict), 4), phase_of(verdict.board).value,
                       verdict.mark.text if verdict.mark.is_bad else "", clock,
                       round(verdict.before.human_expected, 4), table=verdict.table_results)
    if not verdict.mark.is_bad:
        return own
    after = verdict.board.copy(stack=False)
    after.push(verdict.move)
    is_missed = verdict.before.is_winning_mate and not verdict.after.is_winning_mate
    is_allowed = verdict.after.is_losing_mate and not verdict.before.is_losing_mate
    return replace(own, san=verdict.board.san(verdict.move), fen=verdict.board.fen(),
                   missed=_theme(verdict.board, verdict.best_line, is_missed),
                   allowed=_theme(after, verdict.played_line[1:], is_allowed))


def _theme(board: chess.Board, line: Line, is_mate: bool) -> str:
    """The theme that a line proves for the side to move: its first motif, or that it mates."""
    motif = find_motif(board, line, _DETECTORS) if line else None
    if motif is not None:
        return motif.name
    return MATE if is_mate or (line and ends_in_mate(board, line)) else ""


def _material(board: chess.Board, side: chess.Color) -> str:
    """The pieces of an ending, the player's first: `KRPvKR`."""
    return "v".join("".join(chess.piece_symbol(piece_type).upper() * len(board.pieces(piece_type, color))
                            for piece_type in reversed(chess.PIECE_TYPES)) for color in (side, not side))


def _clocks(game: chess.pgn.Game, side: chess.Color) -> dict[int, float]:
    """The share of the time for the game that the player had left before each move, by ply."""
    tag = _BASE_TIME.fullmatch(game.headers.get("TimeControl", "").strip())
    own = [(ply, node.clock()) for ply, node in enumerate(game.mainline()) if node.turn() != side]
    known = [(ply, clock) for ply, clock in own if clock is not None]
    if not known:
        return {}
    base = float(tag[1]) if tag is not None and int(tag[1]) else max(clock for _, clock in known)
    left: float | None = base
    shares: dict[int, float] = {}
    for ply, clock in own:
        if left is not None and base > 0:
            shares[ply] = round(min(left / base, 1.0), 4)
        left = clock
    return shares


def annotated_verdicts(game: chess.pgn.Game) -> list[MoveVerdict] | None:
    """The verdicts on the moves of a game by its own annotations; None if too few positions have an evaluation.

    Marks are those of the file, or, if it has none in this game, follow from the evaluations.
    """
    nodes = list(game.mainline())
    scores = [_score_of(node) for node in nodes]
    if not nodes or sum(score is not None for score in scores) < _LEAST_ANNOTATED * len(nodes):
        return None
    first = next(score for score in scores if score is not None)
    known, evals = first, [PositionEval(first.pov(game.turn()), _better_line(game))]
    for node, score in zip(nodes, scores, strict=True):
        known = known if score is None else score
        evals.append(PositionEval(known.pov(node.turn()), _better_line(node)))
    verdicts = classify_game(game.board(), [node.move for node in nodes], GameReview(evals, {}))
    has_marks = any(mark.nag in node.nags for node in nodes for mark in Mark if mark.is_bad)
    return [_with_mark(_with_continuation(verdict, nodes), node, has_marks)
            for verdict, node in zip(verdicts, nodes, strict=True)]


def _score_of(node: chess.pgn.ChildNode) -> Score | None:
    """White's score of a position by the rules, or by its `[%eval]`. The file does not have its WDL."""
    if node.is_end():
        board = node.board()
        if ending_text(board) is not None:
            return (mated_score(board.turn) if board.is_checkmate() else drawn_score(board.turn)).white()
    written = node.eval()
    if written is None:
        return None
    white = written.white()
    mate, centipawns = white.mate(), white.score()
    if mate is not None:
        wins = mate > 0 or white == chess.engine.MateGiven
        return Score(None, mate, Wdl(WDL_TOTAL, 0, 0) if wins else Wdl(0, 0, WDL_TOTAL), chess.WHITE)
    return Score(centipawns, None, Wdl(0, WDL_TOTAL, 0), chess.WHITE)


def _better_line(node: chess.pgn.GameNode) -> Line:
    """The first variation beside the main line; empty if there is none."""
    if len(node.variations) < 2:
        return ()
    first = node.variations[1]
    return tuple(move for move in (first.move, *first.mainline_moves()) if move)


def _with_continuation(verdict: MoveVerdict, nodes: Sequence[chess.pgn.ChildNode]) -> MoveVerdict:
    """The verdict with what followed in the game as the line of the move, unless a variation is better."""
    if len(verdict.played_line) > 1:
        return verdict
    following = nodes[verdict.ply : verdict.ply + _LONGEST_CONTINUATION]
    return replace(verdict, played_line=tuple(node.move for node in following))


def _with_mark(verdict: MoveVerdict, node: chess.pgn.ChildNode, has_marks: bool) -> MoveVerdict:
    written = next((mark for mark in Mark if mark.nag is not None and mark.nag in node.nags), Mark.NONE)
    if has_marks or written is not Mark.NONE:
        return replace(verdict, mark=written)
    if verdict.table_results is not None or is_too_early(verdict.board):
        return verdict
    return replace(verdict, mark=mark_of_theory(verdict.lost) if verdict.is_theory
                   else mark_of_scores(verdict.before, verdict.after))


def _date(headers: Mapping[str, str]) -> str:
    for name in ("UTCDate", "Date"):
        if _DATE.fullmatch(text := headers.get(name, "").strip()):
            return re.sub(r"[\-/]", ".", text)
    return ""


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and 0 < int(text[:6]) < 5000 else None


def _accuracy_tag(text: str) -> float | None:
    try:
        value = float(text.rstrip(" %"))
    except ValueError:
        return None
    return value if 0 <= value <= 100 else None
