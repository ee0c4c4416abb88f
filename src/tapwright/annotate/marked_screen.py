"""The picture of a step for a model: the screen, scaled, marked, with the action as caption.

The caption stands above the picture and not in it, so it covers nothing. Mark, caption and prompt
give the same place: in thousandths of the screen, as MobiAgent's prompt has them
(https://github.com/IPADS-SAI/MobiAgent/tree/fd5aa72/collect), whose captions count pixels. Every
action with a place has a mark, a long press too.
"""

import json
from collections.abc import Sequence
from io import BytesIO
from math import ceil
from typing import assert_never

from PIL import Image

from tapwright.core import actions as act
from tapwright.core.directions import scroll_direction
from tapwright.core.geometry import Point, Size
from tapwright.core.screenshot import Screenshot
from tapwright.drawing.marks import mark_actions
from tapwright.drawing.text import CaptionLine, draw_text_strip

__all__ = [
    "MARKING_VERSION", "MAX_PIXELS", "describe_action", "estimate_picture_tokens", "mark_screen",
]  # fmt: skip

MAX_PIXELS = 648_000
"""A phone's screen of 1080x2400 at half its width and height."""

MARKING_VERSION = "1"
"""Changes whenever the same step would be drawn differently."""

_RED, _PAPER = "#D60000", "#E8E8E8"
_NARROWEST_CAPTION_PX = 320
_MOST_ROWS = 6
_JPEG_QUALITY = 88
_MOST_TEXT = 4000


def describe_action(action: act.Action, size: Size) -> str:
    """Describes an action for caption and prompt, such as "CLICK [500, 98]"."""
    details = act.mouse_details(action)
    return _describe(action, size) + (f" ({details})" if details else "")


def _describe(action: act.Action, size: Size) -> str:
    match action:
        case act.Tap(at=at, button=button):
            plain = button not in ("right", "middle")  # any other is told with the details
            return f"CLICK {_place(at)}" + ("" if plain else f" ({button} button)")
        case act.DoubleTap(at=at):
            return f"DOUBLE CLICK {_place(at)}"
        case act.TripleTap(at=at):
            return f"TRIPLE CLICK {_place(at)}"
        case act.LongPress(at=at):
            return f"LONG PRESS {_place(at)}"
        case act.Hover(at=at):
            return f"HOVER {_place(at)}"
        case act.Swipe(start=start, end=end):
            return f"SWIPE {_place(start)} to {_place(end)}"
        case act.Drag(start=start, end=end):
            return f"DRAG {_place(start)} to {_place(end)}"
        case act.Scroll(at=at):
            return f"SCROLL {(scroll_direction(action, size) or 'down').upper()} at {_place(at)}"
        case act.TypeText(text=text, at=at):
            return f"INPUT {_quote(text)}" + ("" if at is None else f" at {_place(at)}")
        case act.PressKey(key=key):
            return f"PRESS KEY {key}"
        case act.Hotkey(keys=keys):
            return f"PRESS KEY {'+'.join(keys)}"
        case act.KeyDown(key=key):
            return f"KEY DOWN {key}"
        case act.KeyUp(key=key):
            return f"KEY UP {key}"
        case act.ButtonDown(at=at, button=button):
            return f"BUTTON DOWN {button}" + ("" if at is None else f" {_place(at)}")
        case act.ButtonUp(at=at, button=button):
            return f"BUTTON UP {button}" + ("" if at is None else f" {_place(at)}")
        case act.OpenApp(app=app):
            return f"OPEN APP {_quote(app)}"
        case act.Goto(url=url):
            return f"GO TO {_quote(url)}"
        case act.NewTab(url=url):
            return f"NEW TAB {_quote(url)}" if url else "NEW TAB"
        case act.CloseTab():
            return "CLOSE TAB"
        case act.SwitchTab(tab=tab):
            return f"SWITCH TO TAB {tab}"
        case act.Wait(duration_s=duration_s):
            return f"WAIT {duration_s:g} s"
        case act.Answer(text=text):
            return f"ANSWER {_quote(text)}"
        case act.AskUser(text=text):
            return f"ASK {_quote(text)}"
        case act.Finish(outcome="success"):
            return "DONE"
        case act.Finish(outcome=outcome):
            return f"DONE ({outcome})"
        case _:
            assert_never(action)


def mark_screen(
    screenshot: Screenshot,
    actions: Sequence[act.Action],
    caption: str,
    *,
    max_pixels: int = MAX_PIXELS,
) -> Screenshot:
    """Makes the JPEG that is sent: at most `max_pixels` of screen, below the caption in red.

    Without actions it is the screen that the last one led to, and has no mark.

    Raises:
        BadImageError: the screenshot cannot be decoded.
        CorruptEpisodeError: its file is missing.
    """
    image = screenshot.image()
    size = Size(*image.size).shrink(max_pixels=max_pixels)
    if size != Size(*image.size):
        image = image.resize((size.width, size.height), Image.Resampling.LANCZOS, reducing_gap=2.0)
    if actions:
        image = mark_actions(image, actions, color=_RED)
    width = max(size.width, _NARROWEST_CAPTION_PX)
    words = draw_text_strip(
        [CaptionLine(caption, _RED)], width, background=_PAPER, max_rows=_MOST_ROWS
    )
    made = Image.new("RGB", (width, words.height + size.height), _PAPER)
    made.paste(words, (0, 0))
    made.paste(image, (0, words.height))
    data = BytesIO()
    # Without thinning out the colours, which would blur thin red letters and lines.
    made.save(data, "JPEG", quality=_JPEG_QUALITY, subsampling=0)
    return Screenshot(data.getvalue(), origin=f"{screenshot.origin}, marked")


def estimate_picture_tokens(size: Size) -> int:
    """Estimates the tokens of a picture: one for each patch of 28x28 pixels."""
    return ceil(size.width / 28) * ceil(size.height / 28)


def _place(point: Point) -> str:
    return f"[{round(1000 * point.x)}, {round(1000 * point.y)}]"


def _quote(text: str) -> str:
    """Quotes a text as JSON, so that line breaks are visible and can be copied."""
    cut = text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}…"
    return json.dumps(cut, ensure_ascii=False)
