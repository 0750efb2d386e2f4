"""`python -m verification.corpus FOLDER`: imports each net of a folder of other tools, as a table.

For nets with published figures in `corpus.json`, the net runs until the time given there, and the table has both,
the exact figure or why there is none, and how far it is from the published one, relative to that.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from petri import interchange, language
from petri.diagnostics import LanguageError
from petri.model import Model

PUBLISHED = Path(__file__).with_name("corpus.json")
HEAD = ("file", "net", "imported", "places", "transitions", "simulated", "exact", "published", "off")
MOST_STATES = 3_000_000


def rows(folder: Path) -> Iterator[tuple[str, ...]]:
    """A row for each net of each file that is in a known format."""
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    for path in sorted(folder.rglob("*")):
        if path.is_file() and interchange.is_foreign(path):
            name = path.relative_to(folder).as_posix()
            for net in nets_of(path):
                known = [one for one in published if one["file"] == name and one.get("net", "") in ("", net)]
                yield from ((name, net, *cells) for cells in rows_of(path, net, known))


def nets_of(path: Path) -> tuple[str, ...]:
    """The names of the nets of a file with several; else an empty one."""
    try:
        found = interchange.read(path)
    except LanguageError:
        return ("",)
    several = next((one.values for one in found.findings if one.id == "foreign-first-net"), None)
    return ("",) if several is None else (str(several["name"]), *several["others"])  # type: ignore[misc]


def rows_of(path: Path, net: str, published: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Whether it is imported, or why not; its size; and each published figure."""
    try:
        text = interchange.text_of(interchange.read(path, wanted=net))
        flat = language.loads(text)
    except LanguageError as error:
        yield error.diagnostics[0].message, "", "", "", "", "", ""
        return
    for told in (figures(text, known) for known in published) if published else [("",) * 4]:
        yield "yes", str(len(flat.places)), str(len(flat.transitions)), *told


def figures(text: str, known: dict[str, Any]) -> tuple[str, str, str, str]:
    """The figure of a run with its interval, the exact one, what was published, and how far the exact one is off."""
    declared = f"{text}\nmeasure published = {known['figure']}\n"
    model = Model(*language.loads_with_sources(declared, known.get("set", {})))
    result = model.run(until=known["until"], warmup=known["until"] / 20, replications=4)
    found = result.measure("published")
    published = f"{known['figure']} = {known['value']:.12g}"
    solved = exact(model, known["value"])
    if result.failure is not None:
        return f"stopped: {result.failure.id}", solved[0], published, solved[1]
    return f"{found.value:.5g} ± {found.interval.half_width:.2g}", solved[0], published, solved[1]


def exact(model: Model, published: float) -> tuple[str, str]:
    """The exact figure, or why there is none, and its relative difference from the published one."""
    try:
        found = model.solve(states=MOST_STATES).figure("published")
    except LanguageError as error:
        return error.diagnostics[0].id, ""
    return f"{found.value:.12g} ± {found.error:.1g}", f"{abs(found.value / published - 1.0):.1g}"


def main() -> int:
    print(f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}")
    for cells in rows(Path(sys.argv[1])):
        print(f"| {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
