"""`compare levels`: pairings, the fit, the file of games, and what is counted of likeness."""

from __future__ import annotations

import json
import shlex
import sys

import chess
import pytest

from book.polyglot import BUILT_IN, Book
from engine.lab.arena.records import GameRecord, MoveRecord, Opening
from engine.lab.arena.statistics import score_of
from engine.lab.compare.level_games import PlayedLevelGame, append_game, drop_incomplete_game, read_games
from engine.lab.compare.level_match import (
    CLOCK,
    CLOCK_TEXT,
    LevelMatch,
    anchor_name,
    anchor_spec,
    level_name,
    level_spec,
    missing_games,
    rows_of,
)
from engine.lab.compare.likeness import (
    LevelMove,
    count_likeness,
    first_ply_outside,
    is_in_book,
    judge_moves,
    recaptures_in,
    sides_of,
)
from engine.system.errors import InputError
from tests.commands.running import run

OWN = f"{shlex.quote(sys.executable)} -m engine"


def game_of(moves: str, players: tuple[str, str]) -> PlayedLevelGame:
    board = chess.Board()
    return PlayedLevelGame(players, "1-0", tuple(board.push_san(san).uci() for san in moves.split()))


def test_levels_meet_the_nearest_anchors_their_neighbours_and_bots():
    pairs = [(first.name, second.name) for first, second in LevelMatch((400, 800, 1600), "stockfish", 2).pairings()]
    assert ("level 1600", anchor_name(1550)) in pairs and ("level 1600", anchor_name(1650)) in pairs
    assert ("level 1600", "level 800") in pairs and ("level 800", "level 400") in pairs
    assert ("level 400", "random mover") in pairs and ("level 1600", "random mover") not in pairs
    assert ("level 800", anchor_name(1350)) in pairs and ("level 400", anchor_name(1350)) not in pairs


def test_all_play_as_users_meet_them():
    """Anchors and levels on the same clock, with nothing set but their strength; others do not count."""
    anchor, level = anchor_spec("stockfish", 1550), level_spec(1600)
    assert anchor.depth is None and level.depth is None and set(anchor.options) == set(level.options) == {
        "UCI_LimitStrength", "UCI_Elo"}
    assert (CLOCK.base, CLOCK.increment, CLOCK.nodes, CLOCK_TEXT) == (10, 0.1, None, "10+0.1")
    older = PlayedLevelGame(("level 1600", "anchor 1550"), "1-0", ())  # held to a depth
    assert rows_of([older], LevelMatch((1600,), "stockfish", 1)) == []


def test_forfeited_games_are_played_again():
    """Of three games for each of two pairings, one is there, one was forfeited."""
    names = ("level 1600", anchor_name(1550))
    games = [PlayedLevelGame(names, "1-0", ()), PlayedLevelGame(names[::-1], "1-0", (), is_forfeited=True)]
    missing = missing_games(LevelMatch((1600,), "stockfish", 3), games)
    assert [shard.second.name for shard in missing] == [names[1]] * 2 + [anchor_name(1650)] * 3


def test_every_level_is_linked_to_an_anchor():
    linked = {anchor_name(1350)}
    pairs = [(first.name, second.name) for first, second in LevelMatch(tuple(range(400, 2801, 200)), "x", 2).pairings()]
    for _ in pairs:
        linked |= {name for pair in pairs if linked & set(pair) for name in pair}
    assert all(level_name(level) in linked for level in range(400, 2801, 200))


def test_the_fit_finds_the_strength_of_levels():
    """Level 1000 met only level 1200, which met two anchors."""
    truth = {"level 1000": 1010.0, "level 1200": 1230.0, anchor_name(1350): 1350.0, anchor_name(1450): 1450.0}
    games = []
    for first, second in [("level 1200", other) for other in (anchor_name(1350), anchor_name(1450), "level 1000")]:
        wins = round(1000 * score_of(truth[first] - truth[second]))
        games += [PlayedLevelGame((first, second), "1-0" if number < wins else "0-1", ()) for number in range(1000)]
    low, high = rows_of(games, LevelMatch((1000, 1200), "stockfish", 2))
    assert low.elo == pytest.approx(1010, abs=10) and high.elo == pytest.approx(1230, abs=10)
    assert 0 < high.error < 30 and high.games == 3000 and low.below is None and high.forfeits == 0
    assert high.below is not None and high.below[1] == 1000
    assert [(elo, games) for elo, _, games in high.anchors] == [(1350, 1000), (1450, 1000)]


def test_a_level_without_a_link_to_an_anchor_has_no_rating():
    apart = [PlayedLevelGame(("level 400", "random mover"), "1-0", ())] * 5
    assert rows_of(apart, LevelMatch((400, 800), "stockfish", 2)) == []
    games = [*apart, PlayedLevelGame(("level 800", anchor_name(1350)), "0-1", ())]
    assert [row.level for row in rows_of(games, LevelMatch((400, 800), "stockfish", 2))] == [800]
    games.append(PlayedLevelGame(("level 800", "level 400"), "1-0", ()))
    assert [row.level for row in rows_of(games, LevelMatch((400, 800), "stockfish", 2))] == [400, 800]


