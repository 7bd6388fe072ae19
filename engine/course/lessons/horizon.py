"""Chess is too large to be searched to its end. So the search stops at a cut-off, and an evaluation stands in for the
utility: fast, between loss and win, and the higher the better the chances. If it stops in the middle of an exchange,
the evaluation is wrong by a piece: beyond the horizon comes the recapture.
"""

from __future__ import annotations

import random
import statistics
import time

import chess

from engine.cli.tables import print_table
from engine.course.curves import chart
from engine.course.pseudocode import side_by_side
from engine.course.quiz import quiz
from engine.course.reference.alphabeta import alphabeta, alphabeta_search
from engine.course.reference.distillation import Label, Pupil, distance, labelled, teacher
from engine.course.reference.evaluation import evaluate, material, quiescent, terms
from engine.course.reference.exercises.trees import material_balance
from engine.course.reference.game import MAX, MIN
from engine.course.reference.games.board import TicTacToe
from engine.course.reference.games.chess import Chess
from engine.course.reference.games.tree import TreeGame
from engine.course.reference.minimax import Count, minimax_search
from engine.course.reference.solved import solve
from engine.course.reference.trace import Trace
from engine.course.trees import picture, traced

PROTECTED_PAWN = "4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1"
GAME = Chess(PROTECTED_PAWN)
ERRING = TreeGame([[99, 1000, 1000, 1000], [100, 101, 102, 100]])
ONE_MOVE = "k5r1/8/8/8/8/8/8/7K w - - 0 1"


def a_weighted_sum():
    """The usual evaluation is a weighted sum of features: white's count less black's. Material, 16 for a queen, 8 for a
    rook, 5 for a bishop or a knight, 1 for a pawn; mobility, the difference of legal moves; and so on.
    """
    fen = "r1bqk2r/pppp1ppp/2n2n2/4p3/2B1P3/2P2N2/PP3PPP/RNBQ1RK1 b kq - 0 6"
    print(chess.Board(fen), "\n")
    print_table(("feature", "adds"), [(name, f"{added + 0.0:+.1f}") for name, added in terms(fen).items()])
    print(f"\nsum {sum(terms(fen).values()):+.1f}; between loss (-1) and win (+1): {evaluate(fen):+.2f}")


def the_horizon():
    """White's queen can take a pawn that another pawn protects. One ply deep the search sees a pawn won and nothing
    after it. Two plies deep it sees the answer, and leaves the pawn alone. Three plies deep it is fooled again: it
    plans to take the pawn with the last move that it sees. A deeper search only moves the horizon.
    """
    print(chess.Board(PROTECTED_PAWN), "\n")
    print_table(("depth", "material, as the search believes", "move"),
                [(str(depth), f"{_believed(depth, material):+g}", _move(depth, material)) for depth in (1, 2, 3)])


def search_on_where_it_is_not_quiet():
    """The cure: at the cut-off go on, but only with captures, until the position is quiet. The player to move may stop
    at any point, since nobody is forced to capture. The tree grows unevenly, deep where it matters.
    """
    quiet = quiescent(GAME, material, _captures)
    curves = {name: [(depth, _believed(depth, judge)) for depth in (1, 2, 3)]
              for name, judge in (("cut off", material), ("searched on", quiet))}
    print_table(("depth", *curves, "move, searched on"),
                [(str(depth), *(f"{dict(points)[depth]:+g}" for points in curves.values()), _move(depth, quiet))
                 for depth in (1, 2, 3)])
    after = GAME.result(PROTECTED_PAWN, "d2d5")
    print(f"\nafter Qxd5: cut off {material(after):+g}, searched on {quiet(after):+g}, since the queen is lost")
    return chart("A protected pawn: what the search believes", ("depth", "material"), curves)


