"""A net in a C program: the library that `cargo build --release -p component` makes, and its header.

All tests are slow, as `make test-slow` builds the library.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import petri
from petri.codec import net_text
from tests.component.test_component import RANDOM, arrivals

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "petri" / "native" / "target" / "release"
INCLUDE = ROOT / "petri" / "native" / "component" / "include"
WHERE = [f"-I{INCLUDE}", f"-L{LIBRARY}", f"-Wl,-rpath,{LIBRARY}"]
END = 400.0

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
    pytest.mark.skipif(shutil.which("cargo") is None, reason="there is no Rust to build the library for C"),
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("host")
    (folder / "bag.json").write_text("".join(net_text(petri.loads(RANDOM).net, spans=False)), encoding="utf-8")
    source = Path(__file__).with_name("host.c")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *strict, *WHERE, str(source), "-o", "host", "-lpnsim", "-lm"], cwd=folder, check=True)
    return folder


def run(host: Path, step: float, *before: str) -> tuple[list[str], str]:
    """Return what left, and the hash."""
    coming = "".join(f"{time} {value}\n" for time, value in arrivals())
    command = [*before, str(host / "host"), str(host / "bag.json"), str(step), str(END)]
    ran = subprocess.run(command, input=coming, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-500:] + ran.stderr[-500:]
    *left, last = ran.stdout.splitlines()
    return left, last


def expected() -> tuple[list[str], str]:
    bag = petri.loads(RANDOM).component(engine="reference")
    for time, value in arrivals():
        bag.put("a", time, value)
    bag.advance(END)
    left = [f"{time:.17g} {value:.17g}" for time, value in bag.take("z")]
    return left, f"hash {bag.hash}"


@pytest.mark.parametrize("step", [1.0, 7.5, 1e9])
def test_a_program_in_c_gets_what_python_gets(host: Path, step: float) -> None:
    """And wrong calls are refused, which the program tries besides."""
    assert run(host, step) == expected()


def bursts() -> list[tuple[int, int]]:
    """Return when blocks come, and their coefficients: a macroblock of six blocks at a time, sixteen in a burst."""
    chance = random.Random(7)
    return [(burst * 20_000 + 50 * block, chance.randint(1, 20)) for burst in range(8) for block in range(96)]


@pytest.mark.parametrize("step", [7.0, 1_000.0, 1e9])
def test_a_decoder_in_a_program_in_c_is_done_in_the_same_cycle_at_any_step(host: Path, step: float) -> None:
    net = Path(__file__).with_name("decoder.net")
    (host / "decoder.json").write_text("".join(net_text(petri.load(net).net, spans=False)), encoding="utf-8")
    command = [str(host / "host"), str(host / "decoder.json"), str(step), "200000"]
    coming = "".join(f"{time} {blocks}\n" for time, blocks in bursts())
    ran = subprocess.run(command, input=coming, capture_output=True, text=True, check=False)
    left = [line.split() for line in ran.stdout.splitlines() if line[0].isdigit()]
    assert len(left) == 8 * 16 * 4
    component = petri.load(net).component(engine="reference")
    for time, blocks in bursts():
        component.put("a", time, blocks)
    component.advance(200_000)
    assert [(float(time), int(float(square))) for time, square in left] == [
        (one.time, one.token) for one in component.take("z")
    ]


def test_the_program_of_the_page_runs(host: Path) -> None:
    """The text of the page: its net, its program, its commands but those that build."""
    page = (ROOT / "docs" / "embedding.md").read_text(encoding="utf-8")
    text = re.findall(r'petri.loads\("""(.*?)"""', page, re.DOTALL)[0]
    (host / "line.json").write_text("".join(net_text(petri.loads(text).net, spans=False)), encoding="utf-8")
    (host / "page.c").write_text(re.findall(r"```c\n(.*?)```", page, re.DOTALL)[0], encoding="utf-8")
    subprocess.run(["cc", *WHERE, "page.c", "-o", "page", "-lpnsim"], cwd=host, check=True)
    ran = subprocess.run([host / "page"], cwd=host, capture_output=True, text=True, check=True)
    assert ran.stdout == "4000 bytes at 5.5 us\n"


@pytest.mark.skipif(shutil.which("verilator") is None, reason="Verilator is not installed")
def test_a_net_and_rtl_step_together(host: Path) -> None:
    """A FIFO of four bytes in Verilog between two ends that are a net, against the same with a list for the FIFO."""
    here, cycles = Path(__file__).parent, 3_000
    (host / "ends.json").write_text("".join(net_text(petri.load(here / "fifo.net").net, spans=False)), encoding="utf-8")
    flags = ["-CFLAGS", f"-I{INCLUDE}", "-LDFLAGS", f"-L{LIBRARY} -Wl,-rpath,{LIBRARY} -lpnsim"]
    build = ["verilator", "--cc", "--exe", "--build", "-Wno-fatal", "--Mdir", str(host / "rtl"), "-o", "fifo", *flags]
    subprocess.run([*build, str(here / "fifo.v"), str(here / "fifo.cpp")], cwd=host, check=True, capture_output=True)
    ran = subprocess.run([host / "rtl" / "fifo", "ends.json", str(cycles)], cwd=host, capture_output=True, text=True,
                         check=True)  # fmt: skip
    assert ran.stdout.split() == [str(number) for row in through_a_list(here, cycles) for number in row]


def through_a_list(here: Path, cycles: int) -> list[tuple[int, int]]:
    ends = petri.load(here / "fifo.net").component(engine="reference")
    waiting: list[int] = []
    fifo: list[int] = []
    left = []
    for cycle in range(cycles):
        ends.advance(cycle + 1)
        waiting += [one.token for one in ends.take("sent")]
        goes, comes = bool(waiting) and len(fifo) < 4, bool(fifo) and not ends.marking["got"]
        if comes:
            left.append((cycle, fifo.pop(0)))
            ends.put("got", cycle + 1, left[-1][1])
        if goes:
            fifo.append(waiting.pop(0))
    assert len(left) > 300
    return left


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_memory_is_used_as_it_should(host: Path) -> None:
    leaks = ("--leak-check=full", "--errors-for-leak-kinds=definite")
    assert run(host, 50.0, "valgrind", "--quiet", "--error-exitcode=9", *leaks) == expected()


def test_the_header_has_few_functions() -> None:
    header = (INCLUDE / "pnsim.h").read_text(encoding="utf-8")
    assert header.count("pnsim_") - header.count("`pnsim_") == 14
