"""Positions and games looked into: live lines, facts, hints, whole games annotated."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import chess
import chess.pgn

from engine.analysis.annotation import Annotation, annotate, pgn_text
from engine.analysis.explaining import explained
from engine.analysis.facts import Facts, facts_of
from engine.analysis.interface import Engine
from engine.analysis.marks import BAD, Tally
from engine.analysis.pgnfile import read_game_text, read_games_text
from engine.analysis.spans import Effort, Judgement, judge
from engine.analysis.values import Info
from engine.core.errors import InputError
from engine.desk.game import Game, starting_board
from engine.desk.web import messages
from engine.desk.web.desk import Desk
from engine.desk.web.messages import MOST_PLIES, Message
from engine.desk.web.opponent import Tell
from engine.desk.web.turns import Turn
from engine.desk.web.wire import (
    MoveList,
    Value,
    fen_of,
    line_value,
    opening_value,
    score_value,
    told,
    white_score,
)

LIMITS = {"message": messages.LONGEST_MESSAGE, "pgn": 500_000, "games": 20}  # bytes, letters, games to annotate
_MOST_LINES = 5
_LONGEST_LINE = 20  # plies
_LONGEST_ANALYSIS = 600.0  # seconds: who is still there can ask again
_BEAT = 0.1  # seconds between two messages about the same search
_HINT_EFFORT, _REPLY_EFFORT = Effort(movetime=400), Effort(movetime=150)
_DRAW_EFFORT = Effort(movetime=200)
_LEAST_DRAW_PLIES = 30  # nobody agrees to a draw in the opening
_CONTENT = 0.48  # of a point: who expects less is glad of a draw

T = TypeVar("T")


class Sight:
    """What a search has found so far, for whoever looks at it now and then. Lives in the event loop."""

    def __init__(self, board: chess.Board, lines: int) -> None:
        self._board = board
        self._wanted = min(lines, board.legal_moves.count())
        self._growing: dict[int, Info] = {}
        self._whole: dict[int, Info] = {}
        self.changed = asyncio.Event()

    def add(self, info: Info) -> None:
        """Take in one line. What a search finds again, after it was interrupted, is not shown a second time."""
        if info.bound != "exact" or (self._whole and info.depth < self._whole[1].depth):
            return
        if info.number == 1:
            self._growing = {}
        self._growing[info.number] = info
        if len(self._growing) >= self._wanted:
            self._whole = dict(self._growing)
            self.changed.set()

    def value(self, done: bool) -> Value:
        """All lines, the best first."""
        self.changed.clear()
        infos = [self._whole[number] for number in sorted(self._whole)]
        if not infos:
            return told("lines", depth=0, nodes=0, nps=0, seconds=0, lines=[], done=done)
        first = infos[0]
        lines = [{**score_value(self._board, info.score), **line_value(self._board, info.line, _LONGEST_LINE)}
                 for info in infos]
        return told("lines", depth=first.depth, nodes=first.nodes, nps=round(first.nodes / max(first.seconds, 0.001)),
                    seconds=round(first.seconds, 3), lines=lines, done=done)


@dataclass
class Effect:
    """What a thread has done of a piece of work that it may be asked to leave."""

    halt: threading.Event
    engine: Engine | None = None

    def stop(self) -> None:
        """Let the work end soon."""
        self.halt.set()
        if self.engine is not None:
            self.engine.stop()


class Study:
    """What a visitor wants to know about positions and games."""

    def __init__(self, desk: Desk, tell: Tell) -> None:
        self._desk, self._tell = desk, tell

    async def analyse(self, message: Message) -> None:
        """Lines as they are found, until the visitor wants something else."""
        board = messages.board_of(message)
        count = messages.whole_of(message, "multipv", 1, _MOST_LINES, 1)
        if Game(board).is_over:
            await self._tell(told("lines", depth=0, nodes=0, nps=0, seconds=0, lines=[], done=True))
            return
        sight = Sight(board, count)
        teller = asyncio.create_task(self._tell_now_and_then(sight))
        try:
            await self._tell_facts(board)
            deadline = time.monotonic() + _LONGEST_ANALYSIS
            is_over = False
            while not is_over and (left := deadline - time.monotonic()) > 0:
                async with self._desk.study_turns.turn() as turn:
                    is_over = await self._search(turn, board, count, left, sight)
        finally:
            teller.cancel()
        await self._tell(sight.value(done=True))

    async def _tell_now_and_then(self, sight: Sight) -> None:
        while True:
            await sight.changed.wait()
            await self._tell(sight.value(done=False))
            await asyncio.sleep(_BEAT)

    async def _tell_facts(self, board: chess.Board) -> None:
        facts = await self._desk.aside(lambda: facts_of(board))
        await self._tell(told("facts", **_facts_value(board, facts)))

    async def _search(self, turn: Turn, board: chess.Board, count: int, seconds: float, sight: Sight) -> bool:
        """Search during a turn; returns whether the search has come to its end."""
        loop, effect = asyncio.get_running_loop(), Effect(threading.Event())

        def work() -> None:
            engine = effect.engine = self._desk.engine(turn.place)
            for info in engine.analyse(board, movetime=max(round(seconds * 1000), 1), multipv=count):
                if effect.halt.is_set():
                    return
                loop.call_soon_threadsafe(sight.add, info)

        return await self._until_wanted(turn, work, effect)

    async def _until_wanted(self, turn: Turn, work: Callable[[], None], effect: Effect) -> bool:
        """Do something in a thread until it ends, or the place is wanted by others; returns whether it has ended."""
        job = asyncio.create_task(self._desk.study(work, effect.stop))
        wanted = asyncio.create_task(turn.wanted.wait())
        try:
            await asyncio.wait({job, wanted}, return_when=asyncio.FIRST_COMPLETED)
            is_over = job.done()
        finally:
            wanted.cancel()
            job.cancel()
            await asyncio.wait({job})
        if not job.cancelled():
            job.result()
        return is_over

    async def _with_engine(self, work: Callable[[Engine], T]) -> T:
        """What `work` finds out with an engine, in a turn of its own: it takes less than a second."""
        effect = Effect(threading.Event())

        def working(place: int) -> T:
            engine = effect.engine = self._desk.engine(place)
            return work(engine)

        async with self._desk.study_turns.turn() as turn:
            return await self._desk.study(lambda: working(turn.place), effect.stop)

    async def hint(self, board: chess.Board) -> None:
        """A good move, and why."""
        uci, san, reason = await self._with_engine(lambda engine: _hint(engine, board))
        await self._tell(told("hint", uci=uci, san=san, reason=reason))

    async def wants_draw(self, board: chess.Board) -> bool:
        """Whether the side that is not to move would agree to a draw."""
        if board.ply() < _LEAST_DRAW_PLIES:
            return False
        found = await self._with_engine(lambda engine: judge(engine, board, _DRAW_EFFORT))
        return 1 - found.score.expected < _CONTENT

    async def annotate(self, message: Message) -> None:
        """All games of a PGN text, judged move by move."""
        text = messages.text_of(message, "pgn", LIMITS["pgn"])
        effort = Effort(movetime=messages.whole_of(message, "movetime", 10, 2000, 100))
        games = await self._desk.aside(lambda: _games(text))
        counts = [sum(1 for _ in game.mainline_moves()) + 1 for game in games]
        progress = Progress(self._tell, sum(counts))
        texts, values = [], []
        for game in games:
            judgements = await self._judged(game, effort, progress)
            annotation = await self._desk.aside(lambda game=game, found=judgements: annotate(game, found))  # type: ignore[misc]
            texts.append(pgn_text(game))
            values.append(_annotation_value(game, annotation))
        await self._tell(told("annotated", pgn="".join(texts), games=values))

    async def _judged(self, game: chess.pgn.Game, effort: Effort, progress: Progress) -> list[Judgement]:
        """The judgements of all positions, the last one first, so that what came later is known where it matters."""
        board = game.end().board()
        count = len(board.move_stack) + 1
        found: list[Judgement] = []
        while len(found) < count:
            async with self._desk.study_turns.turn() as turn:
                await self._judge_some(turn, board, effort, found, progress)
        return found[::-1]

    async def _judge_some(self, turn: Turn, board: chess.Board, effort: Effort, found: list[Judgement],
                          progress: Progress) -> None:
        """Judge the position and those before it, until all are judged or the place is wanted."""
        loop, effect = asyncio.get_running_loop(), Effect(threading.Event())

        def work() -> None:
            engine = effect.engine = self._desk.engine(turn.place)
            while True:
                judgement = _judged_unless(effect, engine, board, effort)
                if judgement is None:
                    return
                found.append(judgement)
                loop.call_soon_threadsafe(progress.step)
                if not board.move_stack:
                    return
                board.pop()

        teller = asyncio.create_task(progress.tell())
        try:
            await self._until_wanted(turn, work, effect)
        finally:
            teller.cancel()


class Progress:
    """How far a long piece of work has come."""

    def __init__(self, tell: Tell, total: int) -> None:
        self._tell, self._total, self._done = tell, total, 0
        self._began = time.monotonic()
        self._changed = asyncio.Event()

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        self._changed.set()

    async def tell(self) -> None:
        """Say so, now and then."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            left = (time.monotonic() - self._began) / self._done * (self._total - self._done)
            await self._tell(told("progress", done=self._done, total=self._total, left=round(1000 * left)))
            await asyncio.sleep(_BEAT)


