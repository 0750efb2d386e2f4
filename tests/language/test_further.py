"""Arrays of transitions that are made many at a time are those that are made one by one."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from petri import language, library
from petri.diagnostics import Diagnostic, LanguageError
from petri.language.flattening.further import Further
from petri.net import Net, Transition
from tests.fuzz import retold
from tests.fuzz.kinds import KINDS
from tests.fuzz.texts import Text

ARRAYS = """
net arrays
param rows = 3
type Job = { out: 0..3, size: int }
type Line = up | down
place free[0..3] = 2 * token
place crossing[1..rows, 0..3] = token
place spare[2..5] = token
place jobs[0..3]: Job = Job(0, 1)
place sink: Job
place lamp[Line] = token
place only = token
const wide = 2
transition step[i in 0..3]: free[i] -> free[(i + 1) mod 4]  takes exp(1)
transition turn[r in 1..rows, c in 0..3]:
  crossing[r, c], read only, no free[c] -> crossing[r, (c + 1) mod 4]  takes 2  priority 1
transition clear[i in 3..5]: only, reset spare[i], read free[i - 2] -> only  takes 1
transition sort[i in 0..3]: jobs[i](j) -> jobs[j.out](j)  takes 1
transition leave[i in 0..3]: jobs[i](j) -> sink(j)  when j.size > wide  takes j.size
transition switch[l in Line]: lamp[l] -> lamp[l], if wide < 3 then 2 * only  takes 1
transition dark[l in Line]: lamp[l] -> lamp[l], if wide > 3 then 2 * only  takes 1
transition odd[i in 0..3] if i mod 2 == 1: free[i] -> free[i]  takes 3
transition weighed[i in 0..3]: free[i] -> free[i]  takes 1  weight i + 1
transition urgent[i in 0..3]: free[i], only -> free[i], only  takes 1  priority i
transition empty[i in 0..3]: all jobs[i], only -> only  takes 1
measure passed = rate(step[2])
run until 10
"""

MODULES = """
net modules
module Switch(width: int)
  port line[0..width - 1]
  place own[0..width - 1] = token
  transition go[i in 0..width - 1]: line[i], own[i] -> own[i], line[(i + 1) mod width]  takes 1
end
place buffer[0..1, 0..2] = token
instance part[k in 0..1] = Switch(3, line = buffer[k])
run until 10
"""

NETS = {name: Path(library.nets()) / f"{name}.net" for name in library.net_names()}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the names of the transitions that are made many at a time."""
    names: list[str] = []
    whole: Callable[..., Iterator[Transition]] = Further.transitions

    def noted(self: Further, name: str, turns: Sequence[int]) -> Iterator[Transition]:
        for transition in whole(self, name, turns):
            names.append(transition.name)
            yield transition

    monkeypatch.setattr(Further, "transitions", noted)
    return names


def one_by_one(load: Callable[[], Net], monkeypatch: pytest.MonkeyPatch) -> Net:
    with monkeypatch.context() as patch:
        patch.setattr(Further, "of", lambda *_: None)
        return load()


def test_an_array_at_once_is_its_elements_one_by_one(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    net = language.loads(ARRAYS)
    assert net == one_by_one(lambda: language.loads(ARRAYS), monkeypatch)
    arrays = {name.partition("[")[0] for name in made}
    assert arrays == {"step", "turn", "clear", "sort", "leave", "switch"}
    assert [name for name in made if name.startswith("turn")] == [
        f"turn[{r}][{c}]" for r in (1, 2, 3) for c in range(4)
    ][1:]


def test_each_instance_has_its_own_places(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    net = language.loads(MODULES)
    assert net == one_by_one(lambda: language.loads(MODULES), monkeypatch)
    assert made == ["part[0].go[1]", "part[0].go[2]", "part[1].go[1]", "part[1].go[2]"]


@pytest.mark.parametrize(
    ("index", "wrong"),
    [
        ("i + 1", "index-outside"),
        ("2 - i", "index-outside"),
        ("4 mod (i - 2)", "constant-zero-division"),
        ("i * (1 - i) * 4611686018427387904 mod 4", "constant-overflow"),
        ("if i > 1 then 4 else i", "index-outside"),
    ],
)
def test_an_index_fails_as_it_does_one_by_one(index: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def failure() -> list[Diagnostic]:
        with pytest.raises(LanguageError) as found:
            language.loads(f"net n\nplace p[0..3] = token\ntransition t[i in 0..3]: p[i] -> p[{index}]  takes 1\n")
        return list(found.value.diagnostics)

    together = failure()
    assert [one.id for one in together] == [wrong]
    monkeypatch.setattr(Further, "of", lambda *_: None)
    assert failure() == together


@pytest.mark.slow
@pytest.mark.parametrize("name", NETS)
def test_the_nets_of_the_library_are_the_same_both_ways(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert language.load(NETS[name]) == one_by_one(lambda: language.load(NETS[name]), monkeypatch)


@pytest.mark.slow
def test_random_texts_are_the_same_both_ways(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for case in range(80):
        drawn = json.loads(KINDS["text"].make(random.Random(f"further {case}")))
        text = Text(**{name: value for name, value in drawn.items() if name not in ("run", "telling")})

        def load(text: Text = text) -> Net:
            return retold.loaded(retold.plain(text), text.streams)

        assert load() == one_by_one(load, monkeypatch)
    assert len(made) > 200
