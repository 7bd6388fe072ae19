"""Games that the page sends: loaded for display, or annotated move by move."""

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
from engine.ui.web.engine_pool import EnginePool, Job, meanwhile, with_engine
from engine.ui.web.play import Tell
from engine.ui.web.requests import MOST_PLIES, Message
from engine.ui.web.responses import MoveList, Value, board_fen, make_message, numbered, white_score

LIMITS = {"message": requests.LONGEST_MESSAGE, "pgn": 200_000, "games": 20}  # bytes, characters, games to annotate
_BEAT = 0.1  # seconds between two messages about the same job


class AnnotateSession:
    """Annotates the games of a session."""

    def __init__(self, desk: EnginePool, tell: Tell) -> None:
        self._desk, self._tell = desk, tell

    async def annotate(self, message: Message) -> None:
        """Annotate all games of a PGN text, and send them."""
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
        """Evaluate all positions from the last to the first: the search then knows what came later in the game."""
        board = game.end().board()
        count = len(board.move_stack) + 1
        found: list[PositionEval] = []
        async with meanwhile(progress.tell()):
            while len(found) < count:
                await self._judge_some(board, effort, found, progress)
        return found[::-1]

    async def _judge_some(self, board: chess.Board, effort: SearchEffort, found: list[PositionEval],
                          progress: JobProgress) -> None:
        """Evaluate `board` and the positions before it, until all are done or another session needs the slot."""
        loop, errand = asyncio.get_running_loop(), Job()

        def work(engine: Engine) -> None:
            while True:
                judgement = _judged_unless(errand, engine, board, effort)
                if judgement is None:
                    return
                found.append(judgement)
                loop.call_soon_threadsafe(progress.step)
                if not board.move_stack:
                    return
                board.pop()

        await with_engine(self._desk, work, preemptible=errand)


class JobProgress:
    """The progress of a job over many positions, which it sends at intervals."""

    def __init__(self, tell: Tell, total: int) -> None:
        self._tell, self._total, self._done = tell, total, 0
        self._began = time.monotonic()
        self._changed = asyncio.Event()

    def step(self) -> None:
        """Count one more position."""
        self._done += 1
        self._changed.set()

    async def tell(self) -> None:
        """Send the progress whenever it has changed."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            left = (time.monotonic() - self._began) / self._done * (self._total - self._done)
            await self._tell(make_message("progress", done=self._done, total=self._total, left=round(1000 * left)))
            await asyncio.sleep(_BEAT)


def _judged_unless(errand: Job, engine: Engine, board: chess.Board, effort: SearchEffort) -> PositionEval | None:
    """The evaluation of a position by a search; None if the job was stopped."""
    if errand.halt.is_set():
        return None
    try:
        judgement = evaluate_board(engine, board, effort)
    except KeyError:  # stopped before the first line
        judgement = None
    return None if errand.halt.is_set() else judgement


def load_game_or_position(text: str) -> Value:
    """A game in PGN or a position in FEN, and what was wrong with it. InputError if the text is neither."""
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
    """The position; in Chess960 if its castling rights mean nothing in ordinary chess."""
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
            raise InputError(f"too many games: at most {LIMITS['games']} at a time")
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
