"""Running a command inside this process."""

from __future__ import annotations

from engine.__main__ import main


def run(capsys, *words: str) -> tuple[int | str | None, str, str]:
    """(exit status, stdout, stderr)."""
    status: int | str | None
    try:
        status = main(words)
    except SystemExit as stop:
        status = stop.code
    captured = capsys.readouterr()
    return status, captured.out, captured.err
