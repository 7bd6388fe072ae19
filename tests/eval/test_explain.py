"""Breakdowns: the terms sum to the score, the changes by a move to the difference, and the phrases fit."""

from __future__ import annotations

import chess
import pytest

from engine.core.fen import parse_fen
from engine.core.game import Game
from eval.evaluate import evaluate_entry
from eval.explain import PARTS_PER_CENTIPAWN, compare, explain, rounded_score
from eval.features import FEATURES
from eval.phrases import PHRASES, change_text, opened_files
from tests.eval.boards import game_fens, own_weights, random_weights

FENS = game_fens(30, 120)[:1200]


def white_score(fen, weights):
    pos = parse_fen(fen)
    score = int(evaluate_entry(pos, weights))
    return -score if pos.side else score


@pytest.mark.parametrize("weights", [own_weights(), random_weights()], ids=["own", "random"])
def test_terms_sum_exactly_to_the_evaluation(weights):
    assert len(FENS) >= 1000
    for fen in FENS:
        explanation = explain(parse_fen(fen), weights)
        assert rounded_score(explanation.terms) == rounded_score(explanation.present()), fen
        assert rounded_score(explanation.terms) == white_score(fen, weights), fen
        assert explanation.score == white_score(fen, weights), fen


def test_each_side_is_counted_for_itself():
    fen = "r1bqk2r/pp3ppp/8/8/8/8/PPP2PPP/R2QKB1R w KQkq - 0 1"
    terms = {term.feature.name: term for term in explain(parse_fen(fen), own_weights()).terms}
    board = chess.Board(fen)
    for color, share in ((chess.WHITE, terms["material"].white), (chess.BLACK, terms["material"].black)):
        assert share.counts == tuple(len(board.pieces(piece_type, color)) for piece_type in range(1, 6))
    assert terms["tempo"].white.count == 1 and terms["tempo"].black.count == 0
    mirrored = {term.feature.name: term for term in explain(parse_fen(board.mirror().fen()), own_weights()).terms}
    for name, term in terms.items():
        assert (term.white, term.black) == (mirrored[name].black, mirrored[name].white), name


def test_the_parts_of_a_move_sum_to_what_it_changes():
    for fen in FENS[::4]:
        game = Game(fen)
        mover = int(game.position.side)
        before = explain(game.position, own_weights())
        for move in game.legal_moves()[:6]:
            after = game.copy()
            after.push_uci(game.uci(move))
            later = explain(after.position, own_weights())
            comparison = compare(before, later, mover)
            whole = sum(term.parts for term in later.terms) - sum(term.parts for term in before.terms)
            parts = sum(change.parts for change in comparison.changes) + comparison.turn + comparison.phase
            assert parts == (-whole if mover else whole), (fen, game.uci(move))
            for change in comparison.changes:
                words = change_text(change, mover)
                assert "{" not in words
                if change.parts and words.startswith(("improves", "worsens")):
                    is_own_gain = words.startswith("improves") == (change.color == mover)
                    assert (change.parts > 0) == is_own_gain, words


def words_of(fen, move):
    game = Game(fen)
    after = game.copy()
    after.push_uci(move)
    mover = int(game.position.side)
    comparison = compare(explain(game.position, own_weights()), explain(after.position, own_weights()), mover)
    return {change_text(change, mover): change.parts / PARTS_PER_CENTIPAWN for change in comparison.changes}


@pytest.mark.parametrize(("fen", "move", "phrase", "sign"), [
    ("4k3/8/2n5/1B6/2B5/8/8/4K3 w - - 0 1", "b5c6", "takes a knight from the opponent", None),
    ("r3k3/pp6/8/1n6/8/2N5/PP6/R1B1KB2 b - - 0 1", "b5c3", "takes a knight from the opponent", 1),
    ("4k3/8/8/8/8/n7/2P5/1B2K1B1 b - - 0 1", "a3b1", "takes the bishop pair from the opponent", 1),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "gains a queen for a pawn", 1),
    ("4k3/8/8/2p5/3P4/2P5/8/4K3 w - - 0 1", "d4c5", "accepts a doubled pawn", -1),
    ("r3k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1e2", "gives up a castling right", None),
])
def test_changes_in_words(fen, move, phrase, sign):
    found = words_of(fen, move)
    assert phrase in found
    if sign is not None:
        assert found[phrase] * sign > 0


def test_the_bishop_pair_is_given_up():
    found = words_of("4k3/8/8/8/8/1p6/8/2B1KB2 w - - 0 1", "c1b2")
    assert not any("bishop pair" in words for words in found)
    game = Game("4k3/8/2p5/1B6/8/8/8/2B1K3 w - - 0 1")
    after = Game("4k3/8/2p5/8/8/8/8/2B1K3 w - - 0 1")
    comparison = compare(explain(game.position, own_weights()), explain(after.position, own_weights()), 0)
    assert {change_text(change, 0) for change in comparison.changes} >= {"gives up the bishop pair",
                                                                         "gives up a bishop"}


def test_files_that_open_next_to_a_king():
    before, after = Game("6k1/5pp1/7p/8/6n1/7P/5PP1/6K1 w - - 0 1"), Game("6k1/5pp1/7p/8/6P1/8/5PP1/6K1 b - - 0 1")
    assert opened_files(before.position, after.position, 0) == ["h"]
    assert opened_files(before.position, after.position, 1) == []


def test_every_feature_has_words():
    assert [feature.name for feature in FEATURES] == list(PHRASES)
