"""Textbook minimax in plain Python, with nothing left out: the truth that pruning must not change."""

from __future__ import annotations

from engine.core.game import draw_state, list_moves, make_if_legal
from engine.core.movegen import NOISY, empty_move_list
from engine.search.scores import MATE
from eval.evaluate import evaluate_entry
from eval.weights import load_weights
from tests.kernels import generate_entry, is_repetition_after, unmake_entry

WEIGHTS = load_weights()


def minimax(pos, depth: int, ply: int, with_quiescence: bool) -> int:
    """The value of `pos` for the side to move, `depth` plies deep."""
    moves, in_check = _moves(pos)
    if ply > 0 and _is_draw(pos, ply, moves, in_check):
        return 0
    if not moves:
        return ply - int(MATE) if in_check else 0
    if depth == 0:
        return quiesce(pos, ply, moves, in_check) if with_quiescence else evaluate_entry(pos, WEIGHTS)
    return max(_after(pos, move, lambda: minimax(pos, depth - 1, ply + 1, with_quiescence)) for move in moves)


def value_at(pos, depth: int, ply: int, with_quiescence: bool) -> int:
    """The value of a node of a search: `minimax`, or at depth 0 that of a node of quiescence."""
    return minimax(pos, depth, ply, with_quiescence) if depth > 0 else _quiescence_node(pos, ply)


def quiesce(pos, ply: int, moves: list[int], in_check: bool) -> int:
    """Stand pat or capture; out of check, every move."""
    best = -int(MATE)
    if not in_check:
        best = evaluate_entry(pos, WEIGHTS)
        moves = _noisy_moves(pos)
    for move in moves:
        best = max(best, _after(pos, move, lambda: _quiescence_node(pos, ply + 1)))
    return best


def _quiescence_node(pos, ply: int) -> int:
    moves, in_check = _moves(pos)
    if _is_draw(pos, ply, moves, in_check):
        return 0
    if not moves and in_check:
        return ply - int(MATE)
    return quiesce(pos, ply, moves, in_check)  # stalemate is not looked for in quiescence


def _after(pos, move: int, value) -> int:
    make_if_legal(pos, move)
    result = -value()
    unmake_entry(pos, move)
    return result


def _moves(pos) -> tuple[list[int], bool]:
    out = empty_move_list()
    count, in_check = list_moves(pos, out)
    return out.moves[:count].tolist(), in_check


def _noisy_moves(pos) -> list[int]:
    out = empty_move_list()
    return out.moves[: generate_entry(pos, out, NOISY)].tolist()


def _is_draw(pos, ply: int, moves: list[int], in_check: bool) -> bool:
    _, fifty, insufficient = draw_state(pos)
    mated = in_check and not moves
    return (fifty and not mated) or insufficient or is_repetition_after(pos, ply)
