"""The names of measures as the tables show them."""

from __future__ import annotations

import re
from typing import Final

STATISTIC: Final = re.compile(r"mean|std|min|max|sum|count|p\d+")


def short(measure: str) -> str:
    """`sequence.duplicate_ack_share` for a table: the unit shows that it is a share, so `_share` is dropped.

    A statistic keeps the name before it: `router.wait.max` becomes `wait.max`.
    """
    parts = measure.split(".")
    last = 2 if STATISTIC.fullmatch(parts[-1]) else 1
    return ".".join(parts[-last:]).removesuffix("_share")
