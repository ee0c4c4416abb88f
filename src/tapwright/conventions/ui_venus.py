"""UI-Venus 1.0 and 1.5, phone and web: `<think>`, `<action>Click(box=(x,y))`, `<conclusion>`.

Follows https://github.com/inclusionAI/UI-Venus/blob/c3a1442c3c4501af18c124458dbbddcbda5c2c6f
/models/navigation: prompts and grammar of utils.py, history of ui_venus_navi_agent.py (every step
with its thought and action, counted from 0; run_navi.sh keeps the last five), turns of
ui_venus_navi_vllm.py; the prompt for one element of models/grounding/ui_venus1_5_gd.py, where
[-1,-1] is "no such element". 1.0 follows the same files before c6ce41f, of which only copies could
be had: its prompt, and the limits of pixels with which its 7B and its 72B were run.

Rules: 1.5 gives thousandths, as Venus_framework/policy/ui_venus_policy.py reads them; 1.0 pixels of
the resized picture. A conclusion is the decision's target. `CallUser` tells the user something, as
the prompt has it for questions. `Scroll` from place to place is a finger's stroke; with a direction
it names what comes into view. `Type` on the web presses Enter afterwards, so the line break that
presses it is not written. `Launch` of a url is `Goto`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tapwright.conventions.call_syntax import ParsedCall, find_only_call
from tapwright.conventions.convention import Space
from tapwright.conventions.element_grounder import NUMBER, PlaceForm
from tapwright.conventions.parsing import (
    bad_answer,
    build_action,
    make_decision,
    read_answer,
    read_place,
    read_text,
)
from tapwright.conventions.prompting import fill, read_template, user_message
from tapwright.conventions.rendering import (
    make_scroll,
    plain_action,
    press_keys,
    quote,
    read_direction,
    spell_keys,
    split_scroll,
    unsupported,
    whole_numbers,
)
from tapwright.conventions.resize import SmartResize
from tapwright.core.actions import (
    Action,
    Answer,
    DoubleTap,
    Drag,
    Finish,
    Goto,
    Hotkey,
    Hover,
    Key,
    LongPress,
    OpenApp,
    PressKey,
    Scroll,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation
from tapwright.errors import UnsupportedByConventionError

_KEY_VERBS: Mapping[str, Key] = {
    "PressBack": "back", "PressHome": "home", "PressEnter": "enter", "PressRecent": "recents",
}  # fmt: skip
_VERB_OF = {key: verb for verb, key in _KEY_VERBS.items()}
_VERBS = frozenset(
    {
        "Click", "Drag", "Scroll", "Type", "Launch", "Wait", "Finished", "CallUser", "LongPress",
        "Hover", "DoubleClick", "Hotkey", *_KEY_VERBS,
    }
)  # fmt: skip
_KEY_NAMES = {"control": "ctrl", "escape": "esc", "page_up": "pageup", "page_down": "pagedown",
              "move_home": "home", "move_end": "end"}  # fmt: skip
_MOST_KEYS = 3
_MIDDLE = Point(0.5, 0.5)
_TAGS = re.compile(r"</?(?:think|action|conclusion)>")
_PAIR = rf"{NUMBER}\s*+,\s*+{NUMBER}"
_PLACE = PlaceForm(
    "[{x},{y}]",
    re.compile(rf"[(\[]\s*+{_PAIR}(?:\s*+[)\]]?+\s*+,\s*+[(\[]?+\s*+{_PAIR})?+"),
    no_element="[-1,-1]",
    refusal=re.compile(r"\[\s*+-1\s*+,\s*+-1\s*+\]"),
)


@dataclass(frozen=True, slots=True)
class UiVenus:
    """Speaks and reads `<action>Click(box=(x,y))</action>` and so on.

    `space` pixels are those of the picture after `resize`, in which it is also sent.
    """

    name: str
    source: str
    space: Space
    on_web: bool = False
    resize: SmartResize | None = None

    def model_size(self, size: Size) -> Size:
        """1.0: the size after `smart_resize`; 1.5: the size as it is."""
        return size if self.resize is None else self.resize.size(size)

    def sent_size(self, size: Size) -> Size:
        """The same: the client resizes."""
        return self.model_size(size)

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """A system turn; then task, all steps so far as thought and action, and the screen."""
        past = "\n".join(
            f"Step {number}: {self._past(step)}" for number, step in enumerate(history)
        )
        template = "ui-venus-1.0" if self.space == "pixel" else self.name
        words = fill(read_template(template), user_task=instruction, previous_actions=past)
        return [
            Message("system", (Text("You are a helpful assistant."),)),
            user_message(words, observation.screenshot),
        ]

    def render(self, decision: Decision, size: Size) -> str:
        """Thought, call, and the target as the conclusion."""
        call = self._render_action(plain_action(self.name, decision), size)
        conclusion = _TAGS.sub("", decision.target).strip()
        return (
            f"<think>{decision.reasoning.strip()}</think>\n<action>{call}</action>\n"
            f"<conclusion>{conclusion}</conclusion>"
        )

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the call between the action's tags, or of an answer that is one call.

        Raises:
            BadAnswerError: there is no call, several, or one that is not in the grammar.
        """
        thoughts, text = read_answer(text)
        before, tag, after = text.partition("<action>")
        line, _, rest = (after if tag else before).partition("<conclusion>")
        call = find_only_call(line.rpartition("</action>")[0] or line, _VERBS)
        conclusion = rest.partition("</conclusion>")[0].strip()
        return make_decision(self._parse_action(call, size), thoughts, conclusion)

    def _past(self, step: Step) -> str:
        try:
            call = self._render_action(
                plain_action(self.name, step.decision), step.observation.size
            )
        except UnsupportedByConventionError:
            call = " ".join(one.type for one in step.decision.actions)
        return f"<think>{step.decision.reasoning.strip()}</think><action>{call}</action>"

    def _render_action(self, action: Action, size: Size) -> str:
        match action:
            case Tap(at=at, button="left"):
                return f"Click(box={self._point(at, size)})"
            case LongPress(at=at):
                return f"LongPress(box={self._point(at, size)})"
            case Drag(start=start, end=end):
                return f"Drag(start={self._point(start, size)}, end={self._point(end, size)})"
            case Swipe(start=start, end=end) if not self.on_web:
                return f"Scroll(start={self._point(start, size)}, end={self._point(end, size)})"
            case TypeText(text=text, at=None, clear=False):
                typed = text.removesuffix("\n") if self.on_web else text
                return f"Type(content={quote(typed)})"
            case OpenApp(app=app):
                return f"Launch(app={quote(app)})"
            case Goto(url=url) if self.on_web:
                return f"Launch(url={quote(url)})"
            case PressKey(key=key) if key in _VERB_OF:
                return f"{_VERB_OF[key]}()"
            case Wait():
                return "Wait()"
            case Finish(outcome="success", reason=reason):
                return f"Finished(content={quote(reason)})"
            case Answer(text=text):
                return f"CallUser(content={quote(text)})"
        if self.on_web:
            return self._render_on_web(action, size)
        raise unsupported(self.name, action, "its prompt has no such action")

    def _render_on_web(self, action: Action, size: Size) -> str:
        match action:
            case Hover(at=at):
                return f"Hover(box={self._point(at, size)})"
            case DoubleTap(at=at):
                return f"DoubleClick(box={self._point(at, size)})"
            case Scroll() if not action.dx:
                return f"Scroll(direction='{split_scroll(self.name, action)[0]}')"
            case PressKey() | Hotkey():
                keys = spell_keys(self.name, action, _KEY_NAMES, "")
                if len(keys) > _MOST_KEYS:
                    raise unsupported(self.name, action, "it holds at most three keys")
                return f"Hotkey(keys=[{', '.join(quote(key) for key in keys)}])"
        raise unsupported(self.name, action, "its prompt has no such action")

    def _point(self, point: Point, size: Size) -> str:
        x, y = whole_numbers(point, self.model_size(size), self.space)
        return f"({x},{y})"

    def _parse_action(self, call: ParsedCall, size: Size) -> Action:
        def at(name: str) -> Point:
            return read_place(call.get(name), name, self.model_size(size), self.space)

        def words() -> str:
            return read_text(call.get("content", at=0), "content")

        match call.name:
            case "Click":
                return Tap(at=at("box"))
            case "DoubleClick":
                return DoubleTap(at=at("box"))
            case "Hover":
                return Hover(at=at("box"))
            case "LongPress":
                return LongPress(at=at("box"))
            case "Drag":
                return Drag(start=at("start"), end=at("end"))
            case "Scroll" if call.get("start") is None and call.get("direction") is not None:
                return make_scroll(read_direction(call.get("direction")), _MIDDLE)
            case "Scroll":
                return Swipe(start=at("start"), end=at("end"))
            case "Type":
                return TypeText(text=words() + ("\n" if self.on_web else ""))
            case "CallUser":
                return Answer(text=words())
            case "Launch" if call.get("url") and not call.get("app"):
                return build_action(Goto, url=read_text(call.get("url"), "url"))
            case "Launch":
                return OpenApp(app=read_text(call.get("app", at=0), "app"))
            case "Wait":
                return Wait()
            case "Hotkey":
                return press_keys(_read_keys(call))
            case "Finished":
                content = call.get("content", at=0)
                return Finish(reason="" if content is None else read_text(content, "content"))
        return PressKey(key=_KEY_VERBS[call.name])


