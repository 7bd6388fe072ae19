"""The lines of a book from a position, and the engine's verdict on them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from book.polyglot import Book, BookEntry, book_move, game_key
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.commands.shared.interruption import InterruptionError
from engine.commands.shared.searches import search as search_until_interrupted
from engine.core.game import Game
from engine.search.types import Limits
from engine.system.errors import InputError
from engine.system.host import usable_cores
from engine.text.display import to_cp

_TABLE_MEGABYTES = 2  # for searches of some thousand nodes
_MATE = 30_000


@dataclass
class Branch:
    """A move of a book and the position that it leads to."""

    entry: BookEntry
    child: int  # key


@dataclass
class BookPosition:
    """A position that can be reached by moves of a book."""

    line: tuple[str, ...]  # how it was reached first
    branches: list[Branch] = field(default_factory=list)
    score: int | None = None  # what a search says, in users' units, from the view of the side to move


@dataclass
class BookTree:
    """All lines from one position."""

    start: Game
    nodes: dict[int, BookPosition]  # by key, in the order of their distance
    illegal: list[tuple[BookPosition, BookEntry]]

    @classmethod
    def begin(cls, fen: str) -> BookTree:
        """The position alone."""
        start = Game(fen)
        return cls(start, {game_key(start): BookPosition(())}, [])

    @property
    def root(self) -> int:
        """The key of the position where all lines begin."""
        return next(iter(self.nodes))

    def game(self, node: BookPosition) -> Game:
        """The game that leads to a position."""
        game = self.start.copy()
        for text in node.line:
            game.push_uci(text)
        return game


def grow_tree(tree: BookTree, book: Book, plies: int | None = None) -> Iterator[None]:
    """Follow all moves of the book, breadth first, so many plies or to the ends of its lines; yields for each."""
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
    """Search every position of the tree with so many nodes, on all cores; yields how many are done."""
    own = threading.local()

    def search(node: BookPosition) -> int:
        if not hasattr(own, "searcher"):
            own.searcher = AlphaBetaSearch(_TABLE_MEGABYTES)
        game = tree.game(node)
        own.searcher.clear()
        if not game.legal_moves():
            return -_MATE if game.is_check() else 0
        score = search_until_interrupted(own.searcher, game.position, Limits(nodes=nodes)).score
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
    """Take out the moves that leave their side worse than `worst`, and what cannot be reached without them.

    A position where lines end is worth what the search says, any other the best of its moves, by minimax. But the side
    to move may leave the book: what the search finds there counts as well, less `worst`, since the lines look deeper.
    """
    found: dict[int, int] = {}
    is_changing = True
    while is_changing:  # a move may lead back to a position that is not farther from the start: known the second time
        is_changing = False
        for key, node in reversed(tree.nodes.items()):
            kept = [branch for branch in node.branches if found.get(branch.child, 0) <= worst]
            followed = [-found[branch.child] for branch in kept if branch.child in found]
            value = max(*followed, (node.score or 0) - worst) if followed else node.score or 0
            is_changing |= len(kept) < len(node.branches) or value != found.get(key)
            node.branches, found[key] = kept, value
    return _reachable(tree)


def is_bad(node: BookPosition, worst: int) -> bool:
    """Whether no sound line leads here: it ends, and a side is behind; or the side that has moved is far behind."""
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
