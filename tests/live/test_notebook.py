"""`model.live()`: widgets that change a desk and show its answers, by themselves and in JupyterLab."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.net import Net
from tests.installed import needs_browser, needs_lab
from tests.report.browser import Browser

from .tables import COUNTER, PATIENCE
from .test_server import HOSTILE, NET
from .walk import tutorial

pytest.importorskip("ipywidgets")


@pytest.fixture
def view() -> Iterator[Any]:
    made = petri.loads(COUNTER).live(threads=2)
    yield made
    made.close()


def until(wanted: Any) -> None:
    end = time.monotonic() + PATIENCE
    while not wanted():
        assert time.monotonic() < end
        time.sleep(0.02)


def widgets(view: Any, kind: str) -> list[Any]:
    found, waiting = [], [view.box]
    while waiting:
        one = waiting.pop(0)
        found += [one] * (type(one).__name__ == kind)
        waiting = [*getattr(one, "children", ()), *waiting]
    return found


def test_a_slider_changes_the_figures_and_draws_its_curve(view: Any) -> None:
    until(lambda: re.search(r"7\d\.\d", view._figures.value))
    clerks = widgets(view, "FloatSlider")[1]
    assert (clerks.min, clerks.max, clerks.value) == (1.0, 9.0, 1.0)
    clerks.value = 3.0
    until(lambda: re.search(r"2[45]\.\d", view._figures.value))
    assert [field.value for field in widgets(view, "Text")] == ["4 min", "3"]
    until(lambda: "busy over clerks" in view._curve.value)
    until(lambda: "data:image/svg+xml" in view._drawing.value)
    widgets(view, "Button")[0].click()
    until(lambda: clerks.value == 1.0)


def test_another_measure_leaves_the_chart_over_the_parameter_that_is_turned(view: Any) -> None:
    until(lambda: "busy" in view._figures.value)
    measure, parameter = widgets(view, "Dropdown")
    until(lambda: len(measure.options) > 1)
    measure.value = measure.options[1]
    gap = widgets(view, "FloatSlider")[0]
    gap.value = 5.0
    until(lambda: parameter.value == "gap" and f"{measure.options[1]} over gap" in view._curve.value)
    parameter.value = "clerks"
    gap.value = 6.0
    until(lambda: "6 min" in [field.value for field in widgets(view, "Text")] and "over clerks" in view._curve.value)
    assert parameter.value == "clerks"


def test_a_wrong_value_is_told_and_the_last_figures_stay(view: Any) -> None:
    until(lambda: "busy" in view._figures.value)
    field = widgets(view, "Text")[1]
    field.value = "12"
    until(lambda: "<pre" in view._figures.value)
    assert "clerks" in view._figures.value
    assert "busy" in view._figures.value


def test_what_is_pinned_is_compared(view: Any) -> None:
    until(lambda: "busy" in view._figures.value)
    widgets(view, "ToggleButton")[0].value = True
    widgets(view, "FloatSlider")[1].value = 2.0
    until(lambda: "clerks: as written → 2" in view._figures.value)


def test_it_begins_with_the_values_that_were_given() -> None:
    made = petri.loads(COUNTER, clerks=2).live()
    until(lambda: re.search(r"37\.\d", made._figures.value))
    made.close()


def test_texts_of_the_net_are_never_markup() -> None:
    made = petri.loads(NET).live()
    until(lambda: "expectation" in made._figures.value and made._drawing.value)
    shown = [one.value for one in widgets(made, "HTML")]
    made.close()
    assert all("<img src=x" not in one for one in shown)
    assert any("&lt;img src=x" in one for one in shown)
    assert f"{HOSTILE} b" in [one.value for one in widgets(made, "Label")]  # which shows it as text


def test_a_net_of_which_nothing_is_used_is_drawn_without_colours() -> None:
    made = petri.loads("place p = 3 * token\nplace q\ntransition t: p -> q\nrun until 10").live()
    until(lambda: "data:image/svg+xml" in made._drawing.value)
    made.close()


def test_a_net_without_a_text_says_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"petri\.load"):
        petri.Model(Net("bare")).live()


def test_a_net_that_cannot_run_raises_its_error_at_once() -> None:
    with pytest.raises(petri.LanguageError, match="until"):
        petri.loads("place p = token\ntransition t: p -> p  takes 1").live()


@pytest.mark.slow
@needs_browser
@needs_lab
def test_it_works_in_a_notebook(tmp_path: Path) -> None:
    from .jupyter import lab, run_cell

    (tmp_path / "counter.net").write_text(tutorial(), encoding="utf-8")
    with lab(tmp_path, "import petri\npetri.load('counter.net').live()") as address, Browser() as browser:
        browser.resize(1280, 1000)
        run_cell(browser, address)
        browser.until("/busy/.test(document.querySelector('.pnsim table')?.innerText)")
        browser.value("document.querySelector('.noUi-handle').focus()")
        browser.type("ArrowLeft", 37)
        browser.until("document.querySelector('.widget-text input').value === '3.95 min'")
        browser.until("/busy over gap/.test(document.querySelector('.pnsim figcaption')?.textContent)")
