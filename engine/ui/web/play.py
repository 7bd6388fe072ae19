"""A session's game against the engine: clocks, take-backs, the engine's moves, and what the page is sent."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Awaitable, Callable, Sequence
from itertools import takewhile
from typing import Protocol

import chess

from engine.system.errors import InputError
from engine.ui.autosave import AutoSave
from engine.ui.clock import TimeControl
from engine.ui.game import PlayedGame, PlayerInfo, starting_board
from engine.ui.level import HIGHEST, LOWEST, MAX, STEP, Streak, describe_level, suggestion_text
from engine.ui.opponent import EngineOpponent, engine_info
from engine.ui.web import requests
from engine.ui.web.engine_pool import EnginePool
from engine.ui.web.requests import Message
from engine.ui.web.responses import MoveList, Value, board_fen, make_message, opening_json, outcome_json, position_json

LEVELS: tuple[int | str, ...] = (*range(LOWEST, HIGHEST + 1, STEP), MAX)
_SIDES = {"white": chess.WHITE, "black": chess.BLACK}
_RANDOM = "random"
_LONGEST_CLOCK, _LONGEST_INCREMENT = 10_800_000, 180_000
_LONGEST_PGN = 200_000  # characters
_FLAG_MARGIN = 0.02  # seconds added to the wait, so that the flag has certainly fallen
_STARTS = 960

_PREPARE, _MOVE, _FLAG = "prepare", "move", "flag"  # jobs
ADVICE = "advice"  # the job for hints and draw offers

Send = Callable[[Value], Awaitable[None]]
Work = Callable[[], Awaitable[None]]


class JobRunner(Protocol):
    """The background jobs of a session, at most one of each name."""

    async def start_job(self, name: str, work: Work) -> None:
        """Run `work` in the background, replacing an earlier job of the same name."""

    async def cancel_jobs(self, *names: str) -> None:
        """Cancel the jobs of these names; their threads have ended when this returns."""


class PlaySession:
    """One game at a time, and the engine that plays it."""

    def __init__(self, pool: EnginePool, send: Send, jobs: JobRunner) -> None:
        self._pool, self._send, self._jobs = pool, send, jobs
        self._game: PlayedGame | None = None
        self._id = ""
        self._color = chess.WHITE  # the visitor's
        self._level: int | str = MAX
        self._has_delay = False  # the engine answers after a human-like delay
        self._has_manners = False  # the engine resigns, and offers draws
        self._is_draw_offered = False  # by the engine, with its last move
        self._streak = Streak()
        self._list = MoveList()
        self._sent: list[Value] | None = None  # the moves of this game that the page has been sent
        self._autosave: AutoSave | None = None  # of the game, where games are saved
        self._opponent: tuple[int | str, EngineOpponent] | None = None
        self._opponent_lock = threading.Lock()

    @property
    def game(self) -> PlayedGame:
        """The game; InputError if none has been started."""
        if self._game is None:
            raise InputError("no game has been started")
        return self._game

    @property
    def color(self) -> chess.Color:
        """The visitor's side."""
        return self._color

    async def begin(self, message: Message) -> None:
        """Start a new game."""
        level, color, control = _parse_level(message), _parse_color(message), _parse_time_control(message)
        board = _parse_start(message)
        visitor, engine = PlayerInfo("You"), engine_info(_elo(level))
        players = (visitor, engine) if color else (engine, visitor)
        await self._set_up_game(PlayedGame(board, control, players), level, color, message)

    async def restore(self, message: Message) -> None:
        """Continue a game that the page saved."""
        level, color = _parse_level(message), _parse_color(message)
        text = requests.str_field(message, "pgn", _LONGEST_PGN)
        game = await self._pool.run_briefly(lambda: PlayedGame.from_pgn(text))
        clocks = message.get("clocks")
        if game.clock is not None and clocks is not None:
            if not isinstance(clocks, list) or len(clocks) != 2:
                raise InputError("clocks must be two numbers")
            for side, left in zip((chess.WHITE, chess.BLACK), clocks, strict=True):
                game.clock.set(side, requests.int_field({"clocks": left}, "clocks", 0, _LONGEST_CLOCK))
        game.resume()
        await self._set_up_game(game, level, color, message)

    async def _set_up_game(self, game: PlayedGame, level: int | str, color: chess.Color, message: Message) -> None:
        has_delay, has_manners = requests.bool_field(message, "delay"), requests.bool_field(message, "manners")
        await self._jobs.cancel_jobs(_PREPARE, _MOVE, _FLAG, ADVICE)
        if self._opponent is not None:
            await self._pool.run_briefly(self._opponent[1].begin_game)
        self._game, self._level, self._color, self._has_delay = game, level, color, has_delay
        self._has_manners, self._is_draw_offered = has_manners, False
        self._id, self._list, self._sent = secrets.token_hex(4), MoveList(), None
        self._autosave = None if self._pool.games_folder is None else AutoSave(self._pool.games_folder)
        await self._jobs.start_job(_PREPARE, self._prepare)
        await self._continue_game()

    async def _prepare(self) -> None:
        """Create the engine while the visitor thinks about the first move."""
        async with self._pool.game_queue.lease():
            await self._pool.run_game_search(self._opponent_for_level, self._stop)

    async def move(self, message: Message) -> None:
        """Make the visitor's move, or send an error and the whole game."""
        game = self.game
        try:
            game.push(self._read_move(game, message))
        except InputError as error:
            await self._send(make_message("error", text=str(error)))
            await self.send_game()
        else:
            self._is_draw_offered = False
            await self._continue_game()

    def _read_move(self, game: PlayedGame, message: Message) -> chess.Move:
        """The visitor's move; InputError if it is illegal or was sent for another position."""
        if game.turn != self._color or requests.int_field(message, "ply", 0, 10_000) != len(game.moves):
            raise InputError("the move does not fit the current position")
        return requests.parse_uci_move(game.board, requests.str_field(message, "uci", 8))

    async def take_back(self) -> None:
        """Return to the position before the visitor's latest move."""
        game = self.game
        if not game.can_take_back(self._color):
            raise InputError("there is no move to take back")
        await self._jobs.cancel_jobs(_MOVE)
        game.take_back(self._color)
        self._is_draw_offered = False
        await self._continue_game()

    async def resign(self) -> None:
        """End the game: the visitor resigns."""
        self.game.resign(self._color)
        await self._continue_game()

    async def agree_draw(self) -> None:
        """End the game: both sides agree to a draw."""
        self.game.agree_draw()
        await self._continue_game()

    async def _continue_game(self) -> None:
        """Start the jobs for the engine's move and for the flag, as the game requires, and send what has changed."""
        game = self.game
        if game.is_over:
            await self._jobs.cancel_jobs(_MOVE, _FLAG)
        elif game.turn != self._color:
            await self._jobs.start_job(_MOVE, self._engine_move)
            await asyncio.sleep(0)  # the search starts now, and runs while the message is built
        if game.clock is not None and game.clock.running is not None:
            await self._jobs.start_job(_FLAG, self._await_flag)
        if (outcome := game.outcome) is not None:
            points = 0.5 if outcome.winner is None else float(outcome.winner == self._color)
            self._streak.record(self._id, _elo(self._level), points)
        await self._send(self._changes())
        if game.is_over and (autosave := self._autosave) is not None:  # the page keeps a game that goes on
            await self._pool.run_briefly(lambda: autosave.save(game))

    async def _engine_move(self) -> None:
        """Search for the engine's move and make it."""
        loop, game = asyncio.get_running_loop(), self.game
        began = loop.time()
        async with self._pool.game_queue.lease(self._stop):
            move = await self._pool.run_game_search(lambda: self._opponent_for_level().move(game), self._stop)
        if self._has_delay:
            await asyncio.sleep(self._opponent_for_level().humanlike_delay(game, move) - (loop.time() - began))
        if not game.is_over:  # its flag may have fallen
            self._make_engine_move(self._opponent_for_level(), move)
        await self._continue_game()
        if self._is_draw_offered:
            await self._send(make_message("info", text="Adversary offers a draw."))

    def _make_engine_move(self, opponent: EngineOpponent, move: chess.Move) -> None:
        """Make the engine's move; a polite one may resign instead, or offer a draw with it."""
        game = self.game
        if self._has_manners and opponent.resigns():
            game.resign(game.turn)
            return
        game.push(move)
        self._is_draw_offered = self._has_manners and not game.is_over and opponent.offers_draw(game)

    async def _await_flag(self) -> None:
        """End the game when the running clock reaches zero. Restarted after every move."""
        game = self.game
        while not game.is_over:
            assert game.clock is not None and game.clock.running is not None
            await asyncio.sleep(game.clock.left(game.clock.running) / 1000 + _FLAG_MARGIN)
        await self._continue_game()

    @property
    def is_draw_offered(self) -> bool:
        """Whether the engine offered a draw with its last move."""
        return self._is_draw_offered

    def _suggestion(self) -> Value | None:
        """Another level to try after this game, and why; None if the present one fits."""
        level, following = _elo(self._level), self._streak.suggestion()
        if level is None or following is None:
            return None
        return {"level": following, "text": suggestion_text(level, following)}

    def _opponent_for_level(self) -> EngineOpponent:
        """The engine that plays the game; the first call creates it."""
        with self._opponent_lock:
            if self._opponent is not None and self._opponent[0] == self._level:
                return self._opponent[1]
            if self._opponent is not None:
                self._opponent[1].close()
            limits = self._pool.limits
            opponent = EngineOpponent(_elo(self._level), limits.game_hash, limits.search_threads)
            self._opponent = self._level, opponent
            return opponent

    def _stop(self) -> None:
        if self._opponent is not None:
            self._opponent[1].stop()

    async def close(self) -> None:
        """Release the engine, after all jobs have ended."""
        if self._opponent is not None:
            await self._pool.run_briefly(self._opponent[1].close)
            self._opponent = None

    async def send_game(self) -> None:
        """Send the whole game."""
        self._sent = None
        await self._send(self._changes())

    def _changes(self) -> Value:
        """The `game` message: what has changed since the last one, or the whole game if the page has been sent none."""
        game = self.game
        board, clock, outcome = game.board, game.clock, game.outcome
        moves = [{**value, "clock": reading} for value, reading in
                 zip(self._list.follow(board.root(), game.moves), game.readings, strict=True)]
        kept = None if self._sent is None else _common_length(self._sent, moves)
        self._sent = moves
        position = position_json(board)
        position["over"] = outcome_json(outcome)
        if outcome is not None:
            position.update(legal={}, promotions=[])
        return make_message(
            "game", **(self._settings() if kept is None else {"kept": kept}), id=self._id, ply=len(moves),
            moves=moves[kept:], fen=board_fen(board), position=position, tags=game.tags(),
            clocks=None if clock is None else [clock.left(chess.WHITE), clock.left(chess.BLACK)],
            running=None if clock is None or clock.running is None else 0 if clock.running else 1,
            thinking=outcome is None and board.turn != self._color, over=outcome_json(outcome),
            suggestion=None if outcome is None else self._suggestion(), opening=opening_json(game.opening_name()))

    def _settings(self) -> Value:
        """What does not change during a game."""
        game = self.game
        root = game.board.root()
        is_usual = not root.chess960 and root.fen() == chess.STARTING_FEN
        control = None if game.clock is None else game.clock.control
        return {"level": self._level, "side": chess.COLOR_NAMES[self._color], "chess960": root.chess960,
                "start": None if is_usual else board_fen(root), "delay": self._has_delay, "manners": self._has_manners,
                "clock": None if control is None else {"base": control.base, "increment": control.increment}}


