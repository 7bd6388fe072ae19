"""A setting of the engine: a search, its parameters and an evaluation. A plain value that can be sent elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from engine.alphabeta.params import ParamsRecord, default_params, set_param
from engine.mcts import params as of_trees
from engine.system.errors import InputError, quote
from engine.system.files import numbered_lines
from eval.evaluator import BUILT_IN, FEATURES, Evaluator, evaluator_named
from eval.policy.file import read_policy
from eval.policy.memory import LoadedPolicy
from eval.weights import load_weights, values_of, weights_from

DEFAULT = "default"
_NETWORK, _POLICY = "network", "policy"


@dataclass(frozen=True)
class TreeConfig:
    """A tree search: its kind, the parameters that differ from its defaults, and the file of its policy."""

    kind: str
    params: tuple[tuple[str, float], ...] = ()
    policy: str = ""  # the file; empty for the one that comes with the engine

    def params_record(self) -> of_trees.TreeParamsRecord:
        """All parameters as a record for the search; InputError if one is unknown or out of range."""
        return of_trees.BY_MODE[self.kind](**dict(self.params))

    def loaded_policy(self) -> LoadedPolicy | None:
        """The policy that was named, if one was; InputError if it cannot be read."""
        return LoadedPolicy(read_policy(self.policy)) if self.policy else None


@dataclass(frozen=True)
class Config:
    """Search parameters that differ from their defaults, weights (None for the engine's own), and the evaluation."""

    name: str = DEFAULT
    params: tuple[tuple[str, int], ...] = ()
    weights: tuple[tuple[int, ...], tuple[int, ...]] | None = None  # middle game, endgame
    network: str = BUILT_IN  # a file, or FEATURES
    tree: TreeConfig | None = None  # instead of alpha-beta, whose parameters then have no meaning

    def params_record(self) -> ParamsRecord:
        """All parameters as a record for the search."""
        record = default_params()
        for name, value in self.params:
            set_param(record, name, value)
        return record

    def evaluation(self) -> Evaluator:
        """The evaluation; InputError if the network file cannot be read."""
        weights = None if self.weights is None else weights_from(*map(list, self.weights))
        return evaluator_named(self.network, weights)

    def with_network(self, network: str | None) -> Config:
        """The same setting with this network, or FEATURES; None changes nothing. InputError as for `evaluation`."""
        if network is None:
            return self
        name = Path(network).stem
        changed = replace(self, name=name if self.name == DEFAULT else f"{self.name},{_NETWORK}={name}",
                          network=_network_of(network))
        changed.evaluation()  # complains
        return changed


def parse_config(text: str) -> Config:
    """The setting that a user names: `default`, `features`, a file, or a list NAME=VALUE,NAME=VALUE,...

    A file holds a network (.network), weights of the features (.json), which then evaluate, or lines NAME=VALUE. The
    list may contain `network=FILE`, `network=features` and `weights=FILE`. If the list or the lines begin with the name
    of a tree search, the parameters are those of the tree, and `policy=FILE` may be among them.
    """
    if text == DEFAULT:
        return Config()
    if text.partition(",")[0] in of_trees.BY_MODE:
        return _read_tree(text)
    if text == FEATURES:
        return Config(FEATURES, network=FEATURES)
    if "=" not in text:
        path = Path(text)
        if path.suffix == ".network":
            return Config().with_network(text)
        if path.suffix == ".json":
            return Config(path.stem, (), _weights_of(path), FEATURES)
        lines = _lines_of(path)
        if lines and lines[0] in of_trees.BY_MODE:
            return replace(_read_tree(",".join(lines)), name=path.stem)
        return _read_items(path.stem, lines)
    return _read_items(text, text.split(","))


def _read_items(setting_name: str, items: list[str]) -> Config:
    params: dict[str, int] = {}
    weights, network = None, None
    record = default_params()
    for item in items:
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise InputError(f"a setting must be NAME=VALUE, not {quote(item)}")
        if name == "weights":
            weights = _weights_of(Path(value))
            continue
        if name == _NETWORK:
            network = value
            continue
        try:
            params[name] = int(value)
        except ValueError as error:
            raise InputError(f"{name} needs a whole number, not {quote(value)}") from error
        set_param(record, name, params[name])  # complains if it is unknown or out of range
    if network is None:
        network = FEATURES if weights is not None else BUILT_IN
    setting = Config(setting_name, tuple(params.items()), weights, _network_of(network))
    setting.evaluation()  # complains
    return setting


def _read_tree(text: str) -> Config:
    kind, *items = text.split(",")
    params: dict[str, float] = {}
    network, policy = BUILT_IN, ""
    for item in items:
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise InputError(f"a setting must be NAME=VALUE, not {quote(item)}")
        if name == _NETWORK:
            network = _network_of(value)
        elif name == _POLICY:
            policy = str(Path(value).expanduser().absolute())
        else:
            params[name] = _number(name, value)
    tree = TreeConfig(kind, tuple(params.items()), policy)
    setting = Config(text, network=network, tree=tree)
    for complains in (tree.params_record, tree.loaded_policy, setting.evaluation):
        complains()
    return setting


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"{name} needs a number, not {quote(text)}") from error


def _network_of(name: str) -> str:
    """A name that means the same everywhere: a file by its absolute path."""
    return name if name in (FEATURES, BUILT_IN) else str(Path(name).expanduser().absolute())


def _lines_of(path: Path) -> list[str]:
    try:
        return [line for _, line in numbered_lines(path)]
    except InputError as error:
        raise InputError(f"{quote(str(path))} is not a setting: neither NAME=VALUE nor a file ({error})") from error


def _weights_of(path: Path) -> tuple[tuple[int, ...], tuple[int, ...]]:
    mg, eg = values_of(load_weights(path))
    return tuple(mg.tolist()), tuple(eg.tolist())
