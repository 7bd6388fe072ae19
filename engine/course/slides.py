"""What the lecture's slides show besides algorithms: lists, a history, and a Monte Carlo tree with its fractions."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

from engine.course.reference.wins import WinNode
from engine.course.svg import Picture
from engine.course.trees import Drawn, picture

AGENT_VIEWS: Mapping[str, str] = {
    "in the aggregate": "very many agents are an economy; demand moves prices, and nobody is predicted one by one",
    "as part of the environment": "others are like rain, something that happens; it misses that they want to defeat us",
    "as adversaries": "each is modelled, and a game tree is searched: the subject of this course",
}

# Game -> chance, players, sum, information.
GAMES: Mapping[str, tuple[str, str, str, str]] = {
    "chess": ("none", "2", "zero", "perfect"),
    "tic-tac-toe": ("none", "2", "zero", "perfect"),
    "halving": ("none", "2", "zero", "perfect"),
    "buckets with a coin": ("coin", "2", "zero", "perfect"),
    "race": ("dice", "2", "zero", "perfect"),
    "backgammon": ("dice", "2", "zero", "perfect"),
    "Battleship": ("none", "2", "zero", "imperfect"),
    "truel": ("misses", "3", "general", "perfect"),
    "rock, paper, scissors": ("none", "2", "zero", "imperfect"),
    "Kuhn poker": ("cards", "2", "zero", "imperfect"),
}

# Information and luck -> well-known games.
FOUR_FIELDS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("perfect", "deterministic"): ("chess", "draughts", "Go", "Hex", "Othello"),
    ("perfect", "chance"): ("backgammon", "Monopoly"),
    ("imperfect", "deterministic"): ("Battleship", "Kriegspiel", "Stratego"),
    ("imperfect", "chance"): ("bridge", "poker", "Scrabble"),
}

# Of a universe that evaluates positions.
RESOURCES: Mapping[str, int] = {"atoms": 10**80, "seconds in a year": 3 * 10**7, "nanoseconds in a second": 10**9,
                                "years": 10**10}

HISTORY = (
    ("draughts", "1994", "Chinook wins the title in its match with Tinsley: a database of 440 billion positions"),
    ("chess", "1997", "Deep Blue beats Kasparov: minimax, alpha-beta, deepening, parallel and uneven search"),
    ("Othello", "1997", "Logistello beats the world champion; since then champions decline to play programs"),
    ("chess", "2006", "Deep Fritz, on an ordinary PC, beats Kramnik, the world champion, 4 : 2"),
    ("Go", "2016", "AlphaGo beats Lee Sedol: tree search, rollouts and a learned value function; b is over 300"),
    ("StarCraft", "2019", "AlphaStar, which began by imitating people, reaches the top 0.2 % of players"),
    ("poker", "2019", "Pluribus beats professionals at six-player poker: regret minimisation, search and self-play"),
)

_EXACT = 130  # the power of ten up to which a number's first digit is worth telling
_FRACTIONS = "In each node: wins of the player who moved there / playouts."


def power_of_ten(number: int) -> str:
    """A large number as people compare it: by its order of magnitude, and by the digit before it if that is not 1."""
    power = math.floor(math.log10(number))
    digit = number // 10**power
    return f"10^{power}" if digit == 1 or power > _EXACT else f"{digit} x 10^{power}"


def evaluations() -> int:
    """How many positions all atoms could have evaluated, one a nanosecond."""
    return math.prod(RESOURCES.values())


class Market:
    """Many buyers and sellers, each with a price that is still acceptable; the price follows the excess of demand."""

    def __init__(self, chance: random.Random, traders: int = 1000) -> None:
        self._traders = traders
        self._buyers = [chance.uniform(0, 10) for _ in range(traders)]
        self._sellers = [chance.uniform(0, 10) for _ in range(traders)]
        self.price = 9.0

    def wanted(self) -> int:
        """How many would buy at this price."""
        return sum(limit >= self.price for limit in self._buyers)

    def offered(self) -> int:
        """How many would sell."""
        return sum(limit <= self.price for limit in self._sellers)

    def next_day(self) -> None:
        """The price moves up if more is wanted than offered, else down."""
        self.price += (self.wanted() - self.offered()) / self._traders


def monte_carlo_root() -> WinNode:
    """The tree of the slide: 37/100 at the root, 60/79, 1/10 and 2/11 below, and what the first of them goes on to."""
    deepest = WinNode(16, 53, [WinNode(27, 35), WinNode(10, 18)])
    return WinNode(37, 100, [WinNode(60, 79, [deepest, WinNode(3, 26)]), WinNode(1, 10), WinNode(2, 11)])


def fraction_picture(root: WinNode, path: Sequence[WinNode], title: str, words: str = "") -> Picture:
    """The tree with its fractions; the path is drawn with thick lines, the words stand below."""

    def draw(node: WinNode, level: int) -> Drawn:
        is_on_path = any(node is other for other in path)
        children = [draw(child, level + 1) for child in node.children]
        return Drawn("max" if level % 2 == 0 else "min", str(node), is_best=is_on_path, children=children, size=1.6,
                     room=1.9)

    return picture(draw(root, 0), title, [_FRACTIONS, *([words] if words else [])])
