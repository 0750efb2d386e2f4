"""A study of RFC 2544 from Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from petri.display import watching
from petri.experiment.design.definition import Definition, Source
from petri.experiment.design.sampling import Value
from petri.experiment.forwarding.definition import BETWEEN, REPLICATIONS, SIZES, Forwarding
from petri.experiment.forwarding.outcome import ForwardingOutcome
from petri.experiment.forwarding.procedure import Watcher, run_forwarding
from petri.experiment.threshold.definition import CONFIDENCE, MOST_REPLICATIONS
from petri.run.arguments import check_number, check_text
from petri.run.plan import check_function


def rfc2544(
    net: Source,
    *,
    load: str = "",
    size: str = "",
    loss: str = "",
    delay: str = "",
    throughput: str = "",
    sizes: Sequence[Value] = SIZES,
    between: Any = BETWEEN,
    condition: str = "",
    resolution: Any = None,
    confidence: float = CONFIDENCE,
    max_replications: int = MOST_REPLICATIONS,
    growth: bool = True,
    replications: int = REPLICATIONS,
    engine: str = "auto",
    threads: int | None = None,
    watch: Watcher | None = None,
    progress: bool = False,
    time_limit: float | None = None,
    **runs: Any,
) -> ForwardingOutcome:
    """Throughput, delay, loss rate and bursts of a net, as `pnsim rfc2544` measures them.

    load, size, loss, delay, throughput, sizes, between, condition, replications: as of `Forwarding`; the others as of
    `petri.search`. runs: until, warmup, seed, fixed and others of `Experiment`.
    """
    texts = {"load": load, "size": size, "loss": loss, "delay": delay, "throughput": throughput, "condition": condition}
    for name, text in texts.items():
        check_text(name, text)
    check_number("confidence", confidence, "0.95")
    check_function("watch", watch)
    study = Forwarding(
        Definition(net, **runs), load, size, loss, delay, throughput, sizes, between, condition, resolution, confidence,
        max_replications, growth, replications,
    )  # fmt: skip
    with watching(study, watch, progress) as watcher:
        return run_forwarding(study, engine=engine, threads=threads, watch=watcher, time_limit=time_limit)
