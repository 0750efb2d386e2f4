"""What a command line gives a net: values of its parameters, and files for its streams and tables."""

from __future__ import annotations

from typing import Final

from petri.structs import Frozen, field

from ..terminal.exits import Refusal, refusal


class Given(Frozen):
    """settings: {parameter: value}. streams: {place: file}. columns: {field: column}. tables: {name: file}."""

    settings: dict[str, str] = field(default_factory=dict)
    streams: dict[str, str] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)


_MEANT: Final = {
    "stream": ("file", "packets=my.pcap"),
    "column": ("column", "size='frame.len [B]'"),
    "table": ("file", "lengths.csv=mine.csv"),
    "out": ("file", "done=done.csv"),
}


def read_pairs(texts: tuple[str, ...], option: str) -> dict[str, str]:
    """`name=value` texts of `--set`, `--stream`, `--column`, `--table` or `--out` as {name: value}. Raises Refusal."""
    pairs: dict[str, str] = {}
    seen: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name or not value:
            raise _without_value(text, option)
        if name in pairs and option == "set":
            raise refusal("set-twice", name=name, first=seen[name], second=text)
        if name in pairs:
            raise refusal("stream-twice", name=name, first=pairs[name], second=value)
        pairs[name], seen[name] = value, text
    return pairs


def _without_value(text: str, option: str) -> Refusal:
    if option == "set":
        return refusal("set-form", text=text, part="value" if text.partition("=")[0].strip() else "name")
    what, example = _MEANT[option]
    return refusal("stream-form", text=text, what=what, option=option, example=example)
