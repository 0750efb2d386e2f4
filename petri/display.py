"""What a notebook and `print` show of an object.

Results and models are below the report in the order of imports, so they cannot import it. The package, which is above
both, says once where the report is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol


class Line(Protocol):
    """A line that shows the progress of something."""

    def __call__(self, state: Any, /) -> None: ...

    def close(self) -> None: ...


class Report(Protocol):
    """What the report makes of objects, by their class (`petri.report.notebook`)."""

    def text(self, shown: object, /) -> str: ...

    def html(self, shown: object, /) -> str: ...

    def progress_line(self, running: object, /) -> Line: ...

    def draw(self, model: Any, /) -> Any: ...

    def figure(self, shown: Any, /, *names: str, **options: Any) -> Any: ...

    def why(self, model: Any, transition: str, /, *when: Any, **options: Any) -> Any: ...


class Shown:
    """An object that the report describes for `repr`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return report().text(self)


class ShownInNotebook(Shown):
    """One that a notebook shows as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return report().html(self)


class Live(Protocol):
    """What makes a view of a net whose parameters are changed (`petri.live.notebook`)."""

    def view(self, origin: Any, name: str, threads: int | None, options: Any, /) -> Any: ...


class Studies(Protocol):
    """What changes a model to see what follows (`petri.experiment.sensitivity.study`)."""

    def sensitivity(self, model: Any, /, **options: Any) -> Any: ...


_load: list[Callable[[], Report]] = []
_load_live: list[Callable[[], Live]] = []
_load_studies: list[Callable[[], Studies]] = []


def show_with(load: Callable[[], Report], load_live: Callable[[], Live], load_studies: Callable[[], Studies]) -> None:
    """Let the report that `load` returns show objects, once there are any; the others return what makes views and
    studies of a model.
    """
    _load[:], _load_live[:], _load_studies[:] = [load], [load_live], [load_studies]


def report() -> Report:
    return _load[0]()


def live() -> Live:
    return _load_live[0]()


def studies() -> Studies:
    return _load_studies[0]()


@contextmanager
def watching(what: object, watch: Any, progress: bool) -> Iterator[Any]:
    """Yield the watcher of an experiment: the given one, or a line that the report writes if progress is shown."""
    line = report().progress_line(what) if progress and watch is None else None
    try:
        yield line or watch
    finally:
        if line is not None:
            line.close()
