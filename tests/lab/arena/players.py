"""UCI engines that behave badly, as scripts for tests: what a referee must survive."""

from __future__ import annotations

import sys
from pathlib import Path

# What each says to `go`; everything else is answered properly.
ANSWERS = {
    "legal": "move = sorted(m.uci() for m in board.legal_moves)[0]; print('info depth 1 score cp 0 pv', move); "
             "print('bestmove', move)",
    "illegal": "print('bestmove e2e5')",
    "crash": "sys.exit(3)",
    "silent": "pass",
    "slow": "time.sleep(0.4); print('bestmove', next(iter(board.legal_moves)).uci())",
    "null": "print('bestmove 0000')",
    "booked": "print('bestmove', next(iter(board.legal_moves)).uci() if is_book_off else '0000')",
    "liar": "move = next(iter(board.legal_moves)).uci(); print('info depth 1 score cp 5 pv', move, 'a1a1'); "
            "print('bestmove', move)",
}

SCRIPT = """
import sys, time, chess
board, is_book_off = chess.Board(), False
for line in sys.stdin:
    words = line.split()
    if not words: continue
    if words[0] == 'uci': print('id name test'); print('option name OwnBook type check default true'); print('uciok')
    elif words[0] == 'setoption': is_book_off = words[1:] == ['name', 'OwnBook', 'value', 'false']
    elif words[0] == 'isready': print('readyok')
    elif words[0] == 'position':
        start = words.index('moves') if 'moves' in words else len(words)
        board = chess.Board() if words[1] == 'startpos' else chess.Board(' '.join(words[2:start]))
        for text in words[start + 1:]: board.push_uci(text)
    elif words[0] == 'go': {answer}
    elif words[0] == 'quit': break
    sys.stdout.flush()
"""


def player(folder: Path, behaviour: str) -> str:
    """The command line of an engine that behaves so."""
    path = folder / f"{behaviour}.py"
    path.write_text(SCRIPT.replace("{answer}", ANSWERS[behaviour]))
    return f"{sys.executable} {path}"
