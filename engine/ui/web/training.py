"""Training with puzzles in the page. Only the user of this machine trains: the answers are in that user's progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath

import chess

from engine.coach.opening_training import OpeningTraining, kept_repertoires
from engine.coach.progress_file import KeptRepertoire, ProgressFile
from engine.coach.puzzle import Puzzle, RefutedTry
from engine.coach.puzzle_files import about_text, parse_puzzles, solution_text, starting_puzzles, task_text
from engine.coach.puzzle_training import (
    SETS,
    PuzzleAttempt,
    PuzzleFilter,
    Training,
    keep_set,
    kept_puzzles,
    refute,
    remove_set,
    themes_to_choose,
)
from engine.coach.repertoire import Repertoire
from engine.coach.schedule import Outcome, check_scheduler
from engine.coach.woodpecker import Woodpecker, choose_training
from engine.system.errors import InputError, quote
from engine.ui.web import requests
from engine.ui.web.engine_pool import EnginePool, with_engine
from engine.ui.web.play import Send
from engine.ui.web.requests import Message
from engine.ui.web.responses import Value, make_message, position_json

ACTIONS = ("overview", "next", "move", "hint", "solution", "anew", "keep", "remove", "restore")
SOURCES = ("all", "package", "own")
_LONGEST_WORD = 60
_LONGEST_MOVE = 8  # characters
_LONGEST_NAME = 255  # characters, of a file
_HIGHEST = 4000  # rating
_PLOTTED = 300  # answers


class PuzzleSession:
    """A session's training: one puzzle at a time, each answer recorded before the page hears of it."""

    def __init__(self, pool: EnginePool, send: Send) -> None:
        self._pool, self._send = pool, send
        self._training: Training | None = None
        self._filter: tuple[object, ...] = ()  # what the training was chosen by
        self._attempt: PuzzleAttempt | None = None
        self._known: list[Puzzle] = []  # before they were chosen by theme and rating
        self._removed: tuple[str, str] | None = None  # the set that was removed last, and its content
        self._note = ""  # about the progress file, for the next response
        self._kept: list[KeptRepertoire] = []  # from which the repertoires were read
        self._repertoires: list[Repertoire] = []

    async def train(self, message: Message) -> None:
        """Carry out an action, and send what the page shows then."""
        action = requests.enum_field(message, "action", ACTIONS)
        progress_path = self._pool.progress_path
        if progress_path is None:
            raise InputError("training is for the user of this machine: their progress is kept in a file")
        value = await self._pool.run_briefly(lambda: self._carry_out(action, message, progress_path))
        if value is None:
            value = await self._refute(message)
        await self._send(make_message("training", **value))

    def _carry_out(self, action: str, message: Message, path: Path) -> Value | None:
        """What the page shows after an action; None if a wrong move must be refuted first."""
        if action == "keep":
            return self._keep(message, path)
        if action == "remove":
            return self._remove(requests.str_field(message, "set", _LONGEST_NAME), path)
        if action == "restore":
            return self._restore(path)
        if action in ("overview", "next", "anew"):
            training = self._chosen(message, path)
            if action == "anew" and isinstance(training, Woodpecker):
                training.begin_anew()
            if action == "overview":
                return {**self._openings(training.progress), **self._overview_after(training)}
            return self._ask(training, requests.str_field(message, "id", _LONGEST_WORD) if "id" in message else "")
        training, attempt = self._running()
        if action == "hint":
            text = attempt.hint()
            return self._current_puzzle({"hint": text})
        if action == "solution":
            training.fail(attempt)
            solved = {"solution": solution_text(attempt.puzzle), "line": _frames(
                attempt.board, attempt.puzzle.solution[attempt.ply :])}
            self._attempt = None
            return {**solved, **_about(attempt), **self._overview_after(training)}
        return self._make_move(attempt, self._move_of(message, attempt))

    def _keep(self, message: Message, path: Path) -> Value:
        """Keep the puzzles of a file as a set; nothing is kept if one of them is invalid."""
        title = requests.str_field(message, "title", _LONGEST_NAME)
        puzzles = parse_puzzles(requests.str_field(message, "text", requests.LONGEST_MESSAGE))
        shown = "".join(character if character.isprintable() else " " for character in PurePath(title).stem)
        name, progress = " ".join(shown.split()) or "puzzles", self._progress(path)
        replaced = name in progress.documents(SETS)
        keep_set(progress, name, puzzles)
        self._filter = ()  # the puzzles to choose from are others
        return {"kept": {"name": name, "puzzles": len({puzzle.id for puzzle in puzzles}), "replaced": replaced}}

    def _remove(self, name: str, path: Path) -> Value:
        self._removed = name, remove_set(self._progress(path), name)
        self._filter = ()
        return {"removed": name}

    def _restore(self, path: Path) -> Value:
        """Bring back the set that was removed last, unless another one has its name by now."""
        if self._removed is None:
            raise InputError("no set of puzzles has been removed")
        (name, content), progress = self._removed, self._progress(path)
        if name in progress.documents(SETS):
            raise InputError(f"there is another set of puzzles {quote(name)} now")
        progress.keep(SETS, name, content)
        self._filter, self._removed = (), None
        return {"restored": name}

    def _move_of(self, message: Message, attempt: PuzzleAttempt) -> chess.Move:
        return requests.parse_uci_move(attempt.board, requests.str_field(message, "uci", _LONGEST_MOVE))

    def _make_move(self, attempt: PuzzleAttempt, move: chess.Move) -> Value | None:
        if not attempt.puzzle.is_right(attempt.ply, move):
            return None
        board = attempt.board
        attempt.play(move)
        played: Value = {"right": True, "san": board.san(move), "uci": board.uci(move)}
        if not attempt.is_solved:
            board.push(move)
            reply = attempt.puzzle.solution[attempt.ply - 1]
            return self._current_puzzle({**played, "reply": {"san": board.san(reply), "uci": board.uci(reply)}})
        training, outcome = self._running()[0], attempt.outcome
        training.finish(attempt)
        board.push(move)
        self._attempt = None
        return {**played, "solved": outcome.name.lower().replace("_", " "), "position": position_json(board),
                "seconds": round(attempt.seconds, 1), **_about(attempt), **self._overview_after(training)}

    async def _refute(self, message: Message) -> Value:
        """What is wrong with a move; the answer counts as failed unless the move is as good as the right one."""
        training, attempt = self._running()
        board, move = attempt.board, self._move_of(message, attempt)
        wrong = attempt.puzzle.refuted_try(attempt.ply, move) or await with_engine(
            self._pool, lambda engine: refute(engine, attempt.puzzle, attempt.ply, move))

        def answer() -> Value:
            if wrong is not None:
                training.fail(attempt)
            return self._current_puzzle(_wrong_json(board, move, wrong))

        return await self._pool.run_briefly(answer)

    def _running(self) -> tuple[Training, PuzzleAttempt]:
        if self._training is None or self._attempt is None:
            raise InputError("no puzzle is being solved: ask for the next one")
        return self._training, self._attempt

    def _chosen(self, message: Message, path: Path) -> Training:
        """The training that a message asks for: the running one if nothing else is chosen."""
        wanted = (requests.str_field(message, "theme", _LONGEST_WORD) if "theme" in message else "",
                requests.int_field(message, "lowest", 0, _HIGHEST, 0),
                requests.int_field(message, "highest", 0, _HIGHEST, _HIGHEST),
                requests.enum_field(message, "source", SOURCES) if "source" in message else SOURCES[0],
                requests.str_field(message, "set", _LONGEST_NAME) if "set" in message else "",
                requests.bool_field(message, "woodpecker"))
        if self._training is None or wanted != self._filter:
            theme, lowest, highest, source, name, is_woodpecker = wanted
            progress = self._progress(path)
            origin = f"set {name}" if name else "" if source == SOURCES[0] else f"from {source}"
            self._known = _puzzles_of(source, name, progress, self._warn)
            self._training = choose_training(self._known, PuzzleFilter(theme, lowest, highest), progress, origin,
                                             in_rounds=is_woodpecker)
            self._filter, self._attempt = wanted, None
        return self._training

    def _progress(self, path: Path) -> ProgressFile:
        check_scheduler()
        progress = ProgressFile(path)
        if progress.set_aside is not None:
            self._note = f"your progress was damaged and is kept as {progress.set_aside.name}; a new one begins"
        return progress

    def _openings(self, progress: ProgressFile) -> Value:
        """How much of the kept repertoires is due and new; nothing if there are none."""
        if (kept := progress.repertoires()) != self._kept:
            self._kept, self._repertoires = kept, kept_repertoires(progress, self._warn)
        standings = [standing for _, standing in OpeningTraining(self._repertoires, progress).standings()]
        return {"openings": {"due": sum(standing.due for standing in standings),
                             "new": sum(standing.new for standing in standings)}} if standings else {}

    def _warn(self, text: str) -> None:
        self._note = text

    def _ask(self, training: Training, wanted: str) -> Value:
        """The next puzzle: the one that was shown before a reload, if it has not been answered since."""
        if self._attempt is not None and not self._attempt.is_failed and wanted != self._attempt.puzzle.id:
            training.skip(self._attempt.puzzle)
        puzzle = training.open(wanted) or training.next()
        self._attempt = None if puzzle is None else training.begin(puzzle)
        return self._standing(training) if puzzle is None else self._current_puzzle({})

    def _current_puzzle(self, value: Value) -> Value:
        """The puzzle as it stands, with what has just happened."""
        training, attempt = self._running()
        puzzle, board = attempt.puzzle, attempt.board
        square = puzzle.mistake_square
        mistake = None if square is None else 2 * chess.square_name(square)  # whence it came is not kept
        last = puzzle.solution[attempt.ply - 1].uci() if attempt.ply else mistake
        return {**value, **self._standing(training), "change": attempt.rating_change, "puzzle": {
            "id": puzzle.id, "text": task_text(puzzle), "position": position_json(board), "last": last,
            "side": chess.COLOR_NAMES[board.turn], "hinted": attempt.hinted_squares, "failed": attempt.is_failed,
            "repeat": attempt.is_repeat}}

    def _overview_after(self, training: Training) -> Value:
        """The user's progress after a puzzle."""
        return {"overview": overview(training, self._known), **self._standing(training)}

    def _standing(self, training: Training) -> Value:
        rating = training.progress.rating()
        note, self._note = self._note, ""
        return {"rating": round(rating.value), "error": round(rating.error), "due": len(training.due()),
                "status": training.status(), "streak": training.progress.streak(), **({"note": note} if note else {})}


