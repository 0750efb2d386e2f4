"""Bounds of the figures of a net, by a linear programme over its structure and mean times (`bounds_of`)."""

from petri.bounds.bounds import Bound as Bound
from petri.bounds.bounds import Bounds as Bounds
from petri.bounds.bounds import Limit as Limit
from petri.bounds.bounds import bounds_of as bounds_of
