"""Exercises on trees: back up values, cut, count."""

from __future__ import annotations

import math
import random
import textwrap
from collections.abc import Sequence

from engine.course.reference.exercises.cutoffs import cut_offs, lettered
from engine.course.reference.exercises.question import Question, listed
from engine.course.reference.games.halving import Halving
from engine.course.reference.games.tree import TreeGame
from engine.course.reference.minimax import decide, minimax
from engine.course.reference.solved import solve

_MOVES = "abc"
_PIECES = {"queen": 16, "rook": 8, "bishop": 5, "knight": 5, "pawn": 1}


def _rows(chance: random.Random, low: int = -9, high: int = 9) -> list[list[int]]:
    """Three moves, and three different leaves below each."""
    return [chance.sample(range(low, high + 1), 3) for _ in _MOVES]


def _tree(game: TreeGame) -> str:
    """The tree as an indented paragraph."""
    return textwrap.indent(lettered(game), "    ")


def halve_or_take(chance: random.Random) -> Question:
    """Find the winner of the halving game."""
    number = chance.randint(4, 15)
    game = Halving(number)
    entry = solve(game, game.initial())[game.initial()]
    wins = entry.value == 1
    after = game.result(game.initial(), str(entry.action)).number
    reason = (f"To {entry.action} leaves {after}, from which the second player loses." if wins else
              f"Both {number - 1} and {number // 2} are numbers from which the player to move wins.")
    return Question(f"The halving game from {number}: take one away or halve, rounding down; the player left with 0 "
                    "wins. Both play well. Who wins, the first or the second player?",
                    "first" if wins else "second", reason, ("first", "second"))


def back_up(chance: random.Random) -> Question:
    """Back up the value of a tree of two plies."""
    rows = _rows(chance)
    game = TreeGame(rows)
    lowest = [min(row) for row in rows]
    return Question("MAX moves first, then MIN. What is the root worth?\n\n" + _tree(game),
                    minimax(game, game.initial()),
                    f"MIN's nodes are worth {listed(lowest)}, the smallest of each; MAX takes the largest of these.")


def best_move(chance: random.Random) -> Question:
    """Choose MAX's move in a tree of two plies."""
    rows = _rows(chance)
    while len({min(row) for row in rows}) < len(rows):
        rows = _rows(chance)
    game = TreeGame(rows)
    move = decide(game, game.initial(), lambda state: minimax(game, state))
    shown = "\n".join(f"    {name}: MIN can answer with {listed(row)}"
                       for name, row in zip(_MOVES, rows, strict=True))
    return Question(f"MAX has three moves. Which one is best?\n\n{shown}", _MOVES[move],
                    f"MIN answers with the smallest number: {listed([min(row) for row in rows])}. The largest of "
                    f"these belongs to {_MOVES[move]}.", tuple(_MOVES))


def next_cutoff(chance: random.Random) -> Question:
    """Find the first cutoff of alpha-beta."""
    game = TreeGame(_rows(chance))
    leaves, found = cut_offs(game)
    if found:
        first = found[0]
        answer, reason = first.after, f"{', '.join(first.skipped)} cut off: {first.reason}."
    else:
        answer, reason = "none", "No value of a later MIN node falls to alpha before its last leaf."
    return Question("Alpha-beta looks at the leaves from left to right. After which leaf comes the first cutoff, or is "
                    "there none?\n\n" + _tree(game), answer, reason, (*leaves, "none"))


def leaves_of_perfect_order(chance: random.Random) -> Question:
    """Count the leaves that alpha-beta needs at least."""
    b, half = chance.randint(2, 6), chance.randint(1, 3)
    d = 2 * half
    return Question(f"b = {b} moves everywhere, d = {d} plies: b^d = {b**d:,} leaves. With perfect move ordering the "
                    "exponent is halved. What is b^(d/2)?", b**half,
                    f"{b}^{half} = {b**half}, the square root of {b**d:,}; alpha-beta then needs about twice as many "
                    "leaves.")


def levels_above(chance: random.Random) -> Question:
    """Count what iterative deepening does besides its last depth."""
    b, d = chance.randint(2, 6), chance.randint(2, 4)
    return Question(f"b = {b} moves everywhere. How many nodes do all levels above depth {d} have together, the root "
                    "included?", (b**d - 1) // (b - 1),
                    f"{' + '.join(f'{b}^{level}' for level in range(d))} = ({b}^{d} - 1) / ({b} - 1), against {b**d:,} "
                    f"at depth {d}.")


def orders_of_moves(chance: random.Random) -> Question:
    """Count the transpositions of a position."""
    crosses = chance.randint(2, 3)
    noughts = crosses - chance.randint(0, 1)
    return Question(f"Tic-tac-toe: x has {crosses} stones on the board, o has {noughts}. In how many orders can they "
                    "have been placed?", math.factorial(crosses) * math.factorial(noughts),
                    f"Any order of x's and any of o's: {crosses}! x {noughts}!. A table keeps one entry for all.")


def material_balance(chance: random.Random) -> Question:
    """Add up a weighted sum of features."""
    more, less = chance.sample(sorted(_PIECES), 2)
    pawns = chance.randint(1, 3)
    value = _PIECES[more] - _PIECES[less] - pawns
    return Question(f"White is a {more} up and a {less} and {pawns} {'pawn' if pawns == 1 else 'pawns'} down. With 16 "
                    "for a queen, 8 for a rook, 5 for a bishop or a knight and 1 for a pawn, what does the evaluation "
                    "say for White?", value, f"{_PIECES[more]} - {_PIECES[less]} - {pawns} = {value}.")


def tuple_backed_up(chance: random.Random) -> Question:
    """Back up a tuple of utilities."""
    leaves = [[tuple(chance.sample(range(10), 3)) for _ in range(2)] for _ in range(2)]
    while any(row[0][1] == row[1][1] for row in leaves) or (_second(leaves[0])[0] == _second(leaves[1])[0]):
        leaves = [[tuple(chance.sample(range(10), 3)) for _ in range(2)] for _ in range(2)]
    chosen = [_second(row) for row in leaves]
    best = max(chosen, key=lambda values: values[0])
    shown = "\n".join(f"    {name}: {row[0]} or {row[1]}" for name, row in zip("ab", leaves, strict=True))
    return Question("Three players. The first picks a or b, then the second picks one of the two tuples, in which the "
                    f"numbers are the first's, the second's and the third's. What does the third player get?"
                    f"\n\n{shown}", best[2],
                    f"The second picks the larger second number: {chosen[0]} after a, {chosen[1]} after b. Of these "
                    f"the first prefers {best}.")


def _second(row: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    return max(row, key=lambda values: values[1])


def reply_of_the_value(chance: random.Random) -> Question:
    """Tell who is to move where by the value that a node backs up."""
    values = chance.sample(range(-9, 10), 3)
    is_max = chance.random() < 0.5
    player = "MAX" if is_max else "MIN"
    backed = max(values) if is_max else min(values)
    return Question(f"{player} is to move, and the children are worth {listed(values)}. What is backed up?", backed,
                    f"{player} takes the {'largest' if is_max else 'smallest'}.")
