"""Are mistakes marked, and only mistakes? Measured on suites and on masters' games, where they are at hand."""

from __future__ import annotations

import io
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest

import engine
from engine.analysis.annotation import player_name
from engine.analysis.marks import Mark, loss_between, mark_of_scores
from engine.analysis.move_verdicts import classify_game
from engine.analysis.pgn_reader import read_games
from engine.analysis.results import Score
from engine.analysis.review import SearchEffort
from engine.analysis.review_driver import GameReview, review_game
from engine.analysis.verification import VerifiedMove
from eval.wdl import Wdl
from tests.positions import DATA

SUITES = ("wac-new", "bratko-kopec", "kaufman", "lct2", "ccr-one-hour", "sts-v3-lan", "iq4", "eet")
JUDGE = Path("/usr/games/stockfish")
EFFORT = SearchEffort(nodes=40_000)
GLANCE, LOOK = chess.engine.Limit(nodes=8_000), chess.engine.Limit(nodes=60_000)  # of the judges, for one line
WORKERS = 8
LEAST_LOSS = 300
CAP = 2000  # of the judges' scores: a mate is no more than this
MARKED = (Mark.MISTAKE, Mark.BLUNDER)


def mark_of(adversary: engine.Engine, board: chess.Board, move: chess.Move) -> Mark:
    """As `annotate` marks it."""
    start = board.copy(stack=False)
    return classify_game(start, [move], review_game(adversary, start, [move], EFFORT))[0].mark


def problems() -> list[tuple[chess.Board, list[chess.Move]]]:
    """The positions of the suites with their best moves, in an order that mixes the suites."""
    found = []
    for suite in SUITES:
        for line in (DATA / "tactics" / f"{suite}.epd").read_text().splitlines():
            board = chess.Board()
            best = board.set_epd(line).get("bm") if " bm " in line else None
            if isinstance(best, list):
                found.append((board, best))
    random.Random(1).shuffle(found)
    return found


class Judges:
    """Processes of another engine, one a thread, which say what a move loses."""

    def __init__(self) -> None:
        self._own, self._all = threading.local(), list[chess.engine.SimpleEngine]()

    def loss(self, task: tuple[chess.Board, chess.Move]) -> int:
        """Centipawns that a move loses beside the best one; what a quick look clears is not looked at for long."""
        if not hasattr(self._own, "engine"):
            self._own.engine = chess.engine.SimpleEngine.popen_uci(str(JUDGE))
            self._all.append(self._own.engine)
        losses = (self._value(task[0], None, effort) - self._value(*task, effort) for effort in (GLANCE, LOOK))
        return next((lost for lost in losses if lost < LEAST_LOSS), LEAST_LOSS)

    def _value(self, board: chess.Board, move: chess.Move | None, effort: chess.engine.Limit) -> int:
        info = self._own.engine.analyse(board, effort, root_moves=None if move is None else [move])
        return max(-CAP, min(info["score"].relative.score(mate_score=CAP), CAP))

    def close(self) -> None:
        for judge_engine in self._all:
            judge_engine.quit()


def blunders(number: int) -> Iterator[tuple[chess.Board, chess.Move]]:
    """Moves that no suite asks for and that the judges say lose three pawns or more."""
    chance, judges, tasks = random.Random(1), Judges(), []
    for board, best in problems():
        others = [move for move in board.legal_moves if move not in best]
        if others:
            tasks.append((board, chance.choice(others)))
    pool = ThreadPoolExecutor(WORKERS)
    losing = (task for task, lost in zip(tasks, pool.map(judges.loss, tasks), strict=True) if lost >= LEAST_LOSS)
    try:
        yield from islice(losing, number)
    finally:
        pool.shutdown(cancel_futures=True)
        judges.close()


