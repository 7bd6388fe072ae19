"""Games between processes: a player that breaks the rules loses that game, and the match goes on."""

from __future__ import annotations

import gc
import io
from dataclasses import replace

import chess
import chess.pgn
import pytest

from engine.lab.arena import referee
from engine.lab.arena.engines import EngineSpec, close_engines
from engine.lab.arena.match import MatchScore, PgnFile
from engine.lab.arena.records import Adjudication, Forfeit, GameRecord, GameScore, MoveRecord, Opening
from engine.lab.arena.referee import EngineLimits, GameInProgress, UciGame
from engine.system.errors import InputError
from tests.lab.arena.players import player

OPENING = Opening(chess.STARTING_FEN, ("e2e4",))
NO_RULES = Adjudication(draw_score=None, win_score=None)


@pytest.fixture(autouse=True)
def _nobody_stays():
    yield
    close_engines()


def pair(folder, behaviour, control) -> list[GameRecord]:
    good = EngineSpec("good", player(folder, "legal"))
    bad = EngineSpec("bad", player(folder, behaviour))
    return [record for number in (6, 7) for record in UciGame(number, OPENING, good, bad, control, NO_RULES)()]


def test_engines_play_without_their_book(tmp_path):
    good, booked = EngineSpec("good", player(tmp_path, "legal")), EngineSpec("booked", player(tmp_path, "booked"))
    for options, forfeit in (({}, None), ({"OwnBook": "true"}, Forfeit.ILLEGAL_MOVE)):
        (record,) = UciGame(6, Opening("7k/8/5K2/8/8/8/8/R7 w - - 98 90", ()), replace(booked, options=options), good,
                            EngineLimits(10.0), NO_RULES)()
        assert record.forfeit is forfeit


@pytest.mark.parametrize(("behaviour", "forfeit"), [("illegal", Forfeit.ILLEGAL_MOVE), ("crash", Forfeit.CRASH),
                                             ("silent", Forfeit.SILENCE), ("slow", Forfeit.TIME),
                                             ("null", Forfeit.ILLEGAL_MOVE)])
def test_a_forfeit_loses_both_games_with_its_reason(behaviour, forfeit, tmp_path, monkeypatch):
    monkeypatch.setattr(referee, "_GRACE_SECONDS", 0.5)
    control = EngineLimits(0.3, 0.0) if behaviour in ("slow", "silent") else EngineLimits(5, 0.1)
    records = pair(tmp_path, behaviour, control)
    assert [record.number for record in records] == [6, 7]
    assert [record.points for record in records] == [1.0, 1.0]
    assert [record.forfeit for record in records] == [forfeit, forfeit]
    assert all(f"bad {forfeit.value}" == record.reason for record in records)
    for record in records:
        game = chess.pgn.read_game(io.StringIO(record.pgn()))
        assert game is not None
        assert game.headers["Termination"] == record.reason
        assert game.headers["Forfeit"] == forfeit.name
        assert not game.errors


def test_announced_lines_are_played_through(tmp_path):
    record = UciGame(0, Opening("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", ()), EngineSpec("a", player(tmp_path, "liar")),
                     EngineSpec("b", player(tmp_path, "legal")), EngineLimits(5, 0.1), NO_RULES)
    assert record()[0].result == "1-0"  # mated before it can say anything
    fen = "8/8/8/8/8/5k2/8/5K1R w - - 0 1"
    games = UciGame(0, Opening(fen), EngineSpec("a", player(tmp_path, "liar")),
                    EngineSpec("b", player(tmp_path, "legal")), EngineLimits(20, 0.1), NO_RULES)()
    assert games[0].illegal_lines[0] == len(games[0].moves[::2])
    assert games[0].illegal_lines[1] == 0


def test_an_engine_that_does_not_start_is_bad_input(tmp_path):
    shard = UciGame(0, OPENING, EngineSpec("a", str(tmp_path / "missing")), EngineSpec("b", player(tmp_path, "legal")),
                    EngineLimits(1, 0), NO_RULES)
    with pytest.raises(InputError, match="missing"):
        shard()


def test_no_garbage_is_collected_on_a_players_clock(tmp_path, monkeypatch):
    seen = []
    spend = GameInProgress.spend
    monkeypatch.setattr(GameInProgress, "spend", lambda *given: seen.append(gc.isenabled()) or spend(*given))
    player_of_both = EngineSpec("a", player(tmp_path, "legal"))
    UciGame(0, OPENING, player_of_both, player_of_both, EngineLimits(20, 1), NO_RULES)()
    assert seen and not any(seen)
    assert gc.isenabled()


def live_game(scores: list[int], rules: Adjudication, fen: str = chess.STARTING_FEN) -> GameInProgress:
    made = GameInProgress(Opening(fen), EngineLimits(1, 0), rules)
    for score in scores:
        made.records.append(MoveRecord("0000", score))
    return made


