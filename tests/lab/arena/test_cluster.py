"""Work on a dask cluster: here of two processes, one of which is killed in the middle."""

from __future__ import annotations

import contextlib
import http.server
import re
import socket
import subprocess
import sys
import threading
import time

import psutil
import pytest

from engine.kernel import SOURCE_ROOT
from engine.lab.arena import cluster as clusters
from engine.lab.arena.configs import Config
from engine.lab.arena.game_pairs import GamePair
from engine.lab.arena.match import MatchScore, play_match
from engine.lab.arena.openings import RandomOpenings
from engine.lab.arena.participants import Participant
from engine.lab.arena.records import Adjudication, GameRecord
from engine.system.errors import InputError

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # dask's own, about what the test does on purpose

NODES = 1000
PAIRS = 12


def shards() -> list[GamePair]:
    openings = RandomOpenings().draw(PAIRS, 3, print)
    default, other = (Participant.of(config, NODES) for config in (Config(), Config("other", (("rfp_margin", 90),))))
    return [GamePair(number, opening, default, other, Adjudication())
            for number, opening in enumerate(openings)]


def kill_one_worker_when(condition, cluster) -> threading.Thread:
    def kill():
        while not condition():
            time.sleep(0.01)
        psutil.Process(next(iter(cluster.workers.values())).pid).kill()

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    return thread


def test_a_lost_worker_loses_no_game_and_none_counts_twice():
    alone = [record for shard in shards() for record in shard()]
    games: list[GameRecord] = []
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        killer = kill_one_worker_when(lambda: len(games) >= 4, cluster)
        with clusters.cluster(cluster.scheduler_address) as (executor, width):
            for score in play_match(MatchScore(("default", "other")), shards(), executor, width, keep=games.extend):
                assert len(score.outcomes) == len(games)
        killer.join(10)
        assert not killer.is_alive()
    assert games == alone  # each once, in order, and the same as without a cluster


def test_a_cluster_that_is_not_there(monkeypatch):
    monkeypatch.setattr(clusters, "_CONNECT_SECONDS", 0.5)
    with pytest.raises(InputError, match="no dask scheduler"), clusters.cluster("tcp://127.0.0.1:1"):
        pass


@pytest.mark.parametrize("address", ["", "nonsense", "tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:99999999", "::::"])
def test_addresses_that_are_none(address):
    with pytest.raises(InputError, match="no dask scheduler"), clusters.cluster(address):
        pass


@pytest.mark.parametrize("is_http", [False, True])
def test_another_listener_is_not_waited_for(is_http, monkeypatch):
    monkeypatch.setattr(clusters, "_GREETING_SECONDS", 0.5)
    server = (http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) if is_http
              else socket.create_server(("127.0.0.1", 0)))
    with server:
        port = server.server_port if isinstance(server, http.server.HTTPServer) else server.getsockname()[1]
        started = time.monotonic()
        with pytest.raises(InputError, match="something else"), clusters.cluster(f"tcp://127.0.0.1:{port}"):
            pass
    assert time.monotonic() - started < 5


def spawn(module: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-m", f"distributed.cli.{module}", *words], cwd=SOURCE_ROOT, text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def play_until_the_scheduler_dies(address: str, scheduler: subprocess.Popen[str], games: list[GameRecord]) -> None:
    """Kill it after the first pair."""
    with connected(address) as (executor, width):
        for _ in play_match(MatchScore(("default", "other")), shards() * 100, executor, width, keep=games.extend):
            if len(games) == 2:
                scheduler.kill()


@contextlib.contextmanager
def connected(address: str):
    """The cluster, once its worker has come."""
    for _ in range(300):
        with contextlib.suppress(InputError), clusters.cluster(address):
            break
        time.sleep(0.1)
    with clusters.cluster(address) as joined:
        yield joined


def test_a_scheduler_that_dies_in_mid_match_is_told_and_what_was_played_is_kept(monkeypatch):
    monkeypatch.setattr(clusters, "_PING_SECONDS", 0.2)
    monkeypatch.setattr(clusters, "_LOST_SECONDS", 8.0)
    games: list[GameRecord] = []
    with spawn("dask_scheduler", "--port", "0", "--no-dashboard") as scheduler:
        assert scheduler.stderr is not None
        address = next(found[0] for line in scheduler.stderr if (found := re.search(r"tcp://[\d.]+:\d+", line)))
        with spawn("dask_worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny") as worker:
            try:
                with pytest.raises(InputError, match="was lost") as lost:
                    play_until_the_scheduler_dies(address, scheduler, games)
            finally:
                for process in (scheduler, worker):
                    process.kill()
                    assert process.stderr is not None
                    process.stderr.close()
    assert len(games) >= 2, lost.value
