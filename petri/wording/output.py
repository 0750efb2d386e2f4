"""Files that are written: pages and traces."""

from __future__ import annotations

from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    "report-written": Wording("the report is in `{path}`"),
    "trace-first-only": Wording(
        "`{path}` contains only replication 0; a timeline can show only one",
        "a trace as .csv or .parquet contains all replications",
    ),
    "trace-full": Wording(
        "`{path}` ends at time {time}: viewers can show at most {count} events",
        "make the run shorter (`--until`), or write a .csv, .parquet, .xes or .vcd file, which can have any length",
    ),
    "trace-no-pyarrow": Wording(
        "writing a trace as Parquet needs pyarrow, which is not installed",
        "install it: pip install 'pnsim[parquet]'; or write the trace as .csv",
    ),
}
