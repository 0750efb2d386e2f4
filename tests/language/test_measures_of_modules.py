"""Measures in modules: each instance has those that could be written outside with full names."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest

import petri
from petri import language
from petri.diagnostics import LanguageError
from petri.engine.native import available
from petri.measure.figures import default_names, evaluate_all, figures
from petri.net import Net
from tests.engines import NATIVE_FIRST


def names(net: Net) -> list[str]:
    return [measure.name for measure in net.measures]


def values(net: Net, engine: str) -> dict[str, float]:
    result = petri.Model(net).run(engine=engine, seed=3)
    return evaluate_all(figures(net, default_names(net)), result.replications[0].window)


def refused(text: str) -> list[str]:
    with pytest.raises(LanguageError) as raised:
        language.loads(text)
    return [one.id for one in raised.value.diagnostics]


# ---------------------------------------------------------------- against the same, written outside

ENGINE = """
net engines
time us
type Class  = gold | silver
type Packet = { seq: int, class: Class, size: Bytes, born: Time }
dist sizes  = choice(64 B: 1, 256 B: 1, 1518 B: 1)

module Stage(work: Time)
  port from : Packet
  port to : Packet
  place free = token
  transition step: from(p), free -> to(p), free  draw d ~ exp(work)  takes d
MEASURES_OF_STAGE
end
module Engine(threads: int, work: Time)
  port in inlet : Packet
  port out outlet[0..1] : Packet
  unit cycle = work / 10
  const half = work / 2
  place alu = threads * token
  place turn[Class] : Packet
  place line[0..2] : Packet fifo
  transition start: inlet(p), alu -> turn[p.class](p)
    draw d ~ exp(half)
    let long = d + p.size / 1 GBps, share = threads / 2
    takes long
  transition sort[c in Class]: turn[c](p) -> line[0](p)  takes 1 cycle
  instance stage[i in 0..1] = Stage(half, line[i], line[i + 1])
  transition leave: line[2](p) -> outlet[p.seq mod 2](p), alu
MEASURES_OF_ENGINE
end

place clock : int = 0
place queue : Packet fifo
place out[0..3] : Packet
transition arrive: clock(n) -> clock(n + 1), queue(Packet(n, c, s, end))
  draw s ~ sizes, c ~ choice(gold: 1, silver: 2)
  takes exp(4 us)
