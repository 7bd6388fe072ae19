"""Files that were made to do harm, or that are no PGN at all: one line, little memory, nothing lost."""

from __future__ import annotations

import io
import lzma
import os
import subprocess
import sys
from pathlib import Path

import chess.pgn
import pytest

from engine.analysis.pgn_reader import read_games
from engine.kernel import SOURCE_ROOT
from tests.commands.running import run

if os.name != "posix":
    pytest.skip("measures the memory of processes", allow_module_level=True)

MEGABYTE = 1 << 20
UNPACKED = 6 * MEGABYTE  # of each file; the memory that was needed grew with it
MOST_MEMORY = 300  # megabytes
SHUFFLE = "Nf3 Nf6 Ng1 Ng8 "

# What a file repeats, after what it begins with.
BOMBS = {"brackets": ("", "[\n"), "headers": ("", '[A "b"]\n'), "comment": ('[Event "a"]\n\n1. e4 {', "[\n"),
         "moves": ('[Event "a"]\n\n', SHUFFLE * 5 + "\n"), "variations": ('[Event "a"]\n\n1. e4 ', "(1. d4) \n")}
# A process in which a reader reads all of a file, and prints its peak memory in kilobytes.
MEASURE = """
import re, resource, sys
from pathlib import Path
from engine.system.errors import InputError
from {module} import {name}
path = Path(sys.argv[1])
try:
    {use}
except InputError as error:
    assert "\\n" not in str(error)
status = Path("/proc/self/status")  # the other figure is at least what the parent had when it forked
peak = re.search(r"VmHWM:\\s+(\\d+)", status.read_text()) if status.exists() else None
print(peak[1] if peak else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
READERS = {"annotate": ("engine.analysis.pgn_reader", "read_games", "for _ in read_games(path): pass"),
           "openings": ("engine.lab.arena.openings", "Openings",
                        "list(Openings(path).draw(1, 1, lambda text: None))"),
           "book": ("book.pgn", "read_pgn", "for _ in read_pgn(path): pass"),
           "play": ("engine.system.files", "read_pgn_text", "read_pgn_text(path, 1 << 20)"),
           "suite": ("engine.lab.suites.problems", "read_problems", "read_problems(path)")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("bombs")


@pytest.mark.parametrize(("reader", "bomb"), [
    ("annotate", "brackets"), ("annotate", "comment"), ("annotate", "moves"), ("annotate", "variations"),
    ("openings", "moves"), ("book", "headers"), ("play", "brackets"), ("suite", "variations")])
def test_no_file_takes_much_memory(reader, bomb, folder):
    path = folder / f"{bomb}.pgn.xz"
    if not path.exists():
        begin, line = BOMBS[bomb]
        path.write_bytes(lzma.compress((begin + line * (UNPACKED // len(line))).encode(), preset=1))
    module, name, use = READERS[reader]
    done = subprocess.run([sys.executable, "-c", MEASURE.format(module=module, name=name, use=use), str(path)],
                          cwd=SOURCE_ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    peak = int(done.stdout) / 1024
    assert peak < MOST_MEMORY, f"{peak:.0f} MB"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_no_letter_is_lost_in_any_encoding(encoding, capsys, tmp_path):
    source, out = tmp_path / "games.pgn", tmp_path / "out.pgn"
    game = '[White "Müller, Žižek"]\n[Black "Fernández"]\n[Site "Tromsø"]\n\n1. e4 {schön – naïve} e5 *\n\n'
    source.write_bytes((game * 2).encode(encoding))
    assert [read.headers["White"] for _, read in read_games(source)] == ["Müller, Žižek"] * 2
    assert run(capsys, "annotate", str(source), "--out", str(out), "--nodes", "50")[0] == 0
    with out.open(encoding="utf-8") as file:
        read = chess.pgn.read_game(file)
    assert read is not None and dict(read.headers).items() >= {"White": "Müller, Žižek", "Black": "Fernández",
                                                                "Site": "Tromsø"}.items()
    assert "schön – naïve" in read.next().comment


def test_latin_1_inside_utf_8_keeps_both(tmp_path):
    path = tmp_path / "mixed.pgn"
    game = '[White "Müller"]\n[Black "B"]\n\n1. e4 *\n\n'
    path.write_bytes(game.encode("latin-1") + game.encode() + game.encode("latin-1"))
    assert [read.headers["White"] for _, read in read_games(path)] == ["Müller"] * 3


def test_a_saved_game_in_latin_1_is_continued(capsys, tmp_path, monkeypatch):
    path = tmp_path / "game.pgn"
    path.write_bytes('[White "Müller"]\n[Black "B"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'.encode("latin-1"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    status, printed, err = run(capsys, "play", "--pgn", str(path))
    assert "not a text file" not in err and status in (0, 2), (printed, err)


@pytest.mark.parametrize("name", ["noise.epd", "noise.pgn", "noise.pgn.xz"])
def test_a_binary_file_holds_no_openings_and_is_refused_at_once(name, capsys, tmp_path):
    path, noise = tmp_path / name, bytes(range(256)) * 4000
    path.write_bytes(lzma.compress(noise) if name.endswith("xz") else noise)
    status, printed, err = run(capsys, "match", "default", "default", "--games", "2", "--nodes", "10", "--openings",
                               str(path))
    assert (status, printed, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: {path} is not a text file: ")


def test_a_file_of_errors_gets_a_hundred_warnings(capsys, tmp_path):
    path = tmp_path / "prose.epd"
    path.write_text("this is not a position\n" * 5000)
    status, _, err = run(capsys, "match", "default", "default", "--games", "2", "--nodes", "10", "--openings",
                         str(path))
    warnings = err.splitlines()
    assert status == 2 and len(warnings) == 102
    assert warnings[100:] == ["warning: skipped more, not shown", f"error: {path} holds no openings"]
