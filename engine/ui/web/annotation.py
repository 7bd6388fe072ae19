"""Games that visitors bring along: loaded to be looked at, or annotated move by move."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import chess
import chess.pgn

from engine.analysis.accuracy import BAD, PlayerAccuracy
from engine.analysis.annotation import Annotation, annotate, pgn_text
from engine.analysis.engine import Engine
from engine.analysis.pgn_reader import read_game_text, read_games_text
from engine.analysis.review import PositionEval, SearchEffort, evaluate_board
from engine.system.errors import InputError
from engine.ui.game import starting_board
from engine.ui.web import requests
from engine.ui.web.engine_pool import EnginePool, Errand, meanwhile, until_wanted
from engine.ui.web.play import Tell
from engine.ui.web.queue import Lease
from engine.ui.web.requests import MOST_PLIES, Message
from engine.ui.web.responses import MoveList, Value, board_fen, make_message, numbered, white_score

LIMITS = {"message": requests.LONGEST_MESSAGE, "pgn": 200_000, "games": 20}  # bytes, letters, games to annotate
_BEAT = 0.1  # seconds between two messages about the same work


class AnnotateSession:
    """Judges the games that a visitor wants to know more about."""

    def __init__(self, desk: EnginePool, tell: Tell) -> None:
        self._desk, self._tell = desk, tell

    async def annotate(self, message: Message) -> None:
        """All games of a PGN text, judged move by move."""
        text = requests.str_field(message, "pgn", LIMITS["pgn"])
        effort = SearchEffort(movetime=requests.int_field(message, "movetime", 10, 2000, 100))
        games = await self._desk.run_briefly(lambda: _games(text))
        progress = JobProgress(self._tell, sum(sum(1 for _ in game.mainline_moves()) + 1 for game in games))
        texts, values = [], []
        for game in games:
            judgements = await self._judged(game, effort, progress)
            annotation = await self._desk.run_briefly(partial(annotate, game, judgements))
            texts.append(pgn_text(game))
            values.append(_annotation_value(game, annotation))
        await self._tell(make_message("annotated", pgn="".join(texts), games=values))

    async def _judged(self, game: chess.pgn.Game, effort: SearchEffort, progress: JobProgress) -> list[PositionEval]:
        """The judgements of all positions, the last one first, so that what came later is known where it matters."""
        board = game.end().board()
        count = len(board.move_stack) + 1
        found: list[PositionEval] = []
        while len(found) < count:
            async with self._desk.study_turns.lease() as turn:
                await self._judge_some(turn, board, effort, found, progress)
        return found[::-1]

    async def _judge_some(self, turn: Lease, board: chess.Board, effort: SearchEffort, found: list[PositionEval],
                          progress: JobProgress) -> None:
        """Judge the position and those before it, until all are judged or the place is wanted."""
        loop, errand = asyncio.get_running_loop(), Errand()

        def work() -> None:
            engine = errand.engine = self._desk.engine(turn.slot)
            while True:
                judgement = _judged_unless(errand, engine, board, effort)
                if judgement is None:
                    return
                found.append(judgement)
                loop.call_soon_threadsafe(progress.step)
                if not board.move_stack:
                    return
                board.pop()

        async with meanwhile(progress.tell()):
            await until_wanted(self._desk, turn, work, errand)


class JobProgress:
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
            await self._tell(make_message("progress", done=self._done, total=self._total, left=round(1000 * left)))
            await asyncio.sleep(_BEAT)


def _judged_unless(errand: Errand, engine: Engine, board: chess.Board, effort: SearchEffort) -> PositionEval | None:
    """What a search says of a position; None if it was stopped before its time."""
    if errand.halt.is_set():
        return None
    try:
        judgement = evaluate_board(engine, board, effort)
    except KeyError:  # stopped before anything was found
        judgement = None
    return None if errand.halt.is_set() else judgement


def load_game_or_position(text: str) -> Value:
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
    value = _loaded_value(str(game), dict(game.headers), game.board(), moves, trouble)
    for move, node in zip(value["moves"], game.mainline(), strict=False):
        move.update(comment=node.comment, nags=sorted(node.nags))
    return value


def _position_board(fen: str) -> chess.Board:
    """A position; in Chess960 if its castling rights are of no use otherwise."""
    board = starting_board(fen)
    if board.has_castling_rights(True) or board.has_castling_rights(False):
        return board
    other = starting_board(fen, chess960=True)
    return other if other.clean_castling_rights() else board


def _loaded_value(pgn: str, headers: dict[str, str], board: chess.Board, moves: Sequence[chess.Move],
                  trouble: str | None) -> Value:
    return {"pgn": pgn, "headers": headers, "start": board_fen(board), "chess960": board.chess960, "trouble": trouble,
            "result": headers.get("Result", "*"), "moves": MoveList().follow(board, moves)}


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
    start, played = game.board(), list(game.mainline_moves())
    told_moves = MoveList().follow(start, played)
    moves = [{**move, "ply": note.ply, **white_score(note.score), "mark": note.mark, "reason": note.reason,
              "better": numbered(node.parent.board(), note.better) if note.better else None}
             for move, note, node in zip(told_moves, annotation.notes, game.mainline(), strict=True)]
    players = {name: _player_value(game.headers.get(name.title(), "?"), tally)
               for name, tally in (("white", annotation.white), ("black", annotation.black))}
    return {"headers": dict(game.headers), "start": board_fen(start), "chess960": start.chess960, "moves": moves,
            "players": players}


def _player_value(name: str, tally: PlayerAccuracy) -> dict[str, Any]:
    return {"name": name, "accuracy": round(tally.accuracy, 1), "loss": round(tally.average_loss),
            "marks": {mark.text: tally.of(mark) for mark in BAD}}
