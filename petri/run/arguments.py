"""Arguments of Python programs that are of a wrong kind are refused in one sentence each, which names them.

`petri.run.plan` has the same for whole numbers and for the options of a run, which each run needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, TypeGuard


def check_path(name: str, value: object) -> None:
    """Raise TypeError unless it is a text or a path."""
    if not isinstance(value, str | PathLike):
        raise TypeError(f"`{name}` is a path, not {value!r:.60}")


def check_text(name: str, value: object, example: str = "") -> None:
    """Raise TypeError unless it is a text."""
    if not isinstance(value, str):
        such = f", such as {example!r}," if example else ","
        raise TypeError(f"`{name}` is a text{such} not {value!r:.60}")


def check_mapping(name: str, value: object, example: str) -> None:
    """Raise TypeError unless it is a mapping from texts."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise TypeError(f"`{name}` is a mapping, such as {example}, not {value!r:.60}")


def check_names(name: str, value: object) -> None:
    """Raise TypeError unless it is a list of texts."""
    if not (is_list(value) and all(isinstance(one, str) for one in value)):
        raise TypeError(f"`{name}` is a list of names, not {value!r:.60}")


def check_number(name: str, value: object, example: str) -> None:
    """Raise TypeError unless it is a number."""
    if not hasattr(value, "__float__"):
        raise TypeError(f"`{name}` is a number, such as {example}, not {value!r:.60}")


def check_share(name: str, value: Any) -> None:
    """Raise TypeError unless it is a number, ValueError unless that is between 0 and 1."""
    check_number(name, value, "0.95")
    if not 0.0 < float(value) < 1.0:
        raise ValueError(f"`{name}` is between 0 and 1, not {value!r}")


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)
