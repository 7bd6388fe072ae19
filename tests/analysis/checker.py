"""Check the sentences of annotated games, with python-chess alone: each is parsed, its line replayed and recounted.

    python -m tests.analysis.checker ANNOTATED.pgn

It shares no code with the engine, so that an error there is not repeated here. A sentence that no template matches is
an error.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import chess
import chess.pgn

from tests.analysis.counting import (
    DEVELOPMENT,
    FACTS,
    LETS_ATTACK,
    OWN_ATTACK,
    OWN_PASSED_PAWN,
    THEIR_PASSED_PAWN,
    VALUES,
    hangs_something,
    is_attack_stronger,
    is_behind,
    is_hunt,
    is_mate_threat,
    is_taken,
    material,
    passed,
    repeats_by_checks,
    shows_overload,
    shows_zugzwang,
)
from tests.analysis.difference_checks import TEMPLATES as DIFFERENCE_TEMPLATES
from tests.analysis.difference_checks import check_promotion
from tests.analysis.gain_checks import GAINS
from tests.analysis.proof import NAMES, PIECE, PIECES, PLAIN_PIECE, Context, WrongSentenceError, claim, pieces_in

_MATE_NAME = r"(?:, a (?:back-rank|smothered) mate)?"
_SCORE = r"(?:#-?\d+|[+-]\d+\.\d\d)"
_BETTER = rf"there was a better move, (?P<before>{_SCORE}) instead of (?P<now>{_SCORE}): (?P<line>.*)"


_INTRODUCTION = (r"(?:gives stalemate; |gives up the win: the ending is drawn; |loses: the ending is won for "
                 r"(?:White|Black); |a known (?:move|line \(.*?\)), but |gives up the advantage; |"
                 r"lets the win slip; |(?:White|Black) is winning now; )?")


def check_material(context: Context, start: chess.Board, victim: chess.Color, base: chess.Board) -> None:
    """Check who is left with what at the end of the line: exactly the pieces that are named have changed hands."""
    moves, end = context.line(start)
    claim(not hangs_something(end), "something hangs at the end of the line")
    claim(not any(move.promotion for move in moves), "a promotion in a line about material")
    lost = material(base, victim) - material(end, victim)
    given = material(base, not victim) - material(end, not victim)
    lost, given = lost - given, given - lost
    for one, other in ((chess.KNIGHT, chess.BISHOP), (chess.BISHOP, chess.KNIGHT)):
        even = min(lost[one], given[other])
        lost, given = lost - Counter({one: even}), given - Counter({other: even})
    won, _, returned = context.match["won"].partition(" for ")
    if won.startswith("the exchange"):
        rest = lost - Counter([chess.ROOK])
        claim(lost[chess.ROOK] > 0 and rest == pieces_in(won)[0], "not the exchange, or not that alone")
        paid = [given - Counter([minor]) for minor in (chess.KNIGHT, chess.BISHOP) if given[minor] == 1]
        claim(pieces_in(returned)[0] in paid, "not for a minor piece, or for more")
        return
    claim(pieces_in(won)[0] == lost, f"{won} is not what was lost: {lost}")
    claim(pieces_in(returned)[0] == given, f"{returned} is not what was given: {given}")
    for piece_type, square in pieces_in(won)[1]:
        claim(start.piece_at(square) == chess.Piece(piece_type, victim), f"none on {chess.square_name(square)}")
        claim(is_taken(square, moves), f"the piece on {chess.square_name(square)} is never taken")


def check_mate(context: Context, start: chess.Board) -> None:
    """Check that the line ends in checkmate after as many moves as the sentence says."""
    moves, end = context.line(start)
    claim(end.is_checkmate() and len(moves) % 2 == 1, "no checkmate at the end of the line")
    number = context.match.groupdict().get("number")
    claim(number is None or (len(moves) + 1) // 2 == int(number), "another number of moves")
    text = context.match.group()
    if "smothered" in text:
        checkers = end.checkers()
        claim(all(end.piece_type_at(square) == chess.KNIGHT for square in checkers), "not by a knight")
    if "back-rank" in text:
        king = end.king(end.turn)
        claim(king is not None and chess.square_rank(king) == (0 if end.turn else 7), "not on the first rank")


def check_allowed_mate(context: Context) -> None:
    """A mate that the move allows."""
    check_mate(context, context.after)


def check_threat(context: Context) -> None:
    """A mate in one that was threatened before."""
    moves, end = context.line(context.after)
    claim(end.is_checkmate() and len(moves) == 1, "no mate in one")
    passed = context.before.copy(stack=False)
    passed.push(chess.Move.null())
    claim(passed.is_legal(moves[0]), "no threat before")


def check_missed_mate(context: Context) -> None:
    """A mate that the move misses."""
    check_mate(context, context.before)


def check_loss(context: Context) -> None:
    """Material that the move loses."""
    check_material(context, context.after, context.before.turn, context.before)
    check_motif(context, context.after)


def check_gain(context: Context) -> None:
    """Material that another move wins."""
    check_material(context, context.before, not context.before.turn, context.before)
    check_motif(context, context.before)


def check_hanging(context: Context) -> None:
    """A piece that is taken at once without a defender."""
    moves, end = context.line(context.after)
    square, victim = chess.parse_square(context.match["square"]), context.before.turn
    claim(context.after.piece_at(square) == chess.Piece(NAMES[context.match["piece"]], victim), "no such piece there")
    claim(moves[0].to_square == square and not context.after.attackers(victim, square), "it is protected")
    claim(not hangs_something(end), "something hangs at the end of the line")


def check_recapture(context: Context) -> None:
    """A capture on the square of the last capture that was better."""
    moves, _ = context.line(context.before)
    before = context.before.copy()
    last = before.pop()
    claim(before.is_capture(last) and moves[0].to_square == last.to_square, "no recapture")
    if context.match["piece"]:
        claim(context.before.piece_type_at(moves[0].from_square) == NAMES[context.match["piece"]], "another piece")


def check_better(context: Context) -> None:
    """A better move: the line is legal, begins with it, and the score of the move played is the evaluation's."""
    moves, _ = context.line(context.before)
    claim(moves[0] != context.move, "the move that was played")
    written = context.node.eval()
    if written is not None and not context.match["now"].startswith("#"):
        claim(written.white().score() == round(100 * float(context.match["now"])), "another score than the evaluation")


