"""The endgame tables that a player consults: brought near when few men are left, and asked before a search."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.draws import FIFTY_MOVES
from engine.core.errors import InputError
from engine.core.game import Game
from engine.options import Settings
from engine.search.scores import DRAW, MATE, MATE_BAND, TB_WIN
from engine.search.tb import TbRecord, no_tb
from tablebase.codes import DRAWN, is_won, rank_of_move
from tablebase.material import NEAR, men_of

if TYPE_CHECKING:
    from tablebase.own_tables import OwnTables
    from tablebase.syzygy.tables import SyzygyTables

_LONGEST_LINE = 100  # plies that are shown
_NEAR_SYZYGY = 3  # men more than the largest Syzygy tables have: then those are opened


@dataclass(frozen=True)
class Choice:
    """A move whose value is known, and the best play after it."""

    score: int
    line: tuple[int, ...]


@dataclass(frozen=True)
class Verdict:
    """What the tables say of a position. Either nothing is left to find out, or the moves that remain are searched."""

    choices: tuple[Choice, ...]  # the best first
    open_moves: tuple[int, ...]
    is_draw: bool = False  # whether it is one with the open moves


class TbRoot:
    """Endgame tables and the way they are used, by the settings."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._own: OwnTables | None = None
        self._syzygy: SyzygyTables | None = None

    def apply_own_tables(self) -> None:
        """Do what a change of the own tables' options asks for; InputError changes nothing."""
        try:
            self._own = self._open_own() if self._settings.table_path else None  # or when they are needed
        except (OSError, ValueError, MemoryError) as error:
            raise InputError(str(error)) from error

    def apply_syzygy(self) -> str | None:
        """Open the Syzygy tables that the settings name; returns what was found. InputError changes nothing."""
        try:
            return self._open_syzygy()
        except (OSError, ValueError, MemoryError) as error:
            raise InputError(str(error)) from error

    def _open_own(self) -> OwnTables:
        """The engine's own tables, and those of a folder that the user names."""
        from tablebase.own_tables import BUILT_IN, OwnTables

        folder = self._settings.table_path
        if folder and not any(Path(folder).glob("*.tables")):
            raise InputError(f"no tables in {folder}")
        return OwnTables([*([Path(folder)] if folder else []), BUILT_IN])

    def _open_syzygy(self) -> str | None:
        from tablebase.syzygy.tables import SyzygyTables

        text = self._settings.syzygy_path
        folders = [Path(part) for part in text.split(os.pathsep) if part]
        if not folders:
            self._syzygy = None
            return None
        syzygy = SyzygyTables(folders)
        complaints = "; ".join(syzygy.complaints())
        if not syzygy.count:
            raise InputError(complaints or f"no Syzygy tables in {text}: they are called like KQvKR.rtbw")
        self._syzygy = syzygy
        found = f"{syzygy.count} Syzygy tables, with up to {syzygy.most_men} men"
        return f"{found}; {complaints}" if complaints else found

    def approach(self, game: Game) -> None:
        """Begin to read, in the background, what a game that has come so far may need."""
        men = len(men_of(game.position)) + 2
        if self._settings.own_tables and men <= NEAR:
            if self._own is None:
                self._own = self._open_own()
            self._own.prepare(game.position)
        if self._syzygy is not None and men <= self._syzygy.most_men + _NEAR_SYZYGY:
            self._syzygy.prepare(game.position)

    def wait(self, seconds: float | None) -> bool:
        """Wait for what is being read, but not longer than this for either kind; returns whether all is read."""
        return all(tables.wait(seconds) for tables in (self._own, self._syzygy) if tables is not None)

    def complaints(self) -> list[str]:
        """What was found to be wrong with files since the last time."""
        return [complaint for tables in (self._own, self._syzygy) if tables is not None
                for complaint in tables.complaints()]

    def for_search(self) -> TbRecord:
        """What a search may ask."""
        tb = no_tb()
        if self._own is not None and self._settings.own_tables:
            tb.own_address, tb.own_men = self._own.outcomes.address, self._own.most_men
        if self._syzygy is not None:
            tb.syzygy_address, tb.syzygy_men = self._syzygy.address, self._syzygy.most_men
            tb.syzygy_depth = self._settings.syzygy_probe_depth
            tb.fifty_moves_count = self._settings.syzygy_50_move_rule
        tb.most_men = max(int(tb.own_men), int(tb.syzygy_men))
        return tb

    def verdict(self, game: Game, lines: int, allowed: Sequence[int], is_hurried: bool) -> Verdict | None:
        """What the tables say of a game: so many lines, beginning with `allowed` moves only if there are any.

        None if they say nothing. Syzygy's distances take milliseconds, for which there may be no time.
        """
        if self._own is not None and self._settings.own_tables:
            known = self._own.moves(game.position)
            ranked = sorted((pair for pair in known or () if not allowed or pair[0] in allowed),
                            key=lambda pair: -rank_of_move(pair[1]))
            if ranked:
                return self._by_mate(game, ranked, lines)
        if self._syzygy is None or len(men_of(game.position)) + 2 > self._syzygy.most_men:
            return None
        return self._by_value(game, allowed) if is_hurried else self._by_distance(game, allowed)

    def _by_mate(self, game: Game, ranked: list[tuple[int, int]], lines: int) -> Verdict:
        """The verdict of tables that know the distance to mate, on moves with their codes, the best first."""
        assert self._own is not None
        best = ranked[0][1]
        if best == DRAWN:
            return Verdict((), tuple(move for move, code in ranked if code == DRAWN), is_draw=True)
        if is_won(best):  # for the other side
            saving = tuple(move for move, code in ranked if not _is_in_time(self._own, game, move, code))
            if saving:
                return Verdict((), saving)  # the mate may come too late: a search finds out
        else:
            won = [pair for pair in ranked if pair[1] != DRAWN and not is_won(pair[1])]
            in_time = [pair for pair in won if _is_in_time(self._own, game, *pair)]
            if not in_time:
                return Verdict((), tuple(move for move, _ in won))
            ranked = in_time + [pair for pair in ranked if pair not in in_time]
        return Verdict(tuple(self._choice(game, *pair) for pair in ranked[:lines]), ())

    def _choice(self, game: Game, move: int, code: int) -> Choice:
        assert self._own is not None
        plies = min(code, _LONGEST_LINE) if code != DRAWN else 1
        return Choice(_score(code), self._own.line(game.position, move, plies))

    def _by_value(self, game: Game, allowed: Sequence[int]) -> Verdict | None:
        """The verdict of Syzygy tables when time is short: the moves that do not spoil anything."""
        assert self._syzygy is not None
        values = self._syzygy.values(game)
        known = {move: value for move, value in (values or {}).items() if not allowed or move in allowed}
        if not known:
            return None
        best = max(known.values())
        return Verdict((), tuple(move for move, value in known.items() if value == best), is_draw=best == 0)

    def _by_distance(self, game: Game, allowed: Sequence[int]) -> Verdict | None:
        """The verdict of Syzygy tables: the moves that make progress towards the win, or hold what can be held."""
        import chess

        assert self._syzygy is not None
        distances = self._syzygy.distances(chess.Board(game.fen(shredder=True), chess960=True))
        if distances is None:
            return None
        texts = {move.uci(): distance for move, distance in distances.items()}
        known = {move: texts[game.text(move)] for move in game.legal_moves() if not allowed or move in allowed}
        if not known:
            return None
        if self._settings.syzygy_50_move_rule:
            known = {move: _spoilt(game, move, distance) for move, distance in known.items()}
        won = [distance for distance in known.values() if distance > 0]
        best = min(won) if won else 0 if 0 in known.values() else min(known.values())
        return Verdict((), tuple(move for move, distance in known.items() if distance == best), is_draw=best == 0)


