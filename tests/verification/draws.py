"""A million draws of a distribution or choices of an engine, through a net, as a model would make them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import petri
from petri.engine.firings import Firings
from petri.engine.interface import Limits

Numbers = np.ndarray[Any, Any]

DRAW = "net draw\nplace p = token\ntransition t: p -> p  draw x ~ {text}  takes 1\n"
FOREVER = Limits(firings_at_an_instant=2**40)


def drawn(text: str, count: int, seed: int, folder: Path | None = None) -> Numbers:
    """Values of a distribution as the language writes it; `folder` has the files of its tables."""
    net = DRAW.format(text=text)
    if folder is None:
        model = petri.loads(net)
    else:
        (folder / "draw.net").write_text(net, "utf-8")
        model = petri.load(folder / "draw.net")
    words = firings(model, count, seed).words
    real = model.net.transitions[0].variables[0].kind == "real"
    return words.view(np.float64) if real else words


def firings(model: petri.Model, count: int, seed: int) -> Firings:
    """Return the first firings of a net, with their variables."""
    parts: list[Firings] = []
    model.run(
        until="dead",
        seed=seed,
        max_firings=count,
        limits=FOREVER,
        engine="native",
        trace=lambda _, part: parts.append(Firings.of(model.net, part)),
    )
    return Firings(model.net, *(np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS))


COLUMNS = ("start_ticks", "end_ticks", "transitions", "words")
