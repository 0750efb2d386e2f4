"""Rules R1 to R5: the streams, choices, distributions, repeatability."""

import math
from pathlib import Path

import numpy as np
import pytest

import petri
from petri import language
from petri.engine.random import RandomStream, own_stream
from petri.engine.seeds import seed_words
from petri.net import Net
from petri.structs import replace
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


def truncated(mean: float, sd: float, low: float, high: float) -> tuple[float, float]:
    """Mean and variance of a normal between bounds."""
    a, b = (low - mean) / sd, (high - mean) / sd
    density = [math.exp(-x * x / 2) / math.sqrt(2 * math.pi) for x in (a, b)]
    inside = (math.erf(b / math.sqrt(2)) - math.erf(a / math.sqrt(2))) / 2
    shift = (density[0] - density[1]) / inside
    return mean + sd * shift, sd**2 * (1 + (a * density[0] - b * density[1]) / inside - shift**2)


DISTRIBUTIONS = [
    ("exp(2.0)", 2.0, 4.0),
    ("uniform(1.0..4.0)", 2.5, 0.75),
    ("uniform(1..4)", 2.5, 1.25),
    ("erlang(4, 2.0)", 2.0, 1.0),
    ("lognormal(2.0, 0.5)", 2.0, 1.0),
    ("pareto(6.0, 2.0)", 2.0, 4.0 / 24.0),
    ("choice(1.0: 1, 3.0: 3)", 2.5, 0.75),
    ("gamma(0.3, 3.0)", 3.0, 30.0),
    ("gamma(2.5, 5.0)", 5.0, 10.0),
    ("weibull(0.8, 2.0)", 2 * math.gamma(2.25), 4 * (math.gamma(3.5) - math.gamma(2.25) ** 2)),
    ("weibull(3.0, 2.0)", 2 * math.gamma(4 / 3), 4 * (math.gamma(5 / 3) - math.gamma(4 / 3) ** 2)),
    ("normal(3.0, 2.0)", 3.0, 4.0),
    ("normal(1.0, 2.0, 0.0..9.0)", *truncated(1.0, 2.0, 0.0, 9.0)),
    ("normal(1.0, 2.0, 0.5..1.5)", *truncated(1.0, 2.0, 0.5, 1.5)),
    ("normal(1.0, 0.5, 2.0..9.0)", *truncated(1.0, 0.5, 2.0, 9.0)),
    ("normal(1.0, 0.5, 2.0..2.1)", *truncated(1.0, 0.5, 2.0, 2.1)),
    ("normal(1.0, 0.5, 0.0 - 3.0..0.2)", *truncated(1.0, 0.5, -3.0, 0.2)),
    ("triangular(1.0, 2.0, 6.0)", 3.0, (1 + 4 + 36 - 2 - 6 - 12) / 18),
    ("hyperexponential(2.0, 3.0)", 2.0, 36.0),
    ("beta(0.4, 0.7)", 0.4 / 1.1, 0.28 / (1.21 * 2.1)),
    ("beta(3.0, 1.5)", 3.0 / 4.5, 4.5 / (20.25 * 5.5)),
    ("bernoulli(0.3)", 0.3, 0.21),
    ("geometric(0.2)", 5.0, 20.0),
    ("geometric(0.9)", 1 / 0.9, 0.1 / 0.81),
    ("binomial(10, 0.3)", 3.0, 2.1),
    ("binomial(1000, 0.7)", 700.0, 210.0),
    ("poisson(3.5)", 3.5, 3.5),
    ("poisson(200.0)", 200.0, 200.0),
    ("choice(exp(9.0): 0.2, exp(1.0): 0.8)", 2.6, 2 * (0.2 * 81 + 0.8) - 2.6**2),
]


@pytest.mark.slow
@pytest.mark.parametrize(("distribution", "mean", "variance"), DISTRIBUTIONS)
def test_r3_distributions_have_their_mean_and_variance(
    engine: str, distribution: str, mean: float, variance: float
) -> None:
    n, each = 20_000, 20  # many draws for each firing, which takes the reference engine longer than a draw
    draws = ", ".join(f"x{i} ~ {distribution}" for i in range(each))
    text = f"place a = token  transition t: a -> a  draw {draws}  takes 1"
    ran = simulate(text, engine, firings=n // each, seed=11)
    values = np.array(ran.values("t"), dtype=float)
    assert values.size == n
    # Both bounds are five standard errors: a correct engine fails a case once in a million seeds.
    assert abs(values.mean() - mean) < 5 * math.sqrt(variance / n)
    fourth = ((values - mean) ** 4).mean()
    assert abs(values.var() - variance) < 5 * math.sqrt((fourth - variance**2) / n)


def test_r3_a_pareto_never_falls_below_its_least_value(engine: str) -> None:
    ran = simulate("place a = 2000 * token  transition t: a -> nothing  draw x ~ pareto(1.5, 3.0)", engine)
    assert min(v[0] for v in ran.values("t")) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    ("distribution", "low", "high"),
    [
        ("normal(1.0, 2.0, 0.0..3.0)", 0.0, 3.0),
        ("normal(0.0, 1.0, 2.0..2.5)", 2.0, 2.5),
        ("beta(0.01, 0.02)", 0.0, 1.0),
    ],
)
def test_r3_values_stay_within_their_bounds(engine: str, distribution: str, low: float, high: float) -> None:
    ran = simulate(f"place a = 1000 * token  transition t: a -> nothing  draw x ~ {distribution}", engine)
    values = [v[0] for v in ran.values("t")]
    assert low <= min(values)
    assert max(values) <= high


