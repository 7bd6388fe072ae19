"""Choices for the policy: the positions of the games as python-chess replays them, and their legal moves."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from engine.alphabeta.see import see_ge
from engine.core.game import Game
from engine.core.position import POSITION_TYPE
from engine.kernel import entry, int64
from engine.lab.arena.configs import Config
from engine.lab.arena.game_file import read_games
from engine.lab.arena.game_rows import unpack_position
from engine.lab.arena.policy_samples import PolicySampleSource
from engine.lab.arena.replay import SampleFilter, line_keys
from engine.lab.arena.training import TrainingShard
from tests.eval.policy import reference

FILTER = SampleFilter(first_ply=0, largest_score=40_000, held_out=3)


@entry(POSITION_TYPE, int64)
def loses_nothing(pos, move):
    return see_ge(pos, move, np.int64(0))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    made = tmp_path_factory.mktemp("games") / "games.bin"
    shards = [TrainingShard(number, 3, 60, 5, Config(), chess960=number == 1) for number in range(2)]
    made.write_bytes(b"".join(shard().content for shard in shards))
    return made


def features_in(sample) -> list[int]:
    found = []
    for square in range(64):
        code = int(sample["board"][square // 16]) >> 4 * (square % 16) & 15
        if code != 12:
            attacked, defended = (int(sample[name]) >> square & 1 for name in ("attacked", "defended"))
            found.append(attacked * 1536 + defended * 768 + code * 64 + square)
    return found


def rows_in(sample) -> list[tuple[int, int, int, int]]:
    """What follows from a sample for each move: path, place, traits, danger."""
    targets = {path: target for (_, target), path in reference.FROM_TO_ROWS.items()}
    found = []
    for path, trait, danger in zip(*(sample[name].tolist() for name in ("from_to", "traits", "dangers")), strict=True):
        target = targets[path] if path < 1792 else 56 + (path - 1792) % 22 - 2 * (((path - 1792) % 22 + 1) // 3)
        found.append((path, 64 * (trait // 24) + target, trait, (27 * (trait // 24) + danger) * 2 + trait % 2))
    return found[:sample["count"]]


def choices_of(path, *, validates: bool):
    """(board, game, move) of each position of all games that validate, or of the others."""
    for block in read_games(path):
        keys = line_keys(block)
        for index, row in enumerate(block.rows):
            board = unpack_position(row)
            game = Game(board.fen(shredder=True), chess960=True)
            for move in block.moves[block.starts[index]:block.starts[index + 1]].tolist():
                if (keys[index] % FILTER.held_out == 0) == validates:
                    yield board, game, move
                text = game.uci(move)
                board.push(board.parse_uci(text))
                game.push_uci(text)


@pytest.mark.parametrize("validates", [False, True])
def test_samples_are_all_choices(path, validates):
    source = PolicySampleSource([path], FILTER, shard_positions=10_000_000, threads=2)
    samples = iter(source.validation if validates else next(source.shards()))
    count = 0
    for board, game, played in choices_of(path, validates=validates):
        moves = [int(move) for move in game.legal_moves()]
        if not 1 < len(moves) <= 64:
            continue
        sample = next(samples)
        assert sorted(features_in(sample)) == sorted(reference.features_of(board))
        assert (sample["count"], sample["pieces"]) == (len(moves), chess.popcount(board.occupied))
        moves.remove(played)
        expected = [reference.rows_of(board, move, int(loses_nothing(game.position, move)))
                    for move in (played, *moves)]
        rows = rows_in(sample)
        assert rows[0] == expected[0]
        assert sorted(rows) == sorted(expected)
        count += 1
    assert next(samples, None) is None
    assert count > 50
