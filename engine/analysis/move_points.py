"""What can be said of any legal move: its idea, what it wins, threatens, allows and gives up, and the plan behind it.

The lines come from searches; each sentence is proven on the boards of the line that is printed with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import chess

from engine.analysis.claims import gain_claim, mate_claim, material_of_line
from engine.analysis.idea import ProvenIdea
from engine.analysis.ideas import ideas_in, with_article
from engine.analysis.ledger import LONGEST_LINE, balance, balance_before_exchange, is_settled, settled_ledger
from engine.analysis.marks import LEAST_MARKED_LOSS, LEAST_MISTAKE, loss_between
from engine.analysis.plans import plan_text
from engine.analysis.praise import offer_of
from engine.analysis.quiet_changes import gains, losses, stable_themes
from engine.analysis.results import Score
from engine.analysis.review import Analyser, PositionEval, SearchEffort, evaluate_board
from engine.analysis.threats import threat_in, was_there, won_text
from engine.analysis.wording import joined, motif_text, moves_of, moves_text, pieces_text
from engine.text.sides import SIDE_NAMES

_THREAT_EFFORT = SearchEffort(nodes=10_000)
_ACCEPTED_EFFORT = SearchEffort(nodes=40_000)
_MISTAKE = 0.03  # expected score on the human curve
_NO_ROOM_FOR_ERROR = 0.13  # by which the second move is worse than one that decides
_ZUGZWANG, _ZUGZWANG_NAME = 0.15, "zugzwang"
_DECIDES, _WORKS = 300, 100  # centipawns
_DRAWN = 150  # centipawns: further from 0.00 no drawing idea is believed
_SHORTER = 7, 5  # plies in which a line that wins may win something if it does not settle
_SHOWN = 9  # plies of an idea's line
_PLAN = 10  # plies
_MOST_ZUGZWANG_PIECES = 2  # beside kings and pawns
_VERDICTS = "Greek gift", "Légal's mate", "fork trick", "exchange sacrifice"  # ideas of which a search must say more
_TELLING_THREAT = 3  # pawns that a mistake has to threaten to be worth a word
_LASTING = "weak square", "bad bishop", "isolated pawn", "minority attack"  # ideas that are not what a mistake allows


@dataclass(frozen=True)
class MoveToExplain:
    """A legal move with the searches that are known of it. Scores are the mover's, before the move."""

    board: chess.Board
    line: tuple[chess.Move, ...]  # beginning with the move
    best: Score
    played: Score
    second: Score | None = None
    earlier: tuple[tuple[chess.Move, ...], ...] = ()  # lines of earlier iterations, beginning with the move

    @property
    def move(self) -> chess.Move:
        """The move."""
        return self.line[0]

    @property
    def loss(self) -> float:
        """What the move loses of the expected score."""
        return loss_between(self.best, self.played)

    @property
    def is_mistake(self) -> bool:
        """Whether another move is plainly better."""
        return self.loss > _MISTAKE

    def after(self) -> chess.Board:
        """The position after the move."""
        board = self.board.copy()
        board.push(self.move)
        return board


