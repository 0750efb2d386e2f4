"""A drawing as PDF or PNG, by a program that is there: rsvg-convert, Inkscape, or a browser of the Chromium family."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

SUFFIXES: Final = (".pdf", ".png")
_PATIENCE: Final = 120.0  # seconds for the program
_SIZE: Final = re.compile(r'width="(\d+)" height="(\d+)"')
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")


class NoConverter(Exception):
    """No program is there that could convert a drawing, or it failed."""


def converted(text: str, suffix: str) -> bytes:
    """Return the drawing `text`, an SVG document, as ".pdf" or ".png". Raises NoConverter."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "drawing.svg").write_text(text, encoding="utf-8")
        done = folder / f"drawing{suffix}"
        for program, arguments in _converters(text, suffix, folder):
            found = shutil.which(program)
            if found is None:
                continue
            try:
                subprocess.run([found, *arguments], check=True, capture_output=True, timeout=_PATIENCE, cwd=folder)
            except (OSError, subprocess.SubprocessError) as error:
                raise NoConverter(f"{program} failed") from error
            if done.exists():
                return done.read_bytes()
        raise NoConverter("no program for it is installed")


def _converters(text: str, suffix: str, folder: Path) -> list[tuple[str, list[str]]]:
    kind = suffix.removeprefix(".")
    found = [
        ("rsvg-convert", ["-f", kind, "-o", f"drawing{suffix}", "drawing.svg"]),
        ("inkscape", ["drawing.svg", f"--export-type={kind}", f"--export-filename=drawing{suffix}"]),
    ]
    return found + [(browser, _for_browser(text, suffix, folder)) for browser in _BROWSERS]


def _for_browser(text: str, suffix: str, folder: Path) -> list[str]:
    """Return a page of the size of the drawing, as a browser prints it."""
    size = _SIZE.search(text)
    width, height = (int(size[1]), int(size[2])) if size else (1000, 1000)
    style = f"@page{{size:{width}px {height}px;margin:0}}body{{margin:0}}svg{{display:block}}"
    (folder / "page.html").write_text(f'<meta charset="utf-8"><style>{style}</style>{text}', encoding="utf-8")
    what = [f"--screenshot=drawing{suffix}", f"--window-size={width},{height}", "--force-device-scale-factor=2"]
    if suffix == ".pdf":
        what = [f"--print-to-pdf=drawing{suffix}", "--no-pdf-header-footer"]
    usual = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={folder / 'profile'}",
    ]
    return [*usual, *what, (folder / "page.html").as_uri()]
