"""`book show`: the moves of a position, with share, score and the opening's name."""

from __future__ import annotations

import argparse

from book.choice import PROPORTIONAL, shares
from book.names import last_name, name_of
from book.polyglot import Book, key_of
from engine.chesstext import play_moves, read_move, read_position, san
from engine.commands.book.tree import Tree, grow, judge
from engine.commands.shared.tables import print_table
from engine.core.game import Game


def run(arguments: argparse.Namespace) -> int:
    """Look the position up, search its moves, print, and return the exit status."""
    game = read_position(arguments.fen or "startpos")
    keys = [key_of(game)]
    for move in arguments.moves:
        play_moves(game, [move])
        keys.append(key_of(game))
    with Book(arguments.file) as book:
        tree = Tree.begin(game.fen())
        for _ in grow(tree, book, plies=1):
            pass
    for _ in judge(tree, arguments.nodes):
        pass
    print(f"{game.fen()}  {last_name(keys) or ''}".rstrip())
    if tree.nodes[tree.root].branches:
        _print_moves(game, tree)
    else:
        print("no moves in the book")
    for _, entry in tree.illegal:
        print(f"illegal, and never played: {entry.text()}")
    return 0


def _print_moves(game: Game, tree: Tree) -> None:
    ordered = sorted(tree.nodes[tree.root].branches, key=lambda branch: -branch.entry.weight)
    has_learned = any(branch.entry.learn for branch in ordered)
    rows = []
    for branch, share in zip(ordered, shares([branch.entry.weight for branch in ordered], PROPORTIONAL), strict=True):
        child = tree.nodes[branch.child]
        rows.append((san(game, read_move(game, child.line[-1])), str(branch.entry.weight), f"{share:.1%}",
                     f"{-(child.score or 0) / 100:+.2f}", *((str(branch.entry.learn),) if has_learned else ()),
                     str(name_of(branch.child) or "")))
    print_table(("move", "weight", "share", "score", *(("learned",) if has_learned else ()), "opening"), rows,
                left=("opening",))
