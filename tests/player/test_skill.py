"""Playing below full strength: levels in order, mistakes that a person might make, and mates at every level."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise

import chess
import pytest

from engine.humanlike.searcher import Attention
from engine.player.options import Settings, find_option
from engine.player.player import Player
from engine.player.request import GoRequest, SearchSignals
from engine.player.skill import (
    HIGHEST,
    HUMANLIKE_LEVELS,
    LOWEST,
    SEARCH_LEVELS,
    SkillLevel,
    book_habits,
    pick_weakened_move,
    searching_share,
    seen_loss,
    skill_level,
    skill_limits,
    strength_today,
)
from engine.search.scores import MATE
from engine.search.types import Info, InfoString, Limits, no_report
from eval.human_curve import human_expected

QUIET = ("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
         "r1bqkb1r/1ppp1ppp/p1n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 w kq - 0 5",
         "rnbqk2r/ppp2ppp/4pn2/3p4/1bPP4/2N2N2/PP2PPPP/R1BQKB1R w KQkq - 2 5",
         "r2q1rk1/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/2NP1N2/PPP2PPP/R2Q1RK1 w - - 4 8")
LOOKS, SEARCHES = 1.0, 0.0  # rolls that decide what a level between looking and searching does
VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}


def limited_player(elo: int, seed: int = 1) -> Player:
    settings = Settings()
    settings.set(find_option("UCI_LimitStrength"), "true")
    settings.set(find_option("UCI_Elo"), str(elo))
    player = Player(settings)
    player._limited.rng = random.Random(seed)
    return player


def info(score: int, move: int = 1) -> Info:
    return Info(5, 5, 1, score, 0, 0.0, 0, (move,))


def test_the_option_offers_what_the_levels_cover():
    option = find_option("UCI_Elo")
    assert (option.low, option.high) == (LOWEST, HIGHEST) == (400, 2800)


def test_levels_rise_in_everything():
    for low, high in pairwise(range(LOWEST, int(HUMANLIKE_LEVELS[-1].elo), 50)):
        weaker, stronger = skill_level(low, roll=LOOKS), skill_level(high, roll=LOOKS)
        assert weaker.blindness > stronger.blindness > 0 and weaker.knowledge <= stronger.knowledge
        assert weaker.chain <= stronger.chain and weaker.depth <= stronger.depth
        assert weaker.temperature > stronger.temperature and weaker.largest_loss > stronger.largest_loss
        assert weaker.carelessness > stronger.carelessness and weaker.eagerness >= stronger.eagerness
    for low, high in pairwise(range(int(SEARCH_LEVELS[0].elo) + 50, HIGHEST + 1, 50)):
        weaker, stronger = skill_level(low, roll=SEARCHES), skill_level(high, roll=SEARCHES)
        assert weaker.nodes < stronger.nodes and weaker.depth <= stronger.depth
        assert weaker.temperature > stronger.temperature and weaker.largest_loss > stronger.largest_loss
        assert weaker.habit > stronger.habit
    for rows, roll in ((HUMANLIKE_LEVELS[:-1], LOOKS), (SEARCH_LEVELS[1:], SEARCHES)):
        for level in rows:
            for field in fields(level):
                found = getattr(skill_level(int(level.elo), roll=roll), field.name)
                assert found == pytest.approx(getattr(level, field.name))


def test_looking_becomes_searching_little_by_little():
    low, high = int(SEARCH_LEVELS[0].elo), int(HUMANLIKE_LEVELS[-1].elo)
    assert [searching_share(elo) for elo in (LOWEST, low, high, HIGHEST)] == [0, 0, 1, 1]
    for elo in range(low, high, 20):
        rolls = [(number + 0.5) / 1000 for number in range(1000)]
        searched = sum(skill_level(elo, roll=roll).vision is None for roll in rolls) / 1000
        assert searched == pytest.approx((elo - low) / (high - low), abs=0.002)


def test_levels_have_good_and_bad_days_but_play_at_their_strength_on_average():
    for elo in range(LOWEST, HIGHEST + 1, 100):
        assert strength_today(elo, 0.0) == elo
        bad, good = strength_today(elo, -2.0), strength_today(elo, 2.0)
        assert LOWEST <= bad <= elo <= good <= HIGHEST and good - elo == elo - bad
    assert strength_today(1000, -2.0) == 1000 and strength_today(2000, -2.0) < 1900


def test_a_day_lasts_a_game():
    player = limited_player(2400)
    days = []
    for _ in range(300):
        player.new_game()
        first, second = (player._limited.draw_level(player.game) for _ in range(2))
        assert first is not None and second is not None and first.elo == pytest.approx(second.elo)
        days.append(first.elo)
    assert len(set(days)) > 100 and sum(days) / 300 == pytest.approx(2400, abs=40)


def test_stronger_levels_know_more_of_the_book_and_rarer_moves():
    for low, high in pairwise(range(LOWEST, HIGHEST + 1, 50)):
        weaker, stronger = book_habits(low), book_habits(high)
        assert weaker.moves < stronger.moves and weaker.power >= stronger.power >= 1
        assert weaker.least_share >= stronger.least_share and weaker.king_pawn >= stronger.king_pawn >= 1


def test_a_level_never_sees_more_than_was_asked_for():
    assert skill_limits(Limits(nodes=5, depth=1), skill_level(2800)).nodes == 5
    assert skill_limits(Limits(nodes=5, depth=1), skill_level(2800)).depth == 1
    assert skill_limits(Limits(), SEARCH_LEVELS[1]).nodes == SEARCH_LEVELS[1].nodes


def test_the_better_a_move_the_likelier_and_none_is_too_bad():
    level, generator = skill_level(1600), random.Random(1)
    lines = [info(50, 1), info(45, 2), info(30, 3), info(-150, 4)]  # the last one loses more than the level overlooks
    chosen = [pick_weakened_move(lines, level, generator).pv[0] for _ in range(2000)]
    counts = [chosen.count(move) for move in (1, 2, 3, 4)]
    assert counts[0] > counts[1] > counts[2] > 50
    assert counts[3] == 0


def test_a_move_that_loses_more_than_the_level_overlooks_is_never_played():
    """However hot it is: all moves that are considered are then equally likely. 50 centipawns cost 0.062 here."""
    hot = SkillLevel(1500, 1000, 5, candidates=3, temperature=1e9, largest_loss=seen_loss(20, -30))
    for scores, played in (((20, -30, -31), {1, 2}), ((20, -30, -30, -30), {1, 2, 3})):
        lines, generator = [info(score, move) for move, score in enumerate(scores, start=1)], random.Random(1)
        assert {pick_weakened_move(lines, hot, generator).pv[0] for _ in range(200)} == played


@pytest.mark.parametrize("elo", [400, 1100, 1999])
def test_people_value_exactly_every_move_that_they_may_play(elo):
    """The score below which a move is only bounded loses more than the level would play."""
    level = skill_level(elo, roll=LOOKS)
    assert level.vision is not None and level.vision.largest_loss == level.largest_loss > 0
    for best in (-800, -100, 0, 40, 300, 990):
        least = Attention(level.largest_loss, frozenset()).least(best)
        assert least <= -30_000 or seen_loss(best, least) > level.largest_loss
        assert human_expected(best) - human_expected(least + 3) <= level.largest_loss


def test_won_positions_are_played_loosely_and_tense_ones_are_not():
    level = skill_level(1600)
    for best, is_played in ((0, False), (900, True)):
        lines = [info(best, 1), info(best - 200, 2)]
        played = {pick_weakened_move(lines, level, random.Random(seed)).pv[0] for seed in range(300)}
        assert (2 in played) == is_played


def test_habit_decides_between_moves_of_equal_score():
    """A move that comes to no person's mind is played only if a search prefers it."""
    lines, appeal = [info(10, 1), info(10, 2), info(10, 3)], {1: 0.1, 2: 0.6, 3: 0.0}
    for elo in (400, 1600, 2800):
        level, rng = skill_level(elo), random.Random(1)
        chosen = [pick_weakened_move(lines, level, rng, appeal).pv[0] for _ in range(3000)]
        assert chosen.count(2) / chosen.count(1) == pytest.approx(6**level.habit, rel=0.25)
        assert chosen.count(3) < chosen.count(1)


