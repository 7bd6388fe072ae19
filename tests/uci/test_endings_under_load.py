"""Endings at 30 ms a move beside busy processes: won where the tables say so, and held where they say draw."""

from __future__ import annotations

import random

import chess
import pytest

from engine.core.game import Game
from tablebase.codes import is_won, move_value
from tablebase.files import TableKind
from tablebase.material import all_endings
from tests.client import Client
from tests.lab.arena.load import busy_neighbours
from tests.tablebase.endings import TABLES, find_position, has_wins

SPINNERS, MOVETIME = 4, 30  # processes, milliseconds
LONGEST, LONGEST_DRAWN = 150, 40  # plies
WON = [ending for ending in (*all_endings(3), *all_endings(4)) if has_wins(ending, 0.01)][:24]


def best_defence(board: chess.Board) -> str:
    game = Game(board.fen())
    TABLES.load_for(game.position, *TableKind)
    moves = TABLES.ranked_moves(game.position)
    assert moves is not None
    return game.uci(max(moves, key=lambda fate: move_value(fate.code)).move)


def outcome_of(client: Client, fen: str, longest: int = LONGEST) -> chess.Board:
    """The board at the end of a game of the engine against the best defence."""
    board, moves = chess.Board(fen), list[str]()
    client.ask("ucinewgame", f"position fen {fen}")  # as at the start of a game: the tables are read now
    while not board.is_game_over(claim_draw=True) and len(moves) < longest:
        text = best_defence(board)
        if len(moves) % 2 == 0:
            position = " ".join(("position fen", fen, *(("moves", *moves) if moves else ())))
            text = client.best(position, f"go movetime {MOVETIME}")
        board.push_uci(text)
        moves.append(text)
    return board


@pytest.mark.slow
def test_all_of_24_endings_are_won_beside_four_busy_processes():
    assert len(WON) == 24
    client, won = Client(), list[str]()
    client.load()
    with busy_neighbours(SPINNERS):
        for ending in WON:
            board = outcome_of(client, find_position(ending, random.Random(ending.name), is_won))
            if board.is_checkmate():
                won.append(ending.name)
            print(ending.name, "won" if board.is_checkmate() else f"not won: {board.fen()}", flush=True)
    client.quit()
    print(f"{len(won)} of {len(WON)} endings won")
    assert len(won) == len(WON)


@pytest.mark.slow
def test_drawn_endings_are_held_beside_four_busy_processes():
    drawn = [ending for ending in all_endings(4) if any(side.draws for side in TABLES.outcomes.entry(ending).summary)]
    client = Client()
    client.load()
    with busy_neighbours(SPINNERS):
        for ending in drawn[:24]:
            fen = find_position(ending, random.Random(ending.name), lambda code: code == 0)
            board = outcome_of(client, fen, LONGEST_DRAWN)
            assert not board.is_checkmate() or board.turn != chess.Board(fen).turn, (ending.name, fen)
    client.quit()
