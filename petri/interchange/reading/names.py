"""Names of other tools as names of the language: readable, and each one's own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable

from petri.catalogue.operations import DISTRIBUTIONS, FUNCTIONS
from petri.catalogue.words import OPERATORS, RESERVED, SOFT

_TYPES = ("int", "real", "bool", "Time", "Bytes", "Rate", "Freq")
_TAKEN = frozenset((*RESERVED, *SOFT, *OPERATORS, *FUNCTIONS, *DISTRIBUTIONS, *_TYPES, "nothing", "tokens"))
_LONGEST = 100  # characters of a name
_WORDS = {"+": "_plus_", "'": "_prime", "<": "_less_", ">": "_greater_", "=": "_equal_", "&": "_and_"}


class Names:
    """Gives each thing of a file its name in the net: `names.give("place", "p 1")` is `p_1`, always for this place.

    What has the name of another thing, or of a word of the language, gets a number or a `_` at the end.
    """

    def __init__(self) -> None:
        self._given: dict[tuple[str, Hashable], str] = {}
        self._originals: dict[str, str] = {}
        self._used: set[str] = set(_TAKEN)
        self._next: dict[str, int] = {}  # the number to try first, so that many equal names take no longer

    def give(self, kind: str, key: Hashable, wanted: str | None = None) -> str:
        """Return the name of the thing with this key; wanted: how the file calls it, if that is not the key."""
        known = self._given.get((kind, key))
        if known is not None:
            return known
        original = str(key) if wanted is None else wanted
        name = self._free(identifier(original))
        self._given[kind, key] = name
        self._originals[name] = original
        return name

    def known(self, kind: str, key: Hashable) -> str | None:
        return self._given.get((kind, key))

    def fresh(self, wanted: str) -> str:
        """Return a name for a thing that the file does not have."""
        return self._free(identifier(wanted))

    def array(self, wanted: str) -> str:
        """Return a name for an array: with a `_` at the end, if another thing has it."""
        return self._free(f"{wanted}_" if wanted in self._used else wanted)

    def original(self, name: str) -> str:
        """Return how the file calls it, where more differs than white space; else an empty text."""
        original = " ".join(self._originals.get(name, "").split())
        return "" if re.sub(r"[\s_]+", "_", original) == name else original

    def _free(self, name: str) -> str:
        if name in _TAKEN:
            name += "_"
        found, number = name, self._next.get(name, 2)
        while found in self._used:
            found, number = f"{name}_{number}", number + 1
        self._next[name] = number
        self._used.add(found)
        return found


def identifier(text: str) -> str:
    """Return the text as a name of the language: letters, digits and `_`, a letter first."""
    written = "".join(_WORDS.get(character, character) for character in unicodedata.normalize("NFKC", text).strip())
    plain = re.sub(r"_+", "_", re.sub(r"\W", "_", written))[:_LONGEST].rstrip("_")
    if re.fullmatch(r"p\d+", plain):  # `p99` of a measure
        return plain
    return plain if plain[:1].isalpha() else f"n{plain}" if plain else "unnamed"
