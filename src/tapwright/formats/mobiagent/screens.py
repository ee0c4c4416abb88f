"""The screens of a MobiAgent recording: `N.jpg`, and `N.xml` with its view hierarchy beside it.

Only MobiAgent's runner writes hierarchies; of a recording without them the bounds of the touched
element are all that is known, which become a hierarchy of that one element. The app in front is the
first package in the hierarchy, as MobiFlow's reader of traces takes it
(https://github.com/IPADS-SAI/MobiAgent/blob/e2edd7a6/MobiFlow/avdag/trace_loader.py).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tapwright.core.episode import Step
from tapwright.core.geometry import Box, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.errors import BadTreeError, OffScreenError
from tapwright.formats.importers.foreign_record import build_flat_tree, read_bytes, read_screen
from tapwright.formats.mobiagent.actions import BOUNDS, NOTE, Bounds

__all__ = ["add_bounds", "bounds_text", "read_numbered_screen", "read_recorded_bounds"]

_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]", re.ASCII)


def read_numbered_screen(directory: Path, number: int) -> tuple[Observation, tuple[str, ...]]:
    """Reads a screen by its number; returns it, and a line for the log if its hierarchy is bad.

    Raises:
        ForeignDataError: a file cannot be read.
        BadImageError: the picture is none.
    """
    seen = read_screen(directory / f"{number}.jpg")
    file = directory / f"{number}.xml"
    if not file.is_file():
        return seen, ()
    try:
        tree = _read_tree(file, seen.size)
    except BadTreeError as error:
        return seen, (f"{NOTE}{file.name} left out: {error}",)
    packages = (node.attributes.get("package", "") for node in tree.nodes)
    app = next((package for package in packages if package), "")
    if tree.other_scale is None:
        return replace(seen, ui_tree=tree.unread(), app=app), ()
    note = f"{NOTE}{file.name} was of {tree.other_scale}, and is scaled to its picture"
    return replace(seen, ui_tree=_scale(tree, tree.other_scale), app=app), (note,)


def _scale(tree: UiTree, extent: Size) -> UiTree:
    """The tree with its bounds in the pixels of its picture."""
    shares = tree.size.width / extent.width, tree.size.height / extent.height

    def rewrite(found: re.Match[str]) -> str:
        edges = (round(int(edge) * shares[at % 2]) for at, edge in enumerate(found.groups()))
        return "[{},{}][{},{}]".format(*edges)

    return UiTree(_BOUNDS.sub(rewrite, tree.xml), tree.size, origin=tree.origin)


def _read_tree(file: Path, size: Size) -> UiTree:
    try:
        xml = read_bytes(file).decode("utf-8-sig", "surrogatepass")
    except UnicodeDecodeError as error:
        raise BadTreeError(f"{file}: not UTF-8: byte {error.start}: {error.reason}") from error
    tree = UiTree(xml, size, origin=str(file))
    if not tree.nodes:
        raise BadTreeError(f"{file}: no element in it")
    return tree


def add_bounds(
    seen: Observation, bounds: Bounds | None, where: str
) -> tuple[Observation, Sequence[str]]:
    """Adds the bounds of the touched element: to the log where there is a hierarchy already."""
    if bounds is None:
        return seen, ()
    if seen.ui_tree is not None:
        return seen, (f"{BOUNDS}{bounds_text(bounds)}",)
    node = {"clickable": "true", "bounds": bounds_text(bounds)}
    return replace(seen, ui_tree=build_flat_tree([node], seen.size, where)), ()


def bounds_text(bounds: Bounds) -> str:
    """Bounds as a hierarchy has them: "[left,top][right,bottom]"."""
    return "[{},{}][{},{}]".format(*bounds)


def read_recorded_bounds(step: Step) -> Box | None:
    """The bounds of the touched element that are kept in a step's log, if they have an area."""
    lines = (line.removeprefix(BOUNDS) for line in step.log if line.startswith(BOUNDS))
    found = next(filter(None, map(_BOUNDS.fullmatch, lines)), None)
    if found is None:
        return None
    left, top, right, bottom = (int(edge) for edge in found.groups())
    try:
        box = Box.from_pixels(left, top, right, bottom, step.observation.size)
    except OffScreenError:
        return None
    return box if box.area > 0 else None
