"""Reads places as a family's own evaluator did, where that is not how its agent reads them.

A published number is the evaluator's: its unit, its first match, its way with what it cannot read.
A rule of `score_rules` names its reader, and then neither a unit nor a convention is asked.
"""

import json
import re
from ast import literal_eval
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from tapwright.benchmarks.answers import PointAnswer
from tapwright.conventions import conventions
from tapwright.conventions.convention import model_size, sent_size
from tapwright.core.geometry import Point, Size

__all__ = ["READERS", "PublishedReader"]

PublishedReader: TypeAlias = Callable[[str, Size], PointAnswer]
"""Reads an answer about a picture of a size, before the family's client resized it."""

# Longer numbers than Python reads end that program, and there is no row.
_MAI_UI = re.compile(r"\[(\d{1,4300}),(\d{1,4300})\]")


_ROUND = re.compile(r"\((-?\d*\.?\d+),\s*(-?\d*\.?\d+)\)")
_WHOLE = r"\s*-?\d+\s*"
_BOX = re.compile(rf"\[{_WHOLE},{_WHOLE},{_WHOLE},{_WHOLE}\]")
_POINT = re.compile(rf"\[{_WHOLE},{_WHOLE}\]")
_BLANKS = re.compile(r"\s*+")
_PAIR = re.compile(r"\[(\d{1,4300}),\s*+(\d{1,4300})\]")
_TWO = re.compile(rf"\[{_WHOLE},{_WHOLE}\],\s*\[{_WHOLE},{_WHOLE}\]")


def _mai_ui(answer: str, size: Size) -> PointAnswer:
    """The first `[x,y]` of whole numbers without blanks, thoughts included, divided by 1000.

    Its agent divides by 999 (src/mai_grounding_agent.py).
    """
    found = _MAI_UI.search(answer)
    if found is None:
        return PointAnswer(None, "none", "mai-ui", reason="no [x,y] of whole numbers")
    x, y = (int(number) for number in found.groups())
    return _placed("mai-ui", x / 1000, y / 1000, (x, y)) if max(x, y) < 10**9 else _off("mai-ui")


def _gta1(answer: str, size: Size) -> PointAnswer:
    """The first `(x,y)`, thoughts included, in pixels of the resized picture.

    Where there is none, or any pair has a decimal, it is (0, 0).
    """
    try:
        pairs = [(int(x), int(y)) for x, y in _ROUND.findall(answer)]
        x, y = pairs[0]
    except (ValueError, IndexError):
        return _corner("gta1", "no (x,y) of whole numbers alone")
    sent = sent_size(conventions.get("gta1"), size)
    if max(abs(x), abs(y)) >= 10**9:
        return _off("gta1")
    return _placed("gta1", x / sent.width, y / sent.height, (x, y))


def _ui_venus_ground(answer: str, size: Size) -> PointAnswer:
    """The middle of the box that the whole answer is, in pixels of the resized picture.

    Any other answer is the box [0, 0, 0, 0].
    """
    sent = sent_size(conventions.get("ui-venus-ground"), size)
    try:
        box = literal_eval(answer)
        left, top, right, bottom = (float(box[n]) for n in range(4))
    except (ValueError, SyntaxError, TypeError, LookupError, RecursionError, MemoryError):
        return _corner("ui-venus-ground", "not a box alone")
    x, y = (left + right) / 2 / sent.width, (top + bottom) / 2 / sent.height
    return _placed("ui-venus-ground", x, y, (left, top, right, bottom))


def _ui_venus_15(answer: str, size: Size) -> PointAnswer:
    """The whole answer as a point or a box, or what stands in its first brackets, in thousandths.

    What stands in brackets are whole numbers; thoughts are read like the rest.
    """
    text = answer.strip()
    try:
        numbers = _venus_numbers(text)
        x, y = float(numbers[0]), float(numbers[1])
    except (ValueError, SyntaxError, TypeError, LookupError, OverflowError):
        return PointAnswer(None, "none", "ui-venus-1.5", reason="no [x,y] in front")
    if (x, y) == (-1, -1):
        return PointAnswer(None, "none", "refusal", reason="[-1,-1]")
    return _placed("ui-venus-1.5", x / 1000, y / 1000, (x, y))


def _venus_numbers(text: str) -> Sequence[float]:
    if _BOX.fullmatch(text):
        left, top, right, bottom = literal_eval(text)
        return (left + right) / 2, (top + bottom) / 2
    if _POINT.fullmatch(text):
        found: list[float] = literal_eval(text)
        return found
    if _TWO.fullmatch(text.replace(" ", "")):
        (left, top), (right, bottom) = literal_eval(f"[{text}]")
        return (left + right) / 2, (top + bottom) / 2
    return [int(one) for one in text.split("]")[0].split("[")[1].split(",")]


