"""Trees as text: brackets and numbers, such as `[[3, 12, 8], [2, 4, 6], [14, 5, 2]]`.

    tree    number | (number, number, ...) | [tree, tree, ...] | {type: [tree, tree, ...]} | {chance: [branch, ...]}
    type    "max", "min", "player 1", "player 2", ...: who moves; without it, the players take turns, MAX or 1 first
    branch  [odds, tree], with odds such as 0.5 or 1/3

A leaf is one number, MAX's, or a tuple with one number for each player. Chance takes no turn: below a chance node moves
whoever follows the one who moved above it. InputError says in one line where a text is not a tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn, TypeVar

from engine.course.reference.game import CHANCE, MAX, MIN, Player
from engine.course.stepper.nodes import OwnNode, OwnTree, moves_of, number_text, tree_text
from engine.system.errors import InputError, quote

MOST_NODES = 1000
MOST_PLAYERS = 6
_DEEPEST = 40
_LARGEST = 10**9  # of a number at a leaf
_LONGEST_NUMBER = 50  # characters, as it is typed and as it is given back
LONGEST_TREE = 40_000  # characters of a tree
_TOKEN = re.compile(r"\s*([\[\](){},:]|\"[^\"]*\"|'[^']*'|[a-z]+(?: \d+)?|[^\s\[\](){},:\"']+|\S)")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?(/\d+)?")
_CLOSING = {"[": "]", "(": ")"}
_END = "the end"
_TYPE = re.compile(rf"(max|min|chance|player ([1-{MOST_PLAYERS}]))")
_WHAT = "a number, [, ( or {"

Item = TypeVar("Item")


@dataclass
class _Draft:
    """What stands in the text: at which character, who moves if it says so, and what is below."""

    at: int
    player: Player | None = None  # MAX and MIN where `is_seat` is false, else the number of a seat, counted from 0
    is_seat: bool = False
    children: tuple[_Draft, ...] = ()
    odds: tuple[Fraction, ...] = ()
    values: tuple[Fraction, ...] = ()


def parse_tree(text: str) -> OwnTree:
    """The tree that a text stands for. InputError, one line, if there is none."""
    _check_length(text)
    draft = _Reader(text).read()
    seats = _seats(draft)
    tree = OwnTree(_Builder(seats).build(draft, (), 0), seats)
    _check_length(tree_text(tree))  # what is given back is read again
    return tree


def _check_length(text: str) -> None:
    if len(text) > LONGEST_TREE:
        raise InputError(f"the tree is too long: {len(text)} characters, at most {LONGEST_TREE} are allowed")


class _Reader:
    """Reads a text from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text.replace("−", "-")
        self._tokens = [(found.start(1), found[1]) for found in _TOKEN.finditer(self._text)]
        self._next, self._nodes = 0, 0

    def read(self) -> _Draft:
        """The whole text as one tree."""
        if not self._tokens:
            raise InputError('the tree is empty: write one such as "[[3, 12, 8], [2, 4, 6]]"')
        draft = self._tree(0)
        if self._next < len(self._tokens):
            self._fail("the end of the tree")
        return draft

    def _peek(self) -> str:
        return self._tokens[self._next][1] if self._next < len(self._tokens) else _END

    def _at(self) -> int:
        return self._tokens[self._next][0] if self._next < len(self._tokens) else len(self._text)

    def _take(self) -> str:
        self._next += 1
        return self._tokens[self._next - 1][1]

    def _expect(self, token: str) -> None:
        if self._peek() != token:
            self._fail(token)
        self._take()

    def _fail(self, expected: str) -> NoReturn:
        got = self._peek()
        raise InputError(f"the tree cannot be read at character {self._at() + 1}: expected {expected}, got "
                         f"{got if got == _END else quote(got)}")

    def _tree(self, depth: int) -> _Draft:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise InputError(f"the tree has more than {MOST_NODES} nodes, too many to step through")
        if depth > _DEEPEST:
            raise InputError(f"the tree is deeper than {_DEEPEST} plies, too deep to step through")
        at = self._at()
        match self._peek():
            case "[":
                return _Draft(at, children=tuple(self._list("[", lambda: self._tree(depth + 1))))
            case "(":
                return self._tuple(at)
            case "{":
                return self._typed(at, depth)
        return _Draft(at, values=(self._number(_WHAT),))

    def _list(self, opening: str, item: Callable[[], Item]) -> list[Item]:
        """Items between brackets, at least one; a comma may follow the last one."""
        self._expect(opening)
        items = [item()]
        while self._peek() != _CLOSING[opening]:
            if self._peek() != ",":
                self._fail(f", or {_CLOSING[opening]}")
            self._take()
            if self._peek() != _CLOSING[opening]:
                items.append(item())
        self._take()
        return items

    def _number(self, expected: str = "a number") -> Fraction:
        text = self._peek()
        if not _NUMBER.fullmatch(text) or len(text) > _LONGEST_NUMBER:
            self._fail(expected)
        numerator, _, denominator = text.partition("/")
        if denominator and not int(denominator):
            self._fail("a number that is not divided by 0")
        number = Fraction(numerator) / int(denominator or 1)
        if abs(number) > _LARGEST:
            self._fail(f"a number from {-_LARGEST} to {_LARGEST}")
        exact = number_text(number)
        if not _NUMBER.fullmatch(exact) or len(exact) > _LONGEST_NUMBER:
            self._fail("a number with fewer digits")
        self._take()
        return number

    def _tuple(self, at: int) -> _Draft:
        values = self._list("(", self._number)
        if not 2 <= len(values) <= MOST_PLAYERS:
            raise InputError(f"the tuple at character {at + 1} has {len(values)} "
                             f"number{'s' * (len(values) != 1)}: one for each of 2 to {MOST_PLAYERS} players is needed")
        return _Draft(at, values=tuple(values))

    def _typed(self, at: int, depth: int) -> _Draft:
        """A node that says who moves."""
        self._take()
        word = _TYPE.fullmatch(self._peek().strip("\"'").lower())
        if word is None:
            self._fail(f"max, min, chance or player 1 to {MOST_PLAYERS}")
        self._take()
        self._expect(":")
        if word[1] == "chance":
            branches = self._list("[", lambda: self._branch(depth + 1))
            self._expect("}")
            return _chance(at, branches)
        children = tuple(self._list("[", lambda: self._tree(depth + 1)))
        self._expect("}")
        player = int(word[2]) - 1 if word[2] else MAX if word[1] == "max" else MIN
        return _Draft(at, player, word[2] is not None, children)

    def _branch(self, depth: int) -> tuple[Fraction, _Draft]:
        """What can happen at a chance node: [odds, tree]."""
        self._expect("[")
        odds = self._number("odds such as 0.5 or 1/3")
        if not 0 <= odds <= 1:
            raise InputError(f"the odds before character {self._at() + 1} are {number_text(odds)}, expected 0 to 1")
        self._expect(",")
        tree = self._tree(depth)
        self._expect("]")
        return odds, tree