def _judged_unless(effect: Effect, engine: Engine, board: chess.Board, effort: Effort) -> Judgement | None:
    """What a search says of a position; None if it was stopped before its time."""
    if effect.halt.is_set():
        return None
    try:
        judgement = judge(engine, board, effort)
    except KeyError:  # stopped before anything was found
        judgement = None
    return None if effect.halt.is_set() else judgement


def _hint(engine: Engine, board: chess.Board) -> tuple[str, str, str]:
    found = judge(engine, board, _HINT_EFFORT)
    move = board.parse_uci(found.line[0])
    return board.uci(move), board.san(move), _why(engine, board, move, found)


def _why(engine: Engine, board: chess.Board, move: chess.Move, found: Judgement) -> str:
    """What a good move is good for, in a few words."""
    mate = found.score.mate
    if mate is not None and mate > 0:
        return "it mates" if mate == 1 else f"it mates in {mate}"
    explanation = explained(engine, board, move, _REPLY_EFFORT)
    gains = [reason.words for reason in explanation.reasons if reason.centipawns > 0]
    return f"it {gains[0]}" if gains else f"the best line is {explanation.best}"


def _facts_value(board: chess.Board, facts: Facts) -> Value:
    return {
        "opening": opening_value(facts.opening),
        "book": [{"uci": board.uci(move), "san": board.san(move), "share": round(share, 4)}
                 for move, share in facts.book],
        "table": facts.table,
        "terms": [{"name": fact.name.replace("_", " "), "words": fact.words, "cp": fact.centipawns}
                  for fact in facts.terms],
        "men": [{"square": chess.square_name(man.square), "piece": man.piece, "worth": man.centipawns}
                for man in facts.men]}


