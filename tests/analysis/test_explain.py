"""What `explain` says of all kinds of positions: true, in words, and in agreement with the score."""

from __future__ import annotations

import re
from dataclasses import replace

import chess
import pytest

import engine
from engine.analysis.boards import to_position
from engine.analysis.explain import MOST_REASONS, REST, settled_line
from engine.analysis.marks import Mark
from engine.analysis.move_verdicts import by_verification
from engine.analysis.reasons import reason_for
from engine.analysis.review import SearchEffort
from engine.analysis.themes import balance_words, material_words, position_points
from engine.analysis.verification import Candidate
from eval.explain import explain
from eval.weights import load_weights

# A position, and a move that is asked about.
QUESTIONS = (
    (chess.STARTING_FEN, "e4"),
    ("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 2 3", "Bxc6"),
    ("rnbqk2r/pppp1ppp/4pn2/8/1bPP4/2N5/PPQ1PPPP/R1B1KBNR b KQkq - 3 4", "Bxc3+"),
    ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Ra7"),
    ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Ra8#"),
    ("r2qkbnr/ppp2ppp/2np4/4p3/2B1P1b1/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 5", "Nxe5"),
    ("r1bq1rk1/pppn1ppp/4p3/3pP3/1b1P4/2NB1N2/PPP2PPP/R1BQK2R w KQ - 0 8", "Bxh7+"),
    ("r1bq1rk1/pp1nbppp/2p1pn2/3p2B1/2PP4/2NBPN2/PP3PPP/R2QK2R w KQ - 2 8", "O-O"),
    ("1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1", "Rd1+"),
    ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", "Kd5"),
    ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", "Kd6"),
    ("8/5P1k/8/6Kp/8/8/8/8 w - - 0 1", "f8=Q"),
    ("5n2/4P1pk/8/6KP/8/8/8/8 w - - 0 1", "exf8=N+"),
    ("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1", "Qf7"),
    ("rnbqkb1r/ppp1pppp/5n2/3p4/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3", "Qg4"),
    ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 4 4", "Nxh5"),
    ("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3", "g6"),
    ("r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 0 5", "Ke2"),
    ("r4rk1/1b2bppp/p2qpn2/1p6/3N4/1BN1P3/PP3PPP/2RQ1RK1 w - - 0 15", "Nxe6"),
    ("8/8/8/8/8/5k2/4p3/4K2R b - - 0 1", "Kg2"),
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", "Nf3"),
    ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "Kxe2"),
    ("5r1k/6pp/7N/8/2Q5/8/6PP/6K1 w - - 0 1", "Qg8+"),
    ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", None),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", None),
    ("8/8/4k3/8/8/3BK3/8/8 b - - 3 50", None),
    ("8/8/8/3k4/8/8/8/KBN5 w - - 0 1", None),
    ("8/5pk1/3b2p1/3P4/2B5/6P1/5PK1/8 w - - 0 1", None),
    ("6k1/5ppp/8/8/8/7q/5P1P/r4RK1 w - - 0 1", None),
    ("r1bqkb1r/1p3ppp/p1nppn2/8/3NPP2/2N1B3/PPP3PP/R2QKB1R b KQkq - 0 8", None),
    ("8/2k5/8/1P6/8/5K2/5p2/8 w - - 0 1", None),
)


@pytest.fixture(scope="module")
def adversary():
    with engine.Engine(hash=16) as made:
        yield made


def asked(adversary: engine.Engine, fen: str, san: str | None) -> engine.Explanation:
    board = chess.Board(fen, chess960="HF" in fen)
    adversary.clear()
    return adversary.explain(board, None if san is None else board.parse_san(san), nodes=20_000)


@pytest.mark.parametrize(("fen", "san"), [*((fen, None) for fen in {fen: 0 for fen, _ in QUESTIONS}),
                                          *((fen, san) for fen, san in QUESTIONS if san)])
def test_words_and_score_agree(adversary, fen, san):
    found = asked(adversary, fen, san)
    text = "\n".join(found.lines())
    assert text and "{" not in text and "material" not in text.replace("extra material", "")
    assert_agreement(found)
    if found.move_score is not None and found.best.lstrip("0123456789.").split()[0] == found.move:
        assert found.move_score == found.score, "the best move is as good as the position"


def assert_agreement(found: engine.Explanation) -> None:
    """Reasons add up to the score that is shown, and the first and most of them have its sign."""
    score = found.score if found.move_score is None else found.move_score
    if not found.best or score.mate is not None or abs(score.value) >= 15_000:
        assert not found.reasons and not found.facts, "all is said"
        return
    if not found.reasons:
        return
    rows = [reason.centipawns for reason in found.reasons]
    assert len(rows) <= MOST_REASONS + 1 and found.reasons[-1].words == REST
    assert sum(rows) == score.centipawns and rows[0] * score.value > 0
    favourable = sum(row for row in rows[:-1] if row * score.value > 0)
    against = sum(row for row in rows[:-1] if row * score.value < 0)
    assert abs(favourable) > abs(against) and abs(rows[-1]) <= abs(score.value) / 2


def test_the_fried_liver_is_explained_by_compensation(adversary):
    board = chess.Board()
    for san in "e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5 exd5 Nxd5 Nxf7 Kxf7 Qf3+ Ke6 Nc3".split():
        board.push_san(san)
    adversary.clear()
    text = "\n".join(adversary.explain(board, nodes=50_000).lines())
    assert re.search("White has given a knight( for a pawn)?. In return,", text)
    assert "Black's king is on e6, in the open, and cannot castle" in text and "The knight on d5 is pinned" in text


