"""Levels and the book: how much of it each one plays, how its openings look, and how to turn it off."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import chess
import pytest

from book.polyglot import BUILT_IN, Book
from engine.core.game import Game
from engine.lab.compare.level_games import PlayedLevelGame
from engine.lab.compare.likeness import LevelMove, Likeness, count_likeness, is_in_book, sides_of
from engine.player import skill
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


def played(player: Player, plies: int, report: Report = no_report, other: Player | None = None) -> chess.Board:
    """A game of a player against itself, or another one with Black, from the starting position."""
    board, players = chess.Board(), (player, other or player)
    for one in set(players):
        one.new_game()
    while len(board.move_stack) < plies and not board.is_game_over():
        player = players[len(board.move_stack) % 2]
        player.set_position(None, [move.uci() for move in board.move_stack])
        board.push_uci(player.game.uci(player.go(GO, 0.0, SearchSignals(), report).move))
    return board


def openings_of(elo: int, other: int, games: int, plies: int = 18) -> Likeness:
    """What can be counted in the openings of a level against another one."""
    one, two = player_at(elo), player_at(other, seed=2)
    lines = [played(*((one, plies, no_report, two) if number % 2 else (two, plies, no_report, one)))
             for number in range(games)]
    return count_likeness(list(sides_of([PlayedLevelGame(
        ("level", "level"), "*", tuple(move.uci() for move in line.move_stack)) for line in lines], "level")))


def test_openings_look_like_those_of_people():
    """Most of the first eight plies are in a book of master games, the king stays, and knights avoid the rim."""
    found = openings_of(1600, 1600, 24, plies=10)
    assert found.book_plies >= 0.85 * 24 * 8
    assert found.early_king_games == 0 and found.rim_knight_games <= 1


@pytest.mark.parametrize(("elo", "most"), [(400, 5), (800, 8), (1200, 12)])
def test_beginners_leave_the_book_early_and_do_what_beginners_do(elo, most):
    """One ply more than in the long run, since forty games are few."""
    found = openings_of(elo, elo, 40)
    assert found.first_ply_outside is not None and 2 < found.first_ply_outside <= most
    assert found.rook_pawn_moves <= found.games and found.early_king_games <= 0.05 * found.games
    assert found.queen_moves >= 0.25 * found.games


@pytest.mark.slow
@pytest.mark.parametrize(("elo", "most"), [(400, 4), (600, 6), (800, 7), (1000, 9), (1200, 11), (1400, 13)])
@pytest.mark.parametrize("further", [0, 200])
def test_each_level_leaves_the_book_as_early_as_people_of_its_strength(elo, most, further):
    """The medians of 200 games, against itself and against the next level."""
    found = openings_of(elo, elo + further, 200)
    print(elo, elo + further, found)
    assert found.first_ply_outside is not None and found.first_ply_outside <= most
    assert found.rook_pawn_moves <= found.games and found.early_king_games <= 0.02 * found.games


def test_a_level_that_leaves_the_book_plays_what_the_book_does_not_have(monkeypatch):
    """Also while it knows moves, but never as its first one; full strength and LevelBook false stay as they are."""
    monkeypatch.setattr(skill, "BOOK_HABITS", tuple(replace(row, departure=100.0) for row in skill.BOOK_HABITS))
    with Book(BUILT_IN) as book:
        for player in (player_at(elo, seed) for elo in (400, 1000, 2000) for seed in range(5)):
            line = played(player, 4)
            first, second, third, *_ = (is_in_book(LevelMove(board, move), book) for board, move in boards_of(line))
            assert (first, second, third) == (True, True, False)


def boards_of(line: chess.Board) -> Iterator[tuple[chess.Board, chess.Move]]:
    board = line.root()
    for move in line.move_stack:
        yield board.copy(), move
        board.push(move)


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
