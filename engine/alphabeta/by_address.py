"""Calling the search by the address of its machine code, from kernels that would otherwise hold a copy of all of it."""

from __future__ import annotations

from engine.alphabeta.state import STATE_TYPE
from engine.core.position import POSITION_TYPE
from engine.kernel import int64
from engine.kernel.intrinsics import function_at

# What `search_from` returns: call_search(its address, position, state, depth, alpha, beta, ply).
call_search = function_at(POSITION_TYPE, STATE_TYPE, int64, int64, int64, int64)
