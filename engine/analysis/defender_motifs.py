"""Motifs that take a defender away: it is captured, drawn off, drawn onto a square, overloaded, or cut off.

Each is proven on a line as in motifs.py.
"""

from __future__ import annotations

import chess

from engine.analysis.ledger import PIECE_VALUES
from engine.analysis.tactical_line import SLIDERS, Motif, TacticalLine, is_hanging, value_on


def removed_defender(line: TacticalLine) -> Motif | None:
    """A capture, without check, of the piece that guards another one, which another piece then takes undefended."""
    for ply in line.own_plies():
        taken, later = line.taken(ply), line.taken(ply + 2)
        if taken is None or later is None or later[0] == chess.KING or line.boards[ply + 1].is_check():
            continue
        before, last, capture = line.boards[ply], line.boards[ply + 2], line.moves[ply + 2]
        target, victim = later[1], not line.side
        is_same_piece = capture.from_square == line.moves[ply].to_square
        if is_same_piece or before.color_at(target) != victim or line.moves[ply + 1].to_square == target:
            continue
        guarded = taken[1] in before.attackers(victim, target) and not before.is_check()
        is_worth_it = PIECE_VALUES[later[0]] <= value_on(last, capture.from_square)
        if guarded and is_worth_it and is_hanging(last, target, victim) and not is_hanging(before, target, victim) and (
                line.pays(ply + 2)):
            return Motif("removal of the defender", ply, ply + 2, (taken[1], target))
    return None


def deflection(line: TacticalLine) -> Motif | None:
    """A check or an offer draws a defender away from a square on which the next move captures or promotes."""
    for ply in line.own_plies():
        if ply + 2 < len(line) and _is_deflected(line, ply) and line.pays(ply + 2):
            return Motif("deflection", ply, ply + 2, (line.moves[ply + 1].from_square, line.moves[ply + 2].to_square))
    return None


def _is_deflected(line: TacticalLine, ply: int) -> bool:
    first, reply, last = line.moves[ply : ply + 3]
    after, later, taken, target = line.boards[ply + 1], line.boards[ply + 2], line.taken(ply + 2), last.to_square
    offered, gained = value_on(after, first.to_square), line.taken(ply)
    if gained is not None and PIECE_VALUES[gained[0]] >= offered:
        return False  # an exchange is no offer
    is_forcing = after.is_check() or reply.to_square == first.to_square
    if not is_forcing or target in (first.to_square, reply.to_square):
        return False
    is_hit = bool(last.promotion) or (taken is not None and PIECE_VALUES[taken[0]] <= value_on(later, last.from_square))
    guarded = target in after.attacks(reply.from_square)
    if last.promotion and chess.square_file(reply.from_square) == chess.square_file(target):
        guarded = guarded or last.from_square in after.attacks(reply.from_square)
    return is_hit and guarded and target not in later.attacks(reply.to_square)


def attraction(line: TacticalLine) -> Motif | None:
    """A king, queen or rook is drawn to a square by an offer, where it is checked or attacked and then taken."""
    for ply in line.own_plies():
        if ply + 2 >= len(line):
            break
        first, reply, second = line.moves[ply], line.moves[ply + 1], line.moves[ply + 2]
        lured = line.boards[ply + 1].piece_type_at(reply.from_square)
        if reply.to_square != first.to_square or lured not in (chess.KING, chess.QUEEN, chess.ROOK):
            continue
        square, now = first.to_square, line.boards[ply + 3]
        if second.to_square not in now.attackers(line.side, square):
            continue
        if lured == chess.KING and (line.is_mate or line.pays(len(line) - 1)):
            return Motif("attraction", ply, len(line) - 1, (square,))
        if ply + 4 < len(line) and line.moves[ply + 4].to_square == square and line.pays(ply + 4):
            return Motif("attraction", ply, ply + 4, (square,))
    return None


def overload(line: TacticalLine) -> Motif | None:
    """A piece guards two others; one is taken, it takes back, and the other one, now without its guard, is taken."""
    for ply in line.own_plies():
        taken, later = line.taken(ply), line.taken(ply + 2)
        if taken is None or later is None:
            continue
        before, first, reply = line.boards[ply], line.moves[ply], line.moves[ply + 1]
        guard, victim, target = reply.from_square, not line.side, later[1]
        if reply.to_square != first.to_square or target == reply.to_square or before.color_at(target) != victim:
            continue
        guards = before.attackers(victim, taken[1]) & before.attackers(victim, target)
        is_free = is_hanging(line.boards[ply + 2], target, victim) and not is_hanging(before, target, victim)
        if guard in guards and is_free and line.pays(ply + 2):
            return Motif("overload", ply, ply + 2, (guard, taken[1], target))
    return None


def interference(line: TacticalLine) -> Motif | None:
    """A piece of either side comes between a slider and the piece that it guards, which is then taken undefended."""
    for ply in line.own_plies():
        later = line.taken(ply + 2)
        if later is None or line.moves[ply + 1].to_square == later[1] or line.moves[ply].to_square == later[1]:
            continue
        before, last, victim, target = line.boards[ply], line.boards[ply + 2], not line.side, later[1]
        if is_hanging(before, target, victim) or not is_hanging(last, target, victim) or not line.pays(ply + 2):
            continue
        for block in (line.moves[ply].to_square, line.moves[ply + 1].to_square):
            cut = [square for square in before.attackers(victim, target) if before.piece_type_at(square) in SLIDERS
                   and block in chess.SquareSet.between(square, target)]
            if cut:
                return Motif("interference", ply, ply + 2, (block, target))
    return None
