"""Cases that the Python measures and their Rust twins must agree on to the last bit.

`twins.txt` has one case a line: its kind and settings, what happens, and the outcome, parted by `|`. Numbers that could
be rounded are written as the 16 hexadecimal digits of a double. `python -m tests.measure.twins` writes the file anew;
the tests of both languages read it.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from petri.measure.histogram import Histogram
from petri.measure.passage import Passages
from petri.measure.reorder import Reordering

FILE = Path(__file__).parent / "twins.txt"


def digits(value: float) -> str:
    return "nan" if math.isnan(value) else struct.pack(">d", value).hex()


def number(text: str) -> float:
    value: float = struct.unpack(">d", bytes.fromhex(text))[0]
    return value


def sparse(counts: Iterable[int]) -> str:
    return ",".join(f"{index}:{count}" for index, count in enumerate(counts) if count)


def outcome(case: str) -> str:
    """Return what the Python measure makes of a case `settings | events`."""
    settings, events = (part.split() for part in case.split("|"))
    kind = settings[0]
    return {"order": order_outcome, "histogram": histogram_outcome, "passage": passage_outcome}[kind](settings, events)


def order_outcome(settings: Sequence[str], events: Sequence[str]) -> str:
    """`order FIRST MODULO WINDOW FLOWS RETIRED DT BT | key:sequence:time … restart …`."""
    first, modulo = (None if setting == "-" else int(setting) for setting in settings[1:3])
    window, flows, retired, displacement, buffer = map(int, settings[3:])
    measure = Reordering(
        first=first,
        modulo=modulo,
        window=window,
        flows=flows,
        retired=retired,
        displacement_threshold=displacement,
        buffer_threshold=buffer,
    )
    for event in events:
        if event == "restart":
            measure.restart()
        else:
            key, sequence, time = event.split(":")
            measure.arrive((int(key),), int(sequence), float(time))
    figures = " ".join(map(digits, measure.figures().values()))
    return figures + " " + " ".join(f"{name}={sparse(counts)}" for name, counts in measure.distributions().items())


def histogram_outcome(settings: Sequence[str], events: Sequence[str]) -> str:
    """`histogram | value … merge value …`."""
    first, second = Histogram(), Histogram()
    target = first
    for event in events:
        if event == "merge":
            target = second
        else:
            target.add(number(event))
    first.merge(second)
    state = first.snapshot()
    figures = [state[name] for name in ("origin", "first_moment", "second_moment", "min", "max")]
    columns = zip(state["buckets"].tolist(), state["counts"].tolist(), state["excesses"].tolist(), strict=True)
    cells = [f"{bucket}:{count}:{digits(excess)}" for bucket, count, excess in columns]
    return " ".join([str(first.count), *map(digits, figures), *cells])


def passage_outcome(settings: Sequence[str], events: Sequence[str]) -> str:
    """`passage LIMIT | s3 e3 …`: the n-th event, a start or end of that key, is at time n²."""
    passages = Passages(int(settings[1]))
    for n, event in enumerate(events):
        happen = passages.start if event[0] == "s" else passages.end
        happen((int(event[1:]),), float(n * n))
    times = passages.times.snapshot()
    counts = (passages.unmatched, len(passages.waiting), passages.forgotten, times["count"])
    return " ".join([*map(str, counts), digits(times["origin"]), digits(times["first_moment"])])


# ---------------------------------------------------------------- making the cases


def flow(chance: random.Random) -> list[int]:
    """Return the numbers of a flow in order of arrival: delayed, some lost, some twice, now and then one very late."""
    first, size = chance.choice([0, 1, -5, 1000]), chance.choice([5, 30, 90])
    loss, delay = chance.choice([0.0, 0.0, 0.02, 0.3]), chance.choice([0, 1, 3, 10])
    packets = [first + n for n in range(size) if chance.random() >= loss]
    packets += [chance.choice(packets) for _ in range(chance.choice([0, 0, 4])) if packets]
    late = chance.choice([0, 40])
    return sorted(packets, key=lambda n: n + chance.gauss(0, delay) + (late if chance.random() < 0.03 else 0))


def order_case(chance: random.Random) -> str:
    first, modulo = chance.choice(["-", "-", "0", "1", "5"]), chance.choice(["-", "-", "16", "65536"])
    choices = [1, 4, 8, 20, 8192], [1, 2, 8], [0, 1, 100], [1, 2, 5, 64], [1, 2, 5, 64]
    bounds = [chance.choice(values) for values in choices]
    flows = [(key, flow(chance)) for key in range(chance.choice([1, 1, 2, 4]))]
    if chance.random() < 0.4:  # the numbers wrap around
        last = 16 if modulo == "16" else 100
        flows = [(key, [(number + 70) % last for number in numbers]) for key, numbers in flows]
    events: list[str] = []
    time = 0.0
    while live := [(key, numbers) for key, numbers in flows if numbers]:
        key, numbers = chance.choice(live)
        time = round(time + chance.expovariate(1.0), 2)
        events.append(f"{key}:{numbers.pop(0)}:{time}")
    if chance.random() < 0.4:
        events.insert(len(events) // chance.choice([2, 3, 5]), "restart")
    return " ".join(["order", first, modulo, *map(str, bounds), "|", *events])


def histogram_case(chance: random.Random) -> str:
    kinds = [
        lambda: chance.gauss(0.0, 1.0),
        lambda: chance.expovariate(1e-3),
        lambda: float(chance.randrange(-5, 6)),
        lambda: chance.choice([0.0, 1e-320, 5e-324, 1e300, -1e-300, 3.3]),
    ]
    parts = [[chance.choice(kinds)() for _ in range(chance.choice([0, 1, 12]))] for _ in range(2)]
    return " ".join(["histogram |", *map(digits, parts[0]), "merge", *map(digits, parts[1])])


def passage_case(chance: random.Random) -> str:
    keys, bias = chance.choice([1, 3, 40]), chance.choice([0.5, 0.8])
    events = [("s" if chance.random() < bias else "e") + str(chance.randrange(keys)) for _ in range(80)]
    return " ".join([f"passage {chance.choice([1, 2, 5, 100])} |", *events])


def cases() -> Iterator[str]:
    chance = random.Random(1982)
    for make, count in ((order_case, 40), (histogram_case, 20), (passage_case, 10)):
        for _ in range(count):
            yield make(chance)


if __name__ == "__main__":
    FILE.write_text("".join(f"{case} | {outcome(case)}\n" for case in cases()), "utf-8")
