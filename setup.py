"""The part of the build that depends on the file tree: packages, data folders, and the native engine."""

import os
import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools_rust import Binding, RustExtension

# Folders of data that are installed inside the package `petri.library` (petri/library/__init__.py finds them).
DATA_FOLDERS = {f"petri.library.{name}": name for name in ("docs", "models", "nets", "validation")}
# Files that modules read from their own folder.
CODE_SUFFIXES = ("py.typed", "*.lark", "*.json", "*.css", "*.js", "*.js.gz", "*.txt")
DATA_SUFFIXES = ("*.net", "*.csv", "*.md", "*.yaml")


def data_packages() -> dict[str, str]:
    """Every folder below the data folders as a package of data: {package: folder}."""
    found = {}
    for package, top in DATA_FOLDERS.items():
        for folder, _, _ in os.walk(top):
            parts = Path(folder).relative_to(top).parts
            if "__pycache__" in parts:
                continue
            found[".".join((package, *parts))] = folder
    return found


def native_engine() -> RustExtension:
    """Return the Rust engine. Without a Rust toolchain the install continues, unless PNSIM_NATIVE=1 requires it."""
    return RustExtension(
        "petri._native",
        path="petri/native/bridge/Cargo.toml",
        binding=Binding.PyO3,
        py_limited_api=True,
        optional=os.environ.get("PNSIM_NATIVE", "") in ("", "0"),
        debug=False,
    )


packages = [*find_packages(include=["petri", "petri.*"]), "pnsim", *(f"pnsim.{name}" for name in find_packages("cli"))]
data = {} if "editable_wheel" in sys.argv else data_packages()  # an editable install reads the data where they are
setup(
    packages=[*packages, *data],
    package_dir={"pnsim": "cli", **data},
    package_data={"": list(CODE_SUFFIXES), **{package: list(DATA_SUFFIXES) for package in data}},
    rust_extensions=[native_engine()],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
    zip_safe=False,
)
