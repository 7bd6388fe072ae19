"""Ranking near the fifty-move rule, compared with exhaustive search by python-chess and Syzygy tables."""

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
from tablebase.root_ranking import BLESSED_LOSS, CURSED_WIN, DRAWS, IS_MATED, LOSES, MATES, WINS, RankedMove
from tablebase.tables import OwnTables
from tests.positions import DATA

SYZYGY = DATA / "endgame" / "syzygy"
ENDINGS = [*all_endings(3), *all_endings(4)]
FULL = 100  # plies
WON, LOST, DRAWN = {MATES, WINS}, {IS_MATED, LOSES}, {CURSED_WIN, DRAWS, BLESSED_LOSS}
needs_syzygy = pytest.mark.skipif(not SYZYGY.is_dir(), reason="needs Syzygy tables")


@pytest.fixture(scope="module")
def tables() -> OwnTables:
    return OwnTables()


@pytest.fixture(scope="module")
def reference():
    with chess.syzygy.open_tablebase(str(SYZYGY)) as opened:
        yield opened


def ranked_moves_of(tables: OwnTables, game: Game) -> list[RankedMove]:
    tables.load_for(game.position, *TableKind)
    ranked = tables.ranked_moves(game.position)
    assert ranked is not None
    return ranked


def result_of(ranked: list[RankedMove]) -> int:
    """1, 0 or -1 for the side to move; every outcome class is certain where all mates fit into fifty moves."""
    assert ranked[0].outcome_class in WON | DRAWN | LOST
    return (ranked[0].outcome_class in WON) - (ranked[0].outcome_class in LOST)


def near_the_limit(ending: Ending, rng: random.Random, most_left: int) -> chess.Board:
    """A random position with moves, and so few plies left that all of them can be tried."""
    while True:
        board = random_board(ending, rng)
        board.halfmove_clock = FULL - rng.randint(1, most_left)
        if any(board.legal_moves) and board.ep_square is None:
            return board


class Minimax:
    """The true result with the fifty-move rule, by exhaustive search down to positions with rule50 at 0."""

    def __init__(self, reference: chess.syzygy.Tablebase) -> None:
        self._reference = reference
        self._known: dict[tuple[object, int], int] = {}

    def value(self, board: chess.Board) -> int:
        if board.is_checkmate():
            return -1
        if board.halfmove_clock >= FULL or board.is_stalemate() or board.is_insufficient_material():
            return 0
        if board.halfmove_clock == 0:
            wdl = self._reference.probe_wdl(board)
            assert abs(wdl) != 1  # no win with four pieces takes more than fifty moves
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


def assert_ranked_correctly(tables: OwnTables, truth: Minimax, board: chess.Board) -> None:
    game = Game(board.fen())
    ranked = ranked_moves_of(tables, game)
    assert result_of(ranked) == truth.value(board), board.fen()
    for entry in ranked:
        value = truth.after(board, chess.Move.from_uci(game.uci(entry.move)))
        assert (entry.outcome_class in WON) - (entry.outcome_class in LOST) == value, (
            board.fen(), game.uci(entry.move))


@needs_syzygy
@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.name)
def test_every_move_near_the_limit_is_ranked_as_by_exhaustive_search(tables, reference, ending):
    rng, truth = random.Random(ending.name), Minimax(reference)
    for _ in range(5):
        assert_ranked_correctly(tables, truth, near_the_limit(ending, rng, 3))


@pytest.mark.slow
@needs_syzygy
@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.name)
def test_many_more_positions_a_little_farther_from_the_limit(tables, reference, ending):
    rng = random.Random(ending.name)
    for _ in range(20):
        assert_ranked_correctly(tables, Minimax(reference), near_the_limit(ending, rng, 4))


@needs_syzygy
def test_results_agree_with_syzygy_at_any_rule50(tables, reference):
    """Syzygy rounds distances to whole moves in some tables: exactly at the limit it cannot tell."""
    rng, seen = random.Random(11), Counter[str]()
    for _ in range(1500):
        board = random_board(rng.choice(ENDINGS), rng)
        board.halfmove_clock = rng.randrange(FULL)
        distance = reference.probe_dtz(board)
        if board.is_game_over() or board.ep_square is not None or board.halfmove_clock + abs(distance) == FULL:
            continue
        sign = (distance > 0) - (distance < 0)
        expected = sign if board.halfmove_clock + abs(distance) < FULL else 0
        assert result_of(ranked_moves_of(tables, Game(board.fen()))) == expected, (board.fen(), distance)
        seen["spoilt" if expected != sign else str(expected)] += 1
    assert min(seen[table_kind] for table_kind in ("spoilt", "1", "0", "-1")) > 50, seen


@pytest.mark.parametrize(("fen", "moves"), [
    ("8/K7/8/8/8/1k6/8/3q3B b - - 95 100", {"d1h1"}), ("7q/1N6/8/2k5/8/8/8/4K3 b - - 94 100", {"c5d5", "c5b4", "c5b6"}),
    ("8/8/1k6/6p1/K7/8/7R/8 w - - 96 100", {"h2g2", "h2h5"})])
