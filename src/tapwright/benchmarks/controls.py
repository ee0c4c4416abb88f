"""Controls of a score: the same samples without their pictures, or with those of others.

What a model still answers rightly then, it knows from the words alone, and its score is to be read
beside that.
"""

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

from PIL import Image

from tapwright.benchmarks.benchmark import StaticSample
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.core.geometry import Size
from tapwright.core.screenshot import Screenshot

__all__ = ["Control", "describe_control", "with_other_pictures"]

Control: TypeAlias = Literal["", "blank", "swapped"]
"""What is shown: the sample's own picture, a grey one of its size, or that of another sample."""

_WORDS = {"blank": "with blank pictures", "swapped": "with other samples' pictures"}

S = TypeVar("S", bound=StaticSample)


def describe_control(control: Control) -> str:
    """How a report calls it, after the subject's name; "" without one."""
    return _WORDS.get(control, "")


def with_other_pictures(samples: Sequence[S], control: Control) -> list[S]:
    """The samples as a control shows them; without one as they are.

    Another sample's picture is of the same size, and the same one for all samples of a picture.
    Nobody is shown a tree.

    Raises:
        BadBenchmarkError: a picture is to be swapped, and it is the only one of its size.
    """
    if not control:
        return list(samples)
    if control == "blank":
        return [replace(sample, shown=_blank(sample.size), tree=None) for sample in samples]
    sizes = {sample.picture: sample.size for sample in samples}
    other = dict[Path, Path]()
    for size in set(sizes.values()):
        alike = sorted(picture for picture, own in sizes.items() if own == size)
        if len(alike) == 1:
            raise BadBenchmarkError(
                f"{alike[0]}: no other picture has its {size} pixels, so it cannot be swapped",
                hint="--plan control=blank",
            )
        random.Random(0).shuffle(alike)
        other.update(zip(alike, (*alike[1:], alike[0]), strict=True))
    return [replace(sample, shown=other[sample.picture], tree=None) for sample in samples]


@lru_cache(maxsize=8)
def _blank(size: Size) -> Screenshot:
    buffer = BytesIO()
    Image.new("RGB", (size.width, size.height), "gray").save(buffer, "PNG")
    return Screenshot(buffer.getvalue(), origin="blank")
