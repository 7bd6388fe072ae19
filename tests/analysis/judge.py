"""Judge the marks of annotated games with Stockfish: how many are right, and how many blunders carry one.

    python -m tests.analysis.judge GAMES.pgn --part held-out --memory SEARCHES --folder REVIEWS

With `--nodes` and `--appeal` the judge looks for so long, and again for longer where it disagrees with a mark, or with
the lack of one: it may be wrong itself. Of the games that are held out only the totals are shown. What was searched is
kept in the memory and the folder, so a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import chess
import chess.engine

from engine.analysis.engine import Engine
from engine.analysis.move_verdicts import MoveVerdict, classify_game
from engine.analysis.review import SearchEffort
from eval.human_curve import DECIDED, human_expected
from tests.analysis.reviews import PARTS, games_of, reviewed

STOCKFISH = Path("/usr/games/stockfish")
LOOK = 1_000_000  # nodes of the judge; twice as many for ?? and praise
_GLANCES = 30  # in a look
RIGHT_LOSS = {"?!": 0.04, "?": 0.08, "??": 0.13}  # the judge's loss from which a mark is right
THRESHOLD = {"?!": 0.08, "?": 0.13, "??": 0.22}
BLUNDER, MISTAKE = 0.22, 0.13
_SUSPECTED = 0.08  # a loss at a glance from which the judge looks for longer
_UNDECIDED = 500  # centipawns
_ALTERNATIVE_LOSS = 0.05


class Judge:
    """Stockfish with a memory in a file, so that a search is made once."""

    def __init__(self, memory: Path | None = None, look: int = LOOK, appeal: int | None = None) -> None:
        self.look, self.long_look, self.glance = look, 2 * look, look // _GLANCES
        self.appeal = appeal or 0  # nodes, if more than those of the look that is disputed
        self._engine = chess.engine.SimpleEngine.popen_uci(str(STOCKFISH), timeout=None)
        self._engine.configure({"Threads": 1, "Hash": 64})
        self._memory, self._known = memory, dict[str, tuple[int, str]]()
        if memory is not None and memory.exists():
            for line in memory.read_text().splitlines():
                key, value, move = json.loads(line)
                self._known[key] = value, move

    def close(self) -> None:
        """End the process."""
        self._engine.quit()

    def best(self, board: chess.Board, nodes: int, move: chess.Move | None = None) -> tuple[int, chess.Move]:
        """The mover's centipawns, with mates beyond the end of the curve, and the best move; of one move if given."""
        key = f"{board.fen()} {nodes} {'' if move is None else move.uci()}"
        if key not in self._known:
            self._engine.configure({"Clear Hash": None})
            info = self._engine.analyse(board, chess.engine.Limit(nodes=nodes),
                                        root_moves=None if move is None else [move])
            value = info["score"].relative.score(mate_score=10 * DECIDED)
            assert value is not None
            self._known[key] = value, info["pv"][0].uci()
            if self._memory is not None:
                with self._memory.open("a") as file:
                    file.write(json.dumps([key, *self._known[key]]) + "\n")
        value, text = self._known[key]
        return value, chess.Move.from_uci(text)

    def loss(self, board: chess.Board, move: chess.Move, nodes: int) -> float:
        """The expected score that a move loses on the human curve."""
        value, best = self.best(board, nodes)
        if best == move:
            return 0.0
        return max(human_expected(value) - human_expected(self.best(board, nodes, move)[0]), 0.0)


@dataclass
class Totals:
    """What a judge found in some games."""

    games: int = 0
    moves: int = 0
    nodes: int = 0
    marks: Counter[str] = field(default_factory=Counter)
    right: float = 0.0
    first_choices: int = 0
    without_loss: int = 0
    with_a_poor_alternative: int = 0
    blunders: int = 0
    blunders_marked: int = 0
    mistakes: int = 0
    mistakes_marked: int = 0
    praised: int = 0
    praised_best: int = 0
    remarks: list[str] = field(default_factory=list)

    def text(self) -> str:
        """The figures in lines."""
        count = sum(self.marks.values())
        return (f"{self.games} games, {self.moves} moves, {self.nodes / 1e6:.0f} million nodes; "
                f"marks {dict(self.marks)}\n"
                f"right: {self.right:.1f} of {count} ({self.right / max(count, 1):.1%}); "
                f"on the judge's first choice: {self.first_choices}, without a real loss: {self.without_loss}, "
                f"with an alternative that is not nearly best: {self.with_a_poor_alternative}\n"
                f"blunders marked ? or ??: {self.blunders_marked} of {self.blunders}; "
                f"mistakes with any mark: {self.mistakes_marked} of {self.mistakes}\n"
                f"praised: {self.praised}, the judge's best or nearly: {self.praised_best}")


def judge_move(judge: Judge, verdict: MoveVerdict, totals: Totals) -> None:
    """Judge one move and count it."""
    board, move, mark = verdict.board, verdict.move, verdict.mark.text
    totals.moves += 1
    if mark in RIGHT_LOSS:
        _judge_mark(judge, verdict, totals)
    elif mark:
        _judge_praise(judge, verdict, totals)
    lost = judge.loss(board, move, judge.glance)
    if lost < _SUSPECTED or verdict.is_theory:
        return
    for nodes in (judge.look, judge.appeal):
        if nodes < judge.look:
            break
        lost, value = judge.loss(board, move, nodes), judge.best(board, nodes)[0]
        if abs(value) > _UNDECIDED or not _is_missed(lost, mark):
            break
    if abs(value) > _UNDECIDED:
        return
    if lost >= BLUNDER:
        totals.blunders += 1
        totals.blunders_marked += mark in ("?", "??")
    if lost >= MISTAKE:
        totals.mistakes += 1
        totals.mistakes_marked += mark in RIGHT_LOSS
        if _is_missed(lost, mark):
            totals.remarks.append(f"missed {_name(verdict)}: {lost:.2f} from {value}; ours {verdict.lost:.2f} "
                                  f"{verdict.before} {verdict.after}")


