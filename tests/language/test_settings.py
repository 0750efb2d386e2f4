"""A net that is read again for other numbers is the net that its text gives (`petri.language.settings`)."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from petri import codec, language, library
from petri.diagnostics import LanguageError
from petri.language import settings
from petri.language.checking.checker import Checker
from petri.net import Net, Parameter
from tests.sampling import one_in

NETS = [name for name, _ in library.named(library.nets())]
NUMBERS = """
time ns
param n: int = 3 in 0..100
param gap: Time = 10 us
param share = 0.25
param boost = 2.0
place p cap 2 * n + 5 = n * token
place q
place r: int
transition t: p -> q  takes gap
transition u: p -> q  let slow = gap * boost  after exp(gap / share)  weight boost
transition v: q -> p  takes 3 * gap / 7  when tokens(q) > n
transition w: q -> r(n div 2)
measure held = mean(p)  expect < share * n
run until 100 * gap
"""


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    settings.forget()
    yield
    settings.forget()


def told(path: str, values: Mapping[str, object]) -> tuple[object, ...]:
    """Return all that can be seen of a net with these values, or what is wrong with them."""
    try:
        net, sources = language.load_with_sources(path, values)
    except LanguageError as error:
        return tuple(map(str, error.diagnostics)), error.sources
    return net, repr(net), "".join(codec.net_text(net)), list(sources.items())


def from_text(path: str, values: Mapping[str, object]) -> tuple[object, ...]:
    kept = dict(settings._known)
    settings.forget()
    found = told(path, values)
    settings._known.update(kept)
    return found


def another(parameter: Parameter, chance: random.Random) -> object:
    """Return another value that may be legal."""
    value = parameter.value
    if parameter.kind == "int":
        value = int(value) + chance.choice((-1, 1, 2, 7))
    elif parameter.kind == "real":
        value = float(value) * chance.choice((0.0, 0.5, 0.9, 1.1, 2.0, 1 / 3)) or 0.1
    elif parameter.kind == "bool":
        value = not value
    low, high = parameter.low, parameter.high
    return value if low is None or high is None or isinstance(value, (bool, str)) else min(max(value, low), high)


def illegal(parameter: Parameter) -> list[object]:
    beyond = [] if parameter.high is None else [parameter.high * 2 + 1]
    return [*beyond, -7, float("nan"), "1 apple", "2 +", None]


def compared(name: str, settings_of: int, one_by_one: int) -> int:
    """Compare settings of a net with what its text gives. Returns how many did not need the text."""
    chance, short = random.Random(name), 0
    net = language.load(name)
    language.load(name)
    cases: list[dict[str, object]] = []
    for parameter in net.parameters[:: max(1, len(net.parameters) // one_by_one)]:
        cases += [{parameter.name: another(parameter, chance)}, {parameter.name: chance.choice(illegal(parameter))}]
    for _ in range(settings_of):
        some = chance.sample(net.parameters, min(3, len(net.parameters)))
        cases.append({one.name: another(one, chance) for one in some})
    for values in cases:
        before = {id(one) for known in settings._known.values() for one in known}
        found = told(name, values)
        short += len(found) > 2 and before == {id(o) for known in settings._known.values() for o in known}
        assert found == from_text(name, values), values
    return short


@pytest.mark.parametrize("name", one_in(9, NETS, str))
def test_the_net_is_that_of_its_text(name: str) -> None:
    compared(name, 1, 4)


@pytest.mark.slow
@pytest.mark.parametrize("name", NETS)
def test_the_net_with_any_parameter_is_that_of_its_text(name: str) -> None:
    compared(name, 5, 1_000)


@pytest.fixture
def net_file(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.net"
    write(path, NUMBERS)
    return path


def write(path: Path, text: str) -> None:
    """Write it some time ago: what was written just now may be written again without another time."""
    path.write_text(text)
    settled = os.stat(path)
    os.utime(path, ns=(settled.st_atime_ns, settled.st_mtime_ns - 10**9))


@pytest.fixture
def old_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.regular.JUST_NOW", -(10**18))


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows with each net that is checked."""
    found: list[int] = []
    run = Checker.run

    def counted(self: Checker) -> None:
        found.append(1)
        run(self)

    monkeypatch.setattr(Checker, "run", counted)
    return found


