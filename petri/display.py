"""What a notebook shows of an object. The functions that draw it are looked up by name when they are needed.

Results and models are below the report in the order of imports, so they must not import it. They are only shown by it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def shown_by_report(function: str, *what: object, **options: object) -> Any:
    """What this function of `petri.report.notebook` makes of an object."""
    return getattr(import_module("petri.report.notebook"), function)(*what, **options)
