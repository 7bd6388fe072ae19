"""The engine as a GUI meets it: a process, text in, text out. python-chess is the client, and the judge of moves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import chess
import chess.engine
import pytest

from engine.core.perft import PERFT_POSITIONS
from engine.kernel import SOURCE_ROOT
from engine.player.options import OPTIONS, OptionType
from eval.blank import material_only_network
from eval.network.file import write_network
from tests.client import COMMAND, Client
from tests.processes import PATIENCE
from tests.timing import assert_spent, assert_within, clocked, shortest, wait_until

KIWIPETE = PERFT_POSITIONS[1].fen


@pytest.fixture(scope="module")
def shared() -> Iterator[Client]:
    client = Client()
    client.ask("uci")
    client.load()
    yield client
    assert client.quit() == 0


@pytest.fixture
def client(shared) -> Client:
    shared.ask("stop", *(f"setoption name {name} value 1" for name in ("MultiPV", "Threads")),
               "setoption name Hash value 16",
               "setoption name UCI_Chess960 value false", "ucinewgame", "position startpos")
    return shared


def legal(fen: str, text: str, chess960: bool = False) -> bool:
    board = chess.Board(fen, chess960=chess960)
    return board.parse_uci(text) in board.legal_moves


def test_python_chess_plays_with_it(shared):
    """In another process than the shared one, which has compiled the kernels."""
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=PATIENCE) as engine:
        assert engine.id["name"].startswith("Adversary")
        declared = dict(engine.options)
        for option in OPTIONS:
            assert declared[option.name].type == option.type.value
            if option.type is OptionType.SPIN:
                seen = declared[option.name]
                assert (seen.min, seen.max, seen.default) == (option.low, option.high, option.default)
        engine.configure({"Hash": 8, "Threads": 2})
        board = chess.Board()
        for _ in range(6):
            limit = chess.engine.Limit(white_clock=1, black_clock=1, white_inc=0.01, black_inc=0.01)
            played = engine.play(board, limit)
            board.push(played.move)
        infos = engine.analyse(board, chess.engine.Limit(depth=8), multipv=3)
        assert len({info["pv"][0] for info in infos}) == 3
        assert all(info["depth"] == 8 and info["nodes"] > 0 for info in infos)


def test_the_best_move_begins_the_last_line(client):
    for fen in (chess.STARTING_FEN, KIWIPETE, PERFT_POSITIONS[2].fen):
        for limit in ("depth 9", "nodes 20000", "movetime 60"):
            client.say(f"position fen {fen}", f"go {limit}")
            said = client.until("bestmove")
            lines = [line.split(" pv ")[1].split() for line in said if " pv " in line]
            assert said[-1].split()[1] == lines[-1][0]
            for line in lines:
                board = chess.Board(fen)
                for text in line:
                    board.push(board.parse_uci(text))


def test_info_has_everything_guis_show(client):
    client.say("go depth 8")
    info = [line for line in client.until("bestmove") if line.startswith("info depth 8 ")][-1].split()
    for word in ("depth", "seldepth", "multipv", "score", "nodes", "nps", "hashfull", "tbhits", "time", "pv"):
        assert word in info


def test_chances_are_shown_when_asked_for(client):
    client.ask("setoption name UCI_ShowWDL value true")
    client.say("position fen 4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", "go depth 5")
    last = [line.split() for line in client.until("bestmove") if " pv " in line][-1]
    win, draw, loss = map(int, last[last.index("wdl") + 1 : last.index("wdl") + 4])
    assert (win + draw + loss, win > 900) == (1000, True)
    client.ask("setoption name UCI_ShowWDL value false")
    client.say("go depth 2")
    assert not any("wdl" in line for line in client.until("bestmove"))


def test_mates_are_announced_and_end_in_mate(client):
    client.say("position fen 7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", "go depth 8")
    last = [line for line in client.until("bestmove") if " pv " in line][-1]
    assert "score mate 2" in last
    board = chess.Board("7k/8/8/8/8/8/R7/1R2K3 w - - 0 1")
    for text in last.split(" pv ")[1].split():
        board.push_uci(text)
    assert board.is_checkmate()


def test_no_legal_move_is_answered_with_none(client):
    assert client.best("position fen 8/8/8/8/8/k7/p7/K7 w - - 0 1", "go depth 3") == "(none)"
    assert client.best("position fen 6rk/8/8/8/8/8/6q1/7K w - - 0 1", "go movetime 10") == "(none)"


@pytest.mark.parametrize("bad", [
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1", "position fen nonsense", "position startpos moves e2e5",
    "position startpos moves e2e4 e7e5 x", "position", "position moves e2e4", "position fen", "position elsewhere",
    "setoption name Hash value 0", "setoption name Hash value", "setoption name Hash", "setoption value 3", "setoption",
    "setoption name",
    "setoption name Hash value 1000000", "setoption name No Such Thing value 3", "setoption name Ponder value maybe",
    "setoption name Debug Log File value /no/such/folder/log", "setoption name Threads value 99999999999999999999999",
    "setoption name Hash value -+5",
])
def test_bad_input_gets_one_line_and_changes_nothing(client, bad):
    before = client.ask(f"position fen {KIWIPETE}", "d")
    said = client.ask(bad)
    assert len(said) == 1
    assert said[0].startswith("info string ")
    assert client.ask("d") == before
    assert legal(KIWIPETE, client.best("go depth 3"))


@pytest.mark.parametrize("go", [
    "go wtime 0 btime 0", "go wtime -500 btime -500", "go movetime 0", "go movetime -7",
    "go nodes 0", "go depth 0", "go btime 300 winc 5", "go wtime 100", "go binc 10 wtime 200 movestogo 1 btime 100",
    "go movestogo 0 wtime 300 btime 300", "go depth 3 searchmoves a2a3 g2g3", "go searchmoves a2a3 depth 3",
    "go nodes 5000 movetime 5000 depth 90", "go depth 2 whatever 7", "go mate 1 movetime 30",
    "go searchmoves e2e5 depth 2",
])
def test_every_go_is_answered_with_a_legal_move(client, go):
    client.say(f"position fen {KIWIPETE}", go)
    assert legal(KIWIPETE, client.until("bestmove")[-1].split()[1])


@pytest.mark.parametrize("go", ["go", "go depth x", "go wtime", "go searchmoves a2a3", "go nodes 18446744073709551615",
                                "go wtime 99999999999999999999", "go movetime 99999999999999999999",
                                "go depth 99999999999999999999"])
def test_without_a_limit_that_can_be_met_it_searches_until_stopped(client, go):
    client.say(f"position fen {KIWIPETE}", go)
    assert client.silence(0.5)
    client.say("stop")
    assert legal(KIWIPETE, client.until("bestmove")[-1].split()[1])


def test_a_movetime_is_used_up(client):
    for seconds in (0.1, 0.4):
        lines = (f"position fen {KIWIPETE}", f"go movetime {1000 * seconds:.0f}")
        assert_spent(0.85 * seconds, seconds + 0.1, lambda lines=lines: client.best(*lines))


def test_no_time_at_all_is_enough_for_a_queen(client):
    for go in ("go wtime 1 btime 1", "go movetime 0", "go movetime 1"):
        assert client.best("position fen 7k/8/8/3q4/4P3/8/8/4K3 w - - 0 1", go) == "e4d5"


def test_a_ponderhit_at_once_is_heard(client):
    for _ in range(20):
        client.say("position startpos moves e2e4", "go ponder wtime 300 btime 300", "ponderhit")
        client.until("bestmove")


def test_bench_with_bad_arguments_ends_nothing(client):
    for words in ("--foo", "speed --against /bin/true", "3 4", "startup"):
        assert client.ask(f"bench {words}") == [
            "info string bench takes a depth here; `adversary bench` in a terminal can do more"]


def test_bench_runs_this_engine_whatever_lies_in_the_working_folder(tmp_path):
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "__main__.py").write_text("print('planted')")
    (tmp_path / "engine" / "__init__.py").write_text("")
    environment = {**os.environ, "PYTHONPATH": str(SOURCE_ROOT)}
    done = subprocess.run([sys.executable, "-P", "-m", "engine"], input="bench 1\n", cwd=tmp_path, env=environment,
                          capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert " nodes " in done.stdout and "planted" not in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_reader_that_goes_away_ends_the_engine_quietly(tmp_path):
    ended = tmp_path / "ended"
    command = ("(echo isready; echo 'go infinite'; sleep 1000) | "
               f"{{ {sys.executable} -m engine; touch {ended}; }} | head -1")
    with subprocess.Popen(["bash", "-c", command], cwd=SOURCE_ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, start_new_session=True) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline()
        wait_until(ended.exists)
        os.killpg(process.pid, signal.SIGKILL)
        assert process.stderr.read() == ""


def test_numbers_are_read_as_people_mean_them(client):
    def answers() -> None:
        assert client.best("position startpos", "go movetime 100.0")
        assert client.best("go wtime 500.0 btime 5e2")

    assert_within(5, answers)


def test_log_files_that_are_none_are_refused_and_the_old_one_goes_on(client, tmp_path):
    log = tmp_path / "log"
    assert client.ask(f"setoption name Debug Log File value {log}") == []
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/stdin", tmp_path, f"{tmp_path}/none/log", "a\0b"):
        lines = client.ask(f"setoption name Debug Log File value {path}")
        assert len(lines) == 1 and lines[0].startswith("info string option Debug Log File: ")
    client.ask("setoption name Debug Log File value <empty>")
    assert log.read_text().count("isready") == 6


def test_lines_of_multipv_are_equally_deep_and_in_order(client):
    client.say("setoption name MultiPV value 4", f"position fen {KIWIPETE}", "go depth 8")
    lines = [line.split() for line in client.until("bestmove") if line.startswith("info depth 8 ")]
    assert [line[line.index("multipv") + 1] for line in lines] == ["1", "2", "3", "4"]
    scores = [int(line[line.index("cp") + 1]) for line in lines]
    assert scores == sorted(scores, reverse=True)
    assert len({line[line.index("pv") + 1] for line in lines}) == 4


def test_search_moves_are_kept_to(client):
    assert client.best(f"position fen {KIWIPETE}", "go searchmoves a2a3 g2g3 depth 5") in ("a2a3", "g2g3")
    client.say("go searchmoves a2a3 e2e5 depth 5")
    said = client.until("bestmove")
    assert "info string searchmoves: 'e2e5' is not a legal move here" in said
    assert any(" depth 5 " in line for line in said) and said[-1].startswith("bestmove a2a3")


def test_unknown_words_are_skipped(client):
    assert client.ask("xboard", "", "   ", "joho", "register later", "debug on") == [
        "Unknown command: 'xboard'. Type help.", "Unknown command: 'joho'. Type help."]
    assert client.best("hello go depth 1") == client.best("go depth 1")


@pytest.mark.parametrize("go", ["go infinite", "go ponder wtime 100 btime 100", "go infinite depth 1"])
@pytest.mark.parametrize("fen", [chess.STARTING_FEN, "7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", "8/8/8/8/8/k7/8/K6r w - - 0 1"])
def test_analysis_and_pondering_wait_for_stop(client, go, fen):
    client.say(f"position fen {fen}", go)
    assert client.silence(0.4)
    client.say("stop")
    client.until("bestmove")


def test_ponderhit_starts_the_clock(client):
    def answer_to_ponderhit() -> float:
        client.say("position startpos moves e2e4", "go ponder wtime 2000 btime 2000")
        assert client.silence(0.3)
        return clocked(lambda: client.best("ponderhit"))

    assert shortest(answer_to_ponderhit, 1.5) < 1.5


def test_isready_is_answered_during_a_search(client):
    client.say("go infinite")
    assert_within(0.05, client.ask)
    client.say("stop")
    client.until("bestmove")


def test_the_clock_is_kept(client):
    for left, limit in ((100, 0.1), (1000, 0.8), (20, 0.05)):
        lines = (f"position fen {KIWIPETE}", f"go wtime {left} btime {left}")
        assert_within(limit, lambda lines=lines: client.best(*lines))


def test_a_single_legal_move_needs_no_thought(client):
    def only_move() -> None:
        assert client.best("position fen 7k/8/8/8/8/8/1q6/K7 w - - 0 1", "go wtime 60000 btime 60000") == "a1b2"

    assert_within(0.5, only_move)


def test_chess960_castling_is_written_as_king_takes_rook(client):
    fen = "1k6/8/8/8/8/8/8/RK5R w HA - 0 1"
    client.ask("setoption name UCI_Chess960 value true", f"position fen {fen} moves b1h1")
    assert any("Fen: 1k6/8/8/8/8/8/8/R4RK1 b" in line for line in client.ask("d"))
    for number in (0, 518, 900):
        board = chess.Board.from_chess960_pos(number)
        assert legal(board.fen(), client.best(f"position fen {board.fen()}", "go depth 5"), chess960=True)


def test_extras(client):
    assert client.ask("go perft 3")[-1] == "Nodes searched: 8902"
    assert len([line for line in client.ask("go perft 3") if line.count(": ") == 1]) == 21
    assert "Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1" in client.ask("flip", "d")
    lines = client.ask("position startpos", "eval")
    assert lines[0].split() == ["term", "white", "mg", "eg", "black", "mg", "eg", "white", "-", "black"]
    total, tempo = (next(line for line in lines if line.startswith(name)).split()[-1] for name in ("sum", "tempo"))
    assert total == tempo  # nothing else tells the sides apart
    assert any(line.startswith(f"score: {int(float(total)):+} centipawns from White's point of view") for line in lines)
    assert client.ask("help")


def test_eval_asks_the_network_too(client):
    lines = client.ask("position startpos", "eval")
    of_network = lines[lines.index("by the network:"):]
    assert of_network[1].startswith("score: ") and of_network[2].startswith("chances: ")
    picture = [line.split() for line in of_network if line.startswith(tuple("12345678"))]
    assert [row[0] for row in picture] == list("87654321")
    assert picture[-1][1::2][:4] == ["R", "N", "B", "Q"] and picture[2] == ["6", *"........"]
    assert sum(line.startswith(("white pawn", "black pawn")) for line in of_network) == 16
    assert client.ask("setoption name Evaluation value features") == []
    assert "by the network:" not in client.ask("eval")


def test_settings_change_during_a_search(client):
    client.say(f"position fen {KIWIPETE}", "go infinite")
    client.say("setoption name Threads value 2", "setoption name Hash value 1", "ucinewgame")
    client.until("bestmove")
    assert legal(KIWIPETE, client.best("go nodes 10000"))
    client.say("go infinite", f"position fen {KIWIPETE} moves a2a3", "go depth 2")
    assert legal(KIWIPETE, client.until("bestmove")[-1].split()[1])
    client.until("bestmove")


def test_a_table_that_is_too_large_is_refused_however_early_it_is_wished_for():
    client = Client()
    try:
        client.say("setoption name Hash value 1048576")
        client.load()
        infos = client.ask("setoption name Hash value 1048576")
        assert any("more than half of this machine's memory" in line for line in infos)
        client.say("go depth 6")
        assert any(" depth 6 " in line for line in client.until("bestmove"))
    finally:
        assert client.quit() == 0


@pytest.mark.parametrize("ending", ["quit", None])
def test_it_ends_at_once_even_while_searching(ending):
    def seconds_to_the_end() -> float:
        client = Client()
        client.say("go infinite")
        client.until("info depth ")
        started = time.monotonic()
        if ending:
            client.say(ending)
        assert client.end() == 0
        return time.monotonic() - started

    assert shortest(seconds_to_the_end, 2) < 2


def test_a_bad_network_is_refused_in_one_line_and_play_goes_on(client, tmp_path):
    good, bad = tmp_path / "good.network", tmp_path / "bad.network"
    write_network(material_only_network(), good)
    bad.write_bytes(good.read_bytes()[:-1])
    position = "position fen rnb1kbnr/pppp1ppp/8/4p1q1/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 1"
    assert client.ask("setoption name Evaluation value network", f"setoption name EvalFile value {good}") == []
    by_network = node_count(client, position)
    (line,) = client.ask(f"setoption name EvalFile value {bad}")
    assert line.startswith("info string option EvalFile:") and str(bad) in line
    assert node_count(client, "ucinewgame", position) == by_network
    assert client.ask("setoption name Evaluation value features") == []
    by_features = node_count(client, "ucinewgame", position)
    assert by_features != by_network
    assert client.ask("setoption name Evaluation value network") == []
    assert node_count(client, "ucinewgame", position) == by_network
    assert client.ask("setoption name EvalFile value <empty>") == []
    assert client.best("go depth 5") == "c1g5"


def node_count(client, *lines: str) -> int:
    client.say(*lines, "go depth 6")
    words = client.until("bestmove")[-2].split()
    return int(words[words.index("nodes") + 1])
