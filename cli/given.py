"""What a command line gives a net: values of its parameters, and files for its streams and tables."""

from __future__ import annotations

from petri.structs import Frozen, field

from .exits import refusal


class Given(Frozen):
    """settings: {parameter: value}. streams: {place: file}. columns: {field: column}. tables: {name: file}."""

    settings: dict[str, str] = field(default_factory=dict)
    streams: dict[str, str] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)


def read_settings(texts: tuple[str, ...]) -> dict[str, str]:
    """`name=value` texts as {name: value}. Raises Refusal."""
    settings: dict[str, str] = {}
    seen: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name or not value:
            raise refusal("set-form", text=text)
        if name in settings:
            raise refusal("set-twice", name=name, first=seen[name], second=text)
        settings[name], seen[name] = value, text
    return settings


def read_pairs(texts: tuple[str, ...], option: str) -> dict[str, str]:
    """`name=value` texts of `--stream`, `--column` or `--table` as {name: value}. Raises Refusal."""
    what, example = {
        "stream": ("file", "packets=my.pcap"),
        "column": ("column", "size='frame.len [B]'"),
        "table": ("file", "lengths.csv=mine.csv"),
    }[option]
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name or not value:
            raise refusal("stream-form", text=text, what=what, option=option, example=example)
        if name in pairs:
            raise refusal("stream-twice", name=name, first=pairs[name], second=value)
        pairs[name] = value
    return pairs
