"""The coach: explains a move of the game, or one that the engine proposes, in the words of `adversary explain`."""

from __future__ import annotations

from engine.analysis.engine import Engine
from engine.analysis.explain import Explanation, explain_board
from engine.analysis.review import SearchEffort
from engine.system.errors import InputError
from engine.ui.game import PlayedGame
from engine.ui.web import requests
from engine.ui.web.engine_pool import EnginePool, with_engine
from engine.ui.web.play import Send
from engine.ui.web.requests import Message
from engine.ui.web.responses import make_message

_EFFORT = SearchEffort(nodes=40_000)  # of each search, as in practice
_LONGEST_MOVE = 8  # characters


class CoachSession:
    """A session's explanations of moves."""

    def __init__(self, pool: EnginePool, send: Send) -> None:
        self._pool, self._send = pool, send

    async def explain(self, message: Message) -> None:
        """Explain a legal move of a position and send the lines."""
        board = await self._pool.run_briefly(lambda: requests.parse_board(message))
        if PlayedGame(board).is_over:
            raise InputError("the game is over: there is no move to explain")
        move = requests.parse_uci_move(board, requests.str_field(message, "uci", _LONGEST_MOVE))

        def work(engine: Engine) -> Explanation:
            return explain_board(engine, board, move, _EFFORT)

        explanation = await with_engine(self._pool, work)
        await self._send(make_message("explained", uci=board.uci(move), san=explanation.move, mark=explanation.mark,
                                      lines=[line.strip() for line in explanation.lines()]))
