"""Logarithm, exponential and power, using only IEEE additions and multiplications.

The mathematical library may round these differently on different systems, but a trajectory must not change. Each
routine has a twin in the native engine that performs the same operations in the same order.
"""

from __future__ import annotations

import math

# ln 2 in two parts: the upper has 32 significant bits, so its product with an exponent is exact.
LN2_HIGH = float.fromhex("0x1.62e42feep-1")
LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
INVERSE_LN2 = float.fromhex("0x1.71547652b82fep+0")
SQRT_HALF = float.fromhex("0x1.6a09e667f3bcdp-1")

# Terms after which the series are below half a unit in the last place (|s| <= 0.172, |r| <= 0.347).
LN_TERMS = 11
EXP_TERMS = 14

# The coefficients, each a single correctly rounded division; factorials up to 14! are exact in a double.
LN_COEFFICIENTS = tuple(1.0 / (2 * k + 1) for k in range(1, LN_TERMS + 1))
EXP_COEFFICIENTS = tuple(1.0 / math.factorial(k) for k in range(2, EXP_TERMS + 1))


def ln(x: float) -> float:
    """Natural logarithm of a positive finite x.

    x = m·2^e with m in [√½, √2); ln m = 2 artanh s for s = (m − 1)/(m + 1), summed as its Taylor series.
    """
    m, e = math.frexp(x)
    if m < SQRT_HALF:
        m, e = 2.0 * m, e - 1
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    series = 0.0
    for coefficient in reversed(LN_COEFFICIENTS):
        series = (series + coefficient) * z
    return e * LN2_HIGH + (2.0 * s * series + e * LN2_LOW + 2.0 * s)


def exp(x: float) -> float:
    """e^x for finite x: x = k·ln 2 + r, e^r as its Taylor series. Overflows to inf, underflows to 0."""
    if x > 709.782712893384:
        return math.inf
    if x < -745.2:
        return 0.0
    k = math.floor(x * INVERSE_LN2 + 0.5)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    series = 0.0
    for coefficient in reversed(EXP_COEFFICIENTS):
        series = (series + coefficient) * r
    return scale(1.0 + (r + series * r), k)


def scale(x: float, k: int) -> float:
    """x·2^k in two multiplications by powers of two, so that neither power leaves the range of a double."""
    half = k // 2
    return x * 2.0**half * 2.0 ** (k - half)


def power(x: float, y: float) -> float:
    """x^y for x >= 0: by squaring when y is a whole number up to 1024, else exp(y·ln x). May be inf."""
    if y == math.floor(y) and abs(y) <= 1024.0:
        result, base, n = 1.0, x, int(abs(y))
        while n:
            if n & 1:
                result *= base
            base *= base
            n >>= 1
        if y >= 0.0:
            return result
        return math.inf if result == 0.0 else 1.0 / result
    if x == 0.0:
        return 0.0 if y > 0.0 else math.inf
    return exp(y * ln(x))
