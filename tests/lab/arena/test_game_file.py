"""Files of training games: everything comes back, and damage is named, not spread."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.fen import START_FEN, parse_fen
from engine.core.game import Game
from engine.kernel import SOURCE_ROOT
from engine.lab.arena import executors, game_rows
from engine.lab.arena.configs import Config
from engine.lab.arena.game_file import DamagedFileError, GameFile, Games, pack_compact_block, read_games
from engine.lab.arena.game_rows import GAME_ROW, pack_position, unpack_position
from engine.lab.arena.match import PgnFile
from engine.lab.arena.played_on import PlayedOn, count_played_on
from engine.lab.arena.shards import in_order
from engine.lab.arena.training import TrainingShard
from engine.system.errors import InputError


@settings(deadline=None)  # the first example may have to compile
@given(st.integers(0, 959), st.integers(0, 2**32), st.integers(0, 60))
def test_positions_come_back(number, seed, plies):
    board, generator = chess.Board.from_chess960_pos(number), random.Random(seed)  # 518 is the usual start
    for _ in range(plies):
        if board.is_game_over():
            break
        board.push(generator.choice(list(board.legal_moves)))
    assert_same(board)


def assert_same(board: chess.Board) -> None:
    back = unpack_position(pack_position(parse_fen(board.fen(shredder=True), chess960=True)))
    assert back.board_fen() == board.board_fen()
    assert back.turn == board.turn
    assert back.clean_castling_rights() == board.clean_castling_rights()
    assert back.ep_square == (board.ep_square if board.has_legal_en_passant() else None)
    assert back.halfmove_clock == min(board.halfmove_clock, 255)


@pytest.fixture(scope="module")
def blocks() -> list[bytes]:
    return [TrainingShard(number, 3, 200, 9, Config())().content for number in range(3)]


@pytest.fixture
def path(blocks, tmp_path: Path) -> Path:
    made = tmp_path / "games.bin"
    made.write_bytes(b"".join(blocks))
    return made


def test_the_games_are_legal_and_end_as_they_say(path):
    games = 0
    for block in read_games(path):
        assert block.starts[-1] == block.positions == len(block.scores)
        for index, row in enumerate(block.rows):
            board = unpack_position(row)
            cursor = Game(board.fen(shredder=True), chess960=True)
            for move in block.moves[block.starts[index] : block.starts[index + 1]].tolist():
                text = cursor.uci(move)
                cursor.push_uci(text)
                board.push_uci(text)
            outcome = board.outcome(claim_draw=True)
            if outcome is not None:
                assert row["result"] == {True: 1, False: -1, None: 0}[outcome.winner]
            games += 1
    assert games == 9


def test_a_position_takes_few_bytes():
    block = TrainingShard(0, 20, 300, 1, Config())()
    assert len(block.content) / block.positions < 4.5


def test_compact_games_come_back(path, tmp_path):
    plain = list(read_games(path))
    compact = tmp_path / "compact.games"
    compact.write_bytes(b"".join(map(pack_compact_block, plain)))
    assert compact.stat().st_size < 0.6 * path.stat().st_size
    for before, after in zip(plain, read_games(compact), strict=True):
        assert np.array_equal(before.rows, after.rows) and np.array_equal(before.moves, after.moves)
        is_decided = np.abs(before.scores) > 3000
        assert np.array_equal(is_decided, np.abs(after.scores) > 3000)
        expected = [1 / (1 + np.exp(-games.scores[~is_decided] / 150)) for games in (before, after)]
        assert np.abs(expected[0] - expected[1]).max() < 0.005


def test_a_compact_game_ends_before_an_illegal_move(tmp_path):
    game, compact = Game(), tmp_path / "compact.games"
    row, move = pack_position(game.position), game.push_uci("e2e4")
    row["plies"] = 3
    scores = np.array([20, -3001, 3001], np.int16)
    games = Games(np.array([row]), np.array([0, 3]), np.array([move] * 3, np.uint16), scores)
    compact.write_bytes(pack_compact_block(games))
    found = next(read_games(compact))
    assert found.moves.tolist() == [move, 0, 0]
    assert found.scores.tolist() == [pytest.approx(20, abs=2), -30_000, 30_000]


def test_the_same_seed_gives_the_same_file_whoever_plays(blocks):
    with executors.threads(3) as (executor, width):
        results = in_order(executor, [TrainingShard(number, 3, 200, 9, Config()) for number in range(3)], width)
        assert [block.content for block in results] == blocks
    assert TrainingShard(0, 3, 200, 10, Config())().content != blocks[0]


def test_games_begin_with_their_openings_and_a_few_random_moves(tmp_path):
    fens = ("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
            "rnbqkb1r/ppp1pp1p/5np1/3p4/2PP4/2N5/PP2PPPP/R1BQKBNR w KQkq - 0 4", "8/5k2/8/8/8/2K5/4P3/8 w - - 0 1")
    path = tmp_path / "games.bin"
    path.write_bytes(TrainingShard(0, 3, 100, 9, Config(), openings=fens)().content)
    (block,) = read_games(path)
    for fen, row in zip(fens, block.rows, strict=True):
        after = unpack_position(row)
        assert after.board_fen() in set(_boards_after(chess.Board(fen), 2)) | set(_boards_after(chess.Board(fen), 3))


def _boards_after(board: chess.Board, plies: int) -> Iterator[str]:
    if plies == 0:
        yield board.board_fen()
        return
    for move in board.legal_moves:
        board.push(move)
        yield from _boards_after(board, plies - 1)
        board.pop()


def test_decided_games_end_early_but_some_are_played_on(tmp_path):
    early, late = (TrainingShard(0, 40, 60, 9, Config(), win_score=score)() for score in (400, None))
    assert early.positions < 0.85 * late.positions
    blocks = []
    for name, block in (("early", early), ("late", late)):
        (tmp_path / name).write_bytes(block.content)
        blocks += read_games(tmp_path / name)
    on_early, on_late = (count_played_on(block, 400) for block in blocks)
    assert 0 <= on_early.games <= 2 < on_late.games  # games 0 and 20 have no early end
    assert on_late.drawn + on_late.lost < on_late.games / 2
    for game in range(40):
        short, long = (block.scores[block.starts[game]:block.starts[game + 1]].tolist() for block in blocks)
        assert short == long[: len(short)]


def test_games_that_were_played_on_are_counted():
    rows = np.zeros(4, GAME_ROW)
    rows["plies"], rows["result"], rows["side"] = (6, 4, 6, 6), (0, 1, -1, 1), (0, 0, 1, 0)
    white_wins, black_wins = [500, -500], [-500, 500]
    scores = np.array([*3 * white_wins, *2 * white_wins, *3 * white_wins, *2 * black_wins, 0, 0], np.int16)
    starts = np.concatenate([[0], np.cumsum(rows["plies"], dtype=np.int64)])
    games = Games(rows, starts, np.zeros(len(scores), np.uint16), scores)
    # The first is drawn, the second ends at once, the third is won by Black, who was called the winner, the last lost.
    assert count_played_on(games, 400) == PlayedOn(3, 1, 1)
    assert count_played_on(games, 501) == PlayedOn()


def test_an_opening_without_a_fair_continuation_is_played_as_it_is(tmp_path):
    path, fen = tmp_path / "games.bin", "4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"
    path.write_bytes(TrainingShard(0, 1, 20, 9, Config(), openings=(fen,))().content)
    (block,) = read_games(path)
    assert unpack_position(block.rows[0]).board_fen() == chess.Board(fen).board_fen()


@pytest.mark.parametrize("damage", ["cut", "cut header", "flipped bit", "garbage between", "other version", "huge"])
def test_damage_is_reported_with_its_place_and_what_is_before_it_is_kept(damage, path, blocks):
    content, good = bytearray(path.read_bytes()), len(blocks[0])
    if damage == "cut":
        content = content[: good + len(blocks[1]) - 7]
    elif damage == "cut header":
        content = content[: good + 5]
    elif damage == "flipped bit":
        content[good + 60] ^= 4
    elif damage == "garbage between":
        content[good:good] = b"garbage" * 10
    elif damage == "other version":
        content[good + 4] = 9
    else:
        content[good + 8 : good + 12] = b"\xff\xff\xff\xff"
    path.write_bytes(content)
    source = read_games(path)
    assert len(next(source).rows) == 3  # the whole block is there
    with pytest.raises(DamagedFileError, match=f"at byte {good}") as error:
        next(source)
    assert (error.value.offset, error.value.blocks) == (good, 1)
    file = GameFile(path)
    if not damage.startswith("cut"):
        with pytest.raises(DamagedFileError):  # what follows may be worth keeping: nothing is cut off
            file.recover()
        assert path.read_bytes() == content
        return
    assert f"at byte {good}" in str(file.recover())
    assert (file.blocks, path.stat().st_size) == (1, good)
    for number in (1, 2):
        file.append(blocks[number], 0)
    assert path.read_bytes() == b"".join(blocks)


def test_no_other_file_is_ever_cut(tmp_path):
    path = tmp_path / "weights.json"
    path.write_text('{"weights": "precious, and long enough for a header"}')
    with pytest.raises(DamagedFileError):
        GameFile(path).recover()
    assert "precious" in path.read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on the size of files")
def test_a_full_disk_leaves_the_file_as_it_was(path, blocks):
    """In a process of its own, whose files may not grow beyond a size in the middle of the next block."""
    before = path.read_bytes()
    program = f"""
