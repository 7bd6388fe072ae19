"""`book check`: check that all reachable moves are legal, and evaluate the positions that they lead to."""

from __future__ import annotations

import argparse
import time

from book.polyglot import Book, write_book
from engine.cli.interruption import is_interrupted
from engine.cli.output import pluralize
from engine.cli.progress import count_with_progress
from engine.commands.book import WORST
from engine.lab.book_tree import BookPosition, BookTree, evaluate_tree, grow_tree, is_bad, prune
from engine.text.notation import parse_position, san_line

_SHOWN_PROBLEMS = 20
_UNSOUND = 1
_TIMED_LOOKUPS = 20_000


def run(arguments: argparse.Namespace) -> int:
    """Check, print, and return the exit status: 1 if something is wrong with the book."""
    start = parse_position(arguments.fen or "startpos").fen()
    with Book(arguments.file) as book:
        repeated = len(book) - len({(entry.key, entry.move) for entry in book})
        keys = list({entry.key for entry in book})
        print(f"{len(book)} moves in {len(keys)} positions, sorted; {repeated} duplicates; "
              f"a lookup takes {1e6 * _lookup_seconds(book, keys[:_TIMED_LOOKUPS]):.1f} microseconds")
        tree = BookTree.begin(start)
        for _ in count_with_progress(grow_tree(tree, book), "position"):
            pass
    if is_interrupted():
        print(f"{pluralize(len(tree.nodes), 'position')} reached from {start} so far")
        return _UNSOUND
    within = sum(bool(node.branches) for node in tree.nodes.values())
    print(f"{within} of the positions can be reached from {start}; {len(tree.illegal)} of their moves are illegal")
    for node, entry in tree.illegal[:_SHOWN_PROBLEMS]:
        print(f"  illegal: {entry.text()} after {_line(tree, node) or 'no move'}")
    is_sound = not repeated and not tree.illegal
    if arguments.nodes is not None:
        is_sound = _evaluate(tree, arguments) and is_sound
    return 0 if is_sound else _UNSOUND


def _lookup_seconds(book: Book, keys: list[int]) -> float:
    """The CPU time of a lookup."""
    started = time.process_time()
    for key in keys:
        book.entries(key)
    return (time.process_time() - started) / len(keys)


def _line(tree: BookTree, node: BookPosition) -> str:
    return san_line(tree.start.copy(), node.line)


def _evaluate(tree: BookTree, arguments: argparse.Namespace) -> bool:
    """Search every position, and write the book without bad lines if requested; return whether no bad line is left."""
    worst = WORST if arguments.worst is None else arguments.worst
    for _ in count_with_progress(evaluate_tree(tree, arguments.nodes), "position", len(tree.nodes)):
        pass
    searched = sum(node.score is not None for node in tree.nodes.values())
    bad = sorted((node for node in tree.nodes.values() if is_bad(node, worst)),
                 key=lambda node: -abs(node.score or 0))
    print(f"{pluralize(searched, 'position')} searched with {pluralize(arguments.nodes, 'node')}: "
          f"{len(bad)} leave a side worse than {worst} centipawns")
    for node in bad[:_SHOWN_PROBLEMS]:
        print(f"  {node.score:+} for the side to move after {_line(tree, node)}")
    if arguments.out is None or is_interrupted():
        return not bad
    tree = prune(tree, worst)
    kept = [branch.entry for node in tree.nodes.values() for branch in node.branches]
    write_book(kept, arguments.out)
    positions = sum(bool(node.branches) for node in tree.nodes.values())
    print(f"{len(kept)} moves in {positions} reachable positions, without these lines, written to {arguments.out}")
    return True