@pytest.mark.usefixtures("old_files")
@pytest.mark.parametrize(
    ("values", "short"),
    [
        ({"n": 5}, True),
        ({"n": 0}, False),  # there are no tokens to start with
        ({"gap": "3.5 us"}, True),
        ({"gap": 1}, True),
        ({"gap": "5 * 2 us"}, False),  # it may depend on other parameters
        ({"share": 0.0}, False),  # no time can be divided by it
        ({"boost": 1.5, "n": 9, "gap": 777.5}, True),
        ({"boost": -1}, False),
        ({"n": 101}, False),
        ({"m": 101}, False),
    ],
)
def test_numbers_need_no_text(net_file: Path, checks: list[int], values: dict[str, object], short: bool) -> None:
    for _ in range(2):
        language.load(net_file)
    before = len(checks)
    found = told(str(net_file), values)
    assert (len(checks) == before) == short
    assert found == from_text(str(net_file), values)


@pytest.mark.usefixtures("old_files")
def test_what_does_not_change_is_the_same_object(net_file: Path) -> None:
    first, second, third = (language.load(net_file, {"boost": boost}) for boost in (1.0, 2.0, 3.0))
    assert second.transitions[1].weight.value == 2.0
    assert third.transitions[1].weight.value == 3.0
    assert third.places is second.places
    assert third.transitions[0] is second.transitions[0]
    assert first.places == second.places


@pytest.mark.usefixtures("old_files")
def test_another_structure_is_recorded_beside_the_first(tmp_path: Path, checks: list[int]) -> None:
    path = tmp_path / "array.net"
    path.write_text(
        "param k = 2\nparam t = 1.5\nplace p[0..k - 1] = token\ntransition go[i in 0..k - 1]: p[i] -> nothing  takes t"
    )
    for _ in range(2):
        for k in (2, 3):
            for t in (1.0, 2.0, 3.0):
                net = language.load(path, {"k": k, "t": t})
                assert len(net.places) == k
                assert net.tick.time(net.transitions[-1].time.value) == t
    assert len(checks) == 3


@pytest.mark.usefixtures("old_files")
@pytest.mark.parametrize("part", ["numbers.net", "part.net"])
def test_a_file_that_changes_is_read_again(tmp_path: Path, part: str) -> None:
    texts = {"numbers.net": 'import "part.net"\n' + NUMBERS, "part.net": "const other = 5\n"}
    for name, text in texts.items():
        write(tmp_path / name, text)
    for n in (1, 2, 3):
        language.load(tmp_path / "numbers.net", {"n": n})
    write(tmp_path / part, texts[part] + ("const n = 5\n" if part == "part.net" else "place more\n"))
    if part == "part.net":
        with pytest.raises(LanguageError):
            language.load(tmp_path / "numbers.net", {"n": 4})
    else:
        assert len(language.load(tmp_path / "numbers.net", {"n": 4}).places) == 4


def test_a_file_written_just_now_is_read_each_time(net_file: Path, checks: list[int]) -> None:
    for n in (1, 2, 3, 4):
        net_file.write_text(NUMBERS)
        language.load(net_file, {"n": n})
    assert len(checks) == 4


def test_texts_are_kept_as_files_are(checks: list[int]) -> None:
    nets: list[Net] = [language.loads(NUMBERS, {"n": n}) for n in (1, 2, 3, 4)]
    assert [net.places[0].held for net in nets] == [1, 2, 3, 4]
    assert len(checks) == 2


def test_what_could_not_be_computed_may_be_computed_with_another_value() -> None:
    text = "param n = 0\nplace p = token\ntransition t: p -> nothing  let x = 6 div n  takes 1"
    nets = [language.loads(text, {"n": n}) for n in (0, 0, 0, 2)]
    assert [len(net.transitions[0].lets) for net in nets] == [0, 0, 0, 1]


def test_diagnostics_are_those_of_the_text() -> None:
    for n in (1, 2):
        language.loads(NUMBERS, {"n": n})
    with pytest.raises(LanguageError) as raised:
        language.loads(NUMBERS, {"n": -1})
    assert [one.id for one in raised.value.diagnostics] == ["parameter-out-of-bounds"]


def test_a_recording_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "param n = 1.5\nplace p = token\ntransition t[i in 1..40]: p -> p  takes n * i"
    monkeypatch.setattr("petri.language.meaning.traced.MOST_STEPS", 30)
    nets = [language.loads(text, {"n": n}) for n in (1.0, 1.5, 2.5)]
    [recordings] = settings._known.values()
    assert len(recordings) == 2
    assert len(recordings[0].recording.steps) < 100
    for net, n in zip(nets, (1.0, 1.5, 2.5), strict=True):
        assert [net.tick.time(one.time.value) for one in net.transitions] == [n * i for i in range(1, 41)]
