"""A policy in memory: read-only numbers, shared by all threads, which kernels reach by its address."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

import numpy as np

from engine.kernel import record_type
from engine.kernel.intrinsics import record_reader
from engine.kernel.records import I8, Fields, Numbers, dtype_of
from engine.system.host import zeroed_memory
from eval.policy.file import TRAITS, Policy, read_policy

NO_POLICY = 0  # the address where there is none
BUILT_IN_FILE = Path(__file__).with_name("default.policy")


class PolicyRecord(Fields):
    """A policy, as kernels see it."""

    width: I8  # hidden cells, and bytes of a row of weights
    features: I8  # addresses of rows, one after another
    paths: I8
    places: I8
    traits: I8
    dangers: I8
    biases: I8  # address of the int16 of all hidden cells
    trait_biases: Annotated[Numbers, "i8", TRAITS]


POLICY = dtype_of(PolicyRecord)
_TABLES = ("features", "paths", "places", "traits", "dangers")  # in memory one after another
policy_at = record_reader(record_type(POLICY))


class LoadedPolicy:
    """A policy that kernels can use, by its `address`, while this object is alive."""

    def __init__(self, policy: Policy) -> None:
        width = policy.hidden
        self.policy = policy
        tables = {name: getattr(policy, f"{name[:-1]}_weights") for name in _TABLES}
        rows = sum(map(len, tables.values()))
        self._memory = zeroed_memory(rows * width + 2 * width)
        whole = np.frombuffer(self._memory, np.int8)
        whole[:rows * width] = np.concatenate(list(tables.values())).ravel()
        whole[rows * width:].view(np.int16)[:] = policy.feature_biases
        self._record = np.zeros(1, POLICY)
        record, place = self._record[0], int(whole.ctypes.data)
        record["width"], record["trait_biases"] = width, policy.trait_biases
        for name, table in tables.items():
            record[name] = place
            place += table.size
        record["biases"] = place

    @property
    def address(self) -> int:
        """What kernels are given."""
        return int(self._record.ctypes.data)


@cache
def built_in_policy() -> LoadedPolicy | None:
    """The policy that comes with the engine, if one does."""
    return LoadedPolicy(read_policy(BUILT_IN_FILE)) if BUILT_IN_FILE.exists() else None
