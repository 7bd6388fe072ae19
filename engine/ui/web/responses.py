"""Responses of the server: positions, moves, scores and games as JSON values. Scores are White's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import chess

from book.names import OpeningName
from engine.analysis.lookup import last_opening, opening_name
from engine.analysis.results import Score
from engine.ui.game import GameOutcome, PlayedGame, Termination
from engine.ui.web.requests import king_destination_move

Value = dict[str, Any]
_PROMOTION_LENGTH = 5  # characters of a promotion in UCI text


_REASONS = {Termination.CHECKMATE: "checkmate", Termination.STALEMATE: "stalemate",
            Termination.FLAG: "{loser} ran out of time",
            Termination.RESIGNATION: "{loser} resigned", Termination.AGREEMENT: "draw by agreement"}


def make_message(name: str, **fields: Any) -> Value:
    """A message of the server to the page."""
    return {"type": name, **fields}


def board_fen(board: chess.Board) -> str:
    """The FEN of the position, with Shredder castling rights in Chess960."""
    return board.fen(shredder=board.chess960)


def opening_json(name: OpeningName | None) -> Value | None:
    """An opening's ECO code and name."""
    return None if name is None else {"code": name.eco, "name": name.name}


def game_opening_json(board: chess.Board) -> Value | None:
    """The opening of the game that led to `board`."""
    return None if board.chess960 else opening_json(last_opening(board))


def score_json(score: Score) -> Value:
    """A score and its WDL, from White's point of view."""
    shown = score.white()
    return {"score": white_score(shown), "wdl": list(shown.wdl)}


def white_score(score: Score) -> Value:
    """A score that is already White's. A mate on the board has no sign; its WDL tells who has won."""
    if score.mate == 0:
        return {"mate": 0, "winner": "white" if score.wdl.win else "black"}
    return {"cp": score.centipawns} if score.mate is None else {"mate": score.mate}


def outcome_json(outcome: GameOutcome | None) -> Value | None:
    """The result of a game and its reason; None while the game goes on."""
    if outcome is None:
        return None
    template = _REASONS.get(outcome.reason, "draw: {reason}")
    loser = "" if outcome.winner is None else chess.COLOR_NAMES[not outcome.winner].title()
    if not loser and outcome.reason is Termination.FLAG:
        template = "time is up, but the opponent cannot mate"
    return {"result": outcome.result, "reason": template.format(loser=loser, reason=outcome.reason.value)}


def position_json(board: chess.Board) -> Value:
    """A position, its legal moves, check, and the outcome if the game is over."""
    outcome = PlayedGame(board).outcome
    legal: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    for move, san in () if outcome else _move_names(board):
        targets, target = legal.setdefault(chess.square_name(move.from_square), []), chess.square_name(move.to_square)
        if target not in targets:
            targets.append(target)
        names.setdefault(move.uci(), san)
    promotions = dict.fromkeys(text[:4] for text in names if len(text) == _PROMOTION_LENGTH)
    king = board.king(board.turn)
    checked = None if king is None or not board.is_check() else chess.square_name(king)
    return {"fen": board_fen(board), "turn": chess.COLOR_NAMES[board.turn], "legal": legal, "san": names,
            "promotions": list(promotions), "check": checked, "over": outcome_json(outcome)}


def _move_names(board: chess.Board) -> Iterator[tuple[chess.Move, str]]:
    """All legal moves with their SAN, then castling moves written with the king's destination."""
    moves = [(move, board.san(move)) for move in board.legal_moves]
    yield from moves
    yield from ((king_destination_move(board, move), san) for move, san in moves if board.is_castling(move))


class MoveList:
    """The moves of a game as JSON values. The values of known moves are kept, not computed again."""

    def __init__(self) -> None:
        self._board = chess.Board()
        self._values: list[Value] = []

    def follow(self, start: chess.Board, moves: Sequence[chess.Move]) -> list[Value]:
        """The values of all moves since `start`."""
        known = self._board.move_stack
        if self._board.root().fen() != start.fen() or self._board.chess960 != start.chess960:
            self._board, self._values = start.copy(), []
            known = self._board.move_stack
        same = next((index for index, (one, other) in enumerate(zip(known, moves, strict=False)) if one != other),
                    min(len(known), len(moves)))
        while len(self._board.move_stack) > same:
            self._board.pop()
            self._values.pop()
        for move in moves[same:]:
            self._values.append(self._push(move))
        return list(self._values)

    def _push(self, move: chess.Move) -> Value:
        board = self._board
        san, uci = board.san(move), board.uci(move)
        board.push(move)
        opening = None if board.chess960 else opening_name(board)
        return {"san": san, "uci": uci, "fen": board_fen(board), "opening": opening_json(opening)}


def line_json(board: chess.Board, line: Iterable[chess.Move], longest: int) -> Value:
    """A line of moves: in UCI text, in SAN, and in SAN with move numbers."""
    cursor, uci, san = board.copy(stack=False), [], []
    for move in list(line)[:longest]:
        uci.append(cursor.uci(move))
        san.append(cursor.san(move))
        cursor.push(move)
    return {"uci": uci, "san": san, "text": numbered(board, san)}


def numbered(board: chess.Board, san: Sequence[str]) -> str:
    """SAN moves with their numbers, as in `12. Nf3 Nc6 13. d4` or `12... Nc6`."""
    words, number, turn = list[str](), board.fullmove_number, board.turn
    for text in san:
        mark = f"{number}. " if turn else "" if words else f"{number}... "
        words.append(mark + text)
        number, turn = number + (not turn), not turn
    return " ".join(words)
