"""The result of a run: its figures, shown in a notebook, and as JSON types or tables of other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from petri.display import ShownInNotebook, report
from petri.result.export import result_dataset, result_dict, result_frames, result_polars
from petri.result.figures import RunFigures
from petri.run.saved_run import SavedRun, saved_run

if TYPE_CHECKING:
    import pandas
    import polars
    import xarray


class Result(ShownInNotebook, RunFigures):
    """A run, with its figures."""

    @property
    def saved(self) -> SavedRun | None:
        """The state at `save_at`, from which `Model.run(start=…)` goes on; `saved.save(path)` writes it to a file.

        Replications that ended before are not in it. None if it was not asked for, or if all of them did.
        """
        plan = self.plan
        found = [one.saved for _, one in sorted(self.replications.special.items()) if one.saved is not None]
        return saved_run(self.net, plan.until, plan.warmup, plan.seed, found)

    def figure(self, name: str, kind: str | None = None) -> Any:
        """Draw a measure or a place as on the page of the run: a plotly figure, which a notebook shows.

        kind: of a measure "density", "tail" or "series", or of reordering "extent", "degree", "displacement" or
        "buffer"; of a place "tokens" (the share of time by their number, of a run with `occupancy`) or "history".
        Without it, the first of these that the run has.

        Raises UnknownName (a KeyError) with the nearest names, ValueError where there is nothing to draw, and
        ImportError if plotly is not installed (the extra `plots`).
        """
        return report().figure(self, name, kind=kind)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON types; nan becomes None."""
        return result_dict(self)

    def to_pandas(self) -> dict[str, pandas.DataFrame]:
        """Tables "places", "transitions" and "measures", with units in `attrs["units"]` and the column "unit".

        Raises ImportError if pandas is not installed.
        """
        return result_frames(self)

    def to_polars(self) -> dict[str, polars.DataFrame]:
        """Return the same tables, with units in the names of columns. Raises ImportError if polars is not installed."""
        return result_polars(self)

    def to_xarray(self) -> xarray.Dataset:
        """Figures of places and transitions, and measures. Raises ImportError if xarray is not installed."""
        return result_dataset(self)
