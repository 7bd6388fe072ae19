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
    MATE,
    MATERIAL,
    MOVE,
    POSITIONAL,
    THREAT,
    Claim,
    MaterialResult,
    gain_claim,
    is_threatened_mate,
    king_hunt_claim,
    loss_claim,
    mate_claim,
    material_after_move,
    material_of_line,
    named_claim,
    perpetual_claim,
    recapture_claim,
    sacrifice_claim,
    threat_claim,
    threatened_mate,
)
from engine.analysis.comparison import Statement, board_after_move
from engine.analysis.line_material import rank_of_material
from engine.analysis.lookup import last_opening
from engine.analysis.marks import CLEARLY_DECIDED, COMPLETELY_DECIDED, NEARLY_MATED, Mark, are_both_beyond
from engine.analysis.move_verdicts import MoveVerdict
from engine.analysis.praise import Offer, Praise
from engine.analysis.review import Line
from engine.analysis.wording import SHOWN_PLIES, claim_line, gain_text, line_text, loss_text, moves_of
from engine.text.sides import SIDE_NAMES

_LEAST_RANK, _LEAST_RANK_OF_MISTAKES = 1.0, 1.3  # of statements about ?!, and about ? and ??
_MATE_THREAT, _HUNT = 2.9, 2.6  # ranks of statements that the last line alone proves
_STRONG = 3.0  # rank of a statement that needs few words beside it
_ONE_LINE = 0.1  # less for material that the last line alone proves
_SHOWN_OF_MATE = 7  # plies of a mate that is too long to print
_NEAR_DRAW = 10  # centipawns
_COMPENSATION_FOR_A_PAWN, _COMPENSATION, _COMPENSATION_PER_PAWN = 100, 200, 60  # centipawns
_LEAST_SHARE, _LEAST_SHARE_OF_PAWNS = 0.4, 0.5  # of the loss in centipawns that the material must make up
_LEAST_MORE = 2  # pawns that a line must win more than the move played, if that wins something too
_BETTER, _EVEN, _LOST = 0.60, (0.45, 0.55), 0.15  # expected scores on the human curve

# Expected scores of the move, from the highest; the sentence is true if no other move reaches as much.
_ONLY_MOVES = (0.75, "wins"), (0.60, "keeps the advantage"), (0.40, "holds")


@dataclass(frozen=True)
class Reason:
    """A sentence, and the claim that proves it; None if it claims nothing but scores or table results.

    If the sentence ends with a line that should have been played, `better` is that line and `brief` all but the line.
    """

    text: str
    claim: Claim | None = None
    better: Line = ()
    brief: str = ""


def reason_for(verdict: MoveVerdict) -> Reason:
    """Why a move deserves its mark; an empty sentence if it has none."""
    if verdict.mark.is_bad:
        return next(_reasons(verdict))
    return Reason("") if verdict.praise is None else _about_praise(verdict, verdict.praise)


def _about_praise(verdict: MoveVerdict, praise: Praise) -> Reason:
    if praise.offer is not None:
        return _about_sacrifice(verdict, praise, praise.offer)
    other = 0.0 if praise.other is None else praise.other.human_expected
    for least, words in _ONLY_MOVES:
        if verdict.after.human_expected >= least:
            return Reason(f"the only move that {words}" if other < least else "much better than all others")
    return Reason("the only move")


def _about_sacrifice(verdict: MoveVerdict, praise: Praise, offer: Offer) -> Reason:
    """A sacrifice, with the line in which it is accepted."""
    board, moves = verdict.board, praise.line
    known = "a known sacrifice: " if verdict.is_theory else ""
    origin = verdict.move.from_square if offer.square == verdict.move.to_square else offer.square
    is_only = len(board.pieces(offer.piece_type, board.turn)) == 1
    name = chess.piece_name(offer.piece_type)  # where it is taken, not where it stood
    given = f"the {name}" if is_only else f"the {name} on {chess.square_name(offer.square)}"
    if offer.ply > 1:
        claim = sacrifice_claim(board, moves[: offer.ply + 1], name, offer.origin or origin, None)
        return Reason(f"{known}gives up {given}: {claim_line(board, claim)}", claim)
    mates = mate_claim(board, moves)
    if mates is not None:
        # The line is the one in which the sacrifice is accepted; whether declining helps, the score says.
        outcome = " and mates in {}" if verdict.after.is_winning_mate else ", with mate in {} if it is taken"
        text = f"{known}sacrifices {given}{outcome.format(mates.number)}: {claim_line(board, mates)}"
        return Reason(text, mates)
    claim = sacrifice_claim(board, moves[:SHOWN_PLIES], name, origin, offer.captured)
    if offer.is_regained:
        return Reason(f"offers {given}, and taking it would cost more: {claim_line(board, claim)}", claim)
    price = f" for a {claim.returned[0]}" if claim.returned else ""
    return Reason(f"{known}sacrifices {given}{price}: {claim_line(board, claim)}", claim)


