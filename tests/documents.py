"""The scripts in docs/ that renew what its pages show."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from unittest import mock

DOCS = Path(__file__).resolve().parents[1] / "docs"


def script(name: str) -> ModuleType:
    """Return the module `docs/NAME.py`."""
    with mock.patch.object(sys, "path", [str(DOCS), *sys.path]):
        return import_module(name)
