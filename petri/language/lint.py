"""Lints: what is allowed, and probably not meant."""

from __future__ import annotations

from petri import net
from petri.language.check import Checker


def lint(flat: net.Net, checker: Checker) -> None:
    """Tell everything suspicious about a net that is otherwise right."""
