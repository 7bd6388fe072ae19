"""Games between UCI engines with time controls; python-chess runs the engines and checks every move.

An engine that crashes, hangs, loses on time or plays an illegal move forfeits that game; the match continues with a new
process.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
from collections.abc import Iterator
from dataclasses import dataclass

import chess
import chess.engine

from engine.lab.arena.engines import EngineProcess, EngineSpec, run_on_host, start_engines
from engine.lab.arena.records import Adjudication, Forfeit, GameRecord, MoveRecord, Opening
from engine.lab.arena.tb_adjudication import known_result
from engine.system.errors import InputError

_GRACE_SECONDS = 5.0  # beyond its clock, until an engine counts as hanging
_LONGEST_SEARCH = 600.0  # seconds, without a time limit
_MOVETIME_MARGIN = 0.25  # seconds: a fixed time per move is not a clock that can run out
_MOST_MOVES = 300
_MATE_SCORE = 30_000


@dataclass(frozen=True)
class EngineLimits:
    """The limits of a move: a clock with increment, in seconds; or a number of nodes; or a fixed time per move.

    With `moves`, the base is for that many moves, and is added again after them.
    """

    base: float = 0.0
    increment: float = 0.0
    nodes: int | None = None
    movetime: float | None = None
    moves: int | None = None
    margin: float = 0.01  # by how much a clock may be overstepped, since communication takes time too


class GameInProgress:
    """A game in progress: the board, the clocks, and the move records so far."""

    def __init__(self, opening: Opening, control: EngineLimits, rules: Adjudication) -> None:
        self.board = opening.board()
        self.records: list[MoveRecord] = []
        self.illegal_lines = [0, 0]
        self._control, self._rules = control, rules
        self._clocks = [control.base, control.base]

    @property
    def mover(self) -> int:
        """The side to move: 0 is White."""
        return 0 if self.board.turn else 1

    def limit(self, depth: int | None) -> chess.engine.Limit:
        """The limit for the side to move, which may have a fixed depth."""
        if depth is not None:
            return chess.engine.Limit(depth=depth)
        if self._control.nodes is not None:
            return chess.engine.Limit(nodes=self._control.nodes)
        if self._control.movetime is not None:
            return chess.engine.Limit(time=self._control.movetime)
        white, black = (max(clock, 0.001) for clock in self._clocks)
        increment = self._control.increment
        return chess.engine.Limit(white_clock=white, black_clock=black, white_inc=increment, black_inc=increment,
                                  remaining_moves=self._moves_to_go())

    def timeout(self, depth: int | None) -> float:
        """Seconds until the side to move counts as hanging."""
        if depth is not None or self._control.nodes is not None:
            return _LONGEST_SEARCH + _GRACE_SECONDS
        return (self._control.movetime or self._clocks[self.mover]) + _GRACE_SECONDS

    def spend(self, seconds: float, depth: int | None) -> bool:
        """Deduct the time from the mover's clock; returns whether the move was in time."""
        if depth is not None or self._control.nodes is not None:
            return True
        if self._control.movetime is not None:
            return seconds <= self._control.movetime + _MOVETIME_MARGIN
        side = self.mover
        self._clocks[side] -= seconds
        in_time = self._clocks[side] >= -self._control.margin
        self._clocks[side] = max(self._clocks[side], 0.0) + self._control.increment
        if self._moves_to_go() == 1:
            self._clocks[side] += self._control.base
        return in_time

    def _moves_to_go(self) -> int | None:
        """The number of moves until the next time control, this one included; None if there is none."""
        moves, made = self._control.moves, len(self.records) // 2
        return None if moves is None else moves - made % moves

    def verdict(self) -> tuple[str, str] | None:
        """(result, reason) if the game is over."""
        outcome = self.board.outcome()
        if outcome is not None:
            return outcome.result(), outcome.termination.name.lower().replace("_", " ")
        if self.board.is_repetition(3):
            return "1/2-1/2", "threefold repetition"
        if self.board.is_fifty_moves():
            return "1/2-1/2", "fifty moves"
        if len(self.records) >= 2 * _MOST_MOVES:
            return "1/2-1/2", f"{_MOST_MOVES} moves"
        known = known_result(self.board) if self._rules.by_tables else None
        return (known, "adjudicated: by endgame tables") if known is not None else self._adjudicate()

    def _adjudicate(self) -> tuple[str, str] | None:
        rules = self._rules
        if rules.draw_score is not None and self.board.fullmove_number >= rules.draw_from:
            last = [record.score for record in self.records[-2 * rules.draw_moves :]]
            if len(last) == 2 * rules.draw_moves and all(score is not None and abs(score) <= rules.draw_score
                                                         for score in last):
                return "1/2-1/2", "adjudicated: both call it even"
        if rules.win_score is not None:
            last = [record.score for record in self.records[-2 * rules.win_moves :]]
            if len(last) == 2 * rules.win_moves and None not in last:
                mover, other = last[::2], last[1::2]  # the side to move now moved first
                white, black = (mover, other) if self.board.turn else (other, mover)
                for winner, loser, result in ((white, black, "1-0"), (black, white, "0-1")):
                    if all(score is not None and score >= rules.win_score for score in winner) and all(
                            score is not None and score <= -rules.win_score for score in loser):
                        return result, "adjudicated: both agree on the winner"
        return None


