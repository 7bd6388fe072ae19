"""Commands and options of earlier versions, and how they are written now."""

from __future__ import annotations

from collections.abc import Sequence

from engine.system.errors import InputError

_BARE = {"compare": "compare position"}  # what commands without any words were, and the new words
# Words of a command, perhaps with an option, and the new words; an option that stands alone replaces the old one.
_RENAMED = (
    ("compare --ladder", "compare ladder"),
    ("compare --tournament", "compare tournament"),
    ("compare --bound", "compare bound"),
    ("compare --evaluations", "compare evaluations"),
    ("compare --levels", "compare levels ENGINE"),
    *((f"compare --{option}", f"compare position --{option}")
      for option in ("fen", "suite", "first", "depth", "nodes", "time", "give-up", "hash", "json", "plots")),
    ("tune outcome", "tune wdl"),
    ("tune eval", "tune weights"),
    *((f"tune {what} {old}", new) for what in ("network", "teacher") for old, new in (
        ("--share", "--wdl-weight"), ("--few-men-share", "--few-pieces-share"), ("--decay-of-returns", "--lambda"),
        ("--games-rate", "--games-learning-rate"), ("--pretrain-part", "--pretrain-share"))),
    *((f"tune {what} {old}", new) for what in ("network", "teacher", "policy") for old, new in (
        ("--decay", "--weight-decay"), ("--rate", "--learning-rate"))),
    ("tune network --teacher-part", "--teacher-weight"),
    ("tune judge --decay-of-returns", "--lambda"),
    ("tune weights --rate", "--learning-rate"),
    ("tune weights --blend", "--wdl-weight"),
    ("tune weights --pull", "--regularization"),
    ("tune policy --judge", "--evaluate"),
    ("tablebase clock", "tablebase latency"),
    ("tablebase build --men", "--pieces"),
    *((f"{command} --setting", "--config") for command in ("bench", "selfplay", "tune screen")),
)


def check_spelling(words: Sequence[str]) -> None:
    """Raise InputError, which names the new spelling, if a command line has an old one."""
    if (new_words := _BARE.get(" ".join(words))) is not None:
        raise InputError(f"`{' '.join(words)}` is now `{new_words}`")
    for old, new in _RENAMED:
        *command, last = old.split()
        before, after = list(words[: len(command)]), words[len(command):]
        if before == command and after and _is_named(last, after, is_first=not new.startswith("--")):
            raise InputError(f"`{old}` is now `{new}`")


def _is_named(word: str, after: Sequence[str], *, is_first: bool) -> bool:
    """Whether a subcommand, or an option, stands in the words after a command; `is_first` if no new subcommand does."""
    if not word.startswith("--"):
        return after[0] == word
    options = [one.partition("=")[0] for one in after]
    return word in options and (not is_first or after[0].startswith("-"))
