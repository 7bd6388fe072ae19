"""The kinds of search side by side, and a small alpha-beta tree with its cut-offs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import chess

from engine.analysis.boards import place_of
from engine.analysis.values import score_of
from engine.core.errors import InputError
from engine.core.game import Game as Rules
from engine.desk.game import Game
from engine.desk.web import messages
from engine.desk.web.desk import Desk
from engine.desk.web.errands import meanwhile
from engine.desk.web.messages import Message
from engine.desk.web.sitting import Tell
from engine.desk.web.smalltree import small_tree
from engine.desk.web.wire import Value, line_value, score_value, told
from engine.options import Settings
from engine.search.contract import Interruptible, Search, Spreading
from engine.search.kinds import KINDS, kind_named
from engine.search.limits import Info, Limits, Progress, Remark, Result

_TITLES = {"alphabeta": "Alpha-beta", "mcts": "Learned tree", "puct": "PUCT", "uct": "UCT", "minimax": "Minimax",
           "expectimax": "Expectimax", "montecarlo": "Pure Monte Carlo"}  # in the order in which they are shown
_ABOUT = {kind.name: kind.about for kind in KINDS}
KINDS_SHOWN = [{"name": name, "title": title, "about": _ABOUT[name]} for name, title in _TITLES.items()]
_SHORTEST, _LONGEST = 200, 20_000  # milliseconds
_MEGABYTES = 16  # for each search
_LONGEST_LINE = 12  # plies
_MOST_MOVES = 8  # whose visits are shown
_BEAT = 0.1  # seconds between two messages about the same search
_DEEPEST_TREE = 3


@dataclass(frozen=True)
class Seen:
    """What one search has found, and how its visits spread."""

    info: Info
    visits: dict[int, int]


class Sight:
    """What one kind has found so far, for whoever looks at it now and then."""

    def __init__(self) -> None:
        self.latest: Seen | None = None
        self.changed = asyncio.Event()

    def add(self, seen: Seen) -> None:
        """Take in what was found."""
        self.latest = seen
        self.changed.set()


class Watching:
    """What a visitor watches."""

    def __init__(self, desk: Desk, tell: Tell) -> None:
        self._desk, self._tell = desk, tell

    async def watch(self, message: Message) -> None:
        """Several kinds think about the same position, each for the same time."""
        board = messages.board_of(message)
        names = messages.choices_of(message, "kinds", tuple(_TITLES))
        seconds = messages.whole_of(message, "movetime", _SHORTEST, _LONGEST, 3000) / 1000
        if Game(board).is_over:
            raise InputError("the game is over: there is nothing to think about")
        async with self._desk.study_turns.turn(), asyncio.TaskGroup() as group:
            for name in names:
                group.create_task(self._think(name, board, seconds))

    async def _think(self, name: str, board: chess.Board, seconds: float) -> None:
        loop, sight = asyncio.get_running_loop(), Sight()
        search = kind_named(name).make(Settings(), _MEGABYTES)
        rules = Rules(place_of(board)[0], board.chess960, place_of(board)[1])

        def report(found: Info | Progress | Remark) -> None:
            if isinstance(found, Info) and found.line_number == 1:
                loop.call_soon_threadsafe(sight.add, Seen(found, _visits(search)))

        def work() -> Result:
            search.load()
            return search.run(rules.position, Limits(movetime=seconds), report)

        def stop() -> None:
            if isinstance(search, Interruptible):
                search.stop()

        async with meanwhile(self._tell_now_and_then(name, board, rules, sight)):
            await self._desk.study(work, stop)
        await asyncio.sleep(0)  # the last report may still be on its way
        await self._tell(_watched(name, board, rules, sight, done=True))

    async def _tell_now_and_then(self, name: str, board: chess.Board, rules: Rules, sight: Sight) -> None:
        while True:
            await sight.changed.wait()
            await self._tell(_watched(name, board, rules, sight, done=False))
            await asyncio.sleep(_BEAT)

    async def tree(self, message: Message) -> None:
        """A small alpha-beta tree of the position."""
        board = messages.board_of(message)
        depth = messages.whole_of(message, "depth", 1, _DEEPEST_TREE)
        if Game(board).is_over:
            raise InputError("the game is over: no tree grows here")

        def work(place: int) -> Value:
            return small_tree(board, depth, self._desk.engine(place).evaluate)

        async with self._desk.study_turns.turn() as turn:
            value = await self._desk.study(lambda: work(turn.place), _never)
        await self._tell(told("tree", depth=depth, **value))


def _never() -> None:
    """What takes a moment only is not broken off."""


def _visits(search: Search) -> dict[int, int]:
    return search.visits() if isinstance(search, Spreading) else {}


def _watched(name: str, board: chess.Board, rules: Rules, sight: Sight, done: bool) -> Value:
    sight.changed.clear()
    if sight.latest is None:
        return told("watched", kind=name, depth=0, nodes=0, seconds=0, score=None, line=[], visits=[], done=done)
    info, visits = sight.latest.info, sight.latest.visits
    moves = _line(board, rules, info.line)
    return told("watched", kind=name, depth=info.depth, nodes=info.nodes, seconds=round(info.seconds, 3),
                **score_value(board, score_of(rules.position, info.score)),
                line=line_value(board, moves, _LONGEST_LINE)["san"], visits=_shares(board, rules, visits), done=done)


def _line(board: chess.Board, rules: Rules, line: tuple[int, ...]) -> list[chess.Move]:
    """A line of the engine's moves for python-chess."""
    follower, other, moves = rules.copy(), board.copy(stack=False), list[chess.Move]()
    for move in line[:_LONGEST_LINE]:
        text = follower.text(move)
        moves.append(other.parse_uci(text))
        other.push(moves[-1])
        follower.play(text)
    return moves


def _shares(board: chess.Board, rules: Rules, visits: dict[int, int]) -> list[Value]:
    """The most visited moves, and which share of all visits each got."""
    total = sum(visits.values())
    if not total:
        return []
    ranked = sorted(visits, key=lambda move: -visits[move])[:_MOST_MOVES]
    return [{"san": board.san(board.parse_uci(rules.text(move))), "share": round(visits[move] / total, 4)}
            for move in ranked]