def test_a_move_is_explained_by_the_sentence_of_its_annotation(adversary):
    """The sentence after a move that was verified with as many nodes is the same, whatever was searched before."""
    board = chess.Board()
    moves = [board.push_san(san) for san in "e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 h6 Nxf7".split()][:8]
    candidate = Candidate(7, chess.STARTING_FEN, False, tuple(moves), SearchEffort(nodes=20_000), Mark.BLUNDER, None,
                          is_sharp=True)
    verified = candidate.run(adversary)
    start = chess.Board()
    for move in moves[:-1]:
        start.push(move)
    sentence = reason_for(by_verification(7, start, moves[-1], verified)).text
    assert sentence and adversary.explain(start, moves[-1], nodes=20_000).verdict == sentence
    adversary.explain(chess.Board(), nodes=20_000)
    assert adversary.explain(start, moves[-1], nodes=20_000).verdict == sentence


def test_the_mated_side_has_no_chances(adversary):
    found = asked(adversary, "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", None)
    assert found.score.wdl == (0, 0, 1000)
    assert list(found.lines()) == ["checkmate: Black has won"]


@pytest.mark.parametrize(("question", "line"), [
    (9, "gives up the win: the ending is drawn; there was a better move, #11 instead of +0.00: 1.Kd6"),
    (10, "Kd6: White mates in 11, the best move"),
    (11, "f8=Q: White mates in 3, as good as any"),
    (12, "exf8=N+?!: White wins by the endgame tables, misses mate in 2: 1.exf8=Q g6 2.hxg6#"),
    (13, "Qf7??: stalemate: Black has no move, the game is drawn"),
    (22, "Qg8+: White mates in 2, the best move"),
    (19, "all moves lose"),
])
def test_sentences(adversary, question, line):
    assert line in "\n".join(asked(adversary, *QUESTIONS[question]).lines())


@pytest.mark.parametrize(("before", "after", "words"), [
    ("4k3/8/8/3q4/8/8/8/3QK3 w - - 0 1", "4k3/8/8/3Q4/8/8/8/4K3 b - - 0 1", "wins a queen"),
    ("4k3/8/2n5/1B6/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "gives a bishop for a knight"),
    ("4k3/8/8/3q4/8/8/P7/3QK3 b - - 0 1", "4k3/8/8/8/8/8/P7/4K3 b - - 0 1", "trades a queen for a queen"),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "N3k3/8/8/8/8/8/8/4K3 b - - 0 1", "gets a knight for a pawn"),
    ("4k3/8/8/8/8/8/PPP5/4K3 w - - 0 1", "4k3/8/8/8/8/8/P7/4K3 b - - 0 1", "loses two pawns"),
])
def test_what_came_and_went(before, after, words):
    assert balance_words(chess.Board(before), chess.Board(after)) == words


@pytest.mark.parametrize(("fen", "better", "words"), [
    ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", 0, "White is a pawn up"),
    ("4k3/3r4/8/8/8/8/PP6/3NK3 w - - 0 1", 1, "Black has a rook for a knight and two pawns"),
    ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", 1, "White's extra material counts little"),
])
def test_who_has_more(fen, better, words):
    assert material_words(chess.Board(fen), better) == words


def test_a_line_settles_after_the_last_exchange():
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 2 3")
    line = tuple(map(chess.Move.from_uci, ("b5c6", "d7c6", "e1g1", "f7f6", "d2d4", "c8g4")))
    assert settled_line(board, line[2:3]) == (), "what is quiet already is settled"
    assert settled_line(board, ()) == ()
    board.push_uci("b5c6")
    assert settled_line(board, line[1:4]) == line[1:3], "the bishop is taken first, and e5 is protected then"


@pytest.mark.parametrize(("fen", "words"), [
    ("7k/8/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/B6K w - - 0 1", "White's bishop is badly placed"),
    ("b6k/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/8/7K b - - 0 1", "Black's bishop is badly placed"),
])
def test_pieces_that_one_side_lacks_are_not_compared(fen, words):
    """A side without bishops has no more active ones."""
    board = chess.Board(fen)
    points = position_points(explain(to_position(board), load_weights()), board)
    assert any(words in point.words for point in points)
    assert not any("active bishop" in point.words for point in points)


@pytest.mark.parametrize(("fen", "number"), [
    ("8/5p2/5p1p/5KPk/7p/7P/8/8 w - - 0 1", 4),  # the TT's line is three plies long
    ("1B2n3/8/2R5/5p2/3kp1n1/4p3/B3K3/8 w - - 0 1", 4),
    ("1Q6/6kp/3N4/1B1Pp3/R3P3/K4b2/1r6/2q5 w - - 0 1", 4),
])
def test_a_mate_that_is_announced_is_shown_to_the_end(adversary, fen, number):
    adversary.clear()
    found, board = adversary.explain(fen, nodes=100_000), chess.Board(fen)
    sans = re.sub(r"\d+\.+", "", found.best).split()
    for san in sans:
        board.push_san(san)
    assert found.score.mate == number and len(sans) == 2 * number - 1 and board.is_checkmate()
    assert f"(White mates in {number})" in next(found.lines())


def test_no_mate_is_announced_beside_a_line_that_does_not_end_with_it(adversary):
    found = adversary.explain("8/5p2/5p1p/5KPk/7p/7P/8/8 w - - 0 1", nodes=20_000)
    assert next(replace(found, best="1.g6 fxg6+").lines()) == "best: 1.g6 fxg6+ (White wins by force)"
