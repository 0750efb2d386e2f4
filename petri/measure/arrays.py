"""`np`, with which figures are computed: numpy, imported when it is first used; or `petri.measure.plain` in its place.

numpy takes three times as long to load as Python itself. A command that shows the figures of one run of a small net,
and then ends, has them sooner without. Which of the two it is makes no difference to any figure.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

__all__ = ["MOST_PLAIN", "Floats", "Integers", "np", "on_lists"]

MOST_PLAIN: Final = 40  # places and transitions; with more, numpy has made good the time it takes to load

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
else:
    Floats = Integers = Any

    class _Arrays:
        """The module in use, whose names are kept here once they have been looked up."""

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            import numpy

            found = getattr(numpy, name)
            setattr(self, name, found)
            return found

    np = _Arrays()


@contextmanager
def on_lists(wanted: bool = True) -> Iterator[None]:
    """Compute on lists in the block, if it is wanted: no array of numpy may enter it, and none of its own leave it."""
    if not wanted:
        yield
        return
    from petri.measure import plain

    before = dict(vars(np))
    vars(np).update(vars(plain))
    try:
        yield
    finally:
        vars(np).clear()
        vars(np).update(before)