def _chance(at: int, branches: Sequence[tuple[Fraction, _Draft]]) -> _Draft:
    """A chance node. Odds are fractions, so that 1/3 + 1/3 + 1/3 are 1."""
    odds = tuple(share for share, _ in branches)
    if sum(odds) != 1:
        listed = ", ".join(map(number_text, odds))
        raise InputError(f"the odds {listed} of the chance node at character {at + 1} add up to "
                         f"{number_text(sum(odds))}, not to 1")
    return _Draft(at, CHANCE, False, tuple(tree for _, tree in branches), odds)


def _all(draft: _Draft) -> list[_Draft]:
    return [draft, *(below for child in draft.children for below in _all(child))]


def _seats(root: _Draft) -> int:
    """How many players the leaves have numbers for, 0 for one number that is MAX's. InputError if they disagree."""
    drafts = _all(root)
    leaves = [draft for draft in drafts if draft.values]
    first = leaves[0]
    for leaf in leaves:
        if len(leaf.values) != len(first.values):
            raise InputError("the leaves must all be numbers, or all tuples of one length: at character "
                             f"{first.at + 1} is {_described(first)}, at character {leaf.at + 1} {_described(leaf)}")
    seats = len(first.values) if len(first.values) > 1 else 0
    for draft in drafts:
        if draft.is_seat and draft.player is not None and draft.player >= seats:
            raise InputError(f"player {draft.player + 1} moves at character {draft.at + 1}, but the leaves have "
                             f"{f'numbers for {seats} players' if seats else 'one number, for MAX and MIN'}")
        if draft.player in (MAX, MIN) and not draft.is_seat and seats:
            raise InputError(f"{('MAX', 'MIN')[draft.player]} moves at character {draft.at + 1}, but the leaves are "
                             f"tuples: write player 1 to player {seats}")
    return seats


def _described(leaf: _Draft) -> str:
    return "a number" if len(leaf.values) == 1 else f"a tuple of {len(leaf.values)}"


class _Builder:
    """Makes nodes of drafts, numbers them, and has the players take turns where the text does not say who moves."""

    def __init__(self, seats: int) -> None:
        self._players = seats or len((MAX, MIN))
        self._count = 0

    def build(self, draft: _Draft, path: tuple[str, ...], turn: Player) -> OwnNode:
        """The node of a draft; `turn` is whose turn it is."""
        number, self._count = self._count, self._count + 1
        if draft.values:
            return OwnNode(number, path, values=draft.values)
        player = turn if draft.player is None else draft.player
        after = turn if player == CHANCE else (player + 1) % self._players
        children = tuple(self.build(child, (*path, move), after)
                         for move, child in zip(moves_of(len(draft.children)), draft.children, strict=True))
        return OwnNode(number, path, player, children, draft.odds)
