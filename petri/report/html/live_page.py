"""The page of `pnsim live`: empty boxes, which its script fills with what the server answers."""

from __future__ import annotations

from petri.report.html.markup import Content, Markup, aside, content, tag
from petri.report.html.page import LOW, Page
from petri.report.html.tables import facts

SCRIPTS = ("elements.js", "live.js")  # behind that of every page
_TAKEN = (("command", "As a command"), ("yaml", "As an experiment"), ("python", "As a program in Python"))
COLOURS = (
    ("use", "use", "The redder, the more of the time it is in use, or the fuller."),
    ("tokens", "tokens", "The redder, the more tokens on average, compared with the fullest place."),
    (
        "waits",
        "what waits for what",
        "The redder a place, the more of the time it is empty. A transition is as red as the emptiest of its inputs.",
    ),
)
_LINKS = (("report.html", "Save the figures as a page"), ("picture.svg", "Save the drawing"))


def live_page(name: str, doc: str) -> Page:
    page = Page(name, "Live", more=("live.css", *SCRIPTS), served=True)
    page.ending = "It is served by pnsim on this machine, and loads nothing from elsewhere."
    page.head += [
        tag("p", doc, class_="prose", id="doc"),
        facts([tag("span", "starting …", id="progress"), tag("span", id="took")]),
        tag("pre", id="problem", role="alert", hidden=True),
        tag("div", id="strip", aria_hidden="true"),
    ]
    page.section("parameters", "Parameters", _buttons(), _effects(), tag("div", id="knobs"))
    page.section("measures", "Measures", _results())
    page.section("net", "The net", _net())
    page.section("charts", "Charts", *_charts(page), _surface(page), _drawn(page))
    page.section("text", "The text", tag("ol", id="lines", tabindex=0, role="region", aria_label="The text of the net"))
    page.section("take", "Take it away", *_taken())
    return page


def _buttons() -> Markup:
    return tag(
        "div",
        tag("button", "As written", id="reset", type="button", title="All parameters as the text of the net has them"),
        tag(
            "button",
            "Pin",
            id="pin",
            type="button",
            aria_pressed="false",
            title="Compare what follows with this setting",
        ),
        class_="row",
    )


def _effects() -> Markup:
    choice = tag("div", _select("affected", "Measure"), class_="row")
    note = tag("p", class_="note", id="affected-note")
    return tag("details", tag("summary", "What each one changes"), choice, note, id="effects")


def _results() -> Markup:
    return content(
        tag("div", id="measured"),
        tag("div", tag("h3", "Compared with what is pinned"), tag("div", id="compared"), id="comparison", hidden=True),
        tag("div", id="said"),
        tag("details", tag("summary", "How near they are to their bounds"), tag("div", id="bounded"), id="bounds"),
        _tuning(),
    )


def _tuning() -> Markup:
    aims = [tag("option", text, value=text) for text in ("least", "greatest")]
    start = tag("button", "Start", id="seek", type="button", title="pnsim tune, while this page is open")
    take = tag("button", "Take it over", id="take-best", type="button", disabled=True, title="Set the parameters to it")
    return tag(
        "details",
        tag("summary", "Look for the best setting"),
        tag("div", tag("label", "The ", tag("select", aims, id="aim")), tag("select", id="aimed", aria_label="Measure"),
            tag("label", "over ", tag("select", id="varied", multiple=True, size=4)), start, take, class_="row"),
        tag("p", class_="note", id="tuned-note", role="status"),
        tag("div", id="tuned"),
        id="tuning",
    )  # fmt: skip


def _net() -> Markup:
    game = tag("a", "Open in the token game", href="play.html", target="_blank", rel="noopener", id="game")
    instant = tag("input", type="text", id="instant", size=8, inputmode="decimal", placeholder="the start")
    colours = tag("select", [tag("option", text, value=value) for value, text, _ in COLOURS], id="colours")
    legends = [tag("span", legend, data_colours=value, hidden=value != "use") for value, _, legend in COLOURS]
    hint = "Choose a place or a transition for its figures."
    return content(
        tag("div", tag("label", "Colours ", colours), tag("span", legends, class_="note"), class_="row"),
        tag("div", id="drawing"),
        tag("div", aside(hint), id="part", role="region", aria_label="What is chosen in the drawing"),
        tag("p", game, tag("label", " at ", instant), " ", tag("span", id="instant-unit")),
    )


def _select(identifier: str, label: str) -> Markup:
    return tag("label", f"{label} ", tag("select", id=identifier))


def _charts(page: Page) -> list[Content]:
    over = tag("div", _select("measure", "Measure"), _select("parameter", "over"), class_="row")
    course = tag("div", _select("course", "Over time"), class_="row")
    first = page.figure({"data": [], "layout": {}}, "A measure over a parameter", None, LOW)
    second = page.figure({"data": [], "layout": {}}, "What is chosen, over time", None, LOW)
    waiting = tag(
        "p", "Choose a parameter: the curve is drawn while the figures above go on.", class_="note", id="curve-note"
    )
    return [
        tag(
            "div",
            tag("div", over, waiting, tag("div", first, id="curve")),
            tag("div", course, tag("div", second, id="over-time")),
            class_="pair",
        )
    ]


def _surface(page: Page) -> Markup:
    """Return a measure over two parameters. Its figure is the third of the page."""
    within = [tag("option", f"{share} %", value=share / 100, selected=share == 5) for share in (10, 5, 2, 1)]
    row = (
        _select("spread", "Measure"), _select("across", "over"), _select("up", "and"),
        tag("label", "settled at ± ", tag("select", within, id="within")),
    )  # fmt: skip
    chart = page.figure({"data": [], "layout": {}}, "A measure over two parameters; the table has its numbers", None)
    hint = "Open circles have not settled. Points near the sliders get the next replications. "
    return tag(
        "details",
        tag("summary", "A measure over two parameters"),
        tag("div", row, class_="row"),
        tag("p", class_="note", id="surface-note", role="status"),
        tag("div", chart, id="surface-chart", hidden=True),
        tag("p", hint, "A press on a point, here or in the table, sets the sliders to it.", class_="note"),
        tag("details", tag("summary", "As a table"), tag("div", id="surface-table")),
        id="surface",
    )


def _drawn(page: Page) -> Markup:
    """Return the distribution over ranges. Its figure is the fourth of the page."""
    chart = page.figure({"data": [], "layout": {}}, "Distribution of a measure over the draws", None)
    return tag(
        "details",
        tag("summary", "What if parameters are known as ranges only"),
        tag("p", "Each replication draws what is chosen here, evenly from its range or list:", class_="note"),
        tag("div", id="draws"),
        tag("div", _select("drawn-measure", "Measure"), class_="row"),
        tag("p", class_="note", id="drawn-note", role="status"),
        tag("div", chart, id="drawn-chart", hidden=True),
        tag("div", id="drawn-table"),
        tag("p", tag("span", id="drawn-last"), " ", tag("code", id="drawn-command"), class_="note"),
        id="drawn",
    )


def _taken() -> list[Content]:
    boxes = [
        tag(
            "div",
            tag("h3", title),
            tag("pre", id=f"take-{name}", tabindex=0),
            tag("button", "Copy", type="button", data_copy=f"take-{name}"),
        )
        for name, title in _TAKEN
    ]
    links = [tag("li", tag("a", text, href=path, download=True)) for path, text in _LINKS]
    return [tag("div", boxes, class_="pair"), tag("ul", links)]
