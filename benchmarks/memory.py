"""The cost of memory accesses that miss the caches, in nanoseconds: `python -m benchmarks.memory`.

They take most of the time of a large net's firing (see `docs/performance.md`).
"""

from __future__ import annotations

import json
import subprocess
import sys

from rich.console import Console
from rich.table import Table

from benchmarks.asked import command
from benchmarks.contenders import Unavailable, build

LOADS = 1_000_000
COLUMNS = {
    "megabytes": "memory [MB]",
    "chain": "a load that the next waits for",
    "apart": "one of many at once",
    "four": "four lines side by side, at once",
}


def measure(loads: int = LOADS) -> list[dict[str, float]]:
    """Return a row for each size of memory; times are means over many loads. Raises Unavailable without a compiler."""
    done = subprocess.run([str(build("memory")), str(loads)], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main(words: list[str] | None = None) -> None:
    command(__doc__).parse_args(words)
    table = Table(*COLUMNS.values(), title="Nanoseconds")
    try:
        rows = measure()
    except Unavailable as missing:
        sys.exit(f"error: {missing}")
    for row in rows:
        table.add_row(*(f"{row[column]:g}" for column in COLUMNS))
    Console().print(table)


if __name__ == "__main__":
    main()
