"""scipy, which some exact answers need: the extra `exact`."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

INSTALL = "pip install 'pnsim[exact]'"


class NeedsExtra(ImportError):
    """A library of the extra `exact` is missing: `name`."""


def library(name: str) -> Any:
    """Return the module of scipy of this name. Raises NeedsExtra."""
    try:
        return import_module(name)
    except ImportError as error:
        missing = name.partition(".")[0]
        raise NeedsExtra(f"exact answers need {missing}: {INSTALL}", name=missing) from error


def installed(name: str) -> bool:
    """Return whether a library is there."""
    return find_spec(name) is not None
