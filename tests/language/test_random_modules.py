"""Random nets of modules with measures, against the same nets with these measures written outside, by full names."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from petri import language
from petri.engine.native import available
from petri.measure.figures import default_names, evaluate_all, figures
from petri.model import Model
from petri.net import Net
from petri.structs import Struct, field
from tests.sampling import one_in

ENGINES = ["reference", *(["native"] if available() else [])]


class Inner(Struct):
    """Instances in a module: an array of n + `more` elements, or a single one; each gets n - 1 as its own n."""

    name: str
    module: Module
    more: int | None
    condition: int | None  # it is in the net where n is greater


class Module(Struct):
    """`measures` are pairs of indices, `[k in 0..n]` or none, and the parts of a formula."""

    name: str
    inner: list[Inner] = field(default_factory=list)
    measures: list[tuple[bool, str, list[tuple[str, Inner | None, int]]]] = field(default_factory=list)


def random_modules(chance: random.Random) -> list[Module]:
    """Return modules: each has instances of earlier ones, the last is that of the net."""
    found: list[Module] = []
    for number in range(chance.randint(1, 4)):
        module = Module(f"M{number}")
        for place in range(chance.randint(0, 2) if found else 0):
            more, condition = chance.choice((None, 0, 1)), chance.choice((None, None, 0, 1))
            module.inner.append(Inner(f"i{place}", chance.choice(found), more, condition))
        for _ in range(chance.randint(1, 4)):
            module.measures.append((chance.random() < 0.3, chance.choice(OWN), random_parts(chance, module)))
        found.append(module)
    return found


# With `@` before names of the module, `AT` for its port, `N` for its parameter, `K` for the index or 0.
OWN = (
    "count(@t[K])", "mean(@own[*])", "mean(@own[K]) + K", "rate(@t[*], x + N) + busy(@own[N])", "max(AT) * N",
    "mean(AT, value + K)",
)  # fmt: skip


def random_parts(chance: random.Random, module: Module) -> list[tuple[str, Inner | None, int]]:
    """Return what is added to a formula: other measures of the module, or all those of an array of instances."""
    parts: list[tuple[str, Inner | None, int]] = []
    single = [number for number, (array, _, _) in enumerate(module.measures) if not array]
    if single and chance.random() < 0.5:
        parts.append(("", None, chance.choice(single)))
    certain = [one for one in module.inner if one.condition is None]
    if certain and chance.random() < 0.7:
        inner = chance.choice(certain)
        parts.append(
            (chance.choice(("max", "min", "sum", "mean")), inner, chance.randrange(len(inner.module.measures)))
        )
    return parts


def written(module: Module, measures: bool) -> str:
    """Return the text of a module."""
    lines = [f"module {module.name}(n: int)", "  port at : int", "  place own[0..n] = token"]
    lines.append("  transition t[k in 0..n]: own[k], at(x) -> own[k], at((x + n + k) mod 7)  takes k + 1")
    for inner in module.inner:
        loop = "" if inner.more is None else f"[j in 0..n + {inner.more}]"
        condition = "" if inner.condition is None else f" if n > {inner.condition}"
        lines.append(f"  instance {inner.name}{loop} = {inner.module.name}(max(n - 1, 0), at){condition}")
    for number, (array, own, parts) in enumerate(module.measures if measures else ()):
        formula = own.replace("@", "").replace("AT", "at").replace("N", "n").replace("K", "k" if array else "0")
        for combined, of, other in parts:
            formula += f" + {combined}({reference(of, other)})" if of is not None else f" + m{other}"
        lines.append(f"  measure m{number}{'[k in 0..n]' if array else ''} = {formula}")
    return "\n".join([*lines, "end"])


def reference(inner: Inner, number: int) -> str:
    stars = "" if inner.more is None else "[*]"
    return f"{inner.name}{stars}.m{number}{'[*]' if inner.module.measures[number][0] else ''}"


def expanded(module: Module, path: str, n: int) -> Iterator[tuple[str, str]]:
    """Yield the measures of an instance and its inner ones: full names, and formulas without measures."""
    for number, (array, _, _) in enumerate(module.measures):
        for k in range(n + 1) if array else (0,):
            yield f"{path}m{number}{f'[{k}]' if array else ''}", formula(module, path, n, number, k)
    for inner in module.inner:
        if inner.condition is None or n > inner.condition:
            for suffix in elements(inner, n):
                yield from expanded(inner.module, f"{path}{inner.name}{suffix}.", max(n - 1, 0))


def elements(inner: Inner, n: int) -> list[str]:
    return [""] if inner.more is None else [f"[{j}]" for j in range(n + inner.more + 1)]


def formula(module: Module, path: str, n: int, number: int, k: int) -> str:
    _, own, parts = module.measures[number]
    text = own.replace("@", path).replace("AT", "at").replace("N", str(n)).replace("K", str(k))
    for combined, inner, other in parts:
        if inner is None:
            text += f" + ({formula(module, path, n, other, 0)})"
            continue
        less = max(n - 1, 0)
        indices = range(less + 1) if inner.module.measures[other][0] else (0,)
        prefixes = [f"{path}{inner.name}{suffix}." for suffix in elements(inner, n)]
        each = [f"({formula(inner.module, prefix, less, other, k)})" for prefix in prefixes for k in indices]
        added = f"({' + '.join(each)})"
        text += {
            "sum": f" + {added}", "mean": f" + {added} / {len(each)}",
            "max": f" + max({', '.join([*each, each[0]])})", "min": f" + min({', '.join([*each, each[0]])})",
        }[combined]  # fmt: skip
    return text


def values(net: Net, engine: str) -> list[float]:
    result = Model(net).run(engine=engine, until=9.5)
    return list(evaluate_all(figures(net, default_names(net)), result.replications[0].window).values())


@pytest.mark.parametrize("seed", one_in(5, range(25)))
def test_measures_of_random_modules(seed: int) -> None:
    modules = random_modules(random.Random(seed))
    whole = modules[-1]
    n = 2
    wanted = list(expanded(whole, "all_of_it.", n))
    if len(wanted) > 2_000:
        n, wanted = 0, list(expanded(whole, "all_of_it.", 0))
    outer = f"place at : int = 1, 2, 3, 4, 5\ninstance all_of_it = {whole.name}({n}, at)\n"
    inside = "\n".join(written(one, measures=True) for one in modules)
    outside = "\n".join(written(one, measures=False) for one in modules)
    found = language.loads(outer + inside)
    expected = language.loads(
        outer + outside + "".join(f"\nmeasure x{number} = {text}" for number, (_, text) in enumerate(wanted))
    )
    assert [one.name for one in found.measures] == [name for name, _ in wanted]
    for engine in ENGINES:
        assert values(found, engine) == pytest.approx(values(expected, engine), rel=1e-12)
