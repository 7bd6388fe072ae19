"""Puzzles from games: what counts as one, that python-chess agrees with the solutions, and the files."""

from __future__ import annotations

import json
from collections.abc import Sequence

import chess
import chess.pgn
import pytest

from engine.analysis.engine import Engine
from engine.analysis.results import Score, drawn_score
from engine.analysis.review import PositionEval, SearchEffort
from engine.coach.puzzle import Goal, Puzzle, RefutedTry, puzzle_from_json
from engine.coach.puzzle_files import FORMATS, read_puzzles
from engine.coach.puzzle_finder import (
    PuzzleTask,
    divide_effort,
    goal_of,
    is_as_good,
    mistakes_of,
    multiply_effort,
    themes_of,
)
from engine.coach.puzzle_rating import estimated_rating
from engine.system.errors import InputError
from engine.system.resumable_file import ResumableFile
from eval.wdl import Wdl
from tests.commands.running import run

LEGAL = """[White "Legal"]
[Black "Saint Brie"]
[Event "Paris"]
[Date "1750.??.??"]

1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0

"""
FORK = """[White "A"]
[Black "B"]
[FEN "4k3/8/8/1q6/8/2N5/8/R3K3 b - - 0 1"]

1... Qc4 2. Kd2 Qd4+ 3. Ke1 Qe5+ 4. Kd2 Kd7 5. Ra7+ Kc6 6. Rh7 Qd4+ 7. Ke2 Kb6 8. Nd5+ Qxd5 *

"""
QUIET = '[White "C"]\n[Black "D"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1/2-1/2\n\n'
LOST = '[FEN "7k/8/8/8/8/8/qq6/7K w - - 0 1"]\n\n1. Kg1 Qbb1# 0-1\n'
VARIANT = '[Variant "Atomic"]\n\n1. e4 e5 *\n'


def centipawns(value: int) -> Score:
    return Score(value, None, Wdl(0, 1000, 0))


MATE = Score(None, 2, Wdl(1000, 0, 0))
LONG_MATE = Score(None, 9, Wdl(1000, 0, 0))
MATED = Score(None, -2, Wdl(0, 0, 1000))


@pytest.mark.parametrize(("best", "second", "goal"), [
    (MATE, centipawns(50), Goal.MATE),
    (MATE, MATED, Goal.MATE),
    (MATE, MATE, None),
    (MATE, centipawns(600), Goal.MATE),  # it wins as well, but mates in two no more
    (LONG_MATE, centipawns(600), None),  # nobody looks for a mate in nine there
    (LONG_MATE, centipawns(0), Goal.MATE),
    (centipawns(500), centipawns(0), Goal.WIN),
    (centipawns(900), centipawns(300), None),
    (centipawns(120), centipawns(-100), None),  # no win
    (centipawns(0), centipawns(-400), Goal.SAVE),
    (centipawns(-20), MATED, Goal.SAVE),
    (centipawns(-300), MATED, None),  # lost anyway
    (centipawns(500), None, None),  # the only legal move
])
def test_the_goal_by_the_scores_of_the_two_best_moves(best, second, goal):
    assert goal_of(best, second) is goal


def evals_of(*scores: tuple[Score, Score]) -> list[PositionEval]:
    return [PositionEval(best, (chess.Move.from_uci("a2a3"),), second) for best, second in scores]


def test_a_puzzle_comes_after_a_mistake():
    board, moves = chess.Board(), [chess.Move.from_uci(text) for text in ("e2e4", "e7e5", "g1f3")]
    even, only = (centipawns(0), centipawns(-10)), (centipawns(500), centipawns(0))
    lost = (centipawns(-500), centipawns(-600))
    (task,) = mistakes_of(board, moves, evals_of(even, even, only, lost), SearchEffort(nodes=100))
    assert task.moves == tuple(moves[:2])
    assert task.played == moves[2]
    was_won = (centipawns(-480), centipawns(-500))  # nothing was lost by the move before
    assert not mistakes_of(board, moves, evals_of(even, was_won, only, lost), SearchEffort(nodes=100))
    assert not mistakes_of(board, moves, evals_of(even, even, even, even), SearchEffort(nodes=100))


def test_a_mate_that_was_allowed_is_suspected_in_a_lost_game():
    board, moves = chess.Board(), [chess.Move.from_uci(text) for text in ("e2e4", "e7e5")]
    winning, mating = (centipawns(900), centipawns(800)), (MATE, centipawns(800))
    lost, mated = (centipawns(-900), centipawns(-950)), (MATED, MATED)
    assert len(mistakes_of(board, moves, evals_of(winning, lost, mating), SearchEffort(nodes=100))) == 1
    assert not mistakes_of(board, moves, evals_of(winning, mated, mating), SearchEffort(nodes=100))