class MovePoints:
    """Finds what can be said of one move, with an engine for threats and for offers that the line declines."""

    def __init__(self, engine: Analyser, found: MoveToExplain) -> None:
        self._engine, self._found, self._after = engine, found, found.after()
        self._side = found.board.turn
        self._name = SIDE_NAMES[self._side]
        self._offer = offer_of(found.board, found.move)

    def points(self) -> tuple[str, ...]:
        """The sentences, most telling first; only the idea of a move that mates, none of a stalemate."""
        if not any(self._after.generate_legal_moves()):
            return tuple(self._ideas(self._found.line)) if self._after.is_check() else ()
        if self._found.played.is_losing_mate:
            return tuple(self._allowed())
        finders: tuple[Callable[[], Iterator[str]], ...] = (
            self._named, self._achieved, self._threatened, self._allowed, self._changed, self._planned)
        points = dict[str, str]()  # by name or sentence, each once
        for find in finders:
            for words in find():
                points.setdefault(words.partition(":")[0], words)
        return tuple(points.values())

    def _named(self) -> Iterator[str]:
        """The idea that has a name, in the line itself or where the other side takes what is offered."""
        lines = [self._found.line]
        if self._accepted is not None:
            lines.insert(0, self._accepted)
        for line in lines:
            yield from self._ideas(line)

    def _ideas(self, line: Sequence[chess.Move]) -> Iterator[str]:
        """The sentences about the named ideas of a line that begins with the move: two at most."""
        found = ideas_in(self._found.board, line, self._found.is_mistake)
        for idea in [idea for idea in found if self._is_believed(idea)][:2]:
            if idea.key is not None and len(line) > 2 and line[2] != idea.key:
                line = self._followed(line[:2], idea.key)
            yield f"{idea.name}{self._verdict_on(idea)}: {idea.words}{self._shown(idea, line)}"

    def _followed(self, begun: Sequence[chess.Move], key: chess.Move) -> tuple[chess.Move, ...]:
        """The line in which the idea is followed through, even if another move is better there."""
        board = self._found.board.copy()
        for move in (*begun, key):
            board.push(move)
        return (*begun, key, *self._line(board, _ACCEPTED_EFFORT))

    def _is_believed(self, idea: ProvenIdea) -> bool:
        """Whether the search agrees with what theory says of an idea."""
        value = self._found.played.value * (1 if idea.side == self._side else -1)
        if idea.name in _LASTING and (self._found.loss >= LEAST_MISTAKE or self._is_material_changed(idea)):
            return False  # something else matters more
        return {"draw": abs(value) <= _DRAWN, "win": value >= _DECIDES // 2, "": True}[idea.result]

    def _is_material_changed(self, idea: ProvenIdea) -> bool:
        """Whether more changes hands in the line than what is exchanged evenly."""
        before = balance_before_exchange(self._found.board, self._found.move, self._side)
        end = self._after.copy(stack=False)
        for move in self._found.line[1 : idea.plies]:
            end.push(move)
        return not is_settled(end) or balance(end, self._side) != before

    def _verdict_on(self, idea: ProvenIdea) -> str:
        if idea.name not in _VERDICTS:
            return ""
        if self._found.is_mistake:
            return ", which does not work here"
        return ", and it works" if self._found.played.value >= _WORKS else ", which is playable"

    def _shown(self, idea: ProvenIdea, line: Sequence[chess.Move]) -> str:
        """The part of a line that shows an idea, in brackets; nothing for a single move."""
        plies = min(idea.plies, _SHOWN)
        return f" ({moves_text(self._found.board, line[:plies])})" if plies > 1 else ""

    @cached_property
    def _accepted(self) -> tuple[chess.Move, ...] | None:
        """The line in which the other side takes what the move offers, if the best reply does not."""
        taking = self._taking
        if taking is None or (len(self._found.line) > 1 and self._found.line[1] == taking):
            return None
        board = self._after.copy()
        board.push(taking)
        return (self._found.move, taking, *self._line(board, _ACCEPTED_EFFORT))

    @property
    def _taking(self) -> chess.Move | None:
        """The reply that takes what the move offers: in a pawn ending also a pawn, for another one to get through."""
        if self._offer is not None:
            return self._offer.reply
        if self._after.occupied & ~(self._after.kings | self._after.pawns) or self._is_taken_at_once():
            return None
        taking = self._after.generate_legal_captures(self._after.pawns, chess.BB_SQUARES[self._found.move.to_square])
        return next(taking, None)

    def _line(self, board: chess.Board, effort: SearchEffort) -> tuple[chess.Move, ...]:
        found = self._search(board, effort)
        return () if found is None else tuple(found.line)

    def _search(self, board: chess.Board, effort: SearchEffort) -> PositionEval | None:
        """The evaluation of a position; None if the game is over there or the search was stopped."""
        if not any(board.generate_legal_moves()):
            return None
        try:
            return evaluate_board(self._engine, board, effort)
        except KeyError:
            return None

    def _achieved(self) -> Iterator[str]:
        """What the line wins, and by which motif; and what becomes of an offer that the line declines."""
        board, line = self._found.board, self._found.line
        if not self._found.is_mistake:
            lengths = (len(line), *_SHORTER) if self._found.played.value >= _DECIDES else (len(line),)
            claims = (claim_text(board, line[:plies]) for plies in lengths)  # a won ending may never settle
            found = list(islice(filter(None, claims), 1))
            yield from found
            is_given = not found and self._offer is None and self._found.played.value < _DECIDES
            if is_given and self._is_taken_at_once() and self._end_balance() < 0:
                name = chess.piece_name(board.piece_type_at(self._found.move.from_square) or 0)
                yield f"gives up the {name}: {moves_text(board, line[:2])}"
        offer, accepted = self._offer, self._accepted
        if offer is not None and accepted is not None and not self._found.is_mistake:
            after = board.copy()
            after.push(self._found.move)
            after.push(offer.reply)
            words = claim_text(after, accepted[2:], offer.given - 1)
            if words:
                name = chess.piece_name(offer.piece_type)
                taken = moves_text(self._after, [offer.reply])
                yield (f"the {name} on {chess.square_name(offer.square)} cannot be taken: after {taken} {self._name} "
                       f"{words}")

    def _threatened(self) -> Iterator[str]:
        """What the move threatens: what its side would do if the other side passed; zugzwang if passing is best."""
        if self._after.is_check() or self._found.played.is_losing_mate:
            return
        passed = self._after.copy()
        passed.push(chess.Move.null())
        found = self._search(passed, _THREAT_EFFORT) if passed.is_valid() else None
        if found is None or not found.line:
            return
        if self._is_zugzwang(found.score):
            yield f"{_ZUGZWANG_NAME}: {SIDE_NAMES[not self._side]} must move, and every move makes things worse"
            return
        threat = threat_in(passed, found.line)
        if threat is None or was_there(self._found.board, self._found.move, threat):
            return
        if self._found.is_mistake and threat.gain < _TELLING_THREAT:
            return
        line = moves_text(threat.board, threat.moves)
        words = f"{line}, winning {won_text(threat)}" if not threat.is_mate else (
            f"mate by {line}" if len(threat.moves) > 1 else line)
        is_quiet = not self._found.board.is_capture(self._found.move) and not self._found.move.promotion
        is_killer = is_quiet and self._is_decisive()
        yield f"a quiet move that decides: it threatens {words}" if is_killer else f"threatens {words}"

    def _is_decisive(self) -> bool:
        """Whether the move wins, and the second-best one does not, or does not mate."""
        played, second = self._found.played, self._found.second
        if played.value < _DECIDES or second is None or self._found.is_mistake:
            return False
        return (played.is_winning_mate and second.mate is None) or loss_between(played, second) >= _NO_ROOM_FOR_ERROR

    def _is_zugzwang(self, passed: Score) -> bool:
        """Whether the other side would be better off passing; `passed` is the mover's score after that."""
        pieces = chess.popcount(self._after.occupied & ~self._after.pawns & ~self._after.kings)
        return pieces <= _MOST_ZUGZWANG_PIECES and loss_between(self._found.played, passed) >= _ZUGZWANG

    def _allowed(self) -> Iterator[str]:
        """The named idea that a mistake gives the other side."""
        if not self._found.is_mistake:
            return
        for line in (self._found.line, *self._found.earlier):
            for idea in ideas_in(self._after, line[1:]):
                if idea.side != self._side and idea.name not in _LASTING and not idea.result:
                    plies = min(idea.plies, _SHOWN)
                    yield f"allows {with_article(idea)}: {idea.words} ({moves_text(self._after, line[1 : 1 + plies])})"
                    return

    def _changed(self) -> Iterator[str]:
        """What a quiet move changes for good and for bad."""
        board, move = self._found.board, self._found.move
        if board.is_capture(move) or move.promotion:
            return
        good, bad = [] if self._found.is_mistake else gains(board, move), losses(board, move)
        good = [] if self._is_taken_at_once() else [words for words in good if not self._is_protected_in_vain(words)]
        if not good and not bad and not self._after.is_check() and not self._is_taken_at_once():
            good, bad = stable_themes(board, move, self._end())
            good = [] if self._found.is_mistake else good
        if good or bad:
            yield ", but ".join(joined(words) for words in (good, bad) if words)

    def _is_taken_at_once(self) -> bool:
        """Whether the best reply takes what has moved."""
        return len(self._found.line) > 1 and self._found.line[1].to_square == self._found.move.to_square

    def _is_protected_in_vain(self, words: str) -> bool:
        """Whether what a move is said to protect is taken soon all the same."""
        named = re.fullmatch(r"protects the \w+ on ([a-h][1-8])", words)
        replies = self._found.line[1:_SHOWN:2]
        return named is not None and any(reply.to_square == chess.parse_square(named[1]) for reply in replies)

    def _end_balance(self) -> int:
        """The pawns that the line gains for the side of the move, where it has settled."""
        board, side = self._found.board, self._side
        return balance(self._end(), side) - balance_before_exchange(board, self._found.move, side)

    def _end(self) -> chess.Board:
        """Where the line has settled."""
        ledger = settled_ledger(self._found.board, self._found.line, longest=LONGEST_LINE)
        return self._after if ledger is None or len(ledger.moves) < 1 else ledger.end

    def _planned(self) -> Iterator[str]:
        """What the side does next in the line, in words; nothing after a mistake, which the other side answers."""
        played = self._found.played
        if self._found.loss >= LEAST_MARKED_LOSS:
            return
        is_mated = played.is_losing_mate or (played.mate is not None and len(self._found.line) <= _PLAN)
        if not is_mated and (words := plan_text(self._after, self._found.line[1 : _PLAN + 1], self._side)):
            yield f"then {self._name} {words}"


def claim_text(board: chess.Board, line: Sequence[chess.Move], least: int = 1) -> str:
    """What the side to move wins in a line: `mates in 2, a smothered mate: ...`; empty if it is not proven."""
    if not line:
        return ""
    mate = mate_claim(board, line)
    if mate is not None:
        named = f", a {mate.motif}" if mate.motif else ""
        return f"mates in {mate.number}{named}: {moves_text(board, line)}"
    result = material_of_line(board, line)
    claim = gain_claim(board, result) if result is not None and result.net >= least else None
    if claim is None:
        return ""
    return f"wins {pieces_text(board, claim)}{motif_text(claim)}: {moves_text(board, moves_of(claim))}"
