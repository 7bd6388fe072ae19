"""One `go`, from its arrival to `bestmove`: wait for the player, search, and fall back to a simple move if
that fails.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Protocol

from engine.player.options import Settings
from engine.player.request import GoRequest, SearchSignals
from engine.search.types import Info, InfoString, Progress
from engine.system.errors import InputError
from engine.uci.output import UciOutput
from engine.uci.protocol import PositionCommand, fallback_seconds, format_currmove, format_info, format_score

if TYPE_CHECKING:
    from engine.player.player import Player

_FALLBACK_SHARE = 0.4  # of the time for a move: the rest is for overhead
_FALLBACK_SECONDS = 1.0  # at most
_PULSE = 0.01  # seconds between two checks of what has happened
_SOON = 0.025  # seconds; see `GoCommand.start`
_NO_MOVE = "(none)"  # Stockfish's word for it; 0000 would be read as a null move


class _Session(Protocol):
    """What a `go` needs of the session that received it."""

    settings: Settings
    output: UciOutput
    loaded: threading.Event  # the loader has ended, whether it succeeded or not
    player: Player | None
    position_command: PositionCommand  # the player's position, if there is a player

    def is_compiling(self) -> bool:
        """Whether the loader has to compile."""


class GoCommand:
    """One `go`, usually answered in a thread of its own."""

    def __init__(self, request: GoRequest, session: _Session) -> None:
        self.request, self.position_command = request, session.position_command
        self.received = self._clock_started = time.perf_counter()
        self.signals = SearchSignals()
        self.may_answer = threading.Event()  # the answer may be given: it need not wait for `stop` or `ponderhit`
        if not request.waits_for_stop:
            self.may_answer.set()
        self._session, self._output = session, session.output
        self._thread: threading.Thread | None = None
        self._is_due_soon = False

    def start(self) -> None:
        """Answer, in a new thread unless that is done so soon that no other command can matter in between.

        On a busy machine starting a thread and changing over to it may take longer than the answer itself.
        """
        self._is_due_soon = self._is_answered_soon()
        if self._is_due_soon:
            self.run()
        else:
            self._thread = threading.Thread(target=self.run, daemon=True)
            self._thread.start()

    def _is_answered_soon(self) -> bool:
        player = self._session.player
        if player is None or self.request.waits_for_stop:
            return False
        budget = player.budget(self.request)
        return budget is not None and budget.hard <= _SOON

    def is_running(self) -> bool:
        """Whether the answer is still to come."""
        return self._thread is not None and self._thread.is_alive()

    def join(self) -> None:
        """Wait for the answer."""
        if self._thread is not None:
            self._thread.join()

    def stop(self) -> None:
        """Make the search stop and answer."""
        self.signals.stop.set()
        self.may_answer.set()
        self._signal_player()

    def ponderhit(self) -> None:
        """Start the clock of a search that was pondering; without effect on any other."""
        if self.request.ponder:
            self._clock_started = time.perf_counter()
            self.signals.ponderhit.set()
            self._signal_player()
            if not self.request.infinite:
                self.may_answer.set()

    def _signal_player(self) -> None:
        if self._session.player is not None:  # otherwise it sees the signals when it starts
            self._session.player.signal(self.signals)

    def run(self) -> None:
        """Answer with a legal move, whatever happens on the way."""
        answer = [_NO_MOVE]
        try:
            player = self.await_player()
            answer = [self.fallback_move()] if player is None else self._ask(player)
        except Exception as error:  # noqa: BLE001  a game must not be lost because of a bug
            self._output.info_string(str(error) if isinstance(error, InputError) else f"error: {error!r}")
            answer = [self.fallback_move()]
        finally:
            self.may_answer.wait()
            self._output.send("bestmove " + " ponder ".join(answer[:2]))

    def await_player(self) -> Player | None:
        """Wait for the player as long as the request allows; None if only time for a fallback move is left.

        Unless kernels have to be compiled the player is there in a moment, and even an early `stop` gets a real answer.
        """
        session = self._session
        while not session.loaded.wait(_PULSE):
            if self.must_fall_back() or (self.signals.stop.is_set() and session.is_compiling()):
                break
        player = session.player
        # The player may have refused a position that was set before it was loaded.
        return player if session.position_command == self.position_command else None

    def must_fall_back(self) -> bool:
        """Whether only time for a fallback move is left."""
        seconds = fallback_seconds(self.request, self.signals)
        return seconds is not None and time.perf_counter() >= self._clock_started + (1 - _FALLBACK_SHARE) * seconds

    def fallback_move(self) -> str:
        """A legal move found without the kernels, in a share of the time for the move; reported like any other."""
        from engine.uci.fallback import fallback_move, format_fallback, read_board

        seconds = fallback_seconds(self.request, self.signals)
        share = _FALLBACK_SHARE * (_FALLBACK_SECONDS if seconds is None else seconds)
        deadline = time.perf_counter() + min(share, _FALLBACK_SECONDS)
        board = read_board(self.position_command.fen, self.position_command.moves, self._session.settings.uci_chess960)
        text, score = fallback_move(board, deadline, self.request.search_moves)
        self._output.send(format_fallback(board, text, score))
        return text or _NO_MOVE

    def _ask(self, player: Player) -> list[str]:
        """The player's move as UCI text, and the expected reply if there is one."""
        result = player.go(self.request, self.received, self.signals, partial(self._report, player))
        if result.move == 0:
            self._output.send(f"info depth 0 score {'mate 0' if player.game.is_check() else 'cp 0'}")
            return [_NO_MOVE]
        return list(player.to_uci(result.pv[:2]))

    def _report(self, player: Player, report: Info | Progress | InfoString) -> None:
        """Print a report of the player's book, tables or search."""
        from engine.text.display import to_cp, to_wdl

        # A reader that is woken by a line may take the processor away before the answer has been sent.
        flush = not self._is_due_soon
        if isinstance(report, InfoString):
            self._output.info_string(report.text, flush=flush)
        elif isinstance(report, Progress):
            self._output.send(format_currmove(report, next(player.to_uci((report.current_move,)))))
        else:
            position, model = player.game.position, player.evaluation.wdl_model
            is_wdl_shown = self._session.settings.uci_show_wdl
            wdl = to_wdl(position, report.score, model, report.wdl) if is_wdl_shown else None
            score = format_score(report, to_cp(position, report.score, model), wdl)
            line = " ".join(player.to_uci(report.pv))
            self._output.send(format_info(report, score, line), flush=flush)
