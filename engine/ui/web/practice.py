"""Practice: whether a move that the visitor tries is as good as the best one, and why it is not."""

from __future__ import annotations

import chess

from engine.analysis.claims import loss_claim, mate_claim, material_after_move
from engine.analysis.engine import Engine
from engine.analysis.move_verdicts import MoveVerdict, classify_move
from engine.analysis.review import SearchEffort
from engine.analysis.wording import line_text, pieces_text
from engine.system.errors import InputError
from engine.ui.game import PlayedGame
from engine.ui.web import requests
from engine.ui.web.engine_pool import EnginePool, with_engine
from engine.ui.web.play import Send
from engine.ui.web.requests import Message
from engine.ui.web.responses import Value, make_message

_EFFORT = SearchEffort(nodes=40_000)  # of each search, of which there are four at most
_LONGEST_MOVE = 8  # characters


class PracticeSession:
    """A session's moves in practice."""

    def __init__(self, pool: EnginePool, send: Send) -> None:
        self._pool, self._send = pool, send

    async def judge(self, message: Message) -> None:
        """Judge a move in a position and send whether it is good enough."""
        board = await self._pool.run_briefly(lambda: requests.parse_board(message))
        if PlayedGame(board).is_over:
            raise InputError("the game is over: there is no move to find")
        move = requests.parse_uci_move(board, requests.str_field(message, "uci", _LONGEST_MOVE))
        value = await with_engine(self._pool, lambda engine: practice_verdict(engine, board, move))
        await self._send(make_message("judged", uci=board.uci(move), san=board.san(move), **value))


def practice_verdict(engine: Engine, board: chess.Board, move: chess.Move) -> Value:
    """Whether annotation would leave `move` without a bad mark; if not, the mark, what is wrong and the refutation.

    Unlike the reasons of annotation, the words do not give away the better move.
    """
    verdict = classify_move(engine, board, move, _EFFORT)
    if not verdict.mark.is_bad:
        return {"good": True, "mark": "", "reason": "", "refutation": ""}
    after = board.copy(stack=False)
    after.push(move)
    replies = verdict.played_line[1:]
    return {"good": False, "mark": verdict.mark.text, "reason": _fault_text(verdict, after),
            "refutation": line_text(after, replies) if replies else ""}


def _fault_text(verdict: MoveVerdict, after: chess.Board) -> str:
    line = verdict.played_line
    mate = mate_claim(after, line[1:])
    if mate is not None:
        return f"it allows mate in {mate.number}"
    result = material_after_move(verdict.board, line)
    loss = None if result is None else loss_claim(verdict.board, result, verdict.move)
    if loss is not None:
        return f"it loses {pieces_text(after, loss)}"
    return f"it leaves {verdict.after.white()} instead of {verdict.before.white()}"
