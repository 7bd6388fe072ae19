"""Trees to look at: the tree of a game as a search saw it, as SVG and as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from engine.course import svg
from engine.course.reference.cfr import StrategyProfile, value
from engine.course.reference.exercises.question import plain
from engine.course.reference.game import CHANCE, MAX, Action, Game, HiddenGame, State
from engine.course.reference.minimax import is_leaf, one_less
from engine.course.reference.trace import Trace, VisitedNode

SHAPES = {"max": ("#dbeafe", "#1f6feb"), "min": ("#ffedd5", "#d9730d"), "chance": ("#dcfce7", "#2e8540"),
           "node": ("#f3e8ff", "#8250df"), "leaf": ("#f5f7fa", "#52606d")}  # of each node type: fill and outline
_NAMES = {"max": "MAX", "min": "MIN", "chance": "chance", "node": "player", "leaf": "end"}
_SIDE, _STEP, _LEVEL, _TOP = 25.0, 82.0, 122.0, 46.0  # half a node, from leaf to leaf, from level to level, above all
_TEXT, _SMALL_TEXT = 16.0, 14.0  # sizes of letters, to be read from the last row
_LETTER = 8.0  # width of one of the smaller ones
_LABEL_AT = 0.66  # of the way from a node to its child stands the name of the action
_CUT_AT = 0.38  # the mark of a cut, above that name
_LONG, _LONG_SIZE = 5, 1.3  # letters that do not fit into a triangle, and how large it is then drawn


@dataclass
class Drawn:
    """A node as it is drawn."""

    node_type: str  # of SHAPES
    text: str
    way: str = ""  # the action that leads here
    notes: tuple[str, ...] = ()  # lines beside it, or below where it has no children
    order: int | None = None  # of its visit
    is_seen: bool = True  # or was cut off
    is_best: bool = False  # on the line that both sides would play
    children: list[Drawn] = field(default_factory=list)
    size: float = 1.0
    room: float = 1.0  # that it takes at least, in steps
    fill: str = ""  # instead of its node type's
    x: float = 0.0
    y: float = 0.0

    def all(self) -> Iterator[Drawn]:
        """It and everything below it, in order."""
        yield self
        for child in self.children:
            yield from child.all()


def traced(game: Game[State, Action], trace: Trace, way: Callable[[State, Action], str] | None = None,
           note: Callable[[State], str] | None = None, has_windows: bool = False, start: State | None = None,
           depth: int | None = None) -> Drawn:
    """The tree of a game from its start or from `start`, whole or to a depth, in which a search has seen its trace.

    `way` names the actions, `note` is written beside a state. With windows, every node shows the alpha and beta with
    which it was entered.
    """
    assert trace.root is not None

    def draw(state: State, visit: VisitedNode | None, left: int | None) -> Drawn:
        is_over = is_leaf(game, state, left)
        player = MAX if is_over else game.to_move(state)
        node_type = "leaf" if is_over else "chance" if player == CHANCE else "max" if player == MAX else "min"
        node = Drawn(node_type, "", is_seen=visit is not None)
        if visit is None:
            node.text = plain(game.utility(state, MAX)) if game.is_terminal(state) else "?"
        else:
            node.text, node.order = visit.sign + plain(_rounded(visit.value)), visit.order
            if has_windows and not is_over:
                node.notes = (f"α {plain(visit.alpha)}", f"β {plain(visit.beta)}")
        if note is not None:
            node.notes = (note(state), *node.notes)
        for number, action in enumerate([] if is_over else game.actions(state)):
            seen = visit.children[number] if visit is not None and number < len(visit.children) else None
            child = draw(game.result(state, action), seen, one_less(left))
            child.way = "" if way is None else way(state, action)
            node.children.append(child)
        if visit is not None and visit.children and player != CHANCE:
            values = [child.value for child in visit.children]
            node.children[values.index(visit.value)].is_best = True
        return node

    root = draw(game.initial() if start is None else start, trace.root, depth)
    _keep_one_line(root)
    return root


def _rounded(number: float) -> float:
    """A value with as many digits as there is room for."""
    return round(number, 2 if abs(number) < 100 else 1)


def planned(game: HiddenGame[State, Action], state: State, plan: StrategyProfile,
            way: Callable[[State, Action], str]) -> Drawn:
    """The tree below a state in which both play by a plan: with MAX's values, and how often each action is played."""
    if game.is_terminal(state):
        return Drawn("leaf", plain(game.utility(state, MAX)))
    actions = game.actions(state)
    odds = plan(game.view(state), len(actions))
    node = Drawn("max" if game.to_move(state) == MAX else "min", f"{value(game, state, plan):.2f}".replace("-", "−"),
                 notes=(str(game.view(state)),), room=1.5)
    for action, share in zip(actions, odds, strict=True):
        child = planned(game, game.result(state, action), plan, way)
        child.way, child.is_best = f"{way(state, action)} {share:.2f}", share >= 0.5
        node.children.append(child)
    return node


