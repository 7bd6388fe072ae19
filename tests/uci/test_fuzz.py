"""Anything may come in: the process stays alive, answers, and grows no larger."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator

import psutil
import pytest

from engine.core.perft import PERFT_POSITIONS
from engine.kernel import SOURCE_ROOT
from tests.client import COMMAND, Client

WORDS = (
    *"uci isready debug on off setoption name value Hash Threads MultiPV Clear UCI_Chess960 UCI_Elo true false".split(),
    *"1 2 16 -1 99999999999999999999 NaN 1e9 0x10 ucinewgame position startpos fen moves e2e4 e7e5 g1f3 a1a8".split(),
    *"0000 e7e8q go searchmoves ponder wtime btime winc binc movestogo depth nodes mate movetime infinite".split(),
    *"perft stop ponderhit d eval flip help register xboard later code x".split(), "\0", "\t", "\ufeff", "",
)
_MEGABYTE = 1 << 20
LINES_BETWEEN_CHECKS = 500


def garbage(generator: random.Random) -> bytes:
    """One line: words of the protocol in any order, cut off, far too long, or bytes without any sense."""
    draw = generator.random()
    if draw < 0.6:
        line = " ".join(generator.choices(WORDS, k=generator.randrange(12))).encode()
    elif draw < 0.8:
        fen = generator.choice(PERFT_POSITIONS).fen
        line = f"position fen {fen} moves e2e4".encode()[: generator.randrange(90)]
    elif draw < 0.9:
        line = b"go depth 3"
    elif draw < 0.9999:
        line = generator.randbytes(generator.randrange(200))
    else:
        line = generator.choice((b"x", b"x ", b"position startpos moves ", b"go ")) * 1_000_000
    line = line.replace(b"\n", b" ").replace(b"quit", b"quiet")
    # What takes for ever by right is left out: deep perft, and as many threads as there are numbers.
    return b"stop" if b"perft" in line or b"bench" in line or b"Threads" in line else line


def batches(lines: int, generator: random.Random) -> Iterator[bytes]:
    for _ in range(lines // LINES_BETWEEN_CHECKS):
        yield b"\n".join(garbage(generator) for _ in range(LINES_BETWEEN_CHECKS)) + b"\n"


def growth_after(lines: int, seed: int) -> int:
    """Megabytes by which a process grows while it reads that many lines of garbage; it must answer all along."""
    # Whatever has not been compiled yet would be when a line first needs it, and the compiler's memory would count.
    subprocess.run([*COMMAND, "warmup"], cwd=SOURCE_ROOT, stdout=subprocess.DEVNULL, check=True)
    client, generator = Client(), random.Random(seed)
    client.load()
    process = psutil.Process(client.process.pid)
    first = 0
    for number, batch in enumerate(batches(lines, generator)):
        client.stdin.write(batch)
        client.say("stop", "setoption name Hash value 16", "setoption name MultiPV value 1", "position startpos",
                   f"batch-{number}")
        client.until(f"Unknown command: 'batch-{number}'")  # the garbage asks `isready` too: a `readyok` proves nothing
        client.ask()
        assert client.process.poll() is None
        if number == 1:  # every command has been used by now
            first = process.memory_info().rss
    assert client.best("stop", "setoption name UCI_Chess960 value false", "position startpos moves e2e4 e7e5",
                       "go depth 4").startswith(tuple("abcdefgh"))
    grown = process.memory_info().rss - first
    assert client.quit() == 0
    return grown // _MEGABYTE


def test_garbage_of_all_kinds():
    assert growth_after(10_000, 1) < 50


@pytest.mark.slow
def test_a_million_lines_of_garbage():
    grown = growth_after(1_000_000, 2)
    print(f"\ngrown by {grown} MB")
    assert grown < 50
