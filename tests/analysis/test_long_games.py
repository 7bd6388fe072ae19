"""Games of thousands of plies, and files with broken games: the work per position does not grow with the game."""

from __future__ import annotations

from pathlib import Path

import chess
import chess.pgn
import pytest

from engine.analysis.boards import fen_and_moves
from engine.analysis.move_verdicts import classify_game
from engine.analysis.results import AnalysisInfo, drawn_score
from engine.analysis.review import PositionEval, SearchEffort, evaluate_board, slices_of
from engine.analysis.review_driver import GameReview
from engine.core.game import Game
from tests.commands.running import run

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


def long_moves(plies: int, quiet: int = 10**9) -> list[chess.Move]:
    """Knights that go to and fro; each time after so many quiet plies two pawns move."""
    pawns = [(f"{file}{a}{file}{a + 1}", f"{file}{b}{file}{b - 1}") for a, b in ((2, 7), (3, 6)) for file in "abcdeh"]
    texts: list[str] = []
    while len(texts) < plies:
        texts += SHUFFLE if len(texts) % quiet < quiet - 4 or not pawns else pawns.pop(0)
    return [chess.Move.from_uci(text) for text in texts[:plies]]


def board_after(moves: list[chess.Move]) -> chess.Board:
    board = chess.Board()
    for move in moves:
        board.push(move)
    return board


@pytest.mark.parametrize("plies", [40, 700, 12_000, 25_000])
def test_a_position_of_a_long_game_is_set_up_from_its_last_part(plies):
    board = board_after(long_moves(plies))
    fen, moves = fen_and_moves(board)
    assert len(moves) == (plies if plies < 600 else 151)
    game = Game(fen, moves=moves)
    assert game.fen().split()[:4] == board.fen().split()[:4]
    assert game.repetitions() >= 3 and game.position.rule50 >= min(plies, 100)


@pytest.mark.parametrize("stack", [False, 3])
def test_the_counters_of_a_long_game_fit_into_a_fen(stack):
    board = board_after(long_moves(20_500)).copy(stack=stack)
    fen, moves = fen_and_moves(board)
    assert max(map(int, fen.split()[4:])) + len(moves) <= 9999
    assert Game(fen, moves=moves).fen().split()[:4] == board.fen().split()[:4]


def test_the_counters_fit_after_a_pawn_move_too():
    board = board_after(long_moves(12_000))
    board.push_uci("e2e4")
    fen, moves = fen_and_moves(board)
    assert max(map(int, fen.split()[4:])) + len(moves) <= 9999
    assert Game(fen, moves=moves).fen().split()[:5] == board.fen().split()[:5]


def test_the_slices_of_a_long_game_are_short_and_cover_it():
    moves = long_moves(6000, 90)
    slices = slices_of(chess.Board(), moves, SearchEffort(nodes=50))
    assert max(len(part.moves) for part in slices) <= 700 and sum(part.last - part.first + 1 for part in slices) == 6001
    board, end = chess.Board(), 0
    for part in slices:
        cursor = chess.Board(part.fen)
        for move in part.moves[:part.first]:
            cursor.push(move)
        while end < len(moves) and board.fen() != cursor.fen():
            board.push(moves[end])
            end += 1
        assert cursor.fen() == board.fen()


def test_every_board_of_a_long_game_is_the_one_before_its_move():
    game = chess.pgn.Game()
    game.add_line(long_moves(3000, 90))
    review = GameReview([PositionEval(drawn_score(chess.WHITE))] * 3001, {})
    judged = classify_game(game.board(), list(game.mainline_moves()), review)
    assert len(judged) == 3000 and max(len(move.board.move_stack) for move in judged) <= 600
    for ply, node in enumerate(game.mainline()):
        if ply % 500 == 499:
            assert judged[ply].board.fen() == node.parent.board().fen()


class NoSearch:
    """An engine that must not be asked."""

    def clear(self) -> None:
        """There is nothing to clear."""

    def search(self, board: chess.Board, *_: object) -> list[AnalysisInfo]:
        raise AssertionError(board.fen())


@pytest.mark.parametrize("board", [board_after(long_moves(16)), chess.Board("4k3/8/8/8/8/8/4R3/4K3 b - - 150 90")])
def test_a_position_that_ends_the_game_by_itself_is_drawn_without_a_search(board):
    found = evaluate_board(NoSearch(), board, SearchEffort(nodes=50))
    assert found.score == drawn_score(board.turn) and found.line == ()


def test_where_a_draw_must_be_claimed_is_searched():
    for board in (board_after(long_moves(12)), chess.Board("4k3/8/8/8/8/8/4R3/4K3 b - - 149 90")):
        with pytest.raises(AssertionError):
            evaluate_board(NoSearch(), board, SearchEffort(nodes=50))


@pytest.mark.slow
def test_a_game_of_12000_plies_is_annotated(capsys, tmp_path):
    game = chess.pgn.Game()
    game.add_line(long_moves(12_000))
    (tmp_path / "long.pgn").write_text(str(game))
    out = tmp_path / "out.pgn"
    status, _, complaints = run(capsys, "annotate", str(tmp_path / "long.pgn"), "--out", str(out), "--nodes", "50")
    assert (status, complaints) == (0, "")
    with out.open() as file:
        written = chess.pgn.read_game(file)
    assert written is not None and sum(1 for _ in written.mainline()) == 12_000


@pytest.mark.parametrize("broken", ["1. e4 d7) {hm} 2. Nf3 *", "d7){"])
def test_one_malformed_game_costs_no_other(capsys, broken, tmp_path):
    game = '[Event "A"]\n[White "{}"]\n\n1. e4 e5 *\n'
    (tmp_path / "games.pgn").write_text("\n".join([game.format("First"), broken, "", game.format("Last")]))
    out = tmp_path / "out.pgn"
    status, _, complaints = run(capsys, "annotate", str(tmp_path / "games.pgn"), "--out", str(out), "--nodes", "50")
    assert status == 1 and complaints.count("\n") == 1 and "game 2 (? - ?)" in complaints
    assert [line for line in out.read_text().splitlines() if "White" in line] == ['[White "First"]', '[White "Last"]']


def test_a_file_that_is_malformed_from_the_first_byte_is_skipped(capsys, tmp_path):
    (tmp_path / "games.pgn").write_text("d7){")
    status, _, complaints = run(capsys, "annotate", str(tmp_path / "games.pgn"), "--out", str(tmp_path / "out.pgn"),
                                "--nodes", "50")
    skipped, nothing = complaints.splitlines()  # one line for the game, one for the file
    assert status == 2 and skipped.endswith("its moves are malformed") and nothing.endswith("nothing was written")
    assert not (tmp_path / "out.pgn").exists()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="Linux only")
def test_a_file_that_cannot_be_written_is_called_by_its_name(capsys, tmp_path):
    (tmp_path / "games.pgn").write_text("1. e4 e5 *")
    status, _, complaints = run(capsys, "annotate", str(tmp_path / "games.pgn"), "--out", "/proc/annotated.pgn",
                                "--nodes", "50")
    assert status != 0 and "/proc/annotated.pgn:" in complaints and ".progress" not in complaints