def _keep_one_line(root: Drawn) -> None:
    """Of the best moves of all nodes, keep those on the way that is played from the root."""
    root.is_best = True
    for node in root.all():
        for child in node.children:
            child.is_best = child.is_best and node.is_best
        if node.node_type == "chance":
            for child in node.children:
                child.is_best = node.is_best


def picture(root: Drawn, title: str, legend: Sequence[str] = ()) -> svg.Picture:
    """The tree as a picture; `legend` are lines below it."""
    for node in root.all():
        if node.node_type in {"max", "min"} and len(node.text) >= _LONG:
            node.size = max(node.size, _LONG_SIZE)
    width = _place(root, 0, 0.0) * _STEP + _STEP * 0.6
    height = max(node.y + _SIDE * node.size for node in root.all()) + 26
    for node in root.all():
        node.x += _STEP * 0.3
    edges = [(node, child) for node in root.all() for child in node.children]
    elements = [element for edge in edges for element in _edge(*edge)]
    elements += [element for edge in edges for element in _name_of_action(*edge)]
    elements += [element for node in root.all() for element in _node(node)]
    node_types = [node_type for node_type in SHAPES if any(node.node_type == node_type for node in root.all())]
    key, key_width = _key(node_types, height + 16)
    lines = [svg.words(20, height + 50 + 22 * number, text, size=_SMALL_TEXT, anchor="start", fill=svg.FAINT)
             for number, text in enumerate(legend)]
    width = max(width, key_width, *(40 + 0.9 * _LETTER * len(text) for text in legend), 0)
    return svg.titled(svg.Picture(width, height + 50 + 22 * len(legend), (*elements, *key, *lines)), title)


def _place(node: Drawn, depth: int, left: float) -> float:
    """Give a node and those below it their places from `left`, in steps; returns where the next one may begin."""
    node.y = _TOP + _LEVEL * depth
    below = len(" ".join(node.notes)) * _LETTER + 12 if not node.children else 0.0
    room = max(node.room, node.size, (len(node.way) * _LETTER + 10) / _LABEL_AT / _STEP, below / _STEP)
    if not node.children:
        node.x = (left + 0.5 * room) * _STEP
        return left + room
    start = left
    for child in node.children:
        left = _place(child, depth + 1, left)
    node.x = (node.children[0].x + node.children[-1].x) / 2
    return max(left, start + room)


def _edge(node: Drawn, child: Drawn) -> Iterator[str]:
    """The line between two nodes, greyed where a search did not go, with a mark where it was cut."""
    start, end = (node.x, node.y + _reach(node)), (child.x, child.y - _reach(child))
    if not child.is_seen:
        yield svg.line((start, end), stroke=svg.PALE, width=1.5, dashes="4 5")
        if node.is_seen:
            x, y = _between(start, end, _CUT_AT)
            yield svg.line(((x - 9, y + 5), (x + 9, y - 5)), stroke=svg.WARNING, width=2.5)
    else:
        yield svg.line((start, end), stroke=svg.INK if child.is_best else svg.FAINT, width=3 if child.is_best else 1.3)


def _name_of_action(node: Drawn, child: Drawn) -> Iterator[str]:
    """What leads from a node to its child, written over the lines: drawn after all of them."""
    if child.way:
        x, y = _between((node.x, node.y + _reach(node)), (child.x, child.y - _reach(child)), _LABEL_AT)
        yield svg.box(x, y - 5, _LETTER * len(child.way) + 6, 19, fill="white")
        yield svg.words(x, y, child.way, size=_SMALL_TEXT, fill=svg.INK if child.is_seen else svg.FADED)


