"""Changes that no test can notice, or need not: `accepted.toml` lists them with the reason."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from tests.mutants.change import Change

FILE = Path(__file__).with_name("accepted.toml")
KEYS = ("file", "function", "was", "becomes")


def entries(path: Path = FILE) -> list[dict[str, str]]:
    """Return the accepted changes: each has a reason, and some of `KEYS`: one without `was` and `becomes` is about a
    whole function or file.
    """
    found: list[dict[str, str]] = tomllib.loads(path.read_text("utf-8")).get("accepted", [])
    return found


def matches(entry: dict[str, str], change: Change) -> bool:
    """Find the lines, which may have moved: their text counts, and the function they are in."""
    return all(entry[key] == getattr(change, key) for key in KEYS if key in entry)


def is_accepted(change: Change, accepted: Sequence[dict[str, str]]) -> bool:
    return any(matches(entry, change) for entry in accepted)


def written(change: Change) -> str:
    """Return an entry for `accepted.toml`, without its reason."""
    lines = [f"{key} = {text(getattr(change, key))}" for key in KEYS]
    return "\n".join(["[[accepted]]", *lines, 'reason = ""'])


def text(value: str) -> str:
    """Return a string of TOML."""
    if "'" not in value:
        return f"'{value}'"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
