"""Builds containers in a folder that records the finished endings, so that an interrupted build can be resumed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from engine.core.draws import FIFTY_MOVES
from engine.system.files import create_folder, replacing, write_file
from tablebase.files import Codes, Container, PackedEnding, TableKind, pack, write_container
from tablebase.generator.generate import Values, generate, generate_dtz
from tablebase.indexing import shape_of
from tablebase.material import Ending, with_dependencies

_DTM_SUFFIX, _DTZ_SUFFIX = ".dtm.npy", ".dtz.npy"

VALUES = "values"  # the subfolder

Report = Callable[[Ending, str], None]


class TableBuilder:
    """Builds tables in a folder. Finished tables are in its subfolder `values`, and are memory-mapped when needed.

    Containers that are already in the folder keep their endings. InputError if one of them cannot be read.
    """

    def __init__(self, folder: Path, threads: int = 1) -> None:
        self._folder, self._threads = folder, threads
        self._values = folder / VALUES
        create_folder(self._values)
        self._before = {table_kind: Container(path) for table_kind in TableKind
                        if (path := self._container_path(table_kind)).exists()}

    def generate(self, endings: Sequence[Ending], report: Report) -> Iterator[tuple[Ending, float]]:
        """Generate the endings and their dependencies, except those already done; yield each with its CPU seconds."""
        for ending in with_dependencies(endings):
            if self._is_done(ending):
                yield ending, self._seconds(ending)
                continue
            started, finished = time.process_time(), self._finished(ending)
            dtm = generate(ending, finished, self._threads, partial(report, ending))
            self._write(ending, _DTM_SUFFIX, dtm.codes)
            if self._fit_into_fifty_moves(ending.next_endings(), dtm.longest):
                dtz = generate_dtz(dtm, finished, self._threads, partial(report, ending))
                self._write(ending, _DTZ_SUFFIX, dtz)
            seconds = time.process_time() - started
            note = json.dumps({"seconds": seconds, "longest": dtm.longest})
            write_file(self._path(ending, ".json"), note)  # last: it marks the ending as complete
            yield ending, seconds

    def pack(self, endings: Sequence[Ending], provenance: str, report: Report) -> list[Path]:
        """Write containers with the endings, their dependencies and what was there before; return their paths."""
        paths = []
        for table_kind in TableKind:
            def pack_one(ending: Ending, table_kind: TableKind = table_kind) -> PackedEnding:
                report(ending, f"packing {table_kind.name}")
                dtz = self._load(ending, _DTZ_SUFFIX) if table_kind is TableKind.DTZ else None
                return pack(ending, self._load(ending), dtz, table_kind, round(self._seconds(ending), 3))

            included = [ending for ending in with_dependencies(endings)
                        if table_kind is not TableKind.DTZ or self._has_dtz(ending)]
            with ThreadPoolExecutor(self._threads) as pool:
                packed = list(pool.map(pack_one, included))
            paths.append(self._container_path(table_kind))
            write_container(paths[-1], table_kind, [*self._kept(table_kind, included), *packed], provenance)
        return paths

    def _container_path(self, table_kind: TableKind) -> Path:
        return self._folder / table_kind.file_name

    def _kept(self, table_kind: TableKind, replaced: Sequence[Ending]) -> list[PackedEnding]:
        """The endings of the container that was there before, without those that were packed anew."""
        before = self._before.get(table_kind)
        return [] if before is None else [before.packed(ending) for ending in before.entries if ending not in replaced]

    def _finished(self, ending: Ending) -> Mapping[Ending, Values]:
        return {child: Values(child, self._load(child)) for child in ending.next_endings()}

    def _path(self, ending: Ending, suffix: str) -> Path:
        return self._values / (ending.name + suffix)

    def _is_done(self, ending: Ending) -> bool:
        """Whether the ending is finished, and its files have the right shape."""
        try:
            self._seconds(ending)
            suffixes = (_DTM_SUFFIX, _DTZ_SUFFIX) if self._has_dtz(ending) else (_DTM_SUFFIX,)
            shape = (2, int(np.prod(shape_of(ending))))
            return all(self._load(ending, suffix).shape == shape for suffix in suffixes)
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def _load(self, ending: Ending, suffix: str = _DTM_SUFFIX) -> Codes:
        codes: Codes = np.load(self._path(ending, suffix), mmap_mode="r")
        return codes

    def _write(self, ending: Ending, suffix: str, codes: Codes) -> None:
        """Write a file that `_load` reads; InputError if there is no room. NumPy's own writer would not say why."""
        layout = np.lib.format
        with replacing(self._path(ending, suffix)) as file:
            layout.write_array_header_1_0(file, layout.header_data_from_array_1_0(codes))
            file.write(np.ascontiguousarray(codes).data)

    def _note(self, ending: Ending) -> dict[str, float]:
        """The JSON note about a finished ending."""
        note: dict[str, float] = json.loads(self._path(ending, ".json").read_text(encoding="ascii"))
        return note

    def _seconds(self, ending: Ending) -> float:
        return float(self._note(ending)["seconds"])

    def _has_dtz(self, ending: Ending) -> bool:
        return self._fit_into_fifty_moves({ending, *ending.next_endings()}, 0)

    def _fit_into_fifty_moves(self, endings: Iterable[Ending], longest: int) -> bool:
        """Whether `longest` plies, and all mates of the endings and their dependencies, fit into fifty moves."""
        return max([longest,
                    *(self._note(ending)["longest"] for ending in with_dependencies(endings))]) <= int(FIFTY_MOVES)
