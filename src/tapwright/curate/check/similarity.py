"""How much two screens differ, and whether two actions are nearly the same."""

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tapwright.core.actions import Action
from tapwright.core.geometry import Point
from tapwright.core.screenshot import Screenshot
from tapwright.errors import BadImageError
from tapwright.files.regular import read_regular

__all__ = ["changed_share", "is_same_action"]

_MAX_DISTANCE = 0.01
_MAX_DIFFERENCE = 0.1
_GRID = (64, 128)
_LEVELS = 8


def is_same_action(one: Action, other: Action) -> bool:
    """Whether two actions are nearly equal: places to 0.01 of the screen, numbers to 0.1."""
    if type(one) is not type(other):
        return False
    fields = type(one).model_fields
    return all(_is_near(getattr(one, name), getattr(other, name)) for name in fields)


def changed_share(one: Path, other: Path) -> float:
    """The share of the screen, 0 to 1, that differs between two pictures.

    They are compared in grey on a grid of 64 x 128, so that a clock's digit hardly counts.
    For pictures that cannot be decoded it is 1.
    """
    try:
        before, after = _grey(one), _grey(other)
    except (BadImageError, OSError):
        return 1.0
    return float((np.abs(before - after) > _LEVELS).mean())


def _is_near(one: object, other: object) -> bool:
    match one, other:
        case Point(), Point():
            return one.distance(other) <= _MAX_DISTANCE
        case float(), float():
            return abs(one - other) <= _MAX_DIFFERENCE
        case _:
            return one == other


@lru_cache(maxsize=4)  # a step is compared with the one before and the one after
def _grey(path: Path) -> NDArray[np.int16]:
    image = Screenshot(read_regular(path), origin=path.name).image().convert("L")
    return np.asarray(image.resize(_GRID, Image.Resampling.BOX), dtype=np.int16)
