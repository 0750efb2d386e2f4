"""`python -m tests.verification [--page]`: draws against theory, as a table; `--page` writes it into the docs."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from petri.atomic_file import write_text
from tests.verification.judging import LAGS
from tests.verification.matrix import Verdict, verdicts

PAGE = Path(__file__).resolve().parents[2] / "docs" / "verification.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
TESTS = ("shape", "mean", "variance", *(f"lag {lag}" for lag in LAGS))


def table(found: Sequence[Verdict]) -> str:
    """Return a row for each distribution, with the p-value of each test; one that is not as it should be is marked."""
    lines = [f"| sample | {' | '.join(TESTS)} |", "| --- |" + " --- |" * len(TESTS)]
    for subject, group in groupby(found, key=lambda verdict: verdict.subject):
        cells = {verdict.test: verdict for verdict in group}
        lines.append(f"| `{subject}` | {' | '.join(cell(cells.get(test)) for test in TESTS)} |")
    return "\n".join(lines)


def cell(verdict: Verdict | None) -> str:
    return "" if verdict is None else f"{verdict.p_value:.2g}{'' if verdict.holds else ' !'}"


def report(found: Sequence[Verdict]) -> str:
    samples = [verdict for verdict in found if not verdict.control]
    wrong = [verdict for verdict in found if not verdict.holds]
    told = f"{len(samples)} tests, {sum(v.rejected for v in samples)} rejected; {len(found) - len(samples)} controls, "
    told += f"{sum(v.rejected for v in found if v.control)} rejected."
    parts = [told, table(samples), "Controls, which must be rejected:", table([v for v in found if v.control])]
    if wrong:
        parts.append("Not as it should be: " + "; ".join(f"{v.subject}, {v.test}" for v in wrong))
    return "\n\n".join(parts)


def main(words: list[str]) -> int:
    started = time.process_time()
    found = verdicts()
    text = report(found)
    print(text)
    print(f"\n{time.process_time() - started:.0f} s of processor time")
    if "--page" in words:
        before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
        write_text(PAGE, f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}")
    return 0 if all(verdict.holds for verdict in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