def test_what_is_in_the_book_is_recognised_castling_too():
    with Book(BUILT_IN) as book:
        board = chess.Board()
        for san in "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6".split():
            assert is_in_book(LevelMove(board.copy(), board.parse_san(san)), book)
            board.push_san(san)
        assert is_in_book(LevelMove(board, board.parse_san("O-O")), book)
        assert not is_in_book(LevelMove(board, board.parse_san("Ke2")), book)


def test_openings_of_people_and_of_nobody():
    played = game_of("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6", ("a", "b"))
    found = count_likeness(list(sides_of([played], "a")))
    assert (found.opening_plies, found.book_plies) == (4, 4)
    assert (found.early_king_games, found.rim_knight_games) == (0, 0)
    odd = count_likeness(list(sides_of([game_of("Na3 e5 e3 Nc6 Ke2 Nf6", ("a", "b"))], "a")))
    assert (odd.early_king_games, odd.rim_knight_games) == (1, 1) and odd.book_plies < odd.opening_plies
    left = count_likeness(list(sides_of([game_of("e4 a5 Nf3 Na6 Bb5 h6 Ba4 Nf6", ("a", "b"))], "a")))
    assert (left.opening_plies, left.book_plies) == (1, 1)  # the opponent left the book after that
    in_check = count_likeness(list(sides_of([game_of("e4 e5 f4 Qh4 Ke2", ("a", "b"))], "a")))
    assert in_check.early_king_games == 0


def test_what_beginners_do_is_counted():
    """1.e4 e5 is in the book and symmetrical; 2.Qg4 is not, and two queen moves and two of rook pawns follow."""
    played = game_of("e4 e5 Qg4 Qg5 Qd1 a6 Ke2 h6 Nf3 Qd8", ("a", "b"))
    white, black = (count_likeness(list(sides_of([played], name))) for name in ("a", "b"))
    assert (white.first_ply_outside, black.first_ply_outside) == (3, 3)
    assert (white.queen_moves, black.queen_moves) == (2, 2)
    assert (white.rook_pawn_moves, black.rook_pawn_moves) == (0, 2)
    assert (white.early_king_games, black.early_king_games) == (1, 0)
    assert white.symmetrical_positions == black.symmetrical_positions == 2  # 2...Qg5 is a copy, too
    taken_back = count_likeness(list(sides_of([game_of("e4 e5 Qh5 Nc6 Qxf7+ Kxf7", ("a", "b"))], "b")))
    assert taken_back.early_king_games == 0
    assert count_likeness([]).first_ply_outside is None


def test_a_game_that_stays_in_the_book_leaves_it_after_its_last_move():
    with Book(BUILT_IN) as book:
        assert first_ply_outside(chess.Board(), list(map(chess.Move.from_uci, ("e2e4", "e7e5", "g1f3"))), book) == 4


def test_forfeits_are_counted_but_not_rated():
    def games_of(*results: str, is_forfeited: bool = False) -> list[PlayedLevelGame]:
        return [PlayedLevelGame((level_name(1200), anchor_name(1350)), result, (), is_forfeited) for result in results]

    match = LevelMatch((1200,), "stockfish", 2)
    [row] = rows_of(games_of("1-0", "0-1"), match)
    [other] = rows_of(games_of("1-0", "0-1") + games_of("1-0", "1-0", is_forfeited=True), match)
    assert (other.elo, other.anchors, other.forfeits) == (row.elo, ((1350, 1.0, 2),), 2)
    assert rows_of(games_of("1-0", is_forfeited=True), match) == []


@pytest.mark.parametrize(("moves", "chances", "declined"), [
    ("e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6", 1, 0),
    ("e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 h6", 1, 1),
    ("e4 d5 exd5 h6", 0, 0),  # a pawn only
    ("e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 bxc6", 1, 0),
])
def test_declined_recaptures(moves, chances, declined):
    found = count_likeness(list(sides_of([game_of(moves, ("a", "b"))], "b")))
    assert (found.recaptures, found.declined_recaptures, found.missed_recaptures) == (chances, declined, None)


@pytest.mark.parametrize(("fen", "capture", "move", "missed"), [
    ("r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4", "Bxc6", "h6", 1),
    ("r2q1rk1/bp3ppp/p1pp4/4p3/2P1Pnb1/1PNPBN1P/P3QPP1/1R3RK1 w - - 0 15", "Bxf4", "Bxf3", 0),  # else hxg4
])
def test_a_recapture_is_missed_if_it_was_as_good_as_the_move(fen, capture, move, missed):
    board = chess.Board(fen)
    board.push_san(capture)
    sides = [[LevelMove(board, board.parse_san(move))]]
    found = count_likeness(sides)
    judge_moves(found, sides, OWN, 0)
    assert (found.declined_recaptures, found.missed_recaptures) == (1, missed)


