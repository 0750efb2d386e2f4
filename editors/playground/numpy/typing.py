"""Names for annotations."""

from typing import Any

ArrayLike = Any


class NDArray:
    def __class_getitem__(cls, _: object) -> type:
        return cls
