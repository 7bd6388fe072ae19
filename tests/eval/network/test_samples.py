"""Samples for the network: they are the positions of the games, no more and no fewer than the rules say."""

from __future__ import annotations

import lzma

import chess
import numpy as np
import pytest

from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.lab.arena.configs import Config
from engine.lab.arena.game_file import read_games
from engine.lab.arena.game_rows import unpack_position
from engine.lab.arena.neighbours import neighbours
from engine.lab.arena.replay import SampleFilter, SampleSource, is_held_out, join, replay, start_keys
from engine.lab.arena.training import TrainingShard
from engine.system.errors import InputError
from eval.evaluate import evaluate_entry
from eval.network.samples import SAMPLE, expected_result, fit_scale, select_samples
from eval.weights import load_weights
from tests.alphabeta.test_see import exchange_value

WEIGHTS = load_weights()
EVERYTHING = SampleFilter(first_ply=0, largest_score=40_000, held_out=5)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    made = tmp_path_factory.mktemp("games") / "games.bin"
    shards = [TrainingShard(number, 5, 100, 3, Config(), chess960=number == 2) for number in range(3)]
    made.write_bytes(b"".join(shard().content for shard in shards))
    return made


def board_of(sample) -> chess.Board:
    """What a sample shows: the side to move becomes white."""
    board = chess.Board(None)
    for square in range(64):
        code = int(sample["board"][square // 16]) >> 4 * (square % 16) & 15
        if code != 12:
            board.set_piece_at(square, chess.Piece(code % 6 + 1, code < 6))
    return board


def positions_of(path, *, validates: bool):
    """(board, move, score, result) of all games that validate, or of the others, as python-chess replays them."""
    for block in read_games(path):
        keys = start_keys(block.rows)
        for index, row in enumerate(block.rows):
            board = unpack_position(row)
            game = Game(board.fen(shredder=True), chess960=True)
            for ply in range(block.starts[index], block.starts[index + 1]):
                text = game.uci(int(block.moves[ply]))
                move = board.parse_uci(text)
                if (keys[index] % EVERYTHING.held_out == 0) == validates:
                    yield board, move, int(block.scores[ply]), int(row["result"])
                game.push_uci(text)
                board.push(move)


@pytest.mark.parametrize("validates", [False, True])
def test_samples_are_the_quiet_positions(path, validates):
    samples = iter(replay(join(list(read_games(path))), EVERYTHING, 2, validates=validates))
    count = 0
    for board, move, score, result in positions_of(path, validates=validates):
        if board.is_check() or board.is_capture(move) or move.promotion:
            continue
        sample = next(samples)
        seen = board if board.turn else board.mirror()
        assert board_of(sample).board_fen() == seen.board_fen()
        assert sample["score"] == score
        assert sample["result"] == (result if board.turn else -result)
        assert sample["pieces"] == len(board.piece_map())
        assert (sample["own_king"], sample["other_king"]) == (seen.king(chess.WHITE), seen.king(chess.BLACK))
        pos = parse_fen(board.fen(shredder=True), chess960=True)
        assert sample["static"] == int(evaluate_entry(pos, WEIGHTS))
        count += 1
    assert next(samples, None) is None
    assert count > 50


def test_filters_leave_out_what_they_say(path):
    games = join(list(read_games(path)))
    all_of_them = replay(games, EVERYTHING, 1, validates=False)
    within = replay(games, SampleFilter(first_ply=0, largest_score=50, held_out=5), 1, validates=False)
    assert len(within) == (np.abs(all_of_them["score"].astype(int)) <= 50).sum()
    some = replay(games, SampleFilter(first_ply=0, largest_score=40_000, held_out=5, per_game=10), 1, validates=False)
    assert 0.3 * 120 < len(some) < 1.5 * 120  # ten of each of twelve games, as chance will have it
    assert len(replay(games, SampleFilter(first_ply=6, held_out=5), 1, validates=False)) < len(all_of_them)


def test_a_game_is_held_out_in_whatever_company(path):
    games = join(list(read_games(path)))
    keys = start_keys(games.rows)
    for index in range(len(games.rows)):
        assert start_keys(games.rows[index : index + 1])[0] == keys[index]
    again = games.rows.copy()
    again["result"], again["plies"] = 0, 7  # what happens later does not matter
    assert (start_keys(again) == keys).all()
    assert len(np.unique(keys)) == len(keys)
    many = np.repeat(games.rows, 2000)
    many["occupied"] = np.random.default_rng(1).integers(0, 1 << 62, len(many))
    assert (start_keys(many) % 200 == 0).mean() == pytest.approx(1 / 200, rel=0.2)


def test_no_position_comes_twice_and_endings_are_thinned():
    generator = np.random.default_rng(1)
    samples = np.zeros(20_000, SAMPLE)
    samples["board"] = generator.integers(0, 1 << 60, (20_000, 4))
    samples["pieces"] = np.where(np.arange(20_000) < 10_000, 5, 20)
    doubled = np.concatenate([samples, samples[::2]])
    chosen = select_samples(doubled, 1.0, 1, 2)
    assert (chosen == samples).all()
    thinned = select_samples(samples, 0.2, 1, 2)
    few = thinned["pieces"] <= 9
    assert (~few).sum() == 10_000
    assert few.mean() == pytest.approx(0.2, abs=0.01)
    assert (select_samples(samples, 0.2, 1, 1) == thinned).all()
    assert len(select_samples(samples, 0.2, 2, 2)) != len(thinned)


def test_shards_hold_what_one_read_holds(path):
    filter_by = SampleFilter(first_ply=0, largest_score=40_000, held_out=2)  # a shard has a few games only
    whole = SampleSource([path], filter_by, shard_positions=10**9, threads=2)
    assert len(list(whole.shards())) == 1
    parts = SampleSource([path], filter_by, shard_positions=whole.first_games.positions // 2 + 1, threads=2)
    shards = list(parts.shards())
    assert len(shards) > 1
    assert [len(shard) for shard in parts.shards()] == [len(shard) for shard in shards]
    together = {sample.tobytes() for shard in shards for sample in shard}
    assert len(together & {sample.tobytes() for sample in next(whole.shards())}) > 0.7 * len(together)


def test_as_many_older_games_as_new_ones(tmp_path):
    new, old = tmp_path / "new.bin", tmp_path / "old.bin"
    new.write_bytes(b"".join(TrainingShard(number, 30, 60, 4, Config())().content for number in range(2)))
    old.write_bytes(b"".join(TrainingShard(number, 30, 60, 5, Config())().content for number in range(8)))

    def starts(paths, window=(), seed=1, held_out=5):
        source = SampleSource(paths, SampleFilter(held_out=held_out, seed=seed), shard_positions=10**9, threads=2,
                              window=window)
        return [(int(row["occupied"]), row["pieces"].tobytes()) for row in source.first_games.rows]

    fresh, older = starts([new]), starts([old])
    held = {start for block in read_games(old)
            for start, chosen in zip(((int(row["occupied"]), row["pieces"].tobytes()) for row in block.rows),
                                     is_held_out(start_keys(block.rows), 5), strict=True) if chosen}
    both = starts([new], [old])
    drawn = [start for start in both if start in set(older) and start not in held]
    assert set(fresh) | held <= set(both)
    assert 0.6 * len(fresh) < len(drawn) < 1.3 * len(fresh)  # a random number of games, and one in five is held out
    assert starts([new], [old]) == both
    assert set(starts([new], [old], seed=2)) != set(both)
    assert sorted(starts([old], [new])) == sorted(fresh + older)  # fewer older ones: all of them


def test_packed_files_are_read_and_damage_is_named(path, tmp_path):
    packed, cut = tmp_path / "games.xz", tmp_path / "cut.bin"
    packed.write_bytes(lzma.compress(path.read_bytes()))
    cut.write_bytes(path.read_bytes()[:-10])
    warnings: list[str] = []
    plain, unpacked, damaged = (SampleSource([file], EVERYTHING, shard_positions=10**9, threads=1,
                                             warn=warnings.append) for file in (path, packed, cut))
    assert (next(plain.shards()) == next(unpacked.shards())).all()
    assert 0 < len(next(damaged.shards())) < len(next(plain.shards()))
    assert len(warnings) == 1 and "truncated" in warnings[0]
    (tmp_path / "half.xz").write_bytes(packed.read_bytes()[:-200])
    half = SampleSource([tmp_path / "half.xz"], EVERYTHING, shard_positions=10**9, threads=1,
                        warn=warnings.append)
    assert 0 < len(next(half.shards())) < len(next(plain.shards()))
    assert "half.xz is damaged" in warnings[-1]
    (tmp_path / "none.bin").write_bytes(b"")
    with pytest.raises(InputError, match="too few games"):
        SampleSource([tmp_path / "none.bin"], EVERYTHING, shard_positions=10**9, threads=1)


def test_neighbours_are_near_and_labelled(path):
    games = join(list(read_games(path)))
    found = neighbours(games, 2 * games.positions, 0, 1, 2)
    assert 1.4 * games.positions < len(found) <= 2.4 * games.positions
    assert (found == neighbours(games, 2 * games.positions, 0, 1, 1)).all()  # whichever thread found them
    assert (found["score"] == found["static"]).all() and not found["result"].any()
    for sample in found[:: len(found) // 60]:
        board = board_of(sample)
        assert not board.is_check() and board.is_valid()
        assert all(exchange_value(board, move) <= 0 for move in board.legal_moves
                   if board.is_capture(move) or move.promotion)
    searched = neighbours(games, 200, 50, 1, 2)
    assert len(searched) > 50 and (searched["score"] != searched["static"]).any()


def test_the_scale_is_found_again():
    scores = np.random.default_rng(1).integers(-600, 600, 20_000)
    assert fit_scale(scores, expected_result(scores, 136.0)) == pytest.approx(136, rel=1e-3)
