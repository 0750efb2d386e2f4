"""Traces: every firing of a run in a file, written during the run, in bounded memory.

.csv      one line for each firing
.parquet  the same with a column for each variable (needs pyarrow)
.xes      an event log, with a case for each replication, for process mining (pm4py)
.vcd      tokens in places and firings in progress as waves, for GTKWave
.json     a timeline with a track for each token of a resource, for Perfetto (ui.perfetto.dev) and chrome://tracing

with open(path, "wb") as file:
    writer = writer_of(path, net, file)
    model.run(trace=writer)
    writer.close()
"""

from __future__ import annotations

from petri.trace.writer import SUFFIXES, TIMELINES, Writer, suffix_of, writer_of

__all__ = ["SUFFIXES", "TIMELINES", "Writer", "suffix_of", "writer_of"]
