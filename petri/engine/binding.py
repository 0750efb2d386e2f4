"""Tokens that a transition finds, and the values that they give its variables."""

from __future__ import annotations

from petri.net import Scalar, Token
from petri.structs import Struct


class Held(Struct):
    """A token in a place, or held by a firing; two tokens of equal value are distinct."""

    value: Token
    key: tuple[Scalar, ...] = ()
    weight: int = 1  # against the capacity of the place


class Binding(Struct):
    """Values of the variables, and the tokens found by each input arc."""

    variables: list[Scalar]
    found: list[list[Held]]
