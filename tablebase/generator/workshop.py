"""From endings to containers, in a folder that remembers what is done: a build that was broken off goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from engine.core.errors import InputError
from tablebase.files import Kind, Packed, pack, write_container
from tablebase.generator.generate import Codes, Values, generate
from tablebase.geometry import shape_of
from tablebase.material import Ending, with_needed

Report = Callable[[Ending, str], None]


class Workshop:
    """A folder in which tables are made. Finished ones lie in its folder `values`, mapped into memory when needed."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        self._folder, self._threads = folder, threads
        self._values = folder / "values"
        try:
            self._values.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot use {folder}: {error.strerror or error}") from error

    def generate(self, endings: Sequence[Ending], report: Report) -> Iterator[tuple[Ending, float]]:
        """Make what is not there yet, and all that it needs; yields each ending and the CPU time that it took."""
        for ending in with_needed(endings):
            if self._is_done(ending):
                yield ending, self._seconds(ending)
                continue
            started = time.process_time()
            values = generate(ending, self._finished(ending), self._threads, partial(report, ending))
            seconds = time.process_time() - started
            self._save(ending, values.codes, seconds)
            yield ending, seconds

    def pack(self, endings: Sequence[Ending], provenance: str, report: Report) -> list[Path]:
        """Write the containers of the endings and of all that they need; returns their paths."""
        paths = []
        for kind in Kind:
            def packed(ending: Ending, kind: Kind = kind) -> Packed:
                report(ending, f"packing {kind.value}")
                return pack(ending, self._load(ending), kind, round(self._seconds(ending), 3))

            with ThreadPoolExecutor(self._threads) as pool:
                made = list(pool.map(packed, with_needed(endings)))
            paths.append(self._folder / f"{kind.value}.tables")
            write_container(paths[-1], kind, made, provenance)
        return paths

    def _finished(self, ending: Ending) -> Mapping[Ending, Values]:
        return {child: Values(child, self._load(child)) for child in ending.next_endings()}

    def _path(self, ending: Ending, suffix: str) -> Path:
        return self._values / (ending.name + suffix)

    def _is_done(self, ending: Ending) -> bool:
        """Whether the ending was finished, by files that belong together."""
        try:
            self._seconds(ending)
            return self._load(ending).shape == (2, int(np.prod(shape_of(ending))))
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def _load(self, ending: Ending) -> Codes:
        codes: Codes = np.load(self._path(ending, ".npy"), mmap_mode="r")
        return codes

    def _seconds(self, ending: Ending) -> float:
        return float(json.loads(self._path(ending, ".json").read_text(encoding="ascii"))["seconds"])

    def _save(self, ending: Ending, codes: Codes, seconds: float) -> None:
        """Write the values, and last what says that they are complete."""
        with self._path(ending, ".npy").open("wb") as file:
            np.save(file, codes)
        self._path(ending, ".json").write_text(json.dumps({"seconds": seconds}), encoding="ascii")
