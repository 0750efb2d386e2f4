"""One self-contained HTML file: style, script, figures, and the plotly.js that draws them.

The page contains a part of plotly.js, that for plane figures, compressed (0.7 MB); the browser decompresses it. The
page's policy allows only these two scripts, by their hashes: no other script, no network request.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

from petri.report.html.markup import Content, Markup, aside, content, data, tag
from petri.report.html.palette import style_variables, themes
from petri.version import VERSION

MOST_FIGURES: Final = 200
LOW, USUAL, TALL = 304, 352, 384  # heights of figures [pixels]
PLOTLY: Final = "plotly-cartesian.min.js.gz"
_ICON: Final = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E"
    "%3Ccircle cx='10' cy='16' r='8' fill='none' stroke='%232a6cb8' stroke-width='3'/%3E"
    "%3Ccircle cx='10' cy='16' r='3' fill='%232a6cb8'/%3E"
    "%3Crect x='24' y='5' width='5' height='22' fill='%232a6cb8'/%3E%3C/svg%3E"
)

Figure = dict[str, Any]
"""A plotly figure, {"data": […], "layout": {…}}. Colours may be names of the palette: "@ink", "@s0"."""


def figure(
    traces: list[dict[str, Any]], across: dict[str, Any], up: dict[str, Any], *, legend: bool = False, **layout: Any
) -> Figure:
    return {"data": traces, "layout": {"xaxis": across, "yaxis": up, "showlegend": legend, **layout}}


def axis(text: str, unit: str = "", /, **settings: Any) -> dict[str, Any]:
    """Return an axis with its title, `rate [Mbps]`."""
    return {"title": {"text": f"{text} [{unit}]" if unit else text}, **settings}


def logarithmic(low: float, high: float) -> dict[str, Any]:
    """Return the settings of a logarithmic axis for values from `low` to `high`.

    Each label is a whole number, such as 0.02, of which plotly.js would write the 2 alone.
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    digits, step = ((1, 2, 5), 1) if last - first <= 3 else ((1,), max((last - first) // 6, 1))
    ticks = [(digit, power) for power in range(first, last + 1, step) for digit in digits]
    ticks = [(digit, power) for digit, power in ticks if low / 2 <= digit * 10.0**power <= 2 * high]
    plain = {power: f"{{:.{max(-power, 0)}f}}" if power < 0 else "{:,.0f}" for power in range(-4, 7)}
    texts = [plain.get(power, f"{digit}e{power}").format(digit * 10.0**power) for digit, power in ticks]
    values = [float(f"{digit}e{power}") for digit, power in ticks]
    return {"type": "log", "tickmode": "array", "tickvals": values, "ticktext": texts}


@dataclass
class Page:
    """A page, built section by section."""

    title: str
    kind: str  # the kind of page: "simulation run"
    head: list[Content] = field(default_factory=list)
    sections: list[tuple[str, str, Content]] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    more: tuple[str, ...] = ()  # assets of this kind of page: further styles and scripts
    ending: str = "The page is self-contained: it loads nothing."
    served: bool = False  # by a server, which its script may ask

    def section(self, identifier: str, title: str, *parts: Content) -> None:
        self.sections.append((identifier, title, content(*parts)))

    def figure(self, figure: Figure, label: str, caption: Content = None, height: int = USUAL) -> Markup:
        """Return a figure's position in the page.

        `label` describes it for those who cannot see it; height in pixels.
        """
        if len(self.figures) >= MOST_FIGURES:
            return aside("A page has at most ", MOST_FIGURES, " figures; this one is left out.")
        self.figures.append(figure)
        plot = tag(
            "div",
            class_="plot waiting",
            data_figure=len(self.figures) - 1,
            role="img",
            aria_label=label,
            style=f"height:{height}px",
        )
        return tag("figure", tag("figcaption", caption) if caption else None, plot)

    def html(self) -> str:
        """Return the whole document."""
        script = "".join(map(asset, ("page.js", *(name for name in self.more if name.endswith(".js")))))
        style = "".join(map(asset, ("page.css", *(name for name in self.more if name.endswith(".css")))))
        scripts = [script, *([plotly_source()] if self.figures else [])]
        body = content(
            tag("a", "Skip to the figures", href="#main", class_="skip"),
            tag("header", tag("p", self.kind, class_="kind"), tag("h1", self.title), *self.head, class_="page"),
            tag("main", self._contents(), *(self._section(*section) for section in self.sections), id="main"),
            tag("footer", f"Made by pnsim {VERSION}. {self.ending}"),
            self._data(),
            tag("script", Markup(script)),
        )
        head = content(
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=policy(scripts, served=self.served)),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("meta", name="generator", content=f"pnsim {VERSION}"),
            tag("title", f"{self.title} – pnsim"),
            Markup(f'<link rel="icon" href="{_ICON}">'),
            tag("style", Markup(style_variables() + style)),
        )
        return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'

    def _contents(self) -> Markup:
        links = [tag("li", tag("a", title, href=f"#{identifier}")) for identifier, title, _ in self.sections]
        return tag("nav", tag("ul", links), aria_label="Contents")

    def _section(self, identifier: str, title: str, inside: Content) -> Markup:
        heading = tag("h2", title, id=f"{identifier}-title")
        return tag("section", heading, inside, id=identifier, aria_labelledby=f"{identifier}-title")

    def _data(self) -> Markup:
        if not self.figures:
            return Markup("")
        return content(
            tag("noscript", aside("The figures need JavaScript; the tables contain their numbers.")),
            data("themes", themes()),
            data("figures", self.figures),
            data("plotly", packed_plotly()),
        )


def policy(scripts: list[str], *, served: bool = False) -> str:
    """Only these scripts may run; nothing may be loaded, unless they ask the server that the page is from."""
    asked = "; connect-src 'self'" if served else ""
    return (
        f"default-src 'none'; script-src {allowed(scripts)}; style-src 'unsafe-inline'; img-src data: blob:; "
        f"base-uri 'none'; form-action 'none'{asked}"
    )


def allowed(scripts: Iterable[str]) -> str:
    """Return scripts by their hashes, as a policy names them."""
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    return " ".join(f"'sha256-{one}'" for one in hashes)


@cache
def asset(name: str) -> str:
    """Return a file in the folder of this one."""
    return (files("petri.report.html") / name).read_text(encoding="utf-8")


@cache
def plotly_source() -> str:
    """Return the script as published (`docs/contributing.md` says where)."""
    return gzip.decompress(plotly_file()).decode()


@cache
def packed_plotly() -> str:
    return base64.b64encode(plotly_file()).decode()


def plotly_file() -> bytes:
    return (files("petri.report.html") / PLOTLY).read_bytes()