def _puzzles_of(source: str, name: str, progress: ProgressFile, warn: Callable[[str], None]) -> list[Puzzle]:
    """The puzzles of a source, or of the set with this name."""
    own = kept_puzzles(progress, warn, name) if source != "package" or name else []
    if source == "own" and not own and not name:
        raise InputError("you have no puzzles of your own yet: adversary puzzles GAMES.pgn --out FILE.pgn makes a file "
                         "of them, which you can load")
    return own if source == "own" or name else [*starting_puzzles(), *own]


def _about(attempt: PuzzleAttempt) -> Value:
    """What the page shows of a puzzle when it has ended."""
    puzzle = attempt.puzzle
    return {"change": attempt.rating_change, "about": about_text(puzzle), "start": puzzle.fen,
            "chess960": puzzle.chess960, "moves": [move.uci() for move in attempt.line]}


def _wrong_json(board: chess.Board, move: chess.Move, wrong: RefutedTry | None) -> Value:
    played: Value = {"right": False, "san": board.san(move), "uci": board.uci(move)}
    after = board.copy(stack=False)
    after.push(move)
    if wrong is None:
        return {**played, "good": True}
    return {**played, "good": False, "reason": wrong.reason, "after": position_json(after)["fen"],
            "line": _frames(after, wrong.refutation)}


