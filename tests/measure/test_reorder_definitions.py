"""The one-pass measure against the definitions themselves, on random sequences with losses and duplicates."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence, Sized

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from petri.measure.reorder import COUNTERS, DISTRIBUTIONS, FIELDS, MAXIMA, RATIOS, YOUNG, Reordering
from tests.measure import definitions


@st.composite
def arrivals(draw: st.DrawFn, longest: int = 40) -> list[int]:
    """Packets from some number on, delayed at random by up to a drawn bound, some lost, some twice."""
    size = draw(st.integers(1, longest))
    delay = draw(st.sampled_from([0, 1, 2, 5, 50]))
    delays = draw(st.lists(st.integers(0, delay), min_size=size, max_size=size))
    copies = draw(st.lists(st.sampled_from([1, 1, 1, 1, 0, 2]), min_size=size, max_size=size))
    first = draw(st.integers(-3, 3))
    packets = [(n + late, n) for n, late in enumerate(delays) for _ in range(copies[n])]
    repeated = [(n + 10, n) for n, number in enumerate(copies) if number == 2]
    order = [first + n for _, n in sorted(packets + repeated)]
    return order or [first]


def measured(sequences: Sequence[int], **settings: int) -> Reordering:
    """Measure packets that arrive at times 0, 1, 4, 9 …"""
    measure = Reordering(**settings)
    for n, sequence in enumerate(sequences):
        measure.arrive((), sequence, float(n * n))
    return measure


def times_of_first_copies(sequences: Sequence[int]) -> list[float]:
    return [float(n * n) for n, sequence in enumerate(sequences) if sequence not in sequences[:n]]


def filled(counts: Sequence[int], offset: int = 0) -> dict[int, int]:
    return {index - offset: count for index, count in enumerate(counts) if count}


@given(arrivals())
def test_rfc_4737(sequences: list[int]) -> None:
    expected = definitions.rfc_4737(sequences, times_of_first_copies(sequences))
    measure = measured(sequences)
    assert filled(measure.degree) == dict(expected.pop("degrees"))
    assert filled(measure.extent) == dict(expected.pop("extents"))
    figures = measure.figures()
    assert {name: figures[name] for name in expected} == expected


@given(arrivals(), st.integers(60, 200), st.integers(0, 5))
def test_numbers_that_wrap_around_give_the_figures_of_those_that_do_not(
    sequences: list[int], half: int, offset: int
) -> None:
    """Serial arithmetic (RFC 1982): packets are late by less than half of the range, which may be odd."""
    for modulo in (2 * half, 2 * half + 1):
        wrapped = measured([(number - offset) % modulo for number in sequences], modulo=modulo)
        assert repr(wrapped.snapshot()) == repr(measured(sequences).snapshot())


def test_of_two_numbers_that_are_equally_near_the_lower_one_is_meant() -> None:
    assert measured([0, 1, 2, 7, 3], modulo=10).figures()["reordered"] == 1  # 7 is -3
    assert measured([0, 1, 2, 6, 3], modulo=10).figures()["reordered"] == 1  # 6 is 6, and 3 comes after it


def test_numbers_that_restart_are_noticed_unless_they_may() -> None:
    """Whatever the width of the numbers, once for each time, also where some are out of order or lost."""
    for modulo in (100, 4096):
        twice = [*range(modulo - 30, modulo), *range(modulo), *range(20)]
        swapped = [number for n, number in enumerate(twice) if n % 17 != 3]
        swapped[4:-1:10], swapped[5::10] = swapped[5::10], swapped[4:-1:10]
        for sequences in (twice, swapped):
            assert measured(sequences).figures()["wraps"] == 2
            assert measured(sequences, modulo=modulo).figures()["wraps"] == 0
            assert measured(sequences, modulo=16 * modulo).figures()["wraps"] == 2  # it is too wide


def test_numbers_that_are_merely_out_of_order_do_not_restart() -> None:
    """Packets of a link with very different delays, most of which at first come more than half a range late."""
    chance = random.Random(1)
    for delay in (50, 300, 2000):
        arriving = sorted(range(2000), key=lambda n: n + chance.uniform(0, delay))
        assert measured(arriving).figures()["wraps"] == 0


@given(arrivals(), st.integers(2, 20))
@example([1, 2, 3, 7, 9, 6], 5)
def test_a_window_that_is_wide_enough_changes_nothing(sequences: list[int], window: int) -> None:
    measure, unbounded = measured(sequences, window=window), measured(sequences)
    assume(measure.figures()["beyond_window"] == 0)
    expected = definitions.rfc_4737(sequences, times_of_first_copies(sequences))
    assert (measure.degree, measure.extent) == (unbounded.degree, unbounded.extent)
    figures = measure.figures()
    assert all(figures[name] == expected[name] for name in expected if name in figures)


@given(arrivals(), st.integers(1, 8))
def test_reorder_density(sequences: list[int], threshold: int) -> None:
    counts = measured(sequences, displacement_threshold=threshold).distributions()["displacement"]
    assert filled(counts, threshold) == dict(definitions.reorder_density(sequences, threshold))


@given(arrivals(), st.integers(1, 8))
def test_reorder_buffer_density(sequences: list[int], threshold: int) -> None:
    counts = measured(sequences, buffer_threshold=threshold).distributions()["buffer"]
    assert filled(counts) == dict(definitions.buffer_density(sequences, threshold, min(sequences)))


@given(arrivals(), st.integers(0, 3))
def test_duplicate_acks_and_retransmissions(sequences: list[int], below: int) -> None:
    for first in (None, min(sequences) - below):
        measure = Reordering(first=first)
        for sequence in sequences:
            measure.arrive((), sequence)
        expected = definitions.retransmissions(sequences, min(sequences) if first is None else first)
        figures = measure.figures()
        assert {name: figures[name] for name in expected} == expected


@given(arrivals())
def test_relations_between_the_counts(sequences: list[int]) -> None:
    """One retransmission per run takes three duplicate ACKs and a new one, and each way of counting tops the last."""
    figures = measured(sequences).figures()
    assert 4 * figures["retransmit_per_run"] <= figures["packets"] + 1
    assert figures["retransmit_per_run"] <= figures["retransmit_per_duplicate"] <= figures["duplicate_acks"]
    assert figures["three_reordered"] <= figures["retransmit_overtaken"] <= figures["reordered"]
    assert figures["total_overtaken"] <= figures["total_extent"]


@given(arrivals(), arrivals(), st.randoms(use_true_random=False))
@pytest.mark.slow
def test_flows_do_not_mix(one: list[int], two: list[int], chance: object) -> None:
    """Interleaved flows give the sum of what each gives alone."""
    mixed, apart = Reordering(), [measured(one), measured(two)]
    waiting = [[(0,), list(enumerate(one))], [(1,), list(enumerate(two))]]
    while any(packets for _, packets in waiting):
        key, packets = chance.choice([flow for flow in waiting if flow[1]])  # type: ignore[attr-defined]
        n, sequence = packets.pop(0)
        mixed.arrive(key, sequence, float(n * n))
    figures, sums = mixed.figures(), [measure.figures() for measure in apart]
    assert {name: figures[name] for name in COUNTERS} == {name: sum(each[name] for each in sums) for name in COUNTERS}
    assert all(figures[name] == max(each[name] for each in sums) for name in MAXIMA)


@given(arrivals(200), st.integers(0, 200))
@pytest.mark.slow
def test_figures_of_a_window_are_those_of_its_arrivals(sequences: list[int], warmup: int) -> None:
    """After a restart counts are what the whole adds to the part before (packets not yet assessed aside)."""
    measure = Reordering(first=min(sequences))
    for n, sequence in enumerate(sequences):
        if n == warmup:
            before = measure.figures()
            measure.restart()
        measure.arrive((), sequence, float(n))
    if warmup < len(sequences):
        whole = Reordering(first=min(sequences))
        for n, sequence in enumerate(sequences):
            whole.arrive((), sequence, float(n))
        after, total = measure.figures(), whole.figures()
        assessed = ("displacement_packets", "displaced", "total_displacement")
        for name in (name for name in COUNTERS if name not in assessed):
            assert before[name] + after[name] == total[name], name


def test_the_first_number_is_the_least_of_the_first_arrivals() -> None:
    late = list(range(1, YOUNG))
    assert measured([*late, 0]).figures()["duplicate_acks"] == YOUNG - 1
    assert measured([*late, YOUNG, 0]).figures()["duplicate_acks"] == 1
    assert measured([*late, YOUNG, 0]).figures()["reordered"] == 1


def test_a_restart_forgets_the_duplicate_acks_of_a_young_flow() -> None:
    measure = Reordering()
    for sequence in (3, 4, 5):
        measure.arrive((), sequence)
    measure.restart()
    measure.arrive((), 2)
    measure.arrive((), 1)
    figures = measure.figures()
    assert (figures["packets"], figures["duplicate_acks"], figures["reordered"]) == (2, 1, 2)


def test_what_comes_later_than_the_window_is_told() -> None:
    figures = measured([1, *range(3, 12), 2, 12], window=8).figures()
    assert (figures["beyond_window"], figures["packets"], figures["received"]) == (1, 12, 11)
    assert (figures["reordered"], figures["duplicates"], figures["lost"]) == (0, 0, 1)


def test_a_full_receiver_gives_up_its_hole() -> None:
    assert measured([1, *range(3, 12)], window=8).figures()["duplicate_acks"] == 8
    assert measured([1, *range(3, 11)], window=8).figures()["duplicate_acks"] == 8


def test_the_longest_silent_flow_is_retired() -> None:
    measure = Reordering(flows=2)
    for key in (1, 2, 1, 3, 1, 2):
        measure.arrive((key,), 0)
    assert list(measure.flows) == [(1,), (2,)]
    figures = measure.figures()
    assert (figures["flows"], figures["duplicates"], figures["received"]) == (4, 2, 4)
    assert figures["displacement_packets"] == figures["buffer_packets"] == 4
    assert figures["forgotten"] == 1


def test_a_flow_is_forgotten_when_its_return_is_noticed_or_could_not_be() -> None:
    for limit, forgotten in ((0, 5), (1, 4), (100, 1)):
        measure = Reordering(flows=1, retired=limit)
        for key in (1, 2, 3, 4, 1, 5):
            measure.arrive((key,), 0)
        assert measure.figures()["forgotten"] == forgotten, limit
        assert len(measure.retired) <= limit


def test_memory_is_bounded() -> None:
    """A lossy, reordered flow of 8,000 packets keeps no more than its window asks for."""
    measure = Reordering(window=64)
    for n in range(8_000):
        sequence = n ^ 5
        if n % 7:
            measure.arrive((n % 2,), sequence)
    for flow in measure.flows.values():
        kept: list[Sized] = [
            flow.missing,
            flow.found,
            flow.stairs,
            flow.acknowledger.receiver.blocks,
            flow.displacements.waiting,
        ]
        assert max(map(len, kept)) <= 66
        assert flow.young is None


def test_every_field_is_there_in_order() -> None:
    for measure in (Reordering(), measured([2, 1, 1, 9])):
        assert tuple(measure.figures()) == FIELDS
        assert tuple(measure.distributions()) == DISTRIBUTIONS
        assert tuple(measure.snapshot()) == FIELDS + DISTRIBUTIONS
    assert len(set(FIELDS)) == len(FIELDS)
    empty = Reordering().figures()
    assert all(math.isnan(empty[name]) if name in RATIOS else empty[name] == 0.0 for name in FIELDS)


def test_distributions_end_with_all_that_is_greater() -> None:
    measure = measured([*range(1, 400), 0])
    assert measure.extent[-1] == measure.degree[-1] == 1
    assert Counter(measure.degree)[0] > 0


@pytest.mark.parametrize("name", ["window", "flows", "displacement_threshold", "buffer_threshold"])
def test_bounds_must_be_positive(name: str) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Reordering(**{name: 0})
