"""Players as people write their names: `Carlsen, Magnus`, `Magnus Carlsen`, `carlsen`, `Carlsen, M.`."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Mapping

from engine.system.errors import InputError, quote

_WORD = re.compile(r"[^\W_]+")
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th"})  # noqa: RUF001
_MOST_LISTED = 8

Words = tuple[str, ...]


def words_of(name: str) -> Words:
    """The words of a name in small letters without accents."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    return tuple(_WORD.findall("".join(letter for letter in letters if not unicodedata.combining(letter))
                               .translate(_LETTERS)))


def fits(words: Words, name: Words) -> bool:
    """Whether each word stands in a name, one longer than a letter in full; others may be initials there, or here."""
    if words == name:
        return True
    left, unmatched = list(name), list[str]()
    for word in words:
        if word in left:
            left.remove(word)
        else:
            unmatched.append(word)
    if all(len(word) == 1 or word in unmatched for word in words):
        return False
    for word in unmatched:
        initial = next((other for other in left if 1 in (len(word), len(other)) and word[0] == other[0]), None)
        if initial is None:
            return False
        left.remove(initial)
    return True


def find_player(wanted: str, games: Mapping[str, int]) -> frozenset[str]:
    """The spellings of one player among the names of some games; `games` has the number of games of each name.

    InputError if there is no such player, or if several people have such a name.
    """
    words = words_of(wanted)
    names = {name: words_of(name) for name in games if words_of(name)}
    if not names:
        raise InputError("the games have no names of players")
    matching = {name: own for name, own in names.items() if fits(words, own)}
    exact = {name for name, own in matching.items() if sorted(own) == sorted(words)}
    if exact:  # and those that have an initial in place of a word, unless it may be that of another player
        others = [own for own in names.values() if not fits(words, own)]
        return frozenset(exact | {name for name, own in matching.items() if len(own) == len(words)
                                  and not any(fits(own, other) for other in others)})
    if not matching:
        near = difflib.get_close_matches(" ".join(words), [" ".join(own) for own in names.values()], 3)
        likely = [name for name, own in names.items() if " ".join(own) in near] or list(names)
        raise InputError(f"no player {quote(wanted)} in these games; there are {_list_names(likely, games)}")
    if any(not (fits(first, second) or fits(second, first)) for first in matching.values()
           for second in matching.values()):
        raise InputError(f"several players match {quote(wanted)}: {_list_names(list(matching), games)}")
    return frozenset(matching)


def _list_names(names: list[str], games: Mapping[str, int]) -> str:
    """Names with the number of their games, those with the most first; of a name in other order, the usual spelling."""
    people = dict[Words, list[str]]()
    for name in sorted(names, key=lambda name: (-games[name], name)):
        people.setdefault(tuple(sorted(words_of(name))), []).append(name)
    played = {spellings[0]: sum(games[name] for name in spellings) for spellings in people.values()}
    ranked = sorted(played, key=lambda name: (-played[name], name))
    shown = "; ".join(f"{name} ({played[name]} {'game' if played[name] == 1 else 'games'})"
                      for name in ranked[:_MOST_LISTED])
    return shown + (f"; and {len(ranked) - _MOST_LISTED} more" if len(ranked) > _MOST_LISTED else "")
