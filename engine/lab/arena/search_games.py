"""Games between searches of any kind, played move by move in this process."""

from __future__ import annotations

from collections.abc import Callable

import chess

from engine.core.game import Game
from engine.core.position import PositionRecord
from engine.lab.arena.cancellation import check_cancelled
from engine.lab.arena.records import Adjudication, Forfeit, GameRecord, MoveRecord, Opening
from engine.lab.arena.referee import EngineLimits, GameInProgress
from engine.search.types import Result

MoveChooser = Callable[[PositionRecord], Result]


def play_game(number: int, opening: Opening, white: tuple[str, MoveChooser], black: tuple[str, MoveChooser],
              rules: Adjudication) -> GameRecord:
    """Play one game between two players, each a name and a function that chooses a move; python-chess checks the moves.

    A player with an illegal move forfeits the game. GamesCancelledError if games are cancelled.
    """
    live, players = GameInProgress(opening, EngineLimits(), rules), (white, black)
    game, forfeit = Game(opening.fen, opening.chess960, opening.moves), None
    while (verdict := live.verdict()) is None:
        check_cancelled()
        name, choose = players[live.mover]
        result = choose(game.position)
        text = game.uci(result.move)
        if not _is_legal(live.board, text):
            forfeit = Forfeit.ILLEGAL_MOVE
            verdict = ("0-1" if live.board.turn else "1-0"), f"{name} {forfeit.value}"
            break
        live.records.append(MoveRecord(text, result.score, result.depth, result.seconds, result.nodes,
                                       result.iterations))
        live.board.push_uci(text)
        game.push_uci(text)
    return GameRecord(number, (white[0], black[0]), opening, tuple(live.records), *verdict, forfeit,
                      nodes=sum(record.nodes for record in live.records))


def _is_legal(board: chess.Board, text: str) -> bool:
    try:
        return bool(board.parse_uci(text))  # the null move is false
    except ValueError:
        return False