def _infigui_g1(answer: str, size: Size) -> PointAnswer:
    """The first of the points in JSON from the first [ to the last ], in the resized picture.

    What is behind the last `</think>` counts. No JSON is as good as `[]`: a refusal.
    """
    text = answer.rpartition("</think>")[2]
    start, end = text.find("["), text.rfind("]")
    try:
        points = json.loads(text[start : end + 1]) if -1 < start < end else []
    except (ValueError, RecursionError):
        points = []
    if not points:
        return PointAnswer(None, "none", "refusal", reason="no points in JSON")
    try:
        x, y = points[0]["point_2d"][:2]
    except (TypeError, LookupError, ValueError):
        x = y = None
    if not (isinstance(x, int | float) and isinstance(y, int | float)):
        return PointAnswer(None, "none", "infigui-g1", reason="no point_2d of two numbers in front")
    sent = sent_size(conventions.get("infigui-g1"), size)
    if not max(abs(x), abs(y)) < 10**9:
        return _off("infigui-g1")
    return _placed("infigui-g1", x / sent.width, y / sent.height, (x, y))


def _gui_r1(answer: str, size: Size) -> PointAnswer:
    """The last `[x, y]` of the first `<answer>`, in pixels of the recorded picture.

    That is where the box is, though the model saw another size. Without one it is (0, 0).
    """
    return _answered("gui-r1", answer, size) or _corner("gui-r1", "no [x, y] in <answer>")


def _ui_r1(answer: str, size: Size) -> PointAnswer:
    """As GUI-R1's; without an `<answer>` its evaluation fails, and that is wrong."""
    if _tagged(answer) is None:
        return PointAnswer(None, "none", "ui-r1", reason="no <answer>")
    return _answered("ui-r1", answer, size) or _corner("ui-r1", "no [x, y] in <answer>")


def _answered(kind: str, answer: str, size: Size) -> PointAnswer | None:
    """The last pair of the first line of the answer that has one within braces."""
    text = (_tagged(answer) or "").strip()
    chosen: re.Match[str] | None = None
    for pair in _PAIR.finditer(text):
        line = text.rfind("\n", 0, pair.start()) + 1
        if chosen is not None and line > chosen.start():
            break
        if text.find("{", line, pair.start()) >= 0 and _closes(text, pair.end()):
            chosen = pair
    if chosen is None:
        return None
    x, y = (int(number) for number in chosen.groups())
    if max(x, y) >= 10**9:
        return _off(kind)
    return _placed(kind, x / size.width, y / size.height, (x, y))


def _tagged(answer: str) -> str | None:
    """What the first `<answer>` has; None where it does not end."""
    _, begun, rest = answer.partition("<answer>")
    text, ended, _ = rest.partition("</answer>")
    return text if begun and ended else None


def _closes(text: str, at: int) -> bool:
    """Whether a brace ends the line, or the first one behind the blanks."""
    blanks = _BLANKS.match(text, at)
    for start in (at, blanks.end() if blanks else at):
        end = text.find("\n", start)
        if text.find("}", start, len(text) if end < 0 else end) >= 0:
            return True
    return False


def _qwen25_vl(answer: str, size: Size) -> PointAnswer:
    """The `coordinate` of the first `<tool_call>`, whatever it calls; the middle of a box.

    It is in pixels of the resized picture. Blanks around the object are other than line breaks.
    """
    try:
        call = json.loads(answer.split("<tool_call>\n")[1].split("\n</tool_call>")[0])
        place = [float(one) for one in call["arguments"]["coordinate"] if _is_number(one)]
        at = {2: place, 4: [sum(place[::2]) / 2, sum(place[1::2]) / 2]}[len(place)]
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError):
        return PointAnswer(None, "none", "qwen2.5-vl-computer", reason="no coordinate in a call")
    sent = model_size(conventions.get("qwen2.5-vl-computer"), size)
    x, y = at[0] / sent.width, at[1] / sent.height
    return _placed("qwen2.5-vl-computer", x, y, (at[0], at[1]))


def _is_number(value: object) -> bool:
    if not isinstance(value, int | float):
        raise TypeError("a coordinate is a number")
    return True


def _placed(kind: str, x: float, y: float, numbers: tuple[float, ...]) -> PointAnswer:
    """A place in shares of the picture, which may be off it."""
    if not (0 <= x <= 1 and 0 <= y <= 1):
        return _off(kind, f"({x:.6g}, {y:.6g}) of the picture is off the screen")
    point = Point(x, y)
    return PointAnswer(point, "ok", kind, None, "", numbers, (x, y))


def _off(kind: str, reason: str = "off the screen") -> PointAnswer:
    return PointAnswer(None, "out_of_range", kind, reason=reason)


def _corner(kind: str, reason: str) -> PointAnswer:
    """What is not read, and is the top left corner all the same: a hit for an element there."""
    return PointAnswer(Point(0.0, 0.0), "none", kind, reason=reason)


READERS: Mapping[str, PublishedReader] = {
    "mai-ui": _mai_ui,
    "gta1": _gta1,
    "ui-venus-ground": _ui_venus_ground,
    "ui-venus-1.5": _ui_venus_15,
    "infigui-g1": _infigui_g1,
    "gui-r1": _gui_r1,
    "ui-r1": _ui_r1,
    "qwen2.5-vl-computer": _qwen25_vl,
}
"""The readers, by the name of their rule."""
