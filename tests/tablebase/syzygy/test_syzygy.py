"""Syzygy tables in the kernel, compared with python-chess on the same files."""

from __future__ import annotations

import random
import shutil
import time

import chess
import chess.syzygy
import pytest

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.game import Game
from engine.player.options import Settings, find_option
from engine.player.player import Player
from engine.player.request import GoRequest, SearchSignals
from engine.player.tb_root import TbRoot
from engine.search.scores import TB_BAND
from engine.search.tb import no_tb
from engine.search.types import Limits
from tablebase.files import TableKind
from tablebase.material import all_endings, parse_ending
from tablebase.random_positions import random_board
from tablebase.root_ranking import IS_MATED, LOSES, MATES, MAY_LOSE, MAY_WIN, WINS, RankedMove
from tablebase.syzygy.tables import SyzygyTables
from tablebase.tables import OwnTables
from tests.positions import DATA

SYZYGY = DATA / "endgame" / "syzygy"
pytestmark = pytest.mark.skipif(not SYZYGY.is_dir(), reason="needs Syzygy tables")
ENDINGS = [*all_endings(3), *all_endings(4)]


@pytest.fixture(scope="module")
def syzygy() -> SyzygyTables:
    return SyzygyTables([SYZYGY])


@pytest.fixture(scope="module")
def reference():
    with chess.syzygy.open_tablebase(str(SYZYGY)) as opened:
        yield opened


def syzygy_settings(path: str = str(SYZYGY)) -> Settings:
    settings = Settings()
    settings.set(find_option("OwnTables"), "false")
    settings.set(find_option("SyzygyPath"), path)
    return settings


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.name)
def test_the_kernel_reads_what_python_chess_reads(syzygy, reference, ending):
    rng = random.Random(ending.name)
    for _ in range(60):
        board = random_board(ending, rng)
        if not board.has_legal_en_passant():
            assert syzygy.value(Game(board.fen()).position) == reference.probe_wdl(board), board.fen()


def ranked_moves_of(syzygy: SyzygyTables, board: chess.Board, use_rule50: bool = True) -> dict[chess.Move, RankedMove]:
    game = Game(board.fen())
    syzygy.prepare(game.position)
    syzygy.wait()
    ranked = syzygy.ranked_moves(game.position, use_rule50)
    assert ranked is not None
    return {chess.Move.from_uci(game.uci(entry.move)): entry for entry in ranked}


def distance_by_python_chess(reference, board: chess.Board, move: chess.Move) -> int:
    """Signed for the side that moves; the move itself counts."""
    board.push(move)
    try:
        if board.is_checkmate():
            return 1
        if board.halfmove_clock == 0:
            return -chess.syzygy.dtz_before_zeroing(reference.probe_wdl(board))
        left = -reference.probe_dtz(board)
        return left + (left > 0) - (left < 0)
    finally:
        board.pop()


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.name)
def test_the_dtz_of_every_move_agrees_with_python_chess(syzygy, reference, ending):
    rng = random.Random(ending.name)
    for _ in range(12):
        board = random_board(ending, rng)
        ranked = ranked_moves_of(syzygy, board)
        assert set(ranked) == set(board.legal_moves)
        for move, entry in ranked.items():
            assert entry.code == distance_by_python_chess(reference, board, move), (board.fen(), move.uci())


@pytest.mark.parametrize("fen", ["8/8/8/8/k2pP3/8/8/K7 b - e3 0 1", "8/8/8/1k6/3Pp3/8/8/4K3 b - d3 0 1",
                                 "4k3/8/8/3pP3/8/8/8/2K5 w - d6 0 1", "8/8/8/8/k2p4/8/4P3/K7 w - - 5 1",
                                 "8/P7/8/8/8/8/k7/2K5 w - - 50 80"])
