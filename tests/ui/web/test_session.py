"""What the page says and what it is told: games, positions, analysis, annotation, watching."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator

import chess
import chess.pgn
import pytest

from engine.reference.games.chess import Chess
from engine.reference.minimax import minimax
from engine.ui.web.engine_pool import ResourceLimits
from tests.ui.talking import FASTEST, ORIGIN, START, TALK, TestClient, Visitor, board_after, client

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
SCHOLARS = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0"
CHESS960_CASTLING = "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKR1B w FDfd - 0 1"


@pytest.fixture(scope="module")
def browser() -> Iterator[TestClient]:
    with client() as made:
        yield made


@pytest.fixture
def visitor(browser: TestClient) -> Iterator[Visitor]:
    with browser.websocket_connect(TALK, headers=ORIGIN) as socket:
        yield Visitor(socket)


def test_the_server_introduces_itself(visitor):
    welcome = visitor.ask("hello", "welcome")
    assert welcome["levels"][-1] == "max" and FASTEST in welcome["levels"]
    assert {"alphabeta", "mcts", "uct", "minimax", "expectimax"} <= {mode["name"] for mode in welcome["modes"]}


def test_a_whole_game_follows_the_rules(visitor):
    game = visitor.begin()
    while game["over"] is None and game["ply"] < 60:
        board = board_after(game)
        assert game["fen"] == board.fen() and game["position"]["turn"] == "white"
        game = visitor.move(min(board.legal_moves, key=lambda move: move.uci()).uci(), game["ply"])
    board = board_after(game)
    record = chess.pgn.read_game(io.StringIO(game["pgn"]))
    assert record is not None and not record.errors
    assert list(record.mainline_moves()) == board.move_stack
    if game["over"] is not None:
        assert game["over"]["result"] == board.result(claim_draw=True) and not game["position"]["legal"]


def test_the_engine_begins_when_the_visitor_has_black(visitor):
    game = visitor.settled(visitor.begin(side="black"))
    assert game["ply"] == 1 and game["side"] == "black"


def test_a_move_that_is_illegal_or_late_is_refused_and_the_game_told(visitor):
    visitor.begin()
    for uci, ply in (("e2e5", 0), ("e2e4", 7), ("nonsense", 0), ("e7e5", 0)):
        assert visitor.ask("move", "error", uci=uci, ply=ply)["text"]
        assert visitor.hear("game")["ply"] == 0


def test_taking_back_returns_to_the_visitors_move(visitor):
    visitor.begin()
    game = visitor.move("e2e4", 0)
    assert game["ply"] == 2
    game = visitor.ask("takeback", "game")
    assert game["ply"] == 0 and game["fen"] == chess.STARTING_FEN
    assert visitor.ask("takeback", "error")["text"]


def test_taking_back_while_the_engine_thinks(visitor):
    visitor.begin(level="max", start=KIWIPETE)
    game = visitor.ask("move", "game", uci="e2a6", ply=0)
    assert game["thinking"]
    game = visitor.ask("takeback", "game")
    assert game["ply"] == 0 and not game["thinking"]
    assert visitor.move("e1g1", 0)["ply"] == 2


def test_a_game_of_another_level_can_begin_while_an_engine_is_created(visitor):
    visitor.move("e2e4", visitor.begin()["ply"])
    for level in (800, 1200, FASTEST, 600):
        game = visitor.begin(level=level)
    assert visitor.move("e2e4", game["ply"])["ply"] == 2


def test_a_search_for_a_move_is_stopped_for_others_after_half_a_second():
    with (client(ResourceLimits(sessions=3, hash=24, threads=1)) as made,
          made.websocket_connect(TALK, headers=ORIGIN) as one, made.websocket_connect(TALK, headers=ORIGIN) as other):
        visitors = Visitor(one), Visitor(other)
        for visitor in visitors:
            visitor.begin(level="max", start=KIWIPETE)
            visitor.move("e1g1", 0)  # the engine exists now
            visitor.ask("takeback", "game")
        began = time.monotonic()
        thinking = [visitor.ask("move", "game", uci="e2a6", ply=0) for visitor in visitors]
        assert visitors[0].settled(thinking[0])["ply"] == 2
        assert 0.4 < time.monotonic() - began < 1.9  # of two seconds
        assert visitors[1].settled(thinking[1])["ply"] == 2


def test_resigning_and_offering_a_draw(visitor):
    visitor.begin()
    assert "declines the draw" in visitor.ask("draw", "notice")["text"]
    over = visitor.ask("resign", "game")["over"]
    assert over == {"result": "0-1", "reason": "White resigned"}
    assert visitor.ask("resign", "error")["text"]


def test_promotion_and_mate(visitor):
    game = visitor.begin(start="7k/4P1pp/8/8/8/8/8/K7 w - - 0 1")
    assert game["position"]["promotions"] == ["e7e8"] and game["position"]["san"]["e7e8q"] == "e8=Q#"
    assert visitor.move("e7e8q", 0)["over"] == {"result": "1-0", "reason": "checkmate"}


def test_a_flag_falls(visitor):
    visitor.begin(clock={"base": 1000, "increment": 0})
    game = visitor.move("e2e4", 0)
    assert game["running"] == 0 and game["clocks"][1] <= 1000
    assert visitor.hear("game")["over"] == {"result": "0-1", "reason": "White ran out of time"}


def test_castling_in_chess960_is_written_both_ways(visitor):
    game = visitor.begin(start=CHESS960_CASTLING, chess960=True)
    assert {"f1", "g1"} <= set(game["position"]["legal"]["e1"])
    assert game["position"]["san"]["e1f1"] == game["position"]["san"]["e1g1"] == "O-O"
    game = visitor.ask("move", "game", uci="e1g1", ply=0)
    assert game["moves"][0]["san"] == "O-O" and board_after(game).king(chess.WHITE) == chess.G1


def test_a_random_chess960_start_is_one(visitor):
    game = visitor.begin(chess960=True)
    assert chess.Board(game["start"], chess960=True).chess960_pos() is not None
    number = visitor.begin(chess960=42)
    assert chess.Board(number["start"], chess960=True).chess960_pos() == 42


def test_a_game_goes_on_after_the_server_was_restarted(visitor):
    visitor.begin(clock={"base": 60_000, "increment": 1000})
    game = visitor.move("e2e4", 0)
    again = visitor.ask("restore", "game", pgn=game["pgn"], level=game["level"], side="white", clock=game["clock"],
                        clocks=[50_000, 40_000], chess960=False, delay=False)
    assert again["fen"] == game["fen"] and again["clock"] == game["clock"]
    assert 49_000 < again["clocks"][0] <= 50_000 and again["clocks"][1] == 40_000
    assert visitor.move("d2d4", 2)["ply"] == 4


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
                                 "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", MATE_IN_ONE])
def test_positions_have_the_moves_that_python_chess_finds(visitor, fen):
    told = visitor.ask("position", "position", start=fen, chess960=False, moves=[])
    board = chess.Board(fen)
    assert told["san"] == {move.uci(): board.san(move) for move in board.legal_moves}
    assert {start + target for start, targets in told["legal"].items() for target in targets} == {
        move.uci()[:4] for move in board.legal_moves}
    assert (told["check"] is not None) == board.is_check()


def test_positions_over_the_board_are_told_with_their_end(visitor):
    told = visitor.ask("position", "position", **{**START, "moves": ["f2f3", "e7e5", "g2g4", "d8h4"]})
    assert told["over"] == {"result": "0-1", "reason": "checkmate"} and told["check"] == "e1"
    assert told["opening"]["code"] == "A00"


def test_answers_carry_the_number_of_the_question(visitor):
    assert visitor.ask("position", "position", **START, ask=7)["ask"] == 7
    assert "ask" not in visitor.ask("position", "position", **START)
    assert visitor.ask("position", "error", start="8/8 w", ask=8)["ask"] == 8


def test_analysis_finds_a_mate_and_says_whose_it_is(visitor):
    visitor.say("analyse", start=MATE_IN_ONE, chess960=False, moves=[], multipv=2, ask=3)
    told = visitor.hear("lines")
    assert told["ask"] == 3 and len(told["lines"]) == 2
    assert told["lines"][0]["score"] == {"mate": 1} and told["lines"][0]["san"] == ["Ra8#"]
    black = chess.Board(MATE_IN_ONE).mirror().fen()
    visitor.say("analyse", start=black, chess960=False, moves=[], multipv=1, ask=4)
    while (told := visitor.hear("lines"))["ask"] != 4:
        pass  # the first analysis may have sent more
    best = told["lines"][0]
    assert best["score"] == {"mate": -1} and best["wdl"] == [0, 0, 1000]


def test_analysis_ends_when_it_is_told_to(visitor):
    visitor.say("analyse", **START, multipv=3)
    assert len(visitor.hear("lines")["lines"]) == 3
    visitor.say("stop", job="analyse")
    visitor.say("position", **START)
    visitor.hear("position")  # nothing comes after that
    visitor.say("hello")
    assert visitor._socket.receive_json()["tell"] == "welcome"


def test_facts_tell_what_book_tables_and_evaluation_know(visitor):
    visitor.say("analyse", **START, multipv=1)
    facts = visitor.hear("facts")
    assert abs(sum(move["share"] for move in facts["book"]) - 1) < 0.01
    assert {"e4", "d4", "Nf3", "c4"} <= {move["san"] for move in facts["book"]}
    assert len(facts["pieces"]) == 30
    assert all(piece["worth"] > 0 for piece in facts["pieces"] if piece["piece"] in "Qq")
    visitor.say("analyse", start="4k3/8/8/8/8/8/8/3QK3 w - - 0 1", chess960=False, moves=[], multipv=1)
    assert visitor.hear("facts")["table"].startswith("white wins")


def test_a_hint_is_the_mate(visitor):
    visitor.begin(start=MATE_IN_ONE)
    told = visitor.ask("hint", "hint")
    assert (told["uci"], told["san"], told["reason"]) == ("a1a8", "Ra8#", "it mates")


def test_openings_of_several_games_are_named(visitor):
    positions = [{**START, "moves": moves} for moves in (["e2e4", "c7c5"], [], ["d2d4", "d7d5", "c2c4"])]
    names = visitor.ask("openings", "openings", positions=positions)["openings"]
    assert [name and name["name"] for name in names] == ["Sicilian Defense", None, "Queen's Gambit"]
    for wrong in (5, [5], [START] * 61, [{**START, "moves": ["e2e5"]}]):
        assert visitor.ask("openings", "error", positions=wrong)["text"]


def test_saved_games_are_not_shown_to_others(visitor):
    assert visitor.ask("hello", "welcome")["saves_games"] is False
    assert "does not show" in visitor.ask("games", "error")["text"]


def test_the_book_and_the_tables_are_looked_up(visitor):
    told = visitor.ask("explore", "explored", **START)
    assert {"e4", "d4"} <= {move["san"] for move in told["book"]} and told["table"] is None
    ending = visitor.ask("explore", "explored", start="4k3/8/8/8/8/8/8/3QK3 w - - 0 1", chess960=False, moves=[])
    assert ending["table"].startswith("White wins") and ending["book"] == []


def test_moves_are_judged_for_practice(visitor):
    told = visitor.ask("judge", "judged", start=MATE_IN_ONE, chess960=False, moves=[], uci="a1a8")
    assert told["good"] and told["san"] == "Ra8#"
    assert visitor.ask("judge", "error", **START, uci="e2e5")["text"]


def test_half_a_character_in_a_game_is_replaced(visitor):
    annotated = visitor.ask("annotate", "annotated", pgn='[White "\ud800"]\n\n1. e4 {\udfff} e5 *', movetime=10)
    assert annotated["games"][0]["headers"]["White"] == "?"
    game = chess.pgn.read_game(io.StringIO(annotated["pgn"]))
    assert game is not None and "?" in game.variations[0].comment


def test_annotation_finds_the_mistake(visitor):
    visitor.say("annotate", pgn="1. f3 e5 2. g4 Qh4# 0-1", movetime=50)
    progress = visitor.hear("progress")
    assert progress["total"] == 5
    told = visitor.hear("annotated")
    moves = told["games"][0]["moves"]
    assert [move["san"] for move in moves] == ["f3", "e5", "g4", "Qh4#"]
    assert moves[2]["mark"] == "??" and "mate" in moves[2]["reason"] and moves[2]["better"].startswith("2. ")
    assert moves[2]["mate"] == -1 and chess.pgn.read_game(io.StringIO(told["pgn"])) is not None


def test_search_modes_run_side_by_side(visitor):
    modes = ["alphabeta", "mcts", "uct", "minimax", "expectimax"]
    visitor.say("watch", start=MATE_IN_ONE, chess960=False, moves=[], modes=modes, movetime=400)
    last = {}
    while len(last) < len(modes):
        told = visitor.hear("watched")
        if told["done"]:
            last[told["mode"]] = told
    assert all(last[mode]["line"][0] == "Ra8#" for mode in ("alphabeta", "mcts", "minimax"))
    for mode in ("mcts", "uct"):
        assert 0.5 < sum(move["share"] for move in last[mode]["visits"]) <= 1.001


def test_the_tree_has_minimax_value_and_true_cuts(visitor):
    told = visitor.ask("tree", "tree", **START, depth=2)
    nodes = {node["id"]: node for node in told["nodes"]}
    children = {number: [node for node in nodes.values() if node["parent"] == number] for number in nodes}
    assert nodes[0]["parent"] is None and any(node["cut"] for node in nodes.values())
    for number, node in nodes.items():
        values = [child["value"] for child in children[number] if not child["skipped"]]
        if not values:
            continue
        is_white = node["parent"] is None
        assert node["value"] == (max(values) if is_white else min(values))
        assert node["cut"] == any(child["skipped"] for child in children[number])
        if node["cut"]:
            assert node["value"] <= node["alpha"]  # black has refuted the move


def test_the_tree_to_one_ply_is_what_the_textbook_says(visitor):
    told = visitor.ask("tree", "tree", start=MATE_IN_ONE, chess960=False, moves=[], depth=1)
    assert minimax(Chess(MATE_IN_ONE), MATE_IN_ONE, 1, lambda _: 0.0) == 1
    best = max((node for node in told["nodes"] if node["parent"] == 0), key=lambda node: node["value"])
    assert best["san"] == "Ra8#" and told["nodes"][0]["value"] == best["value"] == 10_000


@pytest.mark.parametrize("topic", ["alphabeta", "uct", "expectimax"])
def test_questions_are_asked_and_checked(visitor, topic):
    for seed in range(4):
        asked = visitor.ask("question", "question", topic=topic, seed=seed)
        assert asked["text"] and "right" not in asked
        wrong = visitor.ask("question", "question", topic=topic, seed=seed, answer="none of these")
        assert wrong["right"] is None
        right = visitor.ask("question", "question", topic=topic, seed=seed, answer=wrong["shown"])
        assert right["right"] is True and right["text"] == asked["text"] and right["reason"]
        for choice in asked["choices"]:
            told = visitor.ask("question", "question", topic=topic, seed=seed, answer=choice)
            assert told["right"] == (choice == right["shown"])


BAD = [
    {"do": "question"}, {"do": "question", "topic": "chess", "seed": 1}, {"do": "question", "topic": "uct", "seed": -1},
    {"do": "question", "topic": "uct", "seed": 1, "answer": 5},
    {"do": "question", "topic": "uct", "seed": 1, "answer": "x" * 500},
    {}, {"do": 1}, {"do": "x" * 50}, {"do": "move"}, {"do": "takeback"}, {"do": "hint"}, {"do": "draw"},
    {"do": "new"}, {"do": "new", "level": 3, "side": "white"}, {"do": "new", "level": True, "side": "white"},
    {"do": "new", "level": [], "side": "white"}, {"do": "new", "level": "max", "side": "green"},
    {"do": "new", "level": "max", "side": "white", "start": "rubbish"},
    {"do": "new", "level": "max", "side": "white", "start": "x" * 5000},
    {"do": "new", "level": "max", "side": "white", "chess960": 960},
    {"do": "new", "level": "max", "side": "white", "clock": {"base": -1}},
    {"do": "new", "level": "max", "side": "white", "clock": 3},
    {"do": "position", "moves": "e2e4"}, {"do": "position", "moves": [1]}, {"do": "position", "moves": ["e2e4"] * 3},
    {"do": "position", "moves": [], "chess960": "yes"}, {"do": "analyse", "moves": [], "multipv": 99},
    {"do": "annotate", "pgn": ""}, {"do": "annotate", "pgn": "e4", "movetime": 10**9}, {"do": "tree", "depth": 9},
    {"do": "watch", "modes": ["alphabeta", "alphabeta"]}, {"do": "watch", "modes": ["random"]},
    {"do": "stop", "job": 1}, {"do": "stop", "job": "move"}, {"do": "openings", "positions": 5},
    {"do": "restore", "pgn": "x", "level": "max", "side": "white"}, {"do": "hello", "ask": "x"},
]


@pytest.mark.parametrize("message", BAD, ids=lambda message: str(message)[:60])
def test_what_cannot_be_done_gets_one_line(visitor, message):
    visitor._socket.send_json(message)
    text = visitor.hear("error")["text"]
    assert text and "\n" not in text and "internal" not in text
    assert visitor.ask("hello", "welcome")


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "[" * 5000, '{"do": NaN}', '{"do": "hello", "do": 3}'])
def test_what_is_no_message_gets_one_line(visitor, text):
    visitor._socket.send_text(text)
    assert "\n" not in visitor.hear("error")["text"]
    visitor._socket.send_bytes(b"\x00\xff")
    assert visitor.hear("error")["text"]