transition gone[i in 0..3]: out[i](p) -> nothing  takes 1 us
instance engine[i in 0..1] = Engine(i + 1, (i + 1) * 1 us, queue, out[2 * i..2 * i + 1])
MEASURES
run until 300 us
"""

# `@` is before the names of the module, `#0` and `#1` are its parameters, and `IN`, `OUT` its ports.
OF_ENGINE = (
    "busy(@alu)", "mean(@turn[*])", "mean(@turn[gold]) + max(@line[1])", "mean(IN)", "arrivals(IN) / count(@start)",
    "mean(IN, size)", "max(@line[*], if class == gold then size else 0)", "mean(OUT[1]) + max(OUT[0], size / 64 B)",
    "count(@sort[silver])", "rate(@sort[*], p.size)", "rate(@start, p.size) in MBps", "rate(@start, share)",
    "now - p.born at @leave  record mean, p99, count", "long at @start when p.class == gold  record max",
    "tokens(IN) at @start", "end - now at @sort[*]  record count, mean", "p.seq + #0 at @leave  record max",
    "time(@start -> @leave, by p.seq)", "time(IN(q) -> @stage[1].step, by q.seq -> p.seq)", "#0 * max(#1, 3 us)",
    "gap(@leave)  record series(10 us)", "reorder(@leave, order p.seq, displacement: #0 + 3)  record packets",
    "count(@stage[*].step)", "mean(@stage[0].step) + busy(@stage[*].free)", "d at @stage[0].step  record sum",
)  # fmt: skip
OF_STAGE = ("busy(@free)", "mean(IN) + mean(@step)", "d at @step when p.seq mod 2 == 0  record count, max")


def written(formula: str, instance: str, *names: tuple[str, str]) -> str:
    for name, value in (("@", instance), *names):
        formula = formula.replace(name, value)
    return formula


def inside() -> str:
    """Return the net with the measures in its modules."""
    own = (("#0", "threads"), ("#1", "half"), ("IN", "inlet"), ("OUT", "outlet"))
    engine = [f"  measure m{number} = {written(one, '', *own)}" for number, one in enumerate(OF_ENGINE)]
    stage = [f"  measure s{number} = {written(one, '', ('IN', 'from'))}" for number, one in enumerate(OF_STAGE)]
    return filled(MEASURES_OF_ENGINE=engine, MEASURES_OF_STAGE=stage)


def outside() -> str:
    """Return the net with the same measures outside of its modules, in the same order."""
    measures = []
    for i in (0, 1):
        path = f"engine[{i}]."
        places = (("IN", "queue"), ("OUT[0]", f"out[{2 * i}]"), ("OUT[1]", f"out[{2 * i + 1}]"))
        parameters = (("#0", f"{i + 1}"), ("#1", f"({i + 1} us / 2)"))
        measures += [written(one, path, *places, *parameters) for one in OF_ENGINE]
        for j in (0, 1):
            measures += [written(one, f"{path}stage[{j}].", ("IN", f"{path}line[{j}]")) for one in OF_STAGE]
    return filled(MEASURES=[f"measure x{number} = {one}" for number, one in enumerate(measures)])


def filled(**measures: list[str]) -> str:
    lines = [line for found in ENGINE.splitlines() for line in measures.get(found, [found])]
    return "\n".join(line for line in lines if not line.startswith("MEASURES"))


@pytest.mark.parametrize("engine", NATIVE_FIRST)
def test_they_are_what_full_names_measure_from_outside(engine: str) -> None:
    within, without = language.loads(inside()), language.loads(outside())
    found, expected = values(within, engine), values(without, engine)
    assert list(found.values()) == list(expected.values())
    assert not any(map(math.isnan, found.values()))
    assert [one.dimension for one in within.measures] == [one.dimension for one in without.measures]
    assert "engine[1].stage[0].s2.max" in found


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="needs the native engine")
def test_engines_agree() -> None:
    net = language.loads(inside())
    assert values(net, "reference") == values(net, "native")


# ---------------------------------------------------------------- names

TREE = """
module Tree(depth: int)
  place p = token
  transition t: p -> p  takes depth + 1
  instance left  = Tree(depth - 1) if depth > 0
  instance right = Tree(depth - 1) if depth > 1
  measure firings = count(t)
  measure of_left[i in 0..depth - 1] = left.firings * i  if depth > i
end
instance tree = Tree(2)
measure whole = sum(tree.left.of_left[*])
run until 12
"""


def test_modules_that_contain_themselves() -> None:
    net = language.loads(TREE)
    assert names(net) == [
        "whole", "tree.firings", "tree.of_left[0]", "tree.of_left[1]", "tree.left.firings", "tree.left.of_left[0]",
        "tree.left.left.firings", "tree.right.firings", "tree.right.of_left[0]", "tree.right.left.firings",
    ]  # fmt: skip
    found = values(net, "reference")
    assert (found["tree.firings"], found["tree.left.firings"], found["tree.left.left.firings"]) == (5, 7, 13)
    assert (found["tree.of_left[1]"], found["whole"]) == (7, 0)


ARRAY = """
type Class = gold | silver
module M(n: int, first: int = 0)
  port at[0..1]
  place own[0..n] = (n + 1) * token
  thread worker
    take at[0]
    search: wait n
    give at[0]
  end
  measure load[i in first..n, c in Class] = busy(own[i]) + n  if c == gold or i == first
  measure searches                       = count(worker.search) + load[first, gold]