def test_dtz_with_en_passant_and_promotion(syzygy, reference, fen):
    board = chess.Board(fen)
    for move, entry in ranked_moves_of(syzygy, board).items():
        assert entry.code == distance_by_python_chess(reference, board, move), move.uci()


def test_near_the_limit_the_answer_wins_where_there_is_a_win(syzygy):
    """Compare each move with the engine's own tables, which are exact."""
    own, rng, wins = OwnTables(), random.Random(6), 0
    for _ in range(600):
        board = random_board(rng.choice(ENDINGS), rng)
        board.halfmove_clock = rng.randrange(40, 100)
        if board.ep_square is not None or not any(board.legal_moves):
            continue
        position = Game(board.fen()).position
        own.load_for(position, *TableKind)
        truth = {entry.move: entry.outcome_class for entry in own.ranked_moves(position) or ()}
        ranked = list(ranked_moves_of(syzygy, board).values())
        for entry in ranked:
            if entry.outcome_class not in (MAY_WIN, MAY_LOSE):
                is_won, is_lost = truth[entry.move] in (MATES, WINS), truth[entry.move] in (LOSES, IS_MATED)
                assert (entry.outcome_class in (MATES, WINS), entry.outcome_class == LOSES) == (is_won,
                                                                                              is_lost), board.fen()
        if max(truth.values()) in (MATES, WINS):
            wins += 1
            offered = [truth[entry.move] for entry in ranked if entry.rank == ranked[0].rank]
            assert any(result in (MATES, WINS) for result in offered), board.fen()
            assert ranked[0].outcome_class == MAY_WIN or all(result in (MATES, WINS) for result in offered), board.fen()
    assert wins > 100


def test_a_search_by_syzygy_tables_alone(syzygy):
    game = Game("8/8/3k4/3p4/8/3K4/3P4/7R b - - 0 1")
    syzygy.prepare(game.position)
    syzygy.wait()
    endings = no_tb()
    endings.syzygy_address, endings.syzygy_max_pieces, endings.syzygy_depth = syzygy.address, 4, 1
    endings.use_rule50, endings.max_pieces = 1, 4
    searcher = AlphaBetaSearch(megabytes=4)
    searcher.set_tb(endings)
    assert searcher.run(game.position, Limits(depth=9)).score <= -TB_BAND
    assert searcher.tb_hits > 0


