"""Multimodal-Mind2Web: people's demonstrations on 136 websites, a step in each row of Parquet.

https://huggingface.co/datasets/osunlp/Multimodal-Mind2Web (README.md of f084b12); its columns were
counted by justanotheruser82174/cua-lite at 26025097, lite/data/preproc/multimodal_mind2web: of
1,009 episodes 236 have a step whose element is not on the page, 169 one that selects an option, and
7 touch below the picture. The first element that has a box, which is not -1, is touched.

    data/<split>-00000-of-00027-….parquet
        annotation_id, target_action_index    the episode, and the place of the step in it
        confirmed_task                        what is asked
        operation                             JSON: original_op (CLICK, TYPE, HOVER, ENTER,
                                              SELECT), value
        pos_candidates                        JSON of the touched element; its attributes, JSON,
                                              have bounding_box_rect: left, top, width, height
        target_action_reprs                   the step in words
        action_reprs                          those of all steps
        screenshot                            the whole page, which may be many screens high

An option that is selected has no action of ours: the step is refused. The pages' HTML is not read,
nor are pictures of more than 64 million pixels. A demonstration with all its steps did what was
asked: those that did not were not published.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import JsonValue, TypeAdapter

from tapwright.core.actions import Action, Hover, PressKey, Tap, TypeText
from tapwright.core.episode import APPS, Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import keeping
from tapwright.formats.importers.account import note_fields
from tapwright.formats.importers.dual_point import find_order
from tapwright.formats.importers.foreign_record import (
    ForeignRecord,
    bounds,
    build_flat_tree,
    parse_json,
    pixel_center,
    read_or_report,
)
from tapwright.formats.importers.parquet_rows import TABLES, has_columns, look_at, read_rows
from tapwright.formats.temporary_storage import TemporaryStorage

__all__ = ["MULTIMODAL_MIND2WEB"]

_KEY = ("annotation_id", "target_action_index")
_COLUMNS = (*_KEY, "confirmed_task", "operation", "pos_candidates", "screenshot")
_OPTIONAL = ("website", "domain", "subdomain", "target_action_reprs", "action_reprs")
_UNREAD = ("action_uid", "raw_html", "cleaned_html", "neg_candidates")


class _Operation(ForeignRecord):
    original_op: str = ""
    op: str = ""
    value: str = ""


class _Element(ForeignRecord):
    UNUSED = frozenset({"tag", "is_original_target", "is_top_level_target", "backend_node_id"})

    attributes: JsonValue = None


class _Attributes(ForeignRecord):
    UNUSED = frozenset({"backend_node_id", "data_pw_testid_buckeye_candidate", "class", "id"})

    bounding_box_rect: str


@dataclass(frozen=True, slots=True)
class _Row:
    where: str
    values: Mapping[str, Any]
    look: Callable[[], Observation]


_OPERATION, _ELEMENT = TypeAdapter(_Operation), TypeAdapter(_Element)
_ATTRIBUTES = TypeAdapter(_Attributes)
_MAX_EDGE = 1e6
_NO_PLACE = 10**9
_NOWHERE = [-1.0, -1.0, -1.0, -1.0]


class _MultimodalMind2Web:
    """Reads Multimodal-Mind2Web."""

    name = "multimodal-mind2web"

    def recognizes(self, path: Path) -> bool:
        """Whether it is a table of its columns, or a directory with one.

        An episode may begin in one file and end in the next.
        """
        return has_columns(path, *_COLUMNS) or (
            path.is_dir() and any(has_columns(file, *_COLUMNS) for file in _tables(path))
        )

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the episodes in a file, or in the files of a directory, in their order there.

        Raises:
            ForeignDataError: no such file is there, or one cannot be read.
            MissingExtraError: PyArrow is not installed.
        """
        files = sorted(_tables(path)) if path.is_dir() else [path]
        files = [file for file in files if has_columns(file, *_COLUMNS)]
        if not files:
            raise ForeignDataError(f"{path}: no table of Multimodal-Mind2Web's columns in it")
        storage = TemporaryStorage()
        every = chain.from_iterable(read_rows(file, _KEY) for file in files)
        lengths = Counter(str(row["annotation_id"]) for _, row in every)
        begun: dict[str, list[_Row]] = {}
        for file in files:
            for where, row in read_rows(file, _COLUMNS, _OPTIONAL):
                note_fields(len(row), ((f"row.{name}", True) for name in _UNREAD))
                id_ = str(row["annotation_id"])
                look = look_at(row["screenshot"], file, storage, where)
                begun.setdefault(id_, []).append(_Row(where, {**row, "screenshot": None}, look))
                if len(begun[id_]) == lengths[id_]:
                    rows = begun.pop(id_)
                    yield read_or_report(rows[0].where, partial(_build_episode, id_, rows))


