"""What stands in for numpy in the browser page, compared with numpy function by function."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from .built import SOURCES

SETUP = """
import math
nan, inf = math.nan, math.inf
v = np.array([3.0, 0.1, -2.5, 7.25, 0.1, nan, inf, -0.0, 1e300, 2.0])
w = np.array([1.1, 2.2, 3.3, 4.4, 5.5, 6.6, 7.7, 8.8, 9.9, 10.1, 11.3, 12.7, 0.3])
i = np.array([4, -1, 0, 9, 4])
m = np.array([[1.5, 2.25, 0.1], [4.0, 5.5, 0.2], [0.3, 0.7, 0.9], [8.0, 1.0, 2.0]])
c = np.arange(24).reshape(2, 3, 4)
b = np.array([True, False, True, True])
long = np.array([math.sin(n) for n in range(1000)])
u = np.array([1, 2**32 - 1], np.uint32)
def changed(values, at, new):
    values = values.copy()
    values[at] = new
    return values
"""
CASES = """
v + 1; 1 - v; v * v; v / 0; i / 0; i // 2; i % 3; 2 ** i[:1]; v ** 2; -i; abs(i); ~b; b & (i[:4] > 0); b | b; b ^ b
i < 3; i == 4; v != v; m + m[0]; m * m[:, :1]; m - np.array(1.0); c + c[0]; np.round(m @ m.T, 9); m[0] @ m[1]
m @ m[0]; v[2]; v[-1]; v[2:5]; v[::-1]; m[1]; m[:, 1]; m[1:, :2]; m[b]; m[[2, 0]]; m[b, None]; m[:, None, 1]
c[1, :, 2]; c[..., 0]; c[0][np.array([[0, 1], [2, 2]])]; m[np.ix_([0, 2], [1, 0])]; m[[0, 1], [2, 1]]; c[:, 1]; c.T
c.transpose(1, 0, 2); c.reshape(-1, 4); c.ravel(); i.astype(float); w.astype(np.int64); m[m > 2]; c.shape; c.ndim
c.size; len(c); m.T.tolist(); [int(one) for one in i]; [row.tolist() for row in m]; c.tobytes().hex()
np.float64(2.5).view(np.int64); changed(i, 1, 7); changed(m, (slice(None), 1), 0.0); changed(m, b, -1.0)
changed(v, v > 2, 0.5); changed(v, [0, 1], [8.0, 9.0]); long.sum(); long[:100].sum(); m.sum(); m.sum(axis=0)
m.sum(axis=1); c.sum(axis=1); c.sum(axis=2); np.sum([m, m], axis=0); b.sum(); v[:0].sum(); long.mean(); m.mean(axis=0)
np.mean(m, axis=1); long.std(); m.std(axis=0, ddof=1); np.var(w, ddof=1); i.mean(); c.mean(axis=0); c.std(axis=1)
v.max(); i.max(); m.max(axis=0); m.min(axis=1); m.max(axis=1, initial=3.0); b.all(); b.any(); (m > 1).all(axis=0)
np.any([b, ~b], axis=0); np.all(b); m.argmax(); m.argmax(axis=1); np.argmin(v); w.cumsum(); np.cumsum(i)
m.cumsum(axis=0); m.cumsum(axis=1); np.cumsum(b); np.cumsum([1, 2], dtype=np.int64); np.add.reduceat(w, [0, 3, 4])
np.add.reduceat(m, [0, 2], axis=0); np.add.reduceat(m, [0, 2], axis=1); np.maximum.reduceat(m, [0, 1], axis=1)
np.maximum(v, 1.0); np.minimum(v, v[::-1]); np.fmax(v, 1.0); np.fmin.reduce(m, axis=0); np.maximum(3, 2.5)
np.logical_or(b, ~b); np.logical_not(b); np.divide(m, m - 2.0, out=np.full(m.shape, -1.0), where=m > 2.0)
np.where(b, 1.0, i[:4]); np.where(v > 0, v, nan); np.where(True, 1.0, 2.0); np.where(m > 1, m, 0); np.isnan(v)
np.isfinite(v); np.isinf(v); np.sqrt(w); np.abs(v); np.sign(v); np.sign(i); np.floor(w); np.round(w)
np.nextafter(w, 0.0); np.clip(v, -1.0, 2.0); np.zeros((2, 3)); np.zeros(2, np.int64); np.full((2, 2), 7); np.ones(3)
np.zeros_like(i); np.arange(3); np.arange(1, 5); np.linspace(0.0, 1.0, 7); np.broadcast_to(m[0], (2, 3))
np.concatenate([i, [1]]); np.concatenate([m, m], axis=1); np.concatenate([i, v]); np.stack([i, i], axis=1)
np.column_stack([i, i]); np.append(i, 3.5); np.frombuffer(w.tobytes()); np.frombuffer(b'', dtype=np.int64)
np.asarray(3.5); np.array([]); np.array([[1, 2], [3, 4.5]]); np.array([i, i]); np.shape(m); np.ndim(3.0)
np.flatnonzero(i); np.count_nonzero(b); np.diff(w); np.diff(i, prepend=0); np.diff(m, axis=1, prepend=0.0)
np.diff(m, axis=0); np.interp(w, [2.0, 4.0, 5.0], [1.0, 3.0, 0.0]); np.interp(0.3, (0.1, 0.9), (1.0, 2.0))
np.interp(nan, [0.0, 1.0], [1.0, 2.0]); np.searchsorted(np.arange(5), [2, 9, -1])
np.searchsorted(np.arange(5), 2, side='right'); np.argsort(v, kind='stable'); np.sort(v); np.unique(i)
np.unique(i, return_index=True)[1]; [p.tolist() for p in np.split(i, [1, 3])]
[p.tolist() for p in np.array_split(w, 5)]; np.bincount(abs(i), minlength=12)
np.trim_zeros(np.array([0, 1, 0, 2, 0]), 'b'); np.nan_to_num(v); np.diagonal(m[:3]); np.median(w); np.ptp(w)
np.isin(i, [4, 9]); np.repeat(i, 2); i.repeat(3); np.errstate(all='ignore').__class__ is not None
m.take([1, 0], axis=-1); w.take([2, 0]); v[0].item(); b[0].item(); i[0].item(); float(v[1]); i[1] / 0; v[0] / 0.0
v[0] ** 2; (u * np.uint32(3)).tolist(); (u - np.uint32(2) * u).tolist(); (u ^ u >> np.uint32(4)).tolist()
(u.astype(np.uint64) << np.uint64(32)).tolist(); u.tobytes().hex()
np.random.SeedSequence(7, spawn_key=(3,)).generate_state(3, np.uint64)
np.random.SeedSequence(2**70, spawn_key=(3, 2**33)).generate_state(3, np.uint64)
np.random.SeedSequence(0).generate_state(2, np.uint64)
np.frombuffer(bytes([0, 200]), np.uint8) == 0; np.multiply(i, 0.5, dtype=np.float64)
np.multiply(abs(i).astype(np.min_scalar_type(9)), 0.5, dtype=np.float64); np.unique(i, return_inverse=True)[1]
abs(i).astype(np.min_scalar_type(2**40)).tolist(); np.bincount(abs(i), w[:5]); np.bincount(abs(i), w[:5], minlength=12)
"""
EXPRESSIONS = [case.strip() for line in CASES.strip().splitlines() for case in line.split("; ")]
EVALUATE = """
def plain(value):
    if not hasattr(value, "tolist"):
        return repr(value)
    return [getattr(value.dtype, "__name__", str(value.dtype)), list(value.shape), repr(value.tolist())]