def does_depth_make_up_for_evaluation():
    """Does the quality of the evaluation matter less, the deeper the search? In tic-tac-toe it does, since the end of
    the game comes into sight. 300 random positions with five empty squares or more: how often does the search choose a
    best move with an evaluation that counts open lines, and how often with the same one upside down?

    In chess the end stays out of sight, and this engine's own games do not confirm it: all features instead of material
    alone were worth 383 Elo at depth 1 and 584 at depth 8. What depth does buy is strength: material alone at depth 8
    plays like all features at depth 4. `adversary compare evaluations` repeats the measurement.
    """
    game, chance = TicTacToe(), random.Random(1)
    table = solve(game, game.initial())
    early = [board for board in table if board.count(None) >= 5 and not game.is_terminal(board)]
    boards = chance.sample(early, 300)
    curves = {"good": [], "upside down": []}
    for depth in range(1, 6):
        for name, judge in (("good", game.open_lines), ("upside down", lambda board: -game.open_lines(board))):
            right = 0
            for board in boards:
                move = alphabeta_search(game, board, depth, judge)
                right += table[game.result(board, move)].value == table[board].value
            curves[name].append((depth, 100 * right / len(boards)))
    print_table(("depth", *curves, "gap"),
                [(str(depth), f"{good:.0f} %", f"{poor:.0f} %", f"{round(good) - round(poor)}")
                 for (depth, good), (_, poor) in zip(*curves.values(), strict=True)])
    return chart("Tic-tac-toe: depth makes up for evaluation", ("depth", "best moves, per cent"), curves)


def fast_and_correlated():
    """An evaluation should be fast, and correlated with the chance to win. Tic-tac-toe is small enough to compare the
    count of open lines with the truth, in all states in which the game goes on. Over all of them the two have nothing
    to do with each other, since the count does not know whose turn it is; among states with the same player to move it
    does what an evaluation should. A search compares such states only: its leaves are equally deep. Then the CPU time.
    """
    game = TicTacToe()
    table = solve(game, game.initial())
    boards = [board for board in table if not game.is_terminal(board)]
    for name, movers in (("all", {MAX, MIN}), ("x to move", {MAX}), ("o to move", {MIN})):
        kept = [board for board in boards if game.to_move(board) in movers]
        agreement = statistics.correlation([game.open_lines(board) for board in kept],
                                           [table[board].value for board in kept])
        print(f"{name:<10} {len(kept):5,} states   correlation {agreement:+.2f}")
    for name, judge in (("open lines", game.open_lines), ("the truth", lambda board: alphabeta(game, board))):
        print(f"{name:<10} {_microseconds(judge, boards[:300]):8.0f} microseconds a state")


def distillation():
    """Weights can be learned without a single result, from the labels of a teacher. Here the teacher is a search of
    three plies that counts open lines; the pupil looks at a board once, and adds up a weight for each line. It is given
    boards on which the game goes on, with the teacher's values, and nothing else. How far it is from the teacher on 400
    boards that it never saw, and how often a search of one ply plays a best move with it, by the table of the truth,
    which neither of them knows: the more labels, the better. A pupil with the same labels upside down plays badly: all
    it knows is what it was told.

    The engine's network `taught` was made in this way, from the labels of another engine's network; `selfplay` learned
    from the results of its own games. `adversary compare evaluations` lets both play each other and the features.
    """
    table = solve(TicTacToe(), TicTacToe().initial())
    boards = [board for board in table if not TicTacToe().is_terminal(board)]
    random.Random(1).shuffle(boards)
    exam, given = labelled(boards[:400]), labelled(boards[400:1400])
    points, rows = [], []
    for count in (0, 10, 30, 100, 300, 1000):
        pupil = Pupil()
        pupil.learn(given[:count])
        points.append((count, distance(pupil, exam)))
        rows.append((f"{count:,}", f"{points[-1][1]:.2f}", f"{_best_moves(pupil.evaluate, exam, table):.0f} %"))
    liar = Pupil()
    liar.learn([Label(board, -value) for board, value in given])
    rows += [("1,000, upside down", f"{distance(liar, exam):.2f}", f"{_best_moves(liar.evaluate, exam, table):.0f} %"),
             ("(the teacher)", "0.00", f"{_best_moves(_teacher, exam, table):.0f} %")]
    print_table(("labels", "from the teacher", "best moves"), rows)
    print(f"\nfinished games among the labels: {sum(TicTacToe().is_terminal(board) for board, _ in given)}")
    for name, judge in (("the teacher", teacher), ("the pupil", pupil.value)):
        print(f"{name:<12} {_microseconds(judge, boards[:300]):6.0f} microseconds a board")
    return chart("A pupil and its teacher", ("labels", "distance"), {"pupil": points[1:]}, is_log=(True, False))


