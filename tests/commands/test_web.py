"""`web`: address, warnings, interruption."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from engine.kernel import SOURCE_ROOT
from tests.chromium import HAS_CHROMIUM, HOW_TO_GET_ONE
from tests.commands.running import run
from tests.timing import PATIENCE, shortest
from tests.ui.serving import serving

INTERRUPTED = 130
EVERYWHERE = "0.0.0.0"  # noqa: S104  for a moment


def test_a_port_that_is_taken_is_one_line(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        status, out, message = run(capsys, "web", "--port", str(taken.getsockname()[1]))
    assert status == 2 and not out and "--port" in message and message.count("\n") == 1


@pytest.mark.parametrize("host", ["no.such.host.invalid", "999.1.1.1", "::zz", "a\0b", "ü" * 300])
def test_an_invalid_address_is_one_line(capsys, host):
    status, out, message = run(capsys, "web", "--port", "0", "--host", host)
    assert status == 2 and not out and message.count("\n") == 1


def test_without_the_extra_the_error_names_the_install_command(capsys, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "uvicorn" else found(name))
    status, _, message = run(capsys, "web")
    assert status == 2 and "uvicorn" in message and "pip install" in message and message.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_ends_it_within_a_second(tmp_path):
    def seconds_to_the_end() -> float:
        with serving(tmp_path) as server:
            assert httpx.get(f"{server.address}/health", timeout=PATIENCE).text == "ok"
            began = time.monotonic()
            server.process.send_signal(signal.SIGINT)
            assert server.process.wait(PATIENCE) == INTERRUPTED
            seconds = time.monotonic() - began
            assert server.complaints.strip() == "server stopped"
        return seconds

    assert shortest(seconds_to_the_end, 1.0) < 1.0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of these loopback addresses")
@pytest.mark.parametrize("host", ["127.0.0.2", "LOCALHOST", "::ffff:127.0.0.1"])
def test_a_loopback_address_is_served_as_printed_and_without_a_token(tmp_path, host):
    with serving(tmp_path, "--host", host) as server:
        address = re.search(r"http://\S+", server.first_line)
        assert address is not None and "token" not in server.first_line
        assert httpx.get(address[0]).status_code == 200
        assert server.complaints == ""


def test_other_machines_need_the_token(tmp_path):
    with serving(tmp_path, "--host", EVERYWHERE) as server:
        found = re.search(r"\?token=(\S+)", server.first_line)
        assert found and len(found[1]) >= 20 and "warning" in server.complaints
        assert httpx.get(server.address).status_code == 403
        with httpx.Client(follow_redirects=True) as client:
            answer = client.get(f"{server.address}/?token={found[1]}")
        assert answer.status_code == 200 and str(answer.url) == f"{server.address}/"


@pytest.mark.slow
@pytest.mark.skipif(not HAS_CHROMIUM, reason=HOW_TO_GET_ONE)
def test_the_picture_of_the_readme_is_drawn(tmp_path):
    path = tmp_path / "board.png"
    command = [sys.executable, "-m", "engine", "web", "--port", "0", "--picture", str(path)]
    done = subprocess.run(command, cwd=SOURCE_ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG") and len(content) > 50_000
