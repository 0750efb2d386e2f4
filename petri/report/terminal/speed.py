"""How the native engine runs each transition, as a table: `pnsim info NET --speed`."""

from __future__ import annotations

from typing import Any, Final

from rich.console import Console
from rich.text import Text

from petri.analysis.speed import Speed, speeds
from petri.net import Net
from petri.report.telling.columns import Column
from petri.report.telling.quantities import counted
from petri.report.terminal.tables import print_prose, print_table
from petri.result.tables import row_name

_NOT_BUILT: Final = "nothing is known: the native engine is not built"
_CHOICES: Final = {
    "one": "only one",
    "any": "any token",
    "counted": "counted",
    "ranked": "ranked",
    "searched": "searched",
}
_LEGEND: Final = {
    "counted": "counted: kept as tokens come and go",
    "ranked": "ranked: kept in order as tokens come and go",
    "searched": "searched: looked for at each firing",
}
_LOOK: Final = "look: the test whether it can fire"


def speed(net: Net) -> list[dict[str, Any]]:
    """Return a dictionary for each transition, for JSON."""
    return [
        {"name": one.name, "code": how.code, "bindings": how.choice, "looks_through": how.looks, "why": list(how.why)}
        for one, how in zip(net.transitions, speeds(net), strict=False)
    ]


def print_speed(net: Net, console: Console, *, every: bool = False) -> None:
    """Print the table; elements of an array that are run alike have one row unless `every` is set."""
    found = speeds(net)
    if not found and net.transitions:
        print_prose(console, _NOT_BUILT)
        return
    rows: dict[tuple[str, Speed], int] = {}
    for transition, how in zip(net.transitions, found, strict=True):
        key = (transition.name if every else row_name(transition.name), how)
        rows[key] = rows.get(key, 0) + 1
    because = [_because(how) for _, how in rows]
    columns = [
        Column(
            "Transitions", [name + (f" ×{count}" if count > 1 else "") for (name, _), count in rows.items()], "name"
        ),
        Column("code", [how.code for _, how in rows], left=True),
        Column("bindings", [_CHOICES[how.choice] for _, how in rows], left=True),
    ]
    if any(because):
        columns.append(Column("because", because, "prose", left=True))
    print_table(console, columns)
    left = sum(how.code != "compiled" for how in found)
    summary = f"{left:,} of {counted(len(found), 'transition')} not compiled whole" if left else "all compiled"
    legend = [text for choice, text in _LEGEND.items() if any(how.choice == choice for how in found)]
    legend += [_LOOK] if any("look" in how.code for how in found) else []
    print_prose(console, Text("; ".join((summary, *legend)), style="dim"))


def _because(how: Speed) -> str:
    looks = (f"looks through {how.looks} at nearly every firing",) if how.looks else ()
    return "; ".join((*how.why, *looks)).replace("`", "")
