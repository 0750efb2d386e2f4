"""Numbers between two bounds, as options have them."""

from __future__ import annotations

import click

from ..terminal.usage import bounds


class Whole(click.IntRange):
    """A whole number, of which the help says `1 or more` or `1 to 1,000`."""

    def _describe_range(self) -> str:
        return bounds(self)


class Share(click.FloatRange):
    """A number, of which the help says `0.5 to 0.99`."""

    def _describe_range(self) -> str:
        return bounds(self)
