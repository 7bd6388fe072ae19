"""The lines of a book from a position, and the engine's verdict on where they end."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from book.polyglot import Book, Entry, book_move, polyglot_key
from engine.core.errors import InputError
from engine.core.game import Game
from engine.core.moves import NULL_MOVE
from engine.search.limits import Limits
from engine.search.threads import Searcher
from eval.outcome import material_on, normalized

_TABLE_MEGABYTES = 2  # for searches of some thousand nodes


def key_of(game: Game) -> int:
    """The Polyglot key of the position that a game has reached."""
    return int(polyglot_key(game.position, game.moves[-1] if game.moves else int(NULL_MOVE)))


@dataclass
class Branch:
    """A move of a book and the position that it leads to."""

    entry: Entry
    child: int  # key


@dataclass
class Node:
    """A position that can be reached by moves of a book."""

    line: tuple[str, ...]  # how it was reached first
    branches: list[Branch] = field(default_factory=list)
    score: int | None = None  # what a search says, in users' units, from the view of the side to move


@dataclass
class Tree:
    """All lines from one position."""

    fen: str
    nodes: dict[int, Node]  # by key, in the order of their distance
    illegal: list[tuple[Node, Entry]]

    @property
    def root(self) -> int:
        """The key of the position where all lines begin."""
        return next(iter(self.nodes))

    def game(self, node: Node) -> Game:
        """The game that leads to a position."""
        return Game(self.fen, moves=node.line)


def grow(book: Book, fen: str, plies: int | None = None) -> Tree:
    """Follow all moves of the book, breadth first, so many plies or to the ends of its lines."""
    tree = Tree(fen, {key_of(Game(fen)): Node(())}, [])
    waiting = deque(tree.nodes.items())
    while waiting:
        key, node = waiting.popleft()
        entries = book.entries(key) if plies is None or len(node.line) < plies else []
        game = tree.game(node) if entries else Game()
        for entry in entries:
            after = game.copy()
            try:
                text = game.text(book_move(game.position, entry.move))
                after.play(text)
            except InputError:
                tree.illegal.append((node, entry))
                continue
            child = key_of(after)
            node.branches.append(Branch(entry, child))
            if child not in tree.nodes:
                tree.nodes[child] = Node((*node.line, text))
                waiting.append((child, tree.nodes[child]))
    return tree


def judge(tree: Tree, nodes: int) -> Iterator[int]:
    """Search every position of the tree with so many nodes, on all cores; yields how many are done."""
    own = threading.local()

    def search(node: Node) -> int:
        if not hasattr(own, "searcher"):
            own.searcher = Searcher(_TABLE_MEGABYTES)
        game = tree.game(node)
        own.searcher.clear()
        score: int = own.searcher.run(game.position, Limits(nodes=nodes)).score if game.legal_moves() else 0
        return normalized(score, material_on(game.position.board.tolist()))

    waiting = list(tree.nodes.values())
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for done, (node, score) in enumerate(zip(waiting, pool.map(search, waiting), strict=True), start=1):
            node.score = score
            yield done


def values(tree: Tree, is_kept: Callable[[int], bool] = lambda value: True) -> dict[int, int]:
    """What each position is worth to the side to move, by minimax over the book with the searches at its ends.

    Moves whose value `is_kept` refuses, from the view of who plays them, are taken out of the tree. A move back to a
    position that is not farther from the start is not followed.
    """
    found: dict[int, int] = {}
    for key, node in reversed(tree.nodes.items()):
        node.branches = [branch for branch in node.branches
                         if branch.child not in found or is_kept(-found[branch.child])]
        known = [-found[branch.child] for branch in node.branches if branch.child in found]
        found[key] = max(known) if known else node.score or 0
    return found


def reachable(tree: Tree) -> Tree:
    """What is left of a tree when moves have been taken out of it."""
    left = {tree.root: tree.nodes[tree.root]}
    waiting = deque([tree.root])
    while waiting:
        for branch in left[waiting.popleft()].branches:
            if branch.child not in left:
                left[branch.child] = tree.nodes[branch.child]
                waiting.append(branch.child)
    return replace(tree, nodes=left)
