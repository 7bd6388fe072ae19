"""Are mistakes marked, and only mistakes? Measured on suites and on masters' games, where they are at hand."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import chess.pgn
import pytest

import engine
from engine.analysis.marks import Mark, Verdict, verdict_on
from engine.analysis.pgnfile import read_games
from engine.analysis.spans import Effort, judge
from tests.positions import DATA

LONG, SHORT = Effort(nodes=100_000), Effort(nodes=15_000)
LEAST_LOSS = 300
CAP = 3000  # of the scores that are compared, by an eye that knows nothing of the marks' own limits


def judged(adversary: engine.Engine, board: chess.Board, move: chess.Move, effort: Effort) -> Verdict:
    after = board.copy()
    after.push(move)
    adversary.clear()
    there = judge(adversary, after, effort)
    return verdict_on(board, move, judge(adversary, board, effort), there)


def loss(verdict: Verdict) -> int:
    before, after = (max(-CAP, min(score.value, CAP)) for score in (verdict.before, verdict.after))
    return before - after


def blunders(adversary: engine.Engine, number: int) -> Iterator[tuple[chess.Board, chess.Move]]:
    """Moves beside the one that a suite asks for, which a longer search says lose three pawns or more."""
    chance, found = random.Random(1), 0
    lines = [line for line in (DATA / "tactics" / "wac-new.epd").read_text().splitlines() if " bm " in line]
    while found < number:
        for line in lines:
            board = chess.Board()
            best = board.set_epd(line)["bm"]
            assert isinstance(best, list)
            others = [move for move in board.legal_moves if move not in best]
            move = chance.choice(others) if others else None
            if move is not None and found < number and loss(judged(adversary, board, move, LONG)) >= LEAST_LOSS:
                found += 1
                yield board, move


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
@pytest.mark.skipif(not (DATA / "tactics").is_dir(), reason="needs the suites")
def test_known_blunders_are_marked():
    with engine.Engine(hash=16) as adversary:
        marks = [judged(adversary, board, move, SHORT).mark for board, move in blunders(adversary, 200)]
    marked = sum(mark in (Mark.MISTAKE, Mark.BLUNDER) for mark in marks)
    print(f"{marked} of {len(marks)} known blunders are marked ? or ??")
    assert marked >= 0.95 * len(marks)


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "openings" / "master-openings.pgn.xz").is_file(), reason="needs masters' games")
def test_quiet_moves_of_masters_are_not_marked():
    with engine.Engine(hash=16) as adversary:
        marks = [judged(adversary, board, move, SHORT).mark for board, move in quiet_moves(500)]
    marked = sum(mark in (Mark.MISTAKE, Mark.BLUNDER) for mark in marks)
    print(f"{marked} of {len(marks)} quiet moves of masters are marked ? or ??")
    assert marked < 0.02 * len(marks)
