"""Columns of an Arrow table from Python's values.

`pyarrow.array` loads pandas to ask whether a list is one of its: 0.4 s, which a process that only ingests would pay for
nothing. So columns are laid out here, except where pandas is there already: then pyarrow is quicker.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

_NUMBERS: dict[pa.DataType, type[np.generic]] = {pa.int64(): np.int64, pa.int32(): np.int32, pa.float64(): np.float64}
_LARGEST_OFFSET = 2**31 - 1


def column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """The values, None among them, as one column. UnicodeEncodeError, OverflowError: the column cannot hold one."""
    if "pandas" in sys.modules:
        return pa.array(values, kind)
    valid = None
    empty: Any = b"" if kind == pa.binary() else "" if kind == pa.string() else 0
    if None in values:
        valid = _bits(np.array([value is not None for value in values], np.bool_))
        values = [empty if value is None else value for value in values]
    if kind == pa.string():
        return _joined([value.encode() for value in values], kind, pa.large_string(), valid)
    if kind == pa.binary():
        return _joined(values, kind, pa.large_binary(), valid)
    if kind == pa.bool_():
        return pa.Array.from_buffers(kind, len(values), [valid, _bits(np.array(values, np.bool_))])
    return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(np.array(values, _NUMBERS[kind]))])


def columns(arrays: Mapping[str, np.ndarray]) -> pa.Table:
    """A table of numbers."""
    return pa.table({name: numbers(array) for name, array in arrays.items()})


def numbers(array: np.ndarray) -> pa.Array:
    """A column of numbers."""
    buffer = pa.py_buffer(np.ascontiguousarray(array))
    return pa.Array.from_buffers(pa.from_numpy_dtype(array.dtype), len(array), [None, buffer])


def whole_numbers(column: pa.Array) -> np.ndarray:
    """The values of a column of 64-bit numbers without NULL. `to_numpy` would load pandas too."""
    return np.frombuffer(column.buffers()[1], np.int64, len(column), column.offset * 8)


def _joined(raw: Sequence[bytes], kind: pa.DataType, large: pa.DataType, valid: pa.Buffer | None) -> pa.Array:
    """A column of texts: one after the other, and where each begins."""
    offsets = np.zeros(len(raw) + 1, np.int64)
    np.cumsum(list(map(len, raw)), out=offsets[1:])
    if offsets[-1] <= _LARGEST_OFFSET:
        offsets = offsets.astype(np.int32)
    else:
        kind = large
    return pa.Array.from_buffers(kind, len(raw), [valid, pa.py_buffer(offsets), pa.py_buffer(b"".join(raw))])


def _bits(flags: np.ndarray) -> pa.Buffer:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))
