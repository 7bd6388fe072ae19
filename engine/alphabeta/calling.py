"""How other searches and the arena call alpha-beta from their own kernels: by the address of its machine code."""

from __future__ import annotations

from engine.alphabeta.state import STATE_TYPE
from engine.core.position import POSITION_TYPE
from engine.kernel import int64
from engine.kernel.intrinsics import function_at

# call_search(address, pos, state, depth, alpha, beta, ply) is search_from(pos, state, depth, alpha, beta, ply).
call_search = function_at(POSITION_TYPE, STATE_TYPE, int64, int64, int64, int64)
