"""scipy and networkx, which only exact answers need: the extra `exact`."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class NeedsExtra(ImportError):
    """A library of the extra `exact` is missing."""


def library(name: str) -> Any:
    """The module of scipy or networkx of this name. Raises NeedsExtra."""
    try:
        return import_module(name)
    except ImportError as error:
        text = f"exact answers need {name.partition('.')[0]}: pip install 'pnsim[exact]'"
        raise NeedsExtra(text, name=name) from error
