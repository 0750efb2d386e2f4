"""What is written to files: pages and traces."""

from __future__ import annotations

from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    "report-written": Wording("the page is in `{path}`"),
    "trace-first-only": Wording(
        "`{path}` has replication 0 alone; a timeline has room for no more",
        "a trace as .csv or .parquet has all replications",
    ),
    "trace-full": Wording(
        "`{path}` ends at time {time}: {count} events are as much as a viewer takes",
        "a shorter run (`--until`), or a trace as .csv, .parquet or .vcd, which may be of any length",
    ),
    "trace-no-pyarrow": Wording(
        "a trace as Parquet needs pyarrow, which is not installed",
        "pip install 'pnsim[parquet]', or write the trace as .csv",
    ),
}
