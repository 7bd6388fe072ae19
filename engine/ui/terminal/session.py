"""A game in the terminal: reads moves and commands, plays the engine's moves, and saves the game after each.

TERMINAL_COMMANDS lists the commands. An error prints one line and the game goes on.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import chess

from engine.analysis.annotation import Annotation
from engine.analysis.summary import game_summary
from engine.system.errors import IllegalMoveError, InputError, quote
from engine.system.files import begins_with, check_target, user_path, write_file
from engine.ui.autosave import AutoSave
from engine.ui.game import GameOutcome, PlayedGame
from engine.ui.level import Streak, describe_level, parse_level, suggestion_text
from engine.ui.opponent import EngineOpponent, level_name
from engine.ui.terminal.drawing import View
from engine.ui.terminal.screen import InputLines, Screen


class TerminalCommand(NamedTuple):
    """A command that may be typed in place of a move."""

    name: str
    argument: str  # as the help shows it
    about: str
    method: str


TERMINAL_COMMANDS = (
    TerminalCommand("hint", "", "show a good move and the line that follows", "_hint"),
    TerminalCommand("explain", "[MOVE]", "explain why the position, or a move, is good or bad", "_explain"),
    TerminalCommand("eval", "", "show or hide the evaluation bar", "_toggle_bar"),
    TerminalCommand("moves", "", "list all legal moves", "_list_moves"),
    TerminalCommand("undo", "", "take back your last move", "_undo"),
    TerminalCommand("draw", "", "offer a draw, or accept one", "_offer_draw"),
    TerminalCommand("resign", "", "resign the game", "_resign"),
    TerminalCommand("new", "", "start a new game", "_new_game"),
    TerminalCommand("level", "[ELO]", "describe the level, or choose another one for the next game", "_level"),
    TerminalCommand("review", "", "review the game: mistakes, better moves, accuracy", "_review"),
    TerminalCommand("flip", "", "flip the board", "_flip"),
    TerminalCommand("board", "", "show the board again", "_redraw"),
    TerminalCommand("save", "FILE.pgn", "write the game to a file", "_save"),
    TerminalCommand("help", "", "show this help", "_help"),
    TerminalCommand("quit", "", "quit; the game is saved", "_quit"),
)
_ALIASES = {"?": "help", "exit": "quit", "takeback": "undo", "back": "undo", "clock": "board"}
_BY_NAME = {command.name: command for command in TERMINAL_COMMANDS}


@dataclass(frozen=True)
class NewGameOptions:
    """How to set up new games."""

    # makes a new game in which the user has that side, against the engine at that level
    begin: Callable[[chess.Color, int | None], PlayedGame]
    side: chess.Color | None  # None for a random side
    has_delay: bool
    has_manners: bool = False  # the engine resigns, and offers draws


class TerminalSession:
    """One session in the terminal: a game, and possibly more after it."""

    def __init__(self, options: NewGameOptions, opponent: EngineOpponent, screen: Screen, lines: InputLines,
                 resumed: tuple[PlayedGame, chess.Color] | None = None) -> None:
        """`resumed` is a game to continue, and the user's side in it."""
        self._options, self._opponent, self._screen, self._lines = options, opponent, screen, lines
        self._rng = random.Random()  # noqa: S311  the choice of sides is not secret
        self._ending = threading.Event()
        self._saver = AutoSave()
        self._messages: list[str] = []
        self._has_bar, self._is_changed = False, True
        self._streak, self._next_level = Streak(), opponent.level
        self._is_draw_offered = False
        if resumed is None:
            self._new_game("")
        else:
            self._game, self._person = resumed
            self._bottom = self._person
        self._add_message(f"you have {chess.COLOR_NAMES[self._person]}; type a move such as e4, Nf3 or e2e4, or help",
                          self._level_text())
        self._announced: GameOutcome | None = None

    @property
    def game(self) -> PlayedGame:
        """The current game."""
        return self._game

    def interrupt(self) -> None:
        """End the session soon; may be called from any thread."""
        self._ending.set()
        self._lines.close()
        self._opponent.stop()

    def run(self) -> None:
        """Play until the user quits."""
        while not self._ending.is_set():
            self._announce_end()
            self._show()
            if not self._game.is_over and self._game.turn != self._person:
                self._answer()
            else:
                self._read_line()
        is_saved = self._autosave()
        if is_saved and (self._game.outcome is None or self._game.outcome != self._announced):  # else it has been said
            self._add_message(*goodbye_text(self._game, self._saver.path))
        self._is_changed = False
        self._show()

    def _add_message(self, *lines: str) -> None:
        self._messages += lines

    def _show(self) -> None:
        score = None
        if self._has_bar:
            score = self._opponent.evaluate(self._game)
            score = score if self._game.turn else -score
        view = View(self._game, self._bottom, self._screen.has_symbols, score)
        self._screen.show(view, self._messages, self._is_changed)
        self._messages, self._is_changed = [], False

    def _announce_end(self) -> None:
        outcome = self._game.outcome
        if outcome is not None and outcome != self._announced:
            self._add_message(result_text(outcome, self._person))
            if self._autosave() and self._saver.path is not None:
                self._add_message(f"the game is saved in {self._saver.path}")
            self._suggest_level(outcome)
            self._add_message("type review for a review of the game, new for another one, undo to take back, "
                              "quit to leave")
        self._announced = outcome

    def _suggest_level(self, outcome: GameOutcome) -> None:
        """Count the game, and suggest another level if the present one is too easy or too hard."""
        level = self._opponent.level
        points = 0.5 if outcome.winner is None else float(outcome.winner == self._person)
        self._streak.record(self._game, level, points)
        following = self._streak.suggestion()
        if level is not None and following is not None:
            self._add_message(suggestion_text(level, following), f"type level {following} and new to play it")

    def _autosave(self) -> bool:
        """Save the game; if it cannot be written, which is returned, the game goes on anyway."""
        try:
            self._saver.save(self._game)
        except InputError as error:
            self._add_message(f"warning: the game cannot be saved: {error}")
            return False
        return True

    def _answer(self) -> None:
        """Search for the engine's move and make it."""
        self._screen.wait(f"{self._game.player(self._game.turn).name} is thinking ...")
        move = self._opponent.move(self._game)
        if self._options.has_delay:
            self._ending.wait(self._opponent.humanlike_delay(self._game, move))
        if self._ending.is_set() or self._game.is_over:  # its flag may have fallen
            return
        self._is_changed = True
        if self._options.has_manners and self._opponent.resigns():
            self._game.resign(self._game.turn)
            return
        self._play(move)
        self._is_draw_offered = self._options.has_manners and self._opponent.offers_draw(self._game)
        if self._is_draw_offered and not self._game.is_over:
            self._add_message(f"{self._game.player(not self._person).name} offers a draw; type draw to accept")

    def _play(self, move: chess.Move) -> None:
        board = self._game.board
        self._game.push(move)
        self._add_message(board.variation_san([move]))
        self._autosave()

    def _read_line(self) -> None:
        """Read one line and run it; returns without one when the user's time is up."""
        clock = self._game.clock
        is_running = clock is not None and clock.running is not None and not self._game.is_over
        self._screen.ask("> ")
        try:
            seconds = clock.left(self._person) / 1000 + 0.01 if clock is not None and is_running else None
            line = self._lines.next(seconds)
        except TimeoutError:
            return
        if line is None:
            self._ending.set()
        elif line.strip():
            self._run_command(line.strip())

    def _run_command(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        command = _BY_NAME.get(_ALIASES.get(name.lower(), name.lower()))
        try:
            if command is not None:
                getattr(self, command.method)(rest.strip())
            else:
                self._move(line)
        except InputError as error:
            self._add_message(str(error))

    def _move(self, text: str) -> None:
        if self._game.outcome is not None:
            raise InputError(f"the game is over, {self._game.outcome}; type new for another game, undo to take back")
        try:
            move = self._game.read(text)
        except InputError as error:
            raise InputError(illegal_move_text(self._game.board, text, error)) from error
        self._play(move)
        self._is_draw_offered = False

    def _hint(self, rest: str) -> None:
        info = self._opponent.hint(self._game)
        if info is None:
            raise InputError("the game is over: there is nothing to play")
        board = self._game.board
        self._add_message(f"try {board.san(info.move)}: {board.variation_san(info.line[:6])} ({info.score})")

    def _explain(self, rest: str) -> None:
        move = self._game.read(rest) if rest else None
        self._add_message(*self._opponent.explain(self._game, move).lines())

    def _toggle_bar(self, rest: str) -> None:
        self._has_bar = not self._has_bar
        self._is_changed = True

    def _list_moves(self, rest: str) -> None:
        board = self._game.board
        self._add_message(" ".join(sorted(board.san(move) for move in board.legal_moves)) or "there are no legal moves")

    def _undo(self, rest: str) -> None:
        self._game.take_back(self._person)
        self._is_changed, self._is_draw_offered = True, False
        self._autosave()

    def _offer_draw(self, rest: str) -> None:
        if self._game.is_over:
            raise InputError("the game is over")
        if self._is_draw_offered or self._opponent.accepts_draw(self._game):
            self._game.agree_draw()
        else:
            self._add_message(f"{self._game.player(not self._person).name} declines the draw")

    def _resign(self, rest: str) -> None:
        self._game.resign(self._person)

    def _new_game(self, rest: str) -> None:
        """Start a new game; the file of the old one remains."""
        side = self._options.side
        self._person = self._rng.choice(chess.COLORS) if side is None else side
        self._opponent.set_level(self._next_level)
        self._game, self._bottom = self._options.begin(self._person, self._next_level), self._person
        self._saver, self._announced, self._is_changed = AutoSave(), None, True
        self._is_draw_offered = False
        self._opponent.begin_game()

    def _level(self, rest: str) -> None:
        if not rest:
            self._add_message(self._level_text())
            return
        self._next_level = parse_level(rest)
        self._add_message(f"{level_name(self._next_level)} {describe_level(self._next_level)}; "
                          "it plays from the next game on")

    def _level_text(self) -> str:
        level = self._opponent.level
        return f"{level_name(level)} {describe_level(level)}"

    def _review(self, rest: str) -> None:
        if not self._game.moves:
            raise InputError("there are no moves to review yet")
        self._screen.wait("reviewing the game ...")
        self._add_message(*review_text(self._opponent.review(self._game), self._game))

    def _flip(self, rest: str) -> None:
        self._bottom = not self._bottom
        self._is_changed = True

    def _redraw(self, rest: str) -> None:
        self._is_changed = True

    def _save(self, rest: str) -> None:
        if not rest:
            raise InputError("save needs a file name, as in save game.pgn")
        path = user_path(rest)
        check_target(path, begins_with(b"["), "PGN file")
        write_file(path, self._game.pgn())
        self._add_message(f"saved to {path}")

    def _help(self, rest: str) -> None:
        self._add_message("type a move in SAN or UCI notation (e4, Nf3, exd5, O-O, e8=Q, e2e4) or a command:")
        self._add_message(*(f"  {f'{command.name} {command.argument}':<16} {command.about}"
                            for command in TERMINAL_COMMANDS))

    def _quit(self, rest: str) -> None:
        self._ending.set()


def result_text(outcome: GameOutcome, person: chess.Color) -> str:
    """The outcome from the user's point of view: `you win by checkmate`."""
    if outcome.winner is None:
        return str(outcome)
    verb = "win" if outcome.winner == person else "lose"
    return str(outcome).replace(f"{chess.COLOR_NAMES[outcome.winner]} wins", f"you {verb}")


def review_text(annotation: Annotation, game: PlayedGame) -> list[str]:
    """The lines of a review: every marked move with its reason, the accuracy of both players, and a summary."""
    lines = [f"{note.ply // 2 + 1}{'.' if note.ply % 2 == 0 else '...'} {note.san}{note.mark} {note.reason}".rstrip()
             for note in annotation.notes if note.mark]
    for color, player in ((chess.WHITE, annotation.white), (chess.BLACK, annotation.black)):
        if player.accuracy is not None:
            lines.append(f"{game.player(color).name}: accuracy {player.accuracy:.0f} %")
    return [*lines, *game_summary(annotation, game.board.root(), *(game.player(color).name for color in chess.COLORS))]


def goodbye_text(game: PlayedGame, path: Path | None) -> list[str]:
    """The lines printed at the end: where the game is saved and how to continue it."""
    if path is None:
        return []
    text = f"the game is saved in {path}"
    return [text if game.is_over else f"{text}; continue with: adversary play --pgn {path}"]


def illegal_move_text(board: chess.Board, text: str, error: InputError, advice: str = "; type moves for a list") -> str:
    """One line that says why a text is not a legal move here; `advice` ends it where the move itself says nothing."""
    if not isinstance(error, IllegalMoveError):
        return str(error)  # it already says what is wrong
    typed = text.strip().lower()
    for move in board.pseudo_legal_moves:
        if typed in _forms(board, move) and not board.is_legal(move):
            return f"{text} leaves your king in check" if board.is_check() else f"{text} puts your king in check"
    if not any(letter.isdigit() for letter in text) and not set(typed) <= set("o0-"):
        return f"{quote(text)} is neither a move nor a command; type help for a list"
    return f"{quote(text)} is not a legal move{advice}"


def _forms(board: chess.Board, move: chess.Move) -> set[str]:
    """The common notations of a move, legal or not, in lower case."""
    target = chess.square_name(move.to_square)
    piece = "" if board.piece_type_at(move.from_square) == chess.PAWN else (
        chess.piece_symbol(board.piece_type_at(move.from_square) or chess.KING))
    start = chess.FILE_NAMES[chess.square_file(move.from_square)]
    return {move.uci(), f"{move.uci()[:2]}-{target}", f"{piece}{target}", f"{piece or start}x{target}"}
