"""`bench DEPTH`: search fixed positions to one depth; the sum of nodes is the signature of the search."""

from __future__ import annotations

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.arena.settings import Config
from engine.chesstext import san
from engine.commands.shared.interruption import InterruptionError
from engine.commands.shared.objects import print_object
from engine.commands.shared.positions import BENCH_FENS
from engine.commands.shared.searching import search
from engine.commands.shared.tables import GrowingTable
from engine.core.game import Game
from engine.search.limits import Limits

_SHORTEST_TIME = 1e-3  # seconds; nothing is measured finer
_COLUMNS = (("no.", 3), ("nodes", 10), ("move", 7), ("score", 6), ("position", 0))


def print_signature(depth: int, threads: int, megabytes: int, setting: Config, as_json: bool) -> int:
    """Print what each position cost, and the signature; returns the exit status."""
    searcher = AlphaBetaSearch(megabytes, threads, setting.params_record(), setting.evaluation())
    table = None if as_json else GrowingTable(_COLUMNS, left=("move", "position"))
    nodes, seconds, is_whole = 0, 0.0, True
    for number, fen in enumerate(BENCH_FENS, start=1):
        searcher.clear()
        game = Game(fen)
        try:
            result = search(searcher, game.position, Limits(depth=depth))
        except InterruptionError:
            is_whole = False
            break
        nodes += result.nodes
        seconds += result.seconds
        move = san(game, result.move)
        if table is None:
            print_object({"kind": "position", "number": number, "fen": fen, "nodes": result.nodes, "move": move,
                          "score": result.score, "seconds": round(result.seconds, 3)})
        else:
            table.add(str(number), str(result.nodes), move, str(result.score), fen)
    speed = round(nodes / max(seconds, _SHORTEST_TIME))
    if table is None:
        print_object({"kind": "total", "depth": depth, "complete": is_whole, "nodes": nodes,
                      "seconds": round(seconds, 3), "nodes_per_second": speed})
    else:
        print(f"{nodes} nodes {speed} nps" if is_whole else f"{nodes} nodes so far, {speed} nps: no signature")
    return 0
