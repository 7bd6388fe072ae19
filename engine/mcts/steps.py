"""Making and unmaking moves without inlining: the kernels of the tree then compile in half the time."""

from __future__ import annotations

from engine.core.position import make, unmake
from engine.kernel import kernel


@kernel
def make_move(pos, move):
    """Make a legal move."""
    make(pos, move)


@kernel
def unmake_move(pos, move):
    """Unmake the last move."""
    unmake(pos, move)