def _reasons(verdict: MoveVerdict) -> Iterator[Reason]:
    """All that can be said of a bad move, the most important first."""
    after = board_after_move(verdict.board, verdict.move)
    played, best = verdict.played_line, verdict.best_line
    yield from _about_mates(verdict, after, played[1:], best)
    if after.is_stalemate():
        yield _better("gives stalemate; ", verdict)
    yield from _about_tables(verdict, after)
    if verdict.is_theory:
        yield _better(_theory_text(verdict), verdict)
    yield from _about_perpetuals(verdict, after, played[1:], best)
    if not are_both_beyond(verdict.before, verdict.after, COMPLETELY_DECIDED):
        yield from _about_recaptures(verdict, best)
    found = [*verdict.statements, *_of_last_lines(verdict, after, played[1:], best)]
    found.sort(key=lambda statement: -statement.rank)
    telling = [statement for statement in found if _is_telling(verdict, statement)]
    for statement in telling:
        yield _stated(verdict, statement, found)
    yield _about_scores(verdict)


def _is_telling(verdict: MoveVerdict, statement: Statement) -> bool:
    """Whether a statement says enough for the mark, and for a game that is or is not decided."""
    if are_both_beyond(verdict.before, verdict.after, CLEARLY_DECIDED) and statement.claim.topic == POSITIONAL:
        return False
    if are_both_beyond(verdict.before, verdict.after, COMPLETELY_DECIDED) and statement.claim.topic == MATERIAL:
        return False
    return statement.rank >= (_LEAST_RANK if verdict.mark is Mark.DUBIOUS else _LEAST_RANK_OF_MISTAKES)


def _stated(verdict: MoveVerdict, statement: Statement, others: Sequence[Statement]) -> Reason:
    """The sentence of a statement; of one about the move, with what the better move does."""
    claim, text = statement.claim, statement.text(verdict.board.chess960)
    if claim.better:
        words = f"{statement.words} ({statement.line_text(verdict.board.chess960)}); "
        shown = tuple(map(chess.Move.from_uci, claim.better))  # of the iteration that proves it, perhaps not the last
        return replace(_better(words, verdict, shown), claim=claim)
    if statement.is_missed:
        if not statement.has_line:
            words = _what_it_does(others, statement.rank)
            return Reason(words, claim, verdict.best_line[:SHOWN_PLIES], words)
        return Reason(text, claim, moves_of(claim), statement.words)
    better = _what_it_does(others, statement.rank)
    return Reason(f"{text}; better was {better.removeprefix('misses ')}" if better else text, claim)


def _what_it_does(statements: Sequence[Statement], rank: float) -> str:
    """What the better move threatens and does for its side; beside a strong statement only what it threatens or saves.

    It begins with the move: `misses 15.Rg1, which attacks the bishop on g2 and takes the rook out of the attack on h1`.
    """
    found = [statement for statement in statements if statement.is_missed and not statement.has_line]
    threats = [statement.words for statement in found if statement.claim.topic == THREAT]
    changes = [statement.words for statement in found if statement.claim.topic == MOVE
               and (rank < _STRONG or statement.rank >= _LEAST_RANK_OF_MISTAKES)]
    if not threats or not changes or " threatens " in threats[0]:
        return next(iter(threats + changes), "")
    return f"{threats[0]} and {changes[0].partition(', which ')[2]}"


def _of_last_lines(verdict: MoveVerdict, after: chess.Board, reply: Sequence[chess.Move],
                   best: Sequence[chess.Move]) -> Iterator[Statement]:
    """What the last lines alone prove: material with its motif, king hunts, threats of mate."""
    board, side, other = verdict.board, SIDE_NAMES[verdict.board.turn], SIDE_NAMES[after.turn]
    yield from _about_material(verdict, verdict.played_line, best)
    hunted, hunting = king_hunt_claim(after, reply), king_hunt_claim(board, best)
    if hunted is not None:
        yield Statement(_HUNT, f"lets {side}'s king be driven to {hunted.squares[0]}", hunted)
    if hunting is not None:
        yield Statement(_HUNT, f"misses checks that drive {other}'s king to {hunting.squares[0]}", hunting,
                        is_missed=True)
    threat = threat_claim(after, reply)
    if threat is not None and not _is_threat_anyway(board, best[0], reply[0]):
        yield Statement(_MATE_THREAT, _threat_text("allows", after, *threat), threat[0])
    threat = threat_claim(board, best)
    if threat is not None and threatened_mate(board, verdict.move) is None:
        yield Statement(_MATE_THREAT, _threat_text("misses", board, *threat), threat[0], is_missed=True)


def _is_threat_anyway(board: chess.Board, best: chess.Move, reply: chess.Move) -> bool:
    """Whether a reply would threaten mate after the best move too."""
    after = board.copy(stack=False)
    after.push(best)
    return after.is_legal(reply) and threatened_mate(after, reply) is not None


def _threat_text(verb: str, board: chess.Board, claim: Claim, mate: chess.Move) -> str:
    passed = board.copy(stack=False)
    passed.push_uci(claim.moves[0])
    passed.push(chess.Move.null())
    return f"{verb} the threat of {line_text(passed, (mate,))}"


