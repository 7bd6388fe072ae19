"""Moves judged near the fifty-move rule: every claim is tried out against all defences, by python-chess and Syzygy."""

from __future__ import annotations

import random
from collections import Counter

import chess
import chess.syzygy
import pytest

from engine.core.game import Game
from tablebase.files import TableKind
from tablebase.material import Ending, all_endings, parse_ending
from tablebase.random_positions import random_board
from tablebase.root_ranking import DRAWS, IS_MATED, LOSES, MATES, SPOILT_LOSS, SPOILT_WIN, WINS, RankedMove
from tablebase.tables import OwnTables
from tests.positions import DATA

SYZYGY = DATA / "endgame" / "syzygy"
ENDINGS = [*all_endings(3), *all_endings(4)]
FULL = 100  # plies
WON, LOST, DRAWN = {MATES, WINS}, {IS_MATED, LOSES}, {SPOILT_WIN, DRAWS, SPOILT_LOSS}
needs_syzygy = pytest.mark.skipif(not SYZYGY.is_dir(), reason="needs Syzygy tables")


@pytest.fixture(scope="module")
def tables() -> OwnTables:
    return OwnTables()


@pytest.fixture(scope="module")
def judge():
    with chess.syzygy.open_tablebase(str(SYZYGY)) as opened:
        yield opened


def fates_of(tables: OwnTables, game: Game) -> list[RankedMove]:
    tables.load_for(game.position, *TableKind)
    fates = tables.ranked_moves(game.position)
    assert fates is not None
    return fates


def result_of(fates: list[RankedMove]) -> int:
    """1, 0 or -1 for the side to move; every grade is a certain one where all mates fit into fifty moves."""
    assert fates[0].outcome_class in WON | DRAWN | LOST
    return (fates[0].outcome_class in WON) - (fates[0].outcome_class in LOST)


def near_the_limit(ending: Ending, chance: random.Random, most_left: int) -> chess.Board:
    """A random position with moves, and so few plies left that all of them can be tried."""
    while True:
        board = random_board(ending, chance)
        board.halfmove_clock = FULL - chance.randint(1, most_left)
        if any(board.legal_moves) and board.ep_square is None:
            return board


class Minimax:
    """The true result with the fifty-move rule, by trying everything; only a counter at 0 is looked up, at Syzygy's."""

    def __init__(self, judge: chess.syzygy.Tablebase) -> None:
        self._judge = judge
        self._known: dict[tuple[object, int], int] = {}

    def value(self, board: chess.Board) -> int:
        if board.is_checkmate():
            return -1
        if board.halfmove_clock >= FULL or board.is_stalemate() or board.is_insufficient_material():
            return 0
        if board.halfmove_clock == 0:
            wdl = self._judge.probe_wdl(board)
            assert abs(wdl) != 1  # no win with four men takes more than fifty moves
            return (wdl > 0) - (wdl < 0)
        key = (board._transposition_key(), board.halfmove_clock)
        if key not in self._known:
            self._known[key] = self._best(board)
        return self._known[key]

    def _best(self, board: chess.Board) -> int:
        best = -1
        for move in board.legal_moves:
            best = max(best, self.after(board, move))
            if best == 1:
                break
        return best

    def after(self, board: chess.Board, move: chess.Move) -> int:
        board.push(move)
        value = -self.value(board)
        board.pop()
        return value


def assert_judged_truly(tables: OwnTables, truth: Minimax, board: chess.Board) -> None:
    game = Game(board.fen())
    fates = fates_of(tables, game)
    assert result_of(fates) == truth.value(board), board.fen()
    for fate in fates:
        value = truth.after(board, chess.Move.from_uci(game.uci(fate.move)))
        assert (fate.outcome_class in WON) - (fate.outcome_class in LOST) == value, (board.fen(), game.uci(fate.move))


@needs_syzygy
@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.name)
def test_every_move_near_the_limit_is_judged_as_trying_everything_does(tables, judge, ending):
    chance, truth = random.Random(ending.name), Minimax(judge)
    for _ in range(5):
        assert_judged_truly(tables, truth, near_the_limit(ending, chance, 3))


@pytest.mark.slow
@needs_syzygy
@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.name)
def test_many_more_positions_a_little_farther_from_the_limit(tables, judge, ending):
    chance = random.Random(ending.name)
    for _ in range(20):
        assert_judged_truly(tables, Minimax(judge), near_the_limit(ending, chance, 4))


@needs_syzygy
def test_results_agree_with_syzygys_distances_at_any_counter(tables, judge):
    """Syzygy rounds distances to whole moves in some tables: exactly at the limit it cannot tell."""
    chance, seen = random.Random(11), Counter[str]()
    for _ in range(1500):
        board = random_board(chance.choice(ENDINGS), chance)
        board.halfmove_clock = chance.randrange(FULL)
        distance = judge.probe_dtz(board)
        if board.is_game_over() or board.ep_square is not None or board.halfmove_clock + abs(distance) == FULL:
            continue
        sign = (distance > 0) - (distance < 0)
        expected = sign if board.halfmove_clock + abs(distance) < FULL else 0
        assert result_of(fates_of(tables, Game(board.fen()))) == expected, (board.fen(), distance)
        seen["spoilt" if expected != sign else str(expected)] += 1
    assert min(seen[kind] for kind in ("spoilt", "1", "0", "-1")) > 50, seen


