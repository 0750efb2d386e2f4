"""Finds two constants of the JPEG decoder from ten of its twenty images, and predicts the other ten.

    python validation/fit_jpeg.py

The states of the RTL say what the constants are: 8 cycles of Huffman decoding for each block, and 22 of the two halves
of the transform. Here they are taken as unknown, and found by the cycles of every second image alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

import yaml

import petri

MEASURED: Final = Path(__file__).resolve().parent / "accelerators" / "jpeg.yaml"


def measured() -> list[float]:
    """Return the cycles of the RTL, in the order of the images."""
    study = yaml.safe_load(MEASURED.read_text("utf-8"))
    return [float(str(one["value"]).split()[0]) for one in study["expected"]]


def modelled(fixed: int, depth: int, count: int) -> list[float]:
    """Return the cycles of the net, in the order of the images."""
    model = petri.load("accelerators/jpeg", huffman_fixed=f"{fixed} cycle", transform_depth=f"{depth} cycle")
    result = model.run(until="dead")
    return [result.measure(f"cycles[{number}]").value for number in range(count)]


def errors(ours: Iterable[float], rtl: Iterable[float]) -> list[float]:
    return [abs(one - other) / other for one, other in zip(ours, rtl, strict=True)]


def best(rtl: Sequence[float], tried: Iterable[tuple[int, int]]) -> tuple[float, int, int]:
    """Return the constants whose mean error on every second image is the least, with that error."""
    return min((fmean(errors(modelled(*pair, len(rtl))[::2], rtl[::2])), *pair) for pair in tried)


def main() -> None:
    rtl = measured()
    _, fixed, depth = best(rtl, itertools.product(range(4, 13, 2), range(2, 43, 8)))
    _, fixed, depth = best(rtl, itertools.product(range(fixed - 1, fixed + 2), range(depth - 6, depth + 7, 2)))
    error, fixed, depth = best(rtl, itertools.product((fixed,), range(depth - 1, depth + 2)))
    predicted = errors(modelled(fixed, depth, len(rtl))[1::2], rtl[1::2])
    print(f"found from every second image: {fixed} cycles for each block, {depth} of the transform (error {error:.4%})")
    print(f"the other images: {sum(one == 0 for one in predicted)} of {len(predicted)} to the cycle, "
          f"error {fmean(predicted):.4%} on average, {max(predicted):.4%} at most")  # fmt: skip
    trivial = fmean(rtl[::2])  # all images have as many blocks
    beside = errors([trivial] * len(predicted), rtl[1::2])
    print(f"blocks times a constant: error {fmean(beside):.1%} on average, {max(beside):.1%} at most")


if __name__ == "__main__":
    main()