def _about_mates(verdict: MoveVerdict, after: chess.Board, reply: Sequence[chess.Move],
                 best: Sequence[chess.Move]) -> Iterator[Reason]:
    side = SIDE_NAMES[verdict.board.turn]
    allowed = mate_claim(after, reply) if reply and verdict.after.is_losing_mate else None
    if allowed is not None:
        line = claim_line(after, allowed)
        if allowed.number == 1 and is_threatened_mate(verdict.board, reply[0]):
            yield Reason(f"does not stop {line}", allowed)
        lost = f" ({side} was lost anyway)" if verdict.before.value < -NEARLY_MATED else ""
        yield Reason(f"allows mate in {allowed.number}{_named(allowed)}{lost}: {line}", allowed)
    elif reply and verdict.after.is_losing_mate and not verdict.before.is_losing_mate:
        claim = named_claim(MATE, after, reply[:_SHOWN_OF_MATE])
        yield Reason(f"walks into a forced mate: {claim_line(after, claim)}", claim)
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
            f"loses: the ending is won for {SIDE_NAMES[after.turn]}")
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


def _about_recaptures(verdict: MoveVerdict, best: Sequence[chess.Move]) -> Iterator[Reason]:
    recapture = recapture_claim(verdict.board, best, verdict.move)
    if recapture is not None:
        is_other = verdict.move.to_square == best[0].to_square
        is_same_kind = verdict.board.piece_type_at(verdict.move.from_square) == verdict.board.piece_type_at(
            best[0].from_square)
        which = f" on {chess.square_name(best[0].from_square)}" if is_same_kind else ""
        whom = f" with the {recapture.pieces[0]}{which}" if is_other else f" on {recapture.squares[0]}"
        yield _missed(f"should take back{whom}", verdict.board, recapture)


def _about_material(verdict: MoveVerdict, played: Sequence[chess.Move],
                    best: Sequence[chess.Move]) -> Iterator[Statement]:
    """What the last line after the move loses, and what the last better line wins."""
    worse, better = material_after_move(verdict.board, played), material_of_line(verdict.board, best)
    if worse is None or better is None or better.end - worse.end < 1:
        return
    is_gain_larger = better.net > -worse.net
    if _loses_something(verdict, worse, better):
        claim = loss_claim(verdict.board, worse, verdict.move)
        if claim is not None:
            rank = rank_of_material(better.end - worse.end, len(claim.moves) + 1) - _ONE_LINE
            after = board_after_move(verdict.board, verdict.move)
            yield Statement(rank - is_gain_larger * _ONE_LINE, loss_text(after, claim, worse.base), claim)
    if _leaves_something_out(verdict, worse, better):
        claim = gain_claim(verdict.board, better)
        if claim is not None:
            rank = rank_of_material(better.end - worse.end, len(claim.moves)) - _ONE_LINE
            yield Statement(rank, gain_text(verdict.board, claim, better.base), claim, is_missed=True)


def _loses_something(verdict: MoveVerdict, worse: MaterialResult, better: MaterialResult) -> bool:
    """Whether what the move loses is what its mark is about."""
    return _makes_up_the_loss(verdict, max(better.end - worse.end, -worse.net), worse.lost) and (
        not _has_compensation(worse.end, worse.net, verdict.after.value))


def _leaves_something_out(verdict: MoveVerdict, worse: MaterialResult, better: MaterialResult) -> bool:
    """Whether what the best move wins is what the mark is about."""
    return _makes_up_the_loss(verdict, max(better.end - worse.end, better.net), better.gained) and (
        not _wins_it_too(worse, better) and not _has_compensation(-better.end, better.net, -verdict.before.value))


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


def _about_scores(verdict: MoveVerdict) -> Reason:
    """That another move was better, after what has become of the position, if that is plain."""
    before, now = verdict.before.human_expected, verdict.after.human_expected
    other = SIDE_NAMES[not verdict.board.turn]
    if verdict.before.value >= CLEARLY_DECIDED and _EVEN[0] <= now <= _BETTER:
        return _better("lets the win slip; ", verdict)
    if before >= _BETTER and _EVEN[0] <= now <= _EVEN[1]:
        return _better("gives up the advantage; ", verdict)
    if now < _LOST and before > 2 * _LOST:
        return _better(f"{other} is winning now; ", verdict)
    return _better("", verdict)


def _better(introduction: str, verdict: MoveVerdict, shown: Line = ()) -> Reason:
    """That another move was better, by how much, with its line: the one to be shown, some plies, or up to the mate."""
    line = shown or (verdict.best_line if verdict.before.is_winning_mate else verdict.best_line[:SHOWN_PLIES])
    brief = f"{introduction}there was a better move, {verdict.before.white()} instead of {verdict.after.white()}"
    return Reason(f"{brief}: {line_text(verdict.board, line, len(line))}", None, line, brief)


def _missed(brief: str, board: chess.Board, claim: Claim) -> Reason:
    """What the line of a claim would have achieved."""
    return Reason(f"{brief}: {claim_line(board, claim)}", claim, moves_of(claim), brief)
