"""AndroidWorld's JSON actions, after a reason; pixels of the screenshot.

Actions follow https://github.com/google-research/android_world/blob/
21c0bc036c7ec2cae988e7b10cebf54870d93606/android_world/env/json_action.py, the two lines of an
answer android_world/agents/m3a.py. M3A queries models that were not trained on it, so the words of
the prompt are ours. Where the screen has a hierarchy, its elements are listed and numbered as there
(forest_to_ui_elements of env/representation_utils.py at d9c569f: each node without children, with a
description, or that scrolls, in document order from 0), and an `index` is the middle of that
element. A dump of uiautomator has neither tooltips nor what is editable: the latter is read off the
class.

Rules: `scroll` names what comes into view and is a wheel at the middle of the screen; `swipe` names
where the finger goes, over the middle, but "left" and "right" the other way round, as its executor
(env/actuation.py at d9c569f) takes them. `input_text` is done as there: it clicks its place,
empties the field for `clear_text`, types, and presses Enter, so the line break that presses it is
not written; without a text it does nothing. Status complete is success; a failure, drags and
hotkeys are unsupported.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from tapwright.conventions import parsing, rendering
from tapwright.conventions.convention import Space
from tapwright.conventions.family import build_prompt
from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.directions import Direction, swipe_toward
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation, UiNode
from tapwright.errors import BadTreeError

_SPACE: Space = "pixel"
_ACTION = re.compile(r"^[ \t]*+Action:", re.MULTILINE)
_REASON = re.compile(r"\A\s*+Reason:")
# The executor moves the finger to the right for "left".
_ACROSS: Mapping[Direction, Direction] = {"left": "right", "right": "left"}
_SYSTEM = """\
You operate an Android phone for a user, one action at a time. The screenshot has {width}x{height} \
pixels; x runs to the right, y down.

Answer in two lines, "Reason: …" and "Action: …", where the action is one of
{{"action_type": "click" | "double_tap" | "long_press", "x": …, "y": …}}
{{"action_type": "input_text", "text": …, "x": …, "y": …, "clear_text": true | false}} clicks the \
field, empties it on request, types, and presses Enter; without x and y into the field that was \
clicked before
{{"action_type": "keyboard_enter"}}
{{"action_type": "navigate_home"}}
{{"action_type": "navigate_back"}}
{{"action_type": "scroll", "direction": "up" | "down" | "left" | "right"}} by what is to \
come into view
{{"action_type": "swipe", "direction": "up" | "down"}} by where the finger goes
{{"action_type": "swipe", "direction": "left" | "right"}} by what is to come into view
{{"action_type": "open_app", "app_name": …}}
{{"action_type": "wait"}}
{{"action_type": "answer", "text": …}} when the user asked something
{{"action_type": "status", "goal_status": "complete" | "infeasible"}} at the end"""
_LISTED = """

