"""`np`, with which figures are computed: numpy, imported when it is first used; or `petri.measure.plain` in its place.

numpy takes three times as long to load as Python itself. A command that shows the figures of one run of a small net,
and then ends, has them sooner without. Which of the two it is makes no difference to any figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

__all__ = ["MOST_PLAIN", "Floats", "Integers", "np", "use_plain"]

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


def use_plain() -> None:
    """Compute on lists from now on: for a process that has computed nothing yet, and ends after this run."""
    from petri.measure import plain

    vars(np).clear()
    vars(np).update(vars(plain))
