"""Runs cases until the time is over; a crash ends this process only. Each line of stdout is a JSON object.

`python -m tests.fuzz.worker SEED FIRST SECONDS [KIND]` runs many cases, perhaps of one kind alone;
`python -m tests.fuzz.worker CORPUS PART PARTS` runs a part of the kept ones, up to the first that shows a fault.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import time
from base64 import b64encode
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from tests.engine.mutated import MEMORY
from tests.fuzz.finding import Finding
from tests.fuzz.kinds import KINDS, Kind, case, describe, fault, kept_cases, kind_of, numbers
from tests.fuzz.smaller import smallest

SHRINKING = 30.0  # seconds for each fault
LONGEST_CASE = 120.0  # seconds of processor time, after which SIGPROF ends the process
REPORT_EVERY = 100  # cases


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def shows(kind: Kind, what: str, data: bytes) -> bool:
    return fault(kind, data) == what


def run(seed: int, first: int, seconds: float, only: str) -> None:
    counts: dict[str, Counter[str]] = {name: Counter() for name in KINDS}
    known: set[str] = set()
    end = time.monotonic() + seconds
    for done, number in enumerate(numbers(first, only), 1):
        if time.monotonic() > end:
            break
        kind = kind_of(number)
        say(begins=number)
        signal.setitimer(signal.ITIMER_PROF, LONGEST_CASE)
        data = case(seed, number)
        try:
            counts[kind.name] += kind.run(data)
        except Exception as error:
            what = str(error) if isinstance(error, Finding) else describe(error)
            if what not in known:
                known.add(what)
                data = smallest(data, kind.is_json, partial(shows, kind, what), SHRINKING)
            say(finding=what, kind=kind.name, case=number, data=b64encode(data).decode())
        counts[kind.name]["cases"] += 1
        if done % REPORT_EVERY == 0:
            say(counts=counts)
            counts = {name: Counter() for name in KINDS}
    say(counts=counts)
    say(ends=number)


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if not sys.argv[1].isdecimal():
        corpus, part, parts = Path(sys.argv[1]), *map(int, sys.argv[2:])
        for line, (kind, data) in list(enumerate(kept_cases(corpus), 1))[part::parts]:
            say(begins=line)
            if (what := fault(kind, data)) is not None:
                sys.exit(f"{corpus}:{line}: {what}")
        return
    seed, first, seconds, *only = sys.argv[1:]
    run(int(seed), int(first), float(seconds), "".join(only))


if __name__ == "__main__":
    main()
