"""The weights: one file of numbers, one record for kernels.

A weight has a middle-game and an endgame value. The two are packed into one integer, `(eg << 32) + mg`, so that one
multiplication and one addition serve both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.core.bits import BLACK, KING, PAWN, WHITE
from engine.core.errors import InputError, quote
from engine.kernel import inline, record_dtype, record_type
from eval.features import FEATURES, MATERIAL, WEIGHT_COUNT, Feature
from eval.squares import PIECE_SQUARES, square_feature

DEFAULT_FILE = Path(__file__).with_name("weights.json")

# Beyond any sensible value, and small enough that no sum of features can leave its half of a packed number.
LARGEST_WEIGHT = 4000

WEIGHTS = record_dtype([
    ("packed", "i8", WEIGHT_COUNT),  # [place of the feature]
    ("squares", "i8", 4 * PIECE_SQUARES),  # material and piece-square tables in one, from white's view: see squares.py
])
WeightsRecord = Any  # a record of dtype WEIGHTS; mypy knows no such type
WEIGHTS_TYPE = record_type(WEIGHTS)

Values = npt.NDArray[np.int64]


def pack(mg: int, eg: int) -> int:
    """Both values in one number."""
    return (eg << 32) + mg


@inline
def mg_of(packed):
    """The middle-game value: the lower half, with its sign."""
    return packed << 32 >> 32


@inline
def eg_of(packed):
    """The endgame value: the upper half, and what a negative lower half borrowed from it."""
    return (packed - mg_of(packed)) >> 32


def weights_from(mg: Iterable[int], eg: Iterable[int]) -> WeightsRecord:
    """A new record of the values of all weights, in the order of the feature table."""
    weights = np.zeros(1, WEIGHTS)[0]
    weights.packed[:] = [pack(int(m), int(e)) for m, e in zip(mg, eg, strict=True)]
    for white_wing, black_wing, kind in product((0, 1), (0, 1), range(PAWN, KING + 1)):
        material = 0 if kind == KING else weights.packed[MATERIAL + kind - PAWN]
        wings = PIECE_SQUARES * (2 * white_wing + black_wing)
        for square in range(64):
            white, black = (material + weights.packed[square_feature(kind, color, square, white_wing, black_wing)]
                            for color in (WHITE, BLACK))
            weights.squares[wings + kind * 64 + square] = white
            weights.squares[wings + (kind + 8) * 64 + square] = -black
    return weights


def values_of(weights: WeightsRecord) -> tuple[Values, Values]:
    """The middle-game and the endgame values of all weights."""
    packed = weights.packed.astype(np.int64)
    mg = packed << 32 >> 32
    return mg, (packed - mg) >> 32


def load_weights(path: Path | str | None = None) -> WeightsRecord:
    """The weights of a file, by default of the engine's own; InputError if it is missing, broken or incomplete."""
    file = DEFAULT_FILE if path is None else Path(path)
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read the weight file {file}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"weight file {file} is not JSON: {error}") from error
    try:
        return weights_from(*_read_tables(content))
    except InputError as error:
        raise InputError(f"weight file {file}: {error}") from error


def _read_tables(content: Any) -> tuple[list[int], list[int]]:
    if not isinstance(content, dict) or not isinstance(content.get("weights"), dict):
        raise InputError('it has no table "weights"')
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
    return mg, eg


def _read_values(table: Any, feature: Feature, half: str) -> list[int]:
    values = table.get(half) if isinstance(table, dict) else None
    where = f"{quote(feature.name)} {half}"
    if not isinstance(values, list):
        raise InputError(f"{where} is not a list")
    if len(values) != feature.size:
        raise InputError(f"{where} has {len(values)} values, not {feature.size}")
    for value in values:
        if type(value) is not int:
            raise InputError(f"{where} holds {quote(str(value))}, which is not a whole number")
        if abs(value) > LARGEST_WEIGHT:
            raise InputError(f"{where} holds {quote(str(value))}, beyond {LARGEST_WEIGHT}")
    return values


def save_weights(weights: WeightsRecord, path: Path | str, provenance: str) -> None:
    """Write `weights` to a file that `load_weights` reads; `provenance` says in one line where they come from."""
    lines = "\n".join(_file_lines(weights, provenance))
    part = Path(f"{path}.part")
    part.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
    part.replace(path)  # a file that is cut off never replaces a whole one


def _file_lines(weights: WeightsRecord, provenance: str) -> Iterator[str]:
    mg, eg = values_of(weights)
    yield f' "provenance": {json.dumps(provenance)},'
    yield ' "weights": {'
    for feature in FEATURES:
        part = slice(feature.offset, feature.offset + feature.size)
        comma = "" if feature is FEATURES[-1] else ","
        yield f'  "{feature.name}": {{'
        yield f'   "mg": [{_rows(mg[part].tolist())}],'
        yield f'   "eg": [{_rows(eg[part].tolist())}]'
        yield f"  }}{comma}"
    yield " }"


def _rows(values: list[int]) -> str:
    """The numbers of a list; a long one in rows: eight as on a board, seven where a table is by file and rank."""
    if len(values) <= 16:
        return ", ".join(map(str, values))
    width = max(len(str(value)) for value in values)
    length = 8 if len(values) % 8 == 0 else 7
    rows = (values[start:start + length] for start in range(0, len(values), length))
    return ",".join("\n    " + ", ".join(f"{value:{width}}" for value in row) for row in rows)
