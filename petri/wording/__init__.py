"""The sentences of every diagnostic, by id.

To add one, write its entry in the table of its area. An id belongs to one area only. `entry.py` describes the template
language.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from petri.wording.entry import Fix, Wording, fill, fix, is_complete

AREAS = (
    "files", "syntax", "checks", "values", "arcs", "measures", "lints", "run", "command", "output", "experiment",
    "search", "streams", "threads", "exact", "editor", "interchange",
)  # fmt: skip
# Limits that no single instance is to blame for.
_OF_ALL = frozenset((
    "all-too-many", "instance-too-deep", "loops-too-long", "measures-too-large", "measures-too-many", "too-many-tokens",
    "too-many-valued",
))  # fmt: skip


@cache
def wording_table() -> dict[str, Wording]:
    """Every entry of every area; raises ValueError where two areas use one id."""
    table: dict[str, Wording] = {}
    for area in AREAS:
        for name, entry in import_module(f"petri.wording.{area}").WORDING.items():
            if name in table:
                raise ValueError(f"the diagnostic id {name} has two wordings")
            table[name] = entry
    return table


@cache
def label_table() -> dict[str, str]:
    """The texts of labels at secondary positions, by role."""
    table: dict[str, str] = {}
    for area in AREAS:
        for role, text in getattr(import_module(f"petri.wording.{area}"), "LABELS", {}).items():
            if table.setdefault(role, text) != text:
                raise ValueError(f"the label {role} has two wordings")
    return table


def message(identifier: str, values: Mapping[str, Any]) -> str:
    return fill(wording_table()[identifier].message, values)


def hints(identifier: str, values: Mapping[str, Any]) -> tuple[str, ...]:
    return _complete(wording_table()[identifier].hints, values)


def notes(identifier: str, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The notes of a message, and last the instance of a module in which it is wrong."""
    where = () if identifier in _OF_ALL else ("in the instance `{instance}`",)
    return _complete((*wording_table()[identifier].notes, *where), values)


def fixes(identifier: str, values: Mapping[str, Any]) -> tuple[Fix, ...]:
    """The hints that say exactly what to write, as changes."""
    found = (fix(hint, values) for hint in wording_table()[identifier].hints if is_complete(hint, values))
    return tuple(one for one in found if one is not None)


def label(role: str, values: Mapping[str, Any]) -> str:
    return fill(label_table()[role], values)


def _complete(templates: tuple[str, ...], values: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(fill(template, values) for template in templates if is_complete(template, values))
