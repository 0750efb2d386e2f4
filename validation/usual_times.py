"""Measures how much computing each experiment of a study needs, and writes it into the study's study.yaml.

    python validation/usual_times.py                  # all studies
    python validation/usual_times.py shaping
    python validation/usual_times.py reordering/figure_10 reordering/figure_11

Processor seconds are measured, not seconds on the clock, so that other programs on the machine do not count. Only the
first replication of each point runs, and the others are assumed to need as long; an experiment with a precision, whose
number of replications nobody knows before, runs as a whole.
"""

from __future__ import annotations

import argparse
import platform
import tempfile
import time
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Final

import yaml

from petri.atomic_file import write_text
from petri.experiment import Experiment, sweep
from petri.validation.study import STUDY
from petri.validation.suite import experiments, folders
from petri.version import VERSION

HERE: Final = Path(__file__).resolve().parent
HEADER: Final = """\
# The title is listed by `pnsim validate`, and so are the times, which validation/usual_times.py measures. By `fitting`
# the figures are drawn on which constants may be fitted: validation/draw_fitting_sets.py; `drawn_with` is the `set` of
# experiments at that time, where it has changed since, and `inputs_since` what was found to be an input since.
"""


def seconds(path: Path) -> float:
    """Return the processor seconds of an experiment."""
    experiment = Experiment.load(path)
    begun = time.process_time()
    prepared = experiment.prepare()
    replications = prepared.stopping.first
    ready = time.process_time()
    with tempfile.TemporaryDirectory() as place:
        short = replace(experiment, replications=1, precision=None)
        sweep(experiment if experiment.precision else short, Path(place) / "one.db", engine="native", workers=1)
    preparing, running = ready - begun, time.process_time() - ready
    if experiment.precision:
        return running
    return preparing + max(running - preparing, 0.0) * replications  # the sweep has prepared the points once more


def processor() -> str:
    """`Intel(R) Xeon(R) CPU @ 2.10GHz`, as far as the system says."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def measure(folder: Path, experiment: str = "") -> None:
    """Write the times of one experiment, or of all, into study.yaml, and leave its other entries as they are."""
    study = folder / STUDY
    data = (yaml.safe_load(study.read_text("utf-8")) or {}) if study.exists() else {}
    every = experiments(folder)
    found = data.get("times", {}).get("seconds", {}) if experiment else {}
    for name, path in ({experiment: every[experiment]} if experiment else every).items():
        found[name] = max(round(seconds(path)), 1)
        print(f"{folder.name}/{name}: {found[name]} s", flush=True)
    where = f"{date.today():%Y-%m-%d}, pnsim {VERSION}, native engine, {processor()}"
    data["times"] = {"measured": where, "seconds": found}
    write_text(study, HEADER + yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="STUDY[/EXPERIMENT]", help="default: all")
    for name in parser.parse_args().names or folders(HERE):
        study, _, experiment = name.partition("/")
        measure(HERE / study, experiment)
