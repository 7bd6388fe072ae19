"""Practice: whether a move that the visitor tries is as good as the best one, and why it is not."""

from __future__ import annotations

import chess

from engine.analysis.accuracy import classify_move
from engine.analysis.engine import Engine
from engine.analysis.reasons import line_text, reason_for
from engine.analysis.review import SearchEffort, evaluate_board
from engine.system.errors import InputError
from engine.ui.game import PlayedGame
from engine.ui.web import requests
from engine.ui.web.engine_pool import EnginePool, with_engine
from engine.ui.web.play import Send
from engine.ui.web.requests import Message
from engine.ui.web.responses import Value, make_message

_EFFORT = SearchEffort(movetime=350)  # for the position before the move, and for the one after it
_LONGEST_MOVE = 8  # characters


class PracticeSession:
    """A session's moves in practice."""

    def __init__(self, pool: EnginePool, send: Send) -> None:
        self._pool, self._send = pool, send

    async def judge(self, message: Message) -> None:
        """Judge a move in a position and send whether it is good enough."""
        board = requests.parse_board(message)
        if PlayedGame(board).is_over:
            raise InputError("the game is over: there is no move to find")
        move = requests.parse_uci_move(board, requests.str_field(message, "uci", _LONGEST_MOVE))
        value = await with_engine(self._pool, lambda engine: judge_move(engine, board, move))
        await self._send(make_message("judged", uci=board.uci(move), san=board.san(move), **value))


def judge_move(engine: Engine, board: chess.Board, move: chess.Move) -> Value:
    """Whether annotation would leave `move` without a bad mark; if not, the mark, the reason and the refutation."""
    here = evaluate_board(engine, board, _EFFORT)
    after = board.copy(stack=False)
    after.push(move)
    there = evaluate_board(engine, after, _EFFORT)
    verdict = classify_move(board, move, here, there)
    if not verdict.mark.is_bad:
        return {"good": True, "mark": "", "reason": "", "refutation": ""}
    return {"good": False, "mark": verdict.mark.text, "reason": reason_for(board, move, here, there, verdict),
            "refutation": line_text(after, there.line) if there.line else ""}
