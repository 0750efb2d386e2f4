"""Settings among the arguments of a figure: `displacement: 8, buffer: 16`, `trials: 50_000`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from petri.language.meaning.nodes import Node
from petri.language.problems import CheckError, Problems
from petri.language.syntax import tree


def read_settings(
    problems: Problems,
    written: Sequence[tree.Weighted],
    known: Collection[str],
    unknown: str,
    read: Callable[[str, tree.Expr], Node],
) -> dict[str, Node]:
    """Return the values of settings by name. unknown: the message about a name that is not known. Raises CheckError."""
    found: dict[str, Node] = {}
    for setting in written:
        name = setting.value.name if isinstance(setting.value, tree.Name) else ""
        if name not in known or name in found:
            identifier = "reorder-setting-twice" if name in known else unknown
            raise CheckError(identifier, setting.span, text=problems.text(setting.value.span), known=list(known))
        found[name] = read(name, setting.weight)
    return found
