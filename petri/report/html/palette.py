"""The page's colours, light and dark: as CSS variables, and by name for the figures' script."""

from __future__ import annotations

from typing import Final

SERIES: Final = 8
"""Colours that distinguish lines; "@s0" to "@s7" in figures."""

LIGHT: Final[dict[str, str]] = {
    "paper": "#fdfdfb",
    "sheet": "#ffffff",
    "ink": "#1b1f24",
    "soft": "#59626d",
    "rule": "#e2e5e9",
    "faint": "#f2f4f6",
    "accent": "#1f5fae",
    "fill": "#9dc1ea",
    "pass": "#17744a",
    "fail": "#b3261e",
    "warn": "#8a5b00",
    "pass-paper": "#e8f5ee",
    "fail-paper": "#fdecea",
    "warn-paper": "#fdf4e0",
    "s0": "#2a6cb8",
    "s1": "#c65f14",
    "s2": "#2b8a57",
    "s3": "#9c3d8d",
    "s4": "#8a6b14",
    "s5": "#5a5ec8",
    "s6": "#b33a4c",
    "s7": "#2f8896",
}
DARK: Final[dict[str, str]] = {
    "paper": "#12151a",
    "sheet": "#181c22",
    "ink": "#e6e8eb",
    "soft": "#a0a8b3",
    "rule": "#2e343d",
    "faint": "#20252d",
    "accent": "#82b5f2",
    "fill": "#35608f",
    "pass": "#63d197",
    "fail": "#ff8f86",
    "warn": "#e5b955",
    "pass-paper": "#14291f",
    "fail-paper": "#351b1b",
    "warn-paper": "#302712",
    "s0": "#77b1f2",
    "s1": "#f2a15e",
    "s2": "#6fd09a",
    "s3": "#da93d1",
    "s4": "#d9bc68",
    "s5": "#a6a9f6",
    "s6": "#f08c97",
    "s7": "#78cddb",
}
# From low to high; `page.js` picks a text colour that is readable on each.
SCALE: Final = ("#f1f4f9", "#c9dcf0", "#93bde2", "#5596cd", "#2a6cb0", "#12457f")
DARK_SCALE: Final = ("#1d232c", "#1f3a57", "#275582", "#3a77ae", "#64a1d6", "#b3d7f5")


def style_variables() -> str:
    """Dark if the reader's system is, but never in print."""
    light, dark = ("".join(f"--{name}:{colour};" for name, colour in palette.items()) for palette in (LIGHT, DARK))
    return (
        f":root{{color-scheme:light dark;{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
    )


def themes() -> dict[str, dict[str, object]]:
    """Return for each theme, for the script, the colours by their names in figures."""
    named: dict[str, dict[str, object]] = {}
    for theme, palette, scale in (("light", LIGHT, SCALE), ("dark", DARK, DARK_SCALE)):
        steps = [[number / (len(scale) - 1), colour] for number, colour in enumerate(scale)]
        named[theme] = {f"@{name}": colour for name, colour in palette.items()} | {"@scale": steps}
    return named
