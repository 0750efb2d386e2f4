"""Flat nets for tests in Rust: `python -m tests.engine.flat_nets FOLDER` writes some, each to a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from petri import language
from petri.codec import net_text
from petri.net import Net
from tests.engine.copies import several
from tests.engine.joins import joining_net
from tests.engine.mutated import Random
from tests.engine.nets import chosen_net
from tests.traffic.files import net as recorded

FEW = 30
COPIES = (1, 1, 1, 2)  # copies of a net share its code


def random_nets(number: int) -> Iterator[Net]:
    """Yield so many nets of each kind."""
    for seed in range(number):
        copies = COPIES[seed % len(COPIES)]
        for net in (joining_net(Random(seed)), chosen_net(Random(seed))):
            yield net if copies == 1 else several(net, copies)


def nets(number: int) -> Iterator[Net]:
    """Yield the same, after two of the library, one of them with a `fifo` for each key, and one with a stream."""
    yield language.load("mm1")
    yield language.load("mesh")
    yield language.loads(recorded())
    yield from random_nets(number)


def texts(flat: Iterator[Net]) -> Iterator[str]:
    return ("".join(net_text(net, spans=False)) for net in flat)


def write(folder: Path, flat: Iterator[Net], name: str = "random") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(texts(flat)):
        (folder / f"{name}-{number}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), nets(FEW))