def test_wins_that_a_longer_defence_turns_into_draws(tables, fen, moves):
    """The line of the longest defence runs into a capture or a pawn's move; another defence avoids it."""
    game = Game(fen)
    ranked = ranked_moves_of(tables, game)
    best = ranked[0].outcome_class
    assert best in WON and {game.uci(entry.move) for entry in ranked if entry.outcome_class == best} == moves
    # quicker by the pieces
    assert any(entry.outcome_class == CURSED_WIN and entry.code <= ranked[0].code for entry in ranked)


def test_a_mate_is_announced_only_if_no_defence_can_delay_it_beyond_the_limit(tables):
    for rule50, outcome_class in ((80, MATES), (81, MATES), (82, CURSED_WIN), (99, CURSED_WIN)):
        game = Game(f"8/8/8/5k2/8/8/1Q6/K7 w - - {rule50} 120")  # mate in 19 plies, no capture
        ranked = ranked_moves_of(tables, game)
        assert ranked[0].outcome_class == outcome_class
    pawn = ranked_moves_of(tables, Game("8/8/8/1k6/8/8/K5P1/8 w - - 60 80"))  # mate in 55 plies; the pawn moves before
    assert pawn[0].outcome_class in WON


def test_at_the_limit_only_mates_and_zeroing_moves_win(tables):
    """A game continues until a draw is claimed: only a capture, a pawn's move or a mate can still win it."""
    game = Game("8/8/8/8/8/k1K5/7p/1R6 w - - 130 150")
    assert [game.uci(entry.move) for entry in ranked_moves_of(tables, game) if entry.outcome_class in WON] == ["b1a1"]
    game = Game("8/P7/8/8/8/8/k7/2K5 w - - 130 150")
    wins = {game.uci(entry.move) for entry in ranked_moves_of(tables, game) if entry.outcome_class in WON}
    assert wins == {"a7a8q", "a7a8r"}


def test_the_line_of_a_win_is_legal_and_mates_within_fifty_moves(tables):
    rng = random.Random(5)
    for name in ("KQvKR", "KRvKN", "KPvKP", "KQvKP", "KBPvK"):
        for _ in range(8):
            board = random_board(parse_ending(name), rng)
            board.halfmove_clock = rng.randrange(60, FULL)
            game = Game(board.fen())
            if not list(board.legal_moves) or board.ep_square is not None:
                continue
            ranked = ranked_moves_of(tables, game)
            line = tables.line(game.position, ranked[0].move, 200)
            for move in line:
                board.push_uci(game.uci(move))
                game.push_uci(game.uci(move))
            assert board.halfmove_clock <= FULL
            if ranked[0].outcome_class in WON | LOST:
                assert board.is_checkmate(), board.fen()
            if ranked[0].outcome_class in (MATES, IS_MATED):
                assert len(line) == ranked[0].code


def test_a_position_for_the_third_time_is_a_draw_for_either_side(tables):
    start = "8/8/8/8/8/2k5/8/KR6 w - - 0 1"
    circle = ["b1b2", "c3d3", "b2b1", "d3c3"]
    game = Game(start, moves=[*circle, *circle])
    by_move = {game.uci(entry.move): entry for entry in ranked_moves_of(tables, game)}
    assert by_move["b1b2"].outcome_class == CURSED_WIN  # there twice already
    assert ranked_moves_of(tables, game)[0].outcome_class in WON
    game = Game(start, moves=[*circle, *circle, "b1b2"])
    by_move = {game.uci(entry.move): entry for entry in ranked_moves_of(tables, game)}
    assert by_move["c3d3"].outcome_class == BLESSED_LOSS and result_of(ranked_moves_of(tables, game)) == 0


@pytest.mark.slow
@needs_syzygy
@pytest.mark.parametrize("ending", [ending for ending in ENDINGS if ending.has_pawns or ending.black],
                         ids=lambda ending: ending.name)
def test_wins_near_the_limit_are_won_against_any_defence(tables, reference, ending):
    """The best move of every position, against replies at random, to the mate or the draw that was foretold."""
    rng = random.Random(ending.name)
    for _ in range(40):
        board = random_board(ending, rng)
        board.halfmove_clock = rng.randrange(40, FULL)
        if board.is_game_over() or board.ep_square is not None:
            continue
        winner, expected = board.turn, result_of(ranked_moves_of(tables, Game(board.fen())))
        if expected != 1:
            continue
        start, game = board.copy(), Game(board.fen())
        while not board.is_game_over(claim_draw=False) and board.halfmove_clock < FULL:
            if board.turn == winner:
                ranked = ranked_moves_of(tables, game)
                assert ranked[0].outcome_class in WON, (start.fen(), board.fen())
                text = game.uci(ranked[0].move)
            else:
                text = rng.choice(list(board.legal_moves)).uci()
            board.push_uci(text)
            game.push_uci(text)
        assert board.is_checkmate() and board.turn != winner, (start.fen(), board.fen())