def _frames(board: chess.Board, line: Sequence[chess.Move]) -> list[Value]:
    """A line as what the board shows after each move."""
    cursor, frames = board.copy(stack=False), []
    for move in line:
        san, uci = cursor.san(move), cursor.uci(move)
        cursor.push(move)
        frames.append({"san": san, "uci": uci, "fen": cursor.fen(shredder=cursor.chess960)})
    return frames


def overview(training: Training, puzzles: Sequence[Puzzle]) -> Value:
    """What can be chosen, and the user's progress: the rating after each answer that counted, rounds."""
    themes = Counter(theme for puzzle in {puzzle.id: puzzle for puzzle in puzzles}.values()
                     for theme in themes_to_choose(puzzle))
    answers = training.progress.answers()
    ratings = [{"at": answer.at.date().isoformat(), "rating": round(answer.rating.value),
                "error": round(answer.rating.error)} for answer in answers if answer.rating is not None]
    return {"themes": [{"name": name, "count": count} for name, count in sorted(themes.items())],
            "puzzles": len({puzzle.id for puzzle in puzzles}), "answers": len(answers),
            "sets": sorted(training.progress.documents(SETS)),
            "solved": sum(answer.outcome is not Outcome.FAILED for answer in answers), "ratings": ratings[-_PLOTTED:],
            "rounds": [one._asdict() for one in training.rounds()] if isinstance(training, Woodpecker) else []}
