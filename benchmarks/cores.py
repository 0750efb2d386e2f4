"""What two threads lose to one another: `python -m benchmarks.cores`.

Replications of some nets, and a sweep, on one thread and on two in turns. Shown is the processor time of the process,
user and system, and how much of a core each of two threads is worth: the time on one thread divided by that on two, of
the medians and of the least times. What threads wait for is not counted, but cores that share a cache, or are threads
of one core, slow each other down, as other programs do.
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import petri
from benchmarks.contenders import NETS
from benchmarks.worker import no_limits
from petri.model import Model

LIBRARY = Path(__file__).parents[1] / "nets"
LISTED: tuple[tuple[Path, dict[str, int]], ...] = (
    (NETS / "ring.net", {}),
    (NETS / "jackson.net", {}),
    (LIBRARY / "ixp2400.net", {"packets": 1_000_000_000}),
    (LIBRARY / "npf.net", {}),
    (LIBRARY / "patterns" / "mm1k.net", {}),
    (LIBRARY / "patterns" / "mesh.net", {}),
)
REPLICATIONS = 4
LOADS = "0.1..0.9 step 0.1"
END = "200_000"  # of each replication of the sweep, which has some hundred thousand firings


def replicate(model: Model, firings: int, threads: int) -> None:
    options = {"until": "dead", "warmup": 0.0, "max_firings": firings, "engine": "native", "limits": no_limits()}
    model.run(seed=1, replications=REPLICATIONS, threads=threads, **options)  # type: ignore[arg-type]


def sweep(workers: int) -> None:
    experiment = petri.Experiment(net="mm1k", grid={"load": LOADS}, until=END, replications=REPLICATIONS)
    with tempfile.TemporaryDirectory() as folder:
        experiment.run(f"{folder}/points.db", workers=workers)


def processor_time(work: Callable[[int], None], threads: int) -> float:
    before = time.process_time()
    work(threads)
    return time.process_time() - before


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cores", description=__doc__)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.15, help="of a replication (default 0.15)")
    options = parser.parse_args()
    works: dict[str, Callable[[int], None]] = {}
    for path, parameters in LISTED:
        model, probe = petri.load(path, **parameters), 500_000
        replicate(model, probe, 2)
        firing = processor_time(partial(replicate, model, probe), 1) / REPLICATIONS / probe
        works[path.stem] = partial(replicate, model, math.ceil(options.seconds / firing))
    works["sweep of mm1k"] = sweep
    for name, work in works.items():
        one, two = zip(
            *([processor_time(work, threads) for threads in (1, 2)] for _ in range(options.turns)), strict=True
        )
        alone, beside, best = statistics.median(one), statistics.median(two), min(one) / min(two)
        each = f"{alone / beside:.2f} of a core each, at best {best:.2f}"
        print(f"{name:16} {alone:6.3f} s on one thread, {beside:6.3f} s on two: {each}", flush=True)


if __name__ == "__main__":
    main()
