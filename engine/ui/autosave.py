"""Automatic saving: each game has a file in the user's data folder, rewritten after every move."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from engine.system import host
from engine.system.errors import InputError, reason_of
from engine.system.files import read_text, write_file
from engine.ui.game import PlayedGame


def games_folder() -> Path:
    """The folder of the saved games."""
    return host.user_data_folder() / "adversary" / "games"


def saved_games(folder: Path, most_bytes: int) -> str:
    """The saved games as one PGN text, the latest first, as many as fit; files that cannot be read are left out."""
    texts, left = list[str](), most_bytes
    for path in sorted(folder.glob("*.pgn"), reverse=True):
        try:
            text = read_text(path).strip()
        except InputError:
            continue
        left -= len(text.encode())
        if left < 0:
            break
        texts.append(text)
    return "\n\n".join(texts)


class AutoSave:
    """Saves one game repeatedly to the same file, which is created at the first move."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = games_folder() if folder is None else folder
        self._path: Path | None = None

    @property
    def path(self) -> Path | None:
        """The file; None before the first move."""
        return self._path

    def save(self, game: PlayedGame) -> Path | None:
        """Write the game and return its file, None if it has no moves. InputError if it cannot be written."""
        if not game.moves and self._path is None:
            return None
        if self._path is None:
            self._path = self._new_path()
        write_file(self._path, game.pgn())
        return self._path

    def _new_path(self) -> Path:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot create {self._folder}: {reason_of(error)}") from error
        stamp = f"{datetime.now(UTC).astimezone():%Y-%m-%d_%H-%M-%S}"
        number, path = 1, self._folder / f"{stamp}.pgn"
        while True:
            try:
                path.touch(exist_ok=False)  # two games may start in the same second
            except FileExistsError:
                number += 1
                path = self._folder / f"{stamp}_{number}.pgn"
            except OSError as error:
                raise InputError(f"cannot write {path}: {reason_of(error)}") from error
            else:
                return path