def _tables(folder: Path) -> Iterator[Path]:
    return (file for suffix in TABLES for file in folder.glob(f"*{suffix}"))


MULTIMODAL_MIND2WEB = _MultimodalMind2Web()


def _build_episode(id_: str, rows: Sequence[_Row]) -> Episode:
    where, first = rows[0].where, rows[0].values
    order, gap = find_order([_index(row.values) for row in rows], len(rows), where)
    ordered = [rows[number] for number in order]
    screens = keeping.see_screens(((row.where, row.look) for row in ordered), keeping.DESKTOP)
    steps = [
        step
        for seen, row in zip(screens, ordered, strict=True)
        for step in keeping.keep_steps(
            seen,
            partial(_make_steps, row),
            recorded=_text(row.values["operation"]),
            instruction=_text(row.values.get("target_action_reprs")),
        )
    ]
    told = {APPS: "website", "domain": "domain", "subdomain": "subdomain"}
    extra = {ours: _text(first.get(theirs)) for ours, theirs in told.items()}
    task = _text(first["confirmed_task"]) or keeping.note_no_instruction(where)
    episode = Episode(
        id=f"multimodal-mind2web-{id_}",
        task_id=id_,
        instruction=task,
        steps=tuple(steps),
        agent="human",
        device="web",
        outcome="success" if len(first.get("action_reprs") or ()) == len(order) else "unknown",
        extra={name: value for name, value in extra.items() if value},
    )
    return keeping.cut_short(episode, where, gap, len(rows) - len(order)) if gap else episode


def _index(row: Mapping[str, Any]) -> int:
    try:
        return int(row["target_action_index"])
    except (TypeError, ValueError):
        return _NO_PLACE  # a gap behind all others


def _make_steps(row: _Row, seen: Observation) -> list[Step]:
    where, size = row.where, seen.size
    operation = parse_json(_OPERATION, _text(row.values["operation"]), f"{where}, operation")
    box = _read_box(row.values["pos_candidates"], where)
    if box is not None:
        left, top, width, height = box
        edges = bounds(left, top, left + width, top + height)
        node = {"clickable": "true", "bounds": edges}
        seen = replace(seen, ui_tree=build_flat_tree([node], size, where))
    at = None if box is None else pixel_center(left + width / 2, top + height / 2, size)
    action = _read_action(operation, at, where)
    words = _text(row.values.get("target_action_reprs"))
    return [Step(seen, Decision(action), step_instruction=words)]


def _read_action(operation: _Operation, at: Point | None, where: str) -> Action:
    kind = (operation.original_op or operation.op).upper()
    if kind == "ENTER":
        return PressKey(key="enter")
    if at is None:
        raise ForeignDataError(f"{where}: {kind} touches an element that is not in the page")
    match kind:
        case "CLICK":
            return Tap(at=at)
        case "TYPE":
            return TypeText(text=operation.value, at=at)
        case "HOVER":
            return Hover(at=at)
    raise ForeignDataError(f"{where}: no action of ours stands for {kind} {operation.value[:60]!r}")


def _read_box(candidates: object, where: str) -> list[float] | None:
    """Left, top, width and height of the first element that is on the page; None without one."""
    listed = candidates if isinstance(candidates, list) else []
    for one in filter(None, map(_text, listed)):
        element = parse_json(_ELEMENT, one, f"{where}, pos_candidates")
        attributes = parse_json(_ATTRIBUTES, _text(element.attributes), f"{where}, attributes")
        try:
            box = [float(edge) for edge in attributes.bounding_box_rect.split(",")]
        except ValueError:
            box = []
        if len(box) != 4 or not all(abs(edge) < _MAX_EDGE for edge in box):
            raise ForeignDataError(f"{where}: {attributes.bounding_box_rect[:60]!r} is no box")
        if box != _NOWHERE:
            return box
    return None


def _text(value: object) -> str:
    """A text; a structure of Parquet as the JSON that others have in its place."""
    if isinstance(value, dict | list):
        return json.dumps(value)
    return value if isinstance(value, str) else ""
