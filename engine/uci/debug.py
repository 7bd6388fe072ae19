"""Commands for people at a keyboard, which the protocol does not define: `d`, `eval`, `flip`, `go perft` and `bench`.

Each returns the lines to print, or the FEN to set. `bench` runs in a separate process, so that the session survives
whatever happens there. The handshake imports this module, so what no game needs is imported inside the functions.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from engine.system.errors import InputError

if TYPE_CHECKING:
    import subprocess

    from engine.core.game import Game
    from engine.player.player import Player

_TERMINATED = 128 + 15  # the exit status of a program that SIGTERM has ended
_FILES = "    a b c d e f g h"


def position_lines(game: Game) -> Iterator[str]:
    """`d`: a diagram with coordinates, the side to move, the FEN and the key."""
    from engine.text.notation import to_board

    for rank, row in zip(range(8, 0, -1), str(to_board(game)).splitlines(), strict=True):
        yield f" {rank}  {row}"
    yield _FILES
    yield f"{'black' if game.position.side else 'white'} to move"
    yield f"Fen: {game.fen()}"
    yield f"Key: {int(game.position.key):016X}"


def evaluation_lines(player: Player) -> Iterator[str]:
    """`eval`: the features' evaluation term by term, then the network's if the player uses one."""
    from engine.text import eval_table
    from engine.text.display import network_explanation, static_explanation

    position, evaluation = player.game.position, player.evaluation
    yield from eval_table.lines(*static_explanation(position))
    if evaluation.network is not None:
        yield from eval_table.network_lines(network_explanation(position, evaluation))


def mirrored_fen(game: Game) -> str:
    """`flip`: the FEN of the position with the colours exchanged."""
    from engine.text.notation import to_board

    return to_board(game).mirror().fen(shredder=bool(game.position.chess960))


def perft_lines(game: Game, depth: int) -> Iterator[str]:
    """`go perft`: the number of leaf positions after each move, then their sum."""
    from engine.core.perft import divide

    total = 0
    for text, count in divide(game, depth):
        yield f"{text}: {count}"
        total += count
    yield f"\nNodes searched: {total}"


def bench_lines(words: Sequence[str]) -> Iterator[str]:
    """`bench [DEPTH]`: yield the output of `adversary bench`, run in a child process; InputError if invalid."""
    if len(words) > 1 or not all(word.isascii() and word.isdigit() for word in words):
        raise InputError("bench takes a depth here; `adversary bench` in a terminal can do more")
    return run_adversary(["bench", *words])


def run_adversary(words: Sequence[str]) -> Iterator[str]:
    """The lines that `adversary WORDS` prints; if this process is terminated, so is that one."""
    import subprocess

    from engine.system.processes import start_own

    with start_own(words, stderr=subprocess.STDOUT) as process, _end_together(process):
        assert process.stdout is not None
        for line in process.stdout:
            yield line.rstrip()


@contextmanager
def _end_together(process: subprocess.Popen[str]) -> Iterator[None]:
    """Within this context SIGTERM ends `process` as well; so does leaving the context in any way."""
    import signal

    def end(number: int, frame: FrameType | None) -> None:
        process.kill()
        os._exit(_TERMINATED)

    is_main = threading.current_thread() is threading.main_thread()  # no other thread may handle signals
    before = signal.signal(signal.SIGTERM, end) if is_main else None
    try:
        yield
    finally:
        process.kill()
        if is_main:
            signal.signal(signal.SIGTERM, before)
