"""A way to play that is not the default: other search parameters, other weights. A plain value that travels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.alphabeta.params import ParamsRecord, default_params, set_param
from engine.core.errors import InputError, quote
from engine.files import numbered_lines
from eval.weights import WeightsRecord, load_weights, values_of, weights_from

DEFAULT = "default"


@dataclass(frozen=True)
class Setting:
    """Search parameters that differ from their defaults, and weights, None for the engine's own."""

    name: str = DEFAULT
    params: tuple[tuple[str, int], ...] = ()
    weights: tuple[tuple[int, ...], tuple[int, ...]] | None = None  # middle game, endgame

    def params_record(self) -> ParamsRecord:
        """All parameters as the search takes them."""
        record = default_params()
        for name, value in self.params:
            set_param(record, name, value)
        return record

    def weights_record(self) -> WeightsRecord:
        """All weights as the evaluation takes them."""
        return load_weights() if self.weights is None else weights_from(*map(list, self.weights))


def read_setting(text: str) -> Setting:
    """The setting that a user names: `default`, or a file, or NAME=VALUE with more of them after commas.

    A file holds weights (.json), or lines NAME=VALUE. `weights=FILE` may stand among the values.
    """
    if text == DEFAULT:
        return Setting()
    if "=" not in text:
        path = Path(text)
        if path.suffix == ".json":
            return Setting(path.stem, (), _weights_of(path))
        return Setting(path.stem, *_read_items(_lines_of(path)))
    return Setting(text, *_read_items(text.split(",")))


def _read_items(items: list[str]) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[int, ...], tuple[int, ...]] | None]:
    params: dict[str, int] = {}
    weights = None
    record = default_params()
    for item in items:
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise InputError(f"a setting is NAME=VALUE, not {quote(item)}")
        if name == "weights":
            weights = _weights_of(Path(value))
            continue
        try:
            params[name] = int(value)
        except ValueError as error:
            raise InputError(f"{name} needs a whole number, not {quote(value)}") from error
        set_param(record, name, params[name])  # complains if there is none, or if it is out of its range
    return tuple(params.items()), weights


def _lines_of(path: Path) -> list[str]:
    try:
        return [line for _, line in numbered_lines(path)]
    except InputError as error:
        raise InputError(f"{quote(str(path))} is no setting: neither NAME=VALUE nor a file ({error})") from error


def _weights_of(path: Path) -> tuple[tuple[int, ...], tuple[int, ...]]:
    mg, eg = values_of(load_weights(path))
    return tuple(mg.tolist()), tuple(eg.tolist())
