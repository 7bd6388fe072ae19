"""Repertoires of this machine's user: a game, a file or a branch of the book is learned, and practised on the board."""

from __future__ import annotations

import chess

from engine.analysis.lookup import last_opening
from engine.analysis.wording import moves_text
from engine.coach.opening_training import (
    MoveStanding,
    OpeningAttempt,
    OpeningQuestion,
    OpeningTraining,
    keep,
    kept_repertoires,
    wrong_by_book,
)
from engine.coach.progress_file import ProgressFile
from engine.coach.repertoire import Repertoire, book_branch, parse_repertoire
from engine.coach.schedule import Outcome, check_scheduler
from engine.system.errors import InputError
from engine.ui.web import requests
from engine.ui.web.engine_pool import EnginePool
from engine.ui.web.play import Send
from engine.ui.web.requests import Message
from engine.ui.web.responses import Value, make_message

_LONGEST_NAME, _LONGEST_PGN = 80, 900_000  # characters
_LONGEST_MOVE = 8
_SIDES: dict[str, chess.Color] = {chess.COLOR_NAMES[color]: color for color in chess.COLORS}


class RepertoireSession:
    """A session's practice of openings. Each answer is recorded at once."""

    def __init__(self, pool: EnginePool, send: Send) -> None:
        self._pool, self._send = pool, send
        self._training: OpeningTraining | None = None
        self._attempt: OpeningAttempt | None = None

    async def learn(self, message: Message) -> None:
        """Keep a repertoire, of a PGN text or of the book from a position on, and ask its first move."""
        self._check_local()
        side = _SIDES[requests.enum_field(message, "side", tuple(_SIDES))]
        name = " ".join(requests.str_field(message, "title", _LONGEST_NAME).split()) or "repertoire"
        pgn = requests.str_field(message, "pgn", _LONGEST_PGN) if "pgn" in message else None

        def work() -> Value:
            text = str(book_branch(requests.parse_board(message), side)) if pgn is None else pgn
            repertoire, kept = parse_repertoire(text, name, side)
            progress = self._progress()
            keep(progress, repertoire, kept)
            return self._begin([repertoire], progress)

        await self._send(await self._pool.run_briefly(work))

    async def recall(self, _: Message) -> None:
        """Ask the next position: of the practice that is going on, otherwise of all kept repertoires."""
        self._check_local()

        def work() -> Value:
            if self._training is not None:
                return self._ask(self._training.next())
            progress = self._progress()
            repertoires = kept_repertoires(progress, lambda _: None)
            if not repertoires:
                raise InputError("there are no repertoires yet: learn a game, a file or the book first")
            return self._begin(repertoires, progress)

        await self._send(await self._pool.run_briefly(work))

    async def reply(self, message: Message) -> None:
        """Judge a move in the position that was asked; without a move, show that of the repertoire."""
        self._check_local()
        uci = requests.str_field(message, "uci", _LONGEST_MOVE) if "uci" in message else None
        training, attempt = self._asked()
        await self._send(await self._pool.run_briefly(lambda: self._judge(training, attempt, uci)))

    async def prompt(self, _: Message) -> None:
        """Send a hint at the position that was asked: first the piece, then the move."""
        self._check_local()
        attempt = self._asked()[1]
        await self._send(make_message("prompted", hint=attempt.hint(), hinted=attempt.hinted_squares))

    def _asked(self) -> tuple[OpeningTraining, OpeningAttempt]:
        if self._training is None or self._attempt is None:
            raise InputError("no position of a repertoire was asked")
        return self._training, self._attempt

    def _check_local(self) -> None:
        if self._pool.games_folder is None:
            raise InputError("a server that others can reach keeps no repertoires")

    @staticmethod
    def _progress() -> ProgressFile:
        check_scheduler()
        return ProgressFile()

    def _begin(self, repertoires: list[Repertoire], progress: ProgressFile) -> Value:
        self._training = OpeningTraining(repertoires, progress)
        return self._ask(self._training.next())

    def _ask(self, question: OpeningQuestion | None) -> Value:
        """The message with a question; when there is none left, the practice is over."""
        assert self._training is not None
        standings = [{"name": repertoire.name, "side": chess.COLOR_NAMES[repertoire.side], **standing._asdict()}
                     for repertoire, standing in self._training.standings()]
        self._attempt = None if question is None else OpeningAttempt(question)
        if question is None:
            self._training = None
        return make_message("asked", question=None if question is None else _question_json(question),
                            repertoires=standings)

    def _judge(self, training: OpeningTraining, attempt: OpeningAttempt, uci: str | None) -> Value:
        question = attempt.question
        board, answers = question.board, question.repertoire.answers(question.key)
        move = answers[0].move if uci is None else requests.parse_uci_move(board, uci)
        standing = MoveStanding.WRONG if uci is None else question.verdict(move)
        is_right = standing in (MoveStanding.RIGHT, MoveStanding.TRANSPOSES)
        if standing is MoveStanding.IN_BOOK:
            attempt.hints += 1
        elif not attempt.is_failed:
            attempt.is_failed = not is_right
            training.record(question, attempt.outcome if is_right else Outcome.FAILED, attempt.seconds)
        following = training.follow(question, move) if is_right or uci is None else None
        if is_right or uci is None:
            self._attempt = None if following is None else OpeningAttempt(following)
        comment = next((known.comment for known in answers if known.move == move), "")
        return make_message("replied", standing=standing.value, shown=uci is None, san=board.san(move),
                            words=wrong_by_book(question, move) if not is_right and uci is not None else "",
                            answers=[board.san(known.move) for known in answers] if is_right or uci is None else [],
                            comment=" ".join(comment.split()),
                            question=None if following is None else _question_json(following))


def _question_json(question: OpeningQuestion) -> Value:
    board = question.board
    name = last_opening(board)
    return {"name": question.repertoire.name, "side": chess.COLOR_NAMES[question.repertoire.side],
            "start": question.start, "moves": [move.uci() for move in question.line],
            "line": moves_text(chess.Board(question.start), question.line),
            "opening": "" if name is None else name.name}
