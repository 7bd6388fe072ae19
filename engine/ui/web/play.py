"""A session's game against the engine: clocks, take-backs, the engine's moves, and the state that the page gets."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Awaitable, Callable
from typing import Protocol

import chess

from engine.system.errors import InputError
from engine.ui.clock import TimeControl
from engine.ui.game import PlayedGame, PlayerInfo, game_from_pgn, starting_board
from engine.ui.opponent import HIGHEST, LOWEST, EngineOpponent, engine_info
from engine.ui.web import requests
from engine.ui.web.engine_pool import EnginePool
from engine.ui.web.requests import Message
from engine.ui.web.responses import MoveList, Value, board_fen, make_message, opening_json, outcome_json, position_json

_STEP = 200
MAX = "max"
LEVELS: tuple[int | str, ...] = (*range(LOWEST, HIGHEST + 1, _STEP), MAX)
_SIDES = {"white": chess.WHITE, "black": chess.BLACK}
_RANDOM = "random"
_LONGEST_CLOCK, _LONGEST_INCREMENT = 10_800_000, 180_000
_LONGEST_PGN = 200_000  # characters
_FLAG_GRACE = 0.02  # seconds after which a flag has certainly fallen
_STARTS = 960

_PREPARE, _MOVE, _FLAG = "prepare", "move", "flag"  # jobs
ADVICE = "advice"  # the job that answers a question about the game

Tell = Callable[[Value], Awaitable[None]]
Work = Callable[[], Awaitable[None]]


class JobRunner(Protocol):
    """The background jobs of a session, at most one of each name."""

    async def start_job(self, name: str, work: Work) -> None:
        """Run `work` in the background, in place of an earlier job of the same name."""

    async def cancel_jobs(self, *names: str) -> None:
        """Cancel the jobs of these names; their threads have ended when this returns."""


class PlaySession:
    """One game at a time, and the engine that plays it."""

    def __init__(self, desk: EnginePool, tell: Tell, jobs: JobRunner) -> None:
        self._desk, self._tell, self._jobs = desk, tell, jobs
        self._game: PlayedGame | None = None
        self._id = ""
        self._color = chess.WHITE  # the visitor's
        self._level: int | str = MAX
        self._is_slow = False  # answers after a natural delay
        self._list = MoveList()
        self._opponent: tuple[int | str, EngineOpponent] | None = None
        self._making = threading.Lock()

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
        level, color, control = _level_of(message), _color_of(message), _control_of(message)
        board = _start_of(message)
        me, other = PlayerInfo("You"), engine_info(_elo(level))
        await self._take(PlayedGame(board, control, (me, other) if color else (other, me)), level, color, message)

    async def restore(self, message: Message) -> None:
        """Continue a game that the page has saved."""
        level, color = _level_of(message), _color_of(message)
        game = await self._desk.run_briefly(lambda: game_from_pgn(requests.str_field(message, "pgn", _LONGEST_PGN)))
        clocks = message.get("clocks")
        if game.clock is not None and clocks is not None:
            if not isinstance(clocks, list) or len(clocks) != 2:
                raise InputError("clocks must be two numbers")
            for side, left in zip((chess.WHITE, chess.BLACK), clocks, strict=True):
                game.clock.set(side, requests.int_field({"clocks": left}, "clocks", 0, _LONGEST_CLOCK))
        game.resume()
        await self._take(game, level, color, message)

    async def _take(self, game: PlayedGame, level: int | str, color: chess.Color, message: Message) -> None:
        is_slow = requests.bool_field(message, "delay")
        await self._jobs.cancel_jobs(_PREPARE, _MOVE, _FLAG, ADVICE)
        if self._opponent is not None:
            await self._desk.run_briefly(self._opponent[1].begin_game)
        self._game, self._level, self._color, self._is_slow = game, level, color, is_slow
        self._id, self._list = secrets.token_hex(4), MoveList()
        await self._jobs.start_job(_PREPARE, self._prepare)
        await self._continue_game()

    async def _prepare(self) -> None:
        """Create the engine while the visitor thinks about the first move."""
        async with self._desk.game_turns.lease():
            await self._desk.run_game_search(self._opponent_for_level, self._stop)

    async def move(self, message: Message) -> None:
        """Make the visitor's move, or refuse it and send the state."""
        game = self.game
        try:
            game.push(self._read_move(game, message))
        except InputError as error:
            await self._tell(make_message("error", text=str(error)))
            await self._tell(self.state())
        else:
            await self._continue_game()

    def _read_move(self, game: PlayedGame, message: Message) -> chess.Move:
        """The visitor's move; InputError if it is illegal, or came after the position had changed."""
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
        """Start what follows a change of the game, the engine's move or the wait for the flag, and send the state."""
        game = self.game
        if game.is_over:
            await self._jobs.cancel_jobs(_MOVE, _FLAG)
        elif game.turn != self._color:
            await self._jobs.start_job(_MOVE, self._engine_move)
            await asyncio.sleep(0)  # the search starts now, and runs while the state is built
        if game.clock is not None and game.clock.running is not None:
            await self._jobs.start_job(_FLAG, self._await_flag)
        await self._tell(self.state())

    async def _engine_move(self) -> None:
        """Search for the engine's move, and make it."""
        loop, game = asyncio.get_running_loop(), self.game
        began = loop.time()
        async with self._desk.game_turns.lease(self._stop):
            move = await self._desk.run_game_search(lambda: self._opponent_for_level().move(game), self._stop)
        if self._is_slow:
            await asyncio.sleep(self._opponent_for_level().humanlike_delay(game, move) - (loop.time() - began))
        if not game.is_over:  # its flag may have fallen
            game.push(move)
        await self._continue_game()

    async def _await_flag(self) -> None:
        """End the game when the running clock reaches zero. Every change of the game starts this anew."""
        game = self.game
        while not game.is_over:
            assert game.clock is not None and game.clock.running is not None
            await asyncio.sleep(game.clock.left(game.clock.running) / 1000 + _FLAG_GRACE)
        await self._continue_game()

    def _opponent_for_level(self) -> EngineOpponent:
        """The engine that plays the game; the first call creates it."""
        with self._making:
            if self._opponent is not None and self._opponent[0] == self._level:
                return self._opponent[1]
            if self._opponent is not None:
                self._opponent[1].close()
            shares = self._desk.shares
            made = EngineOpponent(_elo(self._level), shares.game_hash, shares.search_threads)
            self._opponent = self._level, made
            return made

    def _stop(self) -> None:
        if self._opponent is not None:
            self._opponent[1].stop()

    async def close(self) -> None:
        """Release the engine, after all jobs have ended."""
        if self._opponent is not None:
            await self._desk.run_briefly(self._opponent[1].close)
            self._opponent = None

    def state(self) -> Value:
        """The state of the game."""
        game = self.game
        board, clock, outcome = game.board, game.clock, game.outcome
        root = board.root()
        is_usual = not board.chess960 and root.fen() == chess.STARTING_FEN
        clocks = None if clock is None else [clock.left(chess.WHITE), clock.left(chess.BLACK)]
        running = None if clock is None or clock.running is None else 0 if clock.running else 1
        position = position_json(board)
        position["over"] = outcome_json(outcome)
        if outcome is not None:
            position.update(legal={}, promotions=[])
        return make_message(
            "game", id=self._id, level=self._level, side=chess.COLOR_NAMES[self._color], chess960=board.chess960,
            start=None if is_usual else board_fen(root), fen=board_fen(board), ply=len(game.moves),
            moves=self._list.follow(root, game.moves), position=position, clocks=clocks, running=running,
            thinking=outcome is None and board.turn != self._color, over=outcome_json(outcome), delay=self._is_slow,
            opening=opening_json(game.opening_name()),
            clock=None if clock is None else {"base": clock.control.base, "increment": clock.control.increment},
            captured={name: _letters(game, side) for name, side in _SIDES.items()}, pgn=game.pgn())