"""
PROGRAM = "import json, sys\nimport numpy as np\n" + SETUP + EVALUATE
PROGRAM += "print(json.dumps([np.__file__, [plain(eval(one)) for one in json.load(sys.stdin)]]))"


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, input=json.dumps(EXPRESSIONS), env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    path, values = json.loads(done.stdout)
    assert path.startswith(str(SOURCES))
    return dict(zip(EXPRESSIONS, values, strict=True))


def comparable(value: Any) -> Any:
    """Return kind, shape and elements; a number alone has its value and whether it is whole."""
    if isinstance(value, str):
        return value.removeprefix("np.float64(").removeprefix("np.int64(").removesuffix(")")
    kind, shape, elements = value
    kind = kind.rstrip("_")
    return elements if not shape else [kind, shape, elements]


def test_it_is_what_numpy_is(found: dict[str, Any]) -> None:
    names: dict[str, Any] = {"np": np}
    exec(SETUP + EVALUATE, names)
    with np.errstate(all="ignore"):
        expected = {one: json.loads(json.dumps(names["plain"](eval(one, names)))) for one in EXPRESSIONS}
    wrong = {
        one: (comparable(found[one]), comparable(expected[one]))
        for one in EXPRESSIONS
        if comparable(found[one]) != comparable(expected[one])
    }
    assert wrong == {}
