"""The lecture's own numbers and trees, and what the course adds: the table with alpha-beta, killers, rules, wins."""

from __future__ import annotations

import math
import random
import re
from typing import Any

import pytest

from engine.course.lessons import notes
from engine.course.reference import transposition
from engine.course.reference.alphabeta import alphabeta
from engine.course.reference.game import CHANCE, Game, HiddenGame
from engine.course.reference.games.backgammon import SmallBackgammon
from engine.course.reference.games.battleship import Battleship
from engine.course.reference.games.board import TicTacToe, parse_grid
from engine.course.reference.games.buckets import BucketGame
from engine.course.reference.games.chess import Chess
from engine.course.reference.games.halving import Halving
from engine.course.reference.games.kuhn import Kuhn
from engine.course.reference.games.race import Race
from engine.course.reference.games.rockpaperscissors import RockPaperScissors
from engine.course.reference.games.tree import TreeGame
from engine.course.reference.games.truel import Truel
from engine.course.reference.maxn import utilities
from engine.course.reference.minimax import Count, minimax
from engine.course.reference.ordering import alphabeta_with_killers
from engine.course.reference.rules import CHESS_RULES, TIC_TAC_TOE_RULES, choose, rank
from engine.course.reference.solved import solve
from engine.course.reference.uct import most_visited, search
from engine.course.reference.wins import WinNode, back_propagate, expand, most_played, select, upper_bound
from engine.course.slides import AGENT_VIEWS, FOUR_FIELDS, GAMES, HISTORY, evaluations, monte_carlo_root

TIC_TAC_TOE = TicTacToe()


def test_the_two_ply_tree():
    count = Count()
    assert alphabeta(notes.TWO_PLIES, notes.TWO_PLIES.initial(), count=count) == 2
    assert count.leaves == 3  # the 8 is never looked at


def test_the_four_ply_tree():
    """By hand: MIN's leaves 7, 3, 8, 2, 1, 8, 9, 3; MAX 7, 8, 8, 9; MIN 7, 8; MAX 8."""
    count = Count()
    assert minimax(notes.FOUR_PLIES, notes.FOUR_PLIES.initial()) == 8
    assert alphabeta(notes.FOUR_PLIES, notes.FOUR_PLIES.initial(), count=count) == 8
    assert count.leaves == 10


def test_large_numbers(capsys):
    """What the lesson prints, against whole numbers: games of 120 plies, and what all atoms could have evaluated."""
    notes.brute_force()
    printed = dict(re.findall(r"^(.+?) {2,}(?:about )?(\S.*)$", capsys.readouterr().out, re.MULTILINE))
    done = 10**80 * (3 * 10**7) * 10**9 * 10**10
    assert printed["positions evaluated by all"] == "3 x 10^106" and done == 3 * 10**106 == evaluations()
    missing = int(printed["missing orders of magnitude"])
    assert done * 10 ** (missing - 1) < 10**120 < done * 10**missing
    assert printed["games of 120 plies with 10 moves each"] == f"10^{len(str(10**120)) - 1}"
    assert printed["chess, 35 moves and 100 plies: 35^100"] == f"10^{len(str(35**100)) - 1}"
    notes.in_small()
    leaves, root, seen = (int(found.replace(",", "")) for found in re.findall(r"(?:= |at )([\d,]+)",
                                                                              capsys.readouterr().out))
    assert (leaves, root) == (4**6, 4**3) and root**2 == leaves and seen == 2 * root - 1


def test_the_monte_carlo_tree_adds_up():
    """Every playout goes on to a child, and is won either by the player who moved to the node or by the other."""
    def check(node: WinNode) -> None:
        if node.children:
            assert sum(child.playouts for child in node.children) == node.playouts
            assert sum(child.wins for child in node.children) == node.playouts - node.wins
        for child in node.children:
            check(child)

    root = monte_carlo_root()
    check(root)
    assert [str(root), *map(str, root.children)] == ["37/100", "60/79", "1/10", "2/11"]
    path = select(root)
    assert [str(node) for node in path] == ["37/100", "60/79", "16/53", "27/35"]
    assert [str(node) for node in select(root, 1.5)][:2] == ["37/100", "2/11"]  # more curious
    path = expand(path)
    back_propagate(path, is_won=False)
    assert [str(node) for node in path] == ["37/101", "61/80", "16/54", "28/36", "0/1"]
    assert str(most_played(root)) == "61/80"


def test_upper_bound_by_hand():
    assert upper_bound(WinNode(60, 79), WinNode(37, 100)) == pytest.approx(60 / 79 + math.sqrt(2 * math.log(100) / 79))


def test_the_middle_square_is_returned():
    for seed in range(1, 6):
        assert most_visited(search(TIC_TAC_TOE, TIC_TAC_TOE.initial(), 1000, random.Random(seed))) == 4


def has_chance(game: Game[Any, Any], states: int = 3000) -> bool:
    """Whether a chance node is met among the first states of a game."""
    waiting = [game.initial()]
    for _ in range(states):
        if not waiting:
            break
        state = waiting.pop(0)
        if not game.is_terminal(state):
            if game.to_move(state) == CHANCE:
                return True
            waiting += [game.result(state, action) for action in game.actions(state)]
    return False


@pytest.mark.parametrize(("name", "game"), [
    ("chess", Chess()), ("tic-tac-toe", TicTacToe()), ("halving", Halving(9)),
    ("buckets with a coin", BucketGame(((1, 2), (3, 4)), has_coin=True)), ("race", Race(4)),
    ("backgammon", SmallBackgammon()), ("Battleship", Battleship()),
    ("truel", Truel((1 / 3, 2 / 3, 1), 2)), ("rock, paper, scissors", RockPaperScissors()), ("Kuhn poker", Kuhn())])
