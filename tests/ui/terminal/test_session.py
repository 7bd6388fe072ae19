"""A person at the board, line by line, against an opponent who plays what the test says."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace

import chess
import chess.pgn
import pytest

from engine.analysis.accuracy import PhaseSums, PlayerAccuracy
from engine.analysis.annotation import Annotation, MoveNote
from engine.analysis.results import AnalysisInfo, Score
from engine.ui.autosave import games_folder
from engine.ui.clock import TimeControl
from engine.ui.game import PlayedGame, PlayerInfo, starting_board
from engine.ui.terminal.screen import InputLines, PlainScreen
from engine.ui.terminal.session import TERMINAL_COMMANDS, NewGameOptions, TerminalSession
from eval.wdl import Wdl

EQUAL = Score(10, None, Wdl(300, 450, 250))


class Scripted:
    """An opponent that plays its moves in turn, and takes every draw or none."""

    def __init__(self, *moves: str, takes_draws: bool = False, mood: str = "") -> None:
        self.moves, self.takes_draws, self.games = list(moves), takes_draws, 0
        self.level: int | None = 1200
        self.mood = mood  # "resigns" or "offers"

    def set_level(self, level: int | None) -> None:
        self.level = level

    def resigns(self) -> bool:
        return self.mood == "resigns"

    def offers_draw(self, game: PlayedGame) -> bool:
        return self.mood == "offers"

    def review(self, game: PlayedGame) -> Annotation:
        notes = (MoveNote(0, "f3", EQUAL, "?!", "weakens the king", (), 0.06, 40),
                 MoveNote(1, "e5", EQUAL, "", "", (), 0, 0), MoveNote(3, "Qh4#", EQUAL, "!", "", (), 0, 0))
        accurate = PlayerAccuracy(moves=2, sums={"opening": PhaseSums(2.0, 200.0, 0.02)})
        return Annotation(notes, accurate, PlayerAccuracy())

    def move(self, game: PlayedGame) -> chess.Move:
        return game.read(self.moves.pop(0))

    def begin_game(self) -> None:
        self.games += 1

    def accepts_draw(self, game: PlayedGame) -> bool:
        return self.takes_draws

    def hint(self, game: PlayedGame) -> AnalysisInfo | None:
        if game.is_over:
            return None
        move = next(iter(game.board.legal_moves))
        return AnalysisInfo(1, 1, 1, EQUAL, (move,), 1, 0.0)

    def evaluate(self, game: PlayedGame) -> Score:
        return EQUAL

    def explain(self, game: PlayedGame, move: chess.Move | None) -> SimpleNamespace:
        return SimpleNamespace(lines=lambda: iter([f"because of {move}"]))

    def stop(self) -> None:
        pass


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def play(typed: str, opponent: Scripted, *, side: chess.Color = chess.WHITE, fen: str | None = None,
            control: TimeControl | None = None, has_manners: bool = False) -> tuple[str, TerminalSession]:
    """Run a session with these typed lines; return its output and the session."""
    def begin(person: chess.Color, level: int | None) -> PlayedGame:
        players = PlayerInfo("You"), PlayerInfo("Adversary", is_person=False)
        return PlayedGame(starting_board(fen), control, players if person else players[::-1])

    out = io.StringIO()
    lines = InputLines(io.StringIO(typed.replace("|", "\n") + "\n"))
    options = NewGameOptions(begin, side, has_delay=False, has_manners=has_manners)
    session = TerminalSession(options, opponent, PlainScreen(out), lines)  # type: ignore[arg-type]
    session.run()
    return out.getvalue(), session


def saved_games() -> list[chess.pgn.Game | None]:
    return [read(path) for path in sorted(games_folder().glob("*.pgn"))]


def read(path: Path) -> chess.pgn.Game | None:
    return chess.pgn.read_game(io.StringIO(path.read_text()))


def test_a_whole_game():
    shown, session = play("e4|Qh5|bc4|Qxf7", Scripted("e5", "Nc6", "Nf6"))
    assert "you win by checkmate" in shown and "4. Qxf7#" in shown and "2...Nc6" in shown
    [game] = saved_games()
    assert game is not None and game.headers["Result"] == "1-0" and game.end().board() == session.game.board
    assert str(games_folder()) in shown


def test_a_game_with_black():
    shown, _ = play("e5|Qh4", Scripted("f3", "g4"), side=chess.BLACK)
    assert "you have black" in shown and "you win by checkmate" in shown
    assert shown.splitlines()[2].split()[:2] == ["1", "R"]  # seen from Black's side


@pytest.mark.parametrize(("typed", "expected"), [
    ("e5", "'e5' is not a legal move"), ("Ke2", "not a legal move"), ("castle", "neither a move nor a command"),
    ("help me", "hint"), ("moves", "Na3 Nc3 Nf3"), ("hint", "try "), ("explain", "because of None"),
    ("explain e4", "because of e2e4"), ("explain Ke2", "not a legal move"), ("eval", "evaluation +0.10"),
    ("undo", "there is no move to take back"), ("save", "save needs a file name"),
    ("save /nowhere/x.pgn", "no folder"), ("flip", " 1  R  N  B  K"), ("resign", "you lose by resignation"),
    ("draw", "declines the draw"), ("   ", "you have white"), ("e9\x00", "not a legal move"), ("\\", "neither a move")])
def test_one_line_for_whatever_is_typed(typed, expected):
    shown, _ = play(typed, Scripted("e5"))
    assert expected in shown


def test_a_king_in_check_is_explained():
    shown, _ = play("a3|Bd2", Scripted(), fen="4k3/8/8/8/4r3/8/P2B4/4K3 w - - 0 1")
    assert "a3 leaves your king in check" in shown
    assert " 1  .  .  .  . !K!" in shown
    shown, _ = play("Ra2", Scripted(), fen="4k3/8/8/8/4r3/8/4R3/4K3 w - - 0 1")
    assert "Ra2 puts your king in check" in shown


def test_taking_back():
    _, session = play("e4|undo|d4", Scripted("e5", "d5"))
    assert [move.uci() for move in session.game.moves] == ["d2d4", "d7d5"]
    assert len(saved_games()) == 1


def test_going_on_after_the_end():
    shown, session = play("resign|e4|undo|e4", Scripted("e5"))
    assert "the game is over, black wins by resignation" in shown and not session.game.moves
    shown, session = play("e4|resign|undo|d4", Scripted("e5", "d5"))
    assert session.game.outcome is None and len(session.game.moves) == 2


def test_another_game_has_another_file():
    opponent = Scripted("e5", "d5")
    play("e4|new|d4", opponent)
    assert opponent.games == 2 and sorted(str(game.next().move) for game in saved_games()) == ["d2d4", "e2e4"]


def test_a_draw_that_is_taken():
    shown, _ = play("draw|draw", Scripted(takes_draws=True))
    assert "draw: agreement" in shown and "the game is over" in shown


def test_saving(tmp_path):
    shown, _ = play(f"e4|save {tmp_path / 'a game.pgn'}", Scripted("e5"))
    record = read(tmp_path / "a game.pgn")
    assert record is not None and len(list(record.mainline_moves())) == 2
    (tmp_path / "other.txt").write_text("mine")
    shown, _ = play(f"save {tmp_path / 'other.txt'}", Scripted())
    assert "is not a PGN file; refusing to overwrite it" in shown and (tmp_path / "other.txt").read_text() == "mine"


def test_a_game_is_saved_at_the_end_of_the_input():
    """Every move is in the file at once: a process that is killed loses nothing."""
    seen = []

    class Watching(Scripted):
        def move(self, game: PlayedGame) -> chess.Move:
            seen.append([len(list(saved_game.mainline_moves())) for saved_game in saved_games() if saved_game])
            return super().move(game)

    play("e4|d4", Watching("e5", "d5"))
    assert seen == [[1], [3]]


def test_a_folder_that_cannot_be_written_ends_no_game(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    shown, session = play("e4", Scripted("e5"))
    assert "warning: the game cannot be saved" in shown and len(session.game.moves) == 2
    assert "saved in" not in shown


def test_time_runs_out_while_nobody_types():
    class Silent(InputLines):
        def __init__(self) -> None:
            super().__init__(io.StringIO("e4\n"))

        def _follow(self) -> None:
            for line in self._source:
                self._read.put(line)

    def begin(person: chess.Color, level: int | None) -> PlayedGame:
        return PlayedGame(None, TimeControl(150), (PlayerInfo("You"), PlayerInfo("Adversary", is_person=False)))

    out = io.StringIO()
    session = TerminalSession(NewGameOptions(begin, chess.WHITE, has_delay=False), Scripted("e5"), PlainScreen(out),
                               Silent())
    listen = session._read_line

    def listen_until_over() -> None:
        if session.game.is_over:
            session.interrupt()
        listen()

    session._read_line = listen_until_over
    session.run()
    assert "you lose on time" in out.getvalue()


def test_the_help_names_every_word():
    shown, _ = play("help", Scripted())
    assert all(f"  {word.name}" in shown for word in TERMINAL_COMMANDS)


def test_the_level_is_described_and_can_be_changed_for_the_next_game():
    shown, _ = play("level|level 1600|level 5|level max|new|level", opponent := Scripted())
    assert shown.count("Adversary (level 1200) ") == 2  # at the start, and when it was asked for
    assert "Adversary (level 1600) looks at its own moves, and sometimes at your replies" in shown
    assert "from the next game on" in shown
    assert "a level is a number from 400 to 2800, or `max`" in shown
    assert opponent.level is None and "Adversary searches as long as its clock allows" in shown


def test_three_wins_in_a_row_suggest_the_next_level():
    mate, reply = "e4|Qh5|bc4|Qxf7", ("e5", "Nc6", "Nf6")
    shown, _ = play("|new|".join([mate] * 3), Scripted(*reply * 3))
    assert shown.count("in a row") == 1 and "three wins in a row: try level 1400, which looks at its own" in shown
    shown, _ = play(f"{mate}|new|{mate}|new|resign|new|{mate}", Scripted(*reply * 3))
    assert "in a row" not in shown


def test_a_game_taken_back_and_won_again_counts_once():
    shown, _ = play("e4|Qh5|bc4|Qxf7|undo|Qxf7|undo|Qxf7", Scripted("e5", "Nc6", "Nf6"))
    assert "in a row" not in shown


def test_three_losses_in_a_row_suggest_the_level_below():
    shown, _ = play("resign|new|resign|new|resign", Scripted())
    assert "three losses in a row: try level 1000" in shown


def test_a_review_shows_what_is_marked():
    shown, _ = play("review|f3|review", Scripted("e5"))
    assert "there are no moves to review yet" in shown
    assert "1. f3?! weakens the king" in shown and "2... Qh4#!" in shown and "1... e5" not in shown
    assert "You: accuracy 100 %" in shown and "Adversary: accuracy" not in shown


def test_a_polite_engine_resigns_and_offers_draws():
    shown, session = play("e4", Scripted("e5", mood="resigns"), has_manners=True)
    assert "you win by resignation" in shown and len(session.game.moves) == 1
    shown, session = play("e4|draw", Scripted("e5", mood="offers"), has_manners=True)
    assert "Adversary offers a draw; type draw to accept" in shown and "draw: agreement" in shown
    shown, _ = play("e4|d4|draw", Scripted("e5", "exd4", mood="resigns"))
    assert "resignation" not in shown and "declines the draw" in shown


def test_an_offer_ends_with_the_next_move():
    opponent = Scripted("e5", "Nc6", mood="offers")
    shown, session = play("e4|Nf3", opponent, has_manners=True)
    assert shown.count("offers a draw") == 2
    opponent = Scripted("e5", mood="offers")
    _, session = play("e4|undo|draw", opponent, has_manners=True)
    assert session.game.outcome is None
