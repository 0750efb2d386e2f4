"""What another number costs: `python -m benchmarks.points [NET …]`, by default all nets of the library without streams.

A point of a sweep, or a slider of a live page, gives a parameter another value. Shown is processor time [ms] from the
values to the first firing, the median over the parameters that can be turned without the text and the slowest of these:
from the text, and with what is kept of the last setting. `rust` is the part that the native engine takes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from statistics import median

import petri
from petri import library
from petri.engine.interface import Asked, Limits
from petri.engine.native import NativeSession, compiled
from petri.language import settings
from petri.net import Net

TURNS = 5
NEVER = float(2**52)  # ticks


def took(work: Callable[[], object]) -> float:
    """Return the least processor time [ms] of some turns."""
    found = []
    for _ in range(TURNS):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found) * 1e3


def fire(net: Net) -> None:
    session = NativeSession(net, 1, 0, Limits(), Asked())
    while session.advance(NEVER, 1) == "budget" and not session.firings:
        pass


def point(name: str, values: Mapping[str, float], number: str, value: float) -> tuple[float, float, float] | None:
    """Return the times of another value, from the text, with what is kept, and in Rust; None if it needs the text."""
    turn = iter(range(1, 10 * TURNS))

    def another() -> Net:
        return petri.load(name, **{**values, number: value * (1.0 + 1e-3 * next(turn))}).net

    def from_text() -> None:
        settings.forget()
        fire(another())

    try:
        text = took(from_text)
        settings.forget()
        nets = [petri.load(name, **values).net, another(), another(), another()]
    except petri.LanguageError:  # beyond its bounds
        return None
    [recordings] = settings._known.values()
    if len(recordings) > 1:
        return None
    kept = took(lambda: fire(another()))
    places = iter(nets * TURNS)
    return text, kept, took(lambda: compiled(next(places)))


def row(name: str, values: Mapping[str, float]) -> str:
    net = petri.load(name, **values).net
    reals = [one for one in net.parameters if one.kind == "real" and one.value and one.name not in values]
    found = [one for p in reals if (one := point(name, values, p.name, float(p.value))) is not None]
    shown = f"{name} {' '.join(f'{key}={value}' for key, value in values.items())}"
    shown = f"{shown:36}{len(net.places):7}{len(net.transitions):7}{len(found):4}/{len(reals):<4}"
    if not found:
        return shown
    texts, kept, rust = zip(*found, strict=True)
    return f"{shown}{median(texts):9.2f}{median(kept):9.2f}{max(kept):9.2f}{median(rust):9.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.points", description=__doc__)
    parser.add_argument("net", nargs="*", default=[name for name, _ in library.named(library.nets())])
    names = [name for name in parser.parse_args().net if not any(place.stream for place in petri.load(name).net.places)]
    print(f"{'':36}{'places':>7}{'trans.':>7}{'turned':>8}{'text':>10}{'kept':>9}{'slowest':>9}{'rust':>9}")
    for name in names:
        print(row(name, {}))
        if name == "ixp2400_hops":
            print(row(name, {"hops": 10}))


if __name__ == "__main__":
    main()