end
place p[0..3] = token
instance m[i in 0..1] = M(i + 1, i, at = p[2 * i..2 * i + 1])
instance off = M(1, at = p[0..1]) if false
measure a = max(m[*].load[*, gold])
measure b = min(m[*].load[*, *])
measure c = sum(m[*].load[1, gold]) + mean(m[*].load[1][gold]) + m[1].load[2, gold]
measure d = max(1 * m[0].load[1, gold], m[1].searches)
expect m[0].load[0, silver] == 1
expect a < max(m[*].searches)
run until 10
"""


def test_arrays_of_measures_of_arrays_of_instances() -> None:
    net = language.loads(ARRAY)
    assert names(net)[4:] == [
        "m[0].load[0][gold]", "m[0].load[0][silver]", "m[0].load[1][gold]", "m[0].searches",
        "m[1].load[1][gold]", "m[1].load[1][silver]", "m[1].load[2][gold]", "m[1].searches",
    ]  # fmt: skip
    found = values(net, "reference")
    assert (found["a"], found["b"], found["c"]) == (2, 1, 3 + 1.5 + 2)
    assert found["m[1].searches"] == found["d"] == 6 + 2
    assert petri.Model(net).run().passed


def test_a_unit_of_a_module_has_its_size_in_each_instance() -> None:
    text = """
    time us
    module M(work: Time)
      unit cycle = work / 10
      place p = token
      transition t: p -> p  takes work
      measure gaps = gap(t) in cycle
    end
    instance m[i in 1..2] = M(i * 1 us)
    instance n[i in 1..2] = M(1 us)
    measure unlike = max(m[*].gaps)
    measure alike = mean(n[*].gaps)
    measure one = m[2].gaps
    run until 10 us
    """
    net = language.loads(text)
    assert [one.dimension for one in net.measures[:5]] == [
        "Time", "Time in cycle=0.1", "Time in cycle=0.2", "Time in cycle=0.1", "Time in cycle=0.2",
    ]  # fmt: skip
    assert values(net, "reference")["unlike"] == values(net, "reference")["one"] == 2


def test_imports_with_a_name_have_them_under_the_name_of_the_instance(tmp_path: Path) -> None:
    (tmp_path / "part.net").write_text(
        "module Source(gap: Time)\n  place p = token\n  transition t: p -> p  takes gap\n"
        "  measure sent = count(t)\nend\n"
        "param rest = 3 us\ninstance own = Source(rest)\nmeasure all_sent[i in 1..2] = own.sent * i\n",
        encoding="utf-8",
    )
    (tmp_path / "main.net").write_text(
        'time us\nimport "part.net" as voice\nimport "part.net" as video with rest = 1 us\n'
        "instance calls = voice.Source(1 us)\ninstance films[i in 0..1] = video.Source(2 us)\n"
        "measure whole = calls.sent + sum(films[*].sent) + voice.all_sent[2]\n"
        "expect video.own.sent == 5\nrun until 4 us",
        encoding="utf-8",
    )
    net = language.load(tmp_path / "main.net")
    assert values(net, "reference") == {
        "whole": 5 + 3 + 3 + 4, "voice.all_sent[1]": 2, "voice.all_sent[2]": 4, "voice.own.sent": 2,
        "video.all_sent[1]": 5, "video.all_sent[2]": 10, "video.own.sent": 5,
        "calls.sent": 5, "films[0].sent": 3, "films[1].sent": 3,
    }  # fmt: skip
    assert petri.Model(net).run().passed


def test_a_module_without_an_instance_is_checked_and_not_measured() -> None:
    text = (
        "time us\nplace p = token\ntransition t: p -> p  takes 1 us\nmodule M()\n  place q\n  measure m = mean(q)\nend"
    )
    assert names(language.loads(text)) == []
    assert refused(text.replace("mean(q)", "mean(q) + rate(v)")) == ["unknown-target"]
    assert refused(text.replace("mean(q)", "mean(q) in ns")) == ["unit-of-other-dimension"]


def test_a_measure_over_a_port_is_that_of_the_place() -> None:
    text = """
    module Inner()
      port at[0..1]
      transition t: at[1] -> at[1]  takes 1
      measure held = mean(at[0]) + 10 * mean(at[1])
    end
    module Outer()
      port at[0..3]
      instance inner[i in 0..1] = Inner(at = at[2 * i..2 * i + 1])
      measure whole = mean(at[*])
    end
    place p[0..7]
    place two[0..1] = 2 * token
    transition never: p[0] -> two[0]
    instance outer = Outer(at = p[4..7])
    instance inner = Inner(at = two)
    run until 4.5
    """
    net = language.loads(
        text.replace("place p[0..7]", "place p[0..7] = 3 * token").replace("never: p[0]", "never: p[1]")
    )
    found = values(net, "reference")
    # Each transition of `Inner` always holds the tokens of its second place.
    assert found == {"outer.whole": 6, "outer.inner[0].held": 3, "outer.inner[1].held": 3, "inner.held": 2 + 3}


def test_many_instances_with_measures_load_fast() -> None:
    """The time grows with their number, and not with its square."""
    text = """
    place p = token
    module M()
      port at
      place own[0..1] = token
      transition t[i in 0..1]: at, own[i] -> at, own[i]  takes 1
      measure load = mean(own[*]) + mean(t[*])
    end
    instance m[i in 0..799] = M(at = p)
    measure most = max(m[*].load)
    """
    start = time.process_time()
    assert len(language.loads(text).measures) == 801
    assert time.process_time() - start < 2