@dataclass(frozen=True, slots=True)
class UiVenusGrounding(UiVenus):
    """The same, and the place of one element by a prompt of its own."""

    def grounding_prompt(
        self, target: str, observation: Observation, reasoning: str = ""
    ) -> list[Message]:
        """One turn that requests the centre of `target`; it has no place for a reason."""
        words = fill(read_template("ui-venus-1.5-grounding"), target=target.removesuffix("."))
        return [user_message(observation.screenshot, words)]

    def parse_point(self, text: str, size: Size) -> Point | None:
        """The place in an answer; None: there is no such element.

        Raises:
            BadAnswerError: it has none, or one off the screen.
        """
        numbers = _PLACE.read(read_answer(text)[1])
        return None if numbers is None else read_place([*numbers], "the place", size, self.space)


def _read_keys(call: ParsedCall) -> list[str]:
    keys = call.get("keys", at=0)
    if isinstance(keys, str):
        keys = [*keys.split("+")]
    if not isinstance(keys, list) or not 0 < len(keys) <= _MOST_KEYS:
        raise bad_answer("keys is no list of one to three keys")
    return [read_text(key, "a key").strip() for key in keys]


_SOURCE = "inclusionAI/UI-Venus@c3a1442 models/navigation/utils.py"
_SOURCE_1_0 = "inclusionAI/UI-Venus before c6ce41f models/navigation/utils.py (a copy)"

UI_VENUS_1_0 = UiVenus(
    "ui-venus-1.0", _SOURCE_1_0, "pixel", resize=SmartResize(28, 830_000, 937_664)
)
UI_VENUS_1_0_72B = UiVenus(
    "ui-venus-1.0-72b", _SOURCE_1_0, "pixel", resize=SmartResize(28, 3136, 12_845_056)
)
UI_VENUS_1_5 = UiVenusGrounding("ui-venus-1.5", _SOURCE, "permille")
UI_VENUS_1_5_WEB = UiVenusGrounding("ui-venus-1.5-web", _SOURCE, "permille", on_web=True)
