"""`book show`: the moves of a position, with share, score and the opening's name."""

from __future__ import annotations

import argparse
from typing import Any

from book.names import last_opening_by_keys, opening_by_key
from book.polyglot import PROPORTIONAL, Book, game_key, play_probabilities
from engine.cli.output import as_object, percent, print_object
from engine.cli.tables import print_table
from engine.core.game import Game
from engine.lab.book_tree import BookTree, evaluate_tree, grow_tree
from engine.text.notation import parse_move, parse_position, play_moves, san


def run(arguments: argparse.Namespace) -> int:
    """Look up the position, search its moves, print them, and return the exit status."""
    game = parse_position(arguments.fen or "startpos")
    keys = [game_key(game)]
    for move in " ".join(arguments.moves).split():
        play_moves(game, [move])
        keys.append(game_key(game))
    with Book(arguments.file) as book:
        tree = BookTree.begin(game.fen())
        for _ in grow_tree(tree, book, plies=1):
            pass
    for _ in evaluate_tree(tree, arguments.nodes):
        pass
    if arguments.json:
        print_object({"fen": game.fen(), "opening": as_object(last_opening_by_keys(keys)), "moves": _moves(game, tree),
                      "illegal": [entry.text() for _, entry in tree.illegal]})
        return 0
    print(f"{game.fen()}  {last_opening_by_keys(keys) or ''}".rstrip())
    if tree.nodes[tree.root].branches:
        _print_moves(game, tree)
    else:
        print("no moves in the book")
    for _, entry in tree.illegal:
        print(f"illegal entry, ignored: {entry.text()}")
    return 0


def _moves(game: Game, tree: BookTree) -> list[dict[str, Any]]:
    """The book moves as objects, largest weight first; scores are the side to move's."""
    ordered = sorted(tree.nodes[tree.root].branches, key=lambda branch: -branch.entry.weight)
    moves = []
    for branch, share in zip(ordered, play_probabilities([branch.entry.weight for branch in ordered], PROPORTIONAL),
                             strict=True):
        child = tree.nodes[branch.child]
        moves.append({"move": san(game, parse_move(game, child.line[-1])), "uci": child.line[-1],
                      "weight": branch.entry.weight, "share": round(share, 4), "centipawns": -(child.score or 0),
                      "learned": branch.entry.learn, "opening": as_object(opening_by_key(branch.child))})
    return moves


def _print_moves(game: Game, tree: BookTree) -> None:
    moves = _moves(game, tree)
    has_learned = any(move["learned"] for move in moves)
    rows = [(move["move"], str(move["weight"]), percent(move["share"]), f"{move['centipawns'] / 100:+.2f}",
             *((str(move["learned"]),) if has_learned else ()),
             " ".join(move["opening"].values()) if move["opening"] else "") for move in moves]
    print_table(("move", "weight", "share", "score", *(("learned",) if has_learned else ()), "opening"), rows,
                left=("opening",))
