"""The evaluator that a search uses: the features with their weights, or a network."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from engine.system.files import user_path
from eval.network.file import read_network
from eval.network.memory import LoadedNetwork
from eval.networks import BUILT_IN_FILE, NETWORK_FILES, TAUGHT
from eval.wdl import WdlModel, features_wdl_model
from eval.weights import WeightsRecord, load_weights

FEATURES = "features"  # the name of the evaluator without a network
BUILT_IN = ""  # the name of the evaluator that the engine uses by default

_NETWORKS_KEPT = 4  # in this module's cache; those in use stay alive anyway


@dataclass(frozen=True, eq=False)
class Evaluator:
    """Weights of the features, and possibly a network. A caller that passes it to kernels must keep it alive."""

    weights: WeightsRecord  # of the features; with a network they evaluate only a few endings
    network: LoadedNetwork | None = None

    @property
    def wdl_model(self) -> WdlModel:
        """The WDL model of its scores. A network without a model uses that of the features, whose scale it shares."""
        fitted = None if self.network is None else self.network.network.outcome
        return features_wdl_model() if fitted is None else WdlModel(*fitted)


@cache
def features_evaluator() -> Evaluator:
    """The features with the engine's own weights."""
    return Evaluator(load_weights())


def built_in_evaluator() -> Evaluator:
    """The built-in network, or the features if there is none."""
    return evaluator_named(BUILT_IN)


def evaluator_named(name: str, weights: WeightsRecord | None = None) -> Evaluator:
    """The evaluator called FEATURES or BUILT_IN, or the network of `network_file`; InputError if unreadable."""
    if name == BUILT_IN and not BUILT_IN_FILE.exists():
        name = FEATURES
    if name == FEATURES:
        return features_evaluator() if weights is None else Evaluator(weights)
    own = features_evaluator().weights if weights is None else weights
    return Evaluator(own, network_in(network_file(name)))


def network_file(name: str) -> Path:
    """The file of a network: one that comes with the engine, by its name, or one of the user's, by its path."""
    return NETWORK_FILES.get(name or TAUGHT) or user_path(name)


def network_in(path: Path) -> LoadedNetwork:
    """The network in a file, loaded for kernels; callers that name the same file share it."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return LoadedNetwork(read_network(path))  # raises the InputError
    return _loaded(path.resolve(), status.st_mtime_ns, status.st_size)


@lru_cache(_NETWORKS_KEPT)
def _loaded(path: Path, changed: int, size: int) -> LoadedNetwork:
    return LoadedNetwork(read_network(path))