def _between(start: tuple[float, float], end: tuple[float, float], share: float) -> tuple[float, float]:
    """The point after a share of the way from one point to another."""
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def _reach(node: Drawn) -> float:
    """How far a node's shape goes from its middle, up and down."""
    return _SIDE * node.size - (6 * node.size if node.node_type == "leaf" else 0)


def _node(node: Drawn) -> Iterator[str]:
    """A shape, what stands in it and beside it, and when it was visited."""
    fill, stroke = SHAPES[node.node_type] if node.is_seen else ("#fafbfc", svg.PALE)
    yield _shape(node.node_type, node.x, node.y, node.size, node.fill or fill, stroke)
    ink = svg.INK if node.is_seen else svg.FADED
    shift = {"max": 11 * node.size, "min": 5 - 5 * node.size}.get(node.node_type, 5)
    size = _TEXT * min(max(node.size, 1.0), 1.3)
    yield svg.words(node.x, node.y + shift, node.text, size=size if len(node.text) < 4 else 0.8 * size, fill=ink,
                    is_bold=True)
    if node.children:
        for number, note in enumerate(node.notes):
            yield svg.words(node.x + _SIDE * node.size + 6, node.y - 4 + 17 * number, note, size=_SMALL_TEXT,
                            fill=svg.FAINT, anchor="start")
    elif node.notes:
        yield svg.words(node.x, node.y + _reach(node) + 19, " ".join(node.notes), size=_SMALL_TEXT, fill=svg.FAINT)
    if node.order is not None:
        x, y = node.x - _SIDE * node.size - 2, node.y - _SIDE * node.size + 2
        yield svg.circle(x, y, 11, fill="white", stroke=svg.PALE, width=1)
        yield svg.words(x, y + 4.5, str(node.order), size=12.5, fill=svg.FAINT)


def _shape(node_type: str, x: float, y: float, size: float, fill: str, stroke: str) -> str:
    """MAX points up, MIN down, chance is round, and the end of a game is square."""
    half = _SIDE * size
    if node_type in {"max", "min"}:
        tip = -half - 3 if node_type == "max" else half + 3
        base = half - 2 if node_type == "max" else -half + 2
        return svg.polygon(((x - half - 4, y + base), (x + half + 4, y + base), (x, y + tip)), fill=fill, stroke=stroke)
    if node_type in {"chance", "node"}:
        return svg.circle(x, y, half, fill=fill, stroke=stroke)
    return svg.box(x, y, 2 * half - 12 * size + 6, 2 * half - 12 * size, fill=fill, stroke=stroke)


def _key(node_types: Sequence[str], y: float) -> tuple[list[str], float]:
    """What the shapes mean, and how much room it takes."""
    elements, x = list[str](), 32.0
    for node_type in node_types:
        fill, stroke = SHAPES[node_type]
        elements += [_shape(node_type, x, y - 4, 0.45, fill, stroke),
                     svg.words(x + 22, y, _NAMES[node_type], size=_SMALL_TEXT, anchor="start")]
        x += 62 + _LETTER * len(_NAMES[node_type])
    return elements, x


def outline(root: Drawn) -> str:
    """The tree as text, a line for every node, indented by depth. What was cut off says so."""
    lines: list[str] = []
    is_numbered = any(node.order is not None for node in root.all())

    def write(node: Drawn, depth: int) -> None:
        order = f"{node.order:>3}. " if node.order is not None else ""
        way = f"{node.way}: " if node.way else ""
        name = "" if node.node_type == "leaf" else f"{_NAMES[node.node_type]} "
        notes = f"   ({', '.join(node.notes)})" if node.notes else ""
        if node.is_seen:
            lines.append(f"{order}{'    ' * depth}{way}{name}{node.text}{notes}")
        else:
            leaves = [below.text for below in node.all() if not below.children]
            lines.append(f"{'     ' if is_numbered else ''}{'    ' * depth}{way}cut off: {', '.join(leaves)}")
            return
        for child in node.children:
            write(child, depth + 1)

    write(root, 0)
    return "\n".join(lines)