def level_descriptions() -> dict[str, str]:
    """What each level does, by its name."""
    return {str(level): describe_level(_elo(level)) for level in LEVELS}


def _common_length(one: Sequence[Value], other: Sequence[Value]) -> int:
    """How many items two lists begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _parse_level(message: Message) -> int | str:
    level = message.get("level")
    if isinstance(level, bool) or level not in LEVELS:
        raise InputError(f"level must be one of {', '.join(map(str, LEVELS))}")
    valid: int | str = level
    return valid


def _parse_color(message: Message) -> chess.Color:
    side = requests.enum_field(message, "side", (*_SIDES, _RANDOM))
    return _SIDES.get(side, secrets.choice(chess.COLORS))


def _parse_time_control(message: Message) -> TimeControl | None:
    clock = requests.object_field(message, "clock")
    if clock is None:
        return None
    return TimeControl(requests.int_field(clock, "base", 1000, _LONGEST_CLOCK),
                       requests.int_field(clock, "increment", 0, _LONGEST_INCREMENT, 0))


def _parse_start(message: Message) -> chess.Board:
    fen, chess960 = requests.fen_field(message, "start"), message.get("chess960")
    if fen is not None:
        return starting_board(fen, bool(chess960))
    if chess960 is None or chess960 is False:
        return starting_board()
    number = secrets.randbelow(_STARTS) if chess960 is True else requests.int_field(message, "chess960", 0, _STARTS - 1)
    return starting_board(number=number)


def _elo(level: int | str) -> int | None:
    return level if isinstance(level, int) else None