def test_a_move_that_wins_more_slowly_is_good_too():
    assert is_as_good(MATE, centipawns(600))
    assert not is_as_good(MATE, centipawns(50))
    assert not is_as_good(centipawns(500), centipawns(0))


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The puzzles of two games, in each format."""
    folder = tmp_path_factory.mktemp("puzzles")
    source = folder / "games.pgn"
    source.write_text(QUIET + LEGAL + FORK)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for suffix in FORMATS:
            assert run_quietly("puzzles", "games.pgn", "--out", f"out{suffix}", "--nodes", "3000") == 0
    return {suffix: read_puzzles(folder / f"out{suffix}") for suffix in FORMATS}


def run_quietly(*words: str) -> int | str | None:
    from engine.__main__ import main

    return main(words)


def test_legals_mate_is_found(found):
    puzzle = found[".json"][0]
    assert puzzle.mistake == "Bxd1"
    assert puzzle.source == "Legal - Saint Brie, Paris 1750, move 6"
    assert puzzle.themes[0] == "mate in 2"
    board = puzzle.board()
    assert board.variation_san(puzzle.solution) == "6. Bxf7+ Ke7 7. Nd5#"
    assert puzzle.board(3).is_checkmate()
    assert puzzle.tries and not any("mate" in known.reason for known in puzzle.tries)  # the solution's, not theirs
    for known in puzzle.tries:
        cursor = puzzle.board(known.ply)
        for move in (known.move, *known.refutation):
            assert cursor.is_legal(move)
            cursor.push(move)


def test_all_formats_have_the_same_puzzles(found):
    assert found[".pgn"] == found[".json"]
    assert [(puzzle.fen, puzzle.solution, puzzle.themes, puzzle.rating, puzzle.id, puzzle.goal, puzzle.source)
            for puzzle in found[".epd"]] == [(puzzle.fen, puzzle.solution, puzzle.themes, puzzle.rating, puzzle.id,
                                              puzzle.goal, puzzle.source) for puzzle in found[".json"]]


@pytest.mark.parametrize("suffix", FORMATS)
def test_an_interrupted_run_is_resumed(capsys, tmp_path, suffix):
    source, whole, torn = tmp_path / "games.pgn", tmp_path / f"whole{suffix}", tmp_path / f"torn{suffix}"
    source.write_text(LEGAL + QUIET + LEGAL + FORK)
    words = ("puzzles", str(source), "--nodes", "2000", "--out")
    assert run(capsys, *words, str(whole))[0] == 0
    original = ResumableFile.add
    for games_before in (1, 4):  # and before the end of the list is written

        def stop(self, text, row, games_before=games_before):
            if len(self.rows) == games_before:
                raise KeyboardInterrupt
            original(self, text, row)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ResumableFile, "add", stop)
            assert run(capsys, *words, str(torn))[0] == 130
    status, out, _ = run(capsys, *words, str(torn), "--json")
    assert status == 0
    assert torn.read_text() == whole.read_text()
    puzzles = read_puzzles(torn)
    assert json.loads(out)["puzzles"] == len({puzzle.id for puzzle in puzzles}) == len(puzzles) > 1


def test_a_resumed_run_remembers_that_it_skipped_a_game(capsys, tmp_path):
    source, out = tmp_path / "games.pgn", tmp_path / "out.json"
    source.write_text(VARIANT + LEGAL + QUIET)
    words = ("puzzles", str(source), "--nodes", "2000", "--concurrency", "1", "--out", str(out))
    original = ResumableFile.add

    def stop(self, text, row):
        if self.rows:
            raise KeyboardInterrupt
        original(self, text, row)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ResumableFile, "add", stop)
        assert run(capsys, *words)[0] == 130
    status, _, err = run(capsys, *words)
    assert "skipped" not in err  # it was said by the first run
    assert status == 1


def test_what_may_be_a_puzzle_is_searched_longer():
    assert multiply_effort(SearchEffort(nodes=100), 5, 2) == SearchEffort(nodes=1000)
    assert [multiply_effort(SearchEffort(depth=8), times, 2).depth for times in (1, 2, 5)] == [8, 9, 10]
    assert multiply_effort(SearchEffort(depth=127), 5).depth == 127
    efforts = SearchEffort(nodes=4000), SearchEffort(nodes=3), SearchEffort(depth=10)
    assert [divide_effort(effort, 8) for effort in efforts
            ] == [SearchEffort(nodes=500), SearchEffort(nodes=1), SearchEffort(depth=7)]


def test_other_positions_are_not_overwritten(capsys, tmp_path):
    source, mine = tmp_path / "games.pgn", tmp_path / "mine.epd"
    source.write_text(LEGAL)
    mine.write_text("4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8+;\n")
    status, _, err = run(capsys, "puzzles", str(source), "--out", str(mine), "--nodes", "500")
    assert (status, "refusing to overwrite" in err) == (2, True)


@pytest.mark.parametrize(("text", "name", "message"), [
    ("", "out.json", "contains no games"), (LOST, "out.pgn", "no puzzles in"), (QUIET, "out.epd", "no puzzles in"),
    (VARIANT, "out.json", "none of the games"), (LEGAL, "out.txt", "ends in .pgn, .epd or .json")])
def test_bad_input_gets_one_line(capsys, tmp_path, text, name, message):
    source = tmp_path / "games.pgn"
    source.write_text(text)
    status, out, err = run(capsys, "puzzles", str(source), "--out", str(tmp_path / name), "--nodes", "500")
    assert status == 2
    assert out == ""
    assert message in err.splitlines()[-1]
    assert list(tmp_path.iterdir()) == [source]


SMOTHERED = Puzzle("5r1k/6pp/7N/8/2Q5/8/6PP/6K1 w - - 0 1", tuple(map(chess.Move.from_uci, (
    "c4g8", "f8g8", "h6f7"))), Goal.MATE, ("mate in 2",), 1100, (RefutedTry(0, chess.Move.from_uci("h6f7"), (
        chess.Move.from_uci("f8f7"),), "loses the knight"),), "A - B", "Kh8")


@pytest.mark.parametrize("suffix", [".json", ".pgn"])
def test_a_puzzle_is_read_as_it_was_written(tmp_path, suffix):
    path, form = tmp_path / f"one{suffix}", FORMATS[suffix]
    path.write_text(form.begin + form.between.join([form.text(SMOTHERED)] * 2) + form.end)
    assert read_puzzles(path) == [SMOTHERED, SMOTHERED]


def test_null_moves_in_variations_are_no_tries(tmp_path):
    """They are legal in PGN, where they show threats."""
    path = tmp_path / "threats.pgn"
    path.write_text(f'[FEN "{SMOTHERED.fen}"]\n\n1. Qg8+ (1. -- Rf7) (1. Qb4 Re8 2. -- Re1+) Rxg8 2. Nf7# *\n')
    (puzzle,) = read_puzzles(path)
    assert [(known.move.uci(), [move.uci() for move in known.refutation]) for known in puzzle.tries] == [
        ("c4b4", ["f8e8"])]
    assert puzzle_from_json(puzzle.as_json()) == puzzle


@pytest.mark.parametrize("rating", ["5000", "9" * 5000, "x"])
def test_impossible_ratings_are_ignored(tmp_path, rating):
    for suffix, before in ((".pgn", '"1100"'), (".epd", "rating 1100")):
        path = tmp_path / f"rated{suffix}"
        path.write_text(FORMATS[suffix].text(SMOTHERED).replace(before, before.replace("1100", rating)))
        assert read_puzzles(path)[0].rating == 1500


def test_an_error_in_a_pgn_names_the_file_and_the_game(tmp_path):
    path = tmp_path / "bad.pgn"
    path.write_text(FORMATS[".pgn"].text(SMOTHERED) + '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n*\n')
    with pytest.raises(InputError, match=r"bad\.pgn, game 2"):
        read_puzzles(path)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_chess960_puzzle_keeps_its_castling_rights(tmp_path, suffix):
    board = chess.Board("4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1", chess960=True)
    puzzle = Puzzle(board.fen(shredder=True), (board.parse_san("O-O"),), Goal.WIN, ("win",), 900, chess960=True)
    path, form = tmp_path / f"one{suffix}", FORMATS[suffix]
    path.write_text(form.begin + form.text(puzzle) + form.end)
    assert read_puzzles(path) == [puzzle]


def test_a_puzzle_accepts_any_mate_and_nothing_else():
    back_rank = Puzzle("6k1/5ppp/8/8/8/8/5PPP/RR4K1 w - - 0 1", (chess.Move.from_uci("a1a8"),), Goal.MATE)
    assert back_rank.is_right(0, chess.Move.from_uci("b1b8"))
    assert not back_rank.is_right(0, chess.Move.from_uci("a1a7"))
    assert SMOTHERED.is_right(2, chess.Move.from_uci("h6f7"))
    assert SMOTHERED.refuted_try(0, chess.Move.from_uci("h6f7")) == SMOTHERED.tries[0]


def test_themes_are_those_that_the_solution_proves():
    assert themes_of(SMOTHERED.board(), SMOTHERED.solution, Goal.MATE) == (
        "mate in 2", "endgame", "smothered mate")


@pytest.mark.parametrize(("change", "message"), [
    ({"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}, "not a legal position"), ({"fen": 1}, "needs fen and moves"),
    ({"fen": "x"}, "not a FEN"), ({"moves": ["c4c5", "f8f1"]}, None), ({"moves": []}, "no solution"),
    ({"moves": ["c4c9"]}, "c4c9"), ({"moves": "c4g8"}, "needs fen and moves"), ({"tries": [{"ply": 0}]}, "refuted try"),
    ({"tries": [{"ply": 1, "move": "f8g8", "refutation": []}]}, "refuted try"), ({"rating": "x", "themes": 3}, None)])
def test_invalid_puzzles_are_refused(change, message):
    value = {**SMOTHERED.as_json(), "tries": [], **change}
    if message is None:
        assert len(puzzle_from_json(value).solution) % 2 == 1
    else:
        with pytest.raises(InputError, match=message):
            puzzle_from_json(value)


@pytest.mark.parametrize(("name", "text"), [
    ("a.json", "{}"), ("a.json", "[]"), ("a.json", "[1]"), ("a.json", "nothing"), ("a.pgn", LEGAL), ("a.pgn", ""),
    ("a.pgn", VARIANT), ("a.epd", ""), ("a.epd", "8/8/8/8 w - -"), ("a.epd", "4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8+;"),
    ("a.txt", "")])
def test_files_that_are_not_puzzles_are_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as refused:
        read_puzzles(tmp_path / name)
    assert "\n" not in str(refused.value)


def test_harder_puzzles_get_a_higher_rating():
    """A mate in one by a check, and a quiet move that a search needs its whole time to find."""
    easy = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    hard = chess.Board("8/8/8/5k1K/8/8/8/6Q1 w - - 0 1")
    assert estimated_rating(easy, (chess.Move.from_uci("a1a8"),), 10) < 900
    assert estimated_rating(hard, (chess.Move.from_uci("g1g8"),), 20_000) > 1300


@pytest.mark.parametrize(("fen", "nodes", "right"), [
    ("8/6p1/4K2p/7P/8/6k1/6P1/8 w - - 4 62", 5000, 5),  # after 65.g3 Kh3, 66.Kh7 goes back to 66.Kxg7 and wins too
    ("1rb2rk1/5p1p/1q1p1Bpb/1B6/P3p3/3nN3/1P1Q2PP/R4R1K w - - 2 23", 5000, 0),  # 23.Nf5 wins as 23.Nd5 does
    ("8/1p2q1pk/5np1/Pp1n1p2/3Q4/3P1BP1/1B5P/6K1 b - - 7 39", 10_000, 1)])  # 40...Qd2+ wins as 40...Ne3+ does
def test_another_way_to_win_is_no_part_of_a_puzzle(fen, nodes, right):
    """The two best lines alone took each for a puzzle, the last even with the other moves searched after them."""
    assert len(solved(fen, nodes=nodes)) <= right


def test_a_repetition_of_the_moves_of_the_game_saves_nobody():
    """34...Kh7 leads to a position of the game for the third time, and to a lost one for who sees only the puzzle."""
    moves = "d5e4 h4e7 h7g6 e7e8 g6h7 e8d7 h7g6 d7e8 g6h7 e8h8 h7g6 h8e8"
    assert not solved("8/p1p4k/1p5p/3qBr2/4RP1Q/8/PP4PP/6K1 b - - 0 28", moves, 3000)


def solved(fen: str, moves: str = "", nodes: int = 5000) -> Sequence[chess.Move]:
    """The solution of the puzzle after some moves, if it is one."""
    played = tuple(map(chess.Move.from_uci, moves.split()))
    with Engine(hash=16) as engine:
        puzzle = PuzzleTask(fen, False, played, None, SearchEffort(nodes=nodes, hash=16)).run(engine)
    return puzzle.solution if puzzle else ()


def test_a_draw_is_no_puzzle():
    assert goal_of(drawn_score(chess.WHITE), centipawns(-100)) is None
