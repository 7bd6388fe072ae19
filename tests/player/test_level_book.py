"""Levels and the book: how much of it each one plays, how its openings look, and how to turn it off."""

from __future__ import annotations

import random
from collections import Counter

import chess
import pytest

from engine.core.game import Game
from engine.lab.compare.level_games import PlayedLevelGame
from engine.lab.compare.likeness import count_likeness, sides_of
from engine.player.book import _shares_by_habits
from engine.player.options import Settings, find_option
from engine.player.player import Player
from engine.player.request import GoRequest, SearchSignals
from engine.player.skill import BookHabits
from engine.player.timing import human_pace
from engine.search.time_management import Budget
from engine.search.types import InfoString, Report, no_report
from tests.client import Client

GO = GoRequest(nodes=1_000_000)


def player_at(elo: int, seed: int = 1, **options: str) -> Player:
    settings = Settings()
    for name, value in {"UCI_Elo": str(elo), "UCI_LimitStrength": "true", **options}.items():
        settings.set(find_option(name), value)
    player = Player(settings)
    player._limited.rng = random.Random(seed)
    return player


def played(player: Player, plies: int, report: Report = no_report) -> chess.Board:
    """A game of a player against itself, from the starting position."""
    board = chess.Board()
    player.new_game()
    while len(board.move_stack) < plies and not board.is_game_over():
        player.set_position(None, [move.uci() for move in board.move_stack])
        board.push_uci(player.game.uci(player.go(GO, 0.0, SearchSignals(), report).move))
    return board


@pytest.mark.parametrize(("elo", "share"), [(800, 0.5), (1200, 0.7), (1600, 0.85)])
def test_openings_look_like_those_of_people(elo, share):
    """Most of the first eight plies are in a book of master games, the king stays, and knights avoid the rim."""
    player = player_at(elo)
    games = [PlayedLevelGame(("level", "level"), "*", tuple(move.uci() for move in played(player, 10).move_stack))
             for _ in range(24)]
    found = count_likeness(list(sides_of(games, "level")))
    assert found.book_plies >= share * 24 * 8
    assert found.early_king_games == 0 and found.rim_knight_games <= 1


@pytest.mark.parametrize(("elo", "least", "most"), [(400, 0, 2), (1200, 3, 5), (2000, 7, 9)])
def test_a_level_knows_as_many_moves_as_its_row_says(elo, least, most):
    """One more or less by game, unless the book has none. The opponent plays from the same book."""
    player, lengths = player_at(elo), Counter[int]()
    for _ in range(12):
        said: list[object] = []
        board = played(player, 2 * most + 2, said.append)
        moves = sum(isinstance(line, InfoString) and line.text.startswith("book ") for line in said)
        assert moves <= 2 * most <= len(board.move_stack)
        lengths[(moves + 1) // 2] += 1
    assert set(lengths) <= set(range(most + 1)) and max(lengths) >= least
    assert len(lengths) > 1


def test_beginners_open_with_the_king_pawn():
    def share(elo: int) -> float:
        player = player_at(elo)
        firsts = Counter(str(played(player, 1).move_stack[0]) for _ in range(150))
        return firsts["e2e4"] / 150

    assert share(700) > 0.6 > share(1800) > 0.25


def test_without_the_option_nothing_comes_from_the_book():
    said: list[object] = []
    played(player_at(1600, LevelBook="false"), 4, said.append)
    assert not any(isinstance(line, InfoString) and line.text.startswith("book ") for line in said)


def test_the_book_of_levels_is_used_over_uci():
    client = Client()
    client.load()
    client.ask("setoption name UCI_Elo value 2000")
    client.ask("setoption name UCI_LimitStrength value true")
    client.say("position startpos", "go nodes 1000")
    assert any(line.startswith("info string book ") for line in client.until("bestmove"))
    client.ask("setoption name LevelBook value false")
    client.say("go nodes 1000")
    assert not any(line.startswith("info string book ") for line in client.until("bestmove"))
    assert client.quit() == 0


def test_people_think_longer_about_hard_moves_but_never_too_long():
    rng, budget = random.Random(1), Budget(2.0, 6.0)
    easy, hard = ([human_pace(budget, difficulty, rng) for _ in range(300)] for difficulty in (0.0, 0.9))
    assert sum(easy) / 300 < 0.5 and sum(hard) / 300 > 2
    assert max(hard) <= 3.0 and len(set(easy)) > 250
    assert human_pace(Budget(0.05, 0.2), 0.9, rng) == 0.0  # in time trouble


@pytest.mark.parametrize(("value", "waits"), [("false", False), ("true", True)])
def test_the_clock_of_levels_is_an_option(value, waits, monkeypatch):
    waited: list[float] = []
    player, signals = player_at(1000, LevelClock=value, LevelBook="false"), SearchSignals()
    monkeypatch.setattr(signals.stop, "wait", waited.append)
    player.go(GoRequest(times=(60_000, 60_000)), 0.0, signals, no_report)
    assert bool(waited) == waits
    waited.clear()
    player.go(GoRequest(movetime=50), 0.0, signals, no_report)
    player.go(GO, 0.0, signals, no_report)
    assert not waited


def test_a_level_does_not_know_rare_moves():
    """A move with less than the least share of the weight is never played, one with just that share may be."""
    game = Game()
    game.push_uci("e2e4")  # the first move has weights of its own
    replies = list(enumerate((70, 20, 10)))
    assert _shares_by_habits(game, replies, BookHabits(1000, 3, 1, 0.0, 1)) == pytest.approx([0.7, 0.2, 0.1])
    assert _shares_by_habits(game, replies, BookHabits(1000, 3, 1, 0.1, 1)) == pytest.approx([0.7, 0.2, 0.1])
    assert _shares_by_habits(game, replies, BookHabits(1000, 3, 1, 0.15, 1)) == pytest.approx([7 / 9, 2 / 9, 0])
