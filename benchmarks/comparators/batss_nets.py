"""Predators and prey for batss, as on its own page. It simulates many reactions at once, exactly."""

from __future__ import annotations

from typing import Any

import batss


def begin(molecules: int, seed: int) -> Any:
    """Return a simulation with that many of each at its start; in its `history`, R and F by time."""
    prey, hunter = batss.species("R F")
    reactions = [prey + hunter >> 2 * hunter, prey >> 2 * prey, hunter >> None]
    return batss.Simulation({prey: molecules, hunter: molecules}, reactions, seed=seed)
