"""The calls of UI-TARS, `click(start_box='(x,y)')`, and what they do.

Answers are read as `codes/ui_tars/action_parser.py` of https://github.com/bytedance/UI-TARS
(582f3a7) reads them: either generation's tags or none, `select` as a drag, `hover`, `press`,
unescaped quotation marks. Each generation writes its own tags, and reads its own unit alone.

Rules: `scroll` with a direction names what comes into view, so "down" shows what is below, and is a
`Scroll`. On a phone a finger's stroke is 1.0's `scroll` from box to box, and `drag` of the others,
which therefore have no `Drag`; on a computer `drag` is a `Drag`. The verbs of the other platform
are read too. `press` and `keydown` press a key, as in `uitars15_v1.py`; `release`, which ends a key
held over several steps, is refused. `time` of a long press is seconds. `wait()` is five seconds,
`finished` is success, and `call_user`, where a prompt has it, infeasible. A newline at the end of
typed text submits it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    bad_answer,
    build_action,
    read_number,
    read_place,
    read_text,
)
from tapwright.conventions.rendering import (
    make_scroll,
    press_keys,
    quote,
    read_direction,
    spell_keys,
    split_scroll,
    unsupported,
    whole_numbers,
)
from tapwright.core.actions import (
    Action,
    DoubleTap,
    Drag,
    Finish,
    Hotkey,
    Hover,
    LongPress,
    OpenApp,
    PressKey,
    Scroll,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.geometry import Point, Size

__all__ = ["VERBS", "CallGrammar", "Generation"]

Generation: TypeAlias = Literal["1.0", "1.5", "doubao"]

VERBS = frozenset(
    {
        "click", "left_single", "left_double", "right_single", "hover", "long_press", "type",
        "scroll", "drag", "select", "open_app", "press_home", "press_back", "hotkey", "press",
        "keydown", "release", "keyup", "wait", "finished", "call_user",
    }
)  # fmt: skip
_WAIT_S = 5.0
_KEYS = {
    "control": "ctrl", "meta": "win", "escape": "esc", "page_up": "pageup",
    "page_down": "pagedown", "move_home": "home", "move_end": "end", "up": "arrowup",
    "down": "arrowdown", "left": "arrowleft", "right": "arrowright",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CallGrammar:
    """Writes and reads the calls of one generation on one platform."""

    name: str
    generation: Generation
    computer: bool
    space: Space
    model_size: Callable[[Size], Size]

    def render(self, action: Action, size: Size) -> str:
        """The call for an action on a screen of `size`.

        Raises:
            UnsupportedByConventionError: the prompt has no such call.
        """
        call = self._render_on_computer if self.computer else self._render_on_phone
        match action:
            case Tap(at=point, button="left"):
                return self._placed("click", point, size)
            case Tap(at=point, button="right"):
                return self._placed("right_single", point, size)
            case DoubleTap(at=point):
                return self._placed("left_double", point, size)
            case Scroll(at=point):
                word, _ = split_scroll(self.name, action)
                return f"{self._placed('scroll', point, size)[:-1]}, direction='{word}')"
            case TypeText(text=text, at=None, clear=False):
                return f"type(content={quote(text)})"
            case Wait():
                return "wait()"
            case Finish(outcome="success", reason=reason):
                bare = self.computer and self.generation != "doubao" and not reason
                return "finished()" if bare else f"finished(content={quote(reason)})"
            case Finish(outcome="infeasible") if self._calls_user:
                return "call_user()"
        return call(action, size)

    def parse(self, call: ParsedCall, size: Size) -> Action:
        """The action of a call on a screen of `size`.

        Raises:
            BadAnswerError: its arguments are not those of the call.
        """

        def at(*names: str, position: int | None = 0) -> Point:
            found: JsonValue = call.get(*names, at=position)
            return read_place(found, names[0], self.model_size(size), self.space)

        match call.name:
            case "click" | "left_single":
                return Tap(at=at("start_box", "point"))
            case "left_double":
                return DoubleTap(at=at("start_box", "point"))
            case "right_single":
                return Tap(at=at("start_box", "point"), button="right")
            case "hover":
                return Hover(at=at("start_box", "point"))
            case "long_press":
                return _long_press(at("start_box", "point"), call.get("time", at=1))
            case "scroll" if call.get("direction") is not None:
                word = read_direction(call.get("direction"))
                if call.get("start_box", "point", at=0) in (None, ""):
                    return make_scroll(word, Point(0.5, 0.5))
                return make_scroll(word, at("start_box", "point"))
            case "scroll" | "drag" | "select":
                start = at("start_box", "start_point", "point")
                end = at("end_box", "end_point", position=1)
                grabs = self.computer or self.generation == "1.0"
                if grabs and call.name != "scroll":
                    return Drag(start=start, end=end)
                return Swipe(start=start, end=end)
        return _parse_unplaced(call)

    @property
    def _calls_user(self) -> bool:
        return self.generation == "1.0" or (self.computer and self.generation == "1.5")

    def _place(self, point: Point, size: Size) -> str:
        x, y = whole_numbers(point, self.model_size(size), self.space)
        return (
            f"'<point>{x} {y}</point>'"
            if self.generation == "doubao"
            else f"'<|box_start|>({x},{y})<|box_end|>'"
        )

    def _placed(self, verb: str, point: Point, size: Size) -> str:
        name = "point" if self.generation == "doubao" else "start_box"
        return f"{verb}({name}={self._place(point, size)})"

    def _stroke(self, verb: str, start: Point, end: Point, size: Size) -> str:
        kind = "point" if self.generation == "doubao" else "box"
        ends = f"start_{kind}={self._place(start, size)}, end_{kind}={self._place(end, size)}"
        return f"{verb}({ends})"

    def _render_on_phone(self, action: Action, size: Size) -> str:
        match action:
            case LongPress(at=point):
                return self._placed("long_press", point, size)
            case Swipe(start=start, end=end):
                verb = "scroll" if self.generation == "1.0" else "drag"
                return self._stroke(verb, start, end, size)
            case Drag(start=start, end=end) if self.generation == "1.0":
                return self._stroke("drag", start, end, size)
            case OpenApp(app=app) if self.generation != "1.0":
                return f"open_app(app_name={quote(app)})"
            case PressKey(key=("back" | "home") as key):
                return f"press_{key}()"
            case PressKey() | Hotkey():
                return self._hotkey(action)
        raise self._unsupported(action)

    def _render_on_computer(self, action: Action, size: Size) -> str:
        match action:
            case Hover(at=point):
                return self._placed("hover", point, size)
            case Drag(start=start, end=end):
                return self._stroke("drag", start, end, size)
            case PressKey() | Hotkey():
                return self._hotkey(action)
        raise self._unsupported(action)

    def _hotkey(self, action: PressKey | Hotkey) -> str:
        return f"hotkey(key={quote(' '.join(spell_keys(self.name, action, _KEYS, ' ')))})"

    def _unsupported(self, action: Action) -> Exception:
        return unsupported(self.name, action, "its prompt has no such call")


def _long_press(at: Point, seconds: JsonValue) -> LongPress:
    if seconds is None or seconds == "":
        return LongPress(at=at)
    return build_action(LongPress, at=at, duration_s=read_number(seconds, "time"))


def _parse_unplaced(call: ParsedCall) -> Action:
    match call.name:
        case "type":
            return TypeText(text=read_text(call.get("content", at=0), "content"))
        case "open_app":
            return OpenApp(app=read_text(call.get("app_name", "content", at=0), "app_name"))
        case "press_home":
            return PressKey(key="home")
        case "press_back":
            return PressKey(key="back")
        case "hotkey" | "press" | "keydown":
            return press_keys(read_text(call.get("key", call.name, at=0), "key").split())
        case "release" | "keyup":
            raise bad_answer(f"{call.name} ends a key that is held over several steps")
        case "wait":
            return Wait(duration_s=_WAIT_S)
        case "call_user":
            return Finish(outcome="infeasible")
        case _:
            content = call.get("content", at=0)
            return Finish(reason="" if content is None else read_text(content, "content"))
