"""A net in a notebook, with a slider for each parameter: `model.live()`.

The widgets are those of ipywidgets, so that the view needs no script of its own. What they show is HTML without
scripts, in which all texts of the net are escaped.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

try:
    import ipywidgets
except ImportError as error:
    raise ImportError("a live view needs ipywidgets: pip install 'pnsim[notebook]'", name=error.name) from error

from petri.live.desk import Desk
from petri.live.knobs import STEPS, written_value
from petri.live.source import Source
from petri.model import LoadedFrom
from petri.report.html.markup import Content, Markup, tag
from petri.report.html.picture import LARGEST
from petri.report.notebook.drawing import drawing_html
from petri.report.notebook.fragments import fragment
from petri.report.notebook.plots import plot
from petri.report.picture import closed, layout, svg
from petri.report.picture.svg import quoted
from petri.run.plan import RunOptions
from petri.views import Drawing

WAIT: Final = 1.0  # seconds between two looks whether the view was closed
DIGITS: Final = 3  # of the values of a logarithmic slider
WIDE: Final = {"width": "17rem"}
SHORT: Final = {"width": "8rem"}
SMALL: Final = {"text_color": "gray", "font_size": "12px"}

Knob = Mapping[str, Any]
"""A parameter as `petri.live.knobs` describes it."""
Turned = Callable[[str], None]
"""Receives the text of the value that a widget was given by hand."""
Row = tuple[list[ipywidgets.Widget], Callable[[Knob], None]]
"""The widgets of a parameter, and what makes them show its value."""


def view(origin: LoadedFrom, name: str, threads: int | None, options: RunOptions) -> View:
    """Return the view of a net that was loaded from there.

    Raises LanguageError if the net cannot run as it was loaded.
    """
    source = Source(str(origin.path or name), origin, options)
    source.load({})
    return View(Desk(source, threads=threads or os.cpu_count() or 1))


class View:
    """Widgets that change a desk and show its answers. `box` holds them all."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._settings: dict[str, str] = {}
        self._chosen = False  # the parameter of the chart; until then it is the one that was turned last
        self._frames: list[dict[str, Any]] = []
        self._show_values: list[Callable[[Knob], None]] = []
        self._drawn: tuple[str, Mapping[str, tuple[float, str]]] = ("", {})  # which drawing, with which colours
        self._figures, self._drawing, self._curve = (ipywidgets.HTML() for _ in range(3))
        self._knobs = ipywidgets.VBox()
        self._measure = ipywidgets.Dropdown(description="chart of")
        self._parameter = ipywidgets.Dropdown(description="over")
        reset = ipywidgets.Button(description="as loaded")
        self._pin = ipywidgets.ToggleButton(description="pin", tooltip="Compare what follows with this setting")
        self._follower = threading.Thread(target=self._follow, daemon=True)
        reset.on_click(lambda _: self._turned({}))
        self._by_hand(self._pin, lambda pinned: self._desk.change(pinned=pinned))
        self._by_hand(self._measure, lambda measure: self._desk.change(measure=measure or ""))
        self._by_hand(self._parameter, self._choose)
        left = [self._knobs, ipywidgets.HBox([reset, self._pin])]
        right = [self._figures, self._drawing, ipywidgets.HBox([self._measure, self._parameter]), self._curve]
        wide = {"flex": "1 1 24rem", "min_width": "0"}
        self.box = ipywidgets.HBox(
            [ipywidgets.VBox(left), ipywidgets.VBox(right, layout=wide)],
            layout={"flex_flow": "row wrap", "align_items": "flex-start"},
        )
        desk.start()
        desk.watched(1)
        self._follower.start()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.box._repr_mimebundle_(**options)

    def close(self) -> None:
        """End the runs. What the view shows stays."""
        self._desk.close()

    # ---------------------------------------------------------------- changed by hand

    def _by_hand(self, widget: ipywidgets.Widget, changed: Callable[[Any], None]) -> None:
        """Call `changed` with a new value of the widget, unless it is one that the view shows."""

        def observed(change: Any) -> None:
            if threading.current_thread() is not self._follower:
                changed(change.new)

        widget.observe(observed, "value")

    def _turned(self, settings: Mapping[str, str], name: str = "") -> None:
        self._settings = dict(settings)
        curve = {"parameter": name, "measure": self._measure.value or ""} if name and not self._chosen else {}
        self._desk.change(settings=self._settings, **curve)

    def _choose(self, parameter: str | None) -> None:
        self._chosen = True
        self._desk.change(measure=self._measure.value or "", parameter=parameter or "")

    # ---------------------------------------------------------------- from the desk

    def _follow(self) -> None:
        version = 0
        while not self._desk.closed:
            newest, answer = self._desk.wait(version, WAIT)
            if newest != version:
                version = newest
                self._show(answer)

    def _show(self, answer: Mapping[str, Any]) -> None:
        parts: list[Content] = [tag("pre", answer["problem"], class_="fail")] if answer.get("problem") else []
        if "knobs" in answer:
            self._show_knobs(answer["knobs"], answer["settings"])
            parts += [tag("p", answer["progress"], class_="note")]
            parts += [Markup(one) for one in (answer["measures"], answer["said"], answer["compared"]) if one]
            self._show_curve(answer)
            if "colours" in answer:  # which follow the first figures of a setting
                self._show_drawing(answer["picture"], answer["loads"])
        self._figures.value = str(fragment(parts))

    def _show_knobs(self, knobs: Sequence[Knob], settings: Mapping[str, str]) -> None:
        frames = [{name: part for name, part in knob.items() if name not in ("value", "text")} for knob in knobs]
        if frames != self._frames:
            self._frames = frames
            rows = [self._row(knob) for knob in knobs]
            self._show_values = [show for _, show in rows]
            self._knobs.children = [widget for widgets, _ in rows for widget in widgets]
        for knob, show in zip(knobs, self._show_values, strict=True):
            if settings.get(knob["name"]) == self._settings.get(knob["name"]):  # else it is turned at this moment
                show(knob)

    def _row(self, knob: Knob) -> Row:
        widgets, show = _ROWS.get(knob["kind"], _text)(
            knob, self._by_hand, lambda text: self._turned(self._settings | {knob["name"]: text}, knob["name"])
        )
        name = ipywidgets.Label(knob["name"], layout={"width": "8.5rem"})
        head = ipywidgets.HBox([name, widgets[0]])
        doc = [ipywidgets.Label(knob["doc"], style=SMALL)] if knob["doc"] else []
        return [head, *widgets[1:], *doc], show

    def _show_curve(self, answer: Mapping[str, Any]) -> None:
        measure = answer["measure"] or next(iter(answer["names"]), None)
        parameters = [("nothing", ""), *((knob["name"], knob["name"]) for knob in answer["knobs"])]
        for widget, options, value in (
            (self._measure, tuple(answer["names"]), measure),
            (self._parameter, tuple(parameters), answer["parameter"]),
        ):
            if widget.options != options:
                widget.options = options
            if widget.value != value:
                widget.value = value
        curve, of = answer["curve"], f"{measure} over {answer['parameter']}"
        self._curve.value = "" if curve is None else str(fragment([plot(curve, of)]))

    def _show_drawing(self, picture: str, loads: Mapping[str, tuple[float, str]]) -> None:
        point = self._desk.now
        if point is None or point.model is None or (picture, loads) == self._drawn:
            return
        self._drawn = (picture, loads)
        inside = self._desk.drawing(point.model)
        if len(inside.nodes) > LARGEST:
            self._drawing.value = ""
            return
        whole = closed(inside)
        heat = {node.name: loads[quoted(node.name)] for node in whole.nodes if quoted(node.name) in loads}
        drawn = Drawing(point.model.net.name, svg(whole, layout(whole), heat), "", len(whole.nodes))
        self._drawing.value = str(drawing_html(drawn))


