"""A config of the engine: search mode, parameters and evaluator, as a plain value that other processes can receive."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from engine.alphabeta.params import ParamsRecord, default_params, set_param
from engine.mcts import params as tree_params
from engine.system.errors import InputError, quote
from engine.system.files import numbered_lines, user_path
from eval.evaluator import BUILT_IN, FEATURES, Evaluator, evaluator_named
from eval.networks import NETWORK_FILES
from eval.policy.file import read_policy
from eval.policy.memory import LoadedPolicy
from eval.weights import load_weights, values_of, weights_from

DEFAULT = "default"
_NETWORK, _POLICY = "network", "policy"


@dataclass(frozen=True)
class TreeConfig:
    """A tree search: its mode or rung of the ladder, the parameters that differ from its defaults, and the file of its
    policy.
    """

    mode: str
    params: tuple[tuple[str, float], ...] = ()
    policy: str = ""  # the file; empty for the built-in one

    def params_record(self) -> tree_params.TreeParamsRecord:
        """All parameters as a record for the search; InputError if one is unknown or out of range."""
        return tree_params.CONFIGS[self.mode](**dict(self.params))

    def loaded_policy(self) -> LoadedPolicy | None:
        """The policy of the file, if one is named; InputError if it cannot be read."""
        return LoadedPolicy(read_policy(self.policy)) if self.policy else None


@dataclass(frozen=True)
class Config:
    """Search parameters that differ from their defaults, weights (None for the engine's own), and the evaluator."""

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

    def evaluator(self) -> Evaluator:
        """The evaluator; InputError if the network file cannot be read."""
        weights = None if self.weights is None else weights_from(*map(list, self.weights))
        return evaluator_named(self.network, weights)

    def with_network(self, network: str | None) -> Config:
        """The same config with this network, or FEATURES; None changes nothing. InputError as for `evaluator`."""
        if network is None:
            return self
        name = Path(network).stem
        changed = replace(self, name=name if self.name == DEFAULT else f"{self.name},{_NETWORK}={name}",
                          network=_network_of(network))
        changed.evaluator()  # raises InputError for a bad file
        return changed


def parse_config(text: str) -> Config:
    """Parse a config as users write it: `default`, `features`, a file, or a list NAME=VALUE,NAME=VALUE,...

    A file holds a network (.network), weights of the features (.json), which then evaluate, or lines NAME=VALUE. The
    list may contain `network=FILE`, `network=features` and `weights=FILE`. If the list or the lines begin with the name
    of a tree search, the parameters are those of the tree, and `policy=FILE` may be among them.
    """
    if text == DEFAULT:
        return Config()
    if text.partition(",")[0] in tree_params.CONFIGS:
        return _parse_tree(text)
    if text == FEATURES:
        return Config(FEATURES, network=FEATURES)
    if "=" not in text:
        path = Path(text)
        if path.suffix == ".network" or text in NETWORK_FILES:
            return Config().with_network(text)
        if path.suffix == ".json":
            return Config(path.stem, (), _weights_of(path), FEATURES)
        lines = _lines_of(path)
        if lines and lines[0] in tree_params.CONFIGS:
            return replace(_parse_tree(",".join(lines)), name=path.stem)
        return _parse_items(path.stem, lines)
    return _parse_items(text, text.split(","))


def parse_alphabeta_config(text: str, instead: str = "this command needs one of alpha-beta") -> Config:
    """Parse a config as `parse_config` does; InputError, which says what to do `instead`, if it is of a tree search."""
    config = parse_config(text)
    if config.tree is not None:
        raise InputError(f"config {config.tree.mode} is of a tree search; {instead}")
    return config


def _parse_items(config_name: str, items: list[str]) -> Config:
    params: dict[str, int] = {}
    weights, network = None, None
    record = default_params()
    for item in items:
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise InputError(f"a config entry must be NAME=VALUE, got {quote(item)}")
        if name == "weights":
            weights = _weights_of(Path(value))
            continue
        if name == _NETWORK:
            network = value
            continue
        try:
            params[name] = int(value)
        except ValueError as error:
            raise InputError(f"{name} must be an integer, got {quote(value)}") from error
        set_param(record, name, params[name])  # raises InputError if it is unknown or out of range
    if network is None:
        network = FEATURES if weights is not None else BUILT_IN
    config = Config(config_name, tuple(params.items()), weights, _network_of(network))
    config.evaluator()  # raises InputError for a bad file
    return config


def _parse_tree(text: str) -> Config:
    mode, *items = text.split(",")
    params: dict[str, float] = {}
    network, policy = BUILT_IN, ""
    for item in items:
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise InputError(f"a config entry must be NAME=VALUE, got {quote(item)}")
        if name == _NETWORK:
            network = _network_of(value)
        elif name == _POLICY:
            policy = str(user_path(value).absolute())
        else:
            params[name] = _number(name, value)
    tree = TreeConfig(mode, tuple(params.items()), policy)
    config = Config(text, network=network, tree=tree)
    for check in (tree.params_record, tree.loaded_policy, config.evaluator):
        check()  # raises InputError
    return config


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"{name} must be a number, got {quote(text)}") from error


def _network_of(name: str) -> str:
    """A name that is valid in every process: a file by its absolute path."""
    return name if name in (FEATURES, BUILT_IN, *NETWORK_FILES) else str(user_path(name).absolute())


def _lines_of(path: Path) -> list[str]:
    try:
        return [line for _, line in numbered_lines(path)]
    except InputError as error:
        raise InputError(f"{quote(str(path))} is not a config: neither NAME=VALUE nor a file ({error})") from error


def _weights_of(path: Path) -> tuple[tuple[int, ...], tuple[int, ...]]:
    mg, eg = values_of(load_weights(path))
    return tuple(mg.tolist()), tuple(eg.tolist())
