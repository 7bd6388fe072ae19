"""A session of the Universal Chess Interface: text in, text out. It reads commands, keeps options and position, and
loads the player.

Three threads share the work. The main thread reads commands, and never blocks for long except in `bench` and perft. The
loader prepares the kernels in the background, so that `uci` is answered before they are ready. That takes a fraction of
a second, which answers wait for; only if kernels have to be compiled does the game go on without them. The third thread
answers one `go` (`GoCommand`).
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, BinaryIO

from engine.player.options import OPTIONS, Effect, Option, Settings, Value, declarations, find_option
from engine.system.errors import InputError, quote
from engine.system.host import request_short_slices
from engine.uci.debug import bench_lines, evaluation_lines, mirrored_fen, perft_lines, position_lines
from engine.uci.go import GoCommand
from engine.uci.output import UciOutput
from engine.uci.protocol import PositionCommand, parse_go, parse_position_command, parse_setoption
from engine.version import NAME, VERSION

if TYPE_CHECKING:
    from engine.player.player import Player

_AUTHOR = "the Adversary developers"
_READY_WAIT = 8.0  # seconds: the most impatient client gives up after ten
_COMPILING_NOTICE_INTERVAL = 2.0  # seconds between two messages that the kernels are compiling
_PULSE = 0.01  # seconds between two checks of what has happened
_LONGEST_LINE = 1 << 18  # bytes: a game of fifty thousand moves
_EFFECTS_WITHOUT_PLAYER = (Effect.LOG, Effect.CLEAR)  # effects that need no player


class UciSession:
    """The protocol over two streams. `run` reads commands until `quit` or the end of the input."""

    def __init__(self, source: BinaryIO, sink: IO[str]) -> None:
        self._source, self.output = source, UciOutput(sink)
        self._send, self._info_string = self.output.send, self.output.info_string
        self.settings, self._settings_lock = Settings(), threading.Lock()  # which the position needs as well
        self.position_command = PositionCommand()  # the last valid one
        self.player: Player | None = None  # None until it is loaded, and for good if that fails
        self.loaded = threading.Event()  # the loader has ended, whether it succeeded or not
        self.is_compiling: Callable[[], bool] = lambda: False  # whether the loader has to compile
        self._ready_deadline: float | None = None  # when the first `isready` is answered, loaded or not
        self._late_answers: list[threading.Thread] = []  # to `isready`
        self._input_ended = threading.Event()
        self._pending: GoCommand | None = None  # the last `go`, until it is stopped
        self._is_position_refused = False  # whether the last `position` was invalid, so that the one before it holds
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._uci, "debug": self._ignore, "isready": self._isready, "setoption": self._setoption,
            "register": self._ignore, "ucinewgame": self._ucinewgame, "position": self._position, "go": self._go,
            "stop": self._stop, "ponderhit": self._ponderhit, "d": self._display, "eval": self._eval,
            "bench": self._bench, "flip": self._flip, "help": self._help,
        }

    def run(self) -> int:
        """Run commands until `quit` or the end of the input; returns the exit status."""
        threading.Thread(target=self._load, daemon=True).start()
        for line in self._lines():
            self.output.log_input(line)
            words = line.split()
            # The protocol says to skip unknown words.
            start = next((index for index, word in enumerate(words) if word in self._commands or word == "quit"), None)
            if start is None:
                if words:
                    self._send(f"Unknown command: {quote(line)}. Type help.")
                continue
            if words[start] == "quit":
                break
            with self._errors_reported():
                self._commands[words[start]](words[start + 1 :])
        else:
            self._await_bounded_search()
        self._input_ended.set()
        self._stop_search()
        for thread in self._late_answers:
            thread.join()
        return 0

    def _await_bounded_search(self) -> None:
        """Wait, at the end of the input, for a search that ends by itself."""
        if self._pending is not None and not self._pending.request.waits_for_stop:
            self._pending.join()

    def _lines(self) -> Iterator[str]:
        """The input, line by line; an absurdly long line is skipped without being kept in memory."""
        while raw := self._source.readline(_LONGEST_LINE):
            if len(raw) < _LONGEST_LINE or raw.endswith(b"\n"):
                yield raw.decode("utf-8", "replace").strip()
                continue
            while raw and not raw.endswith(b"\n"):
                raw = self._source.readline(_LONGEST_LINE)
            self._info_string(f"skipped a line longer than {_LONGEST_LINE} bytes")

    # Getting ready.

    def _load(self) -> None:
        try:
            from engine import kernel

            kernel.set_listener(self._info_string)
            self.is_compiling = kernel.is_compiling
            from engine.player.player import Player

            player = Player(self.settings)
            if player.start_message is not None:
                self._info_string(player.start_message)
            player.load()
            with self._settings_lock:
                self._catch_up(player)
                self.player = player
            importlib.import_module("engine.text.display")  # the first answer would take 3 ms longer
            gc.freeze()  # objects that live until the end need not be scanned in the middle of a game
        except Exception as error:  # noqa: BLE001  report whatever it is; fallback moves are still played
            self._info_string(f"cannot load the kernels: {error!r}")
        finally:
            self.loaded.set()

    def _catch_up(self, player: Player) -> None:
        """Apply the options and the position that came before the player; what it refuses goes back to the default."""
        for option in OPTIONS:
            if self.settings.value(option) != option.default and option.effect not in _EFFECTS_WITHOUT_PLAYER:
                with self._errors_reported():
                    self._apply_option(player, option, option.default)
        early, self.position_command = self.position_command, PositionCommand()
        with self._errors_reported():  # python-chess, which has checked it, accepts more than the engine
            self._apply_position(player, early)

    @contextmanager
    def _errors_reported(self) -> Iterator[None]:
        """Report an InputError raised in this context as one line."""
        try:
            yield
        except InputError as error:
            self._info_string(str(error))

    def _apply_option(self, player: Player | None, option: Option, before: Value) -> None:
        """Let a new value take effect; InputError, with the value `before` in force again, if it cannot."""
        message = None
        try:
            if option.effect is Effect.LOG:
                self.output.open_log(self.settings.debug_log_file)
            elif player is not None:
                message = player.apply(option)
        except Exception as error:  # whatever it is: a value that cannot be used must not end the game
            self.settings.set_value(option, before)
            raise InputError(f"option {option.name}: {error or type(error).__name__}") from error
        if message is not None:
            self._info_string(f"option {option.name}: {message}")

    def _apply_position(self, player: Player | None, position_command: PositionCommand) -> None:
        """Set up a position, for the player if there is one; InputError changes nothing. `_settings_lock` is held."""
        if player is not None:
            player.set_position(position_command.fen, position_command.moves)
        self.position_command = position_command

    def _await_loader(self) -> bool:
        """Wait for the loader unless it has to compile, which takes too long; returns whether it has ended."""
        while not self.loaded.wait(_PULSE):
            if self.is_compiling():
                return False
        return True

    def ready_player(self) -> Player:
        """The player, at the last position that was set; InputError if it cannot be loaded, or is being compiled."""
        is_loaded = self._await_loader()
        if self.player is None:
            raise InputError("cannot load the kernels" if is_loaded else "the kernels are still compiling")
        return self.player

    def _isready(self, words: list[str]) -> None:
        if self._await_loader():
            if self.player is not None and (self._pending is None or not self._pending.is_running()):
                self.player.get_ready()
            self._send("readyok")
        else:
            self._late_answers.append(threading.Thread(target=self._ready_later, daemon=True))
            self._late_answers[-1].start()

    def _ready_later(self) -> None:
        """Answer `isready` when the kernels are ready, or before the client gives up; only the first one waits."""
        now = next_notice = time.perf_counter()
        if self._ready_deadline is None:
            self._ready_deadline = now + _READY_WAIT
        while not self.loaded.is_set() and now < self._ready_deadline:
            if now >= next_notice:
                self._info_string("compiling the kernels (only once); run `adversary warmup` to do it in advance")
                next_notice += _COMPILING_NOTICE_INTERVAL
            if self._input_ended.wait(_PULSE):
                break
            now = time.perf_counter()
        self._send("readyok")

    # Commands.

    def _ignore(self, words: list[str]) -> None:
        pass

    def _uci(self, words: list[str]) -> None:
        self._send(f"id name {NAME} {VERSION}")
        self._send(f"id author {_AUTHOR}")
        self._print(declarations())
        self._send("uciok")

    def _setoption(self, words: list[str]) -> None:
        name, value = parse_setoption(words)
        option = find_option(name)
        if option.ends_search:
            self._stop_search()
        with self._settings_lock:
            before = self.settings.value(option)
            self.settings.set(option, value)
            self._apply_option(self.player, option, before)

    def _ucinewgame(self, words: list[str]) -> None:
        self._stop_search()
        if self.player is not None:
            self.player.new_game()

    def _position(self, words: list[str]) -> None:
        self._stop_search()
        self._is_position_refused = True  # until it is set up
        position_command = parse_position_command(words)
        # anything but the starting position may be invalid
        if self.player is None and position_command != PositionCommand():
            from engine.uci.fallback import read_board

            read_board(position_command.fen, position_command.moves, self.settings.uci_chess960)
        with self._settings_lock:
            self._apply_position(self.player, position_command)
        self._is_position_refused = False

    def _go(self, words: list[str]) -> None:
        request = parse_go(words, self._info_string)
        self._stop_search()
        if request.perft is not None:
            self._print(perft_lines(self.ready_player().game, request.perft))
        else:
            if self._is_position_refused:
                self._info_string("the last position was refused: the answer is for the one before it")
            self._pending = GoCommand(request, self)
            self._pending.start()

    def _stop(self, words: list[str]) -> None:
        if self._pending is not None:
            self._pending.stop()

    def _ponderhit(self, words: list[str]) -> None:
        if self._pending is not None:
            self._pending.ponderhit()

    def _stop_search(self) -> None:
        """Stop a search that is still running; it gives its answer as usual."""
        if self._pending is not None:
            self._pending.stop()
            self._pending.join()
            self._pending = None

    def _display(self, words: list[str]) -> None:
        self._print(position_lines(self.ready_player().game))

    def _eval(self, words: list[str]) -> None:
        self._print(evaluation_lines(self.ready_player()))

    def _flip(self, words: list[str]) -> None:
        self._position(["fen", *mirrored_fen(self.ready_player().game).split()])

    def _bench(self, words: list[str]) -> None:
        lines = bench_lines(words)
        self._stop_search()
        self._print(lines)

    def _help(self, words: list[str]) -> None:
        self._print(("Adversary speaks UCI, the protocol of chess programs: it is usually run by a chess GUI.",
                     "By hand: `position startpos moves e2e4`, `go movetime 1000`, `d`, `eval`, `go perft 4`, `quit`.",
                     "For its commands run `adversary --help`; README.md says more."))

    def _print(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._send(line)


def serve() -> int:
    """Run a UCI session on stdin and stdout; exits the process when the session ends, compiling or not."""
    if sys.stdin.isatty():
        print(f"{NAME} {VERSION}, a chess engine that speaks UCI. Type help.", flush=True)
    request_short_slices()  # so that a busy machine does not delay answers
    try:
        status = UciSession(sys.stdin.buffer, sys.stdout).run()
        sys.stdout.flush()
    except BrokenPipeError:
        status = 0
    os._exit(status)  # daemon threads may be inside LLVM, and an orderly exit would wait for them
