"""Numbers between two bounds, as options have them."""

from __future__ import annotations

import click

LARGEST = 2**62  # bounds beyond are those of the numbers themselves, which no one means to reach


class Whole(click.IntRange):
    """A whole number, of which the help says `1 or more` or `1 to 1,000`."""

    def _describe_range(self) -> str:
        return bounds(self)


class Share(click.FloatRange):
    """A number, of which the help says `0.5 to 0.99`."""

    def _describe_range(self) -> str:
        return bounds(self)


def bounds(kind: click.IntRange | click.FloatRange) -> str:
    if kind.max is None or kind.max >= LARGEST:
        return f"{kind.min:,} or more"
    return f"{kind.min:,} to {kind.max:,}"
