"""The pseudo-code of the notes beside the functions that implement it: one table, algorithm by algorithm.

A line of pseudo-code names the source line that does it by a piece of that line, which occurs once in the function, and
the events of a search during which it is the current line. So a page can highlight it step by step, and a lesson can
print both texts side by side; nothing here has to be renumbered when the functions change.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_REFERENCE = "engine.course.reference."


class Line(NamedTuple):
    """A line of pseudo-code, indented; the piece of source that does it, if any; its events, separated by blanks."""

    text: str
    code: str = ""
    events: str = ""


@dataclass(frozen=True)
class Procedure:
    """A procedure of the notes: its head, the function that implements it, and its lines.

    `player` is whose nodes it is for: "max", "min", or "" for all.
    """

    head: str
    function: str  # module of the reference and function, as in "alphabeta.max_value"
    lines: tuple[Line, ...]
    player: str = ""

    @property
    def name(self) -> str:
        """The name in the notes."""
        return self.head.partition("(")[0]

    def source(self) -> tuple[Path, list[str], int]:
        """The file of the function, its lines, and the number of the first."""
        function = implementation(self.function)
        lines, first = inspect.getsourcelines(function)
        return Path(str(inspect.getsourcefile(function))), lines, first


@dataclass(frozen=True)
class PlacedLine:
    """A line of pseudo-code with its place: in the listing, and in the source."""

    index: int  # in the listing of the algorithm, from 0
    text: str
    procedure: str
    player: str
    events: tuple[str, ...]
    file: str  # of the reference
    number: int | None  # of the source line; None where no single line does it
    source: str


def implementation(name: str) -> Callable[..., Any]:
    """The function that a procedure names."""
    module, *path = name.split(".")
    found: Any = importlib.import_module(_REFERENCE + module)
    for part in path:
        found = getattr(found, part)
    return found  # type: ignore[no-any-return]


@cache
def listing(algorithm: str) -> tuple[PlacedLine, ...]:
    """The pseudo-code of an algorithm, heads included, each line with the source line that does it."""
    placed: list[PlacedLine] = []
    for procedure in PSEUDOCODE[algorithm]:
        file, source, first = procedure.source()
        for line in (Line(f"function {procedure.head}", "def "), *procedure.lines):
            hits = [number for number, text in enumerate(source) if line.code and line.code in text]
            number = hits[0] if hits else None
            placed.append(PlacedLine(len(placed), line.text, procedure.name, procedure.player,
                                     tuple(line.events.split()), file.name, None if number is None else first + number,
                                     "" if number is None else source[number].strip()))
    return tuple(placed)


def current_line(algorithm: str, event: str, player: str = "") -> int | None:
    """The index in the listing of the line that runs during an event at a node of this player; None if there is none.

    Events of trees: `search` (it begins), `leaf`, `enter`, `child` (the next action), `better` (a new best value),
    `window` (alpha or beta moves), `cutoff`, `leave`, `play` (the search returns). Of Monte Carlo: `select`, `roll`,
    `stop` (selection ends), `expand`, `simulate`, `utility` (a playout ends), `back-propagate`, `play`.
    """
    for line in listing(algorithm):
        if event in line.events and line.player in {"", player}:
            return line.index
    return None


def side_by_side(algorithm: str, procedure: str | None = None) -> str:
    """The pseudo-code, of one procedure or of all, and beside it where the source does it."""
    lines = [line for line in listing(algorithm) if procedure in {None, line.procedure}]
    width = max(len(line.text) for line in lines) + 3
    return "\n".join(f"{line.text:<{width}}{f'{line.file}:{line.number}' if line.number else ''}".rstrip()
                     for line in lines)


def _two_players(module: str, window: str) -> tuple[Procedure, ...]:
    """MAX-VALUE and MIN-VALUE, with a window or without."""
    found = []
    for player, other, compare, worst, bound, cut in (("MAX", "MIN", ">", "-∞", "α", "value >= β"),
                                                      ("MIN", "MAX", "<", "+∞", "β", "value <= α")):
        name, side = f"{player.lower()}_value", player.lower()
        code_bound = {"α": "alpha", "β": "beta"}[bound]
        lines = [
            Line("    if IS-TERMINAL(state) then return UTILITY(state, MAX), no move", "leaf_value(game", "leaf"),
            Line(f"    value, move <- {worst}, none", f"{'-' if player == 'MAX' else ''}math.inf, None", "enter"),
            Line("    for each action in ACTIONS(state) do", "in enumerate(" if window else "for action in", "child"),
            Line(f"        other <- the value of {other}-VALUE(RESULT(state, action){window})", "other = "),
            Line(f"        if other {compare} value then", f"if other {compare} value"),
            Line("            value, move <- other, action", "value, move = other, action", "better"),
        ]
        if window:
            lines += [
                Line(f"            {bound} <- {player}({bound}, value)", f"{code_bound} = {side}(", "window"),
                Line(f"        if {cut} then return value, move", "break", "cutoff")]
        lines.append(Line("    return value, move", "count.leave(value), move", "leave"))
        found.append(Procedure(f"{player}-VALUE(state{window}) returns a value and a move", f"{module}.{name}",
                               tuple(lines), side))
    return tuple(found)


_EXPECTI = (
    Line("    if IS-TERMINAL(state) then return UTILITY(state, MAX)", "leaf_value(game", "leaf"),
    Line("    values <- the value of RESULT(state, action), for each action", "values = [", "enter child better"),
)

# In the order of the notes.
PSEUDOCODE: Mapping[str, tuple[Procedure, ...]] = {
    "minimax": (
        Procedure("MINIMAX-SEARCH(state) returns an action", "minimax.minimax_search", (
            Line("    value, move <- MAX-VALUE(state), or MIN-VALUE where MIN is to move", "max_value(", "search"),
            Line("    return move", "return played", "play"))),
        *_two_players("minimax", "")),
    "alphabeta": (
        Procedure("ALPHA-BETA-SEARCH(state) returns an action", "alphabeta.alphabeta_search", (
            Line("    value, move <- MAX-VALUE(state, -∞, +∞), or MIN-VALUE where MIN is to move", "max_value(",
                 "search"),
            Line("    return move", "return played", "play"))),
        *_two_players("alphabeta", ", α, β")),
    "cutoff": (
        Procedure("H-MINIMAX(state, depth) returns a value", "minimax.leaf_value", (
            Line("    if IS-TERMINAL(state) then return UTILITY(state, MAX)", "game.utility(state, MAX)", "leaf"),
            Line("    if IS-CUTOFF(state, depth) then return EVAL(state)", "return evaluate(state)", "leaf"),
            Line("    else go on as minimax does, with one ply less"))),),
    "deepening": (
        Procedure("ITERATIVE-DEEPENING(state) returns a move at any time", "alphabeta.deepen", (
            Line("    for depth = 1, 2, 3, ... until time is up do", "for depth in"),
            Line("        move <- ALPHA-BETA-SEARCH(state), cut off at depth", "alphabeta_search("))),),
    "expectimax": (
        Procedure("EXPECTIMAX(state) returns a value", "expectimax.expectimax", (
            *_EXPECTI,
            Line("    if TO-MOVE(state) = MAX then return the largest of values", "return count.leave(max(values)",
                 "leave"),
            Line("    else return the sum of P(action) x value", "average(policy(state)", "average"))),),
    "expectiminimax": (
        Procedure("EXPECTIMINIMAX(state) returns a value", "expectimax.expectiminimax", (
            *_EXPECTI,
            Line("    if TO-MOVE(state) = CHANCE then return the sum of P(outcome) x value", "count.leave(average(",
                 "average"),
            Line("    if TO-MOVE(state) = MAX then return the largest of values, else the smallest",
                 "return count.leave(max(values)", "leave"))),),
    "maxn": (
        Procedure("MAX-N(state) returns a tuple of utilities", "maxn.utilities", (
            Line("    if IS-TERMINAL(state) then return (UTILITY(state, 1), ..., UTILITY(state, n))",
                 "tuple(game.utility(", "leaf"),
            Line("    tuples <- MAX-N(RESULT(state, action)), for each action", "below = [", "enter child"),
            Line("    at CHANCE return the average of tuples, number by number", "tuple(math.fsum(", "average"),
            Line("    else return the tuple that is best for TO-MOVE(state)", "max(below", "leave"))),),
    "montecarlo": (
        Procedure("FLAT-MONTE-CARLO(state, N) returns an action", "uct.pure_monte_carlo", (
            Line("    for each action: the average utility of N playouts from RESULT(state, action)",
                 "for _ in range(playouts)", "simulate"),
            Line("    return the action with the best average", "return max(", "play"))),),
    "mcts": (
        Procedure("MCTS(state) returns an action", "uct.grow", (
            Line("    tree <- NODE(state)", "root = new_node(", "search"),
            Line("    while IS-TIME-REMAINING() do", "while True"),
            Line("        leaf <- SELECT(tree), and child <- EXPAND(leaf)", "leaf = expand("),
            Line("        result <- SIMULATE(child), and BACK-PROPAGATE(result, child)", "back_propagate("))),
        Procedure("SELECT(node) returns a node", "uct.select", (
            Line("    while the node has children do", "while node.children"),
            Line("        at CHANCE: roll the dice; child <- what they show, or none if that is new",
                 "child = node.children.get(", "roll"),
            Line("        else: child <- the one with the largest UCB1, or none if a move was not tried",
                 "child = max(", "select"),
            Line("        if there is no child then return node", "break", "stop"),
            Line("        node <- child", "node = child"),
            Line("    return node", "return node"))),
        Procedure("UCB1(node) returns a number", "uct.ucb1", (
            Line("    return U(node) / N(node) + C x sqrt(ln N(parent) / N(node))", "return child.total"),)),
        Procedure("EXPAND(leaf) returns a node", "uct.expand", (
            Line("    child <- the node after a move that was not tried before; at CHANCE, what the dice show",
                 "action = roll_new("),
            Line("    add child to the tree, with U = N = 0", "node.children[action] = new_node", "expand"),
            Line("    return child", "return node.children[action]"))),
        Procedure("SIMULATE(child) returns a utility", "uct.simulate", (
            Line("    while not IS-TERMINAL(state) do", "while not game.is_terminal"),
            Line("        state <- RESULT(state, a move of the playout policy)", "state = game.result", "simulate"),
            Line("    return UTILITY(state, MAX)", "return game.utility", "utility"))),
        Procedure("BACK-PROPAGATE(utility, child)", "uct.back_propagate", (
            Line("    for each node from child up to the root do", "while node is not None"),
            Line("        N(node) <- N(node) + 1", "node.visits += 1", "back-propagate"),
            Line("        U(node) <- U(node) + utility, for the player who moved to the node", "node.total +="))),
        Procedure("THE MOVE(tree) returns an action", "uct.most_visited", (
            Line("    return the action to the child with the largest N", "return max(", "play"),))),
    "puct": (
        Procedure("SELECT(node) returns a node", "alphazero.select", (
            Line("    while the node has children do", "while True", "select"),
            Line("        at CHANCE: node <- the child that the dice decide on", "path.append(_rolled("),
            Line("        else: node <- the child with the largest Q + C x P x sqrt(N(parent)) / (1 + N)",
                 "child.average + curiosity"),
            Line("    return node", "return path"))),
        Procedure("EXPAND(leaf) returns a value", "alphazero.expand", (
            Line("    if IS-TERMINAL(leaf) then return UTILITY(leaf)", "return outcome("),
            Line("    value, policy <- NETWORK(leaf)", "value, policy = network.predict", "expand simulate"),
            Line("    add all children, each with its P from the policy", "node.children = {"),
            Line("    return value", "return float(value[0])"))),
        Procedure("BACK-PROPAGATE(value, path)", "alphazero.back_propagate", (
            Line("    for each node from the root to the leaf do", "for node in path"),
            Line("        N(node) <- N(node) + 1", "node.visits += 1", "back-propagate"),
            Line("        add value to its sum, as the player sees it who moved to the node", "node.total += ")))),
    "regret": (
        Procedure("REGRETS(mine, theirs) returns a tuple", "regret.regrets", (
            Line("    for each action: its utility against theirs - the utility of mine", "row[theirs] -"),)),
        Procedure("REGRET-MATCHING(sums) returns a strategy", "regret.matched", (
            Line("    set negative sums to zero", "max(total, 0.0)"),
            Line("    return the sums divided by their total; all equal if it is zero", "return tuple("))),
        Procedure("LEARN(regrets, strategy)", "regret.RegretMatcher.learn", (
            Line("    add the regrets to the sums", "self.totals = ["),
            Line("    add the strategy to the sum of strategies, whose average converges", "self.played = [")))),
    "cfr": (
        Procedure("CFR(game, T) returns the average strategies", "cfr.minimise", (
            Line("    for t = 1 to T, and for each player in turn, do", "for iteration in"),
            Line("        VALUE(the initial state), where that player learns", ".value(game.initial()"))),
        Procedure("VALUE(state) returns a number", "cfr._Walk.value", (
            Line("    if IS-TERMINAL(state) then return UTILITY(state, MAX)", "return game.utility", "leaf"),
            Line("    strategy <- REGRET-MATCHING(the sums of the information set)", "strategy = self.strategies"),
            Line("    values <- VALUE(RESULT(state, action)), for each action", "values = [self.value("),
            Line("    value <- the average of values by the strategy", "value = _mean(strategy"),
            Line("    LEARN(values - value, weighted by how likely the others lead here)", "learner.learn("),
            Line("    return value", "return value")))),
}

# Which algorithms a lesson is about.
OF_LESSON: Mapping[str, tuple[str, ...]] = {
    "minimax": ("minimax",), "alphabeta": ("alphabeta",), "ordering": ("deepening",), "horizon": ("cutoff",),
    "expectimax": ("expectimax",), "backgammon": ("expectiminimax",), "players": ("maxn",),
    "uct": ("montecarlo", "mcts"), "alphazero": ("puct",), "regret": ("regret",), "poker": ("cfr",),
}