def test_taking_back_at_a_loss_is_no_chance():
    """After 1...Bxc3 the only recapture is by the queen, which a rook protects against."""
    board = chess.Board("2r3k1/8/8/4b3/8/2N5/2Q5/6K1 b - - 0 1")
    board.push_san("Bxc3")
    assert recaptures_in(board) == []


def test_a_file_of_other_games_is_refused(tmp_path):
    path = tmp_path / "games.pgn"
    assert read_games(path) == []
    path.write_text('[Event "?"]\n[White "a"]\n[Black "b"]\n[Result "*"]\n\n1. e4 *\n')
    with pytest.raises(InputError, match="is not a file of games from"):
        read_games(path)


def test_a_game_whose_writing_was_interrupted_is_dropped(tmp_path):
    path, moves = tmp_path / "games.pgn", (MoveRecord("e2e4"), MoveRecord("e7e5"))
    for number in range(2):
        append_game(path, GameRecord(number, ("a", "b"), Opening(), moves, "1-0", "a wins"))
    whole = path.read_bytes()
    begin = whole.index(b"[Event", 1)  # of the second game
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        drop_incomplete_game(path)
        games = (length >= begin - 2) + (length >= len(whole) - 2)  # the empty line may be missing
        assert len(read_games(path)) == games, length
        assert path.read_bytes() == (b"", whole[:begin], whole)[games]
    path.write_text("1. e4 e5 2. Nf3")
    drop_incomplete_game(path)
    assert path.read_text() == "1. e4 e5 2. Nf3", "not a file of ours"


def test_an_engine_that_does_not_exist_is_one_line(capsys):
    status, _, err = run(capsys, "compare", "levels", "no-such-engine", "--level", "1300", "--games", "1")
    assert status == 2 and "no-such-engine" in err and "Traceback" not in err


@pytest.mark.parametrize(("command", "reason"), [
    ("/nowhere/engine", "No such file or directory"),
    (f"{shlex.quote(sys.executable)} -c 'print(\"uciok\", flush=True); input(); input()'", "it has no option")])
def test_an_engine_that_cannot_be_an_anchor_is_refused_before_any_game(capsys, tmp_path, command, reason):
    """Level 400, the first one, has no anchor: its games would be played to no end."""
    pgn = tmp_path / "levels.pgn"
    status, out, err = run(capsys, "compare", "levels", command, "--pgn", str(pgn), "--games", "1",
                           "--level", "400", "--level", "1400")
    assert (status, out) == (2, "")
    assert err.startswith("error: cannot start ") and reason in err and "Errno" not in err
    assert not pgn.exists()


def test_a_measurement_that_is_complete_is_printed_and_drawn(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    path, moves = tmp_path / "games.pgn", (MoveRecord("e2e4"), MoveRecord("e7e5"))
    for number, players in enumerate((("level 1200", anchor_name(1350)), (anchor_name(1450), "level 1200"))):
        append_game(path, GameRecord(number, players, Opening(), moves, "1/2-1/2", "drawn"))
    status, out, _ = run(capsys, "compare", "levels", "no-such-engine", "--level", "1200", "--games", "1", "--pgn",
                         str(path), "--plots", str(tmp_path / "plots"))
    assert status == 0 and "1350: 50 % of 1, 1450: 50 % of 1" in out
    drawn = list((tmp_path / "plots").iterdir())
    assert drawn and all(file.stem == "levels" and file.stat().st_size > 1000 for file in drawn)


@pytest.mark.slow
def test_levels_that_think_like_people_do_not_lose_on_time(capsys):
    for elo in ("800", "2000"):
        status, out, _ = run(capsys, "match", f"cmd:{OWN}", f"cmd:{OWN}", "--tc", "5+0.1", "--games", "2", "--json",
                             "--option", "UCI_LimitStrength=true", "--option", "LevelClock=true", "--option",
                             f"UCI_Elo={elo}")
        found = json.loads(out)
        assert status == 0 and found["games"] == 2 and not any(map(any, found["forfeits"].values())), found


@pytest.mark.slow
def test_a_measurement_is_continued(capsys, tmp_path):
    """Against the own engine, which has the same options as another one of limited strength."""
    words = ("compare", "levels", OWN, "--level", "1200", "--games", "1", "--concurrency", "1", "--pgn",
             str(tmp_path / "games.pgn"), "--json", "--likeness", "2")
    first = run(capsys, *words)
    assert first[0] == 0 and len(read_games(tmp_path / "games.pgn")) == 2
    row, likeness = map(json.loads, first[1].splitlines())
    assert row["level"] == 1200 and row["games"] == 2 and likeness["judged"] == 2
    again = run(capsys, *words)
    assert again[1].splitlines()[0] == first[1].splitlines()[0] and len(read_games(tmp_path / "games.pgn")) == 2
