"""A policy in memory: read-only weights, shared by all threads, which kernels access by address."""

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

NO_POLICY = 0  # in place of an address
BUILT_IN_FILE = Path(__file__).with_name("default.policy")


class PolicyRecord(Fields):
    """A policy, for kernels."""

    width: I8  # hidden cells, and bytes of a row of weights
    features: I8  # addresses of rows, one after another
    from_to: I8
    piece_to: I8
    traits: I8
    dangers: I8
    biases: I8  # address of the int16 of all hidden cells
    trait_biases: Annotated[Numbers, "i8", TRAITS]


POLICY = dtype_of(PolicyRecord)
_TABLES = {"features": "feature_weights", "from_to": "from_to_weights", "piece_to": "piece_to_weights",
           "traits": "trait_weights", "dangers": "danger_weights"}  # in memory one after another
policy_at = record_reader(record_type(POLICY))


class LoadedPolicy:
    """A policy that kernels can use, by its `address`, while this object is alive."""

    def __init__(self, policy: Policy) -> None:
        width = policy.hidden
        self.policy = policy
        tables = {name: getattr(policy, weights) for name, weights in _TABLES.items()}
        rows = sum(map(len, tables.values()))
        self._memory = zeroed_memory(rows * width + 2 * width)
        whole = np.frombuffer(self._memory, np.int8)
        whole[:rows * width] = np.concatenate(list(tables.values())).ravel()
        whole[rows * width:].view(np.int16)[:] = policy.feature_biases
        self._record = np.zeros(1, POLICY)
        record, address = self._record[0], int(whole.ctypes.data)
        record["width"], record["trait_biases"] = width, policy.trait_biases
        for name, table in tables.items():
            record[name] = address
            address += table.size
        record["biases"] = address

    @property
    def address(self) -> int:
        """The address of the record, for kernels."""
        return int(self._record.ctypes.data)


@cache
def built_in_policy() -> LoadedPolicy | None:
    """The built-in policy, if there is one."""
    return LoadedPolicy(read_policy(BUILT_IN_FILE)) if BUILT_IN_FILE.exists() else None