def _letters(game: PlayedGame, side: chess.Color) -> str:
    """The pieces that a side has lost."""
    return "".join(chess.piece_symbol(kind).upper() for kind in game.taken(side))


def _level_of(message: Message) -> int | str:
    level = message.get("level")
    if isinstance(level, bool) or level not in LEVELS:
        raise InputError(f"level must be one of {', '.join(map(str, LEVELS))}")
    found: int | str = level
    return found


def _color_of(message: Message) -> chess.Color:
    side = requests.enum_field(message, "side", (*_SIDES, _RANDOM))
    return _SIDES.get(side, secrets.choice(chess.COLORS))


def _control_of(message: Message) -> TimeControl | None:
    clock = requests.object_field(message, "clock")
    if clock is None:
        return None
    return TimeControl(requests.int_field(clock, "base", 1000, _LONGEST_CLOCK),
                       requests.int_field(clock, "increment", 0, _LONGEST_INCREMENT, 0))


def _start_of(message: Message) -> chess.Board:
    fen, kind = requests.fen_field(message, "start"), message.get("chess960")
    if fen is not None:
        return starting_board(fen, bool(kind))
    if kind is None or kind is False:
        return starting_board()
    number = secrets.randbelow(_STARTS) if kind is True else requests.int_field(message, "chess960", 0, _STARTS - 1)
    return starting_board(number=number)


def _elo(level: int | str) -> int | None:
    return level if isinstance(level, int) else None
