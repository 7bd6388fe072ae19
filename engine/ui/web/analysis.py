"""Analysis of a position: live lines, facts, hints, and whether the engine would agree to a draw."""

from __future__ import annotations

import asyncio
import time

import chess

from engine.analysis.claims import gain_claim, mate_claim, material_of_line
from engine.analysis.engine import Engine
from engine.analysis.facts import Facts, position_facts
from engine.analysis.lookup import book_moves, is_in_book, opening_name, tb_verdict_text
from engine.analysis.results import AnalysisInfo
from engine.analysis.review import PositionEval, SearchEffort, evaluate_board
from engine.analysis.wording import line_text, pieces_text
from engine.system.errors import InputError
from engine.ui.game import PlayedGame
from engine.ui.opponent import would_accept_draw
from engine.ui.web import requests
from engine.ui.web.engine_pool import EnginePool, Job, background_task, with_engine
from engine.ui.web.play import Send
from engine.ui.web.requests import Message
from engine.ui.web.responses import Value, game_opening_json, line_json, make_message, opening_json, score_json

_MOST_LINES = 5
_MOST_POSITIONS = 60  # of one request for openings
_OPENING_PLIES = 40  # of each of them: more than the longest named opening has
_LONGEST_LINE = 20  # plies
_LONGEST_ANALYSIS = 300.0  # seconds; the page can send the request again
_UPDATE_INTERVAL = 0.1  # seconds between two messages of the same search

_HINT_EFFORT = SearchEffort(movetime=400)
_DRAW_EFFORT = SearchEffort(movetime=200)


class LiveAnalysis:
    """The lines of a search so far, which `AnalysisSession` sends at intervals. Lives in the event loop."""

    def __init__(self, board: chess.Board, lines: int) -> None:
        self._board = board
        self._line_count = min(lines, board.legal_moves.count())
        self._current: dict[int, AnalysisInfo] = {}
        self._complete: dict[int, AnalysisInfo] = {}
        self.changed = asyncio.Event()

    def add(self, info: AnalysisInfo) -> None:
        """Add one line. Lines that a search finds again after preemption are ignored."""
        if info.bound != "exact" or (self._complete and info.depth < self._complete[1].depth):
            return
        if info.number == 1:
            self._current = {}
        self._current[info.number] = info
        if len(self._current) >= self._line_count:
            self._complete = dict(self._current)
            self.changed.set()

    def value(self, done: bool) -> Value:
        """The message with all lines, best first."""
        self.changed.clear()
        infos = [self._complete[number] for number in sorted(self._complete)]
        if not infos:
            return make_message("lines", depth=0, nodes=0, nps=0, seconds=0, lines=[], done=done)
        first = infos[0]
        lines = [{**score_json(info.score), **line_json(self._board, info.line, _LONGEST_LINE)}
                 for info in infos]
        return make_message("lines", depth=first.depth, nodes=first.nodes,
                            nps=round(first.nodes / max(first.seconds, 0.001)),
                            seconds=round(first.seconds, 3), lines=lines, done=done)


class AnalysisSession:
    """A session's analysis of positions."""

    def __init__(self, pool: EnginePool, send: Send) -> None:
        self._pool, self._send = pool, send

    async def analyse(self, message: Message) -> None:
        """Send facts once, then lines as the search finds them, until it ends."""
        board = await self._pool.run_briefly(lambda: requests.parse_board(message))
        count = requests.int_field(message, "multipv", 1, _MOST_LINES, 1)
        if PlayedGame(board).is_over:
            await self._send(make_message("lines", depth=0, nodes=0, nps=0, seconds=0, lines=[], done=True))
            return
        live = LiveAnalysis(board, count)
        async with background_task(self._send_updates(live)):
            await self._send_facts(board)
            deadline = time.monotonic() + _LONGEST_ANALYSIS
            is_over = False
            while not is_over and time.monotonic() < deadline:
                is_over = await self._search(board, count, deadline, live)
        await self._send(live.value(done=True))

    async def _send_updates(self, live: LiveAnalysis) -> None:
        while True:
            await live.changed.wait()
            await self._send(live.value(done=False))
            await asyncio.sleep(_UPDATE_INTERVAL)

    async def _send_facts(self, board: chess.Board) -> None:
        facts = await self._pool.run_briefly(lambda: position_facts(board))
        await self._send(make_message("facts", **_facts_value(board, facts)))

    async def _search(self, board: chess.Board, count: int, deadline: float, live: LiveAnalysis) -> bool:
        """Search until the deadline or until another session needs the slot; return whether the search has ended."""
        loop, job = asyncio.get_running_loop(), Job()

        def work(engine: Engine) -> None:
            milliseconds = max(round(1000 * (deadline - time.monotonic())), 1)
            for info in engine.analyse(board, movetime=milliseconds, multipv=count):
                if job.cancelled.is_set():
                    return
                loop.call_soon_threadsafe(live.add, info)

        await with_engine(self._pool, work, preemptible=job)
        return not job.cancelled.is_set()

    async def hint(self, board: chess.Board) -> None:
        """Send a good move and the reason for it."""
        uci, san, reason = await with_engine(self._pool, lambda engine: hint_for(engine, board))
        await self._send(make_message("hint", uci=uci, san=san, reason=reason))

    async def wants_draw(self, board: chess.Board) -> bool:
        """Whether the side that is not to move would agree to a draw."""
        return await with_engine(self._pool, lambda engine: wants_draw(engine, board))


