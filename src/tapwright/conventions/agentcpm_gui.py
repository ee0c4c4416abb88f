"""AgentCPM-GUI: one compact JSON object, `{"thought":…,"POINT":[x,y]}`; thousandths.

Prompt and schema follow https://github.com/OpenBMB/AgentCPM-GUI/blob/
4a6e0d6f0648a7a1860aac0f16f0c296c161dba0/eval/run_predict_minicpm.py and
eval/utils/schema/schema.json, with the thought required. It receives no history. Its clients
scale a picture so that its longer side has at most 1120 pixels. "agentcpm-gui-vllm" is the turn
that README.md (acbaf50) sends to a vLLM server, which marks the picture's place.

Of several at once a STATUS that ends counts, then TYPE, POINT and PRESS, as eval/utils/evaluator.py
(acbaf50) takes them; a swipe is written without a duration, with which it would be a long press
there.

Rules: a POINT alone is a tap, with a `duration` above 200 ms a long press, with `to` a swipe. `to`
is a place, or the direction in which the finger goes from POINT, over four tenths of the screen. A
`duration` alone is a wait. STATUS finish is success, impossible infeasible, interrupt failure;
satisfied, when there was nothing to do, is read as success; start goes on, as continue does;
need_feedback asks the user, without words of its own. PRESS APPSELECT, of the schema that
upstream's evaluation reads by (schema_for_extraction.json), is read and not written.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from tapwright.conventions import parsing
from tapwright.conventions.convention import Space
from tapwright.conventions.family import read_template, user_message
from tapwright.conventions.rendering import plain_action, read_direction, unsupported, whole_numbers
from tapwright.core import actions
from tapwright.core.actions import Action, Key, Outcome
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation

_SPACE: Space = "permille"
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_TAP_MS = 200
_REACH = 0.4
_KEYS: Mapping[str, Key] = {"HOME": "home", "BACK": "back", "ENTER": "enter"}
_WORD_OF = {key: word for word, key in _KEYS.items()}
_STATUS: Mapping[Outcome, str] = {
    "success": "finish", "infeasible": "impossible", "failure": "interrupt",
}  # fmt: skip
_OUTCOMES: Mapping[str, Outcome] = {
    **{status: outcome for outcome, status in _STATUS.items()}, "satisfied": "success",
}  # fmt: skip
_READ_KEYS: Mapping[str, Key] = {**_KEYS, "APPSELECT": "recents"}
_GOES_ON = ("continue", "start")
_ASKS = "need_feedback"
_LONGER_SIDE = 1120


@dataclass(frozen=True, slots=True)
class AgentCpmGui:
    """Speaks and reads one JSON object without spaces."""

    name: str
    source: str
    picture_mark: str = ""
    space: Space = _SPACE
    """Whole thousandths of the screen."""

    sent_filter: Literal["lanczos"] = "lanczos"
    """The filter by which its clients scale a picture."""

    def sent_size(self, size: Size) -> Size:
        """The size with a longer side of at most 1120 pixels; the other is rounded down."""
        width, height = size.width, size.height
        if height > _LONGER_SIDE:
            width, height = max(1, width * _LONGER_SIDE // height), _LONGER_SIDE
        if width > _LONGER_SIDE:
            width, height = _LONGER_SIDE, max(1, height * _LONGER_SIDE // width)
        return Size(width, height)

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The schema in the system turn, then the question and the screen."""
        words = f"<Question>{instruction}</Question>\n当前屏幕截图：{self.picture_mark}"
        return [
            Message("system", (Text(read_template("agentcpm-gui")),)),
            user_message(words, observation.screenshot),
        ]

    def render(self, decision: Decision, size: Size) -> str:
        """One line of JSON without spaces; the thought first."""
        answer = {
            "thought": decision.reasoning,
            **self._render_action(plain_action(self.name, decision), size),
        }
        return _ENCODE(answer)

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last object that can be read."""

        def read(found: parsing.JsonObject, _: str) -> Decision:
            thought = parsing.read_text(found.get("thought", ""), "thought")
            return parsing.make_decision(_parse_action(found, size), thought)

        return parsing.read_last_object(parsing.read_answer(text)[1], read)

    def _render_action(self, action: Action, size: Size) -> parsing.JsonObject:
        match action:
            case actions.Tap(at=at, button="left"):
                return {"POINT": whole_numbers(at, size, _SPACE)}
            case actions.LongPress(at=at, duration_s=seconds):
                held = max(_TAP_MS + 1, round(seconds * 1000))
                return {"POINT": whole_numbers(at, size, _SPACE), "duration": held}
            case actions.Swipe(start=start, end=end):
                return {
                    "POINT": whole_numbers(start, size, _SPACE),
                    "to": whole_numbers(end, size, _SPACE),
                }
            case actions.PressKey(key=key) if key in _WORD_OF:
                return {"PRESS": _WORD_OF[key]}
            case actions.TypeText(text=text, at=None, clear=False):
                return {"TYPE": text}
            case actions.Wait(duration_s=seconds):
                return {"duration": round(seconds * 1000)}
            case actions.Finish(outcome=outcome):
                return {"STATUS": _STATUS[outcome]}
            case actions.AskUser(text=""):
                return {"STATUS": _ASKS}
        raise unsupported(self.name, action, "its schema has no such action")


def _parse_action(found: parsing.JsonObject, size: Size) -> Action:
    status = found.get("STATUS", "continue")
    if status == _ASKS:
        return actions.AskUser(text="")
    if status not in _GOES_ON:
        if not isinstance(status, str) or status not in _OUTCOMES:
            known = ", ".join((*_OUTCOMES, _ASKS))
            raise parsing.bad_answer(
                f"STATUS is {parsing.shorten(status)}; expected one of {known}"
            )
        return actions.Finish(outcome=_OUTCOMES[status])
    duration = found.get("duration")
    if found.get("TYPE") is not None:
        return actions.TypeText(text=parsing.read_text(found["TYPE"], "TYPE"))
    if found.get("POINT") is not None:
        return _parse_touch(found, duration, size)
    if (word := found.get("PRESS")) is not None:
        if not isinstance(word, str) or word not in _READ_KEYS:
            raise parsing.bad_answer(
                f"PRESS is {parsing.shorten(word)}; expected one of {', '.join(_READ_KEYS)}"
            )
        return actions.PressKey(key=_READ_KEYS[word])
    if duration is None:
        raise parsing.bad_answer("no POINT, PRESS, TYPE, duration or STATUS in the answer")
    return parsing.build_action(
        actions.Wait, duration_s=parsing.read_number(duration, "duration") / 1000
    )


def _parse_touch(found: parsing.JsonObject, duration: JsonValue, size: Size) -> Action:
    at = parsing.read_place(found["POINT"], "POINT", size, _SPACE)
    held_ms = None if duration is None else parsing.read_number(duration, "duration")
    to = found.get("to")
    if to is not None:
        end = (
            _end_toward(at, to)
            if isinstance(to, str)
            else parsing.read_place(to, "to", size, _SPACE)
        )
        if held_ms is None:
            return actions.Swipe(start=at, end=end)
        return parsing.build_action(actions.Swipe, start=at, end=end, duration_s=held_ms / 1000)
    if held_ms is None or held_ms <= _TAP_MS:
        return actions.Tap(at=at)
    return parsing.build_action(actions.LongPress, at=at, duration_s=held_ms / 1000)


def _end_toward(start: Point, word: str) -> Point:
    match read_direction(word):
        case "up":
            return Point(start.x, max(0.0, start.y - _REACH))
        case "down":
            return Point(start.x, min(1.0, start.y + _REACH))
        case "left":
            return Point(max(0.0, start.x - _REACH), start.y)
        case "right":
            return Point(min(1.0, start.x + _REACH), start.y)


AGENTCPM_GUI = AgentCpmGui(
    "agentcpm-gui", "OpenBMB/AgentCPM-GUI@4a6e0d6 eval/run_predict_minicpm.py"
)
AGENTCPM_GUI_VLLM = AgentCpmGui(
    "agentcpm-gui-vllm", "OpenBMB/AgentCPM-GUI@acbaf50 README.md", "(<image>./</image>)"
)
