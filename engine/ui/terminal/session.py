"""A person plays at a screen: lines come in, moves are made, the engine answers, and everything is kept.

What may be typed is one table. Whatever is wrong gets one line, and the game goes on.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import chess

from engine.system.errors import IllegalMoveError, InputError, quote
from engine.system.files import begins_with, check_target, write_file
from engine.ui.game import GameOutcome, PlayedGame
from engine.ui.opponent import EngineOpponent
from engine.ui.terminal.autosave import AutoSave
from engine.ui.terminal.drawing import View
from engine.ui.terminal.screen import InputLines, Screen


class TerminalCommand(NamedTuple):
    """Something that may be typed beside moves."""

    name: str
    argument: str  # as the help shows it
    about: str
    method: str


TERMINAL_COMMANDS = (
    TerminalCommand("hint", "", "a good move, and what may follow", "_hint"),
    TerminalCommand("explain", "[MOVE]", "why the position, or a move in it, is good or bad", "_explain"),
    TerminalCommand("eval", "", "show the evaluation beside the board, or hide it", "_toggle_bar"),
    TerminalCommand("moves", "", "all legal moves", "_list_moves"),
    TerminalCommand("undo", "", "take your last move back", "_undo"),
    TerminalCommand("draw", "", "offer a draw", "_offer_draw"),
    TerminalCommand("resign", "", "give the game up", "_resign"),
    TerminalCommand("new", "", "begin another game", "_begin_anew"),
    TerminalCommand("flip", "", "turn the board round", "_flip"),
    TerminalCommand("board", "", "show the board again", "_redraw"),
    TerminalCommand("save", "FILE.pgn", "write the game to a file", "_save"),
    TerminalCommand("help", "", "show this", "_help"),
    TerminalCommand("quit", "", "leave; the game is kept", "_quit"),
)
_ALSO = {"?": "help", "exit": "quit", "takeback": "undo", "back": "undo", "clock": "board"}
_BY_NAME = {word.name: word for word in TERMINAL_COMMANDS}


@dataclass(frozen=True)
class NewGameOptions:
    """What somebody wants to play."""

    begin: Callable[[chess.Color], PlayedGame]  # a new game, with the person at that side
    side: chess.Color | None  # None for either, by chance
    has_pauses: bool


class TerminalSession:
    """One sitting: a game, and maybe more after it."""

    def __init__(self, wishes: NewGameOptions, opponent: EngineOpponent, screen: Screen, lines: InputLines,
                 going_on: tuple[PlayedGame, chess.Color] | None = None) -> None:
        """`going_on` is a game to go on with, and the person's side in it."""
        self._wishes, self._opponent, self._screen, self._lines = wishes, opponent, screen, lines
        self._chance = random.Random()  # noqa: S311  whose side it is needs no secrecy
        self._ending = threading.Event()
        self._keeper = AutoSave()
        self._messages: list[str] = []
        self._has_bar, self._is_changed = False, True
        if going_on is None:
            self._begin_anew("")
        else:
            self._game, self._person = going_on
            self._bottom = self._person
        self._say(f"you have {chess.COLOR_NAMES[self._person]}; type a move as in e4, Nf3 or e2e4, or help")
        self._announced: GameOutcome | None = None

    @property
    def game(self) -> PlayedGame:
        """The game that is being played."""
        return self._game

    def interrupt(self) -> None:
        """End the sitting soon; from any thread."""
        self._ending.set()
        self._lines.close()
        self._opponent.stop()

    def run(self) -> None:
        """Play until the person leaves."""
        while not self._ending.is_set():
            self._announce_end()
            self._show()
            if not self._game.is_over and self._game.turn != self._person:
                self._answer()
            else:
                self._listen()
        self._autosave()
        self._say(*goodbye_text(self._game, self._keeper.path))
        self._is_changed = False
        self._show()

    def _say(self, *lines: str) -> None:
        self._messages += lines

    def _show(self) -> None:
        score = None
        if self._has_bar:
            judged = self._opponent.evaluate(self._game)
            score = judged if self._game.turn else -judged
        view = View(self._game, self._bottom, self._screen.has_symbols, score)
        self._screen.show(view, self._messages, self._is_changed)
        self._messages, self._is_changed = [], False

    def _announce_end(self) -> None:
        outcome = self._game.outcome
        if outcome is not None and outcome != self._announced:
            self._say(result_text(outcome, self._person))
            self._autosave()
            if self._keeper.path is not None:
                self._say(f"the game is kept in {self._keeper.path}")
            self._say("new begins another game, undo goes back, quit leaves")
        self._announced = outcome

    def _autosave(self) -> None:
        """Write the game down as it stands; where that cannot be done, the game goes on all the same."""
        try:
            self._keeper.save(self._game)
        except InputError as error:
            self._say(f"this game cannot be kept: {error}")

    def _answer(self) -> None:
        """Let the engine move."""
        self._screen.wait(f"{self._game.seat(self._game.turn).name} thinks ...")
        move = self._opponent.move(self._game)
        if self._wishes.has_pauses:
            self._ending.wait(self._opponent.humanlike_delay(self._game, move))
        if not self._ending.is_set() and not self._game.is_over:  # its flag may have fallen
            self._play(move)
            self._is_changed = True

    def _play(self, move: chess.Move) -> None:
        board = self._game.board
        self._game.push(move)
        self._say(board.variation_san([move]))
        self._autosave()

    def _listen(self) -> None:
        """Take one line, and do what it says; or notice that the time is up."""
        clock = self._game.clock
        runs = clock is not None and clock.running is not None and not self._game.is_over
        self._screen.ask("> ")
        try:
            line = self._lines.next(clock.left(self._person) / 1000 + 0.01 if clock is not None and runs else None)
        except TimeoutError:
            return
        if line is None:
            self._ending.set()
        elif line.strip():
            self._run_command(line.strip())

    def _run_command(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        word = _BY_NAME.get(_ALSO.get(name.lower(), name.lower()))
        try:
            if word is not None:
                getattr(self, word.method)(rest.strip())
            else:
                self._move(line)
        except InputError as error:
            self._say(str(error))

    def _move(self, text: str) -> None:
        if self._game.outcome is not None:
            raise InputError(f"the game is over, {self._game.outcome}: new begins another, undo goes back")
        try:
            move = self._game.read(text)
        except InputError as error:
            raise InputError(illegal_move_text(self._game.board, text, error)) from error
        self._play(move)

    def _hint(self, rest: str) -> None:
        found = self._opponent.hint(self._game)
        if found is None:
            raise InputError("the game is over: there is nothing to play")
        board = self._game.board
        self._say(f"try {board.san(found.move)}: {board.variation_san(found.line[:6])} ({found.score})")

    def _explain(self, rest: str) -> None:
        move = self._game.read(rest) if rest else None
        self._say(*self._opponent.explain(self._game, move).lines())

    def _toggle_bar(self, rest: str) -> None:
        self._has_bar = not self._has_bar
        self._is_changed = True

    def _list_moves(self, rest: str) -> None:
        board = self._game.board
        self._say(" ".join(sorted(board.san(move) for move in board.legal_moves)) or "there are none")

    def _undo(self, rest: str) -> None:
        self._game.take_back(self._person)
        self._is_changed = True
        self._autosave()

    def _offer_draw(self, rest: str) -> None:
        if self._game.is_over:
            raise InputError("the game is over")
        if self._opponent.accepts_draw(self._game):
            self._game.agree_draw()
        else:
            self._say(f"{self._game.seat(not self._person).name} declines the draw")

    def _resign(self, rest: str) -> None:
        self._game.resign(self._person)

    def _begin_anew(self, rest: str) -> None:
        """Begin a new game; the old one stays where it is kept."""
        side = self._wishes.side
        self._person = self._chance.choice(chess.COLORS) if side is None else side
        self._game, self._bottom = self._wishes.begin(self._person), self._person
        self._keeper, self._announced, self._is_changed = AutoSave(), None, True
        self._opponent.begin_game()

    def _flip(self, rest: str) -> None:
        self._bottom = not self._bottom
        self._is_changed = True

    def _redraw(self, rest: str) -> None:
        self._is_changed = True

    def _save(self, rest: str) -> None:
        if not rest:
            raise InputError("save needs the name of a file, as in save game.pgn")
        path = Path(rest).expanduser()
        check_target(path, begins_with(b"["), "PGN file")
        write_file(path, self._game.pgn())
        self._say(f"saved to {path}")

    def _help(self, rest: str) -> None:
        self._say("a move in SAN or as squares: e4, Nf3, exd5, O-O, e8=Q, e2e4; and these words:")
        self._say(*(f"  {f'{word.name} {word.argument}':<16} {word.about}" for word in TERMINAL_COMMANDS))

    def _quit(self, rest: str) -> None:
        self._ending.set()


def result_text(outcome: GameOutcome, person: chess.Color) -> str:
    """How a game ended for a person: `you win: checkmate`."""
    if outcome.winner is None:
        return str(outcome)
    return f"you {'win' if outcome.winner == person else 'lose'}: {outcome.reason.value}"


def goodbye_text(game: PlayedGame, kept: Path | None) -> list[str]:
    """What is said to somebody who leaves."""
    if kept is None:
        return []
    told = f"the game is kept in {kept}"
    return [told if game.is_over else f"{told}; go on with: adversary play --pgn {kept}"]


def illegal_move_text(board: chess.Board, text: str, error: InputError) -> str:
    """One friendly line on a text that is no move here."""
    if not isinstance(error, IllegalMoveError):
        return str(error)  # it says what is missing
    wanted = text.strip().lower()
    for move in board.pseudo_legal_moves:
        if wanted in _forms(board, move) and not board.is_legal(move):
            return f"{text} leaves your king in check" if board.is_check() else f"{text} puts your king in check"
    if not any(letter.isdigit() for letter in text) and not set(wanted) <= set("o0-"):
        return f"{quote(text)} is no move and no word that is known: help lists the words"
    return f"{quote(text)} cannot be played here: moves lists what can"


def _forms(board: chess.Board, move: chess.Move) -> set[str]:
    """The ways in which a move that may be illegal is most often written, in small letters."""
    target = chess.square_name(move.to_square)
    piece = "" if board.piece_type_at(move.from_square) == chess.PAWN else (
        chess.piece_symbol(board.piece_type_at(move.from_square) or chess.KING))
    start = chess.FILE_NAMES[chess.square_file(move.from_square)]
    return {move.uci(), f"{move.uci()[:2]}-{target}", f"{piece}{target}", f"{piece or start}x{target}"}