# ---------------------------------------------------------------- a parameter

ByHand = Callable[[ipywidgets.Widget, Callable[[Any], None]], None]


def _text(knob: Knob, by_hand: ByHand, turned: Turned) -> Row:
    """Return a field for any text of the language."""
    field = ipywidgets.Text(knob["text"], continuous_update=False, layout=SHORT)
    by_hand(field, lambda text: turned(text.strip()))

    def show(now: Knob) -> None:
        field.value = now["text"]

    return [field], show


def _range(knob: Knob, by_hand: ByHand, turned: Turned) -> Row:
    """Return the field, and a slider below."""
    (field,), show_text = _text(knob, by_hand, turned)
    low, high, whole = knob["low"], knob["high"], knob["whole"]
    shape = {"readout": False, "layout": WIDE}
    if knob["logarithmic"]:
        first, last = math.log10(low), math.log10(high)
        shape |= {
            "min": first,
            "max": last,
            "step": (last - first) / STEPS,
            "value": min(max(knob["value"], low), high),
        }
        slider = ipywidgets.FloatLogSlider(**shape)
    else:
        slider = ipywidgets.FloatSlider(min=low, max=high, step=knob["step"], value=knob["value"], **shape)
    digits = {"digits": DIGITS} if knob["logarithmic"] else {}
    by_hand(slider, lambda value: turned(written_value(value, whole, knob["unit"], **digits)))

    def show(now: Knob) -> None:
        show_text(now)
        slider.value = min(max(now["value"], low), high)

    return [field, slider], show


def _check(knob: Knob, by_hand: ByHand, turned: Turned) -> Row:
    box = ipywidgets.Checkbox(knob["text"] == "true", indent=False, layout=SHORT)
    by_hand(box, lambda ticked: turned(str(ticked).lower()))

    def show(now: Knob) -> None:
        box.value = now["text"] == "true"

    return [box], show


def _choice(knob: Knob, by_hand: ByHand, turned: Turned) -> Row:
    choice = ipywidgets.Dropdown(options=knob["choices"], value=knob["text"], layout=SHORT)
    by_hand(choice, turned)

    def show(now: Knob) -> None:
        choice.value = now["text"]

    return [choice], show


_ROWS: Final = {"range": _range, "check": _check, "choice": _choice}