def test_r3_counts_have_their_probabilities(engine: str) -> None:
    """Chi-square with 7 to 9 classes: above 40 once in a million seeds."""
    expected = {
        "poisson(2.0)": [math.exp(-2) * 2**k / math.factorial(k) for k in range(8)],
        "poisson(20.0) div 5": [sum(math.exp(-20) * 20**k / math.factorial(k) for k in range(5 * c, 5 * c + 5))
                                for c in range(9)],
        "binomial(40, 0.4) div 4": [sum(math.comb(40, k) * 0.4**k * 0.6 ** (40 - k) for k in range(4 * c, 4 * c + 4))
                                    for c in range(8)],
        "geometric(0.4)": [0.4 * 0.6 ** (k - 1) if k else 0.0 for k in range(9)],
    }  # fmt: skip
    for drawn, chances in expected.items():
        draws = ", ".join(f"x{i} ~ {drawn}" for i in range(20))
        ran = simulate(f"place a = token  transition t: a -> a  draw {draws}  takes 1", engine, firings=300, seed=3)
        values = [int(value) for row in ran.values("t") for value in row]
        found = [sum(value == k for value in values) for k in range(len(chances))]
        wanted = [6_000 * p for p in chances]
        last = (6_000 - sum(found), 6_000 - sum(wanted))
        classes = [(f, w) for f, w in (*zip(found, wanted, strict=True), last) if w > 5]
        assert sum((f - w) ** 2 / w for f, w in classes) < 40, drawn


def test_r3_an_empirical_distribution_is_even_between_its_values(engine: str, tmp_path: Path) -> None:
    (tmp_path / "sizes.csv").write_text("size,weight\n10,0\n20,1\n60,3\n", encoding="utf-8")
    path = tmp_path / "test.net"
    draws = ", ".join(f'x{i} ~ empirical("sizes.csv")' for i in range(20))
    path.write_text(f"net test  place a = token  transition t: a -> a  draw {draws}  takes 1", encoding="utf-8")
    ran = simulate(petri.load(path).net, engine, firings=500, seed=4)
    values = sorted(float(value) for row in ran.values("t") for value in row)
    cumulated = [(x - 10) / 40 if x < 20 else 0.25 + 0.75 * (x - 20) / 40 for x in values]
    distance = max(abs(c - k / len(values)) for k, c in enumerate(cumulated))
    assert distance < 2.7 / math.sqrt(len(values))  # Kolmogorov: once in a million seeds


def random_net(engine: str, seed: int, replication: int = 0) -> Ran:
    text = """
    place q : int = 1, 2, 3, 4
    place s = 2 * token
    transition a: q(n), s -> q(n mod 7 + 1), s  takes exp(1.0 + n)
    transition b: q(n), s -> q(n + 1), s        takes uniform(0.0..1.0)  weight 0.5  when n < 7
    """
    return simulate(text, engine, seed=seed, replication=replication, firings=200)


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


RACE = """
place a{} place b = token  place bag : int = 1, 2, 3
transition one: a -> a                      takes exp(2)
transition two: b, bag(n) -> b, bag(n + 1)  takes uniform(0.0..1.0)
"""


def own_streams(text: str) -> Net:
    return replace(language.loads(f"net test\n{text}"), own_streams=True)


def times(ran: Ran, name: str) -> list[float]:
    return [firing.end - firing.start for firing in ran.fired if firing.name == name]


def test_r5_a_transition_draws_values_from_its_own_stream(engine: str) -> None:
    ran = simulate(own_streams(RACE.format(" = token")), engine, seed=7, replication=2, firings=300)
    one, two = (own_stream(seed_words(7, 2), name) for name in ("one", "two"))
    assert times(ran, "one") == pytest.approx([2 * one.exponential() for _ in times(ran, "one")], abs=1e-4)
    assert times(ran, "two") == pytest.approx([two.uniform() for _ in times(ran, "two")], abs=1e-4)


def test_r5_choices_are_those_of_the_replication(engine: str) -> None:
    ran = simulate(own_streams(RACE.format("")), engine, seed=7, replication=2, firings=50)
    choices, row = RandomStream(7, 2), [1, 2, 3]
    for number in ran.values("two"):
        (n,) = map(int, number)
        seat = choices.equal_choice(3)
        assert n == row[seat]
        row[seat] = row[-1]
        row[-1] = n + 1


def test_r5_clocks_draw_from_the_stream_of_their_transition(engine: str) -> None:
    net = """
    place a = token  place b = token
    transition one: a -> a  after uniform(0.0..2.0)
    transition two: b -> b  after uniform(0.0..1.0)
    """
    ran = simulate(own_streams(net), engine, seed=7, firings=100)
    stream, now = own_stream(seed_words(7, 0), "one"), 0.0
    for firing in ran.fired:
        if firing.name == "one":
            now += 2 * stream.uniform()
            assert firing.start == pytest.approx(now, abs=1e-3)
