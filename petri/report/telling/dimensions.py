"""The dimension in which a figure is shown."""

from __future__ import annotations

from petri.measure.figures import field_dimension


def shown_dimension(dimension: str, field: str | None = None) -> str:
    """Return the dimension of a measure, or of a field which it records; a rate of events as "events"."""
    found = dimension if field is None else field_dimension(dimension, field)
    return "events" if found == "Freq" else found
