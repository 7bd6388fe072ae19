"""The weight file: the tuned weights and the WDL model as JSON, with their provenance.

This module does not import Numba, so that scores can be converted to centipawns before the kernels are loaded.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.system.errors import InputError, quote
from engine.system.files import read_json, write_file
from eval.features import FEATURES, Feature

DEFAULT_FILE = Path(__file__).with_name("weights.json")
VERSION = 2  # of the layout; the table of features is checked by its names

# Above any useful value, and small enough that no sum of features can overflow its half of a packed number.
LARGEST_WEIGHT = 4000
_LARGEST_WDL_PARAM = 1000.0
_WDL_PARAMS = 4


@dataclass(frozen=True)
class WeightFile:
    """The contents of a file."""

    mg: Sequence[int]  # middle-game values, in the order of the feature table
    eg: Sequence[int]  # endgame values
    outcome: Sequence[float]  # the parameters of the WdlModel
    provenance: str


def read_weight_file(path: Path | str | None = None) -> WeightFile:
    """The contents of a file, by default the engine's own; InputError if it is missing, broken or incomplete."""
    file = DEFAULT_FILE if path is None else Path(path)
    content = read_json(file)
    try:
        return _read(content)
    except InputError as error:
        raise InputError(f"weight file {file}: {error}") from error


def _read(content: Any) -> WeightFile:
    if not isinstance(content, dict) or not isinstance(content.get("weights"), dict):
        raise InputError('it has no object "weights"')
    if content.get("version") != VERSION:
        raise InputError(f"expected version {VERSION}, got {quote(str(content.get('version')))}")
    tables = content["weights"]
    known = {feature.name for feature in FEATURES}
    for name in tables:
        if name not in known:
            raise InputError(f"unknown feature {quote(name)}")
    mg: list[int] = []
    eg: list[int] = []
    for feature in FEATURES:
        if feature.name not in tables:
            raise InputError(f"feature {quote(feature.name)} is missing")
        mg += _read_values(tables[feature.name], feature, "mg")
        eg += _read_values(tables[feature.name], feature, "eg")
    return WeightFile(mg, eg, parse_wdl_model(content.get("outcome")), str(content.get("provenance")))


def _read_values(table: Any, feature: Feature, half: str) -> list[int]:
    values = table.get(half) if isinstance(table, dict) else None
    where = f"{quote(feature.name)} {half}"
    if not isinstance(values, list):
        raise InputError(f"{where} must be a list")
    if len(values) != feature.size:
        raise InputError(f"{where} must have {feature.size} values, got {len(values)}")
    for value in values:
        if type(value) is not int:
            raise InputError(f"{where} must hold integers, got {quote(str(value))}")
        if abs(value) > LARGEST_WEIGHT:
            raise InputError(f"{where} must hold values from -{LARGEST_WEIGHT} to {LARGEST_WEIGHT}, got {value}")
    return values


def parse_wdl_model(values: Any) -> list[float]:
    """The parameters of a WdlModel, from the JSON of a file; InputError if they are invalid."""
    if not isinstance(values, list) or len(values) != _WDL_PARAMS:
        raise InputError(f'"outcome" must be a list of {_WDL_PARAMS} numbers')
    for value in values:
        is_number = isinstance(value, float | int) and math.isfinite(value)
        if not is_number or abs(value) > _LARGEST_WDL_PARAM:
            raise InputError(f'"outcome" must hold numbers up to {_LARGEST_WDL_PARAM:.0f}, got {quote(str(value))}')
    even_base, even_slope, spread_base, spread_slope = values
    if min(even_base, even_base + even_slope) < 1 or max(abs(spread_base), abs(spread_base + spread_slope)) > 10:
        raise InputError('"outcome" is invalid: a better score must win more often')
    return values


def write_weight_file(file: WeightFile, path: Path | str) -> None:
    """Write a file for `read_weight_file`."""
    write_file(Path(path), "{\n" + "\n".join(_lines(file)) + "\n}\n")


def _lines(file: WeightFile) -> Iterator[str]:
    yield f' "version": {VERSION},'
    yield f' "provenance": {json.dumps(file.provenance)},'
    yield f' "outcome": {json.dumps([round(value, 4) for value in file.outcome])},'
    yield ' "weights": {'
    for feature in FEATURES:
        part = slice(feature.offset, feature.offset + feature.size)
        comma = "" if feature is FEATURES[-1] else ","
        yield f'  "{feature.name}": {{'
        yield f'   "mg": [{_rows(file.mg[part])}],'
        yield f'   "eg": [{_rows(file.eg[part])}]'
        yield f"  }}{comma}"
    yield " }"


def _rows(values: Sequence[int]) -> str:
    """A list of numbers; a long one in rows of eight, as on a board, or of seven, for tables by file and rank."""
    if len(values) <= 16:
        return ", ".join(map(str, values))
    width = max(len(str(value)) for value in values)
    length = 8 if len(values) % 8 == 0 else 7
    rows = (values[start:start + length] for start in range(0, len(values), length))
    return ",".join("\n    " + ", ".join(f"{value:{width}}" for value in row) for row in rows)
