"""Techniques that are off by default: each does what it says once its switch is on, and nothing before."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.history import update_tt_move_history
from engine.alphabeta.reductions import singular_extension
from engine.alphabeta.root_moves import init_root_entry
from engine.alphabeta.state import LOW_PLIES, ROOT_OFFSET
from engine.core.fen import parse_fen
from engine.core.game import Game
from tests.alphabeta.kernels import corrected, learn_cut, learn_error, learn_re_search, moves_by_picker

PLY = 6
FRAME = int(ROOT_OFFSET) + PLY
MIDDLE_GAME = "r1bqk2r/ppp2ppp/2np1n2/2b1p1B1/2B1P3/2NP1N2/PPP2PPP/R2QK2R w KQkq - 0 7"


def test_minor_pieces_and_kings_have_a_correction_of_their_own(state):
    """The other position has the same minor pieces and kings, but not one pawn or rook in common."""
    params = state.params
    params.use_material_scaling = params.correction_pawn = params.correction_non_pawn = 0
    params.correction_continuation = 0
    here, like, unlike = (parse_fen(fen) for fen in ("4k2r/5ppp/2n5/8/4B3/8/PP6/R3K3 w - - 0 1",
                                                     "r3k3/1pp5/2n5/8/4B3/8/5PPP/4K2R w - - 0 1",
                                                     "4k2r/5ppp/3n4/8/4B3/8/PP6/R3K3 w - - 0 1"))
    for is_on in (0, 1):
        params.use_minor_correction = is_on
        for _ in range(20):
            learn_error(here, state, PLY, 8, 100)
        assert [corrected(position, state, PLY, 10) > 10 for position in (here, like, unlike)] == [
            is_on, is_on, False]


def test_the_fourth_last_move_has_a_correction_of_its_own(state):
    params, before = state.params, state.stack["piece_to"]
    params.use_material_scaling = params.correction_pawn = params.correction_non_pawn = 0
    params.correction_continuation = 0
    position = parse_fen(MIDDLE_GAME)
    for is_on in (0, 1):
        params.use_fourth_correction = is_on
        before[FRAME - 4 : FRAME] = 300, 400, 500, 600
        for _ in range(20):
            learn_error(position, state, PLY, 8, 100)
        assert (corrected(position, state, PLY, 10) > 10) == is_on
        before[FRAME - 2] = 501
        assert (corrected(position, state, PLY, 10) > 10) == is_on
        before[FRAME - 4] = 301
        assert corrected(position, state, PLY, 10) == 10


def test_a_reliable_tt_move_is_extended_sooner(state):
    update_tt_move_history(state, 77, 77, False)
    assert state.tt_move_history[0] == 0
    state.params.use_tt_move_history = 1
    for best, is_extended in ((77, True), (78, False)):
        for _ in range(40):
            update_tt_move_history(state, 77, best, False)
        shortfall = state.params.double_margin + (-10 if is_extended else 10)
        assert singular_extension(state, PLY, False, shortfall) == 1 + is_extended
    before = int(state.tt_move_history[0])
    for tt_move, best, is_pv in ((0, 77, False), (77, 0, False), (77, 77, True)):
        update_tt_move_history(state, tt_move, best, is_pv)
    assert state.tt_move_history[0] == before


def picked(game: Game, state, ply: int = PLY) -> list[str]:
    out = np.zeros(256, np.int64)
    return [game.uci(move) for move in out[: moves_by_picker(game.position, state, ply, 0, out)].tolist()]


def move_called(game: Game, text: str) -> int:
    return next(move for move in game.legal_moves() if game.uci(move) == text)


def test_plies_near_the_root_have_a_history_of_one_search(state):
    game = Game(MIDDLE_GAME)
    move = move_called(game, "a2a4")
    for is_on, ply in ((0, 1), (1, LOW_PLIES), (1, 1)):
        state.params.use_low_ply_history = is_on
        learn_cut(game.position, state, ply, 9, move, 0, 0)
        assert state.low_ply_history.any() == (is_on and ply < LOW_PLIES)
    for name in ("quiet_history", "pawn_history", "stack", "counter_moves"):
        state[name][...] = 0
    state.low_ply_history[1, move & 0xFFF] = 4000
    assert picked(game, state, 1).index("a2a4") < picked(game, state, 2).index("a2a4")
    init_root_entry(game.position, state)
    assert not state.low_ply_history.any()


def test_a_re_search_teaches_the_continuation_history(state):
    state.stack["piece_to"][FRAME - 1 : FRAME + 1] = 600, 700
    learn_re_search(state, PLY, 6, 1, 0)
    assert not state.continuation_history.any()
    state.params.use_re_search_bonus = 1
    learn_re_search(state, PLY, 6, 0, 0)
    assert not state.continuation_history.any()
    learn_re_search(state, PLY, 6, 1, 0)
    bonus = min(6 * state.params.history_bonus, state.params.history_bonus_max)
    assert state.continuation_history[600, 700] == bonus // 2
    learn_re_search(state, PLY, 6, 1, 1)
    assert state.continuation_history[600, 700] <= 0