def loaded(text: str) -> Value:
    """A game or a position that somebody pasted, and what was wrong with it. InputError if it is neither."""
    stripped = text.strip()
    if not stripped:
        raise InputError("there is nothing to load")
    if "\n" not in stripped and stripped.split()[0].count("/") == 7:
        board = _position_board(stripped)
        return _loaded_value("", {}, board, (), None)
    game = read_game_text(text)
    moves = list(game.mainline_moves())
    if not moves and not game.headers.get("FEN"):
        raise InputError("that is neither a game in PGN nor a position in FEN")
    trouble = None
    if len(moves) > MOST_PLIES:
        moves, trouble = moves[:MOST_PLIES], f"the game is cut off after {MOST_PLIES} half-moves"
    return _loaded_value(str(game), dict(game.headers), game.board(), moves, trouble)


def _position_board(fen: str) -> chess.Board:
    """A position; in Chess960 if its castling rights are of no use otherwise."""
    board = starting_board(fen)
    if board.has_castling_rights(True) or board.has_castling_rights(False):
        return board
    other = starting_board(fen, chess960=True)
    return other if other.clean_castling_rights() else board


def _loaded_value(pgn: str, headers: dict[str, str], board: chess.Board, moves: Sequence[chess.Move],
                  trouble: str | None) -> Value:
    return {"pgn": pgn, "headers": headers, "start": fen_of(board), "chess960": board.chess960, "trouble": trouble,
            "moves": MoveList().follow(board, moves)}


def _games(text: str) -> list[chess.pgn.Game]:
    games: list[chess.pgn.Game] = []
    for number, game in read_games_text(text):
        if isinstance(game, str):
            raise InputError(game)
        if number > LIMITS["games"]:
            raise InputError(f"that is too much at once: {LIMITS['games']} games are the most")
        if sum(1 for _ in game.mainline_moves()) > MOST_PLIES:
            raise InputError(f"game {number} is longer than {MOST_PLIES} half-moves")
        games.append(game)
    if not games:
        raise InputError("there is no game in that text")
    return games


def _annotation_value(game: chess.pgn.Game, annotation: Annotation) -> Value:
    moves = [{"ply": note.ply, "san": note.san, **white_score(note.score), "mark": note.mark, "reason": note.reason,
              "better": list(note.better)} for note in annotation.notes]
    players = {name: _player_value(game.headers.get(name.title(), "?"), tally)
               for name, tally in (("white", annotation.white), ("black", annotation.black))}
    return {"headers": dict(game.headers), "moves": moves, "players": players}


def _player_value(name: str, tally: Tally) -> dict[str, Any]:
    return {"name": name, "accuracy": round(tally.accuracy, 1), "loss": round(tally.average_loss),
            "marks": {mark.text: tally.of(mark) for mark in BAD}}
