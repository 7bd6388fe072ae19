"""The requests of the page and their responses: games, positions, analysis, annotation, watching."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator

import chess
import chess.pgn
import pytest

from engine.course.reference.games.chess import Chess
from engine.course.reference.minimax import minimax
from engine.ui.web.engine_pool import ResourceLimits
from tests.timing import shortest
from tests.ui.visitor import FASTEST, ORIGIN, SOCKET, START, TestClient, Visitor, board_after, client

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
    with browser.websocket_connect(SOCKET, headers=ORIGIN) as socket:
        yield Visitor(socket)


def test_the_server_introduces_itself(visitor):
    welcome = visitor.request("hello", "welcome")
    assert welcome["levels"][-1] == "max" and FASTEST in welcome["levels"]
    assert {"alphabeta", "mcts", "uct", "minimax", "expectimax"} <= {mode["name"] for mode in welcome["modes"]}


def test_a_whole_game_follows_the_rules(visitor):
    game = visitor.begin()
    while game["over"] is None and game["ply"] < 60:
        board = board_after(game)
        assert game["fen"] == board.fen() and game["position"]["turn"] == "white"
        game = visitor.move(min(board.legal_moves, key=lambda move: move.uci()).uci(), game["ply"])
    board = board_after(game)
    assert game["tags"]["Result"] == (game["over"] or {"result": "*"})["result"]
    if game["over"] is not None:
        assert game["over"]["result"] == board.result(claim_draw=True) and not game["position"]["legal"]


def test_later_messages_have_only_what_has_changed(visitor):
    started = visitor.begin(clock={"base": 60_000, "increment": 0})
    assert "kept" not in started
    game = visitor.move("e2e4", 0)
    assert game["kept"] == 1 and len(game["moves"]) == 2 and game["moves"][0]["clock"] <= 60_000
    sizes = []
    for _ in range(10):
        board = board_after(game)
        visitor.send("move", uci=next(iter(board.legal_moves)).uci(), ply=game["ply"])
        message = visitor.receive_change()
        sizes.append(len(message["moves"]))
        assert not {"level", "side", "start", "pgn"} & set(message)
        game = visitor.settled(visitor.game)
        if game["over"]:
            break
    assert set(sizes) == {1}
    shown = visitor.request("takeback", "game")
    assert shown["kept"] == shown["ply"]
    whole = visitor.request("game", "game")
    assert "kept" not in whole
    assert {**shown, "clocks": 0} == {**whole, "clocks": 0, "kept": shown["kept"]}


def test_the_engine_begins_when_the_visitor_has_black(visitor):
    game = visitor.settled(visitor.begin(side="black"))
    assert game["ply"] == 1 and game["side"] == "black"


def test_a_move_that_is_illegal_or_late_is_refused_and_the_game_told(visitor):
    visitor.begin()
    for uci, ply in (("e2e5", 0), ("e2e4", 7), ("nonsense", 0), ("e7e5", 0)):
        assert visitor.request("move", "error", uci=uci, ply=ply)["text"]
        game = visitor.receive("game")
        assert game["ply"] == 0 and "kept" not in game, "the whole game"


def test_taking_back_returns_to_the_visitors_move(visitor):
    visitor.begin()
    game = visitor.move("e2e4", 0)
    assert game["ply"] == 2
    game = visitor.request("takeback", "game")
    assert game["ply"] == 0 and game["fen"] == chess.STARTING_FEN
    assert visitor.request("takeback", "error")["text"]


def test_taking_back_while_the_engine_thinks(visitor):
    visitor.begin(level="max", start=KIWIPETE)
    game = visitor.request("move", "game", uci="e2a6", ply=0)
    assert game["thinking"]
    game = visitor.request("takeback", "game")
    assert game["ply"] == 0 and not game["thinking"]
    assert visitor.move("e1g1", 0)["ply"] == 2


def test_a_game_of_another_level_can_begin_while_an_engine_is_created(visitor):
    visitor.move("e2e4", visitor.begin()["ply"])
    for level in (800, 1200, FASTEST, 600):
        game = visitor.begin(level=level)
    assert visitor.move("e2e4", game["ply"])["ply"] == 2


def test_a_search_for_a_move_is_stopped_for_others_after_half_a_second():
    with (client(ResourceLimits(sessions=3, hash=24, threads=1)) as made,
          made.websocket_connect(SOCKET, headers=ORIGIN) as one,
          made.websocket_connect(SOCKET, headers=ORIGIN) as other):
        visitors = Visitor(one), Visitor(other)
        for visitor in visitors:
            visitor.begin(level="max", start=KIWIPETE)
            visitor.move("e1g1", 0)  # the engine exists now
            visitor.request("takeback", "game")

        def seconds_of_the_first() -> float:
            began = time.monotonic()
            thinking = [visitor.request("move", "game", uci="e2a6", ply=0) for visitor in visitors]
            assert visitors[0].settled(thinking[0])["ply"] == 2
            seconds = time.monotonic() - began
            assert visitors[1].settled(thinking[1])["ply"] == 2
            for visitor in visitors:
                visitor.request("takeback", "game")
            return seconds

        assert 0.4 < shortest(seconds_of_the_first, 1.9) < 1.9  # of two seconds


def test_resigning_and_offering_a_draw(visitor):
    visitor.begin()
    assert "declines the draw" in visitor.request("draw", "info")["text"]
    over = visitor.request("resign", "game")["over"]
    assert over == {"result": "0-1", "reason": "White resigned"}
    assert visitor.request("resign", "error")["text"]


def test_promotion_and_mate(visitor):
    game = visitor.begin(start="7k/4P1pp/8/8/8/8/8/K7 w - - 0 1")
    assert game["position"]["promotions"] == ["e7e8"] and game["position"]["san"]["e7e8q"] == "e8=Q#"
    assert visitor.move("e7e8q", 0)["over"] == {"result": "1-0", "reason": "checkmate"}


def test_a_flag_falls(visitor):
    visitor.begin(clock={"base": 1000, "increment": 0})
    game = visitor.move("e2e4", 0)
    assert game["running"] == 0 and game["clocks"][1] <= 1000
    assert visitor.receive("game")["over"] == {"result": "0-1", "reason": "White ran out of time"}


def test_castling_in_chess960_is_written_both_ways(visitor):
    game = visitor.begin(start=CHESS960_CASTLING, chess960=True)
    assert {"f1", "g1"} <= set(game["position"]["legal"]["e1"])
    assert game["position"]["san"]["e1f1"] == game["position"]["san"]["e1g1"] == "O-O"
    game = visitor.request("move", "game", uci="e1g1", ply=0)
    assert game["moves"][0]["san"] == "O-O" and board_after(game).king(chess.WHITE) == chess.G1


def test_a_random_chess960_start_is_one(visitor):
    game = visitor.begin(chess960=True)
    assert chess.Board(game["start"], chess960=True).chess960_pos() is not None
    number = visitor.begin(chess960=42)
    assert chess.Board(number["start"], chess960=True).chess960_pos() == 42


def test_a_game_goes_on_after_the_server_was_restarted(visitor):
    visitor.begin(clock={"base": 60_000, "increment": 1000})
    game = visitor.move("e2e4", 0)
    record = chess.pgn.Game.from_board(board_after(game))
    record.headers.update(game["tags"])
    again = visitor.request("restore", "game", pgn=str(record), level=game["level"], side="white", clock=game["clock"],
                            clocks=[50_000, 40_000], chess960=False, delay=False)
    assert again["fen"] == game["fen"] and again["clock"] == game["clock"]
    assert 49_000 < again["clocks"][0] <= 50_000 and again["clocks"][1] == 40_000
    assert visitor.move("d2d4", 2)["ply"] == 4


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
                                 "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", MATE_IN_ONE])
def test_positions_have_the_moves_that_python_chess_finds(visitor, fen):
    response = visitor.request("position", "position", start=fen, chess960=False, moves=[])
    board = chess.Board(fen)
    assert response["san"] == {move.uci(): board.san(move) for move in board.legal_moves}
    assert {start + target for start, targets in response["legal"].items() for target in targets} == {
        move.uci()[:4] for move in board.legal_moves}
    assert (response["check"] is not None) == board.is_check()


def test_positions_over_the_board_are_told_with_their_end(visitor):
    response = visitor.request("position", "position", **{**START, "moves": ["f2f3", "e7e5", "g2g4", "d8h4"]})
    assert response["over"] == {"result": "0-1", "reason": "checkmate"} and response["check"] == "e1"
    assert response["opening"]["code"] == "A00"


def test_answers_carry_the_number_of_the_question(visitor):
    assert visitor.request("position", "position", **START, request=7)["request"] == 7
    assert "request" not in visitor.request("position", "position", **START)
    assert visitor.request("position", "error", start="8/8 w", request=8)["request"] == 8


def test_analysis_finds_a_mate_and_says_whose_it_is(visitor):
    visitor.send("analyse", start=MATE_IN_ONE, chess960=False, moves=[], multipv=2, request=3)
    response = visitor.receive("lines")
    assert response["request"] == 3 and len(response["lines"]) == 2
    assert response["lines"][0]["score"] == {"mate": 1} and response["lines"][0]["san"] == ["Ra8#"]
    black = chess.Board(MATE_IN_ONE).mirror().fen()
    visitor.send("analyse", start=black, chess960=False, moves=[], multipv=1, request=4)
    while (response := visitor.receive("lines"))["request"] != 4:
        pass  # the first analysis may have sent more
    best = response["lines"][0]
    assert best["score"] == {"mate": -1} and best["wdl"] == [0, 0, 1000]


def test_analysis_ends_when_it_is_told_to(visitor):
    visitor.send("analyse", **START, multipv=3)
    assert len(visitor.receive("lines")["lines"]) == 3
    visitor.send("stop", job="analyse")
    visitor.send("position", **START)
    visitor.receive("position")  # nothing comes after that
    visitor.send("hello")
    assert visitor._socket.receive_json()["type"] == "welcome"


def test_facts_tell_what_book_tables_and_evaluation_know(visitor):
    visitor.send("analyse", **START, multipv=1)
    facts = visitor.receive("facts")
    assert abs(sum(move["share"] for move in facts["book"]) - 1) < 0.01
    assert {"e4", "d4", "Nf3", "c4"} <= {move["san"] for move in facts["book"]}
    assert len(facts["pieces"]) == 30
    assert all(piece["worth"] > 0 for piece in facts["pieces"] if piece["piece"] in "Qq")
    visitor.send("analyse", start="4k3/8/8/8/8/8/8/3QK3 w - - 0 1", chess960=False, moves=[], multipv=1)
    assert visitor.receive("facts")["table"].startswith("White wins")


def test_a_hint_is_the_mate(visitor):
    visitor.begin(start=MATE_IN_ONE)
    response = visitor.request("hint", "hint")
    assert (response["uci"], response["san"], response["reason"]) == ("a1a8", "Ra8#", "it mates")


def test_openings_of_several_games_are_named(visitor):
    positions = [{**START, "moves": moves} for moves in (["e2e4", "c7c5"], [], ["d2d4", "d7d5", "c2c4"])]
    names = visitor.request("openings", "openings", positions=positions)["openings"]
    assert [name and name["name"] for name in names] == ["Sicilian Defense", None, "Queen's Gambit"]
    for wrong in (5, [5], [START] * 61, [{**START, "moves": ["e2e5"]}]):
        assert visitor.request("openings", "error", positions=wrong)["text"]


def test_saved_games_are_not_shown_to_others(visitor):
    assert visitor.request("hello", "welcome")["saves_games"] is False
    assert "does not show" in visitor.request("games", "error")["text"]


def test_the_book_and_the_tables_are_looked_up(visitor):
    response = visitor.request("explore", "explored", **START)
    assert {"e4", "d4"} <= {move["san"] for move in response["book"]} and response["table"] is None
    ending = visitor.request("explore", "explored", start="4k3/8/8/8/8/8/8/3QK3 w - - 0 1", chess960=False, moves=[])
    assert ending["table"].startswith("White wins") and ending["book"] == []


def test_moves_are_judged_for_practice(visitor):
    response = visitor.request("judge", "judged", start=MATE_IN_ONE, chess960=False, moves=[], uci="a1a8")
    assert response["good"] and response["san"] == "Ra8#"
    assert visitor.request("judge", "error", **START, uci="e2e5")["text"]


def test_half_a_character_in_a_game_is_replaced(visitor):
    annotated = visitor.request("annotate", "annotated", pgn='[White "\ud800"]\n\n1. e4 {\udfff} e5 *', movetime=10)
    assert annotated["games"][0]["headers"]["White"] == "?"
    game = chess.pgn.read_game(io.StringIO(annotated["pgn"]))
    assert game is not None and "?" in game.variations[0].comment


def test_annotation_finds_the_mistake(visitor):
    visitor.send("annotate", pgn="1. f3 e5 2. g4 Qh4# 0-1", movetime=50)
    progress = visitor.receive("progress")
    assert progress["total"] == 5
    response = visitor.receive("annotated")
    moves = response["games"][0]["moves"]
    assert [move["san"] for move in moves] == ["f3", "e5", "g4", "Qh4#"]
    assert moves[2]["mark"] == "??" and "mate" in moves[2]["reason"] and moves[2]["better"].startswith("2. ")
    assert moves[2]["mate"] == -1 and chess.pgn.read_game(io.StringIO(response["pgn"])) is not None


def test_search_modes_run_side_by_side(visitor):
    modes = ["alphabeta", "mcts", "uct", "minimax", "expectimax"]
    visitor.send("watch", start=MATE_IN_ONE, chess960=False, moves=[], modes=modes, movetime=400)
    last = {}
    while len(last) < len(modes):
        response = visitor.receive("watched")
        if response["done"]:
            last[response["mode"]] = response
    assert all(last[mode]["line"][0] == "Ra8#" for mode in ("alphabeta", "mcts", "minimax"))
    for mode in ("mcts", "uct"):
        assert 0.5 < sum(move["share"] for move in last[mode]["visits"]) <= 1.001


def test_the_tree_has_minimax_value_and_true_cuts(visitor):
    response = visitor.request("tree", "tree", **START, depth=2)
    nodes = {node["id"]: node for node in response["nodes"]}
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
    response = visitor.request("tree", "tree", start=MATE_IN_ONE, chess960=False, moves=[], depth=1)
    assert minimax(Chess(MATE_IN_ONE), MATE_IN_ONE, 1, lambda _: 0.0) == 1
    best = max((node for node in response["nodes"] if node["parent"] == 0), key=lambda node: node["value"])
    assert best["san"] == "Ra8#" and response["nodes"][0]["value"] == best["value"] == 10_000


@pytest.mark.parametrize("topic", ["alphabeta", "uct", "expectimax"])
def test_questions_are_asked_and_checked(visitor, topic):
    for seed in range(4):
        asked = visitor.request("question", "question", topic=topic, seed=seed)
        assert asked["text"] and "right" not in asked
        wrong = visitor.request("question", "question", topic=topic, seed=seed, answer="none of these")
        assert wrong["right"] is None
        right = visitor.request("question", "question", topic=topic, seed=seed, answer=wrong["shown"])
        assert right["right"] is True and right["text"] == asked["text"] and right["reason"]
        for choice in asked["choices"]:
            response = visitor.request("question", "question", topic=topic, seed=seed, answer=choice)
            assert response["right"] == (choice == right["shown"])


BAD = [
    {"type": "question"}, {"type": "question", "topic": "chess", "seed": 1},
    {"type": "question", "topic": "uct", "seed": -1},
    {"type": "question", "topic": "uct", "seed": 1, "answer": 5},
    {"type": "question", "topic": "uct", "seed": 1, "answer": "x" * 500},
    {}, {"type": 1}, {"type": "x" * 50}, {"type": "move"}, {"type": "takeback"}, {"type": "hint"}, {"type": "draw"},
    {"type": "new"}, {"type": "new", "level": 3, "side": "white"}, {"type": "new", "level": True, "side": "white"},
    {"type": "new", "level": [], "side": "white"}, {"type": "new", "level": "max", "side": "green"},
    {"type": "new", "level": "max", "side": "white", "start": "rubbish"},
    {"type": "new", "level": "max", "side": "white", "start": "x" * 5000},
    {"type": "new", "level": "max", "side": "white", "chess960": 960},
    {"type": "new", "level": "max", "side": "white", "clock": {"base": -1}},
    {"type": "new", "level": "max", "side": "white", "clock": 3},
    {"type": "position", "moves": "e2e4"}, {"type": "position", "moves": [1]},
    {"type": "position", "moves": ["e2e4"] * 3},
    {"type": "position", "moves": [], "chess960": "yes"}, {"type": "analyse", "moves": [], "multipv": 99},
    {"type": "annotate", "pgn": ""}, {"type": "annotate", "pgn": "e4", "movetime": 10**9}, {"type": "tree", "depth": 9},
    {"type": "watch", "modes": ["alphabeta", "alphabeta"]}, {"type": "watch", "modes": ["random"]},
    {"type": "stop", "job": 1}, {"type": "stop", "job": "move"}, {"type": "openings", "positions": 5},
    {"type": "restore", "pgn": "x", "level": "max", "side": "white"}, {"type": "hello", "request": "x"},
]


@pytest.mark.parametrize("message", BAD, ids=lambda message: str(message)[:60])
def test_what_cannot_be_done_gets_one_line(visitor, message):
    visitor._socket.send_json(message)
    text = visitor.receive("error")["text"]
    assert text and "\n" not in text and "internal" not in text
    assert visitor.request("hello", "welcome")


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "[" * 5000, '{"type": NaN}', '{"type": "hello", "type": 3}'])
def test_what_is_no_message_gets_one_line(visitor, text):
    visitor._socket.send_text(text)
    assert "\n" not in visitor.receive("error")["text"]
    visitor._socket.send_bytes(b"\x00\xff")
    assert visitor.receive("error")["text"]
