"""Praise, by its rules and by searches: what a move gives, and which of the moves that books praise are praised."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import chess
import pytest

import engine
from engine.analysis import move_verdicts, verification
from engine.analysis.marks import Mark
from engine.analysis.move_verdicts import classify_game
from engine.analysis.praise import gift_of, mark_of_gift
from engine.analysis.reasons import reason_for
from engine.analysis.results import Score
from engine.analysis.review import DEFAULT_HASH, PositionEval, SearchEffort
from engine.analysis.review_driver import GameReview, review_game
from engine.analysis.verification import Candidate, SecondLook, VerifiedMove, second_looks
from eval.wdl import Wdl

MOVE, OTHER = chess.Move.from_uci("e2e4"), chess.Move.from_uci("d2d4")
EVEN = Score(0, None, Wdl(0, 1000, 0), chess.WHITE)
EFFORT = SearchEffort(nodes=20_000, hash=DEFAULT_HASH)


@pytest.fixture(scope="module")
def adversary():
    with engine.Engine(hash=DEFAULT_HASH) as made:
        yield made


def moves_of(fen: str, sans: str) -> tuple[chess.Board, tuple[chess.Move, ...]]:
    board = chess.Board(fen)
    cursor = board.copy()
    return board, tuple(cursor.push_san(san) for san in sans.split())


@pytest.mark.parametrize(("fen", "line", "piece", "ply"), [
    # a queen that was attacked before, a knight for pawns, a rook that is taken three plies later, and nothing
    ("r3r1k1/pp3pbp/1qp3p1/2B5/2BP2b1/Q1n2N2/P4PPP/3R1K1R b - - 3 17", "Be6 Bxb6 Bxc4+ Kg1 Ne2+", chess.QUEEN, 1),
    ("rn2kb1r/p3qppp/2p2n2/1p2p1B1/2B1P3/1QN5/PPP2PPP/R3K2R w KQkq - 0 10", "Nxb5 cxb5 Bxb5+", chess.KNIGHT, 1),
    # a rook that nobody can take without losing the queen, and a knight that was trapped before
    ("7r/1R3p1p/6p1/1p6/2q5/5PP1/1Q1r3P/1K1k1B2 w - - 0 37", "Rd7 Rxd7 Bxc4 bxc4 Qxh8", chess.ROOK, 1),
    ("1r1qkb1r/p1n1pp1p/2pp2p1/8/3Pb1P1/NPQ2N1P/1n2PPB1/R4RK1 b k - 2 18", "Bd5 Qxb2 Bg7 Rfc1", None, 0),
    ("6k1/1r3ppp/8/8/8/7P/R5P1/R5K1 w - - 0 1", "Ra8+ Rb8 Rxb8#", None, 0),
    ("7k/6pp/8/8/8/8/1r4PP/R5RK w - - 0 1", "h3 Kg8 Rab1 Rxb1 Kh2 Rb2 Kg3", chess.ROOK, 3),
    ("7k/6pp/8/8/8/8/1r4PP/R5RK w - - 0 1", "h3 Kg8 Rab1 Rxb1 Rxb1", None, 0),
])
def test_what_a_move_gives(fen, line, piece, ply):
    board, moves = moves_of(fen, line)
    gift = gift_of(board, moves)
    assert (None if gift is None else gift.piece_type) == piece and (gift is None or gift.ply == ply)


@pytest.mark.parametrize(("fen", "san", "words"), [
    ("4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 16", "Qb8+",
     "sacrifices the queen and mates in 2: 16.Qb8+ Nxb8 17.Rd8#"),
    ("r3r1k1/pp3pbp/1qp3p1/2B5/2BP2b1/Q1n2N2/P4PPP/3R1K1R b - - 3 17", "Be6",
     "sacrifices the queen: 17...Be6 18.Bxb6 "),
    ("rnb1kb1r/pp3ppp/2p5/4q3/4n3/3Q4/PPPB1PPP/2KR1BNR w kq - 0 9", "Qd8+", "sacrifices the queen and mates in 3: "),
])
def test_a_sacrifice_that_is_hard_to_see_is_brilliant(adversary, fen, san, words):
    board = chess.Board(fen)
    move = board.parse_san(san)
    [verdict] = classify_game(board, [move], review_game(adversary, board, [move], EFFORT))
    assert verdict.mark is Mark.BRILLIANT and reason_for(verdict).text.startswith(words)


def test_a_sacrifice_is_named_where_it_is_taken(adversary):
    board, (move,) = moves_of("r2q1rk1/pp2ppbp/1np2np1/2Q3B1/3PP1b1/2N2N2/PP3PPP/3RKB1R b K - 6 11", "Na4")
    [verdict] = classify_game(board, [move], review_game(adversary, board, [move], SearchEffort()))
    assert reason_for(verdict).text.startswith("sacrifices the knight on a4: 11...Na4 12.Nxa4 ")


def test_of_a_combination_the_first_move_is_praised(adversary):
    """The knight's sacrifice is praised, the two moves that follow from it are not."""
    board, moves = moves_of("rn2kb1r/p3qppp/2p2n2/1p2p1B1/2B1P3/1QN5/PPP2PPP/R3K2R w KQkq - 0 10",
                            "Nxb5 cxb5 Bxb5+ Nbd7 O-O-O")
    verdicts = classify_game(board, moves, review_game(adversary, board, moves, EFFORT))
    assert [verdict.mark.text for verdict in verdicts[::2]] == ["!", "", ""]


