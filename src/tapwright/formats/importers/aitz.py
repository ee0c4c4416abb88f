"""AITZ, Android in the Zoo: https://github.com/IMNearth/CoAT/tree/9ab1a9f.

One JSON list per episode, beside its pictures. A step's fields are those of Android in the Wild
(`dual_point.py`), some of them JSON in a string, and four texts that a model wrote about it, of
which the thought is kept as reasoning. Lists without these texts are read too.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

from pydantic import JsonValue, TypeAdapter

from tapwright.episode import Decision, Episode, Step
from tapwright.formats.episode_format import Unreadable
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.dual_point import (
    Part,
    action_of,
    check_order,
    consecutive,
    tree_of,
)
from tapwright.formats.importers.foreign_record import (
    ForeignRecord,
    attempt,
    begins,
    below,
    find_files,
    parse,
    see,
)
from tapwright.formats.json_items import read_items


class _Step(ForeignRecord):
    episode_id: str
    episode_length: int
    step_id: int
    instruction: str
    result_action_type: int
    result_action_text: str
    result_touch_yx: str
    result_lift_yx: str
    image_path: str
    ui_positions: str = "[]"
    ui_text: str = "[]"
    ui_types: str = "[]"
    coat_action_think: str = ""


_STEP = TypeAdapter(_Step)
_NUMBERS: TypeAdapter[Sequence[float]] = TypeAdapter(list[float])
_BOXES: TypeAdapter[Sequence[Sequence[float]]] = TypeAdapter(list[list[float]])
_TEXTS: TypeAdapter[Sequence[str]] = TypeAdapter(list[str])


class Aitz:
    """Reads AITZ episodes."""

    @property
    def name(self) -> str:
        """Its short name."""
        return "aitz"

    def recognizes(self, path: Path) -> bool:
        """Whether a file begins like a list of its steps."""
        return begins(path, ".json", b'"result_action_type"')

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """The episodes in a file, or in the .json files below a directory.

        Raises:
            ForeignDataError: there is no such file.
        """
        found = False
        for file in find_files(path, "*.json"):
            found = True
            yield from read_file(file)
        if not found:
            raise ForeignDataError(f"{path}: no .json file in it")


def read_file(file: Path) -> Iterator[Episode | Unreadable]:
    """The episodes of one list."""
    broken: list[Unreadable] = []
    for parts in consecutive(_parts(file, broken)):
        if not broken:
            yield attempt(parts[0].where, partial(_episode, file, parts))
    yield from broken


def _parts(file: Path, broken: list[Unreadable]) -> Iterator[Part[JsonValue]]:
    try:
        for number, item in enumerate(read_items(file)):
            id_ = item.get("episode_id") if isinstance(item, dict) else None
            yield Part(str(id_), f"{file}, item {number}", item)
    except (OSError, ValueError, RecursionError) as error:
        # What was read of the last episode is not all of it.
        reason = f"{file}: not a JSON list: {error}"
        broken.append(Unreadable(str(file), ForeignDataError.code, reason))


def _episode(file: Path, parts: Sequence[Part[JsonValue]]) -> Episode:
    read = [parse(_STEP, json.dumps(part.held).encode(), part.where) for part in parts]
    where, first = parts[0].where, read[0]
    check_order([one.step_id for one in read], first.episode_length, where)
    return Episode(
        id=f"aitz-{first.episode_id}",
        task_id=first.instruction,
        instruction=first.instruction,
        steps=tuple(_step(file, one, part.where) for one, part in zip(read, parts, strict=True)),
        agent="human",
    )


def _step(file: Path, read: _Step, where: str) -> Step:
    seen = see(below([file.parent], PurePosixPath(read.image_path).name))
    action, raw = action_of(
        read.result_action_type,
        read.result_action_text,
        parse(_NUMBERS, read.result_touch_yx, f"{where}, result_touch_yx"),
        parse(_NUMBERS, read.result_lift_yx, f"{where}, result_lift_yx"),
        where,
    )
    tree = tree_of(
        parse(_BOXES, read.ui_positions, f"{where}, ui_positions"),
        parse(_TEXTS, read.ui_text, f"{where}, ui_text"),
        parse(_TEXTS, read.ui_types, f"{where}, ui_types"),
        seen.size,
        where,
    )
    return Step(replace(seen, ui_tree=tree), Decision(action, read.coat_action_think), raw=raw)


AITZ = Aitz()
