"""Why a move deserves its mark, in one sentence for chess players, with the claim that proves it.

A sentence says only what a claim proves on the line that is printed with it. Where nothing can be proven it says which
move was better, and by how much.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import chess

from engine.analysis.claims import (
    Claim,
    MaterialResult,
    gain_claim,
    is_threatened_mate,
    king_hunt_claim,
    loss_claim,
    mate_claim,
    material_after_move,
    material_of_line,
    perpetual_claim,
    positional_claim,
    promotion_claim,
    recapture_claim,
    sacrifice_claim,
    threat_claim,
    threatened_mate,
)
from engine.analysis.lookup import last_opening
from engine.analysis.marks import CLEARLY_DECIDED, COMPLETELY_DECIDED, NEARLY_MATED, Mark, are_both_beyond
from engine.analysis.move_verdicts import MoveVerdict
from engine.analysis.praise import Offer, Praise

SHOWN_PLIES = 6  # of a line that proves nothing
_NEAR_DRAW = 10  # centipawns
_COMPENSATION_FOR_A_PAWN, _COMPENSATION, _COMPENSATION_PER_PAWN = 100, 200, 60  # centipawns
_LEAST_SHARE, _LEAST_SHARE_OF_PAWNS = 0.4, 0.5  # of the loss in centipawns that the material must make up
_LEAST_MORE = 2  # pawns that a line must win more than the move played, if that wins something too
_BETTER, _EVEN, _HOLDING, _LOST = 0.60, (0.45, 0.55), 0.35, 0.15  # expected scores on the human curve
_EXCHANGE = ("rook",), ("knight", "bishop")
_NUMBERS = {2: "two", 3: "three", 4: "four"}

_TRAP = "trapped piece"
_MOTIFS = {
    "fork": "a fork", "skewer": "a skewer", "pin": "a pin", "discovered attack": "a discovered attack",
    "discovered check": "a discovered check", "double check": "a double check",
    "removal of the defender": "the removal of a defender", "deflection": "a deflection", "attraction": "a decoy",
    "interference": "an interference", "zwischenzug": "a zwischenzug", "overload": "an overload",
    "zugzwang": "a zugzwang"}


@dataclass(frozen=True)
class Reason:
    """A sentence, and the claim that proves it; None if it claims nothing but scores or table results.

    If the sentence ends with a line that should have been played, `better` is that line and `brief` all but the line.
    """

    text: str
    claim: Claim | None = None
    better: tuple[str, ...] = ()  # in UCI text
    brief: str = ""


def reason_for(verdict: MoveVerdict) -> Reason:
    """Why a move deserves its mark; an empty sentence if it has none."""
    if verdict.mark.is_bad:
        return next(_reasons(verdict))
    return Reason("") if verdict.praise is None else _about_praise(verdict, verdict.praise)


def _about_praise(verdict: MoveVerdict, praise: Praise) -> Reason:
    if praise.offer is not None:
        return _about_sacrifice(verdict, praise, praise.offer)
    if praise.mark is Mark.ONLY or praise.second is None:
        return Reason("the only move")
    if praise.second.human_expected <= _HOLDING:
        return Reason("the only move that holds")
    is_advantage = verdict.before.human_expected >= _BETTER > praise.second.human_expected
    return Reason("the only move that keeps the advantage" if is_advantage else "the only good move")


def _about_sacrifice(verdict: MoveVerdict, praise: Praise, offer: Offer) -> Reason:
    """A sacrifice, with the line in which it is accepted."""
    board, moves = verdict.board, [chess.Move.from_uci(text) for text in praise.line]
    known = "a known sacrifice: " if verdict.is_theory else ""
    origin = verdict.move.from_square if offer.square == verdict.move.to_square else offer.square
    is_only = len(board.pieces(offer.piece_type, board.turn)) == 1
    name = chess.piece_name(offer.piece_type)
    given = f"the {name}" if is_only else f"the {name} on {chess.square_name(origin)}"
    mates = mate_claim(board, moves)
    if mates is not None:
        # The line is the one in which the sacrifice is accepted; whether declining helps, the score says.
        outcome = " and mates in {}" if verdict.after.is_winning_mate else ", with mate in {} if it is taken"
        text = f"{known}sacrifices {given}{outcome.format(mates.number)}: {claim_line(board, mates)}"
        return Reason(text, mates)
    claim = sacrifice_claim(board, moves[:SHOWN_PLIES], name, origin, offer.captured)
    price = f" for a {claim.returned[0]}" if claim.returned else ""
    return Reason(f"{known}sacrifices {given}{price}: {claim_line(board, claim)}", claim)


def _reasons(verdict: MoveVerdict) -> Iterator[Reason]:
    """All that can be said of a bad move, the most important first."""
    board, after = verdict.board, verdict.board.copy()
    after.push(verdict.move)
    played = [chess.Move.from_uci(text) for text in verdict.played_line]
    best = [chess.Move.from_uci(text) for text in verdict.best_line]
    yield from _about_mates(verdict, after, played[1:], best)
    if after.is_stalemate():
        yield _better("gives stalemate; ", verdict)
    yield from _about_tables(verdict, after)
    if verdict.is_theory:
        yield _better(_theory_text(verdict), verdict)
    yield from _about_perpetuals(verdict, after, played[1:], best)
    if not are_both_beyond(verdict.before, verdict.after, COMPLETELY_DECIDED):
        yield from _about_material(verdict, played, best)
    allowed = promotion_claim(after, played[1:]) if played[1:] else None
    if allowed is not None:
        yield Reason(f"lets the {allowed.squares[0][0]}-pawn promote: {claim_line(after, allowed)}", allowed)
    missed = promotion_claim(board, best)
    if missed is not None:
        yield _missed(f"misses the promotion of the {missed.squares[0][0]}-pawn", board, missed)
    yield from _about_kings(board, after, played, best)
    if not are_both_beyond(verdict.before, verdict.after, CLEARLY_DECIDED):
        yield from _about_position(verdict, played, best)
    yield _about_scores(verdict)


def _about_kings(board: chess.Board, after: chess.Board, played: Sequence[chess.Move],
                 best: Sequence[chess.Move]) -> Iterator[Reason]:
    """A king that is driven out by checks, and a threat of mate, in one of the lines and not in the other."""
    side, other = chess.COLOR_NAMES[board.turn], chess.COLOR_NAMES[not board.turn]
    hunted, missed = king_hunt_claim(after, played[1:]), king_hunt_claim(board, best)
    if hunted is not None:
        yield Reason(f"lets {side}'s king be driven to {hunted.squares[0]}: {claim_line(after, hunted)}", hunted)
    if missed is not None:
        yield _missed(f"misses checks that drive {other}'s king to {missed.squares[0]}", board, missed)
    threat = threat_claim(after, played[1:])
    if threat is not None and not _is_threat_anyway(board, best[0], played[1]):
        yield Reason(f"{_threat_text('allows', after, *threat)}: {claim_line(after, threat[0])}", threat[0])
    threat = threat_claim(board, best)
    if threat is not None and threatened_mate(board, played[0]) is None:
        yield _missed(_threat_text("misses", board, *threat), board, threat[0])


def _is_threat_anyway(board: chess.Board, best: chess.Move, reply: chess.Move) -> bool:
    """Whether a reply would threaten mate after the best move too."""
    after = board.copy(stack=False)
    after.push(best)
    return after.is_legal(reply) and threatened_mate(after, reply) is not None


def _threat_text(verb: str, board: chess.Board, claim: Claim, mate: chess.Move) -> str:
    passed = board.copy(stack=False)
    passed.push_uci(claim.moves[0])
    passed.push(chess.Move.null())
    return f"{verb} the threat of {line_text(passed, (mate.uci(),))}"


def _about_position(verdict: MoveVerdict, played: Sequence[chess.Move], best: Sequence[chess.Move]) -> Iterator[Reason]:
    """A fact that can be counted where the line after the move ends, and not where the better line does."""
    found = positional_claim(verdict.board, played, best, verdict.cost)
    if found is not None:
        claim, words = found
        after = verdict.board.copy()
        after.push(verdict.move)
        found_better = _better(f"{words} ({claim_line(after, claim)}); ", verdict, len(claim.better))
        yield replace(found_better, claim=claim)


def _about_mates(verdict: MoveVerdict, after: chess.Board, reply: Sequence[chess.Move],
                 best: Sequence[chess.Move]) -> Iterator[Reason]:
    side = chess.COLOR_NAMES[verdict.board.turn]
    allowed = mate_claim(after, reply) if reply and verdict.after.is_losing_mate else None
    if allowed is not None:
        line = claim_line(after, allowed)
        if allowed.number == 1 and is_threatened_mate(verdict.board, reply[0]):
            yield Reason(f"does not stop {line}", allowed)
        lost = f" ({side} was lost anyway)" if verdict.before.value < -NEARLY_MATED else ""
        yield Reason(f"allows mate in {allowed.number}{_named(allowed)}{lost}: {line}", allowed)
    missed = mate_claim(verdict.board, best) if verdict.before.is_winning_mate else None
    if missed is not None:
        verb = "throws away a" if verdict.after.value <= 0 else "misses"
        yield _missed(f"{verb} mate in {missed.number}{_named(missed)}", verdict.board, missed)


def _named(mate: Claim) -> str:
    return f", a {mate.motif}" if mate.motif else ""


def _about_tables(verdict: MoveVerdict, after: chess.Board) -> Iterator[Reason]:
    if verdict.table_results is not None:
        _, now = verdict.table_results
        fact = "gives up the win: the ending is drawn" if now == 0 else (
            f"loses: the ending is won for {chess.COLOR_NAMES[after.turn]}")
        yield _better(f"{fact}; ", verdict)


def _theory_text(verdict: MoveVerdict) -> str:
    name = last_opening(verdict.board)
    known = "a known move" if name is None else f"a known line ({name.name})"
    return f"{known}, but "


def _about_perpetuals(verdict: MoveVerdict, after: chess.Board, reply: Sequence[chess.Move],
                      best: Sequence[chess.Move]) -> Iterator[Reason]:
    allowed = perpetual_claim(after, reply) if abs(verdict.after.value) <= _NEAR_DRAW else None
    if allowed is not None:
        yield Reason(f"allows perpetual check: {claim_line(after, allowed)}", allowed)
    missed = perpetual_claim(verdict.board, best) if abs(verdict.before.value) <= _NEAR_DRAW else None
    if missed is not None:
        yield _missed("misses perpetual check", verdict.board, missed)


def _about_material(verdict: MoveVerdict, played: Sequence[chess.Move], best: Sequence[chess.Move]) -> Iterator[Reason]:
    board = verdict.board
    recapture = recapture_claim(board, best, verdict.move)
    if recapture is not None:
        is_other = verdict.move.to_square == best[0].to_square
        whom = f" with the {recapture.pieces[0]}" if is_other else f" on {recapture.squares[0]}"
        yield _missed(f"should take back{whom}", board, recapture)
    worse, better = material_after_move(board, played), material_of_line(board, best)
    if worse is None or better is None or better.end - worse.end < 1:
        return
    said = [_about_loss(verdict, worse, better), _about_gain(verdict, worse, better)]
    if better.net > -worse.net:
        said.reverse()  # what the move leaves out weighs more than what it loses
    yield from filter(None, said)


def _about_loss(verdict: MoveVerdict, worse: MaterialResult, better: MaterialResult) -> Reason | None:
    """What the move loses."""
    board = verdict.board
    if not _makes_up_the_loss(verdict, max(better.end - worse.end, -worse.net), worse.lost) or (
            _has_compensation(worse.end, worse.net, verdict.after.value)):
        return None
    claim = loss_claim(board, worse, verdict.move)
    if claim is None:
        return None
    after = board.copy()
    after.push(verdict.move)
    words = _loss_text(after, claim, _is_pawns_ahead(board, board.turn, worse.base))
    return Reason(f"{words}: {claim_line(after, claim)}", claim)


def _about_gain(verdict: MoveVerdict, worse: MaterialResult, better: MaterialResult) -> Reason | None:
    """What the best move would have won."""
    board = verdict.board
    if not _makes_up_the_loss(verdict, max(better.end - worse.end, better.net), better.gained) or (
            _wins_it_too(worse, better) or _has_compensation(-better.end, better.net, -verdict.before.value)):
        return None
    claim = gain_claim(board, better)
    is_behind = _is_pawns_ahead(board, not board.turn, -better.base)
    return None if claim is None else _missed(_gain_text(board, claim, is_behind), board, claim)


def _wins_it_too(played: MaterialResult, best: MaterialResult) -> bool:
    """Whether the move played wins something as well: the best piece that the other line wins, or nearly as much."""
    is_same = bool(best.gained) and max(best.gained) in played.gained
    return played.net >= 1 and (is_same or best.net < played.net + _LEAST_MORE)


def _makes_up_the_loss(verdict: MoveVerdict, pawns: int, pieces: Counter[int]) -> bool:
    """Whether material that is worth so many pawns is what the move was about."""
    share = _LEAST_SHARE if any(piece_type != chess.PAWN for piece_type in pieces.elements()) else _LEAST_SHARE_OF_PAWNS
    return 100 * pawns >= share * verdict.cost


def _has_compensation(pawns: int, net: int, centipawns: int) -> bool:
    """Whether a side stands so much better than its balance in pawns that what it has lost, `net`, matters little."""
    least = _COMPENSATION_FOR_A_PAWN if abs(net) == 1 else max(_COMPENSATION, _COMPENSATION_PER_PAWN * abs(pawns))
    return centipawns > 100 * pawns + least


def _is_pawns_ahead(board: chess.Board, side: chess.Color, balance: int) -> bool:
    """Whether a side has won pawns before, by its balance and the pawns on the board."""
    return balance > 0 and len(board.pieces(chess.PAWN, side)) > len(board.pieces(chess.PAWN, not side))


def _loss_text(after: chess.Board, claim: Claim, is_ahead: bool) -> str:
    """What a move loses; `is_ahead` if its side has won pawns before."""
    lost = pieces_text(after, claim)
    if claim.motif == "hanging piece" and len(claim.pieces) == 1 and not claim.returned:
        return f"leaves the {claim.pieces[0]} on {claim.squares[0]} unprotected"
    if claim.motif == _TRAP and len(claim.pieces) == 1 and not claim.returned:
        return f"lets {lost} be trapped"
    if claim.motif in _MOTIFS:
        return f"allows {_MOTIFS[claim.motif]} that wins {lost}"
    if lost == "a pawn":
        return "gives a pawn back" if is_ahead else "drops a pawn"
    return f"loses {lost}"


def _gain_text(board: chess.Board, claim: Claim, is_behind: bool) -> str:
    """What another move wins; `is_behind` if the other side has won pawns before."""
    won = pieces_text(board, claim)
    if claim.motif == _TRAP and claim.motif_ply == 0 and len(claim.pieces) == 1 and not claim.returned:
        return f"misses a move that traps {won}"
    if claim.motif in _MOTIFS and claim.motif_ply == 0:
        return f"misses {_MOTIFS[claim.motif]} that wins {won}"
    return "misses a move that wins a pawn back" if won == "a pawn" and is_behind else f"misses a move that wins {won}"


def pieces_text(board: chess.Board, claim: Claim) -> str:
    """The pieces that are won: `the queen`, `the knight on f6`, `two pawns`, `the exchange`, `the queen for a rook`."""
    minors = [name for name in claim.returned if name in _EXCHANGE[1]]
    own_pawns, other_pawns = claim.pieces[1:], [name for name in claim.returned if name not in _EXCHANGE[1]]
    if claim.pieces[:1] == _EXCHANGE[0] and len(minors) == 1 and {*own_pawns, *other_pawns} <= {"pawn"}:
        exchange = _joined(["the exchange", *_counted(own_pawns)])
        return f"{exchange} for {_joined(_counted(other_pawns))}" if other_pawns else exchange
    side = claim.side == "black"  # of the pieces that are won: the other one
    words = []
    for name, square in zip(claim.pieces, claim.squares, strict=True):
        if name != "pawn":
            is_only = len(board.pieces(chess.PIECE_NAMES.index(name), side)) == 1
            words.append(f"the {name}" if is_only else f"the {name} on {square}")
    pawns = claim.pieces.count("pawn")
    if pawns:
        words.append("a pawn" if pawns == 1 else f"{_NUMBERS.get(pawns, str(pawns))} pawns")
    text = _joined(words)
    return f"{text} for {_joined(_counted(claim.returned))}" if claim.returned else text


def _counted(names: Sequence[str]) -> list[str]:
    """`a rook`, `two pawns`: names with their numbers."""
    numbers = {name: names.count(name) for name in names}
    return [f"a {name}" if number == 1 else f"{_NUMBERS.get(number, str(number))} {name}s"
            for name, number in numbers.items()]


def _joined(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def _about_scores(verdict: MoveVerdict) -> Reason:
    """That another move was better, after what has become of the position, if that is plain."""
    before, now = verdict.before.human_expected, verdict.after.human_expected
    other = chess.COLOR_NAMES[not verdict.board.turn]
    if verdict.before.value >= CLEARLY_DECIDED and _EVEN[0] <= now <= _BETTER:
        return _better("lets the win slip; ", verdict)
    if before >= _BETTER and _EVEN[0] <= now <= _EVEN[1]:
        return _better("gives up the advantage; ", verdict)
    if now < _LOST and before > 2 * _LOST:
        return _better(f"{other} is winning now; ", verdict)
    return _better("", verdict)


def _better(introduction: str, verdict: MoveVerdict, plies: int = SHOWN_PLIES) -> Reason:
    """That another move was better, by how much, with its line: some plies of it, or all up to the mate."""
    line = verdict.best_line if verdict.before.is_winning_mate else verdict.best_line[:plies]
    brief = f"{introduction}there was better, {verdict.before.white()} instead of {verdict.after.white()}"
    return Reason(f"{brief}: {line_text(verdict.board, line, len(line))}", None, line, brief)


def _missed(brief: str, board: chess.Board, claim: Claim) -> Reason:
    """What the line of a claim would have achieved."""
    return Reason(f"{brief}: {claim_line(board, claim)}", claim, claim.moves, brief)


def line_text(board: chess.Board, line: Sequence[str], plies: int = SHOWN_PLIES) -> str:
    """The first moves of a line in SAN with their numbers, as in `24...Qxd5 25.Rxd8+`."""
    moves = [chess.Move.from_uci(text) for text in line[:plies]]
    return board.variation_san(moves).replace(". ", ".")


def claim_line(board: chess.Board, claim: Claim) -> str:
    """The whole line of a claim."""
    return line_text(board, claim.moves, len(claim.moves))