def quiet_moves(number: int) -> Iterator[tuple[chess.Board, chess.Move]]:
    """Masters' moves that take nothing and give no check, one a game, from its second half."""
    chance, found = random.Random(1), 0
    for _, game in read_games(DATA / "openings" / "master-openings.pgn.xz"):
        if found == number:
            return
        if isinstance(game, str) or chance.random() < 0.5:
            continue
        nodes = list(game.mainline())
        quiet = [node for node in nodes[len(nodes) // 2 :]
                 if not node.parent.board().is_capture(node.move) and not node.board().is_check()]
        if quiet:
            node = chance.choice(quiet)
            found += 1
            yield node.parent.board(), node.move


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "tactics").is_dir() or not JUDGE.exists(), reason="needs the suites and a judge")
def test_known_blunders_are_marked():
    marks = []
    with engine.Engine(hash=16) as adversary:
        for board, move in blunders(200):
            marks.append(mark_of(adversary, board, move))
            if marks[-1] not in MARKED:
                print(f"{board.fen()} {board.san(move)} gets {marks[-1].text or 'no mark'}", flush=True)
    marked = sum(mark in MARKED for mark in marks)
    print(f"{marked} of {len(marks)} known blunders are marked ? or ??")
    assert len(marks) == 200 and marked >= 0.95 * len(marks)


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "openings" / "master-openings.pgn.xz").is_file(), reason="needs masters' games")
def test_quiet_moves_of_masters_are_not_marked():
    marks = []
    with engine.Engine(hash=16) as adversary:
        for board, move in quiet_moves(500):
            marks.append(mark_of(adversary, board, move))
            if marks[-1] in MARKED:
                print(f"{board.fen()} {board.san(move)} gets {marks[-1].text}")
    marked = sum(mark in MARKED for mark in marks)
    print(f"{marked} of {len(marks)} quiet moves of masters are marked ? or ??")
    assert len(marks) == 500 and marked < 0.02 * len(marks)


def test_the_fools_mate_has_a_name_and_no_accuracy_of_a_hundred():
    """All of it has names in the list of openings, but theory ends with the first mistake."""
    game = chess.pgn.read_game(io.StringIO("1. f3 e5 2. g4 Qh4# 0-1"))
    with engine.Engine(hash=4) as adversary:
        found = adversary.annotate(game, nodes=10_000)
    assert [note.mark for note in found.notes] == ["", "", "??", ""]
    assert found.white.accuracy is not None and found.white.accuracy < 50
    assert player_name(game, chess.WHITE) == "White"


def test_the_end_of_an_evaluation_by_the_tables_is_a_mate():
    text = '[FEN "8/8/8/4k3/8/8/1Q6/4K3 b - - 0 1"]\n[SetUp "1"]\n\n1... Kd5 2. Qb4 *'
    game = chess.pgn.read_game(io.StringIO(text))
    with engine.Engine(hash=4) as adversary:
        adversary.annotate(game, nodes=2000)
    assert all(abs(node.eval().relative.score(mate_score=10_000)) < 10_000 and node.eval().relative.is_mate()
               for node in game.mainline())


@pytest.mark.parametrize(("played", "scores", "mark"), [
    ("h3 Bxc3 Rbc1 Ba5 Rc2", (500, 300), "?!"),
    ("h3 h6 Ne4", (500, 300), ""),  # nothing is lost that the line shows
    ("h3 Bxc3 Rbc1 Ba5 Rc2", (500, 420), ""),  # little is lost
])
def test_a_piece_that_is_lost_in_a_decided_game_is_marked(played, scores, mark):
    board = chess.Board("r5k1/1p3ppp/8/4b3/8/2N5/P4PPP/1R1R2K1 w - - 0 30")
    lines = []
    for sans in ("Ne4 b6 Rd7", played):
        cursor = board.copy()
        lines.append(tuple(cursor.push_san(san) for san in sans.split()))
    best, after = (Score(value, None, Wdl(990, 10, 0)) for value in scores)
    lost = loss_between(best, after)
    verified = VerifiedMove(mark_of_scores(best, after), lost, best, lines[0], after, lines[1], None, 12, 1000)
    assert verified.mark is Mark.NONE
    [verdict] = classify_game(board, lines[1][:1], GameReview([], {0: verified}))
    assert verdict.mark.text == mark
