"""What a notebook and `print` show of an object.

Results and models are below the report in the order of imports, so they cannot import it. The package, which is above
both, says once where the functions are that draw them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_load: list[Callable[[], Any]] = []


def show_with(load: Callable[[], Any]) -> None:
    """Let the functions of the module that `load` returns show objects. It is called when the first is to be shown."""
    _load[:] = [load]


@contextmanager
def watching(function: str, what: object, watch: Any, progress: bool) -> Iterator[Any]:
    """The watcher of an experiment: the given one, or, if progress is to be shown, the line of `function`."""
    line = shown_by_report(function, what) if progress and watch is None else None
    try:
        yield line or watch
    finally:
        if line is not None:
            line.close()


def shown_by_report(function: str, *what: object, **options: object) -> Any:
    """What this function of `petri.report.notebook` makes of an object."""
    return getattr(_load[0](), function)(*what, **options)
