"""The tree of all book lines from a position, and its evaluation by the engine."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from book.polyglot import Book, BookEntry, book_move, game_key
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.cli.interruption import InterruptionError
from engine.cli.searches import search as search_until_interrupted
from engine.core.game import Game
from engine.search.types import Limits
from engine.system.errors import InputError
from engine.system.host import usable_cores
from engine.system.threads import per_thread
from engine.text.display import to_cp

_HASH_MEGABYTES = 2  # for searches of a few thousand nodes
_MATE = 30_000


@dataclass
class Branch:
    """A move of a book and the position that it leads to."""

    entry: BookEntry
    child: int  # key


@dataclass
class BookPosition:
    """A position that can be reached by moves of a book."""

    line: tuple[str, ...]  # the first line found that leads to it, as UCI text
    branches: list[Branch] = field(default_factory=list)
    score: int | None = None  # of a search, in displayed centipawns from the side to move's view


@dataclass
class BookTree:
    """All lines from one position."""

    start: Game
    nodes: dict[int, BookPosition]  # by key, in order of distance from the start
    illegal: list[tuple[BookPosition, BookEntry]]

    @classmethod
    def begin(cls, fen: str) -> BookTree:
        """A tree with only its start position."""
        start = Game(fen)
        return cls(start, {game_key(start): BookPosition(())}, [])

    @property
    def root(self) -> int:
        """The key of the start position."""
        return next(iter(self.nodes))

    def game(self, node: BookPosition) -> Game:
        """The game that leads to a position."""
        game = self.start.copy()
        for text in node.line:
            game.push_uci(text)
        return game


def grow_tree(tree: BookTree, book: Book, plies: int | None = None) -> Iterator[None]:
    """Add all book moves, breadth first, up to `plies` plies if given; yields after each position."""
    waiting = deque(tree.nodes.items())
    while waiting:
        key, node = waiting.popleft()
        yield
        entries = book.entries(key) if plies is None or len(node.line) < plies else []
        if not entries:
            continue
        game = tree.game(node)
        for entry in entries:
            after = game.copy()
            try:
                text = game.uci(book_move(game.position, entry.move))
                after.push_uci(text)
            except InputError:
                tree.illegal.append((node, entry))
                continue
            child = game_key(after)
            node.branches.append(Branch(entry, child))
            if child not in tree.nodes:
                tree.nodes[child] = BookPosition((*node.line, text))
                waiting.append((child, tree.nodes[child]))


def evaluate_tree(tree: BookTree, nodes: int) -> Iterator[int]:
    """Search every position of the tree with this many nodes, on all cores; yields the number of finished positions."""
    own_searcher = per_thread(lambda: AlphaBetaSearch(_HASH_MEGABYTES))

    def search(node: BookPosition) -> int:
        game, searcher = tree.game(node), own_searcher()
        searcher.clear()
        if not game.legal_moves():
            return -_MATE if game.is_check() else 0
        score = search_until_interrupted(searcher, game.position, Limits(nodes=nodes)).score
        return to_cp(game.position, score)

    waiting = list(tree.nodes.values())
    with ThreadPoolExecutor(usable_cores()) as pool:
        futures = [pool.submit(search, node) for node in waiting]
        try:
            for done, (node, future) in enumerate(zip(waiting, futures, strict=True), start=1):
                node.score = future.result()
                yield done
        except InterruptionError:
            return
        finally:
            pool.shutdown(cancel_futures=True)


def prune(tree: BookTree, worst: int) -> BookTree:
    """Remove the moves that leave their side worse than `worst`, and the positions that become unreachable.

    The value of a position at the end of a line is its search score; that of any other is the minimax value of its
    moves, but at least its search score minus `worst`, because the side to move may leave the book.
    """
    values: dict[int, int] = {}
    is_changing = True
    while is_changing:  # moves may lead back to positions nearer to the start, whose values are known in the next pass
        is_changing = False
        for key, node in reversed(tree.nodes.items()):
            kept = [branch for branch in node.branches if values.get(branch.child, 0) <= worst]
            followed = [-values[branch.child] for branch in kept if branch.child in values]
            value = max(*followed, (node.score or 0) - worst) if followed else node.score or 0
            is_changing |= len(kept) < len(node.branches) or value != values.get(key)
            node.branches, values[key] = kept, value
    return _reachable(tree)


def is_bad(node: BookPosition, worst: int) -> bool:
    """Whether a line ends here with one side worse than `worst`, or the side that has just moved is twice as far
    behind.
    """
    score = node.score or 0
    if not node.branches:
        return abs(score) > worst
    return bool(node.line) and score > 2 * worst


def _reachable(tree: BookTree) -> BookTree:
    left = {tree.root: tree.nodes[tree.root]}
    waiting = deque([tree.root])
    while waiting:
        for branch in left[waiting.popleft()].branches:
            if branch.child not in left:
                left[branch.child] = tree.nodes[branch.child]
                waiting.append(branch.child)
    return replace(tree, nodes=left)
