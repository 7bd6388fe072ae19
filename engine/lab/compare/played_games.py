"""Games that this machine plays on all its cores, with a progress bar, until the user interrupts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from engine.cli.interruption import stop_on_interrupt
from engine.cli.progress import progress_bar
from engine.lab.arena import executors
from engine.lab.arena.cancellation import cancel_games
from engine.lab.arena.game_pairs import GamePair
from engine.lab.arena.records import GameRecord
from engine.lab.arena.referee import UciGame
from engine.lab.arena.shards import Labelled, in_order
from engine.system.host import usable_cores

Shard = TypeVar("Shard", GamePair, UciGame)

_AHEAD = 3  # shards in progress for each process


def play_games(shards: Sequence[Shard], width: int) -> Iterator[tuple[Shard, list[GameRecord]]]:
    """Play the shards, `width` at a time, 0 for as many as there are cores, and yield each with its games."""
    with (executors.processes(width or usable_cores()) as (executor, workers), stop_on_interrupt(cancel_games),
          progress_bar(len(shards)) as show):
        for done, (shard, records) in enumerate(in_order(executor, map(Labelled, shards), _AHEAD * workers)):
            show(done, f"{shard.first.name} against {shard.second.name}")
            yield shard, records
