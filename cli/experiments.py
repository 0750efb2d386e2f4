"""Shared by the commands that run a net at several points: its grids, and where its results go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import nets
from .exits import refusal

if TYPE_CHECKING:
    from petri.experiment.sampling import Value
    from petri.model import Model

FILES = (".yaml", ".yml")


def net_of_stdin() -> Callable[..., Model]:
    """Makes the net from its parameters, from a text that can be read only once."""
    text = nets.read_stdin()

    def make(**values: object) -> Model:
        from petri import language
        from petri.model import Model

        return Model(*language.loads_with_sources(text, values, name=nets.SHOWN_STDIN))

    return make


def read_grids(grids: tuple[str, ...], fixed: Mapping[str, Any]) -> list[dict[str, Value]]:
    """The points of `--grid name=values` options. Raises Refusal."""
    from petri.experiment import sampling

    axes: dict[str, list[Value]] = {}
    for text in grids:
        name, equals, values = text.partition("=")
        name = name.strip()
        if not equals or not name or not values.strip():
            raise refusal("grid-form", text=text)
        if name in axes:
            raise refusal("grid-twice", name=name)
        if name in fixed:
            raise refusal("experiment-same-parameter", name=name, where="--grid")
        try:
            axes[name] = sampling.parse_values(values)
        except sampling.BadRange as bad:
            raise refusal(bad.reason, text=bad.text.strip()) from bad
    return sampling.without_duplicates(sampling.grid(axes))


def check_export(path: str | None) -> None:
    """Check before anything runs that the file can be of that kind."""
    from petri.experiment.tables import check_format

    if path is not None:
        check_format(Path(path))
