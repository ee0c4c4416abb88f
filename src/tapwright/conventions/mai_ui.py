"""MAI-UI on a phone: a thought in tags and one call of `mobile_use`; whole numbers from 0 to 999.

Prompt, history and answer follow https://github.com/Tongyi-MAI/MAI-UI/blob/
4dd07b9e910a294f001452e888514d912b96cc41/src (prompt.py, mai_naivigation_agent.py,
mai_grounding_agent.py): the task is a turn of its own, every earlier answer comes back, the last
two with their screens. `arguments` differ from Qwen's `mobile_use`: a swipe has a direction, which
is taken for the finger's, and perhaps the place in its middle; a drag has two places. Places are
divided by 999. The prompt names the apps of AndroidWorld. `ask_user` and calls of other tools,
which another prompt offers, are refused; that prompt's `double_click` is read.
"""

import json
from collections.abc import Mapping, Sequence

from tapwright.conventions.convention import Space
from tapwright.conventions.grounding import place_of
from tapwright.conventions.parsing import (
    JsonObject,
    bad_answer,
    make_decision,
    read_answer,
    read_last_object,
    read_place,
    read_text,
    reasoning_before,
    shorten,
)
from tapwright.conventions.prompting import assistant_message, read_template, user_message
from tapwright.conventions.rendering import (
    plain_action,
    read_direction,
    render_step,
    swipe_direction,
    unsupported,
    whole_numbers,
)
from tapwright.conventions.tool_call import read_finish, read_tool_call, read_wait
from tapwright.core.actions import (
    Action,
    Answer,
    DoubleTap,
    Drag,
    Finish,
    Key,
    LongPress,
    OpenApp,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.directions import Direction
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation

_SPACE: Space = "0-999"
_TOOL = "mobile_use"
_SHOWN_STEPS = 2
_VERBS = frozenset(
    {
        "click", "double_click", "long_press", "type", "swipe", "open", "drag", "system_button",
        "wait", "terminate", "answer",
    }
)  # fmt: skip
_BUTTONS: Mapping[str, Key] = {
    "back": "back", "home": "home", "menu": "recents", "enter": "enter",
}  # fmt: skip
_BUTTON_OF = {key: button for button, key in _BUTTONS.items()}
_REACH = 0.2
_FIRST, _LAST = 50 / 999, 949 / 999


class MaiUi:
    """Speaks and reads `<thinking>…</thinking>`, `<tool_call>…</tool_call>`."""

    name = "mai-ui"
    source = "Tongyi-MAI/MAI-UI@4dd07b9 src/prompt.py"
    space: Space = _SPACE
    """Whole numbers from 0 to 999."""

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The tool in the system turn, the task in the next; then answers and latest screens."""
        messages = [
            Message("system", (Text(read_template("mai-ui")),)),
            user_message(instruction),
        ]
        first = max(len(history) - _SHOWN_STEPS, 0)
        for number, step in enumerate(history):
            if number >= first:
                messages.append(user_message(step.observation.screenshot))
            messages.append(assistant_message(render_step(self, step)))
        return [*messages, user_message(observation.screenshot)]

    def render(self, decision: Decision, size: Size) -> str:
        """The thought and the call, as upstream writes both back into the history."""
        arguments = self._render_action(plain_action(self.name, decision), size)
        call = json.dumps({"name": _TOOL, "arguments": arguments}, separators=(",", ":"))
        thought = decision.reasoning.strip()
        before = f"<thinking>\n{thought}\n</thinking>\n" if thought else ""
        return f"{before}<tool_call>\n{call}\n</tool_call>"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last call that can be read.

        Raises:
            BadAnswerError: there is none.
        """
        thoughts, answer = read_answer(text)

        def read(call: JsonObject, before: str) -> Decision:
            action = _parse_action(call, size)
            return make_decision(action, thoughts or reasoning_before(before))

        return read_last_object(answer, read)

    def grounding_prompt(
        self, target: str, observation: Observation, reasoning: str = ""
    ) -> list[Message]:
        """The messages that request the place of `target`; upstream tells no reason."""
        return [
            Message("system", (Text(read_template("mai-ui-grounding")),)),
            user_message(f"{target}\n", observation.screenshot),
        ]

    def parse_point(self, text: str, size: Size) -> Point | None:
        """The place in the last object with a `coordinate`, or of a call of the tool.

        Raises:
            BadAnswerError: there is none, or it is off the screen.
        """
        _, answer = read_answer(text)

        def read(found: JsonObject, before: str) -> Decision:
            if "coordinate" not in found or "action" in found:
                return Decision(_parse_action(found, size))
            return Decision(Tap(at=read_place(found["coordinate"], "coordinate", size, _SPACE)))

        return place_of(read_last_object(answer, read).action)

    def _render_action(self, action: Action, size: Size) -> JsonObject:
        match action:
            case Tap(at=at, button="left"):
                return {"action": "click", "coordinate": whole_numbers(at, size, _SPACE)}
            case LongPress(at=at):
                return {"action": "long_press", "coordinate": whole_numbers(at, size, _SPACE)}
            case TypeText(text=text, at=None, clear=False):
                return {"action": "type", "text": text}
            case Swipe(start=start, end=end):
                middle = Point((start.x + end.x) / 2, (start.y + end.y) / 2)
                return {
                    "action": "swipe",
                    "direction": swipe_direction(self.name, action, size),
                    "coordinate": whole_numbers(middle, size, _SPACE),
                }
            case OpenApp(app=app):
                return {"action": "open", "text": app}
            case Drag(start=start, end=end):
                return {
                    "action": "drag",
                    "start_coordinate": whole_numbers(start, size, _SPACE),
                    "end_coordinate": whole_numbers(end, size, _SPACE),
                }
            case PressKey(key=key) if key in _BUTTON_OF:
                return {"action": "system_button", "button": _BUTTON_OF[key]}
            case Wait():
                return {"action": "wait"}
            case Answer(text=text):
                return {"action": "answer", "text": text}
            case Finish(outcome=("success" | "failure") as outcome):
                status = "success" if outcome == "success" else "fail"
                return {"action": "terminate", "status": status}
        raise unsupported(self.name, action, f"its verbs are {', '.join(sorted(_VERBS))}")


def _parse_action(call: JsonObject, size: Size) -> Action:
    verb, given = read_tool_call(call, _TOOL, _VERBS, {})

    def place(name: str = "coordinate") -> Point:
        return read_place(given.get(name), name, size, _SPACE)

    match verb:
        case "click":
            return Tap(at=place())
        case "double_click":
            return DoubleTap(at=place())
        case "long_press":
            return LongPress(at=place())
        case "type":
            return TypeText(text=read_text(given.get("text"), "text"))
        case "swipe":
            middle = Point(0.5, 0.5) if given.get("coordinate") is None else place()
            return _stroke(read_direction(given.get("direction")), middle)
        case "open":
            return OpenApp(app=read_text(given.get("text"), "text"))
        case "drag":
            return Drag(start=place("start_coordinate"), end=place("end_coordinate"))
        case "system_button":
            button = given.get("button")
            if not isinstance(button, str) or button.lower() not in _BUTTONS:
                raise bad_answer(
                    f"the button is {shorten(button)}; expected one of {', '.join(_BUTTONS)}"
                )
            return PressKey(key=_BUTTONS[button.lower()])
        case "wait":
            return read_wait(given)
        case "answer":
            return Answer(text=read_text(given.get("text"), "text"))
        case _:
            return read_finish(given)


def _stroke(direction: Direction, middle: Point) -> Swipe:
    """A stroke of the finger about a place, shorter near an edge of the screen."""
    x, y = (min(max(side, _FIRST), _LAST) for side in (middle.x, middle.y))
    across = direction in ("left", "right")
    reach = min(_REACH, x, 1 - x) if across else min(_REACH, y, 1 - y)
    if direction in ("left", "up"):
        reach = -reach
    along = (reach, 0.0) if across else (0.0, reach)
    return Swipe(
        start=Point(x - along[0], y - along[1]),
        end=Point(x + along[0], y + along[1]),
    )


MAI_UI = MaiUi()
