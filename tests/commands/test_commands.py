"""The commands as a user types them."""

from __future__ import annotations

import os
import re
import sys

import pytest

from engine.__main__ import COMMANDS
from tests.commands.running import run
from tests.core.test_fen import BAD


@pytest.mark.parametrize(("words", "message"), [
    *((("perft", "1", "--fen", fen), message) for fen, message in BAD.items() if fen),
    (("perft",), "needs a depth"),
    (("perft", "-1"), "depth: must be from 0 to"),
    (("perft", "65"), "depth: must be from 0 to"),
    (("perft", "many"), "'many' is not an integer"),
    (("perft", "1", "--fen"), "expected one argument"),
    (("perft", "--suite", "/no/such/file.epd"), "cannot read /no/such/file.epd: No such file"),
    (("perft", "--suite", "/"), "cannot read /: it is a folder"),
    (("perft", "--suite", os.devnull), "it is not a plain file"),
    (("perft", "--suite", sys.executable), "is not a text file"),
    (("bench", "dance"), "bench must be speed, threads, trees, perft, startup, shipped, network, policy or a depth"),
    (("bench", "0"), "a depth from 1 to"),
    (("bench", "--threads", "0"), "--threads: must be from 1 to 1024"),
    (("bench", "threads"), "bench threads requires --threads"),
    (("match",), "match needs two players"),
    (("match", "cmd:a"), "match needs a second player"),
    (("match", "a", "cmd:b"), "both players must be cmd:COMMAND"),
    (("match", "sharpness=3"), "unknown search parameter 'sharpness'"),
    (("match", "rfp_margin=9999"), "rfp_margin must be from"),
    (("match", "rfp_margin=x"), "must be an integer"),
    (("match", "default", "/no/such/weights.json"), "cannot read /no/such/weights.json"),
    (("match", "nonsense"), "is not a config"),
    (("match", "default", "--tc", "1+1"), "configs play at fixed --nodes"),
    (("match", "--ablate", "default"), "--ablate takes no players"),
    (("match", "cmd:/no/such/engine", "cmd:/no/such/engine", "--games", "2"), "cannot start '/no/such/engine'"),
    (("match", "cmd:a", "cmd:b", "--tc", "soon"), "--tc must be seconds per game"),
    (("match", "cmd:a", "cmd:b", "--tc", "40/"), "or 40/10 for every 40 moves"),
    (("match", "cmd:a", "cmd:b", "--tc", "0/10"), "'0/10' is not a time control"),
    (("match", "cmd:a", "cmd:b", "--tc", "0+1"), "'0+1' is not a time control"),
    (("match", "cmd:a", "cmd:b", "--tc", "-1+0"), "expected one argument"),
    (("match", "cmd:a", "cmd:b", "--games", "0"), "--games: must be at least 1"),
    (("match", "cmd:a", "cmd:b", "--sprt", "5", "0"), "a smaller Elo, then a larger one"),
    (("match", "cmd:a", "cmd:b", "--sprt", "0", "10000"), "--sprt: must be from -500 to 500"),
    (("match", "cmd:a", "cmd:b", "--resume"), "--resume requires --pgn"),
    (("match", "cmd:a", "cmd:b", "--pgn", "/no/such/folder/x.pgn"), "no folder /no/such/folder"),
    (("match", "cmd:a", "cmd:b", "--option", "Hash"), "an option must be NAME=VALUE"),
    (("match", "cmd:a", "cmd:b", "--openings", "/no/such/file.epd"), "--openings: cannot read /no/such/file.epd"),
    (("suite",), "suite needs a name or FILE.epd"),
    (("suite", "/no/such/file.epd"), "cannot read /no/such/file.epd"),
    (("suite", __file__, "--nodes", "0"), "--nodes: must be at least 1"),
    (("suite", __file__, "--nodes", "5", "--depth", "5"), "not allowed with"),
    (("bench", "perft", "--against", "/no/such/engine"), "cannot start /no/such/engine"),
    (("bench", "perft", "--against", ""), "--against: must not be empty"),
    (("bench", "startup", "--against", "engine"), "--against cannot be used with"),
    (("perft", "2", "--max-nodes", "5"), "--max-nodes requires --suite"),
    (("perft", "2", "--divide", "--suite", __file__), "--divide cannot be used with --suite"),
    (("bench", "network", "--network", "/no/such"), "cannot read /no/such"),
    (("bench", "--network", "x"), "--network requires network"),
    (("bench", "perft", "--runs", "0"), "--runs: must be at least 1"),
    (("dance",), "invalid choice: 'dance'"),
    (("--dance",), "unrecognized arguments"),
])
def test_bad_input_is_one_line_and_status_2(capsys, words, message):
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert message in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1


def test_help_names_every_command(capsys):
    status, out, _ = run(capsys, "--help")
    assert status == 0
    assert all(name in out for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(capsys, command):
    status, out, _ = run(capsys, command, "--help")
    assert status == 0
    assert COMMANDS[command].split(",")[0] in " ".join(out.split())


def test_warmup_prints_a_summary(capsys):
    status, out, _ = run(capsys, "warmup")
    assert status == 0
    assert re.match(r"(\d+ kernels [a-z ]+(, )?)+: \d+\.\d s", out)