def _score(code: int) -> int:
    """The score of a move that leaves this code to the other side; the mate comes as many plies from now."""
    if code == DRAWN:
        return int(DRAW)
    score = int(MATE) - code
    score = score if score >= MATE_BAND else int(TB_WIN)
    return -score if is_won(code) else score


def _is_in_time(tables: OwnTables, game: Game, move: int, code: int) -> bool:
    """Whether the mate that follows a move comes before a draw by fifty moves or by repetition, whoever mates."""
    after = game.copy()
    after.play(game.text(move))
    if after.occurrences() >= 3 or (not is_won(code) and _can_repeat(after)):
        return False
    if int(after.position.rule50) + code - 1 <= int(FIFTY_MOVES):
        return True
    for best in tables.line(game.position, move, code)[1:]:
        if int(after.position.rule50) >= int(FIFTY_MOVES):
            return False
        after.play(after.text(best))
    return int(after.position.rule50) <= int(FIFTY_MOVES)


def _can_repeat(game: Game) -> bool:
    """Whether the side to move can bring about a position for the third time."""
    for move in game.legal_moves():
        after = game.copy()
        after.play(game.text(move))
        if after.occurrences() >= 3:
            return True
    return False


def _spoilt(game: Game, move: int, distance: int) -> int:
    """The distance, or 0 if fifty moves are over before it, or the position has been there twice."""
    after = game.copy()
    after.play(game.text(move))
    # A move that captures or moves a pawn is 1 or, if the win or loss does not last, 101 plies away.
    is_draw = after.occurrences() >= 3 or abs(distance) + max(int(after.position.rule50) - 1, 0) > int(FIFTY_MOVES)
    return 0 if is_draw else distance
