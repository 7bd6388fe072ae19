"""`compare levels ENGINE --likeness`: how much the games of a level look like those of people.

Some figures need no engine: how long a level follows openings that masters play, and when its games leave them; what
beginners do, as in early queen moves and positions in which Black has copied White; what even they do not, as in kings
that walk before castling, knights on the rim and one rook pawn after the other; recaptures that it declines. For
others, an engine at full strength judges: how many of the declined recaptures were as good as the move played, and so
were missed; and in a sample of the moves, how often they are the engine's first choice, and how often they lose a tenth
of a point or more on the human curve.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import chess
import chess.engine
import chess.polyglot

from book.polyglot import BUILT_IN, Book
from engine.cli.output import percent
from engine.core.piece_values import PIECE_VALUES
from engine.lab.arena.engines import EngineProcess, EngineSpec
from engine.lab.compare.level_games import PlayedLevelGame
from eval.human_curve import human_expected

_OPENING_PLIES = 8
_KING_MOVES = _QUEEN_MOVES = 8  # own moves in which they are counted
_ROOK_PAWN_MOVES = _COPIED_MOVES = 6
_KNIGHT_MOVES = 3
_RIM = chess.BB_FILE_A | chess.BB_FILE_H
_MINOR = 3  # pawns: taking back less is a matter of taste
_JUDGE_LIMIT = chess.engine.Limit(depth=15)
_MATE = 10_000
LARGE_LOSS = 0.10  # of expected score

HEADINGS = ("level", "first 8 plies in book", "first ply outside it, median", "queen moves in the first 8",
            "symmetrical positions in the first 6", "rook pawn moves in the first 6", "games with an early king move",
            "games with an early knight on the rim",
            "declined recaptures", "missed recaptures", "engine's first choice", "losses >= 0.10 per 100 moves")


@dataclass(frozen=True)
class LevelMove:
    """A move of a level, in the position before it."""

    board: chess.Board  # with its history
    move: chess.Move


@dataclass
class Likeness:
    """Counts over the games of a level: what happened, and how often it could have."""

    games: int = 0
    opening_plies: int = 0
    book_plies: int = 0
    first_ply_outside: float | None = None  # of the game, the median, from 1; None without games
    queen_moves: int = 0
    symmetrical_positions: int = 0
    rook_pawn_moves: int = 0
    early_king_games: int = 0
    rim_knight_games: int = 0
    recaptures: int = 0
    declined_recaptures: int = 0
    missed_recaptures: int | None = None  # of the declined ones; None until an engine has judged them
    judged: int = 0
    first_choices: int = 0
    large_losses: int = 0

    def texts(self, level: int) -> tuple[str, ...]:
        """The row of the table."""
        return (str(level), _share(self.book_plies, self.opening_plies),
                "-" if self.first_ply_outside is None else f"{self.first_ply_outside:g}",
                *(f"{count / self.games:.2f}" if self.games else "-" for count in (
                    self.queen_moves, self.symmetrical_positions, self.rook_pawn_moves)),
                _share(self.early_king_games, self.games),
                _share(self.rim_knight_games, self.games), _share(self.declined_recaptures, self.recaptures),
                "-" if self.missed_recaptures is None else _share(self.missed_recaptures, self.recaptures),
                _share(self.first_choices, self.judged),
                "-" if not self.judged else f"{100 * self.large_losses / self.judged:.1f} of {self.judged}")


def _share(count: int, of: int) -> str:
    return f"{percent(count / of)} of {of}" if of else "-"


def moves_of(game: PlayedLevelGame, color: chess.Color) -> Iterator[LevelMove]:
    """The moves of one side."""
    board = chess.Board()
    for text in game.moves:
        move = chess.Move.from_uci(text)
        if board.turn == color:
            yield LevelMove(board.copy(), move)
        board.push(move)


def sides_of(games: Sequence[PlayedLevelGame], name: str) -> Iterator[list[LevelMove]]:
    """The moves of a player in each of its games, for each side that it played."""
    for game in games:
        for color, player in zip((chess.WHITE, chess.BLACK), game.players, strict=True):
            if player == name:
                yield list(moves_of(game, color))


def count_likeness(sides: Sequence[Sequence[LevelMove]]) -> Likeness:
    """What can be counted without an engine."""
    counts = Likeness(games=len(sides))
    with Book(BUILT_IN) as book:
        outside = [first_ply_outside(*_line_of(moves), book) for moves in sides if moves]
        counts.first_ply_outside = median(outside) if outside else None
        for moves in sides:
            opening = list(_own_opening(moves, book))
            counts.opening_plies += len(opening)
            counts.book_plies += sum(opening)
            counts.queen_moves += sum(_moves_piece(made, chess.QUEEN) for made in moves[:_QUEEN_MOVES])
            counts.rook_pawn_moves += sum(_moves_piece(made, chess.PAWN) and bool(
                chess.BB_SQUARES[made.move.from_square] & _RIM) for made in moves[:_ROOK_PAWN_MOVES])
            counts.symmetrical_positions += _symmetrical_positions(*_line_of(moves))
            counts.early_king_games += any(map(_is_early_king_move, moves[:_KING_MOVES]))
            counts.rim_knight_games += any(map(_is_knight_to_rim, moves[:_KNIGHT_MOVES]))
            chances = [made for made in moves if recaptures_in(made.board)]
            counts.recaptures += len(chances)
            counts.declined_recaptures += sum(map(is_declined_recapture, chances))
    return counts


def _own_opening(moves: Sequence[LevelMove], book: Book) -> Iterator[bool]:
    """Whether the book has each of the first moves; they end where the opponent leaves the book first."""
    is_in = True
    for made in moves:
        if len(made.board.move_stack) >= _OPENING_PLIES:
            return
        if is_in and made.board.move_stack:
            before = made.board.copy()
            last = before.pop()
            if not is_in_book(LevelMove(before, last), book):
                return
        is_in = is_in and is_in_book(made, book)
        yield is_in


def _line_of(moves: Sequence[LevelMove]) -> tuple[chess.Board, list[chess.Move]]:
    """The first position of a game, and the moves of both sides up to the last one of these."""
    last = moves[-1] if moves else None
    return (chess.Board(), []) if last is None else (last.board.root(), [*last.board.move_stack, last.move])


def first_ply_outside(board: chess.Board, line: Sequence[chess.Move], book: Book) -> int:
    """The first ply of a line, from 1, whose move the book does not have; the one after the last if it has all."""
    board = board.copy()
    for ply, move in enumerate(line, start=1):
        if not is_in_book(LevelMove(board, move), book):
            return ply
        board.push(move)
    return len(line) + 1


def _symmetrical_positions(board: chess.Board, line: Sequence[chess.Move]) -> int:
    """How often Black has copied all that White has done."""
    board, count = board.copy(), 0
    for move in line[: 2 * _COPIED_MOVES]:
        board.push(move)
        count += board.turn and board.board_fen() == board.mirror().board_fen()
    return count


def is_in_book(made: LevelMove, book: Book) -> bool:
    """Whether the book has the move in this position."""
    board, move, target = made.board, made.move, made.move.to_square
    if board.is_castling(move):  # which the format writes as king takes rook
        target = chess.square(7 if board.is_kingside_castling(move) else 0, chess.square_rank(target))
    packed = target | move.from_square << 6
    return any(entry.move == packed for entry in book.entries(chess.polyglot.zobrist_hash(board)))


def _moves_piece(made: LevelMove, piece_type: chess.PieceType) -> bool:
    return made.board.piece_type_at(made.move.from_square) == piece_type


def _is_early_king_move(made: LevelMove) -> bool:
    """Whether the king walks without need although it could still castle one day."""
    board = made.board
    return (_moves_piece(made, chess.KING) and not board.is_check() and not board.is_capture(made.move)
            and not board.is_castling(made.move) and board.has_castling_rights(board.turn))


def _is_knight_to_rim(made: LevelMove) -> bool:
    return (_moves_piece(made, chess.KNIGHT) and bool(chess.BB_SQUARES[made.move.to_square] & _RIM))


def recaptures_in(board: chess.Board) -> list[chess.Move]:
    """The recaptures that win at least three pawns on their square, right after a knight or more was captured."""
    if not board.move_stack:
        return []
    before = board.copy()
    last = before.pop()
    lost = before.piece_type_at(last.to_square)
    if lost is None or PIECE_VALUES[lost] < _MINOR or before.color_at(last.to_square) == before.turn:
        return []
    return [move for move in board.generate_legal_captures(to_mask=chess.BB_SQUARES[last.to_square])
            if _gain(board, move) >= _MINOR]


def is_declined_recapture(made: LevelMove) -> bool:
    """Whether a piece could have been taken back, and the move neither did so nor took as much elsewhere, gave check or
    promoted.
    """
    recaptures = recaptures_in(made.board)
    if not recaptures or made.move in recaptures or made.board.gives_check(made.move) or made.move.promotion:
        return False
    return _gain(made.board, made.move) < max(_gain(made.board, move) for move in recaptures)


def _gain(board: chess.Board, move: chess.Move) -> int:
    """What a capture wins in pawns, if both sides go on capturing on its square as long as it pays."""
    if not board.is_capture(move):
        return 0
    taken = board.piece_type_at(move.to_square) or chess.PAWN
    after = board.copy(stack=False)
    after.push(move)
    replies = [_gain(after, reply) for reply in after.generate_legal_captures(to_mask=chess.BB_SQUARES[move.to_square])]
    return PIECE_VALUES[taken] - max([0, *replies])


def judge_moves(likeness: Likeness, sides: Sequence[Sequence[LevelMove]], command: str, sample: int,
                seed: int = 1) -> None:
    """Count what an engine at full strength finds in the declined recaptures, and in a sample of all moves."""
    moves = [made for side in sides for made in side if made.board.legal_moves.count() > 1]
    chosen = random.Random(seed).sample(moves, min(sample, len(moves)))  # noqa: S311  no secret
    asyncio.run(_judge(likeness, chosen, list(filter(is_declined_recapture, moves)), command))


async def _judge(likeness: Likeness, moves: Sequence[LevelMove], declined: Sequence[LevelMove], command: str) -> None:
    process = EngineProcess(EngineSpec("judge", command, {"Hash": "64"}))
    try:
        engine = await process.engine()
        for made in moves:
            await _judge_move(likeness, made, engine)
        likeness.missed_recaptures = sum([await _is_missed_recapture(made, engine) for made in declined])
    finally:
        await process.close()


async def _judge_move(likeness: Likeness, made: LevelMove, engine: chess.engine.Protocol) -> None:
    best = await engine.analyse(made.board, _JUDGE_LIMIT)
    is_first = best["pv"][0] == made.move
    likeness.judged += 1
    likeness.first_choices += is_first
    if not is_first:
        loss = _expected(best["score"].relative) - _expected(await _score_of([made.move], made.board, engine))
        likeness.large_losses += loss >= LARGE_LOSS


async def _is_missed_recapture(made: LevelMove, engine: chess.engine.Protocol) -> bool:
    """Whether taking back was as good as the move played: often it is not, as another exchange comes first."""
    played = await _score_of([made.move], made.board, engine)
    return await _score_of(recaptures_in(made.board), made.board, engine) >= played


async def _score_of(moves: list[chess.Move], board: chess.Board, engine: chess.engine.Protocol) -> chess.engine.Score:
    """The score of the best of these moves, for the side to move."""
    return (await engine.analyse(board, _JUDGE_LIMIT, root_moves=moves))["score"].relative


def _expected(score: chess.engine.Score) -> float:
    return human_expected(score.score(mate_score=_MATE))