@pytest.mark.parametrize(("fen", "moves"), [
    ("8/K7/8/8/8/1k6/8/3q3B b - - 95 100", {"d1h1"}), ("7q/1N6/8/2k5/8/8/8/4K3 b - - 94 100", {"c5d5", "c5b4", "c5b6"}),
    ("8/8/1k6/6p1/K7/8/7R/8 w - - 96 100", {"h2g2", "h2h5"})])
def test_wins_that_a_longer_defence_would_spoil(tables, fen, moves):
    """The line of the longest defence runs into a capture or a pawn's move; another defence avoids it."""
    game = Game(fen)
    fates = fates_of(tables, game)
    best = fates[0].outcome_class
    assert best in WON and {game.uci(fate.move) for fate in fates if fate.outcome_class == best} == moves
    # quicker by the pieces
    assert any(fate.outcome_class == SPOILT_WIN and fate.code <= fates[0].code for fate in fates)


def test_a_mate_is_announced_only_if_no_defence_can_delay_it_beyond_the_limit(tables):
    for counter, grade in ((80, MATES), (81, MATES), (82, SPOILT_WIN), (99, SPOILT_WIN)):
        fates = fates_of(tables, Game(f"8/8/8/5k2/8/8/1Q6/K7 w - - {counter} 120"))  # mate in 19 plies, no capture
        assert fates[0].outcome_class == grade
    pawn = fates_of(tables, Game("8/8/8/1k6/8/8/K5P1/8 w - - 60 80"))  # mate in 55 plies; the pawn moves before
    assert pawn[0].outcome_class in WON


def test_a_counter_that_is_full_leaves_mates_and_new_beginnings(tables):
    """A game that nobody has claimed to be drawn goes on: only a capture, a pawn's move or a mate can still win it."""
    game = Game("8/8/8/8/8/k1K5/7p/1R6 w - - 130 150")
    assert [game.uci(fate.move) for fate in fates_of(tables, game) if fate.outcome_class in WON] == ["b1a1"]
    game = Game("8/P7/8/8/8/8/k7/2K5 w - - 130 150")
    assert {game.uci(fate.move) for fate in fates_of(tables, game) if fate.outcome_class in WON} == {"a7a8q", "a7a8r"}


def test_the_line_of_a_win_is_legal_and_ends_in_mate_before_the_counter_is_full(tables):
    chance = random.Random(5)
    for name in ("KQvKR", "KRvKN", "KPvKP", "KQvKP", "KBPvK"):
        for _ in range(8):
            board = random_board(parse_ending(name), chance)
            board.halfmove_clock = chance.randrange(60, FULL)
            game = Game(board.fen())
            if not list(board.legal_moves) or board.ep_square is not None:
                continue
            fates = fates_of(tables, game)
            line = tables.line(game.position, fates[0].move, 200)
            for move in line:
                board.push_uci(game.uci(move))
                game.push_uci(game.uci(move))
            assert board.halfmove_clock <= FULL
            if fates[0].outcome_class in WON | LOST:
                assert board.is_checkmate(), board.fen()
            if fates[0].outcome_class in (MATES, IS_MATED):
                assert len(line) == fates[0].code


def test_a_position_for_the_third_time_is_a_draw_for_either_side(tables):
    start = "8/8/8/8/8/2k5/8/KR6 w - - 0 1"
    circle = ["b1b2", "c3d3", "b2b1", "d3c3"]
    game = Game(start, moves=[*circle, *circle])
    by_move = {game.uci(fate.move): fate for fate in fates_of(tables, game)}
    assert by_move["b1b2"].outcome_class == SPOILT_WIN  # there twice already
    assert fates_of(tables, game)[0].outcome_class in WON
    game = Game(start, moves=[*circle, *circle, "b1b2"])
    by_move = {game.uci(fate.move): fate for fate in fates_of(tables, game)}
    assert by_move["c3d3"].outcome_class == SPOILT_LOSS and result_of(fates_of(tables, game)) == 0


@pytest.mark.slow
@needs_syzygy
@pytest.mark.parametrize("ending", [ending for ending in ENDINGS if ending.has_pawns or ending.black],
                         ids=lambda ending: ending.name)
def test_wins_near_the_limit_are_won_against_any_defence(tables, judge, ending):
    """The best move of every position, against replies at random, to the mate or the draw that was foretold."""
    chance = random.Random(ending.name)
    for _ in range(40):
        board = random_board(ending, chance)
        board.halfmove_clock = chance.randrange(40, FULL)
        if board.is_game_over() or board.ep_square is not None:
            continue
        winner, expected = board.turn, result_of(fates_of(tables, Game(board.fen())))
        if expected != 1:
            continue
        start, game = board.copy(), Game(board.fen())
        while not board.is_game_over(claim_draw=False) and board.halfmove_clock < FULL:
            if board.turn == winner:
                fates = fates_of(tables, game)
                assert fates[0].outcome_class in WON, (start.fen(), board.fen())
                text = game.uci(fates[0].move)
            else:
                text = chance.choice(list(board.legal_moves)).uci()
            board.push_uci(text)
            game.push_uci(text)
        assert board.is_checkmate() and board.turn != winner, (start.fen(), board.fen())