def test_a_piece_that_has_captured_is_taken_back():
    """1.e4 d5 2.exd5 Qxd5 3.Nc3 Qd8 4.Nf3 Bg4 5.h3 Bxf3: people take back."""
    moves = "e2e4 d7d5 e4d5 d8d5 b1c3 d5d8 g1f3 c8g4 h2h3 g4f3".split()
    for elo in (800, 1200, 1600):
        answers = []
        for seed in range(25):
            player = limited_player(elo, seed)
            player.new_game()
            player.set_position(None, moves)
            result = player.go(GoRequest(nodes=1_000_000), 0.0, SearchSignals(), no_report)
            answers.append(player.game.uci(result.move))
        assert set(answers) <= {"d1f3", "g2f3"}


def test_a_piece_is_taken_back_even_if_all_is_won_or_lost():
    """Where hardly anything matters, people still take back: after 1...Bxe8, and after 1.Rxe6."""
    for fen, move, back in (("2R1N3/5b2/5k1p/2B3p1/1P6/8/1P4PP/6K1 b - - 0 46", "f7e8", {"c8e8"}),
                            ("4r3/5k1p/R3n1p1/1P1B4/1P1K4/8/7P/8 w - - 0 46", "a6e6", {"e8e6", "f7e6"})):
        for elo in (800, 1400, 1800, 2200):
            for seed in range(8):
                player = limited_player(elo, seed)
                player.new_game()
                player.set_position(fen, [move])
                result = player.go(GoRequest(nodes=1_000_000), 0.0, SearchSignals(), no_report)
                assert player.game.uci(result.move) in back