import resource, signal
from pathlib import Path
from engine.lab.arena.game_file import GameFile
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
file = GameFile(Path({str(path)!r}))
assert file.recover() is None
resource.setrlimit(resource.RLIMIT_FSIZE, ({len(before) + 100}, {len(before) + 100}))
try:
    file.append(b"x" * 1000, 1)
except OSError as error:
    print("OSError", error.errno)
"""
    result = subprocess.run([sys.executable, "-c", program], cwd=SOURCE_ROOT, capture_output=True, text=True,
                            check=False)
    assert "OSError" in result.stdout, result.stderr
    assert path.read_bytes() == before
    file = GameFile(path)
    assert file.recover() is None
    file.append(blocks[0], 1)
    assert len(list(read_games(path))) == 4


def test_a_file_that_is_not_there():
    with pytest.raises(InputError, match="cannot read"):
        list(read_games(Path("/no/such/file")))


def test_the_layout_is_what_it_says():
    assert game_rows.GAME_ROW.itemsize == 30
    row = pack_position(parse_fen(START_FEN))
    assert row["occupied"] == np.uint64(0xFFFF00000000FFFF)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
def test_a_full_disk_is_reported_with_the_name_of_the_file():
    with pytest.raises(OSError, match="/dev/full"):
        GameFile(Path("/dev/full")).append(b"block", 1)
    with pytest.raises(OSError, match="/dev/full"):
        PgnFile(Path("/dev/full"), "").add([SimpleNamespace(pgn=lambda tags: "1. e4 *")])
