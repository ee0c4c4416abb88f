"""A page's dialog, drawn over the last picture, with its buttons in the view hierarchy.

The browser draws none of its own in headless mode, and takes no picture while one is open.
"""

import io
import time
from collections.abc import Callable
from dataclasses import dataclass

from PIL import Image, ImageDraw

from tapwright.core import actions
from tapwright.core.actions import Action, typing_steps
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import write_node
from tapwright.devices.web.page import PageDialog, WebPage
from tapwright.drawing.text import draw_text, wrap_text

__all__ = ["DialogBox", "answer_dialog", "draw_dialog"]

Edges = tuple[int, int, int, int]
_LINES = 12


@dataclass(frozen=True, slots=True)
class DialogBox:
    """Where a dialog's parts are, in pixels; `cancel` and `field` are None without them."""

    box: Edges
    lines: tuple[str, ...]
    ok: Edges
    cancel: Edges | None
    field: Edges | None
    text_px: int
    size: Size

    @classmethod
    def place(cls, dialog: PageDialog, size: Size, density: float) -> "DialogBox":
        """The dialog at the top of a screen of `size` pixels."""
        unit = max(1, round(density))
        text_px, pad = 16 * unit, 16 * unit
        width = min(size.width - 2 * pad, 440 * unit)
        left, top = (size.width - width) // 2, 8 * unit
        inner = width - 2 * pad
        lines: list[str] = []
        for line in (dialog.title, *dialog.message.splitlines()):
            lines += wrap_text(line[:500], text_px, inner)
        lines = lines[:_LINES]
        y = top + pad + len(lines) * round(text_px * 1.5) + pad // 2
        field = None
        if dialog.has_field:
            field = (left + pad, y, left + width - pad, y + 2 * text_px)
            y += 2 * text_px + pad
        right, high = left + width - pad, 36 * unit
        ok = (right - 88 * unit, y, right, y + high)
        cancel = None
        if dialog.kind != "alert":
            cancel = ok
            ok = (cancel[0] - 96 * unit, y, cancel[0] - 8 * unit, y + high)
        box = (left, top, left + width, y + high + pad)
        return cls(box, tuple(lines), ok, cancel, field, text_px, size)


def draw_dialog(
    dialog: PageDialog, box: DialogBox, picture: bytes | None, package: str
) -> tuple[bytes, str]:
    """The picture with the dialog as PNG, and the hierarchy: nothing else acts meanwhile.

    Without a picture what lies behind is white.
    """
    image = Image.new("RGB", (box.size.width, box.size.height), "white")
    if picture is not None:
        with Image.open(io.BytesIO(picture)) as opened:
            image = opened.convert("RGB")
    canvas = ImageDraw.Draw(image)
    canvas.rounded_rectangle(box.box, radius=box.text_px // 2, fill="#ffffff", outline="#808080")
    step = round(box.text_px * 1.5)
    for number, line in enumerate(box.lines):
        at = (box.box[0] + box.text_px, box.box[1] + 2 * box.text_px + number * step)
        draw_text(canvas, at, line, box.text_px, "#202124")
    if box.field is not None:
        canvas.rectangle(box.field, fill="#ffffff", outline="#1a73e8")
        at = (box.field[0] + box.text_px // 2, box.field[1] + round(box.text_px * 1.4))
        draw_text(canvas, at, dialog.text[-60:], box.text_px, "#202124")
    for edges, word in _buttons(box):
        canvas.rounded_rectangle(edges, radius=box.text_px // 3, fill="#e8f0fe", outline="#1a73e8")
        at = (edges[0] + box.text_px, edges[1] + round(box.text_px * 1.5))
        draw_text(canvas, at, word, box.text_px, "#1a73e8")
    data = io.BytesIO()
    image.save(data, "PNG", compress_level=1)
    return data.getvalue(), _write_tree(dialog, box, package)


def answer_dialog(
    page: WebPage,
    dialog: PageDialog,
    box: DialogBox,
    action: Action,
    find_file: Callable[[str], str],
) -> bool:
    """Give an action to an open dialog; whether nothing of the action is left to do.

    OK and Cancel are touched, Enter and Escape stand for them, and what is typed goes into the
    field. Going elsewhere dismisses it first. What is behind it does not act. `find_file` gives the
    path of a file that is named in the field.
    """

    def close(*, accept: bool) -> None:
        chosen = dialog.kind == "file" and accept
        page.answer(accept=accept, files=(find_file(dialog.text),) if chosen else ())

    match action:
        case actions.Tap(at=at) if _inside(box.ok, at, box.size):
            close(accept=True)
        case actions.Tap(at=at) if box.cancel is not None and _inside(box.cancel, at, box.size):
            close(accept=False)
        case actions.PressKey(key="enter" | "escape" as key):
            close(accept=key == "enter")
        case actions.PressKey(key="backspace"):
            dialog.text = "" if dialog.selected else dialog.text[:-1]
            dialog.selected = False
        case actions.Hotkey(keys=("control" | "ctrl" | "meta", "a" | "A")):
            dialog.selected = True
        case actions.TypeText() if (steps := typing_steps(action)) != (action,):
            for step in steps:
                if page.dialog is dialog:
                    answer_dialog(page, dialog, box, step, find_file)
        case actions.TypeText(text=text) if dialog.has_field:
            dialog.text = text if dialog.selected else dialog.text + text
            dialog.selected = False
        case actions.Goto() | actions.NewTab() | actions.CloseTab() | actions.SwitchTab():
            page.answer(accept=False)
            return False
        case actions.Wait(duration_s=duration_s):
            time.sleep(duration_s)
        case _:
            pass
    return True


def _inside(edges: Edges, at: Point, size: Size) -> bool:
    x, y = at.x * size.width, at.y * size.height
    return edges[0] <= x < edges[2] and edges[1] <= y < edges[3]


def _buttons(box: DialogBox) -> list[tuple[Edges, str]]:
    found = [(box.ok, "OK")]
    if box.cancel is not None:
        found.append((box.cancel, "Cancel"))
    return found


def _write_tree(dialog: PageDialog, box: DialogBox, package: str) -> str:
    words = "\n".join((dialog.title, dialog.message)).strip()
    nodes = [_node("TextView", words, box.box, package)]
    if box.field is not None:
        nodes.append(_node("EditText", dialog.text, box.field, package, focused=True))
    nodes += [_node("Button", word, edges, package) for edges, word in _buttons(box)]
    screen = (0, 0, box.size.width, box.size.height)
    return (
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">"
        + _node("FrameLayout", "", screen, package, closed=False)
        + "".join(nodes)
        + "</node></hierarchy>"
    )


def _node(
    kind: str, text: str, edges: Edges, package: str, *, focused: bool = False, closed: bool = True
) -> str:
    left, top, right, bottom = edges
    acts = kind in ("Button", "EditText")
    return write_node(
        {
            "text": text,
            "class": f"android.widget.{kind}",
            "package": package,
            "clickable": "true" if acts else "false",
            "enabled": "true",
            "focusable": "true" if acts else "false",
            "focused": "true" if focused else "false",
            "bounds": f"[{left},{top}][{right},{bottom}]",
        },
        closed=closed,
    )
