"""Rules R1 to R4: the stream, choices, distributions, repeatability."""

import math
from statistics import fmean, pvariance

import numpy as np
import pytest

from petri.engine.random import RandomStream
from tests.semantics.harness import Ran, simulate


def test_r1_the_stream_is_sfc64_spawned_as_numpy_spawns(engine: str) -> None:
    spawned = np.random.SeedSequence(99).spawn(4)[3]
    words = np.random.SFC64(spawned).random_raw(3)
    expected = [int(word >> np.uint64(11)) * 2.0**-53 for word in words]
    ran = simulate(
        "place a = 3 * token  transition t: a -> nothing  draw u ~ uniform(0.0..1.0)",
        engine,
        seed=99,
        replication=3,
    )
    assert [values[0] for values in ran.values("t")] == expected


def test_r2_a_draw_is_made_only_where_there_is_a_choice(engine: str) -> None:
    ran = simulate(
        """
        place a : int = 1, 2
        place out : real fifo
        transition first: a(n) -> nothing  when n == 1 and tokens(out) == 0
        transition only: a(n) -> out(u)  draw u ~ uniform(0.0..1.0)  when tokens(a) == 1
        """,
        engine,
        seed=5,
    )
    assert ran.marking["out"] == [(RandomStream(5, 0).uniform(),)]


def test_r2_choices_take_the_floor_of_u_times_n(engine: str) -> None:
    ran = simulate("place q : int = 0, 1, 2, 3, 4, 5, 6  transition t: q(n) -> nothing", engine, seed=8)
    stream, row, expected = RandomStream(8, 0), list(range(7)), []
    while row:
        seat = int(stream.uniform() * len(row)) if len(row) > 1 else 0
        expected.append((row[seat],))
        row[seat] = row[-1]
        row.pop()
    assert ran.values("t") == expected


def test_r2_weighted_choices_take_the_first_that_reaches_u(engine: str) -> None:
    ran = simulate(
        """
        place p = 50 * token
        transition a: p -> nothing  weight 0.5
        transition b: p -> nothing  weight 2
        transition c: p -> nothing  weight 1.5
        """,
        engine,
        seed=3,
    )
    stream = RandomStream(3, 0)
    names = ["abc"[np.searchsorted([0.5, 2.5, 4.0], stream.uniform() * 4.0, side="right")] for _ in range(50)]
    assert ran.order() == " ".join(names)


DISTRIBUTIONS = [
    ("exp(2.0)", 2.0, 4.0),
    ("uniform(1.0..4.0)", 2.5, 0.75),
    ("uniform(1..4)", 2.5, 1.25),
    ("erlang(4, 2.0)", 2.0, 1.0),
    ("lognormal(2.0, 0.5)", 2.0, 1.0),
    ("pareto(6.0, 2.0)", 2.0, 4.0 / 24.0),
    ("choice(1.0: 1, 3.0: 3)", 2.5, 0.75),
]


@pytest.mark.parametrize(("distribution", "mean", "variance"), DISTRIBUTIONS)
def test_r3_distributions_have_their_mean_and_variance(
    engine: str, distribution: str, mean: float, variance: float
) -> None:
    n, each = 20_000, 20  # many draws for each firing, which takes the reference engine longer than a draw
    draws = ", ".join(f"x{i} ~ {distribution}" for i in range(each))
    text = f"place a = token  transition t: a -> a  draw {draws}  takes 1"
    ran = simulate(text, engine, firings=n // each, seed=11)
    values = [float(value) for drawn in ran.values("t") for value in drawn]
    assert len(values) == n
    # Both bounds are five standard errors: a correct engine fails a case once in a million seeds.
    assert abs(fmean(values) - mean) < 5 * math.sqrt(variance / n)
    fourth = fmean((v - mean) ** 4 for v in values)
    assert abs(pvariance(values) - variance) < 5 * math.sqrt((fourth - variance**2) / n)


def test_r3_a_pareto_never_falls_below_its_least_value(engine: str) -> None:
    ran = simulate("place a = 2000 * token  transition t: a -> nothing  draw x ~ pareto(1.5, 3.0)", engine)
    assert min(v[0] for v in ran.values("t")) == pytest.approx(1.0, abs=0.01)


def random_net(engine: str, seed: int, replication: int = 0) -> Ran:
    text = """
    place q : int = 1, 2, 3, 4
    place s = 2 * token
    transition a: q(n), s -> q(n mod 7 + 1), s  takes exp(1.0 + n)
    transition b: q(n), s -> q(n + 1), s        takes uniform(0.0..1.0)  weight 0.5  when n < 7
    """
    return simulate(text, engine, seed=seed, replication=replication, firings=500)


def test_r4_the_same_seed_gives_the_same_trajectory(engine: str) -> None:
    one, again, other, next_replication = (
        random_net(engine, 1),
        random_net(engine, 1),
        random_net(engine, 2),
        random_net(engine, 1, 1),
    )
    assert one.fired == again.fired
    assert one.hash == again.hash
    assert len({one.hash, other.hash, next_replication.hash}) == 3


def test_r4_the_hash_takes_in_every_part_of_a_firing(engine: str) -> None:
    # The second transition never fires: its time has the tick be the same.
    base = (
        "place a : int = {} place b : int = 7 place c transition t: {}(n) -> nothing takes {} "
        "transition u: c -> c takes 1"
    )
    hashes = {
        simulate(base.format(1, "a", 1), engine).hash,
        simulate(base.format(2, "a", 1), engine).hash,
        simulate(base.format(7, "a", 2), engine).hash,
        simulate(base.format(7, "a", 1), engine).hash,
    }
    assert len(hashes) == 4
