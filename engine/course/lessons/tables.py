"""Different orders of moves reach the same state: a transposition. A search that keeps values in a table looks at each
state once. And where a table holds every state of a game, the search is over: the best move is looked up.
"""

from __future__ import annotations

from engine.cli.tables import print_table
from engine.course.curves import chart
from engine.course.quiz import quiz
from engine.course.reference import transposition
from engine.course.reference.alphabeta import alphabeta
from engine.course.reference.exercises.trees import orders_of_moves
from engine.course.reference.games.board import TicTacToe, parse_grid
from engine.course.reference.minimax import Count, minimax
from engine.course.reference.solved import solve

GAME = TicTacToe()
WHOLE_TREE = 549_946  # nodes of minimax from the empty board: counted by the tests, since it takes some patience


def transpositions():
    """Tic-tac-toe from boards with more and more empty squares: nodes that minimax and alpha-beta look at, states that
    are looked at if none is looked at twice, and the nodes of alpha-beta with a transposition table, which joins both.
    Its entries are bounds where alpha-beta cut off, and it remembers the best move of each state.
    """
    work = {"minimax": [], "alpha-beta": [], "every state once": [], "alpha-beta with a table": []}
    for text in ("xxo oox x..", "xxo oo. x..", "xxo .o. x..", "xxo .o. ...", "xx. .o. ...", "x.. .o. ...",
                 "x.. ... ...", "... ... ..."):
        board, empty = parse_grid(text), text.count(".")
        whole, pruned = Count(WHOLE_TREE), Count()
        if empty < 9:
            whole = Count()
            minimax(GAME, board, count=whole)
        alphabeta(GAME, board, count=pruned)
        joined = Count()
        transposition.alphabeta(GAME, board, {}, count=joined)
        found = whole.nodes, pruned.nodes, len(solve(GAME, board)), joined.nodes
        for points, nodes in zip(work.values(), found, strict=True):
            points.append((empty, nodes))
    print_table(("empty squares", *work), [(str(empty), *(f"{dict(points)[empty]:,}" for points in work.values()))
                                           for empty, _ in work["minimax"]])
    return chart("Tic-tac-toe: what a table saves", ("empty squares", "nodes or states"), work, is_log=(False, True))


def lookup():
    """The table of all 5,478 states knows the best move in each. No search is left: both sides look their moves up, and
    the game is a draw. Chess programs play openings from a book of human knowledge and endings with few pieces from
    exhaustive tables like this one.
    """
    table = solve(GAME, GAME.initial())
    board, boards = GAME.initial(), []
    while not GAME.is_terminal(board):
        board = GAME.result(board, table[board].action)
        boards.append(GAME.text(board).split())
    for rows in zip(*boards, strict=True):
        print("  ".join(rows))
    print(f"\n{len(table):,} states; value of the empty board: {table[GAME.initial()].value}")


def ask_the_table():
    """Here o is to move, and every move but one loses. The table knows:"""
    table = solve(GAME, GAME.initial())
    board = parse_grid("x.. ... ...")
    print(GAME.text(board), "\n")
    for action in GAME.actions(board):
        value = table[GAME.result(board, action)].value
        verdict = {1: "x wins", 0: "draw", -1: "o wins"}[int(value)]
        print(f"o at row {action // 3 + 1}, column {action % 3 + 1}: {verdict}")


def your_turn():
    """How often would a search without a table look at the same position?"""
    quiz(orders_of_moves)