def test_the_axes_are_those_of_the_games(name, game):
    chance, players, total, information = GAMES[name]
    assert (chance != "none") == has_chance(game, 60 if name == "chess" else 3000)
    assert (information == "imperfect") == isinstance(game, HiddenGame)
    assert (players == "3") == (name == "truel") == (total == "general")


def test_the_four_fields_agree_with_the_axes():
    for (seen, luck), games in FOUR_FIELDS.items():
        for name in set(games) & set(GAMES):
            assert (GAMES[name][3], "deterministic" if GAMES[name][0] == "none" else "chance") == (seen, luck)
    assert {"chess", "draughts", "Go", "Hex", "Othello"} == set(FOUR_FIELDS["perfect", "deterministic"])
    assert {"Scrabble", "Monopoly", "Battleship", "backgammon"} <= {name for games in FOUR_FIELDS.values()
                                                                           for name in games}


def test_every_game_of_the_axes_is_tested():
    assert len(GAMES) == 10 and len(AGENT_VIEWS) == 3


@pytest.mark.parametrize(("game", "year", "words"), [
    ("chess", "1997", "Deep Blue beats Kasparov"), ("chess", "2006", "Deep Fritz.* beats Kramnik"),
    ("draughts", "1994", "Chinook .* Tinsley: .* 440 billion positions"),
    ("Othello", "1997", "champions decline to play programs"), ("Go", "2016", "AlphaGo beats Lee Sedol")])
def test_the_matches_of_history_are_told(game, year, words):
    assert [re.search(words, shown) is not None for other, when, shown in HISTORY if (other, when) == (game, year)] == [
        True]


def test_a_player_by_rules_completes_stops_and_takes_the_middle():
    for text, square in (("xx.oo....", 2), ("xx..o....", 2), (".........", 4), ("....x....", 0)):
        board = parse_grid(text)
        assert choose(TIC_TAC_TOE_RULES, board, TIC_TAC_TOE.actions(board)) == square
    assert rank(TIC_TAC_TOE_RULES, parse_grid("xx.oo...."), 2) == 5


def test_rules_are_enough_for_tic_tac_toe_but_not_for_chess():
    """Against every reply of x, o never loses by the rules but in the two known traps of opposite corners."""
    pawn = notes.PROTECTED_PAWN
    assert choose(CHESS_RULES, pawn, Chess().actions(pawn)) == "d2d5"  # and the queen is lost
    chance, lost = random.Random(1), 0
    for _ in range(200):
        board = TIC_TAC_TOE.initial()
        while not TIC_TAC_TOE.is_terminal(board):
            actions = TIC_TAC_TOE.actions(board)
            board = TIC_TAC_TOE.result(board, chance.choice(actions) if TIC_TAC_TOE.to_move(board) == 0
                                       else choose(TIC_TAC_TOE_RULES, board, actions))
        lost += TIC_TAC_TOE.utility(board, 1) < 0
    assert lost <= 6


def random_tree(chance: random.Random, depth: int):
    return chance.randint(-9, 9) if depth == 0 else [random_tree(chance, depth - 1) for _ in range(3)]


def test_the_table_never_changes_the_value():
    boards = list(solve(TIC_TAC_TOE, parse_grid("x.. .o. ...")))
    table: dict = {}
    for board in random.Random(1).sample(boards, 150):
        assert transposition.alphabeta(TIC_TAC_TOE, board, table) == minimax(TIC_TAC_TOE, board)
    for depth in (1, 2, 3, 4, 5):
        shallow: dict = {}
        for deeper in range(1, depth + 1):  # entries of shallower searches must not answer for deeper ones
            value = transposition.alphabeta(TIC_TAC_TOE, TIC_TAC_TOE.initial(), shallow, deeper, TIC_TAC_TOE.open_lines)
        assert value == minimax(TIC_TAC_TOE, TIC_TAC_TOE.initial(), depth, TIC_TAC_TOE.open_lines)


def test_the_table_saves_what_the_lesson_says():
    count = Count()
    transposition.alphabeta(TIC_TAC_TOE, TIC_TAC_TOE.initial(), {}, count=count)
    assert count.nodes == 4852


def test_killers_of_engines_never_change_the_value():
    chance, plain, killers = random.Random(2), Count(), Count()
    for _ in range(100):
        game = TreeGame(random_tree(chance, 4))
        value = alphabeta_with_killers(game, game.initial(), 4, lambda state: 0.0, killers)
        assert value == minimax(game, game.initial())
    game = TIC_TAC_TOE
    plain, killers = Count(), Count()
    alphabeta(game, game.initial(), 6, game.open_lines, plain)
    value = alphabeta_with_killers(game, game.initial(), 6, game.open_lines, killers)
    assert value == alphabeta(game, game.initial(), 6, game.open_lines)
    assert (plain.nodes, killers.nodes) == (3281, 2498)


def test_tuples_on_the_tree_of_the_lesson():
    from engine.course.lessons.players import TUPLES, _tuple_tree

    class Three(TreeGame):
        def utility(self, state, player):
            return state.tree[player]

        def is_terminal(self, state):
            return isinstance(state.tree, tuple)

    game = Three(TUPLES, (0, 1, 2))
    assert _tuple_tree(TUPLES, 0)[1] == utilities(game, game.initial(), (0, 1, 2)) == (2, 5, 2)