def test_the_same_game_is_careless_in_the_same_way():
    """What comes to mind in a position, and what is overlooked, does not change until the next game."""
    player = limited_player(600)
    player.new_game()
    player.set_position(QUIET[3], [])
    seen = []
    for _ in range(2):
        reported: list[Info] = []
        player._settings.multipv = 100
        player.go(GoRequest(nodes=1_000_000), 0.0, SearchSignals(), reported.append)
        seen.append({line.pv[0] for line in reported})
    player.new_game()
    reported = []
    player.go(GoRequest(nodes=1_000_000), 0.0, SearchSignals(), reported.append)
    assert seen[0] == seen[1] != {line.pv[0] for line in reported}


def test_a_mate_that_is_seen_is_played():
    lines = [info(int(MATE) - 3, 1), info(900, 2)]
    assert all(pick_weakened_move(lines, skill_level(800), random.Random(seed)).pv[0] == 1 for seed in range(50))


@pytest.mark.parametrize("elo", [2000, 2200])
def test_no_piece_is_given_away(elo):
    """Quiet positions in which a piece stands attacked: after the reply that takes most, at most a pawn is lost."""
    assert max(losses(elo, QUIET, 8)) <= 1


@pytest.mark.parametrize(("elo", "least", "most"), [(400, 0.02, 0.35), (800, 0.0, 0.2), (1200, 0.0, 0.1)])
def test_pieces_are_dropped_now_and_then_but_not_as_by_chance(elo, least, most):
    """A random mover drops something in nearly half of its moves."""
    lost = losses(elo, QUIET, 30)
    assert least <= sum(loss >= 2 for loss in lost) / len(lost) <= most


def losses(elo: int, fens: Sequence[str], games: int) -> list[int]:
    """What each position costs in pawns by the move that a level plays and the capture after it, in so many games."""
    found = []
    for seed in range(games):
        player = limited_player(elo, seed)
        player.new_game()
        for fen in fens:
            player.set_position(fen, [])
            result = player.go(GoRequest(depth=None, nodes=1_000_000), 0.0, SearchSignals(), no_report)
            board = chess.Board(fen)
            move = board.parse_uci(player.game.uci(result.move))
            taken = VALUES[board.piece_type_at(move.to_square) or chess.KING]
            board.push(move)
            found.append(most_won(board) - taken)
    return found


def most_won(board: chess.Board) -> int:
    """The most material that the side to move wins by captures on one square."""
    squares = {move.to_square for move in board.generate_legal_captures()}
    return max((swap(board, square) for square in squares), default=0)


def swap(board: chess.Board, square: int) -> int:
    """What captures on `square` win, if either side may stop whenever it likes."""
    best = 0
    for move in board.generate_legal_captures(to_mask=chess.BB_SQUARES[square]):
        taken = VALUES[board.piece_type_at(square) or chess.PAWN]
        board.push(move)
        best = max(best, taken - swap(board, square))
        board.pop()
    return best


@pytest.mark.parametrize("elo", [400, 1600, 2800])
@pytest.mark.parametrize("fen", ["8/8/8/4k3/8/8/8/4K2Q w - - 0 1", "8/8/8/4k3/8/8/8/R3K3 w - - 0 1"])
def test_every_level_mates_a_bare_king(elo, fen):
    player, board, moves = limited_player(elo), chess.Board(fen), []
    while not board.is_game_over(claim_draw=True):
        player.set_position(fen, moves)
        if board.turn:
            result = player.go(GoRequest(nodes=1_000_000), 0.0, SearchSignals(), no_report)
            text = player.game.uci(result.move)
        else:  # towards the centre, as long as it can
            text = min(board.legal_moves, key=lambda move: chess.square_distance(move.to_square, chess.E4)).uci()
        moves.append(text)
        board.push_uci(text)
    assert board.is_checkmate()


def test_a_weak_player_does_not_always_play_the_same():
    for fen in (chess.STARTING_FEN, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"):
        moves = set()
        for seed in range(30):
            player = limited_player(800, seed)
            player.set_position(fen, [])
            moves.add(player.go(GoRequest(nodes=1_000_000), 0.0, SearchSignals(), no_report).move)
        assert len(moves) >= 3


def test_the_line_that_is_told_begins_with_the_move():
    player = limited_player(800)
    for seed in range(20):
        player._limited.rng = random.Random(seed)
        reports: list[Info | InfoString] = []
        result = player.go(GoRequest(nodes=100), 0.0, SearchSignals(), reports.append)
        lines = [line for line in reports if isinstance(line, Info)]
        assert [line.multipv for line in lines] == [1]
        assert lines[0].pv[0] == result.move