def check_perpetual(context: Context) -> None:
    """Three checks in a row and a repetition."""
    start = context.after if context.match["verb"] == "allows" else context.before
    moves, _ = context.line(start)
    claim(repeats_by_checks(start, moves), "no perpetual check")


def check_sacrifice(context: Context) -> None:
    """A piece that stands where the sentence says and is taken by the line's second move."""
    moves, end = context.line(context.before)
    claim(moves[0] == context.move, "another move")
    named = re.fullmatch(PIECE, context.match["given"])
    assert named is not None
    piece_type, square = NAMES[named[2]], named[3]
    own = context.after.pieces(piece_type, context.before.turn)
    claim(len(own) == 1 if not square else chess.parse_square(square) in own, "no such piece")
    taken = context.after.piece_type_at(moves[1].to_square)
    claim(taken == piece_type and context.after.is_capture(moves[1]), "it is not taken by the reply")
    price = context.match["price"]
    claim(not price or context.before.piece_type_at(moves[0].to_square) == NAMES[price], "another price")
    number = context.match["number"]
    claim(not number or (end.is_checkmate() and (len(moves) + 1) // 2 == int(number)), "no such mate")


def check_later_sacrifice(context: Context) -> None:
    """A piece of the mover that is taken by the last move of the line, where the sentence says."""
    moves, _ = context.line(context.before)
    claim(moves[0] == context.move and len(moves) % 2 == 0 and len(moves) > 2, "another line")
    named, cursor = re.fullmatch(PIECE, context.match["given"]), context.before.copy(stack=False)
    assert named is not None
    for move in moves[:-1]:
        cursor.push(move)
    claim(cursor.piece_type_at(moves[-1].to_square) == NAMES[named[2]], "another piece")
    claim(not named[3] or moves[-1].to_square == chess.parse_square(named[3]), "another square")


_GEOMETRY = {"an overload": shows_overload, "a zugzwang": shows_zugzwang}


def check_motif(context: Context, start: chess.Board) -> None:
    """The geometry of the motif that a sentence names, if it is one of those that are recounted here."""
    name = context.match.groupdict().get("motif") or ""
    claim(name not in _GEOMETRY or _GEOMETRY[name](start, context.line(start)[0]), f"not {name}")


def check_fact(context: Context) -> None:
    """A fact that is there at the end of the line after the move, not at the end of the better one, and not before."""
    check_better(context)
    _, better = context.line(context.before)
    _, worse = context.line(context.after, "after")
    claim(not hangs_something(better) and not hangs_something(worse), "something hangs at the end of a line")
    claim(better.turn == worse.turn, "not the same side to move")
    totals = [sum(value * (material(board, True)[piece_type] - material(board, False)[piece_type])
                  for piece_type, value in VALUES.items()) for board in (better, worse)]
    claim(totals[0] == totals[1], "another balance of material")
    if check_difference(context, worse, better):
        return
    for pattern, find, is_own in FACTS:
        match = re.fullmatch(pattern, context.match["fact"])
        if match is None:
            continue
        side, named = match["color"] == "White", match.groupdict()
        claim((side == context.before.turn) == is_own, "of the other side")
        here, there = find(worse, side), find(better, side) | find(context.before, side)
        claim(len(here) > len(find(better, side)), "there is as much of it in the better line")
        if named.get("square"):
            claim(chess.parse_square(named["square"]) in here - there, "not new on that square, or in both lines")
        if named.get("file"):
            claim(chess.FILE_NAMES.index(named["file"]) in here - there, "not new on that file, or in both lines")
        if named.get("king"):
            claim(worse.king(side) == chess.parse_square(named["king"]), "the king is not there")
        return
    raise WrongSentenceError("no such fact")


def check_difference(context: Context, worse: chess.Board, better: chess.Board) -> bool:
    """Check a fact that compares numbers, or that is about the better line; whether it is one of these."""
    fact, mover = context.match["fact"], context.before.turn
    if match := re.fullmatch(LETS_ATTACK, fact) or re.fullmatch(OWN_ATTACK, fact):
        claim(is_attack_stronger(match, worse, better), "other numbers of pieces attack")
        claim(fact.startswith("lets") == ((match["color"] == "White") == mover), "the other side")
        return True
    if match := re.fullmatch(DEVELOPMENT, fact):
        claim(is_behind(match, worse, better, mover), "other numbers of pieces are at home")
        return True
    if match := re.fullmatch(OWN_PASSED_PAWN, fact):
        square = chess.parse_square(match["square"])
        claim(square in passed(better, mover) and square not in passed(worse, mover), "not there, or in both lines")
        return True
    if match := re.fullmatch(THEIR_PASSED_PAWN, fact):
        square = chess.parse_square(match["square"])
        claim((match["color"] == "White") != mover and square in passed(worse, not mover), "no such passed pawn")
        claim(square not in passed(better, not mover), "it is there in both lines")
        return True
    return False


def check_king_hunt(context: Context) -> None:
    """Three checks or more in a row, by every move of the line, drive a king to the square that is named."""
    is_own = context.match["verb"] == "lets"
    start = context.after if is_own else context.before
    moves, end = context.line(start)
    claim(is_hunt(start, moves), "too few checks, or the king is at home")
    named = end.piece_at(chess.parse_square(context.match["square"]))
    claim(named == chess.Piece(chess.KING, context.match["color"] == "White") and named.color != start.turn,
          "another king, or not there")


def check_mate_threat(context: Context) -> None:
    """If the other side passed after the line's first move, the named move would mate."""
    start = context.after if context.match["verb"] == "allows" else context.before
    moves, _ = context.line(start)
    claim(is_mate_threat(start, moves[0], re.sub(r"^\d+\.+", "", context.match["threat"])), "no mate is threatened")


def check_nothing(context: Context) -> None:
    """Words without a claim that a board could prove."""


_MOTIFS = (r"(?P<motif>a fork|a skewer|a pin|a discovered attack|a discovered check|a double check|"
           r"the removal of a defender|a deflection|a decoy|an interference|a zwischenzug|an overload|a zugzwang)")
_SACRIFICE = (rf"(?:a known sacrifice: )?sacrifices (?P<given>{PLAIN_PIECE})"
              r"(?: for an? (?P<price>\w+)|(?: and mates|, with mate) in (?P<number>\d+)(?: if it is taken)?)?"
              r": (?P<line>.*)")
_HUNT = (r"(?P<verb>lets|misses) (?:checks that drive )?(?P<color>White|Black)'s king (?:be driven )?to "
         r"(?P<square>[a-h][1-8]): (?P<line>.*)")
TEMPLATES: tuple[tuple[str, Callable[[Context], None]], ...] = (
    (rf"allows mate in (?P<number>\d+){_MATE_NAME}(?: \((?:White|Black) was lost anyway\))?: (?P<line>.*)",
     check_allowed_mate),
    (r"does not stop (?P<line>\S+)", check_threat),
    (rf"(?:misses|throws away a) mate in (?P<number>\d+){_MATE_NAME}: (?P<line>.*)", check_missed_mate),
    (r"leaves the (?P<piece>\w+) on (?P<square>\w\d) unprotected: (?P<line>.*)", check_hanging),
    (rf"allows {_MOTIFS} that wins (?P<won>{PIECES}(?: for {PIECES})?): (?P<line>.*)", check_loss),
    (r"drops (?P<won>a pawn): (?P<line>.*)", check_loss),
    (r"gives (?P<won>a pawn) back: (?P<line>.*)", check_loss),
    (r"misses a move that wins (?P<won>a pawn) back: (?P<line>.*)", check_gain),
    (rf"loses (?P<won>{PIECES}(?: for {PIECES})?): (?P<line>.*)", check_loss),
    (rf"lets (?P<won>{PIECES}) be trapped: (?P<line>.*)", check_loss),
    (rf"misses (?:{_MOTIFS}|a move) that wins (?P<won>{PIECES}(?: for {PIECES})?): (?P<line>.*)", check_gain),
    (rf"misses a move that traps (?P<won>{PIECES}): (?P<line>.*)", check_gain),
    (_SACRIFICE, check_sacrifice),
    (rf"(?:a known sacrifice: )?gives up (?P<given>{PLAIN_PIECE}): (?P<line>.*)", check_later_sacrifice),
    (r"the only move(?: that (?:wins|keeps the advantage|holds))?|much better than all others", check_nothing),
    (r"should take back(?: with the (?P<piece>\w+)(?: on [a-h][1-8])?| on [a-h][1-8]): (?P<line>.*)", check_recapture),
    (r"(?P<verb>lets|misses) the (?:promotion of the )?(?P<file>[a-h])-pawn(?: promote)?: (?P<line>.*)",
     check_promotion),
    (r"(?P<verb>allows|misses) perpetual check: (?P<line>.*)", check_perpetual),
    (_HUNT, check_king_hunt),
    (r"(?P<verb>allows|misses) the threat of (?P<threat>\S+): (?P<line>.*)", check_mate_threat),
    *DIFFERENCE_TEMPLATES,
    (rf"(?P<fact>(?:leaves|gives|lets|attacks|does without|falls) [^(;]*) \((?P<after>[^)]*)\); {_BETTER}", check_fact),
    (rf"{_INTRODUCTION}{_BETTER}", check_better),
)
_BOOK = re.compile(r"(?:; )?leaves the book: .*$")
_RESULT = re.compile(r"(?:; )?(?:a draw(?: was agreed)?|a win for (?:White|Black)|"
                     r"(?:White|Black) (?:resigned|lost on time))"
                     rf"(?:, although (?:White|Black) is (?:winning|not lost) \({_SCORE}\))?$")
COMMAND = re.compile(r"\[%\w+ [^\]]*\]")


_AND_BETTER = "; better was "  # and what another move would have threatened
_BARE = rf"{_INTRODUCTION}{_BETTER}"
_PROSPECTS = rf"(?:gives up the advantage|(?:White|Black) is winning now); {_BETTER}"


def sentence_of(node: chess.pgn.ChildNode) -> str:
    """The sentence after a move, with the line of its variation, without commands and remarks on book and result."""
    text = _BOOK.sub("", _RESULT.sub("", " ".join(COMMAND.sub("", node.comment).split()))).strip()
    is_whole = not text or _AND_BETTER in text or any(re.fullmatch(pattern, text) for pattern, _ in TEMPLATES)
    if is_whole or len(node.parent.variations) < 2:
        return text
    first = node.parent.variations[-1]
    line = node.parent.board().variation_san([first.move, *(child.move for child in first.mainline())])
    return f"{text}: {line.replace('. ', '.')}"


def check_node(node: chess.pgn.ChildNode) -> str | None:
    """What is wrong with the sentence after a move; None if it is right, an empty text if there is none."""
    text = sentence_of(node)
    if not text:
        return ""
    first, _, better = text.partition(_AND_BETTER)
    found = check_sentence(node, first)
    return check_sentence(node, f"misses {better}") if better and found is None else found


_BOTH = re.compile(rf"(misses \S+, which )((?:attacks|threatens) .*) and ({GAINS})(?::.*)?")


def check_sentence(node: chess.pgn.ChildNode, text: str) -> str | None:
    """What is wrong with a sentence after a move; None if it is right."""
    if both := _BOTH.fullmatch(text):
        return check_sentence(node, both[1] + both[2]) or check_sentence(node, both[1] + both[3])
    before = node.parent.board()
    for pattern, check in TEMPLATES:
        match = re.fullmatch(pattern, text)
        if match is not None:
            try:
                check(Context(before, node.board(), node.move, match, node))
            except WrongSentenceError as error:
                return f"{before.fen()} {node.san()}: {text}: {error}"
            return None
    return f"{before.fen()} {node.san()}: no template for {text!r}"


def check_file(path: Path) -> tuple[Counter[str], list[str]]:
    """Count the sentences of a file by template, and list what is wrong."""
    counts, wrong = Counter[str](), []
    with path.open() as file:
        while (game := chess.pgn.read_game(file)) is not None:
            for node in game.mainline():
                found = check_node(node)
                bad = bool(node.nags & {chess.pgn.NAG_MISTAKE, chess.pgn.NAG_BLUNDER, chess.pgn.NAG_DUBIOUS_MOVE})
                counts["bad marks"] += bad
                if found == "":
                    continue
                counts["sentences"] += 1
                counts["prospects"] += bad and re.fullmatch(_PROSPECTS, sentence_of(node)) is not None
                counts["only a better move"] += bad and re.fullmatch(_BARE, sentence_of(node)) is not None
                if found:
                    wrong.append(found)
    return counts, wrong


def main() -> None:
    """Check files and print what is wrong and the totals."""
    parser = argparse.ArgumentParser()
    parser.add_argument("games", type=Path, nargs="+")
    total, all_wrong = Counter[str](), []
    for path in parser.parse_args().games:
        counts, wrong = check_file(path)
        total += counts
        all_wrong += wrong
    print("\n".join(all_wrong))
    print(f"{total['sentences']} sentences, {len(all_wrong)} wrong; {total['bad marks']} bad marks, "
          f"{total['bad marks'] - total['only a better move']} with a reason, {total['prospects']} more with what has "
          "become of the game")


if __name__ == "__main__":
    main()