def _facts_value(board: chess.Board, facts: Facts) -> Value:
    return {
        "opening": opening_json(facts.opening),
        "book": [{"uci": board.uci(move), "san": board.san(move), "share": round(share, 4)}
                 for move, share in facts.book],
        "table": facts.table,
        "terms": [{"name": fact.name.replace("_", " "), "words": fact.words, "cp": fact.centipawns}
                  for fact in facts.terms],
        "pieces": [{"square": chess.square_name(piece.square), "piece": piece.piece, "worth": piece.centipawns}
                   for piece in facts.pieces]}


def explore(board: chess.Board) -> Value:
    """What is known without a search: the opening's name, the verdict of the endgame tables, and the book moves.

    Each move has its share and the name of the opening that it leads to.
    """
    moves = []
    for move, share in () if board.chess960 else book_moves(board):
        after = board.copy(stack=False)
        after.push(move)
        moves.append({"uci": board.uci(move), "san": board.san(move), "share": round(share, 4),
                      "opening": opening_json(opening_name(after))})
    verdict = None if PlayedGame(board).is_over else tb_verdict_text(board)
    table = None if verdict is None else verdict[0].upper() + verdict[1:]
    return {"opening": game_opening_json(board), "book": moves, "table": table}


def parse_openings(message: Message) -> list[chess.Board]:
    """The positions of a request for the names of several openings."""
    positions = message.get("positions")
    if not isinstance(positions, list) or len(positions) > _MOST_POSITIONS:
        raise InputError(f"positions must be a list of at most {_MOST_POSITIONS}")
    if not all(isinstance(position, dict) for position in positions):
        raise InputError("each position must be an object")
    return [requests.parse_board(position, _OPENING_PLIES) for position in positions]


def hint_for(engine: Engine, board: chess.Board) -> tuple[str, str, str]:
    """The best move as UCI text and in SAN, and a reason in a few words."""
    position_eval = evaluate_board(engine, board, _HINT_EFFORT)
    move = position_eval.line[0]
    return board.uci(move), board.san(move), _reason(board, move, position_eval)


def _reason(board: chess.Board, move: chess.Move, position_eval: PositionEval) -> str:
    line = position_eval.line
    mates = mate_claim(board, line)
    if mates is not None and position_eval.score.is_winning_mate:
        return "it mates" if mates.number == 1 else f"it mates in {mates.number}"
    result = material_of_line(board, line)
    wins = None if result is None else gain_claim(board, result)
    if wins is not None:
        return f"it wins {pieces_text(board, wins)}"
    if not board.chess960 and is_in_book(board, move):
        after = board.copy()
        after.push(move)
        name = opening_name(after)
        return "it is in the opening book" + ("" if name is None else f": {name.name}")
    return f"the game may continue {line_text(board, position_eval.line)}"


def wants_draw(engine: Engine, board: chess.Board) -> bool:
    """Whether the side that is not to move would agree to a draw."""
    theirs = evaluate_board(engine, board, _DRAW_EFFORT).score.value
    return would_accept_draw(-theirs, len(board.move_stack))
