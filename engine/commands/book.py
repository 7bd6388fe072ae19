"""`book build | check | show | merge | names`: make a Polyglot book from games, and look into one."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from book.builtin import BUILT_IN
from engine.core.errors import InputError
from engine.core.fen import START_FEN

if TYPE_CHECKING:
    from book.polyglot import Book
    from engine.commands._book_tree import Tree

_SHOWN_COMPLAINTS = 20
_LEFT_OUT = 1
_TIMED_LOOKUPS = 20_000
_DEFAULT_HELP = "(default: the built-in one)"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    _configure_build(kinds.add_parser("build", help="a book from games"))
    check = kinds.add_parser("check", help="whether a book is sound: order, legality, the engine's verdict")
    check.add_argument("file", nargs="?", type=Path, default=BUILT_IN, metavar="FILE.bin", help=_DEFAULT_HELP)
    check.add_argument("--nodes", type=int, metavar="N", help="search every position with N nodes")
    check.add_argument("--worst", type=int, default=60, metavar="CP",
                       help="how far a line may leave a side behind (default 60)")
    check.add_argument("--out", type=Path, metavar="FILE.bin",
                       help="write what was judged and loses no more; what cannot be reached is left out")
    check.add_argument("--fen", default=START_FEN, help="where its lines begin (default: the usual start)")
    show = kinds.add_parser("show", help="the moves of a position")
    show.add_argument("file", nargs="?", type=Path, default=BUILT_IN, metavar="FILE.bin", help=_DEFAULT_HELP)
    show.add_argument("--fen", default=START_FEN, help="the position (default: the usual start)")
    show.add_argument("--moves", nargs="*", default=[], metavar="MOVE", help="moves from there, as e2e4")
    show.add_argument("--nodes", type=int, default=20_000, metavar="N", help="search each move so long (default 20000)")
    merge = kinds.add_parser("merge", help="one book of several, with the sums of the weights")
    merge.add_argument("files", nargs="+", type=Path, metavar="FILE.bin")
    merge.add_argument("--out", type=Path, required=True, metavar="FILE.bin")
    names = kinds.add_parser("names", help="the table of opening names, from lists with the columns eco, name and pgn")
    names.add_argument("files", nargs="+", type=Path, metavar="FILE.tsv")
    names.add_argument("--out", type=Path, required=True, metavar="FILE.xz")


def _configure_build(parser: argparse.ArgumentParser) -> None:
    from book.build import Rules, Weighting

    rules = Rules()
    parser.add_argument("files", nargs="+", type=Path, metavar="GAMES.pgn", help="games, also as .gz, .xz, .bz2, .zip")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.bin")
    parser.add_argument("--max-ply", type=int, default=rules.max_ply, metavar="N",
                        help=f"half moves of a game that count (default {rules.max_ply})")
    parser.add_argument("--min-games", type=int, default=rules.min_games, metavar="N",
                        help=f"how often a move must have been played (default {rules.min_games})")
    parser.add_argument("--min-score", type=float, default=rules.min_score, metavar="PERCENT",
                        help="points that a move must have brought (default 0)")
    parser.add_argument("--min-elo", type=int, metavar="ELO", help="of both players, by the games' headers")
    parser.add_argument("--since", type=int, metavar="YEAR", help="of the game, by its headers")
    parser.add_argument("--weighting", choices=[kind.value for kind in Weighting], default=rules.weighting.value,
                        help="a weight is the half points that a move brought, or the number of its games")


def run(arguments: argparse.Namespace) -> int:
    """Do what is asked, and return the exit status."""
    out = getattr(arguments, "out", None)
    if out is not None and not out.absolute().parent.is_dir():
        raise InputError(f"--out: no folder {out.parent}")
    kinds: dict[str, Callable[[argparse.Namespace], int]] = {
        "build": _build, "check": _check, "show": _show, "merge": _merge, "names": _names}
    return kinds[arguments.kind](arguments)


@contextmanager
def _counting(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A progress bar for something that is counted; on a terminal only."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda number: progress.update(task, completed=number, description=f"{what} {number}")


def _build(arguments: argparse.Namespace) -> int:
    from book.build import Builder, Rules, Weighting
    from book.pgn import read_pgn
    from book.polyglot import write_book
    from engine.core.textfile import open_text

    if arguments.max_ply < 1 or arguments.min_games < 1 or not 0 <= arguments.min_score <= 100:
        raise InputError("--max-ply and --min-games must be at least 1, --min-score from 0 to 100")
    builder = Builder(Rules(arguments.max_ply, arguments.min_games, arguments.min_score, arguments.min_elo,
                            arguments.since, Weighting(arguments.weighting)))
    for path in arguments.files:
        with open_text(path):
            pass  # better known now than after hours
    complaints = 0

    def complain(text: str) -> None:
        nonlocal complaints
        complaints += 1
        if complaints <= _SHOWN_COMPLAINTS:
            print(f"error: {path}, {text}", file=sys.stderr)

    with _counting("game") as count:
        for path in arguments.files:
            for number in builder.take(read_pgn(path), complain):
                count(number)
    if complaints > _SHOWN_COMPLAINTS:
        print(f"error: and {complaints - _SHOWN_COMPLAINTS} games more were left out", file=sys.stderr)
    entries = builder.entries()
    if not entries:
        raise InputError("no move was played often enough: the book would be empty, and is not written")
    write_book(entries, arguments.out)
    positions = len({entry.key for entry in entries})
    print(f"{builder.used} games used, {builder.refused} passed over, {builder.broken} broken; "
          f"{positions} positions, {len(entries)} moves in {arguments.out}")
    if builder.undercount:
        print(f"there were more different moves than fit into memory: each may have been counted {builder.undercount} "
              "times too low")
    return _LEFT_OUT if builder.broken else 0


def _check(arguments: argparse.Namespace) -> int:
    from book.polyglot import Book
    from engine.commands._book_tree import grow

    if arguments.nodes is not None and arguments.nodes < 1:
        raise InputError(f"--nodes must be at least 1, not {arguments.nodes}")
    if arguments.out is not None and arguments.nodes is None:
        raise InputError("--out needs --nodes: only the engine's verdict takes moves out")
    with Book(arguments.file) as book:
        repeated = len(book) - len({(entry.key, entry.move) for entry in book})
        keys = list({entry.key for entry in book})
        print(f"{len(book)} moves in {len(keys)} positions, sorted; {repeated} written twice; "
              f"a lookup takes {1e6 * _lookup_seconds(book, keys[:_TIMED_LOOKUPS]):.1f} microseconds")
        tree = grow(book, arguments.fen)
    within = sum(bool(node.branches) for node in tree.nodes.values())
    print(f"{within} of the positions can be reached from {arguments.fen}; {len(tree.illegal)} moves are illegal there")
    for node, entry in tree.illegal[:_SHOWN_COMPLAINTS]:
        print(f"  illegal: {entry.text()} after {' '.join(node.line) or 'no move'}")
    is_sound = not repeated and not tree.illegal
    if arguments.nodes is not None:
        is_sound = _judge(tree, arguments) and is_sound
    return 0 if is_sound else _LEFT_OUT


def _lookup_seconds(book: Book, keys: list[int]) -> float:
    """What finding the moves of a position costs, in CPU time."""
    started = time.process_time()
    for key in keys:
        book.entries(key)
    return (time.process_time() - started) / len(keys)


def _judge(tree: Tree, arguments: argparse.Namespace) -> bool:
    """Let the engine search every position, and take out what loses too much, if asked; returns whether all is well."""
    from book.polyglot import write_book
    from engine.commands._book_tree import is_bad, judge, prune

    with _counting("position", len(tree.nodes)) as count:
        for done in judge(tree, arguments.nodes):
            count(done)
    if arguments.out is not None:
        tree = prune(tree, arguments.worst)
        kept = [branch.entry for node in tree.nodes.values() for branch in node.branches]
        write_book(kept, arguments.out)
        print(f"{len(kept)} moves in {sum(bool(node.branches) for node in tree.nodes.values())} positions that can be "
              f"reached are kept in {arguments.out}")
    bad = sorted((node for node in tree.nodes.values() if is_bad(node, arguments.worst)),
                 key=lambda node: -abs(node.score or 0))
    print(f"{len(tree.nodes)} positions were searched with {arguments.nodes} nodes: {len(bad)} leave a side worse than "
          f"{arguments.worst}")
    for node in bad[:_SHOWN_COMPLAINTS]:
        print(f"  {node.score:+} for the side to move after {' '.join(node.line)}")
    return not bad


def _show(arguments: argparse.Namespace) -> int:
    import chess
    from rich.console import Console
    from rich.table import Table

    from book.choice import PROPORTIONAL, shares
    from book.names import last_name, name_of
    from book.polyglot import Book, key_of
    from engine.commands._book_tree import grow, judge
    from engine.core.game import Game

    if arguments.nodes < 1:
        raise InputError(f"--nodes must be at least 1, not {arguments.nodes}")

    game = Game(arguments.fen)
    keys = [key_of(game)]
    for move in arguments.moves:
        game.play(move)
        keys.append(key_of(game))
    with Book(arguments.file) as book:
        tree = grow(book, game.fen(), plies=1)
    for _ in judge(tree, arguments.nodes):
        pass
    node = tree.nodes[tree.root]
    console = Console(highlight=False)
    console.print(f"{game.fen()}  {last_name(keys) or ''}")
    if not node.branches:
        console.print("no moves in the book")
        return 0
    board = chess.Board(game.fen())
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("move", "weight", "share", "score", "learned", "opening"):
        table.add_column(heading, justify="left" if heading in ("move", "opening") else "right")
    ordered = sorted(node.branches, key=lambda branch: -branch.entry.weight)
    for branch, share in zip(ordered, shares([branch.entry.weight for branch in ordered], PROPORTIONAL), strict=True):
        child = tree.nodes[branch.child]
        text = board.san(board.parse_uci(child.line[-1]))
        table.add_row(text, str(branch.entry.weight), f"{share:.1%}", f"{-(child.score or 0) / 100:+.2f}",
                      str(branch.entry.learn) if branch.entry.learn else "", str(name_of(branch.child) or ""))
    console.print(table)
    for _, entry in tree.illegal:
        console.print(f"illegal, and never played: {entry.text()}")
    return 0


def _merge(arguments: argparse.Namespace) -> int:
    from book.build import merged
    from book.polyglot import Book, write_book

    with ExitStack() as stack:
        books = [stack.enter_context(Book(path)) for path in arguments.files]
        entries, number = merged(books), sum(len(book) for book in books)
    write_book(entries, arguments.out)  # when the others are closed: it may be one of them
    print(f"{len(entries)} moves of {number} in {arguments.out}")
    return 0


def _names(arguments: argparse.Namespace) -> int:
    from book.names import read_names, write_names

    names = dict(read_names(arguments.files))
    write_names(names, arguments.out)
    print(f"{len(names)} named positions in {arguments.out}")
    return 0
