"""Work on a dask cluster: here of two processes, one of which is killed in the middle."""

from __future__ import annotations

import threading
import time

import psutil
import pytest

from engine.arena import executors
from engine.arena.duel import SettingsPair
from engine.arena.match import Score, play
from engine.arena.openings import RandomOpenings
from engine.arena.records import Adjudication, GameRecord
from engine.arena.settings import Setting
from engine.core.errors import InputError

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # dask's own, about what the test does on purpose

NODES = 1000
PAIRS = 12


def shards() -> list[SettingsPair]:
    openings = RandomOpenings().draw(PAIRS, 3, print)
    other = Setting("other", (("rfp_margin", 90),))
    return [SettingsPair(number, opening, Setting(), other, NODES, Adjudication())
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
        with executors.cluster(cluster.scheduler_address) as (executor, width):
            for score in play(Score(("default", "other")), shards(), executor, width, keep=games.extend):
                assert len(score.outcomes) == len(games)
        killer.join(10)
        assert not killer.is_alive()
    assert games == alone  # each once, in order, and the same as without a cluster


def test_a_cluster_that_is_not_there(monkeypatch):
    monkeypatch.setattr(executors, "_CONNECT_SECONDS", 0.5)
    with pytest.raises(InputError, match="no dask scheduler"), executors.cluster("tcp://127.0.0.1:1"):
        pass