async def _play_move(engine_process: EngineProcess, live: GameInProgress, game: object) -> Forfeit | None:
    """Let one side move; returns the forfeit, if there is one."""
    try:
        engine = await engine_process.engine()
    except InputError:
        return Forfeit.CRASH  # it had started before
    engine.announced.clear()
    side, depth = live.mover, engine_process.spec.depth
    started = time.perf_counter()
    try:
        played = await asyncio.wait_for(engine.play(live.board, live.limit(depth), game=game,
                                                    info=chess.engine.INFO_SCORE | chess.engine.INFO_BASIC),
                                        live.timeout(depth))
    except TimeoutError:
        return Forfeit.SILENCE
    except chess.engine.EngineTerminatedError:
        return Forfeit.CRASH
    except chess.engine.EngineError:
        return Forfeit.ILLEGAL_MOVE
    seconds = time.perf_counter() - started
    live.illegal_lines[side] += sum(not _is_playable(live.board, line) for line in engine.announced)
    if not live.spend(seconds, depth):
        return Forfeit.TIME
    if not played.move:  # none, or the null move
        return Forfeit.ILLEGAL_MOVE
    score = played.info.get("score")
    live.records.append(MoveRecord(live.board.uci(played.move),
                                  None if score is None else score.relative.score(mate_score=_MATE_SCORE),
                                  played.info.get("depth"), seconds))
    live.board.push(played.move)
    return None


def _is_playable(board: chess.Board, line: str) -> bool:
    """Whether the moves after `pv` are a legal line."""
    cursor = board.copy(stack=False)
    try:
        for text in line.split(" pv ", 1)[1].split():
            if "." in text or text == "string":
                break
            cursor.push(cursor.parse_uci(text))
    except ValueError:
        return False
    return True


async def _play_game(number: int, opening: Opening, engines: tuple[EngineProcess, EngineProcess], control: EngineLimits,
                     rules: Adjudication) -> GameRecord:
    """Play one game; `engines` are the engines of White and Black."""
    live = GameInProgress(opening, control, rules)
    game = object()  # tells python-chess that this is a new game
    forfeit: Forfeit | None = None
    for engine in engines:
        with contextlib.suppress(InputError, TimeoutError, chess.engine.EngineError):  # the first move will forfeit
            await engine.begin_game(game)
    while (verdict := live.verdict()) is None:
        engine = engines[live.mover]
        forfeit = await _play_move(engine, live, game)
        if forfeit is not None:
            await engine.close()
            loser = engine.spec.name
            verdict = ("0-1" if live.board.turn else "1-0"), f"{loser} {forfeit.value}"
            break
    names = (engines[0].spec.name, engines[1].spec.name)
    white, black = live.illegal_lines
    return GameRecord(number, names, opening, tuple(live.records), *verdict, forfeit, (white, black))


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Disable garbage collection during a game: it takes up to 60 ms of a player's clock."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@dataclass(frozen=True)
class UciGame:
    """A game of a match, which is a shard; the first player has White if its number is even. Calling it plays it."""

    number: int
    opening: Opening
    first: EngineSpec
    second: EngineSpec
    control: EngineLimits
    rules: Adjudication

    def __call__(self) -> list[GameRecord]:
        """Play the game; InputError if an engine cannot be started."""
        with _no_garbage_collection():
            return [run_on_host(self._play())]

    async def _play(self) -> GameRecord:
        first, second = await start_engines(self.first, self.second)
        engines = (first, second) if self.number % 2 == 0 else (second, first)
        return await _play_game(self.number, self.opening, engines, self.control, self.rules)
