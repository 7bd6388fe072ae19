"""Cases: trees from small to large, boards, and numbers, made by chance from a seed; and how a tree is made smaller."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.course.homework.games import Tree, below
from engine.course.reference.game import MAX
from engine.course.reference.games.board import TicTacToe

Case = dict[str, Any]
_LARGEST = 4  # leaf: few different values, so that equal ones meet
_SHARES = ((0.5, 0.5), (0.25, 0.75), (0.75, 0.25), (0.5, 0.25, 0.25), (0.25, 0.25, 0.5))
_FIXED = ([3, 5], [[2, 7], [1, 8]], [[3, 12, 8], [2, 4, 6], [14, 5, 2]], [[2, 1], [2, 1]], [[[1, 2], [3, 0]], [[2, 2]]])


def _tree(chance: random.Random, depth: int, widest: int) -> Tree:
    if depth == 0 or (depth < 3 and chance.random() < 0.1):
        return chance.randint(-_LARGEST, _LARGEST)
    return [_tree(chance, depth - 1, widest) for _ in range(chance.randint(1 if depth < 3 else 2, widest))]


def trees(seed: int, count: int = 40) -> list[Case]:
    """Trees of MAX and MIN, the smaller ones first."""
    chance = random.Random(seed)
    made: list[Tree] = list(_FIXED)
    for number in range(count):
        tree = _tree(chance, 2 + number % 4, 3)
        made.append([tree] if isinstance(tree, (int, float)) else tree)
    return [{"tree": tree} for tree in sorted(made, key=size)]


def size(tree: Tree) -> int:
    """The nodes of a tree."""
    return 1 + sum(map(size, below(tree)))


def cut_trees(seed: int, count: int = 20) -> list[Case]:
    """Trees that are searched to a depth; where it ends, the guesses stand in."""
    chance = random.Random(seed + 1)
    cases = []
    for number in range(count):
        guesses = [chance.randint(-_LARGEST, _LARGEST) for _ in range(5)]
        tree = [_tree(chance, 3, 3), _tree(chance, 3, 2)]
        cases.append({"tree": tree, "depth": 1 + number % 3, "guesses": guesses})
    return sorted(cases, key=lambda case: size(case["tree"]))


def dice_trees(seed: int, is_even: bool, count: int = 15) -> list[Case]:
    """Trees of MAX and chance, with even odds or with others."""
    chance = random.Random(seed + 2 + is_even)

    def dice(depth: int) -> Tree:
        if depth == 0:
            return chance.randint(-_LARGEST, _LARGEST)
        odds = (0.5, 0.5) if is_even else chance.choice(_SHARES[1:])
        return {"odds": list(odds), "after": [tree(depth - 1) for _ in odds]}

    def tree(depth: int) -> Tree:
        return chance.randint(-_LARGEST, _LARGEST) if depth == 0 else [dice(depth - 1) for _ in range(2)]

    return sorted(({"tree": dice(1 + 2 * (number % 2)), "dice": True} for number in range(count)),
                  key=lambda case: size(case["tree"]))


def boards(seed: int, count: int, stones: Sequence[int]) -> Iterator[tuple[int | None, ...]]:
    """Different boards of tic-tac-toe with so many stones, on which the game is not over."""
    game, chance, seen = TicTacToe(), random.Random(seed + 4), set[tuple[int | None, ...]]()
    while len(seen) < count:
        board = game.initial()
        for _ in range(chance.choice(stones)):
            if game.is_terminal(board):
                break
            board = game.result(board, chance.choice(game.actions(board)))
        if not game.is_terminal(board) and board not in seen:
            seen.add(board)
            yield board


def board_cases(seed: int) -> list[Case]:
    """Ends of games of tic-tac-toe."""
    return [{"board": list(board)} for board in boards(seed, 12, (5, 6, 7))]


def bounds(seed: int) -> list[Case]:
    """Numbers for UCB1: total, visits, the parent's visits, C."""
    chance = random.Random(seed + 5)
    cases = [{"numbers": [2.0, 4, 10, 1.0]}]
    for _ in range(12):
        visits = chance.randint(2, 40)
        cases.append({"numbers": [float(chance.randint(-visits, visits)), visits, visits + chance.randint(3, 60),
                                  chance.choice((0.5, 1.4, 2.0))]})
    return cases


# Trees for UCT, whose best action is known, by what they need.
SHALLOW: Sequence[Case] = ({"tree": [1, -1], "iterations": 400}, {"tree": [-1, 0, 1], "iterations": 400},
                           {"tree": [0.5, -0.5, 0], "iterations": 400})
DEEPER: Sequence[Case] = ({"tree": [[1, -1], [0, 0]], "iterations": 800},
                          {"tree": [[0.5, 0.5], [1, 1, -1]], "iterations": 800},
                          {"tree": [[[1, -1], [0, -1]], [[-1, -1], [1, 1]]], "iterations": 1500})


def smaller(case: Mapping[str, Any]) -> Iterator[Case]:
    """The same case with a smaller tree: without a subtree, with a leaf for a subtree, or with a simpler leaf."""
    if "depth" in case and case["depth"] is not None and case["depth"] > 0:
        yield {**case, "depth": case["depth"] - 1}
    for tree in _smaller(case["tree"], is_root=True):
        yield {**case, "tree": tree}


def _smaller(tree: Tree, is_root: bool = False) -> Iterator[Tree]:
    if isinstance(tree, (int, float)):
        yield from (value for value in (0, 1, -1, 2) if abs(value) < abs(tree) or (value > tree == -value))
        return
    if not is_root:
        yield 0
        yield 1
    after = below(tree)
    is_chance = isinstance(tree, Mapping)
    if len(after) > 1 and not is_chance:
        for number in range(len(after)):
            yield [*after[:number], *after[number + 1 :]]
    for number, child in enumerate(after):
        for less in _smaller(child):
            changed = [*after[:number], less, *after[number + 1 :]]
            yield {**tree, "after": changed} if isinstance(tree, Mapping) else changed


def player_of(board: Sequence[int | None]) -> int:
    """Who moves on a board."""
    return TicTacToe().to_move(tuple(board)) if board else MAX
