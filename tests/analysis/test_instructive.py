"""Whether `explain` says of instructive positions what a coach would say."""

from __future__ import annotations

import re

import chess
import pytest

import engine
from tests.analysis.instructive_cases import CASES

NODES = 40_000
QUICK = ("fork", "Greek gift, sound", "fork trick", "opposition", "minority attack", "quiet killer")


def said(adversary: engine.Engine, fen: str, san: str, nodes: int) -> str:
    board = chess.Board(fen)
    adversary.clear()
    return " | ".join(adversary.explain(board, board.parse_san(san), nodes=nodes).lines())


@pytest.fixture(scope="module")
def adversary():
    with engine.Engine(hash=16) as made:
        yield made


@pytest.mark.parametrize("case", [case for case in CASES if case.name in QUICK], ids=lambda case: case.name)
def test_the_sentence_that_must_come(adversary, case):
    assert re.search(f"(?i:{case.words})", said(adversary, case.fen, case.san, NODES))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("nodes", [NODES, 200_000])
def test_the_sentence_does_not_depend_on_the_effort(adversary, case, nodes):
    assert re.search(f"(?i:{case.words})", said(adversary, case.fen, case.san, nodes))
