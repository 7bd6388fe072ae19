"""Games of tree searches inside one process: matches between settings, and training games."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from engine.core.moves import from_square, to_square
from engine.lab.arena.configs import Config, parse_config
from engine.lab.arena.game_file import GameFile, read_games
from engine.lab.arena.game_pairs import GamePair
from engine.lab.arena.game_rows import unpack_position
from engine.lab.arena.participants import Participant, new_search
from engine.lab.arena.records import Adjudication, Opening
from engine.lab.arena.training import TreeTrainingShard
from engine.search.types import Limits
from engine.system.errors import InputError
from eval.blank import material_only_network, uniform_policy
from eval.network.file import write_network
from eval.policy.file import write_policy

QUICK = Adjudication(win_score=300, win_moves=1, draw_score=50, draw_moves=1, draw_from=5, by_tables=False)


def test_what_a_setting_of_a_tree_says(tmp_path):
    write_network(material_only_network(), network := tmp_path / "m.network")
    write_policy(uniform_policy(), policy := tmp_path / "u.policy")
    setting = parse_config(f"mcts,puct=1.25,network={network},policy={policy}")
    assert setting.tree is not None
    record = setting.tree.params_record()
    assert (record.puct, record.use_policy) == (1.25, 1)
    assert setting.tree.loaded_policy() is not None
    assert setting.evaluator().network is not None
    assert parse_config("puct").tree.params_record().use_policy == 0
    for wrong in ("mcts,cpuct=1", "uct,puct=-1", "mcts,puct=x", "mcts,puct", "mcts,policy=/no", "puct,network=/no"):
        with pytest.raises(InputError):
            parse_config(wrong)


def test_a_pair_changes_colours_and_plays_legal_moves():
    opening = Opening(moves=("e2e4", "e7e5"))
    tree, other = (Participant.of(config, 30) for config in (parse_config("mcts,root_share=0"), Config("other")))
    pair = GamePair(3, opening, tree, other, QUICK)
    assert not pair.is_in_kernel and GamePair(3, opening, other, other, QUICK).is_in_kernel
    first, second = pair()
    assert [first.number, second.number] == [6, 7]
    assert first.players == ("mcts,root_share=0", "other")
    assert second.players == first.players[::-1]
    for record in (first, second):
        board = opening.board()
        for thought in record.moves:
            board.push_uci(thought.move)
        assert record.nodes > 0


def test_training_games_hold_what_the_tree_played(tmp_path):
    shard = TreeTrainingShard(0, 2, 20, 7, parse_config("mcts,root_share=0"))
    block = shard()
    assert block.content == shard().content  # the number and the seed say it all
    file = GameFile(tmp_path / "trees.games")
    file.append(block.content, block.positions)
    games = next(read_games(tmp_path / "trees.games"))
    assert games.positions == block.positions
    for index, row in enumerate(games.rows):
        board = unpack_position(row)
        for move in games.moves[games.starts[index]:games.starts[index + 1]].tolist():
            candidates = [legal for legal in board.legal_moves
                          if (legal.from_square, legal.to_square) == (from_square(move), to_square(move))]
            assert candidates
            board.push(candidates[-1] if len(candidates) == 1 else _promotion(candidates, move))
    assert np.abs(games.scores).max() <= 32_000


def _promotion(candidates: list[chess.Move], move: int) -> chess.Move:
    from engine.core.moves import move_type, promoted_type

    return next(found for found in candidates if found.promotion == promoted_type(move_type(move)))


def test_who_knows_nothing_counts_material(tmp_path):
    write_network(material_only_network(), network := tmp_path / "m.network")
    write_policy(uniform_policy(), policy := tmp_path / "u.policy")
    from engine.core.game import Game
    from eval.piece_worth import StaticEvaluator

    setting = parse_config(f"mcts,root_share=0,network={network},policy={policy}")
    for fen, lead in (("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0),
                      ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 900),
                      ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1", -900),
                      ("4k3/pp6/8/8/8/8/8/R3K3 w - - 0 1", 300)):
        assert StaticEvaluator(setting.evaluator()).score(Game(fen).position) == pytest.approx(lead, abs=4)
    search = new_search(setting, 4)
    search.run(Game().position, Limits(nodes=30))
    priors = search.pool.children(search.pool.nodes[search.pool.root])["prior"]
    assert priors == pytest.approx([1 / 20] * 20)
