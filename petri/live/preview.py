"""A preview of a net beside its text: the drawing with its loads, and the measures of a short run."""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Event
from typing import Final

from petri.diagnostics import LanguageError
from petri.live.answer import progress, said, told
from petri.live.refine import Point, Refinement
from petri.model import Model
from petri.net import Net
from petri.report.html.markup import Content, Markup, tag
from petri.report.html.picture import LARGEST, heat_of
from petri.report.html.run_page import busy
from petri.report.notebook.drawing import drawing_html
from petri.report.notebook.fragments import fragment
from petri.report.picture import closed, diagram, layout, svg
from petri.report.telling.record import of_result
from petri.result import Result
from petri.views import Drawing

SECONDS: Final = 0.25  # of the run
THREADS: Final = 1


def preview(net: Net, sources: Mapping[str, str]) -> dict[str, str]:
    """Return the name, and as HTML with its style the drawing (if it is not too large), the measures and the progress.

    Names and comments are escaped: none of the net is markup.
    """
    point = _ran(Model(net, sources))
    result = point.result() if point is not None else None
    parts: list[Content] = [_drawn(net, sources, result)]
    if point is not None and result is not None:
        record = of_result(result)
        parts += [told(record, bool(point.ran)), said(record), tag("p", progress(point, result, 0.0), class_="note")]
    return {"name": net.name, "html": str(fragment(parts))}


def _ran(model: Model) -> Point | None:
    """Return what runs of the net tell after a short time;

    None of a net that cannot run, which its diagnostics explain.
    """
    try:
        plan = model.plan()[0]
    except LanguageError:
        return None
    point, new = Point({}, model, plan), Event()
    refinement = Refinement(point, lambda _: (model, plan), THREADS, new.set)
    end = time.monotonic() + SECONDS
    refinement.start()
    while time.monotonic() < end and point.wanted:
        new.wait(max(end - time.monotonic(), 0.0))
        new.clear()
    refinement.stop()
    refinement.wait()
    return point


def _drawn(net: Net, sources: Mapping[str, str], result: Result | None) -> Markup | None:
    whole = diagram(net, sources=sources)
    if len(whole.nodes) > LARGEST:
        return None
    drawn = closed(whole)
    heat = heat_of(whole, net, busy(of_result(result))) if result is not None else {}
    return drawing_html(Drawing(net.name, svg(drawn, layout(drawn), heat), "", len(drawn.nodes)))