An element of this list may be named by its "index" in place of x and y; a scroll with one is a \
scroll of that element:
"""


class AndroidWorld:
    """Speaks and reads `Reason: …`, `Action: {"action_type": …}`."""

    name = "androidworld"
    source = "google-research/android_world@21c0bc0 android_world/env/json_action.py"
    space: Space = _SPACE
    """Pixels of the screenshot."""

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The actions in the system turn; then the task, the answers so far, and the screen."""
        system = _SYSTEM.format(width=observation.size.width, height=observation.size.height)
        elements = describe_elements(observation)
        asked = f"{instruction}{_LISTED}{elements}" if elements else instruction
        return build_prompt(self, system, asked, history, observation)

    def render(self, decision: Decision, size: Size) -> str:
        """Two lines: why, and the action."""
        action_json = rendering.encode_json(
            self._render_action(rendering.plain_action(self.name, decision), size)
        )
        return f"Reason: {decision.reasoning.strip()}\nAction: {action_json}"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last action that can be read; the reason may be missing."""
        return self._parse(text, size, _refuse_index)

    def parse_on(self, text: str, observation: Observation) -> Decision:
        """The same, with an index as an element of that screen."""
        return self._parse(text, observation.size, partial(element_box, observation))

    def _parse(self, text: str, size: Size, box_of: "_BoxOf") -> Decision:
        thoughts, answer = parsing.read_answer(text)

        def read(found: parsing.JsonObject, before: str) -> Decision:
            reason = parsing.reasoning_before(parsing.split_at_last(before, _ACTION)[0])
            return parsing.make_decision(
                _parse_action(found, _Places(found, size, box_of)),
                _REASON.sub("", reason).strip() or thoughts,
            )

        return parsing.read_last_object(answer, read)

    def _render_action(self, action: Action, size: Size) -> parsing.JsonObject:
        match action:
            case actions.Tap(at=at, button="left"):
                return {"action_type": "click", **_render_point(at, size)}
            case actions.DoubleTap(at=at):
                return {"action_type": "double_tap", **_render_point(at, size)}
            case actions.LongPress(at=at):
                return {"action_type": "long_press", **_render_point(at, size)}
            case actions.Swipe():
                finger = rendering.swipe_direction(self.name, action, size)
                return {"action_type": "swipe", "direction": _ACROSS.get(finger, finger)}
            case actions.Scroll():
                word, _ = rendering.split_scroll(self.name, action)
                return {"action_type": "scroll", "direction": word}
            case actions.TypeText(text=text, at=at, clear=clear) if text not in ("", "\n"):
                typed: parsing.JsonObject = {
                    "action_type": "input_text",
                    "text": text.removesuffix("\n"),
                }
                if at is not None:
                    typed |= _render_point(at, size)
                return {**typed, "clear_text": True} if clear else typed
            case actions.PressKey(key="enter"):
                return {"action_type": "keyboard_enter"}
            case actions.PressKey(key=("back" | "home") as key):
                return {"action_type": f"navigate_{key}"}
            case actions.OpenApp(app=app):
                return {"action_type": "open_app", "app_name": app}
            case actions.Wait():
                return {"action_type": "wait"}
            case actions.Answer(text=text):
                return {"action_type": "answer", "text": text}
            case actions.Finish(outcome="success"):
                return {"action_type": "status", "goal_status": "complete"}
            case actions.Finish(outcome="infeasible"):
                return {"action_type": "status", "goal_status": "infeasible"}
        raise rendering.unsupported(self.name, action, "it has no such action type")


def _render_point(point: Point, size: Size) -> parsing.JsonObject:
    x, y = rendering.whole_numbers(point, size, _SPACE)
    return {"x": x, "y": y}


_BoxOf: TypeAlias = Callable[[int], Box]


def _refuse_index(number: int) -> Box:
    raise parsing.bad_answer(f"the index {number} points into a list of elements; expected x and y")


@dataclass(frozen=True, slots=True)
class _Places:
    """Where an action is: x and y in pixels of a screen of `size`, or the index of an element."""

    found: parsing.JsonObject
    size: Size
    box_of: _BoxOf

    @property
    def box(self) -> Box | None:
        """The element's; None without an index."""
        index = self.found.get("index")
        return None if index is None else self.box_of(int(parsing.read_number(index, "index")))

    @property
    def point(self) -> Point:
        """The place of an action that needs one."""
        box = self.box
        if box is not None:
            return box.center
        x, y = (parsing.read_number(self.found.get(name), name) for name in ("x", "y"))
        return parsing.read_place([x, y], "x, y", self.size, _SPACE)

    @property
    def optional_point(self) -> Point | None:
        """The place of typing; None where it names none."""
        named = any(self.found.get(name) is not None for name in ("index", "x", "y"))
        return self.point if named else None


