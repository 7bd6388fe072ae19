"""What the Python interface takes: moves as text, and one clear ValueError for everything else."""

from __future__ import annotations

import io

import chess
import chess.pgn
import pytest

import engine

PROMOTION = "8/P6k/8/8/8/8/7K/8 w - - 0 1"
CASTLING = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
SEVENTY_FIVE_MOVES = "8/8/8/3k4/8/3K4/4R3/8 w - - 150 200"


@pytest.fixture(scope="module")
def adversary():
    with engine.Engine(hash=4) as made:
        yield made


@pytest.mark.parametrize(("fen", "text", "uci"), [
    (chess.STARTING_FEN, "e4", "e2e4"), (chess.STARTING_FEN, "g1f3", "g1f3"), (chess.STARTING_FEN, "Nf3", "g1f3"),
    (PROMOTION, "a8=Q", "a7a8q"), (CASTLING, "O-O", "e1g1"), (CASTLING, "e1g1", "e1g1")])
def test_a_move_may_be_text(adversary, fen, text, uci):
    board = chess.Board(fen)
    move = chess.Move.from_uci(uci)
    assert {info.move for info in adversary.analyse(board, depth=3, moves=[text])} == {move}
    assert adversary.explain(board, text, nodes=2000).move == board.san(move)


def test_castling_may_be_written_as_king_takes_rook(adversary):
    taking = chess.Move.from_uci("e1h1")
    assert {info.move.uci() for info in adversary.analyse(CASTLING, depth=2, moves=[taking, "Kd2"])} <= {"e1g1", "e1d2"}


@pytest.mark.parametrize("move", [5, 1.5, b"e4", chess.E4, ("e2", "e4"), chess.Board()])
def test_what_is_no_move_is_refused(adversary, move):
    for call in (lambda: adversary.explain(chess.Board(), move, depth=1),
                 lambda: list(adversary.analyse(chess.Board(), depth=1, moves=[move]))):
        with pytest.raises(ValueError, match=r"^expected a chess\.Move, or a move in SAN or UCI") as error:
            call()
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("move", ["e5", "", "Ke2", "e2e5", "nonsense", "--", chess.Move.null(),
                                  chess.Move.from_uci("e2e5")])
def test_illegal_moves_are_refused(adversary, move):
    for call in (lambda: adversary.explain(chess.Board(), move, depth=1),
                 lambda: list(adversary.analyse(chess.Board(), depth=1, moves=[move]))):
        with pytest.raises(ValueError, match="is not a legal move in rnbqkbnr"):
            call()


@pytest.mark.parametrize("moves", [[], (), iter([]), "e4", chess.Move.from_uci("e2e4"), 5])
def test_moves_must_be_some_moves(adversary, moves):
    with pytest.raises(ValueError, match=r"^moves must be a list of at least one move, got "):
        list(adversary.analyse(chess.Board(), depth=1, moves=moves))


def test_without_moves_all_are_searched(adversary):
    assert adversary.analyse(chess.Board(), depth=1, moves=None)
    lines = {info.move for info in adversary.analyse(chess.Board(), depth=2, multipv=20)}
    assert len(lines) == chess.Board().legal_moves.count()


@pytest.mark.parametrize("options", [{1: 2}, {None: "x"}, {("Hash",): 1}, [("Hash", 1)], "Hash", 5])
def test_options_that_are_no_names_with_values_are_refused(options):
    with pytest.raises(ValueError, match=r"^options must be ") as error:
        engine.Engine(options=options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("field", "value"), [
    ("halfmove_clock", -1), ("halfmove_clock", -(1 << 70)), ("halfmove_clock", "x"), ("ep_square", 64),
    ("ep_square", -1), ("ep_square", 1 << 70)])
def test_fields_out_of_range_are_refused(adversary, field, value):
    board = chess.Board()
    setattr(board, field, value)
    with pytest.raises(ValueError, match="is not a legal position") as error:
        adversary.evaluate(board)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("clock", [0, 100, 150, 9999, 1 << 40])
def test_any_halfmove_clock_can_be_evaluated(adversary, clock):
    board = chess.Board()
    board.halfmove_clock = clock
    assert abs(adversary.evaluate(board).centipawns) < 100


def game_of(moves: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(moves))
    assert game is not None
    return game


def test_a_game_with_a_null_move_is_not_annotated(adversary):
    game = game_of("1. e4 e5 2. -- Nc6 *")
    before = str(game)
    with pytest.raises(ValueError, match="it has a null move in its main line"):
        adversary.annotate(game, nodes=100)
    assert str(game) == before
    assert len(adversary.annotate(game_of("1. e4 e5 (1... Nc6 2. -- e5) *"), nodes=100).notes) == 2


@pytest.mark.parametrize("game", [None, "1. e4 e5", chess.Board(), 5])
def test_what_is_no_game_is_refused(adversary, game):
    with pytest.raises(ValueError, match=r"^expected a chess\.pgn\.Game, got "):
        adversary.annotate(game, nodes=100)


@pytest.mark.parametrize(("board", "state"), [
    (chess.Board(SEVENTY_FIVE_MOVES), "the game is drawn by the 75-move rule"),
    (chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), "stalemate: Black has no move, the game is drawn"),
    (chess.Board("8/8/8/3k4/8/3K4/4B3/8 w - - 0 1"), "neither side can mate: the game is drawn"),
    (chess.Board("7k/6Q1/6K1/8/8/8/8/8 b - - 150 200"), "checkmate: White has won")])
def test_a_game_that_is_over_is_explained_by_its_end(adversary, board, state):
    for move in (None, *list(board.legal_moves)[:1]):
        explanation = adversary.explain(board, move)
        assert (explanation.state, list(explanation.lines())) == (state, [state])


def test_a_fivefold_repetition_is_known_from_the_moves(adversary):
    board = chess.Board()
    for _ in range(4):
        for text in ("Nf3", "Nf6", "Ng1", "Ng8"):
            board.push_san(text)
    assert list(adversary.explain(board).lines()) == ["the game is drawn by fivefold repetition"]
    assert list(adversary.explain(chess.Board(board.fen()), nodes=100).lines()) != []
