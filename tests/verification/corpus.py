"""`python -m tests.verification.corpus FOLDER [--page]`: imports each net of a folder of other tools, as a table.

Each net has a row, and each figure of `corpus.json` that was published for it another one: simulated, exact, and the
numbers of states and arcs that are explored. `--page` writes the table into docs/interchange.md.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from petri import interchange, language
from petri.atomic_file import write_text
from petri.diagnostics import LanguageError
from petri.exact.chain import bounds
from petri.exact.explore import explore
from petri.interchange.out.plain import Plain, PlainTransition, plain
from petri.model import Model

PUBLISHED = Path(__file__).with_name("corpus.json")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "interchange.md"
BEGIN, END = "<!-- corpus: begin -->", "<!-- corpus: end -->"
HEAD = ("file", "imported", "figure", "published", "exact", "simulated")
MOST_STATES = 3_000_000
Row = tuple[str, str, str, str, str, str]


def rows(folder: Path) -> Iterator[Row]:
    """Yield the rows of each net of each file that another tool wrote."""
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix == ".props":  # of PRISM: properties and no net
            continue
        if not (interchange.is_foreign(path) or interchange.is_unreadable(path)):
            continue
        name = path.relative_to(folder).as_posix()
        for net in nets_of(path):
            known = [one for one in published if one["file"] == name and one.get("net", net) == net]
            yield from rows_of(path, f"{name}, {net}" if net else name, net, known)


def nets_of(path: Path) -> tuple[str, ...]:
    """Return the names of the nets of a file with several; else an empty one."""
    try:
        found = interchange.read(path)
    except LanguageError:
        return ("",)
    several = next((one.values for one in found.findings if one.id == "foreign-first-net"), None)
    return ("",) if several is None else (str(several["name"]), *several["others"])  # type: ignore[misc]


def rows_of(path: Path, name: str, net: str, published: list[dict[str, Any]]) -> Iterator[Row]:
    """Yield whether a net is imported, or why not; and a row for each figure that was published."""
    try:
        text = interchange.text_of(interchange.read(path, wanted=net))
        flat = language.loads(text)
    except LanguageError as error:
        why = " ".join(error.diagnostics[0].message.replace(str(path), path.name).split())
        yield name, f"no: {why}", "", "", "", ""
        return
    imported = f"{counted(len(flat.places), 'place')}, {counted(len(flat.transitions), 'transition')}"
    if not published:
        yield name, imported, "", "none", "", ""
    for number, known in enumerate(published):
        setting = known.get("set", {})
        declared = f"{text}\n{known.get('also', '')}\n"
        if measured := known.get("figure") or ("held" in known and f"mean({known['held']})"):
            declared += f"measure published = {measured}\n"
        model = Model(*language.loads_with_sources(declared, setting))
        cells = states(model, known) if "states" in known else figure(model, known)
        title = f"`{known['title']}`" if "title" in known else f"`{known.get('figure', 'states')}`"
        where = ", ".join(f"{key} = {value}" for key, value in setting.items())
        yield (name, imported if not number else "", f"{title}{f' ({where})' if where else ''}", *cells)


def counted(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def figure(model: Model, known: dict[str, Any]) -> tuple[str, str, str]:
    """Return what was published, the exact figure, and a run's with its interval; or why they cannot be compared."""
    if "why" in known:
        return f"{known['value']:.12g}", known["why"], ""
    return f"{known['value']:.12g}", exact(model, known), simulated(model, known)


def simulated(model: Model, known: dict[str, Any]) -> str:
    if "held" in known:  # the mean of a moment after the instant
        result = model.run(until=known["at"] * (1 + 1e-6), warmup=known["at"], replications=known["replications"])
    elif "at" in known:
        result = model.run(until=known["at"], replications=known.get("replications", 1000))
    else:
        result = model.run(until=known["until"], warmup=known["until"] / 20, replications=8)
    found = result.measure("published")
    if result.failure is not None:
        return f"stopped: {result.failure.id}"
    return f"{found.value:.5g} ± {found.interval.half_width:.2g}"


def exact(model: Model, known: dict[str, Any]) -> str:
    """Return the exact figure, or why there is none."""
    try:
        solution = model.solve(at=known.get("at"), states=MOST_STATES)
        ends = {one.name: one for one in solution.at_end}
        found = ends[f"{known['held']}.tokens"] if "held" in known else solution.exact("published")
    except (LanguageError, KeyError) as error:
        return error.diagnostics[0].message if isinstance(error, LanguageError) else "not a figure of the states"
    return "not a figure of the states" if math.isnan(found.value) else f"{found.value:.12g}"


def states(model: Model, known: dict[str, Any]) -> tuple[str, str, str]:
    """Return what was published, and the states and arcs that are explored."""
    published = f"{known['states']:,} states" + (f", {known['arcs']:,} arcs" if "arcs" in known else "")
    # `model.reach` counts states as one that differ in nothing that decides a firing.
    space = explore(model.net, bounds(MOST_STATES))
    explored = f"{len(space):,} states" + (f", {len(space.sources):,} arcs" if "arcs" in known else "")
    if known.get("without progress"):
        every = states_without_progress(plain(model.net, {}, "this script"))
        explored += f"; {every:,} if times also pass in states in which something fires at once"
    return published, explored, ""


def states_without_progress(net: Plain) -> int:
    """Return how many markings can be reached if a transition with a time may also fire where an immediate one is
    enabled.

    GreatSPN's nets are counted so in the Quantitative Verification Benchmark Set, as automata of JANI. No run ever
    comes to the additional markings.
    """
    first = tuple(place.held for place in net.net.places)
    seen, pending = {first}, [first]
    while pending:
        marking = pending.pop()
        enabled = [one for one in net.transitions if _enabled(one, marking)]
        urgent = max((one.of.priority for one in enabled if one.kind == "immediate"), default=0)
        for one in enabled:
            if one.kind != "immediate" or one.of.priority == urgent:
                after = _fired(one, marking)
                if after not in seen:
                    seen.add(after)
                    pending.append(after)
    return len(seen)


def _enabled(one: PlainTransition, marking: tuple[int, ...]) -> bool:
    return all(marking[place] >= count for place, count in one.inputs.items()) and all(
        marking[place] < count for place, count in one.inhibitors.items()
    )


def _fired(one: PlainTransition, marking: tuple[int, ...]) -> tuple[int, ...]:
    after = list(marking)
    for place, count in one.inputs.items():
        after[place] -= count
    for place, count in one.outputs.items():
        after[place] += count
    return tuple(after)


def main() -> int:
    lines = [f"| {' | '.join(HEAD)} |", "|" + " --- |" * len(HEAD)]
    page = "--page" in sys.argv
    for cells in rows(Path(next(one for one in sys.argv[1:] if one != "--page"))):
        lines.append(f"| {' | '.join(cells)} |")
        if not page:
            print(lines[-1], flush=True)
    if page:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        write_text(PAGE, f"{before}{BEGIN}\n{chr(10).join(lines)}\n{END}{after}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
