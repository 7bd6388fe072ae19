"""Which evaluation is used: the features with their weights, or a network."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from eval.network.file import read_network
from eval.network.memory import LoadedNetwork
from eval.wdl import WdlModel, features_wdl_model
from eval.weights import WeightsRecord, load_weights

FEATURES = "features"  # the name of the evaluation by features
BUILT_IN = ""  # the name of the engine's own choice
BUILT_IN_FILE = Path(__file__).with_name("network") / "default.network"

_NETWORKS_KEPT = 4  # in this module's cache; those in use stay alive anyway


@dataclass(frozen=True, eq=False)
class Evaluator:
    """An evaluation. A caller that passes it to kernels must keep it alive."""

    weights: WeightsRecord  # of the features, which evaluate alone, or only a few endings if there is a network
    network: LoadedNetwork | None = None

    @property
    def wdl_model(self) -> WdlModel:
        """What its scores mean for the game. A network that has no model of its own uses that of the features, whose
        centipawns it has learned.
        """
        fitted = None if self.network is None else self.network.network.outcome
        return features_wdl_model() if fitted is None else WdlModel(*fitted)


@cache
def features_evaluator() -> Evaluator:
    """The features with the engine's own weights."""
    return Evaluator(load_weights())


def built_in_evaluator() -> Evaluator:
    """The network that comes with the engine, or the features if there is none."""
    return evaluator_named(BUILT_IN)


def evaluator_named(name: str, weights: WeightsRecord | None = None) -> Evaluator:
    """FEATURES, BUILT_IN, or the network in the file of that name; InputError if it cannot be read."""
    if name == BUILT_IN and not BUILT_IN_FILE.exists():
        name = FEATURES
    if name == FEATURES:
        return features_evaluator() if weights is None else Evaluator(weights)
    own = features_evaluator().weights if weights is None else weights
    return Evaluator(own, network_in(BUILT_IN_FILE if name == BUILT_IN else Path(name)))


def network_in(path: Path) -> LoadedNetwork:
    """The network in a file, ready to use; callers that name the same file share it."""
    file = path.expanduser()
    try:
        status = os.stat(file)  # noqa: PTH116
    except OSError:
        return LoadedNetwork(read_network(file))  # which says what is wrong
    return _loaded(file.resolve(), status.st_mtime_ns, status.st_size)


@lru_cache(_NETWORKS_KEPT)
def _loaded(path: Path, changed: int, size: int) -> LoadedNetwork:
    return LoadedNetwork(read_network(path))
