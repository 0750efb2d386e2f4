"""`petri.structs`: classes of fields that behave as dataclasses with slots do."""

from __future__ import annotations

import copy
import gc
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

from petri.structs import Frozen, Part, Struct, as_dict, defaults, field, fields, replace

ROOT = Path(__file__).parents[1]


class Point(Frozen):
    """A point."""

    x: int
    y: float = 2.0
    names: tuple[str, ...] = ()

    @property
    def sum(self) -> float:
        return self.x + self.y


class Other(Frozen):
    x: int
    y: float = 2.0
    names: tuple[str, ...] = ()


class Nothing(Frozen):
    pass


class Box(Struct):
    content: list[int] = field(default_factory=list)
    label: str = ""


def test_fields_are_given_by_position_or_by_name_and_have_defaults() -> None:
    assert (Point(1).x, Point(1).y, Point(1).names) == (1, 2.0, ())
    assert Point(1, 3.0) == Point(y=3.0, x=1)
    assert Point(1).sum == 3.0
    assert Nothing() == Nothing()


def test_what_is_frozen_cannot_be_changed() -> None:
    point = Point(1)
    for change in ("x", "z"):
        with pytest.raises(AttributeError):
            setattr(point, change, 5)
    with pytest.raises(AttributeError):
        del point.x
    assert point == Point(1)


def test_what_is_frozen_equals_by_value_within_its_class() -> None:
    assert Point(1) != Point(2)
    assert Point(1) != Other(1)  # type: ignore[comparison-overlap]
    assert len({Point(1), Point(1, 2), Point(1, 3), Other(1)}) == 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1, names=[]))  # type: ignore[arg-type]


def test_a_struct_may_change_and_equals_itself_only() -> None:
    box = Box()
    box.content.append(1)
    box.label = "full"
    assert Box().content == []
    assert (box.content, box.label) == ([1], "full")
    assert Box() != Box()
    assert box in {box}
    with pytest.raises(AttributeError):
        box.lid = 1  # type: ignore[attr-defined]


class Leaf(Part):
    names: tuple[list[str], ...] = ()


def test_the_collector_follows_what_is_frozen_and_not_parts() -> None:
    names = ([""],)
    assert gc.is_tracked(Point(1, names=names))  # type: ignore[arg-type]
    assert not gc.is_tracked(Leaf(names))
    assert Leaf(names) == Leaf(names) != Leaf()


def test_copies() -> None:
    point, box = Point(1, names=("a",)), Box([1], "b")
    assert replace(point, x=2) == Point(2, names=("a",))
    assert as_dict(point) == {"x": 1, "y": 2.0, "names": ("a",)}
    assert copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point
    assert as_dict(pickle.loads(pickle.dumps(box))) == as_dict(copy.deepcopy(box)) == as_dict(box)


def test_what_a_class_tells_of_itself() -> None:
    assert fields(Point) == ("x", "y", "names")
    assert defaults(Point) == {"y": 2.0, "names": ()}
    assert get_type_hints(Point) == {"x": int, "y": float, "names": tuple[str, ...]}
    assert repr(Point(1)) == "Point(x=1, y=2.0, names=())"
    assert not hasattr(Point(1), "__dict__")
    match Point(1, 5.0):
        case Point(x, y):
            assert (x, y) == (1, 5.0)


CTRL_C_AS_DATETIME_LOADS = """
import importlib.machinery, sys

class Loader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module):
        sys.meta_path.remove(Finder)
        raise KeyboardInterrupt

class Finder:
    def find_spec(name, path=None, target=None):
        if name == "datetime":
            found = importlib.machinery.PathFinder.find_spec(name)
            found.loader = Loader(name, found.origin)
            return found

sys.meta_path.insert(0, Finder)
try:
    import petri.structs
except KeyboardInterrupt:
    print("heard")
"""


def test_ctrl_c_while_msgspec_loads_is_heard() -> None:
    ran = subprocess.run([sys.executable, "-c", CTRL_C_AS_DATETIME_LOADS], capture_output=True, text=True, timeout=30)
    assert (ran.stdout, ran.stderr) == ("heard\n", "")


RACE = """
import threading, time
from petri.structs import Frozen, as_packed, convert, read_json, read_packed

def slowly(kind):
    time.sleep(0.05)
    return kind

class Inner(Frozen):
    x: "slowly(int)"

class Outer(Frozen):
    one: Inner
    other: Inner

plain = {"one": {"x": 1}, "other": {"x": 2}}
readers = (
    lambda: read_packed(as_packed(plain), Outer),
    lambda: convert(plain, Outer),
    lambda: read_json(b'{"one": {"x": 1}, "other": {"x": 2}}', Outer),
)
threads = [threading.Thread(target=reader) for reader in 2 * readers]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


def test_threads_may_read_a_class_at_once_for_the_first_time() -> None:
    """msgspec makes a class's table of fields while other threads run, which ended the process now and then."""
    assert subprocess.run([sys.executable, "-c", RACE], check=False).returncode == 0


def test_no_other_module_makes_such_tables() -> None:
    paths = [path for folder in ("petri", "pnsim") for path in (ROOT / folder).rglob("*.py")]
    using = {path.name for path in paths if re.search(r"^\s*(import|from) msgspec", path.read_text("utf-8"), re.M)}
    assert using == {"structs.py"}
