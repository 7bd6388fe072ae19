"""Entries called from Python."""

from __future__ import annotations

import sys
import threading
import time

import numpy as np
import pytest
from numba.core import config

from engine.core.fen import START_FEN, parse_fen
from engine.core.game import list_moves
from engine.core.movegen import empty_move_list
from engine.core.moves import encode_move
from engine.core.perft import BULK, perft
from engine.core.position import castled_squares
from engine.kernel import array_type, entry, import_all, int64, intrinsics, library, sources, uint64
from engine.kernel.compiler import inner_dispatcher
from engine.kernel.library import is_shipped
from engine.search.modes import MODES
from tests.kernels import read_clock


@entry(array_type("f8"), array_type("u1"), uint64, int64)
def mixed(reals, bytes_, word, number):
    """Arguments and results of every type."""
    bytes_[0] += np.uint8(1)
    return reals[0] + reals.size, word, number, bytes_[0] == 8


@entry(int64)
def one_in_a_tuple(number):
    return (number,)


call_number = intrinsics.function_at(int64)


@entry(int64)
def twice(number):
    return 2 * number


@entry(int64, int64)
def call_it(address, number):
    return call_number(address, number) + 1


def test_arguments_and_results_of_every_type():
    reals, cells = np.array([0.5, 1.0]), np.array([7], np.uint8)
    assert mixed(reals, cells, 2**64 - 1, -5) == (2.5, 2**64 - 1, -5, True)
    assert cells[0] == 8
    assert [type(value) for value in mixed(reals, cells, 1, np.int64(2))] == [float, int, int, bool]
    assert one_in_a_tuple(4) == (4,)


def test_an_entry_is_called_by_its_address():
    assert call_it(twice.address, 21) == 43


@pytest.mark.parametrize("arguments", [
    ("no record", 1), (), (parse_fen(START_FEN),), (parse_fen(START_FEN), parse_fen(START_FEN)),
    (parse_fen(START_FEN), empty_move_list(), 1),
])
def test_records_of_another_type_are_refused(arguments):
    with pytest.raises(TypeError):
        list_moves(*arguments)


@pytest.mark.parametrize("array", [np.zeros(4, np.float32), np.zeros((2, 2)), np.zeros(8)[::2], [1.0], None])
def test_arrays_of_another_type_are_refused(array):
    with pytest.raises(TypeError):
        mixed(array, np.zeros(1, np.uint8), 1, 1)


def test_a_read_only_array_is_refused():
    array = np.zeros(4)
    array.setflags(write=False)
    with pytest.raises(TypeError):
        mixed(array, np.zeros(1, np.uint8), 1, 1)


@pytest.mark.parametrize("depth", [1.0, "1", None])
def test_numbers_of_another_type_are_refused(depth):
    with pytest.raises(TypeError):
        perft(parse_fen(START_FEN), empty_move_list(), depth, BULK)


def test_an_entry_is_loaded_once_by_concurrent_threads():
    addresses: list[int] = []
    threads = [threading.Thread(target=lambda: addresses.append(list_moves.address)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(addresses) == 4
    assert len(set(addresses)) == 1


def test_python_runs_while_a_kernel_does():
    counts = [0]
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            counts[0] += 1

    perft(parse_fen(START_FEN), empty_move_list(), 1, BULK)
    thread = threading.Thread(target=count)
    thread.start()
    before = counts[0]
    perft(parse_fen(START_FEN), empty_move_list(), 6, BULK)
    done.set()
    thread.join()
    assert counts[0] > before + 1000


def test_every_entry_of_the_sources_is_found():
    texts = [path.read_text(encoding="utf-8") for package in sources.PACKAGES
             for path in (sources.SOURCE_ROOT / package).rglob("*.py")]
    declared = sum(text.count("\n@entry(") for text in texts)
    assert len(import_all()) == declared > 20


def test_packages_leave_out_what_only_the_laboratory_calls():
    """What users' commands import is in the package; every beginning of a name that is left out belongs to an entry."""
    names = [point.name for point in import_all()]
    left_out = {name for name in names if not is_shipped(name)}
    assert 15 < len(left_out) < len(names) / 2
    assert all(any(name.startswith(beginning) for name in names) for beginning in library._ON_DEMAND)
    tree, served = sources.own_tree(), set()
    for module in ("engine.uci.session", "engine.analysis.engine", "engine.ui.web.app", "engine.ui.terminal.session",
                   *(mode.factory.partition(":")[0] for mode in MODES)):
        served.update(tree.sources_of(module))
    assert not {name for name in left_out if name.rpartition(".")[0] in served} - {"eval.network.samples.choose_part"}


def test_kernels_and_python_read_the_same_clock():
    read_clock.load()
    before = time.perf_counter_ns()
    read = read_clock()
    assert before <= read <= time.perf_counter_ns()


def test_a_kernel_called_from_python_runs_uncompiled():
    assert encode_move(12, 28, 0) == 12 | 28 << 6
    assert castled_squares(4, 7) == (6, 5)


def test_intrinsics_cannot_be_called_from_python():
    with pytest.raises(NotImplementedError):
        intrinsics.lsb(1)


@entry(int64)
def failing(number):
    if number > 1:
        raise ValueError
    return number


def test_a_kernel_that_fails_raises():
    assert failing(1) == 1
    with pytest.raises(RuntimeError):
        failing(2)


def test_record_addresses_agree_with_numpy():
    from engine.kernel import signature

    position = parse_fen(START_FEN)
    assert signature._address_of_record(position) == position.__array_interface__["data"][0]
    assert sys.implementation.name != "cpython" or signature._address_of_record is signature._address_by_layout


def test_entry_names_are_unique():
    with pytest.raises(TypeError, match="is a local function"):
        @entry(int64)
        def local(number):
            return number


def test_kernels_are_compiled_though_the_user_has_switched_numba_off(monkeypatch):
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    dispatcher = inner_dispatcher(lambda number: number + 1, is_inline=False)
    assert hasattr(dispatcher, "overloads"), "it is left as a Python function"
    assert config.DISABLE_JIT == 1, "other code of the process is left alone"
