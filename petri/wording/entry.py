"""The template language of diagnostics.

A sentence is a `str.format` template over the diagnostic's values:

    {name}              the value, with control characters made visible
    {count:token}       a number and its noun: `1 token`, `3,000 tokens` (irregular: `{count:entry|entries}`)
    {limit:,}           a number with its thousands marked; a text as it is
    {names:and}         a list: `a`, `b` and `c` in backquotes; {names:or} likewise with "or". A long one is cut
    {words:and:}        the same without the backquotes

The file of an area has for each id its message, and indented below it what is shown with it, where all of its values
are given:

    unknown-field: {kind} has no field `{field}`
      fix field: did you mean `{suggestion}`?
      hint: write `{example}`
      note: its fields are {fields:and}

A `hint` says what to do, and a `note` in which context. `fix` and `remove` are hints that are quick fixes as well: the
text in backquotes is to be where the culprit is, or the named value within it; or the culprit is to be removed. `$name`
stands for the lines below such a heading. `label NAME: …` is the text of a secondary position. Lines that are indented
further continue the one before; `#` begins a comment.

House style: the message is one clause without a full stop. It says what is wrong, in the terms of the language, with
the user's text in backquotes. A hint says what to write instead.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from petri.structs import Frozen, field, replace
from petri.visible import visible

_LONGEST_VALUE = 200
_LONGEST_LIST = 30  # names in a sentence


class Fix(NamedTuple):
    """What a hint would change: `word` (the whole culprit if it is "") becomes `text`."""

    title: str
    text: str
    word: str


class Wording(Frozen):
    """A message, hints (what to do) and notes (context). Each is shown only if all values it names are given.

    fixes: of each hint that is a quick fix, the name of the value that it replaces within the culprit, "" for the whole
    culprit; None if it removes that.
    """

    message: str
    hints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    fixes: dict[str, str | None] = field(default_factory=dict)


def read_area(text: str) -> dict[str, Wording]:
    """Return the entries of a file by their headings. Raises ValueError where one has two."""
    parts: dict[str, list[str]] = {}
    heading = ""
    for line in re.sub(r"\n {4,}", " ", text).splitlines():
        if line.startswith("  $"):
            parts[heading] += parts[line.strip()]
        elif line.startswith("  "):
            parts[heading].append(line.strip())
        elif line and not line.startswith("#"):
            heading, _, message = line.partition(": ")
            if heading in parts:
                raise ValueError(f"{heading} has two wordings")
            parts[heading] = [message] if message else []
    return {heading: _entry(*lines) for heading, lines in parts.items() if not heading.startswith("$")}


def _entry(message: str, *lines: str) -> Wording:
    made = Wording(message)
    for line in lines:
        head, _, text = line.partition(": ")
        kind, _, of = head.partition(" ")
        if kind not in ("hint", "fix", "remove", "note"):
            raise ValueError(f"`{kind}` is not a part of a wording")
        part = "notes" if kind == "note" else "hints"
        made = replace(made, **{part: (*getattr(made, part), text)})
        if kind in ("fix", "remove"):
            made.fixes[text] = of if kind == "fix" else None
    return made


class _Sentence(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec == "," and isinstance(value, int):
            return f"{value:,}"
        if format_spec in ("", ","):
            return quoted(f"{value:.10g}" if isinstance(value, float) else str(value))
        if isinstance(value, int):
            singular, _, plural = format_spec.partition("|")
            return f"{value:,} {singular if value == 1 else plural or singular + 's'}"
        word, _, bare = format_spec.partition(":")
        quote = "" if format_spec.endswith(":") and not bare else "`"
        return listed([f"{quote}{quoted(str(item))}{quote}" for item in value], word)


def fill(template: str, values: Mapping[str, Any]) -> str:
    return _Sentence().vformat(template, (), values)


def fixes_of(entry: Wording, values: Mapping[str, Any]) -> Iterator[Fix]:
    """Yield the quick fixes of the hints whose values are complete."""
    for hint, of in entry.fixes.items():
        if of is None:
            yield Fix("Remove it", "", "")
        elif is_complete(hint, values):
            text = string.Formatter().vformat(hint.split("`")[1], (), values)
            yield Fix(f"Write `{quoted(text)}`", text, str(values[of]) if of else "")


def is_complete(template: str, values: Mapping[str, Any]) -> bool:
    """Return whether every value that the template names is present and not empty."""
    names = [name for _, name, _, _ in string.Formatter().parse(template) if name]
    return all(values.get(name) not in (None, "", (), []) for name in names)


def quoted(text: str) -> str:
    """Return a value as it is shown: without control characters, on one line, and cut to a maximum length."""
    shown = visible(text, keep="")
    return shown if len(shown) <= _LONGEST_VALUE else shown[: _LONGEST_VALUE - 1] + "…"


def listed(items: Sequence[str], word: str = "and") -> str:
    """Return items as a sentence has them: `a, b and c`. A long list is cut."""
    if len(items) > _LONGEST_LIST:
        items = [*items[:_LONGEST_LIST], f"{len(items) - _LONGEST_LIST} more"]
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"
