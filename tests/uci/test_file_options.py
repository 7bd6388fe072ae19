"""Options that name files: a value that cannot be used is refused in one line, and what was in force stays in force."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest

from engine.player.options import Settings, find_option
from engine.player.player import Player
from engine.player.request import GoRequest, SearchSignals
from engine.system.errors import InputError
from engine.system.files import read_bytes, user_path
from engine.uci.output import UciOutput
from engine.uci.session import UciSession

FILE_OPTIONS = ("EvalFile", "PolicyFile", "BookFile", "TablePath", "SyzygyPath", "Debug Log File")
UNUSABLE = ["~nosuchuser/x", "a\0b", "/proc/self/mem", "/nowhere/at/all", "x" * 5000, "/dev/zero", "/", "/etc/passwd/x"]


def dialogue(*lines: str) -> list[str]:
    """What a session says to these lines; the first come before it has loaded."""
    sink = io.StringIO()
    session = UciSession(io.BytesIO("\n".join(lines).encode() + b"\n"), sink)
    session.run()
    return sink.getvalue().splitlines()


@pytest.mark.parametrize("value", UNUSABLE, ids=lambda value: value[:12])
@pytest.mark.parametrize("name", FILE_OPTIONS)
def test_an_unusable_file_is_refused_and_the_player_plays_on(name, value):
    if name == "Debug Log File" and value == "/proc/self/mem":
        pytest.skip("the system lets it be opened for appending")
    settings, option = Settings(), find_option(name)
    player = Player(settings)
    session = UciSession(io.BytesIO(), io.StringIO())
    session.settings, session.player = settings, player
    network = player.evaluation.network
    sink = io.StringIO()
    session.output._sink = sink
    with session._errors_reported():
        session._setoption(["name", *name.split(), "value", value])
    said = sink.getvalue().splitlines()
    assert len(said) == 1 and said[0].startswith(f"info string option {name}: ")
    assert settings.value(option) == Settings().value(option) and player.evaluation.network is network
    result = player.go(GoRequest(depth=2), time.perf_counter(), SearchSignals(), lambda _: None)
    assert result.move and result.nodes


@pytest.mark.parametrize("name", ["EvalFile", "PolicyFile"])
@pytest.mark.parametrize("value", ["~nosuchuser/x", "a\0b", "/proc/self/mem"], ids=lambda value: value[:12])
def test_an_unusable_file_named_before_loading_leaves_the_engine_at_full_strength(name, value):
    said = dialogue(f"setoption name {name} value {value}", "position startpos", "go depth 3")
    assert any(line.startswith(f"info string option {name}: ") for line in said)
    assert any(line.startswith("info depth 3 ") for line in said) and said[-1].startswith("bestmove ")


def test_a_bad_file_refuses_no_other_option():
    session = UciSession(io.BytesIO(b"setoption name Hash value 32\nsetoption name PolicyFile value /nowhere\n"
                                    b"setoption name SearchMode value mcts\nisready\nd\n"), sink := io.StringIO())
    session.run()
    refused = [line for line in sink.getvalue().splitlines() if line.startswith("info string option ")]
    assert len(refused) == 1 and refused[0].startswith("info string option PolicyFile: ")
    settings = session.settings
    assert (settings.hash, settings.search_mode, settings.policy_file) == (32, "mcts", "")


def test_a_tilde_means_the_same_in_every_option(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    settings = Settings()
    player = Player(settings)
    for name in FILE_OPTIONS[:-1]:
        settings.set(find_option(name), "~/missing")
        with pytest.raises(InputError, match=str(tmp_path) if name.endswith("File") else "missing"):
            player.apply(find_option(name))
        settings.set(find_option(name), "")
    assert dialogue("setoption name Debug Log File value ~/log.txt", "help")
    assert (tmp_path / "log.txt").exists() and not Path("~").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
def test_a_log_ends_with_one_line_when_the_disk_is_full():
    sink = io.StringIO()
    output = UciOutput(sink)
    with Path("/dev/full").open("a", encoding="utf-8") as output._log:
        output.log_input("isready")
        output.send("readyok")
    assert sink.getvalue() == "info string cannot write the log, which ends here: No space left on device\nreadyok\n"


def test_a_user_path():
    assert user_path("a/b") == Path("a/b")
    with pytest.raises(InputError, match="home folder of '~nosuchuser'"):
        user_path("~nosuchuser/x")


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="Linux only")
def test_the_systems_own_files_are_never_read_to_their_end():
    assert read_bytes(Path("/proc/self/mem"), 1 << 20) == b""
