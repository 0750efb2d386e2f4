"""What tests need beside the project: Chromium, Graphviz and JupyterLab.

A test whose program is missing is skipped. With PNSIM_BROWSER=1, as in `.ci/run`, it fails.
"""

import os
import shutil
from importlib.util import find_spec

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
REQUIRED = os.environ.get("PNSIM_BROWSER") == "1"


def _needs(name: str, present: bool) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not present and not REQUIRED, reason=f"needs {name}")


needs_browser = _needs("Chromium", BROWSER is not None)
needs_graphviz = _needs("Graphviz", shutil.which("dot") is not None)
needs_lab = _needs("JupyterLab", find_spec("jupyterlab") is not None)
