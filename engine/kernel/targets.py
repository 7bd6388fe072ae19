"""The target processors of machine code: their baselines, LLVM's back end for them, and the loader.

A baseline is a set of instructions that many processors have in common. Code that is compiled on the user's machine,
for the cache, is compiled for that very processor instead.
"""

from __future__ import annotations

import ctypes
import hashlib
from functools import cache
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from engine.system import host

_V3 = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2")
_V4 = (*_V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")


class Baseline(NamedTuple):
    """A family of processors; `needs` are the features that `host_features` must name."""

    name: str
    architecture: str  # the triple's first word
    cpu: str
    features: str
    needs: tuple[str, ...]


_DOT_PRODUCTS = "dotprod"

# The first one of an architecture that a processor satisfies is used. Of armv8.2-a only the atomic additions and the
# products of bytes make a difference here. LLVM reports the former and the checksums; the system reports the latter.
BASELINES = (
    Baseline("x86-64-v4", "x86_64", "x86-64-v4", "", _V4),
    Baseline("x86-64-v3", "x86_64", "x86-64-v3", "", _V3),
    Baseline("armv8.2-a", "aarch64", "generic", f"+crc,+lse,+{_DOT_PRODUCTS}", ("crc", "lse", _DOT_PRODUCTS, "neon")),
    Baseline("armv8-a", "aarch64", "generic", "", ("neon",)),
)

_ARCHITECTURES = {"arm64": "aarch64", "amd64": "x86_64"}  # aliases
_CODE_GENERATION_LEVEL = 3

# Functions that machine code may call. LLVM terminates the process if it cannot find a symbol.
RUNTIME_SYMBOLS = frozenset({
    "clock_gettime", "QueryPerformanceCounter", "QueryPerformanceFrequency", "memcpy", "memmove", "memset",
    "exp", "log", "tanh", "atanh", "pow", "sqrt", "floor", "ceil", "round",
})


def triple() -> str:
    """Architecture and system of this process, as LLVM names them."""
    text: str = llvm.get_process_triple()
    return text


def without_release(target: str) -> str:
    """A triple without the release of macOS, since the machine code runs on all releases."""
    return target.rstrip(".0123456789")


def architecture(target: str) -> str:
    """The architecture of a triple."""
    word = target.partition("-")[0]
    return _ARCHITECTURES.get(word, word)


@cache
def host_features() -> frozenset[str]:
    """The features of this processor, as LLVM names them."""
    features = {name for name, is_there in llvm.get_host_cpu_features().items() if is_there}
    if architecture(triple()) == "aarch64" and host.has_dot_products():
        features.add(_DOT_PRODUCTS)
    return frozenset(features)


def host_cpu() -> str:
    """LLVM's name for this processor."""
    name: str = llvm.get_host_cpu_name()
    return name


def baselines_of(target: str) -> list[Baseline]:
    """The baselines of a triple's architecture, the most demanding first."""
    return [baseline for baseline in BASELINES if baseline.architecture == architecture(target)]


def missing_features(baseline: Baseline) -> list[str]:
    """The features that this processor lacks for a baseline."""
    return [need for need in baseline.needs if need not in host_features()]


def processor_digest() -> str:
    """A digest that identifies this processor: machine code compiled for it may not run on another one."""
    text = " ".join((triple(), host_cpu(), *sorted(host_features())))
    return hashlib.sha256(text.encode()).hexdigest()


def machine(baseline: Baseline | None, target: str | None = None) -> Any:
    """LLVM's compiler back end for a baseline, or for this processor if there is none."""
    target = target or triple()
    if architecture(target) == architecture(triple()):
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    else:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    if host.IS_WINDOWS and not target.endswith("-elf"):
        target += "-elf"  # the only format that LLVM itself can load there
    cpu, features = (host_cpu(), _native_features()) if baseline is None else (baseline.cpu, baseline.features)
    # As in Numba: position-dependent code on x86, which the loader then relocates.
    relocation = "static" if architecture(target) == "x86_64" else "default"
    return llvm.Target.from_triple(target).create_target_machine(
        cpu=cpu, features=features, opt=_CODE_GENERATION_LEVEL, reloc=relocation, codemodel="jitdefault", jit=True)


def _native_features() -> str:
    features = llvm.get_host_cpu_features()
    if _DOT_PRODUCTS in host_features():
        features[_DOT_PRODUCTS] = True
    text: str = features.flatten()
    return text


class Loader:
    """Loads object code into memory, ready to run."""

    def __init__(self) -> None:
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine(None))
        for symbol in RUNTIME_SYMBOLS:
            _register_symbol(symbol)

    def load(self, object_code: bytes, symbol: str) -> int:
        """The address of `symbol`, which the object code defines; 0 if it does not."""
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(object_code))
        self._engine.finalize_object()
        address: int = self._engine.get_function_address(symbol)
        return address


def _register_symbol(symbol: str) -> None:
    """Register the address of a C library function with LLVM, unless LLVM finds it by itself."""
    if llvm.address_of_symbol(symbol) is None:
        for library in host.c_libraries():
            if hasattr(library, symbol):
                llvm.add_symbol(symbol, ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value)
                return
