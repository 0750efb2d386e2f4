"""Makes the playground, a folder of files for any web server. Pyodide and wheels are of one version each."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

PYODIDE = "314.0.7"
WHEELS = ["--python-version", "314", "--implementation", "cp", "--abi", "cp314", "--abi", "none"]
WHEELS += ["--platform", "pyemscripten_2026_0_wasm32", "--platform", "any", "--only-binary", ":all:", "--no-deps"]
ENGINE = "petri/_native.cpython-314-wasm32-emscripten.so"
OURS = ("page.css", "page.js", "completion.js", "frames.js", "links.js", "worker.js")
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")
LIBRARY = "python_stdlib.zip"
LEFT_OUT = (
    "native",
    "interchange",
    "editor",
    "validation",
    "component",
    "builder",
    "fit",
)  # folders of petri that no page imports
UNUSED = (
    "_pyrepl",
    "doctest",
    "imaplib",
    "mailbox",
    "pdb",
    "pickletools",
    "pydoc",
    "unittest",
    "wsgiref",
    "xmlrpc",
)
"""Parts of Python's library that no page imports."""
UNUSED_OF_WHEELS = re.compile(
    r".*\.dist-info/|rich/_unicode_data/unicode(?!17)|rich/(markdown|progress|syntax|traceback)\.py|lark/tools/"
)
OF_EDITOR = ("__init__", "completion", "fixes", "meant", "names", "positions", "showing", "workspace")
SUFFIXES = (".py", ".lark", ".txt", ".json", ".js", ".css", ".gz")

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FIRST = re.compile(r"<!-- file: first\.net -->\n+```\w*\n(.*?)```", re.DOTALL)


def run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=sys.stderr)


def downloaded(folder: Path) -> tuple[Path, list[Path]]:
    """Return the folder of Pyodide, and the wheels. What is there is not downloaded again."""
    pyodide, manifest = folder / "node_modules" / "pyodide", folder / "node_modules" / "pyodide" / "package.json"
    if not manifest.exists() or json.loads(manifest.read_text())["version"] != PYODIDE:
        npm = ("npm", "install", "--silent", "--no-save", "--ignore-scripts", "--prefix", str(folder))
        run(*npm, f"pyodide@{PYODIDE}")
    requirements = HERE / "requirements.txt"
    pinned = re.findall(r"^(\w+)==(\S+)$", requirements.read_text(), re.MULTILINE)
    if not all(list(folder.glob(f"{name}-{version}-*.whl")) for name, version in pinned):
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", *WHEELS)
        run(*pip, "--dest", str(folder), "--requirement", str(requirements))
    return pyodide, [next(folder.glob(f"{name}-{version}-*.whl")) for name, version in pinned]


def library(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield what of Python's library is used."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.partition("/")[0].removesuffix(".py") not in UNUSED:
                yield name, archive.read(name)


def write(path: Path, files: Iterable[tuple[str, bytes]]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)


def packed(engine: Path, wheels: list[Path]) -> Iterator[tuple[str, bytes]]:
    """Yield what Python imports in the page, and the library."""
    for path in sorted((ROOT / "petri").rglob("*")):
        parts = path.relative_to(ROOT).parts
        needed = parts[1] not in LEFT_OUT or (parts[1] == "editor" and path.stem in OF_EDITOR)
        if path.suffix in SUFFIXES and needed:
            yield "/".join(parts), path.read_bytes()
    yield ENGINE, engine.read_bytes()
    for folder in ("models", "nets"):
        for path in sorted((ROOT / folder).rglob("*.*")):
            yield f"petri/library/{path.relative_to(ROOT).as_posix()}", path.read_bytes()
    for path in sorted((*HERE.glob("*.py"), *HERE.glob("numpy/*.py"))):
        if path.name != Path(__file__).name:
            yield path.relative_to(HERE).as_posix(), path.read_bytes()
    first = FIRST.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert first is not None, "README.md has no first.net"
    yield "net/first.net", first[1].encode()
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if not UNUSED_OF_WHEELS.match(name):
                    yield name, archive.read(name)


def policy() -> str:
    """Return the scripts of the pages that are frames of this one, by their hashes: its policy holds there too."""
    sys.path.remove(str(HERE))  # where numpy's stand-in is
    from petri.report.html.live_page import SCRIPTS as LIVE
    from petri.report.html.page import allowed, asset, plotly_source
    from petri.report.html.play import SCRIPTS as PLAY

    return allowed([*("".join(map(asset, one)) for one in (("page.js",), ("page.js", *LIVE), PLAY)), plotly_source()])


def main(target: str, engine: str | None = None) -> None:
    """Make the folder; without an engine, only download what it is made of."""
    folder = Path(target)
    pyodide, wheels = downloaded(folder.parent / "playground-downloads")
    if engine is None:
        return
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "pyodide").mkdir(parents=True)
    index = (HERE / "index.html").read_text(encoding="utf-8").replace("PAGES", policy())
    (folder / "index.html").write_text(index, encoding="utf-8")
    for name in OURS:
        shutil.copy(HERE / name, folder)
    for name in RUNTIME:
        shutil.copy(pyodide / name, folder / "pyodide")
    write(folder / "pyodide" / LIBRARY, library(pyodide / LIBRARY))
    write(folder / "pnsim.zip", packed(Path(engine), wheels))
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(
        f"{target}: {size / 1e6:.1f} MB, for any web server; here: {sys.executable} -m http.server --directory {target}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
