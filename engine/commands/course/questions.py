"""The kinds of questions: each makes one by chance, and finds its answer with the algorithms of the reference."""

from __future__ import annotations

import math
import random
import textwrap
from collections.abc import Sequence
from fractions import Fraction

from engine.commands.course.cutoffs import cut_offs, lettered
from engine.commands.course.quiz import Question
from engine.commands.course.trees import plain
from engine.reference.expectimax import average
from engine.reference.games.halving import Halving
from engine.reference.games.rockpaperscissors import NAMES, PAYOFFS
from engine.reference.games.tree import TreeGame
from engine.reference.minimax import decide, minimax
from engine.reference.regret import matched, regrets
from engine.reference.solved import solve
from engine.reference.uct import EXPLORATION

_MOVES = "abc"
_ODDS = ((2, 1, 1), (1, 2, 1), (1, 1, 2), (3, 2, 1), (1, 2, 3))  # of three things, in parts
_PIECES = {"queen": 16, "rook": 8, "bishop": 5, "knight": 5, "pawn": 1}


def _listed(values: Sequence[float]) -> str:
    return ", ".join(plain(value) for value in values)


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
                    f"MIN's nodes are worth {_listed(lowest)}, the smallest of each; MAX takes the largest of these.")


def best_move(chance: random.Random) -> Question:
    """Choose MAX's move in a tree of two plies."""
    rows = _rows(chance)
    while len({min(row) for row in rows}) < len(rows):
        rows = _rows(chance)
    game = TreeGame(rows)
    move = decide(game, game.initial(), lambda state: minimax(game, state))
    listed = "\n".join(f"    {name}: MIN can answer with {_listed(row)}"
                       for name, row in zip(_MOVES, rows, strict=True))
    return Question(f"MAX has three moves. Which one is best?\n\n{listed}", _MOVES[move],
                    f"MIN answers with the smallest number: {_listed([min(row) for row in rows])}. The largest of "
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


def average_of_chance(chance: random.Random) -> Question:
    """Average a chance node."""
    parts = chance.choice(_ODDS)
    whole = sum(parts)
    odds = [Fraction(part, whole) for part in parts]
    values = [whole * times for times in chance.sample(range(-4, 7), 3)]
    listed = ", ".join(f"{plain(value)} with probability {share}" for value, share in zip(values, odds, strict=True))
    return Question(f"A chance node leads to {listed}. What is it worth?", average([float(share) for share in odds],
                                                                                  values),
                    " + ".join(f"{share} x {f'({value})' if value < 0 else value}"
                               for value, share in zip(values, odds, strict=True)) + ".")


def bucket_by_belief(chance: random.Random) -> Question:
    """Choose a bucket by what is believed about the other player."""
    rows = [sorted(chance.sample(range(-10, 21), 2)) for _ in _MOVES]
    while len({min(row) for row in rows}) < 3 or len({sum(row) for row in rows}) < 3:
        rows = [sorted(chance.sample(range(-10, 21), 2)) for _ in _MOVES]
    is_adversary = chance.random() < 0.5
    worth = [min(row) if is_adversary else sum(row) / 2 for row in rows]
    best = _MOVES[worth.index(max(worth))]
    other = "takes the number that is worst for you" if is_adversary else "takes either number with probability 1/2"
    listed = "\n".join(f"    {name}: {_listed(row)}" for name, row in zip(_MOVES, rows, strict=True))
    return Question(f"You pick a bucket; then the other player {other}. Which bucket do you pick?\n\n{listed}", best,
                    f"The buckets are worth {_listed(worth)} then.", tuple(_MOVES))


def tuple_backed_up(chance: random.Random) -> Question:
    """Back up a tuple of utilities."""
    leaves = [[tuple(chance.sample(range(10), 3)) for _ in range(2)] for _ in range(2)]
    while any(row[0][1] == row[1][1] for row in leaves) or (_second(leaves[0])[0] == _second(leaves[1])[0]):
        leaves = [[tuple(chance.sample(range(10), 3)) for _ in range(2)] for _ in range(2)]
    chosen = [_second(row) for row in leaves]
    best = max(chosen, key=lambda values: values[0])
    listed = "\n".join(f"    {name}: {row[0]} or {row[1]}" for name, row in zip("ab", leaves, strict=True))
    return Question("Three players. The first picks a or b, then the second picks one of the two tuples, in which the "
                    f"numbers are the first's, the second's and the third's. What does the third player get?"
                    f"\n\n{listed}", best[2],
                    f"The second picks the larger second number: {chosen[0]} after a, {chosen[1]} after b. Of these "
                    f"the first prefers {best}.")


def _second(row: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    return max(row, key=lambda values: values[1])


def child_by_ucb1(chance: random.Random) -> Question:
    """Choose a child by UCB1."""
    visits = chance.sample(range(8, 60), 3)
    wins = [chance.randint(count // 3, count) for count in visits]
    bounds = [won / count + EXPLORATION * math.sqrt(math.log(sum(visits)) / count)
              for won, count in zip(wins, visits, strict=True)]
    best = _MOVES[bounds.index(max(bounds))]
    listed = "\n".join(f"    {name}: {won}/{count}" for name, won, count in zip(_MOVES, wins, visits, strict=True))
    return Question("Three children, with wins of the player to move and visits. Which one does UCB1 select with "
                    f"C = sqrt 2?\n\n{listed}", best,
                    f"ln {sum(visits)} = {math.log(sum(visits)):.2f}; with average plus sqrt 2 x sqrt(ln N / n) the "
                    f"children have {', '.join(f'{bound:.2f}' for bound in bounds)}.", tuple(_MOVES))


def move_played(chance: random.Random) -> Question:
    """Choose the move that is played in the end."""
    visits = [*chance.sample(range(20, 90), 2), chance.randint(2, 6)]
    wins = [chance.randint(count // 3, 2 * count // 3) for count in visits[:2]] + [visits[2]]
    order = chance.sample(range(3), 3)
    visits, wins = [visits[index] for index in order], [wins[index] for index in order]
    best = _MOVES[visits.index(max(visits))]
    listed = "\n".join(f"    {name}: {won}/{count}" for name, won, count in zip(_MOVES, wins, visits, strict=True))
    return Question("The time is up. The root's children, with wins of the player to move and visits. Which move is "
                    f"played?\n\n{listed}", best,
                    "The most-visited one: the best average may rest on a few lucky playouts.", tuple(_MOVES))


def child_by_puct(chance: random.Random) -> Question:
    """Choose a child by PUCT."""
    visits = chance.sample(range(1, 9), 3)
    averages = [chance.randint(-4, 8) / 10 for _ in visits]
    priors = chance.sample((0.2, 0.3, 0.5), 3)
    bounds = [mean + 1.5 * prior * math.sqrt(sum(visits)) / (1 + count)
              for mean, prior, count in zip(averages, priors, visits, strict=True)]
    best = _MOVES[bounds.index(max(bounds))]
    listed = "\n".join(f"    {name}: average {mean:+.1f}, visits {count}, policy {prior}"
                       for name, mean, count, prior in zip(_MOVES, averages, visits, priors, strict=True))
    return Question("Average + 1.5 x policy x sqrt(N) / (1 + n): which child is selected?\n\n" + listed, best,
                    f"N = {sum(visits)}: the children have {', '.join(f'{bound:.2f}' for bound in bounds)}.",
                    tuple(_MOVES))


def regret_of_a_hand(chance: random.Random) -> Question:
    """Update a regret."""
    mine, theirs = chance.sample(range(3), 2)
    other = chance.choice([hand for hand in range(3) if hand != mine])
    regret = regrets(PAYOFFS, mine, theirs)[other]
    return Question(f"You played {NAMES[mine]}, the other {NAMES[theirs]}. How much do you regret not having played "
                    f"{NAMES[other]}?", regret,
                    f"{NAMES[other]} would have brought {PAYOFFS[other][theirs]}, {NAMES[mine]} brought "
                    f"{PAYOFFS[mine][theirs]}: {PAYOFFS[other][theirs]} - ({PAYOFFS[mine][theirs]}).")


def strategy_from_regrets(chance: random.Random) -> Question:
    """Turn regrets into probabilities."""
    totals = [chance.randint(1, 5), chance.randint(1, 5), -chance.randint(1, 4)]
    chance.shuffle(totals)
    asked = chance.randrange(3)
    return Question(f"Summed regrets of rock, paper and scissors: {_listed(totals)}. With which probability does "
                    f"regret matching play {NAMES[asked]} next?", matched(totals)[asked],
                    f"Negative regrets count as zero; the others add up to {sum(max(total, 0) for total in totals)}.")


def call_or_fold(chance: random.Random) -> Question:
    """Average over what is hidden."""
    bluffs = Fraction(1, chance.choice((2, 3, 4, 5)))
    king = 1 / (1 + bluffs)
    return Question("Kuhn poker: you hold the queen and face a bet. The other bets every king, and a jack with "
                    f"probability {bluffs}. What does calling bring on average? A call wins or loses 2.",
                    float(2 * (1 - king) - 2 * king),
                    f"The bets come from kings and jacks as 1 to {bluffs}, so it is the king with probability {king}: "
                    f"{king} x (-2) + {1 - king} x 2. To fold brings -1.")


def belief_after_miss(chance: random.Random) -> Question:
    """Update a belief state."""
    squares = chance.randint(4, 6)
    places = squares - 1
    shot = chance.randint(1, squares)
    left = [first for first in range(1, places + 1) if not first <= shot <= first + 1]
    asked = chance.choice(left)
    return Question(f"Battleship in a row of {squares} squares: a ship of two squares is equally likely in each of its "
                    f"{places} places. You fire at {shot} and miss. How likely is it now on squares {asked} and "
                    f"{asked + 1}?", 1 / len(left),
                    f"{len(left)} of {places} places remain, and they are still equally likely.")


def reply_of_the_value(chance: random.Random) -> Question:
    """Tell who is to move where by the value that a node backs up."""
    values = chance.sample(range(-9, 10), 3)
    is_max = chance.random() < 0.5
    player = "MAX" if is_max else "MIN"
    backed = max(values) if is_max else min(values)
    return Question(f"{player} is to move, and the children are worth {_listed(values)}. What is backed up?", backed,
                    f"{player} takes the {'largest' if is_max else 'smallest'}.")
