"""What pieces are worth in pawns, by the usual count. The handshake imports this, so it imports nothing."""

from __future__ import annotations

PIECE_VALUES = (0, 1, 3, 3, 5, 9, 0, 0)  # [type], pawn to king as in engine.core.bits and in python-chess