def where_errors_lead():
    """The first limit of it all: evaluations err, and minimax believes every leaf. MAX may choose a, where MIN can
    answer with 99 or three times 1000, or b with 100, 101, 102 and 100. Minimax takes b, since 100 is more than 99.
    But if each leaf is wrong by an error with a standard deviation of 5, a is often the better move: there one leaf
    alone decides, and at b the worst of four.
    """
    trace, chance = Trace(), random.Random(1)
    move = minimax_search(ERRING, ERRING.initial(), count=trace)
    better = 0
    for _ in range(10_000):
        a, b = (min(leaf + chance.gauss(0, 5) for leaf in row) for row in ERRING.initial().tree)
        better += a > b
    print(f"minimax plays {'ab'[move]}; in truth a is better in {better / 100:.0f} % of 10,000 draws")
    return picture(traced(ERRING, trace, way=lambda state, action: "" if state.depth else "ab"[action]),
                   "99 against 100, if every leaf may err by 5")


def work_that_cannot_matter():
    """The second: a search computes bounds for nodes that cannot change the move. Here White has one legal move, and
    still alpha-beta looks ahead. The utility of expanding a node is what it could change of the decision: here nothing.
    Engines ask it at the root at least, and play a single move at once. The third: it thinks move by move. People say
    "trap the king, then promote" and only then look for moves; how to search among such plans is open. And the fourth:
    nothing is learned in it; what it knows it knew before.
    """
    game, count = Chess(ONE_MOVE), Count()
    move = alphabeta_search(game, ONE_MOVE, 3, material, count)
    print(chess.Board(ONE_MOVE), "\n")
    print(f"legal moves: {len(game.actions(ONE_MOVE))}; nodes looked at before {move} is played: {count.nodes}")


def the_pseudo_code():
    """The pseudo-code of the notes, and the line of engine/course/reference that does each of its lines."""
    print(side_by_side("cutoff"))


def your_turn():
    """Be the evaluation: add up the material."""
    quiz(material_balance)


def _believed(depth, judge):
    return alphabeta(GAME, PROTECTED_PAWN, depth, judge)


def _move(depth, judge):
    best = alphabeta_search(GAME, PROTECTED_PAWN, depth, judge)
    return chess.Board(PROTECTED_PAWN).san(chess.Move.from_uci(best))


def _captures(fen):
    return [move.uci() for move in chess.Board(fen).generate_legal_captures()]


def _microseconds(judge, boards):
    """The CPU time that an evaluation takes for a board, on average."""
    started = time.process_time()
    for board in boards:
        judge(board)
    return 1e6 * (time.process_time() - started) / len(boards)


def _best_moves(judge, exam, table):
    """How often a search of one ply with an evaluation chooses a best move, in per cent."""
    game = TicTacToe()
    best = [table[game.result(board, alphabeta_search(game, board, 1, judge))].value == table[board].value
            for board, _ in exam]
    return 100 * sum(best) / len(best)


def _teacher(board):
    """MAX's value by the teacher."""
    return teacher(board) if TicTacToe().to_move(board) == MAX else -teacher(board)
