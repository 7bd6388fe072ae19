"""Search modes side by side, and a small alpha-beta tree with its cutoffs."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import chess

from engine.analysis.boards import fen_and_moves
from engine.analysis.results import Score, to_score
from engine.core.game import Game as Rules
from engine.course.reference.alphabeta import alphabeta
from engine.course.reference.games.chess import Chess
from engine.course.reference.ordering import Ordered, by_evaluation
from engine.course.reference.trace import Trace, VisitedNode
from engine.player.options import Settings
from engine.search.interface import Search, Stoppable, VisitCounting
from engine.search.modes import mode_named
from engine.search.types import Info, InfoString, Limits, Progress, Result
from engine.system.errors import InputError
from engine.ui.game import PlayedGame
from engine.ui.web import requests
from engine.ui.web.engine_pool import EnginePool, background_task, with_engine
from engine.ui.web.play import Send
from engine.ui.web.requests import Message
from engine.ui.web.responses import Value, line_json, make_message, score_json

_MODES = (  # in display order: name, title, what it looks at
    ("alphabeta", "Alpha-beta", "Looks at every move one step deeper each time, and skips replies that cannot matter."),
    ("mcts", "Learned tree", "Looks at the moves that a network finds promising, and has the network judge positions."),
    ("puct", "PUCT", "Looks at the moves that simple rules find promising, and judges positions with the evaluation."),
    ("uct", "UCT", "Plays random games, and returns more often to the moves after which they went well."),
    ("minimax", "Minimax", "Looks at every move and every reply to a fixed depth, without skipping any."),
    ("expectimax", "Expectimax", "Takes the opponent for a person who errs, and weighs each reply by its probability."),
    ("montecarlo", "Pure Monte Carlo", "Plays random games after each move, and counts how they ended."),
)
_NAMES = tuple(name for name, _, _ in _MODES)
WATCHED_MODES = [{"name": name, "title": title, "about": about} for name, title, about in _MODES]
_SHORTEST, _LONGEST = 200, 20_000  # milliseconds
_MEGABYTES = 16  # for each search
_LONGEST_LINE = 12  # plies
_MOST_DEPTHS = 6  # in a report
_MOST_MOVES = 8  # with visits in a report
_UPDATE_INTERVAL = 0.1  # seconds between two messages of the same search
_WIDTHS = {1: 40, 2: 8, 3: 5}  # number of moves searched at each node, by the depth of the tree
_DEEPEST_TREE = max(_WIDTHS)
_MOST_NODES = 2000  # of a tree
_MATE = 10_000.0  # centipawns

BoardEvaluator = Callable[[chess.Board], Score]


@dataclass(frozen=True)
class SearchSnapshot:
    """A report of a search, and the visits of its root moves."""

    info: Info
    visits: dict[int, int]


class LiveSearch:
    """The latest report of one search, which `WatchSession` sends at intervals. Lives in the event loop."""

    def __init__(self) -> None:
        self.latest: SearchSnapshot | None = None
        self.depths: dict[int, Info] = {}  # the last report of each depth
        self.changed = asyncio.Event()

    def add(self, snapshot: SearchSnapshot) -> None:
        """Store a report."""
        self.latest = snapshot
        self.depths[snapshot.info.depth] = snapshot.info
        self.changed.set()


class WatchSession:
    """The searches that a session watches."""

    def __init__(self, pool: EnginePool, send: Send) -> None:
        self._pool, self._send = pool, send

    async def watch(self, message: Message) -> None:
        """Search the same position in several modes, each for the same time, and send their reports."""
        board = await self._pool.run_briefly(lambda: requests.parse_board(message))
        names = requests.enum_list_field(message, "modes", _NAMES)
        seconds = requests.int_field(message, "movetime", _SHORTEST, _LONGEST, 3000) / 1000
        if PlayedGame(board).is_over:
            raise InputError("the game is over: there is nothing to search")
        async with self._pool.analysis_queue.lease(), asyncio.TaskGroup() as group:
            for name in names:
                group.create_task(self._run_search(name, board, seconds))

    async def _run_search(self, name: str, board: chess.Board, seconds: float) -> None:
        loop, live = asyncio.get_running_loop(), LiveSearch()
        search = mode_named(name).create(Settings(), _MEGABYTES)
        rules = Rules(fen_and_moves(board)[0], board.chess960, fen_and_moves(board)[1])

        def report(info: Info | Progress | InfoString) -> None:
            if isinstance(info, Info) and info.multipv == 1:
                loop.call_soon_threadsafe(live.add, SearchSnapshot(info, _visits(search)))

        def work() -> Result:
            search.load()
            return search.run(rules.position, Limits(movetime=seconds), report)

        def stop() -> None:
            if isinstance(search, Stoppable):
                search.stop()

        async with background_task(self._send_updates(name, board, rules, live)):
            await self._pool.run_analysis(work, stop)
        await asyncio.sleep(0)  # the last report may still be queued in the event loop
        await self._send(_report_message(name, board, rules, live, done=True))

    async def _send_updates(self, name: str, board: chess.Board, rules: Rules, live: LiveSearch) -> None:
        while True:
            await live.changed.wait()
            await self._send(_report_message(name, board, rules, live, done=False))
            await asyncio.sleep(_UPDATE_INTERVAL)

    async def tree(self, message: Message) -> None:
        """Send a small alpha-beta tree of the position."""
        board = await self._pool.run_briefly(lambda: requests.parse_board(message))
        depth = requests.int_field(message, "depth", 1, _DEEPEST_TREE)
        if PlayedGame(board).is_over:
            raise InputError("the game is over: there is no tree to show")
        value = await with_engine(self._pool, lambda engine: small_tree(board, depth, engine.evaluate))
        await self._send(make_message("tree", depth=depth, **value))


def _visits(search: Search) -> dict[int, int]:
    return search.visits() if isinstance(search, VisitCounting) else {}


def _report_message(name: str, board: chess.Board, rules: Rules, live: LiveSearch, done: bool) -> Value:
    live.changed.clear()
    if live.latest is None:
        return make_message("watched", mode=name, depth=0, nodes=0, seconds=0, score=None, line=[], visits=[],
                            depths=[], done=done)
    info, visits = live.latest.info, live.latest.visits
    moves = _line(board, rules, info.pv)
    return make_message("watched", mode=name, depth=info.depth, nodes=info.nodes, seconds=round(info.seconds, 3),
                        **score_json(to_score(rules.position, info.score)),
                        line=line_json(board, moves, _LONGEST_LINE)["san"],
                        visits=_visit_fractions(board, rules, visits),
                        depths=[] if visits else _depth_values(board, rules, live.depths), done=done)


def _depth_values(board: chess.Board, rules: Rules, infos: dict[int, Info]) -> list[Value]:
    """The best move and the score of the last depths, the deepest first."""
    deepest = sorted((depth for depth, info in infos.items() if info.pv), reverse=True)[:_MOST_DEPTHS]
    return [{"depth": depth, "san": board.san(_line(board, rules, infos[depth].pv[:1])[0]),
             "score": score_json(to_score(rules.position, infos[depth].score))["score"]} for depth in deepest]


def _line(board: chess.Board, rules: Rules, line: tuple[int, ...]) -> list[chess.Move]:
    """The first moves of a line as python-chess moves."""
    cursor, other, moves = rules.copy(), board.copy(stack=False), list[chess.Move]()
    for move in line[:_LONGEST_LINE]:
        text = cursor.uci(move)
        moves.append(other.parse_uci(text))
        other.push(moves[-1])
        cursor.push_uci(text)
    return moves


def _visit_fractions(board: chess.Board, rules: Rules, visits: dict[int, int]) -> list[Value]:
    """The most visited moves, each with its fraction of all visits."""
    total = sum(visits.values())
    if not total:
        return []
    ranked = sorted(visits, key=lambda move: -visits[move])[:_MOST_MOVES]
    return [{"san": board.san(board.parse_uci(rules.uci(move))), "share": round(visits[move] / total, 4)}
            for move in ranked]


class BoundedTrace(Trace):
    """A trace of limited size."""

    def enter(self, state: object, is_leaf: bool, alpha: float = -math.inf, beta: float = math.inf) -> None:
        if self.nodes >= _MOST_NODES:
            raise InputError("the tree is too large to display")
        super().enter(state, is_leaf, alpha, beta)


class _Centipawns(Chess):
    """Chess in centipawns, with mates worth more than any evaluation."""

    def utility(self, state: str, player: int) -> float:
        return _MATE * super().utility(state, player)


def small_tree(board: chess.Board, depth: int, evaluate_board: BoardEvaluator) -> Value:
    """The tree that alpha-beta searches to a depth, with only the most promising moves of each position.

    Alpha, beta and values are centipawns for White; None for no bound. A node is `cut` if one of its moves caused a
    cutoff; the moves that were not searched follow it as `skipped`.
    """
    def evaluate(fen: str) -> float:
        position = chess.Board(fen)
        score = evaluate_board(position)
        value = float(max(-_MATE, min(score.value, _MATE)))
        return value if position.turn else -value

    width = _WIDTHS[depth]
    game = _Centipawns(board.fen())
    ordered = Ordered(game, by_evaluation(game, evaluate), width)
    trace = BoundedTrace()
    alphabeta(ordered, board.fen(), depth, evaluate, trace)
    assert trace.root is not None
    nodes: list[Value] = []
    _add_nodes(nodes, trace.root, {"id": 0, "parent": None, "san": None, "order": 0}, ordered)
    return {"width": width, "turn": chess.COLOR_NAMES[board.turn], "nodes": nodes}


def _add_nodes(nodes: list[Value], node: VisitedNode, link: Value, game: Ordered[str, str]) -> None:
    """Append a node and its subtree to `nodes`; `link` has its id, parent, move and order."""
    fen = str(node.state)
    actions: Sequence[str] = game.actions(fen) if node.children else ()
    is_cut = 0 < len(node.children) < len(actions)
    nodes.append({**link, "alpha": _bound(node.alpha), "beta": _bound(node.beta), "value": _bound(node.value),
                  "cut": is_cut, "skipped": False, "visit": node.order})
    board = chess.Board(fen)
    for order, action in enumerate(actions):
        below = {"id": len(nodes), "parent": link["id"], "san": board.san(chess.Move.from_uci(action)), "order": order}
        if order < len(node.children):
            _add_nodes(nodes, node.children[order], below, game)
        else:
            nodes.append({**below, "alpha": None, "beta": None, "value": None, "cut": False, "skipped": True,
                          "visit": None})


def _bound(value: float) -> int | None:
    return round(value) if math.isfinite(value) else None
