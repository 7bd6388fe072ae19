"""Games inside a kernel: legal, ended rightly, and the same on any number of threads."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import chess
import pytest

from engine.lab.arena import executors, tb_adjudication
from engine.lab.arena.configs import Config, parse_config
from engine.lab.arena.game_pairs import GamePair
from engine.lab.arena.kernel_games import FairnessTest
from engine.lab.arena.match import MatchScore, play_match
from engine.lab.arena.openings import RandomOpenings
from engine.lab.arena.participants import Participant
from engine.lab.arena.records import Adjudication, GameRecord, Opening
from engine.lab.arena.referee import EngineLimits, GameInProgress
from engine.system.errors import InputError
from eval.weight_file import DEFAULT_FILE

NO_RULES = Adjudication(draw_score=None, win_score=None)


def pairs(count: int, first: Config, second: Config, rules: Adjudication, nodes: int = 300,
          chess960: bool = False, is_fair: Callable[[Opening], bool] = lambda opening: True) -> list[GamePair]:
    openings = RandomOpenings(chess960, is_fair).draw(count, 5)
    return [GamePair(number, opening, Participant.of(first, nodes), Participant.of(second, nodes), rules)
            for number, opening in enumerate(openings)]


def replay(record: GameRecord) -> chess.Board:
    board = record.opening.board()
    for thought in record.moves:
        board.push(board.parse_uci(thought.move))  # raises if it is illegal
    return board


@pytest.mark.parametrize("chess960", [False, True])
def test_games_are_legal_and_end_as_the_rules_say(chess960):
    for pair in pairs(4, Config(), parse_config("use_null_move=0"), NO_RULES, chess960=chess960):
        for record in pair():
            board = replay(record)
            referee = GameInProgress(record.opening, EngineLimits(1, 1), NO_RULES)
            for thought in record.moves:
                assert referee.verdict() is None  # not a move too late
                referee.board.push_uci(thought.move)
                referee.records.append(thought)
            assert referee.verdict() == (record.result, record.reason)
            assert board == referee.board


def test_adjudication_is_that_of_the_referee():
    rules = Adjudication(draw_score=10, draw_moves=4, draw_from=20, win_score=400, win_moves=3)
    seen = set()
    for pair in pairs(10, Config(), Config("other", (("use_late_move_reductions", 0),)), rules):
        for record in pair():
            scores = [thought.score for thought in record.moves]
            if record.reason.endswith("even"):
                assert all(abs(score) <= 10 for score in scores[-8:] if score is not None)
                assert replay(record).fullmove_number >= 20
            elif record.reason.endswith("won"):
                last = [score for score in scores[-6:] if score is not None]
                assert len({math.copysign(1, score) * (-1) ** ply for ply, score in enumerate(last)}) == 1
                assert len(last) == 6 and all(abs(score) >= 400 for score in last)
            seen.add(record.reason)
            referee = GameInProgress(record.opening, EngineLimits(1, 1), rules)
            for thought in record.moves:
                assert referee.verdict() is None
                referee.board.push_uci(thought.move)
                referee.records.append(thought)
            assert referee.verdict() == (record.result, record.reason)
    assert len(seen) >= 2


def test_the_same_games_whatever_the_number_of_threads():
    shards = pairs(6, Config(), Config("other", (("rfp_margin", 90),)), Adjudication())
    alone = [record for shard in shards for record in shard()]
    for width in (1, 3):
        games: list[GameRecord] = []
        with executors.threads(width) as (executor, wide):
            list(play_match(MatchScore(("a", "b")), shards, executor, wide, keep=games.extend))
        assert games == alone


def test_the_same_setting_against_itself_makes_even():
    score = MatchScore(("a", "b"))
    with executors.threads(2) as (executor, width):
        list(play_match(score, pairs(10, Config(), Config(), Adjudication()), executor, width))
    assert score.pentanomial == (0, 0, 10, 0, 0)  # deterministic players: each pair is one game, seen from both sides


def test_fewer_features_lose():
    """Without its reductions, quiescence and table the search is far weaker: a match must show it."""
    weak = parse_config("use_quiescence=0,use_tt=0,use_null_move=0")
    score = MatchScore(("weak", "default"))
    with executors.threads(2) as (executor, width):
        list(play_match(score, pairs(12, weak, Config(), Adjudication(), 1000, is_fair=FairnessTest()), executor,
                        width))
    wins, _, losses = score.wins_draws_losses
    assert losses > 3 * wins


def test_settings_are_read_from_text_and_files(tmp_path):
    assert parse_config("default") == Config()
    assert parse_config("rfp_margin=70, lmr_base=700").params == (("rfp_margin", 70), ("lmr_base", 700))
    path = tmp_path / "tuned.txt"
    path.write_text("# tuned\nrfp_margin = 70\n\nlmr_base=700\n")
    assert parse_config(str(path)) == Config("tuned", (("rfp_margin", 70), ("lmr_base", 700)))
    weights = parse_config(str(DEFAULT_FILE))
    assert weights.weights is not None
    assert (weights.evaluator().weights.packed == Config().evaluator().weights.packed).all()
    assert parse_config("features") == Config("features", network="features")
    assert weights.network == "features"  # weights are the features'
    for text in ("rfp_margin", "no_such=1", "rfp_margin=1e3", "rfp_margin=-5", "weights=/no/such.json",
                 "network=/no/such", "no.network", ""):
        with pytest.raises(InputError):
            parse_config(text)


def test_openings_are_judged_by_a_search():
    is_fair = FairnessTest()
    assert is_fair(Opening())
    assert not is_fair(Opening("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"))
    assert all(is_fair(opening) for opening in RandomOpenings(False, is_fair).draw(3, 1, print))


def test_threads_that_ask_at_once_share_the_endgame_tables():
    """Kernels keep their address: a second copy, thrown away by its thread, would crash the process."""
    tb_adjudication._read_tables.cache_clear()
    together = threading.Barrier(8)

    def ask(_):
        together.wait()
        return tb_adjudication.loaded_tables()

    with ThreadPoolExecutor(8) as pool:
        assert len({id(tables) for tables in pool.map(ask, range(8))}) == 1