def test_won_positions_are_won_and_drawn_ones_held():
    """Against the best defence by distance; own tables switched off, so that every step is Syzygy's."""
    settings = syzygy_settings()
    player = Player(settings)
    assert player.apply(find_option("SyzygyPath")) == "35 Syzygy tables with up to 4 pieces"
    reference = SyzygyTables([SYZYGY])
    for fen in ("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "8/3P4/KBk5/8/8/8/8/8 w - - 0 1", "8/8/8/8/2r5/8/2k5/K6Q w - - 0 1"):
        board = chess.Board(fen)
        moves: list[str] = []
        while not board.is_game_over(claim_draw=True) and len(moves) < 200:
            if len(moves) % 2 == 0:
                player.set_position(fen, moves)
                player.get_ready()
                result = player.go(GoRequest(depth=4), time.perf_counter(), SearchSignals(), lambda _: None)
                text = player.game.uci(result.move)
            else:
                ranked = ranked_moves_of(reference, board)
                text = min(ranked, key=lambda move: ranked[move].rank).uci()
            board.push_uci(text)
            moves.append(text)
        assert board.is_checkmate(), (fen, board.fen())


def test_a_cursed_position_is_drawn_only_if_the_rule_counts():
    """The winning side has used up its fifty moves: with the rule the win is gone, without it nothing has changed."""
    for rule, is_draw in (("true", True), ("false", False)):
        settings = syzygy_settings()
        settings.set(find_option("Syzygy50MoveRule"), rule)
        tb_root = TbRoot(settings)
        tb_root.apply_syzygy()
        game = Game("8/8/8/8/8/2k5/1R6/K7 w - - 95 90")  # the mate takes 31 plies
        tb_root.prefetch_for(game)
        tb_root.wait(None)
        verdict = tb_root.probe(game, 1, (), None)
        assert verdict is not None and verdict.is_draw is is_draw


@pytest.mark.parametrize(("name", "offset", "content"), [
    ("KQvKR", 2234, b"\xff" * 24), ("KPvKP", 19, b"\0" * 4), ("KPvKP", 19, b"\xff" * 2000)])
def test_damaged_bytes_never_cause_reads_beyond_the_file(tmp_path, name, offset, content):
    for path in SYZYGY.glob("K?vK.rtbw"):
        shutil.copy(path, tmp_path)
    damaged = bytearray((SYZYGY / f"{name}.rtbw").read_bytes())
    damaged[offset : offset + len(content)] = content
    (tmp_path / f"{name}.rtbw").write_bytes(damaged)
    syzygy, rng = SyzygyTables([tmp_path]), random.Random(2)
    for _ in range(300):
        board = random_board(parse_ending(name), rng)
        value = syzygy.value(Game(board.fen()).position)
        assert value is None or -2 <= value <= 2


@pytest.mark.parametrize("seed", range(6))
def test_random_damage_never_ends_the_process(tmp_path, seed):
    rng = random.Random(seed)
    for path in SYZYGY.iterdir():
        content = bytearray(path.read_bytes())
        for _ in range(30):
            content[rng.randrange(4, len(content))] = rng.randrange(256)
        (tmp_path / path.name).write_bytes(content)
    syzygy = SyzygyTables([tmp_path])
    for _ in range(400):
        position = Game(random_board(rng.choice(ENDINGS), rng).fen()).position
        value, ranked = syzygy.value(position), syzygy.ranked_moves(position, True)
        assert value is None or -2 <= value <= 2
        assert ranked is None or all(IS_MATED <= entry.outcome_class <= MATES for entry in ranked)


def test_swapped_colours_in_a_file_are_handled_or_refused(tmp_path):
    content = bytearray((SYZYGY / "KQvKR.rtbw").read_bytes())
    for offset in range(6, 10):
        content[offset] ^= 0x88
    (tmp_path / "KQvKR.rtbw").write_bytes(content)
    for path in SYZYGY.glob("K?vK.rtbw"):
        shutil.copy(path, tmp_path)
    assert SyzygyTables([tmp_path]).value(Game("8/8/8/8/2r5/8/2k5/K6Q w - - 0 1").position) in (None, -2, -1, 0, 1, 2)


def test_damaged_dtz_files_give_a_warning(tmp_path):
    for path in SYZYGY.glob("K?vK.rtb?"):
        shutil.copy(path, tmp_path)
    (tmp_path / "KRvK.rtbz").write_bytes((SYZYGY / "KRvK.rtbz").read_bytes()[:16])
    syzygy = SyzygyTables([tmp_path])
    position = Game("8/8/8/8/8/2k5/1R6/K7 w - - 0 1").position
    assert syzygy.value(position) == 2  # whose file is sound
    assert syzygy.ranked_moves(position, True) is None
    (warning,) = syzygy.take_warnings()
    assert "damaged" in warning


def test_without_dtz_no_win_is_lost(syzygy, tmp_path):
    for path in SYZYGY.glob("*.rtbw"):
        shutil.copy(path, tmp_path)
    settings = syzygy_settings(str(tmp_path))
    tb_root = TbRoot(settings)
    tb_root.apply_syzygy()
    game = Game("8/8/8/8/2r5/8/2k5/K6Q w - - 0 1")
    tb_root.prefetch_for(game)
    tb_root.wait(None)
    verdict = tb_root.probe(game, 1, (), 0.01)
    assert verdict is not None and verdict.unresolved_moves
    for move in verdict.unresolved_moves:
        after = game.copy()
        after.push_uci(game.uci(move))
        assert syzygy.value(after.position) == -2
