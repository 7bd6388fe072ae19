"""The report over the games of a file, as far as they are annotated: for this machine's user."""

from __future__ import annotations

from collections import Counter

import chess
import chess.pgn

from engine.analysis.pgn_reader import read_games_text
from engine.coach.player_names import find_player
from engine.coach.report import build_report
from engine.coach.report_advice import advice_of
from engine.coach.report_games import annotated_verdicts, game_facts, judge_moves
from engine.coach.report_json import report_json
from engine.system.errors import InputError
from engine.ui.web import requests
from engine.ui.web.engine_pool import EnginePool
from engine.ui.web.play import Send
from engine.ui.web.requests import Message
from engine.ui.web.responses import Value, make_message

_LONGEST_PGN, _LONGEST_NAME = 900_000, 100  # characters
_MOST_PLAYERS = 50
_SIDES = (("White", chess.WHITE), ("Black", chess.BLACK))


class ReportSession:
    """A session's reports."""

    def __init__(self, pool: EnginePool, send: Send) -> None:
        self._pool, self._send = pool, send

    async def report(self, message: Message) -> None:
        """Send the report over a player's games; without a player, or if there is no such one, the players."""
        if self._pool.games_folder is None:
            raise InputError("a server that others can reach makes no reports")
        pgn = requests.str_field(message, "pgn", _LONGEST_PGN)
        player = requests.str_field(message, "player", _LONGEST_NAME) if "player" in message else ""
        await self._send(await self._pool.run_briefly(lambda: _report(pgn, player)))


def _report(pgn: str, player: str) -> Value:
    games = {number: game for number, game in read_games_text(pgn) if not isinstance(game, str)}
    if not games:
        raise InputError("there is no game that can be read")
    counts = Counter(name for game in games.values() for side, _ in _SIDES
                     if (name := game.headers.get(side, "?").strip()).strip("?"))
    players = [{"name": name, "games": number} for name, number in counts.most_common(_MOST_PLAYERS)]
    try:
        names = find_player(player, counts)
    except InputError as error:
        return make_message("reported", players=players, problem=str(error) if player else "", report=None)
    found = []
    for number, game in games.items():
        side = next((color for name, color in _SIDES if game.headers.get(name, "?").strip() in names), None)
        if side is not None:
            verdicts, facts = annotated_verdicts(game), game_facts(number, game, side)
            found.append(facts if verdicts is None else judge_moves(facts, game, verdicts))
    report = build_report(max(names, key=lambda name: counts[name]), found)
    value = report_json(report, sorted(names), advice_of(report))
    del value["moves"]  # the page shows those that prove something
    return make_message("reported", players=players, problem="", report=value)