def _parse_action(found: parsing.JsonObject, places: _Places) -> Action:
    match found.get("action_type"):
        case "click":
            return actions.Tap(at=places.point)
        case "double_tap":
            return actions.DoubleTap(at=places.point)
        case "long_press":
            return actions.LongPress(at=places.point)
        case "swipe":
            word = rendering.read_direction(found.get("direction"))
            return swipe_toward(_ACROSS.get(word, word))
        case "scroll":
            return _read_scroll(rendering.read_direction(found.get("direction")), places.box)
        case "input_text":
            return _read_typing(found, places)
        case "keyboard_enter":
            return actions.PressKey(key="enter")
        case "navigate_home":
            return actions.PressKey(key="home")
        case "navigate_back":
            return actions.PressKey(key="back")
        case "open_app":
            return actions.OpenApp(app=parsing.read_text(found.get("app_name"), "app_name"))
        case "wait":
            return actions.Wait()
        case "answer":
            return actions.Answer(text=parsing.read_text(found.get("text"), "text"))
        case "status":
            status = found.get("goal_status")
            if status in ("complete", "infeasible"):
                return actions.Finish(outcome="success" if status == "complete" else "infeasible")
            raise parsing.bad_answer(
                f"goal_status is {parsing.shorten(status)}; expected complete or infeasible"
            )
        case other:
            raise parsing.bad_answer(
                f"the action_type is {parsing.shorten(other)}; expected click, scroll or the like"
            )


def _read_scroll(direction: Direction, box: Box | None) -> actions.Scroll:
    """From the middle of the element, or of the screen, to its edge."""
    if box is None:
        return rendering.make_scroll(direction, Point(0.5, 0.5))
    across = direction in ("left", "right")
    side = box.right - box.left if across else box.bottom - box.top
    return rendering.make_scroll(direction, box.center, side / 2)


def _read_typing(found: parsing.JsonObject, places: _Places) -> actions.TypeText:
    text = found.get("text")
    clear = found.get("clear_text")
    if isinstance(text, int | float) and not isinstance(text, bool):
        text = str(text)
    if not isinstance(clear, bool | None):
        raise parsing.bad_answer(f"clear_text is {parsing.shorten(clear)}; expected true or false")
    if not parsing.read_text(text, "text"):
        return actions.TypeText(text="")
    return actions.TypeText(text=f"{text}\n", at=places.optional_point, clear=bool(clear))


def describe_elements(observation: Observation) -> str:
    """A line for each element that can be seen; "" where there is no hierarchy to be read."""
    return "\n".join(
        _describe(number, node)
        for number, node in enumerate(_elements(observation))
        if node.box is not None
    )


def element_box(observation: Observation, number: int) -> Box:
    """Where the element of a number is.

    Raises:
        BadAnswerError: there is none of that number, or it is off the screen.
    """
    elements = _elements(observation)
    if not elements:
        raise parsing.bad_answer(
            "an index points into a list of elements, and this screen has none"
        )
    box = elements[number].box if 0 <= number < len(elements) else None
    if box is None:
        raise parsing.bad_answer(
            f"the index is {number}, where no element is; expected one that is listed"
        )
    return box


def _elements(observation: Observation) -> Sequence[UiNode]:
    tree = observation.ui_tree
    try:
        if tree is None or tree.boxes_only:
            return ()
        return [
            node
            for node in tree.nodes
            if not node.children or node.description or node.is_("scrollable")
        ]
    except BadTreeError:
        return ()


def _describe(number: int, node: UiNode) -> str:
    texts = {"text": node.text, "content_description": node.description, "hint_text": node.hint}
    fields = [
        f'"index": {number}',
        *(f'"{name}": "{text}"' for name, text in texts.items() if text),
    ]
    flags = {
        "is_clickable": node.is_("clickable"),
        "is_long_clickable": node.is_("long-clickable"),
        "is_editable": node.class_name.endswith("EditText"),
    }
    fields += [f'"{name}": {flag}' for name, flag in flags.items()]
    fields += [f'"is_{flag}": True' for flag in ("scrollable", "focusable") if node.is_(flag)]
    fields += [f'"is_{flag}": {node.is_(flag)}' for flag in ("selected", "checked")]
    return f"UI element {number}: {{{', '.join(fields)}}}"


ANDROIDWORLD = AndroidWorld()
