"""The definitions of RFC 4737, RFC 5236 and of a cumulative receiver, written down offline and without economy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any


def first_copies(arrivals: Sequence[int]) -> list[int]:
    """Return the arrivals without the second and later copies of a packet."""
    return list(dict.fromkeys(arrivals))


def rfc_4737(arrivals: Sequence[int], times: Sequence[float]) -> dict[str, Any]:
    """Singletons and samples of RFC 4737, sections 3 and 4; `times` belong to the first copies."""
    s = first_copies(arrivals)
    reordered = [i for i in range(len(s)) if any(s[j] > s[i] for j in range(i))]
    discontinuity = {i: min(j for j in range(i) if s[j] > s[i]) for i in reordered}
    extents = [i - discontinuity[i] for i in reordered]
    late_times = [times[i] - times[discontinuity[i]] for i in reordered]
    overtaken = [sum(s[j] > s[i] for j in range(i)) for i in reordered]
    degrees = [max(n for n in range(i + 1) if all(s[j] > s[i] for j in range(i - n, i))) for i in range(len(s))]
    jumps = [s[i] - max(s[:i]) - 1 for i in range(1, len(s)) if s[i] > max(s[:i]) + 1]
    runs = [after - before - 1 for before, after in zip([-1, *reordered], reordered, strict=False)]
    gaps = reordering_gaps([discontinuity[i] for i in reordered])
    return {
        "packets": len(arrivals),
        "received": len(s),
        "duplicates": len(arrivals) - len(s),
        "lost": max(s) - min(s) + 1 - len(s),
        "reordered": len(reordered),
        "total_extent": sum(extents),
        "max_extent": max(extents, default=0),
        "total_late_time": sum(late_times),
        "max_late_time": max(late_times, default=0.0),
        "total_overtaken": sum(overtaken),
        "max_overtaken": max(overtaken, default=0),
        "retransmit_overtaken": sum(n >= 3 for n in overtaken),
        "three_reordered": sum(n >= 3 for n in degrees),
        "degrees": Counter(degrees),
        "extents": Counter(extents),
        "discontinuities": len(jumps),
        "total_discontinuity": sum(jumps),
        "runs": len(runs),
        "run_packets": len(s) - len(reordered),  # the packets in order, those of an unfinished run included
        "run_squares": sum(run * run for run in runs),
        "gaps": len(gaps),
        "total_gap": sum(gaps),
    }


def reordering_gaps(discontinuities: Sequence[int]) -> list[int]:
    """Section 4.5: the distances between successive discontinuities, in whichever order they were detected."""
    return [later - earlier for earlier, later in pairwise(sorted(set(discontinuities)))]


def acknowledgements(arrivals: Sequence[int], first: int) -> list[int]:
    """Return the cumulative ACK after each arrival: the least number not received yet."""
    acks = []
    for n in range(1, len(arrivals) + 1):
        received = set(arrivals[:n])
        ack = first
        while ack in received:
            ack += 1
        acks.append(ack)
    return acks


def retransmissions(arrivals: Sequence[int], first: int) -> dict[str, int]:
    """Duplicate ACKs and the retransmissions that three of them cause, counted in four ways."""
    acks = [first, *acknowledgements(arrivals, first)]
    duplicate = [after == before for before, after in pairwise(acks)]
    runs = [0]
    for again in duplicate:
        runs = [*runs[:-1], runs[-1] + 1] if again else [*runs, 0]
    third = [n for n in range(2, len(arrivals)) if all(duplicate[n - 2 : n + 1])]
    resent: set[int] = set()
    for n in third:
        resent |= set(range(acks[n], max(arrivals[: n + 1]))) - set(arrivals[: n + 1])
    holes = {ack for n, ack in enumerate(acks) if sum(number > ack for number in set(arrivals[:n])) >= 3}
    return {
        "duplicate_acks": sum(duplicate),
        "retransmit_per_run": sum(run >= 3 for run in runs),
        "retransmit_per_duplicate": sum(max(0, run - 2) for run in runs),
        "retransmit_per_hole": len(holes),
        "retransmit_missing": len(resent),
    }


def reorder_density(arrivals: Sequence[int], threshold: int) -> Counter[int]:
    """RFC 5236, section 4: displacements from the receive index, lost packets skipped by looking DT arrivals ahead.

    Duplicates are left out first, those of packets too far displaced to be counted included.
    """
    stream = first_copies(arrivals)
    window: list[int] = []
    buffer: list[int] = []
    density: Counter[int] = Counter()
    index = min(arrivals, default=0)

    def admit() -> None:
        while stream:
            new = stream.pop(0)
            if new >= index:
                window.append(new)
                return

    while stream and len(window) <= threshold:
        admit()
    while window:
        if index in window or index in buffer:
            sequence = window.pop(0)
            displacement = index - sequence
            if abs(displacement) <= threshold:
                density[displacement] += 1
                if index in buffer:
                    buffer.remove(index)
                if displacement < 0:
                    buffer.append(sequence)
                index += 1
            admit()
        else:
            least = min(window + buffer)
            index = least if index < least else index + 1
    return density


def buffer_density(arrivals: Sequence[int], threshold: int, first: int) -> Counter[int]:
    """RFC 5236, section 5: packets by how many are held once they have arrived.

    With a full buffer the expected packet is given up, and with it all numbers before the least one held.
    """
    expected = first
    held: set[int] = set()
    density: Counter[int] = Counter()
    for sequence in arrivals:
        if sequence < expected or sequence in held:
            continue
        held.add(sequence)
        if len(held) > threshold and expected not in held:
            expected = min(held)
        while expected in held:
            held.remove(expected)
            expected += 1
        density[len(held)] += 1
    return density
