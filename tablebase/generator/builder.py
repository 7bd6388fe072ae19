"""From endings to containers, in a folder that records what is done, so that an interrupted build can be resumed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from engine.core.draws import FIFTY_MOVES
from engine.system.errors import InputError
from tablebase.files import Codes, Packed, TableKind, pack, write_container
from tablebase.generator.generate import Values, generate, generate_resets
from tablebase.indexing import shape_of
from tablebase.material import Ending, with_dependencies

_MATES, _RESETS = ".npy", ".resets.npy"

Report = Callable[[Ending, str], None]


class TableBuilder:
    """A folder in which tables are built. Finished ones are in its subfolder `values`, memory-mapped when needed."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        self._folder, self._threads = folder, threads
        self._values = folder / "values"
        try:
            self._values.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot use {folder}: {error.strerror or error}") from error

    def generate(self, endings: Sequence[Ending], report: Report) -> Iterator[tuple[Ending, float]]:
        """Generate what is missing, and all that it needs; yields each ending and the CPU time that it took."""
        for ending in with_dependencies(endings):
            if self._is_done(ending):
                yield ending, self._seconds(ending)
                continue
            started, finished = time.process_time(), self._finished(ending)
            mates = generate(ending, finished, self._threads, partial(report, ending))
            self._write(ending, _MATES, mates.codes)
            if self._fit_into_fifty_moves(ending.next_endings(), mates.longest):
                resets = generate_resets(mates, finished, self._threads, partial(report, ending))
                self._write(ending, _RESETS, resets)
            seconds = time.process_time() - started
            note = json.dumps({"seconds": seconds, "longest": mates.longest})
            self._path(ending, ".json").write_text(note, encoding="ascii")  # last: it marks the ending as complete
            yield ending, seconds

    def pack(self, endings: Sequence[Ending], provenance: str, report: Report) -> list[Path]:
        """Write containers with the endings and all that they need; returns their paths."""
        paths = []
        for kind in TableKind:
            def packed(ending: Ending, kind: TableKind = kind) -> Packed:
                report(ending, f"packing {kind.value}")
                resets = self._load(ending, _RESETS) if kind is TableKind.RESETS else None
                return pack(ending, self._load(ending), resets, kind, round(self._seconds(ending), 3))

            wanted = [ending for ending in with_dependencies(endings) if kind is not TableKind.RESETS
                      or self._has_resets(ending)]
            with ThreadPoolExecutor(self._threads) as pool:
                made = list(pool.map(packed, wanted))
            paths.append(self._folder / f"{kind.value}.tables")
            write_container(paths[-1], kind, made, provenance)
        return paths

    def _finished(self, ending: Ending) -> Mapping[Ending, Values]:
        return {child: Values(child, self._load(child)) for child in ending.next_endings()}

    def _path(self, ending: Ending, suffix: str) -> Path:
        return self._values / (ending.name + suffix)

    def _is_done(self, ending: Ending) -> bool:
        """Whether the ending was finished, and its files match."""
        try:
            self._seconds(ending)
            kinds = (_MATES, _RESETS) if self._has_resets(ending) else (_MATES,)
            return all(self._load(ending, kind).shape == (2, int(np.prod(shape_of(ending)))) for kind in kinds)
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def _load(self, ending: Ending, kind: str = _MATES) -> Codes:
        codes: Codes = np.load(self._path(ending, kind), mmap_mode="r")
        return codes

    def _write(self, ending: Ending, kind: str, codes: Codes) -> None:
        with self._path(ending, kind).open("wb") as file:
            np.save(file, codes)

    def _note(self, ending: Ending) -> dict[str, float]:
        """The note about a finished ending."""
        note: dict[str, float] = json.loads(self._path(ending, ".json").read_text(encoding="ascii"))
        return note

    def _seconds(self, ending: Ending) -> float:
        return float(self._note(ending)["seconds"])

    def _has_resets(self, ending: Ending) -> bool:
        return self._fit_into_fifty_moves({ending, *ending.next_endings()}, 0)

    def _fit_into_fifty_moves(self, endings: Iterable[Ending], longest: int) -> bool:
        """Whether a mate of `longest` plies, and all mates of these endings and those they can lead to, fit."""
        return max([longest,
                    *(self._note(ending)["longest"] for ending in with_dependencies(endings))]) <= int(FIFTY_MOVES)
