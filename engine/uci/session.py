"""The Universal Chess Interface: text in, text out, and the only place that prints the protocol.

Three threads share the work. The main thread reads commands, and never blocks for long except in `bench` and perft. The
loader prepares the kernels in the background, so that `uci` is answered before they are ready. That takes a fraction of
a second, which answers wait for; only if kernels have to be compiled does the game go on without them. The third thread
answers one `go`.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, BinaryIO

from engine.player.options import OPTIONS, Effect, Option, OptionType, Settings, declarations, find_option
from engine.search.types import Info, InfoString, Progress
from engine.system.errors import InputError, quote
from engine.uci.go import GoCommand
from engine.uci.output import UciOutput
from engine.uci.protocol import (
    PositionCommand,
    format_currmove,
    format_info,
    format_score,
    parse_go,
    parse_position_command,
    parse_setoption,
)
from engine.version import NAME, VERSION

if TYPE_CHECKING:
    from engine.player.player import Player

_AUTHOR = "the Adversary developers"
_READY_WAIT = 8.0  # seconds: the most impatient client gives up after ten
_READY_REMARK = 2.0  # seconds between two remarks that the kernels are being compiled
_PULSE = 0.01  # seconds between two checks of what has happened
_NO_MOVE = "0000"
_LONGEST_LINE = 1 << 18  # bytes: a game of fifty thousand moves


class UciSession:
    """The protocol over two streams. `run` reads commands until `quit` or the end of the input."""

    def __init__(self, source: BinaryIO, sink: IO[str]) -> None:
        self._source, self._voice = source, UciOutput(sink)
        self._say, self._remark = self._voice.send, self._voice.info_string
        self._settings, self._settings_lock = Settings(), threading.Lock()
        self._position_command, self._place_is_new = PositionCommand(), False
        self._player: Player | None = None  # None until it is loaded, and for good if that fails
        self._loaded = threading.Event()  # the loader has ended, whether it succeeded or not
        self._is_compiling: Callable[[], bool] = lambda: False  # whether the loader has to compile
        self._ready_deadline: float | None = None  # when the first `isready` is answered, loaded or not
        self._late_answers: list[threading.Thread] = []  # to `isready`
        self._is_over = threading.Event()  # no more input will come
        self._pending: GoCommand | None = None
        self._thread: threading.Thread | None = None
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._uci, "debug": self._ignore, "isready": self._isready, "setoption": self._setoption,
            "register": self._ignore, "ucinewgame": self._ucinewgame, "position": self._position, "go": self._go,
            "stop": self._stop, "ponderhit": self._ponderhit, "d": self._display, "eval": self._eval,
            "bench": self._bench, "flip": self._flip, "help": self._help,
        }

    def run(self) -> int:
        """Obey until `quit` or the end of the input; returns the exit status."""
        threading.Thread(target=self._load, daemon=True).start()
        for line in self._lines():
            self._voice.log_input(line)
            words = line.split()
            # The protocol says to skip unknown words.
            start = next((place for place, word in enumerate(words) if word in self._commands or word == "quit"), None)
            if start is None:
                if words:
                    self._say(f"Unknown command: {quote(line)}. Type help.")
                continue
            if words[start] == "quit":
                break
            try:
                self._commands[words[start]](words[start + 1 :])
            except InputError as error:
                self._remark(str(error))
        else:
            self._await_bounded_search()
        self._is_over.set()
        self._stop_search()
        for thread in self._late_answers:
            thread.join()
        return 0

    def _await_bounded_search(self) -> None:
        """Wait, at the end of the input, for a search that ends by itself."""
        if self._thread is not None and self._pending is not None and not self._pending.order.waits_for_stop:
            self._thread.join()

    def _lines(self) -> Iterator[str]:
        """The input, line by line; an absurdly long line is skipped without being kept in memory."""
        while raw := self._source.readline(_LONGEST_LINE):
            if len(raw) < _LONGEST_LINE or raw.endswith(b"\n"):
                yield raw.decode("utf-8", "replace").strip()
                continue
            while raw and not raw.endswith(b"\n"):
                raw = self._source.readline(_LONGEST_LINE)
            self._remark(f"a line of more than {_LONGEST_LINE} bytes was skipped")

    # Getting ready.

    def _load(self) -> None:
        try:
            from engine import kernel

            kernel.set_listener(self._remark)
            self._is_compiling = kernel.is_compiling
            from engine.player.player import Player

            player = Player(self._settings)
            player.load()
            with self._settings_lock:
                for option in OPTIONS:
                    if self._settings.value(option) != option.default:
                        self._apply(player, option)  # it was set before there was a player
                self._player = player
            importlib.import_module("engine.text.display")  # the first answer would take 3 ms longer
            gc.freeze()  # what lives for ever need not be scanned again in the middle of a game
        except Exception as error:  # noqa: BLE001  whatever it is, the user is told, and legal moves still come
            self._remark(f"the kernels cannot be loaded: {error!r}")
        finally:
            self._loaded.set()

    def _apply(self, player: Player, option: Option) -> None:
        """Let a setting take effect; if it cannot, it goes back to the default."""
        try:
            if option.type is not OptionType.BUTTON:
                self._report_option(option, player.apply(option))
        except InputError as error:
            self._settings.restore(option, option.default)
            self._remark(f"option {option.name}: {error}")

    def _isready(self, words: list[str]) -> None:
        while not self._loaded.wait(_PULSE) and not self._is_compiling():
            pass
        if self._loaded.is_set():
            if self._player is not None and (self._thread is None or not self._thread.is_alive()):
                self._player.get_ready()
            self._say("readyok")
        else:
            self._late_answers.append(threading.Thread(target=self._ready_later, daemon=True))
            self._late_answers[-1].start()

    def _ready_later(self) -> None:
        """Answer `isready` when the kernels are ready, or before a client loses patience; only the first one waits."""
        now = next_remark = time.perf_counter()
        if self._ready_deadline is None:
            self._ready_deadline = now + _READY_WAIT
        while not self._loaded.is_set() and now < self._ready_deadline:
            if now >= next_remark:
                self._remark("compiling, once; `adversary warmup` does it beforehand")
                next_remark += _READY_REMARK
            if self._is_over.wait(_PULSE):
                break
            now = time.perf_counter()
        self._say("readyok")

    def ready_player(self) -> Player:
        """The player, at the last position that was set; InputError if it could not be loaded, or not yet."""
        self._loaded.wait(_READY_WAIT)
        if self._player is None:
            raise InputError("the kernels could not be loaded" if self._loaded.is_set() else
                             f"the kernels are still being {'compiled' if self._is_compiling() else 'loaded'}")
        if self._place_is_new:
            self._player.set_position(self._position_command.fen, self._position_command.moves)
            self._place_is_new = False
        return self._player

    # Commands.

    def _ignore(self, words: list[str]) -> None:
        pass

    def _uci(self, words: list[str]) -> None:
        self._say(f"id name {NAME} {VERSION}")
        self._say(f"id author {_AUTHOR}")
        for line in declarations():
            self._say(line)
        self._say("uciok")

    def _setoption(self, words: list[str]) -> None:
        name, value = parse_setoption(words)
        option = find_option(name)
        if option.ends_search:
            self._stop_search()
        with self._settings_lock:
            before = self._settings.value(option)
            self._settings.set(option, value)
            try:
                if option.effect is Effect.LOG:
                    self._voice.open_log(self._settings.debug_log_file)
                elif self._player is not None:
                    self._report_option(option, self._player.apply(option))
            except InputError as error:
                self._settings.restore(option, before)
                raise InputError(f"option {option.name}: {error}") from error

    def _report_option(self, option: Option, remark: str | None) -> None:
        if remark is not None:
            self._remark(f"option {option.name}: {remark}")

    def _ucinewgame(self, words: list[str]) -> None:
        self._stop_search()
        if self._player is not None:
            self._player.new_game()

    def _position(self, words: list[str]) -> None:
        place = parse_position_command(words)
        self._stop_search()
        if self._player is not None:
            self._player.set_position(place.fen, place.moves)
            self._position_command, self._place_is_new = place, False
        else:
            if place != PositionCommand():  # anything but the starting position may be invalid
                from engine.uci.fallback import read_board

                read_board(place.fen, place.moves, self._settings.uci_chess960)
            self._position_command, self._place_is_new = place, True

    def _go(self, words: list[str]) -> None:
        order = parse_go(words, self._remark)
        self._stop_search()
        if order.perft is not None:
            self._perft(order.perft)
            return
        self._pending = GoCommand(order, self._position_command)
        self._thread = threading.Thread(target=self._answer_go, args=(self._pending,), daemon=True)
        self._thread.start()

    def _stop(self, words: list[str]) -> None:
        if self._pending is not None:
            self._pending.signals.stop.set()
            self._pending.may_answer.set()
            if self._player is not None:
                self._player.signal(self._pending.signals)

    def _ponderhit(self, words: list[str]) -> None:
        if self._pending is not None and self._pending.order.ponder:
            self._pending.signals.ponderhit.set()
            if self._player is not None:
                self._player.signal(self._pending.signals)
            if not self._pending.order.infinite:
                self._pending.may_answer.set()

    def _stop_search(self) -> None:
        """Stop a search that is still running; it gives its answer as usual."""
        if self._thread is not None:
            self._stop([])
            self._thread.join()
            self._thread = self._pending = None

    def _display(self, words: list[str]) -> None:
        from engine.uci.debug import position_lines

        for line in position_lines(self.ready_player().game):
            self._say(line)

    def _eval(self, words: list[str]) -> None:
        player = self.ready_player()
        from engine.text import eval_table
        from engine.text.display import network_explanation, static_explanation

        position, evaluation = player.game.position, player.evaluation
        for line in eval_table.lines(*static_explanation(position)):
            self._say(line)
        if evaluation.network is not None:
            for line in eval_table.network_lines(network_explanation(position, evaluation)):
                self._say(line)

    def _perft(self, depth: int) -> None:
        player, total = self.ready_player(), 0
        from engine.core.perft import divide

        for text, count in divide(player.game, depth):
            self._say(f"{text}: {count}")
            total += count
        self._say(f"\nNodes searched: {total}")

    def _bench(self, words: list[str]) -> None:
        if len(words) > 1 or not all(word.isascii() and word.isdigit() for word in words):
            raise InputError("bench takes a depth here; `adversary bench` in a terminal can do more")
        self._stop_search()
        from engine.uci.debug import run_adversary

        # In a separate process: whatever happens there, the conversation goes on.
        for line in run_adversary(["bench", *words]):
            self._say(line)

    def _flip(self, words: list[str]) -> None:
        player = self.ready_player()
        from engine.uci.debug import mirrored_fen

        self._position(["fen", *mirrored_fen(player.game).split()])

    def _help(self, words: list[str]) -> None:
        for line in ("Adversary speaks UCI, the protocol of chess programs: it is usually run by a chess GUI.",
                     "By hand: `position startpos moves e2e4`, `go movetime 1000`, `d`, `eval`, `go perft 4`, `quit`.",
                     "For its commands run `adversary --help`; README.md says more."):
            self._say(line)

    # Thinking.

    def _answer_go(self, pending: GoCommand) -> None:
        """Answer one `go` with a legal move, whatever happens on the way."""
        answer = [_NO_MOVE]
        try:
            answer = self._answer(pending)
        except InputError as error:
            self._remark(str(error))
            answer = [pending.fallback_move(self._settings.uci_chess960)]
        except Exception as error:  # noqa: BLE001  a game must not be lost because of a bug
            self._remark(f"error: {error!r}")
            answer = [pending.fallback_move(self._settings.uci_chess960)]
        finally:
            pending.may_answer.wait()
            self._say("bestmove " + " ponder ".join(answer[:2]))

    def _answer(self, pending: GoCommand) -> list[str]:
        """The best move as UCI text, and the expected reply if there is one."""
        if not self._await_kernels(pending):
            return [pending.fallback_move(self._settings.uci_chess960)]
        player = self.ready_player()
        from engine.text.display import to_cp, to_wdl

        position, model = player.game.position, player.evaluation.wdl_model

        def report(found: Info | Progress | InfoString) -> None:
            if isinstance(found, InfoString):
                self._remark(found.text)
            elif isinstance(found, Progress):
                self._say(format_currmove(found, next(player.to_uci((found.current_move,)))))
            else:
                chances = (to_wdl(position, found.score, model, found.wdl) if self._settings.uci_show_wdl
                           else None)
                score = format_score(found, to_cp(position, found.score, model), chances)
                self._say(format_info(found, score, " ".join(player.to_uci(found.pv))))

        result = player.go(pending.order, pending.received, pending.signals, report)
        if result.move == 0:
            self._say(f"info depth 0 score {'mate 0' if player.game.is_check() else 'cp 0'}")
            return [_NO_MOVE]
        return list(player.to_uci(result.pv[:2]))

    def _await_kernels(self, pending: GoCommand) -> bool:
        """Wait for the kernels as long as the order allows; returns whether they are ready."""
        while not self._loaded.wait(_PULSE):
            # Unless they have to be compiled they are ready in a moment: even an early `stop` gets a real answer.
            if pending.must_fall_back() or (pending.signals.stop.is_set() and self._is_compiling()):
                break
        return self._player is not None


def serve() -> int:
    """Speak UCI over the standard streams; exits the process when the conversation is over, compiling or not."""
    if sys.stdin.isatty():
        print(f"{NAME} {VERSION}, a chess engine that speaks UCI. Type help.", flush=True)
    try:
        status = UciSession(sys.stdin.buffer, sys.stdout).run()
        sys.stdout.flush()
    except BrokenPipeError:
        status = 0
    os._exit(status)  # daemon threads may be inside LLVM, and an orderly exit would wait for them
