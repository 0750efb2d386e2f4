"""What `pnsim check` says of figures that runs cannot tell, or tell too low."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from petri.library import net_names
from tests.cli.calling import Call
from tests.sampling import one_in

QUEUE = """place s = token
place q
place server = token
transition arrive: s -> s, q         takes exp(2)
transition serve:  q, server -> server  takes TIME
measure used = active(serve)
MEASURE
run until 20_000 WARMUP
"""


def queue(time: str = "exp(1)", measure: str = "", warmup: str = "warmup 500") -> str:
    return QUEUE.replace("TIME", time).replace("MEASURE", measure).replace("WARMUP", warmup)


@pytest.fixture
def notes(call: Call, write: Callable[..., str]) -> Callable[[str], list[str]]:
    """Return the ids of what is said of a text."""

    def found(text: str) -> list[str]:
        lines = call("check", write(text)).out.splitlines()
        return [line.partition("[")[2].partition("]")[0] for line in lines if line.startswith("note[")]

    return found


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("expect active(serve) == 75%", True),
        ("expect mean(q) == 0.5", True),
        ("measure wait = time(arrive -> serve)\n  expect == 1", False),  # 1 and 0 may be meant
        ("measure wait = time(arrive -> serve)\n  expect == 2", True),
        ("expect probability(tokens(q) > 3 within 10) == 0.25", True),
        ("expect active(serve) == 75% within 2%", False),
        ("expect active(serve) < 75%", False),
        ("expect count(serve) == 200", False),
        ("expect max(q) == 3", False),
        ("expect 2 * (mean(server) + mean(serve)) == 2", False),
        ("expect share(tokens(q) > 3) == 0", False),
    ],
)
def test_a_random_figure_is_no_number(notes: Callable[[str], list[str]], measure: str, said: bool) -> None:
    assert ("exact-of-random" in notes(queue(measure=measure))) is said


def test_a_figure_of_a_net_without_chance_may_be_a_number(notes: Callable[[str], list[str]]) -> None:
    text = "place c = token\nplace d = token\ntransition t: c -> c takes 3\ntransition u: d -> d takes TIME\n"
    text += "measure m = rate(t)\n  expect == 0.25\nrun until 400\n"
    assert notes(text.replace("TIME", "exp(2)")) == []


def test_a_run_says_it_of_what_failed(call: Call, write: Callable[..., str]) -> None:
    ran = call("run", write(queue(measure="expect active(serve) == 75%\nexpect mean(q) < 9")))
    assert "expected exactly 75%" in ran.out
    assert ran.err.count("note[exact-of-random]: a random figure is never exactly what is expected here") == 1
    assert "hint: say how far it may be from there: `within 2%`" in ran.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (queue(warmup=""), True),
        (queue(), False),
        (queue(warmup="").replace("until 20_000", "until dead"), False),
        (queue(warmup="").replace("until 20_000", "until count(serve) > 99"), False),
        (queue(warmup="").replace("q\n", "q cap 8\n", 1), False),
        (queue(warmup="").replace("exp(2)", "2").replace("exp(1)", "1"), False),
        (queue(warmup="").replace("active(serve)", "mean(q) record series(10)"), False),
        (queue(warmup="").replace("active(serve)", "max(q)"), False),
        (queue(warmup="").replace("= token\nplace q", "= 5 * token\nplace q").replace("s -> s, q", "s -> q"), False),
    ],
)
def test_an_open_net_without_a_warm_up(notes: Callable[[str], list[str]], text: str, said: bool) -> None:
    assert ("no-warm-up" in notes(text)) is said


@pytest.mark.parametrize(
    ("time", "said"),
    [
        ("pareto(1.8, 1)", ["infinite-variance"]),
        ("loglogistic(2, 1)", ["infinite-variance"]),
        ("pareto(2.2, 1)", ["infinite-variance-of-waits"]),
        ("pareto(3.2, 1)", []),
        ("min(pareto(1.8, 1), 50)", []),
        ("sqrt(pareto(1.8, 1))", []),
        ("lognormal(1, 4)", []),
    ],
)
def test_infinite_variances(notes: Callable[[str], list[str]], time: str, said: list[str]) -> None:
    assert notes(queue(time)) == said


def test_a_heavy_value_of_a_token_is_followed(notes: Callable[[str], list[str]]) -> None:
    text = queue("n * 1").replace("place q", "place q : real").replace("q, server", "q(n), server")
    text = text.replace("s -> s, q         takes exp(2)", "s -> s, q(x)  draw x ~ pareto(1.5, 1)  takes exp(3)")
    assert notes(text) == ["infinite-variance"]


def test_a_delay_alone_has_a_finite_variance_from_shape_2_on(notes: Callable[[str], list[str]]) -> None:
    text = queue().replace("q, server -> server  takes exp(1)", "q -> nothing  takes pareto(2.5, 1)")
    assert notes(text) == []


@pytest.mark.parametrize("name", one_in(4, net_names()))
def test_nets_of_the_library_have_none_of_these(call: Call, name: str, tmp_path: Path) -> None:
    said = call("check", name).out
    assert not any(f"note[{one}" in said for one in ("exact-of-random", "no-warm-up", "infinite-variance"))