@pytest.mark.parametrize(("given", "is_hard", "mark"), [
    (2, True, Mark.GOOD), (3, True, Mark.BRILLIANT), (9, False, Mark.GOOD), (9, True, Mark.BRILLIANT)])
def test_a_gift_is_brilliant_if_it_is_large_and_hard_to_see(given, is_hard, mark):
    assert mark_of_gift(given, is_hard) is mark


def test_of_many_praised_moves_the_most_telling_ones_stay_praised():
    """Three of each side: those that no other move comes near."""
    board = chess.Board()
    verdicts = [SimpleNamespace(board=board, mark=Mark.GOOD, ply=ply, praise=SimpleNamespace(gap=gap))
                for ply, gap in enumerate((0.3, 0.1, 0.4, 0.2, 0.5))]
    assert move_verdicts._too_much_praise(verdicts) == {1, 3}


def test_the_verdicts_on_a_game_agree_on_mates(monkeypatch):
    seen = []
    monkeypatch.setattr(move_verdicts, "with_agreeing_mates", lambda verdicts: seen.append(len(verdicts)) or [])
    review = GameReview([PositionEval(EVEN, (MOVE,)), PositionEval(replace(EVEN, side=chess.BLACK))], {})
    assert move_verdicts.classify_game(chess.Board(), [MOVE], review) == [] and seen == [1]


@pytest.mark.parametrize(("lost", "mark"), [(0.23, Mark.MISTAKE), (0.30, Mark.BLUNDER)])
def test_a_deeper_search_raises_a_mark_only_if_the_loss_is_clear(monkeypatch, lost, mark):
    shallow = VerifiedMove(Mark.MISTAKE, 0.21, EVEN, (OTHER,), EVEN, (MOVE,), None, 5, 100)
    monkeypatch.setattr(verification, "verify_move",
                        lambda *_: replace(shallow, mark=Mark.BLUNDER, lost=lost, nodes=400))
    candidate = Candidate(0, chess.STARTING_FEN, False, (MOVE,), SearchEffort(nodes=100), Mark.DUBIOUS, None)
    verified = SecondLook(candidate, shallow, SearchEffort(nodes=400)).run(SimpleNamespace(clear=lambda: None))
    assert verified.mark is mark and verified.nodes == 500


@pytest.mark.parametrize(("spent", "efforts"), [
    (4_000_000, [400_000, 400_000]),  # four times the nodes
    (16_250_000, [250_000, 250_000]),  # what is left, in equal parts
    (17_450_000, [300_000]),  # not enough for both: for the heavier mark
    (18_500_000, []),
])
def test_second_looks_keep_the_budget(spent, efforts):
    light = VerifiedMove(Mark.DUBIOUS, 0.09, EVEN, (OTHER,), EVEN, (MOVE,), None, 5, 0)
    verified = [light, replace(light, mark=Mark.BLUNDER, lost=0.23), replace(light, lost=0.11)]
    candidates = [Candidate(ply, chess.STARTING_FEN, False, (MOVE,), SearchEffort(nodes=100_000), mark, None)
                  for ply, mark in enumerate((Mark.NONE, Mark.MISTAKE, Mark.DUBIOUS))]
    evals = [PositionEval(EVEN, nodes=spent)] + 100 * [PositionEval(EVEN)]
    looks = second_looks(candidates, verified, evals, SearchEffort())
    assert [look.candidate.ply for look in looks] == [1, 0][: len(efforts)]
    assert [look.effort.nodes for look in looks] == efforts
    in_doubt = second_looks(candidates, verified, evals, SearchEffort(nodes=5))
    assert [look.effort.nodes for look in in_doubt] == [400_000, 400_000], "a given effort has no budget"


@pytest.mark.parametrize(("plies", "nodes", "sharp_nodes"), [(1000, 600_000, 2_400_000), (30, 36_206, 144_824),
                                                             (16, 30_000, 69_200), (10, 30_000, 60_000)])
def test_sharp_positions_take_what_the_budget_allows(plies, nodes, sharp_nodes):
    candidate = Candidate(0, chess.STARTING_FEN, False, (MOVE,), SearchEffort(), Mark.NONE, None)
    candidates = 5 * [candidate, replace(candidate, is_sharp=True)]
    efforts = verification._second_efforts(SearchEffort(), plies, 0, candidates)
    assert [effort.nodes for effort in efforts] == [nodes, sharp_nodes]
