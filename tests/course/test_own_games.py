"""Games of one's own: what plays them, one line where an algorithm does not fit, and a game in the terminal."""

from __future__ import annotations

import io
import random
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engine.course import check
from engine.course.fit import ALGORITHMS
from engine.course.own_games import GAMES, load_game
from engine.course.players import PLAYERS, Effort, new_player, play_out
from engine.course.reference import alphabeta, alphazero, cfr, maxn, minimax, solved, uct
from engine.course.reference.encoding import encoded
from engine.course.reference.expectimax import expectiminimax
from engine.course.reference.game import CHANCE, MAX, MIN, Game, HiddenGame, UnsuitableGameError
from engine.course.reference.games.board import ConnectFour, TicTacToe
from engine.course.reference.games.halving import Halving
from engine.course.reference.games.kuhn import Kuhn
from engine.course.reference.games.race import Race
from engine.course.reference.games.tree import TreeGame
from engine.course.reference.games.truel import Truel
from engine.course.reference.learning import learn
from engine.course.reference.minimax import Count
from tests.commands.running import run

PAGE = Path(__file__).parents[2].joinpath("docs", "your-game.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def nim(tmp_path, monkeypatch) -> Path:
    """The game of the page, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("nim.py").write_text(BLOCKS[0][1])
    return tmp_path / "nim.py"


def test_the_page_says_fifteen_lines_and_shows_what_is_printed(nim, capsys):
    source, usage, printed = (text for _, text in BLOCKS[:3])
    assert len(source.strip().splitlines()) <= 15
    exec(usage, {})  # noqa: S102
    assert capsys.readouterr().out == printed
    example, message = (text for _, text in BLOCKS[-2:])
    with pytest.raises(UnsuitableGameError) as raised:
        exec(example, {})  # noqa: S102
    assert f"UnsuitableGameError: {raised.value}\n" == message
    sys.modules.pop("nim", None)


def playable(game: Game[Any, Any]) -> set[str]:
    return {name for name, verdict in check(game).algorithms.items() if verdict.plays}


TWO, DICE, DEEP = {"UCT", "AlphaZero"}, {"expectiminimax", "max^n", "CFR"}, {"minimax", "alpha-beta", "a table"}


def test_what_each_game_of_the_course_can_be_played_by():
    assert playable(TicTacToe()) == set(ALGORITHMS) - {"CFR"} == (TWO | DICE | DEEP) - {"CFR"}
    assert check(TicTacToe()).algorithms["CFR"].words == "549,946 nodes: too large for regret minimisation"
    assert playable(Race(4)) == TWO | DICE
    assert playable(Truel((1 / 3, 2 / 3, 1), 2)) == {"max^n"}
    assert playable(Kuhn()) == {"CFR"}
    assert playable(ConnectFour()) == TWO | {"minimax", "alpha-beta", "expectiminimax"}
    fit = check(ConnectFour())
    assert fit.algorithms["minimax"].needs_depth and not fit.is_whole


def test_the_nodes_that_check_expects_are_those_that_minimax_visits():
    for game in (TicTacToe(), Halving(9), TreeGame([[1, 2], [3, [4, 5]]])):
        count = Count()
        minimax.minimax(game, game.initial(), count=count)
        assert check(game).nodes == count.nodes


class Three(TreeGame):
    """Three players, each with an utility of its own."""

    def __init__(self) -> None:
        super().__init__((((1, 2), (3, 4)),), (0, 1, 2))


class General(TreeGame):
    """Both can win."""

    def utility(self, state, player):
        return abs(super().utility(state, player))


SEARCHES = {
    "minimax": lambda game: minimax.minimax(game, game.initial()),
    "alpha-beta": lambda game: alphabeta.alphabeta(game, game.initial()),
    "a table": lambda game: solved.solve(game, game.initial()),
    "expectiminimax": lambda game: expectiminimax(game, game.initial()),
    "max^n": lambda game: maxn.utilities(game, game.initial(), sorted(check(game).players)),
    "UCT": lambda game: uct.search(game, game.initial(), 50, random.Random(1)),
    "CFR": lambda game: list(cfr.minimise(game, 2)),
    "AlphaZero": lambda game: next(learn(encoded(game), alphazero.new_network(encoded(game), 4), 1, 5)),
}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("game", [Kuhn(), Three(), Race(3), Halving(4)], ids=lambda game: type(game).__name__)
def test_an_algorithm_says_the_line_of_check_or_plays(game, name):
    verdict = check(game).algorithms[name]
    if verdict.plays:
        SEARCHES[name](game)
        return
    with pytest.raises(UnsuitableGameError) as raised:
        SEARCHES[name](game)
    assert "\n" not in str(raised.value)
    said = {str(raised.value), str(raised.value).replace("chance moves in", "hides")}
    assert verdict.words in said or (isinstance(game, Kuhn) and "chance moves" in str(raised.value))


def test_general_sums_are_for_max_n():
    assert playable(General([[1, 2], [3, 1]])) == {"max^n"}


def test_odds_are_checked_at_every_chance_node():
    """Two of three odds are not enough for a node with two children."""
    game = TreeGame(((1, 2), (3, 4, 5)), (MAX, CHANCE), (1 / 2, 1 / 3, 1 / 6))
    for name in ("expectiminimax", "UCT", "CFR"):
        with pytest.raises(UnsuitableGameError, match=r"the odds 0.5, 0.3333 .* add up to 0.8333, not to 1"):
            SEARCHES[name](game)
    for work in (lambda: check(game), lambda: maxn.utilities(game, game.initial(), (0, 1))):
        with pytest.raises(UnsuitableGameError, match=r"add up to 0.8333"):
            work()


class Coin(Game[Any, Any]):
    """A game that a test breaks in one of its functions."""

    def initial(self): return (0, MAX)
    def to_move(self, state): return state[1]
    def actions(self, state): return ["heads", "tails"]
    def result(self, state, action): return (state[0] + 1, 1 - state[1])
    def is_terminal(self, state): return state[0] == 2
    def utility(self, state, player): return 1 if player == MAX else -1


class Listed(NamedTuple):
    """A state that can be changed."""

    moves: list[str]


def broken(**functions) -> Game[Any, Any]:
    return type("Broken", (Coin,), {name: lambda self, *found, work=work: work(*found)
                                    for name, work in functions.items()})()


@pytest.mark.parametrize(("game", "line"), [
    (42, "42 is not a game: it has no initial, to_move, actions"),
    (Coin, "Coin is a class"),
    (TreeGame(3), "a game without moves: it is over in its initial state"),
    (TreeGame([[], 1]), "no actions in TreeNode"),
    (broken(actions=lambda state: []), "no actions in (0, 0)"),
    (broken(actions=lambda state: (word for word in ("a", "b"))), "actions((0, 0)) is a generator: return a list"),
    (broken(actions=lambda state: ["a", "a"]), "has an action twice"),
    (broken(to_move=lambda state: "MAX"), "to_move((0, 0)) is 'MAX': return MAX (0), MIN (1)"),
    (broken(to_move=lambda state: 1 + state[1]), "the players are 1 and 2: number them from 0 on"),
    (broken(to_move=lambda state: CHANCE), "no player ever moves"),
    (broken(utility=lambda state, player: None), "utility((2, 0), 0) is None: return a number"),
    (broken(utility=lambda state, player: float("nan")), "is nan: return a number"),
    (broken(is_terminal=lambda state: "no"), "is_terminal((0, 0)) is 'no': return True or False"),
    (broken(result=lambda state, action: (state[0] + random.random(), state[1])), "differs when asked again"),
    (broken(initial=lambda: Listed([]), to_move=lambda state: len(state.moves) % 2,
            is_terminal=lambda state: len(state.moves) > 3,
            result=lambda state, action: state.moves.append(action) or state), "changes its state"),
    (broken(result=lambda state, action: 1 // 0), "result((0, 0), 'heads') raises ZeroDivisionError"),
    (broken(to_move=lambda state: CHANCE if state[0] else MAX, probability=lambda state, action: 2),
     "not a probability"),
    (broken(result=lambda state, action: (0, 1 - state[1])), "never ends: none of its 2 states is terminal"),
])
def test_a_broken_game_is_one_line(game, line):
    with pytest.raises(UnsuitableGameError) as raised:
        check(game)
    assert line in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_view_has_the_same_actions():
    class Odd(HiddenGame[Any, Any]):
        def initial(self): return ()
        def to_move(self, state): return len(state) % 2
        def actions(self, state): return ["a"] if state == ("b",) else ["a", "b"]
        def result(self, state, action): return (*state, action)
        def is_terminal(self, state): return len(state) == 2
        def utility(self, state, player): return 0
        def view(self, state): return len(state)

    with pytest.raises(UnsuitableGameError, match="the same view has the same actions"):
        check(Odd())


def test_a_game_that_goes_round_in_circles_is_not_searched_to_its_end():
    ring = broken(result=lambda state, action: ((state[0] + (action == "tails")) % 2 if state[0] < 2 else 2,
                                                1 - state[1]), is_terminal=lambda state: state == (1, 1))
    fit = check(ring)
    assert fit.algorithms["minimax"].needs_depth and "a state can come again" in fit.algorithms["minimax"].words
    assert not fit.algorithms["a table"].plays


def test_playouts_need_an_end():
    """A game that grows for ever: searches to a depth play it, those that play games to their ends do not."""
    fit = check(broken(is_terminal=lambda state: False))
    for name in ("UCT", "AlphaZero"):
        verdict = fit.algorithms[name]
        assert not verdict.plays and "no game ended within 1,000 random moves" in verdict.words
    assert fit.algorithms["alpha-beta"].needs_depth


def test_alphazero_learns_a_game_that_it_was_not_made_for():
    """Halving from 15, without a word about it: after 40 games the search finds a best move in every state."""
    game = Halving(15)
    shown, table = encoded(game), solved.solve(game, game.initial())
    network = alphazero.new_network(shown, 32)
    for _ in learn(shown, network, 40, 30):
        pass
    for state, entry in table.items():
        if not game.is_terminal(state):
            move = alphazero.most_visited(alphazero.search(shown, network, state, 30))
            assert table[game.result(state, move)].value == entry.value, state


def test_alphazero_rolls_dice():
    game = Race(4)
    shown = encoded(game)
    network = alphazero.new_network(shown, 32)
    for _ in learn(shown, network, 20, 20):
        pass
    root = alphazero.search(shown, network, game.initial(), 300)
    truth = {die: expectiminimax(game, game.result(game.initial(), die)) for die in root.children}
    assert alphazero.most_visited(root) == max(truth, key=lambda die: truth[die])


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) if name in {"hex", "breakthrough"}
                                  else name for name in GAMES])
def test_every_game_of_the_course_is_played_by_all_that_fit(name):
    game = load_game(name)
    fit, chance = check(game), random.Random(1)
    effort = Effort(depth=2, iterations=30, games=1)
    for player, (known, _) in PLAYERS.items():
        if (player == "table" and fit.states > 1000) or (player == "cfr" and not fit.is_hidden):
            continue
        if not known or fit.algorithms[known].plays:
            chooser = new_player(player, game, fit, effort, chance)
            state = play_out(game, dict.fromkeys(range(max(fit.players) + 1), chooser), chance)
            assert game.is_terminal(state)


def played(capsys, monkeypatch, typed: str, *words: str):
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    return run(capsys, "class", "play", *words)


def test_a_game_in_the_terminal(nim, capsys, monkeypatch):
    status, out, err = played(capsys, monkeypatch, "7\nx\n2\n1\n3\n3\n3\n", "nim.py:Nim", "--first")
    assert (status, err) == (0, "")
    assert "You are MIN; table plays first." in out
    assert "MAX plays 2\n(8, 1)" in out, "to leave a multiple of four"
    assert "not a move: '7'; one of 1, 2, 3" in out and "not a move: 'x'" in out
    assert "The game is over: you get -1." in out


def test_a_game_ends_with_the_input_and_hides_what_is_hidden(capsys, monkeypatch):
    status, out, _ = played(capsys, monkeypatch, "", "kuhn")
    assert status == 0 and "The game ends here." in out
    assert re.search(r"you see [JQK]\n", out) and "Table" not in out and "chance:" not in out


def test_three_players_have_the_numbers_of_the_rules(capsys, monkeypatch):
    status, out, _ = played(capsys, monkeypatch, "", "truel")
    assert status == 0 and "You are player 0; maxn plays the rest." in out and "MIN" not in out


def test_two_algorithms_meet(nim, capsys, monkeypatch):
    status, out, _ = played(capsys, monkeypatch, "", "nim.py:Nim", "--algorithm", "table", "--against", "random",
                            "--games", "20")
    assert status == 0
    assert int(re.search(r"table against random: (\d+) of 20 points", out)[1]) >= 16


def test_a_file_named_like_a_module_takes_nothing_away(nim, capsys, monkeypatch):
    Path("nim.py").rename("chess.py")
    before = sys.modules.get("chess")
    assert played(capsys, monkeypatch, "", "chess.py:Nim", "--algorithm", "minimax", "--against", "random")[0] == 0
    assert sys.modules.get("chess") is before


@pytest.mark.parametrize(("words", "complaint"), [
    (("nowhere.py:Nim",), "no file 'nowhere.py'"),
    (("nim.py:Nom",), "nim.py has no Nom"),
    (("chess",), "there is no game 'chess'"),
    (("nim.py:MAX",), "0 is not a game"),
    (("nomodule:Nim",), "cannot import nomodule"),
    (("wrong.py:Nim",), "wrong.py, line 2: ZeroDivisionError"),
    (("syntax.py:Nim",), "syntax.py, line 1: SyntaxError"),
    (("kuhn", "--algorithm", "uct"), "uct does not play this game: this game hides something"),
    (("connect-four", "--algorithm", "alphabeta"), "alphabeta needs --depth"),
    (("truel", "--against", "random"), "--against is for games of two"),
    (("nim.py:Nim", "--games", "3"), "--games requires --against"),
    (("nim.py:Nim", "--algorithm", "go"), "--algorithm"),
])
def test_bad_input_is_one_line(nim, capsys, monkeypatch, words, complaint):
    Path("wrong.py").write_text("\n1 / 0\n")
    Path("syntax.py").write_text("class Nim(:\n")
    status, out, err = played(capsys, monkeypatch, "", *words)
    assert (status, out) == (2, "")
    assert complaint in err and err.count("\n") == 1


def test_the_player_to_move_may_see_nothing_of_the_others(capsys, monkeypatch):
    assert MIN == 1 and "battleship" in GAMES
    _, out, _ = played(capsys, monkeypatch, "1\n" * 20, "battleship")
    assert "Sea(" not in out.rpartition("you see")[0]
