"""`python -m tests.verification.exact FOLDER`: the figures of a published set of benchmarks, as a table.

FOLDER holds the set's files; `exact.json` has the figures that were published, as rationals or as intervals. Those
with an entry "open", which says what is missing, are only solved with `--all`. What is published of a way to a state
is the long run of a net that begins again whenever it comes there: the probability to end by one of several
transitions is its share of their rates, and what is gathered up to the end is its rate over theirs.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from petri import interchange, language
from petri.diagnostics import LanguageError
from petri.model import Model
from petri.net import Net, Transition
from petri.structs import replace
from tests.exact.nets import initial_outputs

PUBLISHED = Path(__file__).with_name("exact.json")
MOST_STATES = 4_000_000
NEAR = 1e-12  # of a value that was published as a rational, rounded to 16 digits
ROUNDED = 5e-10  # of the middle of an interval, if it was rounded to ten digits before the interval was laid around it


def beginning_again(net: Net, ends: tuple[str, ...]) -> Net:
    """Return the net in which these transitions lead to the initial marking."""
    given = initial_outputs(net)

    def begins(one: Transition) -> Transition:
        if one.name not in ends:
            return one
        return replace(one, resets=tuple(range(len(net.places))), outputs=given, priority=1000)

    return replace(net, transitions=tuple(map(begins, net.transitions)))


def solved(folder: Path, known: dict[str, Any]) -> tuple[float, float, float]:
    """Return the figure with its bounds."""
    text = interchange.text_of(interchange.read(folder / known["file"]))
    also = "\n".join(known.get("also", ()))
    declared = f"{text}\n{also}\nmeasure published = {known['figure']}\n"
    net, sources = language.loads_with_sources(declared, known.get("set", {}))
    model = Model(beginning_again(net, tuple(known.get("ends", ()))), sources)
    found = model.solve(at=known.get("at"), states=MOST_STATES).exact("published").bounded
    return (found.value, found.low, found.high) if found is not None else (float("nan"),) * 3


def slack(known: dict[str, Any], least: float, greatest: float) -> float:
    """Return how much a published figure may be off by its own rounding."""
    middle = (least + greatest) / 2
    if "interval" not in known:
        return NEAR * abs(greatest)
    return ROUNDED * abs(middle) if abs(float(f"{middle:.9e}") - middle) <= 1e-15 * abs(middle) else 0.0


def rows(folder: Path, also_open: bool) -> Iterator[tuple[str, bool | None]]:
    """Yield a row for each figure, and whether it agrees; None if it was left out."""
    for known in json.loads(PUBLISHED.read_text(encoding="utf-8")):
        started = time.process_time()
        where = ", ".join(f"{key} = {value}" for key, value in known.get("set", {}).items())
        title = f"{known['file']} | {known['title']}{f' ({where})' if where else ''}"
        if "open" in known and not also_open:
            yield f"| {title} | left out: {known['open']} |", None
            continue
        try:
            value, low, high = solved(folder, known)
        except LanguageError as error:
            yield f"| {title} | no: {error.diagnostics[0].message} |", False
            continue
        least, greatest = known.get("interval") or (known["value"], known["value"])
        own = slack(known, least, greatest)
        agrees = low - own <= greatest and least <= high + own and high - low <= max(1e-9, 1e-8 * abs(value))
        is_outside = greatest < low or high < least
        published = f"[{least!r}, {greatest!r}]" if "interval" in known else repr(least)
        seconds = time.process_time() - started
        row = f"| {title} | {published} | {value!r} | {abs(value - least) / abs(least):.0e} | {high - low:.0e} "
        told = "NO" if not agrees else "but for its rounding" if is_outside and "interval" in known else "yes"
        yield f"{row}| {seconds:.1f} s | {told} |", agrees


def main() -> int:
    print("| net | published | exact | apart | between bounds | time | agree |\n|---|---|---|---|---|---|---|")
    agree = []
    for row, agrees in rows(Path(sys.argv[1]), "--all" in sys.argv):
        print(row, flush=True)
        if agrees is not None:
            agree.append(agrees)
    print(f"\n{sum(agree)} of {len(agree)} figures agree")
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