def _is_missed(lost: float, mark: str) -> bool:
    return (lost >= MISTAKE and mark not in RIGHT_LOSS) or (lost >= BLUNDER and mark == "?!")


@dataclass(frozen=True)
class Judgement:
    """What the judge says of a mark."""

    right: float  # 1 for a right mark, 0.5 for one a class too high
    is_first_choice: bool
    has_loss: bool
    has_alternative: bool
    words: str


def _judge_mark(judge: Judge, verdict: MoveVerdict, totals: Totals) -> None:
    mark = verdict.mark.text
    totals.marks[mark] += 1
    found = _judgement(judge, verdict, judge.long_look if mark == "??" else judge.look)
    if found.right < 1 and judge.appeal > judge.long_look:
        found = _judgement(judge, verdict, judge.appeal)
    totals.first_choices += found.is_first_choice
    totals.without_loss += not found.has_loss
    totals.with_a_poor_alternative += found.has_loss and not found.has_alternative
    totals.right += found.right
    if found.right < 1:
        totals.remarks.append(f"wrong {_name(verdict)}: {found.words}; ours {verdict.lost:.2f} {verdict.before} "
                              f"{verdict.after}")


def _judgement(judge: Judge, verdict: MoveVerdict, nodes: int) -> Judgement:
    board, move, mark = verdict.board, verdict.move, verdict.mark.text
    value, best = judge.best(board, nodes)
    lost = judge.loss(board, move, nodes)
    alternative = judge.loss(board, verdict.best_line[0], nodes)
    by_rule = verdict.table_results is not None or _is_confirmed_mate(judge, verdict, nodes)
    has_alternative, is_first = alternative <= _ALTERNATIVE_LOSS, best == move
    has_loss = (lost >= RIGHT_LOSS[mark] or by_rule) and not is_first
    weaker = {"??": "?", "?": "?!"}.get(mark)
    is_nearly_right = weaker is not None and lost >= RIGHT_LOSS[weaker] and not is_first
    right = 1.0 if has_loss else 0.5 if is_nearly_right else 0.0
    return Judgement(right if has_alternative else 0.0, is_first, has_loss, has_alternative,
                     f"judge {lost:.2f} (best {board.san(best)} {value}), alternative {verdict.best_line[0]} loses "
                     f"{alternative:.2f}")


def _is_confirmed_mate(judge: Judge, verdict: MoveVerdict, nodes: int) -> bool:
    """Whether a mark for a mate is one for the judge too."""
    if verdict.after.is_losing_mate:
        return judge.best(verdict.board, nodes, verdict.move)[0] < -DECIDED * 9
    return verdict.before.is_winning_mate and judge.best(verdict.board, nodes)[0] > DECIDED * 9


def _judge_praise(judge: Judge, verdict: MoveVerdict, totals: Totals) -> None:
    totals.praised += 1
    lost = judge.loss(verdict.board, verdict.move, judge.long_look)
    totals.praised_best += lost <= 0.02
    if lost > 0.02:
        totals.remarks.append(f"praised {_name(verdict)}: judge {lost:.2f}")


def _name(verdict: MoveVerdict) -> str:
    number = verdict.board.fullmove_number
    return f"{number}{'.' if verdict.board.turn else '...'}{verdict.board.san(verdict.move)}{verdict.mark.text}"


def judge_file(path: Path, part: str, judge: Judge, most: int = 1000, shows: bool = False,
               folder: Path | None = None) -> Totals:
    """Annotate and judge up to `most` games of a part; prints the totals after each, and with `shows` what is wrong."""
    totals = Totals()
    try:
        with Engine(hash=16) as adversary:
            for game in islice(games_of(path, part), most):
                review = reviewed(adversary, game, SearchEffort(), folder)
                totals.games += 1
                totals.nodes += review.nodes
                for verdict in classify_game(game.board(), list(game.mainline_moves()), review):
                    judge_move(judge, verdict, totals)
                if shows and totals.remarks:
                    print(f"-- {game.headers['White']} - {game.headers['Black']}", *totals.remarks, sep="\n")
                totals.remarks.clear()
                print(totals.text(), flush=True)
    finally:
        judge.close()
    return totals


def main() -> None:
    """Judge files and print the totals; with `--show`, also what is wrong, which only the training part may."""
    parser = argparse.ArgumentParser()
    parser.add_argument("games", type=Path)
    parser.add_argument("--part", choices=PARTS, default="held-out")
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--memory", type=Path, help="a file that keeps the judge's searches")
    parser.add_argument("--folder", type=Path, help="that keeps the reviews")
    parser.add_argument("--nodes", type=int, default=LOOK)
    parser.add_argument("--appeal", type=int, help="nodes where the judge disagrees with `--nodes`")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    if arguments.show and arguments.part != "training":
        parser.error("what is held out is not shown")
    judge_file(arguments.games, arguments.part, Judge(arguments.memory, arguments.nodes, arguments.appeal),
               arguments.most, arguments.show, arguments.folder)


if __name__ == "__main__":
    main()
