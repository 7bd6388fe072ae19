"""How games end: remarks on results that do not fit the last position, and what moves in won endings count."""

from __future__ import annotations

import io
from dataclasses import replace

import chess
import chess.pgn
import pytest

import engine
from engine.analysis.marks import Mark
from engine.analysis.move_verdicts import MoveVerdict, with_agreeing_mates
from engine.analysis.result_remarks import result_remark
from engine.analysis.results import Score
from eval.wdl import Wdl
from tests.analysis import checker

KPK = """[FEN "8/5k2/8/4K3/4P3/8/8/8 w - - 0 1"]
[SetUp "1"]
[Result "1-0"]

1. Kd6 Kf6 2. e5+ Kf7 3. Kd7 Kf8 4. e6 Kg7 5. e7 Kf7 6. e8=N Kf8 7. Nf6 1-0
"""
EVEN = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"


@pytest.fixture(scope="module")
def adversary():
    with engine.Engine(hash=4) as made:
        yield made


def score(centipawns: int | None, mate: int | None = None, side: chess.Color = chess.WHITE) -> Score:
    is_won = (mate or centipawns or 0) > 0
    return Score(centipawns, mate, Wdl(1000, 0, 0) if is_won else Wdl(0, 0, 1000), side)


def last_move(before: int, after: int, fen: str = EVEN, is_verified: bool = False) -> MoveVerdict:
    board = chess.Board(fen)
    move = next(iter(board.legal_moves))
    return MoveVerdict(40, board, move, Mark.NONE, score(before), score(after), 0.0, (move,), (move,),
                       None, 10, is_verified=is_verified)


@pytest.mark.parametrize(("result", "termination", "before", "after", "remark"), [
    ("1/2-1/2", "", 410, 400, "a draw, although White is winning (+4.00)"),
    ("1/2-1/2", "Game drawn by agreement", -410, -400, "a draw was agreed, although Black is winning (-4.00)"),
    ("1/2-1/2", "", 410, 120, ""),
    ("1/2-1/2", "", 120, 400, ""),  # one of two searches does not see it
    ("1/2-1/2", "Time forfeit", 410, 400, ""),
    ("1/2-1/2", "adjudication", 410, 400, ""),
    ("0-1", "", 420, 400, "a win for Black, although White is winning (+4.00)"),
    ("0-1", "Bob won by resignation", 10, 0, "White resigned, although White is not lost (+0.00)"),
    ("0-1", "Normal", -420, -400, ""),
    ("0-1", "Time forfeit", -420, -400, "White lost on time"),
    ("0-1", "Bob won on time", 20, 30, "White lost on time, although White is not lost (+0.30)"),
    ("0-1", "abandoned", 420, 400, ""),
    ("*", "", 420, 400, ""),
])
def test_a_result_that_does_not_fit_the_position_is_remarked(result, termination, before, after, remark):
    headers = {"Result": result} | ({"Termination": termination} if termination else {})
    assert result_remark(headers, last_move(before, after)) == remark


def test_a_deeper_search_of_the_last_move_is_enough_and_tables_know_better():
    assert result_remark({"Result": "1/2-1/2"}, last_move(120, 400, is_verified=True))
    drawn = "8/8/8/4k3/4P3/8/8/4K3 b - - 0 1"  # Black to move takes the pawn's square
    assert not result_remark({"Result": "1/2-1/2"}, last_move(410, 400, drawn))


def test_a_win_that_is_given_away_in_an_ending_costs_something(adversary):
    game = chess.pgn.read_game(io.StringIO(KPK))
    assert game is not None
    found = adversary.annotate(game, nodes=2000)
    blunder = found.notes[10]
    assert blunder.san == "e8=N" and blunder.mark == "??" and blunder.lost == 0.5
    assert found.white.average_loss >= 50 and found.white.accuracy < 85 and found.black.average_loss == 0
    node = next(node for node in game.mainline() if node.san() == "e8=N")
    variation = node.parent.variations[1]
    assert variation.end().board().is_checkmate(), "shown to the mate"
    written = checker.COMMAND.sub("", node.comment)
    assert "throws away a mate in 5" in written and "e8=Q" not in written, "the better move is in the variation alone"
    assert checker.check_node(node) is None
    assert game.end().comment.endswith("a win for White, although Black is not lost (+0.00)")


def test_what_one_move_allows_is_what_the_next_one_misses():
    board, move = chess.Board("6k1/5ppp/1p6/8/8/8/5PPP/4R1K1 b - - 0 1"), chess.Move.from_uci("b6b5")
    after = board.copy()
    after.push(move)
    missed, mate, escape = (chess.Move.from_uci(text) for text in ("g1f1", "e1e8", "h7h6"))
    slow, fast = score(None, -3, chess.BLACK), score(None, 1)
    allowed = MoveVerdict(1, board, move, Mark.BLUNDER, score(0, None, chess.BLACK), slow, 0.5, (escape,),
                          (move,), None, 10)
    missing = MoveVerdict(2, after, missed, Mark.BLUNDER, fast, score(0), 0.5, (mate,), (missed,), None, 10)
    first, second = with_agreeing_mates([allowed, missing])
    assert second == missing and first.after.mate == -1 and first.played_line == (move, mate)
    short = [replace(allowed, after=score(None, -1, chess.BLACK)), replace(missing, before=score(None, 3))]
    assert with_agreeing_mates(short) == short  # a line without the mate proves nothing