def test_games_are_adjudicated_only_when_both_sides_agree():
    rules = Adjudication(draw_score=10, draw_moves=2, draw_from=1, win_score=500, win_moves=2)
    assert live_game([5, -3, 0, 10], rules).verdict() == ("1/2-1/2", "adjudicated: both call it even")
    assert live_game([5, -3, 0, 11], rules).verdict() is None
    assert live_game([5, -3, 0], rules).verdict() is None
    assert live_game([600, -700, 500, -500], rules).verdict() == ("1-0", "adjudicated: both agree on the winner")
    assert live_game([-600, 700, -500, 500], rules).verdict() == ("0-1", "adjudicated: both agree on the winner")
    assert live_game([600, -700, 500, -400], rules).verdict() is None
    assert live_game([600, 700, 500, 500], rules).verdict() is None
    black = chess.STARTING_FEN.replace(" w ", " b ")
    assert live_game([600, -700, 500, -500], rules, black).verdict() == ("0-1", "adjudicated: both agree on the winner")
    assert live_game([0] * 8, NO_RULES).verdict() is None


def test_time_is_added_when_the_moves_of_a_control_are_made():
    live = GameInProgress(Opening(chess.STARTING_FEN), EngineLimits(10, 0.5, moves=2), NO_RULES)
    seen = []
    for text in ("e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5"):
        limit = live.limit(None)
        seen.append((limit.remaining_moves, limit.white_clock, limit.black_clock))
        assert live.spend(4.0 if live.board.turn else 1.0, None)
        live.records.append(MoveRecord(text, 0))
        live.board.push_uci(text)
    assert seen == [(2, 10, 10), (2, 6.5, 10), (1, 6.5, 9.5), (1, 13, 9.5), (2, 13, 19), (2, 9.5, 19)]


def test_a_clock_that_ran_out_on_the_last_move_of_a_control_is_not_saved_by_the_next():
    live = GameInProgress(Opening(chess.STARTING_FEN), EngineLimits(10, moves=1), NO_RULES)
    assert not live.spend(10.5, None)


def test_a_player_hangs_when_its_own_clock_is_over():
    live = GameInProgress(Opening(chess.STARTING_FEN), EngineLimits(10, 0), NO_RULES)
    live.spend(9.0, None)
    assert live.timeout(None) == 1.0 + referee._GRACE_SECONDS
    live.board.push_uci("e2e4")
    assert live.timeout(None) == 10.0 + referee._GRACE_SECONDS


def record(number: int, result: str) -> GameRecord:
    players = ("x", "y") if number % 2 == 0 else ("y", "x")
    thoughts = (MoveRecord("e7e5", 3, 4, 0.1), MoveRecord("g1f3", -3, 4, 0.1))
    return GameRecord(number, players, OPENING, thoughts, result, "test")


def test_a_match_goes_on_where_it_was_broken_off(tmp_path):
    path = tmp_path / "games.pgn"
    file = PgnFile(path, "1+1")
    results = ("1-0", "0-1", "1/2-1/2", "1-0", "0-1")
    file.add([record(number, result) for number, result in enumerate(results)])
    whole = path.read_text()
    path.write_text(whole + record(5, "1-0").pgn()[:120])  # the process died while it wrote
    outcomes = file.resume(("x", "y"))
    assert whole.startswith(path.read_text().strip())
    assert path.read_text().count("[Event ") == 4  # neither the torn game nor the half pair before it
    assert outcomes == [GameScore(0, 1.0), GameScore(1, 1.0), GameScore(2, 0.5), GameScore(3, 0.0)]
    score = MatchScore(("x", "y"), outcomes={outcome.number: outcome for outcome in outcomes})
    assert score.pentanomial == (0, 1, 0, 0, 1)
    assert score.wins_draws_losses == (2, 1, 1)
    for other, players in ((file, ("x", "z")), (PgnFile(path, "2+2"), ("x", "y"))):
        with pytest.raises(InputError, match=r"other players|different conditions"):
            other.resume(players)


@pytest.mark.parametrize("content", [b"my notes, no result", b"\xff\xfe", b"[Event bad"])
def test_no_other_file_is_ever_rewritten(content, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(InputError):
        PgnFile(path, "").resume(("x", "y"))
    assert path.read_bytes() == content


def test_a_draw_is_one_when_the_position_has_occurred_three_times_and_not_before():
    made = live_game([], NO_RULES)
    for text in ("g1f3", "g8f6", "f3g1", "f6g8") * 2:
        assert made.verdict() is None
        made.board.push_uci(text)
    assert made.verdict() == ("1/2-1/2", "threefold repetition")
