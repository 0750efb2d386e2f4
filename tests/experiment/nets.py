"""Small nets for the tests of experiments, and what to look at in a store."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

QUEUE = """\
net queue
param load = 0.5 in 0..0.99
param servers = 1 in 1..64
place source = token
place line
place idle = servers * token
transition arrive: source -> source, line   takes exp(1 / (load * servers))
transition serve:  line, idle -> idle       takes exp(1)
measure customers = mean(line) + mean(serve)
measure busy = busy(idle)
run until 200 warmup 20
"""

TIMED = """\
net timed
time ns
param gap = 10 ns
place source : int = 0
place wire : int fifo
transition arrive: source(n) -> source(n + 1), wire(n)  takes exp(gap)
transition send: wire(n) -> nothing                     takes 2 ns
measure rate = rate(send)
measure goodput = rate(send, 64 B)
measure delay = n * 1 ns at send    record mean, p99, histogram
run until 5 us
"""

FAILING = """\
net failing
param bad = 0
place source : int = 1
transition step: source(n) -> source(n + 1)  takes exp(if bad == 1 and n == 50 then 0 - 1 else 1)
measure steps = rate(step)
run until 100
"""


def write_net(folder: Path, text: str = QUEUE, name: str = "queue.net") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def stored_rows(path: Path) -> list[dict[str, Any]]:
    """Return all rows of a store but for the times taken, by point and replication."""
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    rows = connection.execute(
        "SELECT p.parameters, r.* FROM replications r JOIN points p USING (point) ORDER BY p.parameters, r.replication"
    ).fetchall()
    connection.close()
    dropped = ("seconds", "finished", "point")
    return [{name: row[name] for name in row.keys() if name not in dropped} for row in rows]  # noqa: SIM118
