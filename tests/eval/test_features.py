"""Each feature, against a second count in plain Python and on positions with obvious counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from eval.features import FEATURES
from tests.eval.boards import counts_of, game_fens, heaps, is_playable
from tests.eval.reference import count_features
from tests.positions import reference_board

COMPARED = [row for row in FEATURES if row.group != "mating"]  # those are tested with the endings

# Board (white to move), feature, white's count less black's; for a table the numbers that are not 0.
PLAIN: tuple[tuple[str, str, int | dict[int, int]], ...] = (
    ("4k3/8/8/8/8/2P5/2P5/4K3", "material", {0: 2}),
    ("4k3/8/8/8/8/2P5/2P5/4K3", "squares_pawn", {10: 1, 18: 1}),
    ("4k3/2q5/8/8/8/8/8/4K3", "squares_queen", {10: -1}),
    ("3k4/8/8/8/8/2P5/2P5/4K3", "squares_pawn", {74: 1, 82: 1}),  # the kings live on different wings
    ("4k3/8/8/8/8/2P5/2P5/3K4", "squares_pawn", {77: 1, 85: 1}),  # and here white's reads in a mirror
    ("4k3/8/8/8/3N4/8/8/4K3", "mobility_knight", {8: 1}),
    ("4k3/3p4/8/8/3N4/8/8/4K3", "mobility_knight", {6: 1}),  # not c6 and e6, which a pawn attacks
    ("k7/8/8/8/8/8/6P1/4K2B", "mobility_bishop", {0: 1}),
    ("4k3/8/8/8/8/8/4K3/R7", "mobility_rook", {14: 1}),
    ("4k3/8/8/8/8/8/8/Q3K3", "mobility_queen", {17: 1}),
    ("4k3/8/8/8/8/2P5/2P5/4K3", "doubled", 1),
    ("4k3/pp6/8/8/8/8/P7/4K3", "isolated", 1),
    ("4k3/pp6/8/8/8/8/P7/4K3", "isolated_open", 0),
    ("4k3/8/8/8/8/8/P7/4K3", "isolated_open", 1),
    ("4k3/8/8/5p2/3P4/4P3/8/4K3", "backward", 1),
    ("4k3/8/8/5p2/3P4/4P3/8/4K3", "backward_open", 1),
    ("4k3/4p3/8/5p2/3P4/4P3/8/4K3", "backward_open", 0),
    ("4k3/8/8/8/3PP3/8/8/4K3", "phalanx", {2: 2}),
    ("4k3/8/8/8/4P3/3P4/8/4K3", "supported", {2: 1}),
    ("4k3/8/8/4p3/4P3/8/8/4K3", "rammed", {}),  # both are, on their fourth ranks
    ("4k3/8/8/8/4p3/4P3/8/4K3", "rammed", {1: 1, 3: -1}),
    ("4k3/3p4/8/8/4PP2/8/8/4K3", "candidate", {2: 1}),
    ("4k3/3p4/8/8/4PP2/8/8/4K3", "passed", {2: 1}),
    ("4k3/8/8/8/3PP3/8/8/4K3", "passed_connected", {2: 2}),
    ("8/8/8/4k3/4P3/8/8/4K3", "passed_blocked", {2: 1}),
    ("8/8/8/8/4P3/8/k7/4K3", "passed_free_step", {2: 1}),
    ("8/8/8/8/4P3/8/k7/4K3", "passed_free_path", {2: 1}),
    ("8/3k4/8/8/4P3/8/8/4K3", "passed_free_path", {}),
    ("8/8/8/8/3KP3/8/8/k7", "passed_escorted", {2: 1}),
    ("8/8/8/8/4P3/8/k7/4RK2", "passed_escorted", {2: 1}),
    ("8/8/8/8/3KP3/8/8/k7", "passed_own_king", {17: 1}),  # fourth rank, one step
    ("8/8/8/8/3KP3/8/8/k7", "passed_enemy_king", {20: 1}),
    ("8/8/8/P7/8/8/7k/K7", "passed_unstoppable", 1),
    ("8/3k4/8/P7/8/8/8/K7", "passed_unstoppable", 0),
    ("6k1/8/8/8/8/8/7N/R3K3", "king_attacker", {}),
    ("6k1/8/8/8/8/8/8/R4QK1", "king_attacker", {3: 1}),
    ("6k1/5ppp/8/8/8/8/8/R5K1", "safe_check", {2: 1}),
    ("1n4k1/5ppp/8/1b6/8/8/8/5RK1", "safe_check", {}),
    ("6k1/8/8/8/8/8/5PPP/6K1", "shelter", {0: -1, 1: 1, 7: -1, 8: 1, 14: -1, 15: 1}),
    ("6k1/8/8/8/7p/8/6P1/6K1", "storm", {0: -1, 3: 1, 7: 1, 13: -1}),
    ("6k1/8/8/6p1/6P1/8/8/6K1", "storm_blocked", {}),
    ("6k1/8/8/8/6p1/6P1/8/6K1", "storm_blocked", {3: 1, 5: -1}),
    ("4k3/8/8/8/8/8/7p/4K3", "king_open_file", 0),
    ("4k3/8/8/8/8/8/7p/7K", "king_open_file", -1),
    ("4k3/8/8/8/8/8/7p/7K", "king_half_open_file", 1),
    ("4k3/p7/8/8/8/8/P7/4K3", "king_bare_wing", 0),
    ("k7/p7/8/8/8/8/P7/7K", "king_bare_wing", 1),
    ("k7/8/8/8/8/8/P7/7K", "king_nearest_pawn", {7: 1, 6: -1}),
    ("4k3/8/8/8/8/8/8/R3K2R w KQ", "castling_right", 2),
    ("4k3/8/8/3n4/4P3/8/8/4K3", "threat_by_pawn", {0: 1}),
    ("4k3/8/8/3n4/8/4P3/8/4K3", "threat_by_push", 1),
    ("4k3/8/8/3r4/8/4N3/8/4K3", "threat_by_minor", {3: 1}),
    ("4k3/8/8/8/3n3R/8/8/4K3", "threat_by_rook", {1: 1}),
    ("4k3/8/8/8/3n3R/8/8/4K3", "hanging", 1),
    ("4k3/8/8/8/8/8/3p4/4K3", "threat_by_king", 1),
    ("4k3/8/8/3q4/8/8/8/R3K3", "queen_chased", {2: 1}),  # on d1 the king helps; a5 and a2 the queen would take
    ("4k3/8/8/8/8/8/8/2B1KB2", "bishop_pair", 1),
    ("4k3/8/8/8/8/4B3/8/2B1K3", "bishop_pair", 0),
    ("4k3/8/8/8/8/8/6B1/4K3", "bishop_long_diagonal", 1),
    ("4k3/8/8/8/8/2P1P3/8/2B1K3", "bad_bishop", 2),
    ("4k3/8/8/8/4p3/2P1P3/8/2B1K3", "bad_bishop_blocked", 1),
    ("4k3/B1p5/1p6/8/8/8/8/4K3", "trapped_bishop", 1),
    ("4k3/8/8/8/8/1P6/b7/4K3", "trapped_bishop", -1),
    ("4k3/8/8/4N3/3P4/8/8/4K3", "outpost_knight", 1),
    ("4k3/5p2/8/4N3/3P4/8/8/4K3", "outpost_knight", 0),
    ("4k3/8/8/4B3/3P4/8/8/4K3", "outpost_bishop", 1),
    ("4k3/8/8/8/3P4/5N2/8/4K3", "outpost_reachable", 1),
    ("4k3/8/8/4P3/4N3/8/8/4K3", "minor_behind_pawn", 1),
    ("4k3/8/8/8/4N3/8/8/4K3", "king_distance_knight", 3),
    ("4k3/8/8/8/8/8/8/B3K3", "king_distance_bishop", 4),
    ("4k3/p7/8/8/8/8/P7/3RK3", "rook_open_file", 1),
    ("4k3/p2p4/8/8/8/8/P7/3RK3", "rook_half_open_file", 1),
    ("4k3/R7/8/8/8/8/8/4K3", "rook_on_seventh", 1),
    ("8/R7/4k3/8/8/8/8/4K3", "rook_on_seventh", 0),
    ("4k3/8/8/8/8/8/5PPP/5K1R", "trapped_rook", 1),
    ("4k3/8/8/8/8/8/5PPP/4K2R w K", "trapped_rook", 0),
    ("4k3/8/8/8/8/8/PPPPPPPP/1N2K3", "knight_per_pawn", 3),
    ("4k3/8/8/8/8/8/PPP5/1R2K3", "rook_per_pawn", -2),
    ("4k3/8/8/8/3PP3/8/8/4K3", "centre_control", 2),
    ("4k3/8/8/8/8/8/8/4K3", "space", 0),
    ("4k3/8/8/8/8/8/8/4K3", "tempo", 1),
)


def fen_of(board):
    return f"{board} - 0 1" if " " in board else f"{board} w - - 0 1"


def tables_of(fen):
    """[feature]: the counts that are not 0, by number."""
    return {name: {index: count for index, count in enumerate(np.atleast_1d(counts).tolist()) if count}
            for name, counts in counts_of(fen).items()}


def assert_counted_alike(fen):
    tables, expected = tables_of(fen), count_features(reference_board(fen))
    for row in COMPARED:
        wanted = {index: expected[row.name, index] for index in range(row.size) if expected[row.name, index]}
        assert tables[row.name] == wanted, f"{row.name} of {fen}"


def test_all_features_agree_with_the_reference_in_games():
    for fen in game_fens(30, 120)[::3]:
        assert_counted_alike(fen)


@settings(max_examples=200, deadline=None)
@given(heaps().filter(is_playable))
def test_all_features_agree_with_the_reference_in_heaps_of_pieces(fen):
    assert_counted_alike(fen)


@pytest.mark.parametrize(("board", "feature", "expected"), PLAIN)
def test_plain_positions(board, feature, expected):
    counted = tables_of(fen_of(board))[feature]
    assert counted == (expected if isinstance(expected, dict) else {0: expected} if expected else {})
    assert_counted_alike(fen_of(board))


def test_every_feature_occurs_in_these_tests():
    seen = set()
    for fen in (*game_fens(30, 120), *(fen_of(board) for board, _, _ in PLAIN)):
        seen.update(name for name, counts in tables_of(fen).items() if counts)
    assert {row.name for row in COMPARED} <= seen
