"""What a wheel holds, and that it works where the repository is not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from petri import library
from petri.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
DATA = r"(nets|models)/.*\.(net|csv)$|validation/.*\.yaml$|docs/.*\.md$"


def test_one_version() -> None:
    cargo = tomllib.loads((ROOT / "petri/native/Cargo.toml").read_text(encoding="utf-8"))
    assert cargo["workspace"]["package"]["version"] == VERSION
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(VERSION)}", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)


def libraries(lock: Path) -> dict[str, set[str]]:
    """Return the versions of each Rust library."""
    found: dict[str, set[str]] = {}
    for one in tomllib.loads(lock.read_text(encoding="utf-8"))["package"]:
        found.setdefault(one["name"], set()).add(one["version"])
    return found


def test_fuzz_targets_use_the_libraries_of_the_engine() -> None:
    """Another version of one of them lets clippy check the code generator a second time."""
    engine, fuzz = (libraries(ROOT / "petri/native" / path) for path in ("Cargo.lock", "fuzz/Cargo.lock"))
    common = engine.keys() & fuzz.keys()
    assert "cranelift-codegen" in common
    assert [name for name in sorted(common) if not fuzz[name] <= engine[name]] == []


def test_the_library_is_found() -> None:
    assert library.net("ixp2400") == str(Path(library.nets(), "ixp2400.net"))
    assert library.net("mm1") == library.net("patterns/mm1")
    assert library.module("ixp2400.dram") == str(Path(library.models(), "ixp2400", "dram.net"))
    for name in ("../pyproject", "..", "", "/etc/passwd", "x" * 400, "a\0b", "*"):
        assert library.net(name) is None
    names = library.net_names()
    assert {"ixp2400", "patterns/mm1"} <= set(names)
    assert names == sorted(names, key=lambda name: ("/" in name, name)), "those at the top come first"


IN_THE_ROOT = {
    *(
        ".ci",
        ".containerignore",
        ".gitignore",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CITATION.cff",
        "Containerfile",
        "LICENSE",
    ),
    *("MANIFEST.in", "Makefile", "README.md", "SECURITY.md", "mkdocs.yml", "pyproject.toml", "setup.py"),
    *("benchmarks", "cli", "docs", "editors", "models", "nets", "petri", "tests", "validation"),
}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="asks git what is in the repository")
def test_nothing_else_is_in_the_root() -> None:
    assert {name.partition("/")[0] for name in files_of_the_project()} - IN_THE_ROOT == set()


def files_of_the_project() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.rstrip("\0").split("\0") if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel built without a Rust toolchain on the path, from a copy of the files that git knows."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in files_of_the_project():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, source / name)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(source)]
    subprocess.run(pip, check=True, timeout=300, env=without_cargo(PNSIM_NATIVE="0"))
    (built,) = folder.glob("pnsim-*.whl")
    return built


def without_cargo(**more: str) -> dict[str, str]:
    folders = os.environ["PATH"].split(os.pathsep)
    kept = [folder for folder in folders if not (Path(folder) / "cargo").exists()]
    return {**os.environ, "PATH": os.pathsep.join(kept), **more}


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a virtual environment; the pip of these tests installs into it, so it needs none of its own."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder


def install(wheel: Path, environment: Path) -> None:
    """Elsewhere than in the repository, where pip would find it installed already. What it needs may be there."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--python", str(environment / "bin" / "python")]
    for command in (["uninstall", "--yes", "pnsim"], ["install", "--no-compile", str(wheel)]):
        subprocess.run([*pip, *command], check=True, timeout=300, cwd=environment, env=without_cargo())


@pytest.mark.slow
def test_a_wheel_puts_nothing_else_into_site_packages(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"petri", "pnsim", f"pnsim-{VERSION}.dist-info"}
    for name in files_of_the_project():
        assert not re.match(DATA, name) or f"petri/library/{name}" in names
    assert {"petri/py.typed", "pnsim/py.typed", "petri/language/syntax/grammar.lark"} <= set(names)
    assert {"petri/language/syntax/tables.json", "petri/wording/syntax.txt"} <= set(names)
    assert {f"petri/report/html/plotly-{name}" for name in ("cartesian.min.js.gz", "LICENSE.txt")} <= set(names)


@pytest.mark.slow
def test_an_installed_wheel_runs_from_any_folder(wheel: Path, environment: Path, tmp_path: Path) -> None:
    install(wheel, environment)
    python, pnsim = (environment / "bin" / name for name in ("python", "pnsim"))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([pnsim, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=120)

    done = run("run", "mm1", "--report", "page.html")
    assert done.returncode == 0, done.stderr
    assert "reference engine" in done.stdout
    assert "the native engine is not installed" in done.stderr
    assert (tmp_path / "page.html").stat().st_size < 1_000_000
    assert run("check", "ixp2400").returncode == 0
    assert "error[native-missing]" in run("run", "mm1", "--engine", "native").stderr
    assert "there are accelerators, dynamic_buffering, " in run("validate", "nothing").stderr
    assert run("help", "language").stdout == (ROOT / "docs/language.md").read_text(encoding="utf-8")
    typed = subprocess.run([python, "-c", "import petri; petri.load('mm1')"], cwd=tmp_path, capture_output=True)
    assert typed.returncode == 0, typed.stderr


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cargo") is None or sys.platform != "linux", reason="needs Rust; checks Linux's tag")
def test_make_wheel_makes_one_that_needs_no_rust(environment: Path, tmp_path: Path) -> None:
    made = subprocess.run(["make", "wheel", f"PYTHON={sys.executable}"], cwd=ROOT, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    (wheel,) = (ROOT / "dist").glob("*.whl")
    assert re.fullmatch(r"pnsim-.*-cp311-abi3-manylinux_\d+_\d+_\w+\.whl", wheel.name)
    install(wheel, environment)
    pnsim = environment / "bin" / "pnsim"
    arguments = ("run", "mm1", "--engine", "native")
    done = subprocess.run([pnsim, *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_an_insisted_native_engine_that_cannot_be_built_is_an_error(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)]
    done = subprocess.run(pip, capture_output=True, text=True, timeout=300, env=without_cargo(PNSIM_NATIVE="1"))
    assert done.returncode != 0


def test_a_folder_that_cannot_be_read_has_no_nets(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(folder: str) -> list[str]:
        raise PermissionError(folder)

    monkeypatch.setattr(os, "listdir", refused)
    assert library.nets_in("") == []
    assert library.nearest("ixp240") == "ixp2400"
