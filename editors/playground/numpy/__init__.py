"""The part of numpy that runs and their figures need, on lists, until numpy publishes a wheel for Pyodide.

It has the names, shapes and results of numpy, and adds up in its order. An array owns its elements: there are no views.
What is missing raises AttributeError; `tests/playground/test_numpy.py` compares each function with numpy.
"""

# ruff: noqa: F403
from math import inf, nan, pi

from numpy import elementwise, random, typing
from numpy.arrays import *
from numpy.elements import *
from numpy.elementwise import *
from numpy.functions import *
from numpy.making import *

__all__ = ["elementwise", "inf", "nan", "pi", "random", "typing"]
newaxis = None
