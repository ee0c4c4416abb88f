"""OS-Atlas: `thoughts:`, `actions:`, one word with its place or text; thousandths.

"os-atlas" is the released Pro model as its card prompts it (https://huggingface.co/OS-Copilot/
OS-Atlas-Pro-7B, README.md, read in a public script that has its words). The others are the prompts
of https://github.com/OS-Copilot/OS-Atlas at bad0840, eval/data: ac_test.jsonl (AndroidControl),
gui_odyssey_test.jsonl, omniact_test.jsonl (desktop) and gui_act_web_test.jsonl (web). The custom
actions are the user's to choose, so each prompt has its own, and writes those; every answer is read
with all of them. A step of the history is the thought that led to it, else our line for the action.

Rules: SCROLL has a direction and no place. It names what comes into view, as in AndroidControl. On
a phone it is a finger's stroke over the middle of the screen, on the desktop the wheel there.
COMPLETE is success, IMPOSSIBLE infeasible. AndroidControl's answers have LONG_PRESS, which its
prompt lacks. HOTKEY's keys are joined by an underscore.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    bad_answer,
    make_decision,
    read_answer,
    read_place,
    reasoning_before,
    shorten,
    split_at_last,
)
from tapwright.conventions.prompting import read_template, user_message
from tapwright.conventions.rendering import (
    action_line,
    make_scroll,
    plain_action,
    press_keys,
    read_direction,
    spell_keys,
    split_scroll,
    swipe_direction,
    unsupported,
    whole_numbers,
)
from tapwright.core.actions import (
    Action,
    DoubleTap,
    Finish,
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
from tapwright.core.directions import OPPOSITE, swipe_toward
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation

_SPACE: Space = "permille"
_ACTIONS = re.compile(r"^[ \t]*+actions?:", re.MULTILINE | re.IGNORECASE)
_THOUGHTS = re.compile(r"\A\s*+thoughts?:", re.IGNORECASE)
_PLACED = re.compile(
    r"(CLICK|LONG_PRESS|DOUBLECLICK|RIGHTCLICK|MOVETO):?\s*+"
    r"(?:<point>)?(\[\[?[^<\]]*+\]\]?)(?:</point>)?"
)
_WORDED = re.compile(r"(TYPE|OPEN_APP|SCROLL|HOTKEY):?\s*+\[(.*)\]", re.DOTALL)
_KEYS: Mapping[str, Key] = {
    "PRESS_BACK": "back", "PRESS_HOME": "home", "PRESS_RECENT": "recents", "ENTER": "enter",
    "PRESS_SPACE": "space", "PRESS_TAB": "tab", "PRESS_ESC": "escape", "PRESS_PGDN": "page_down",
    "PRESS_DOWN": "down", "PRESS_ENTER": "enter", "PRESS_RIGHT": "right",
}  # fmt: skip
_BASIC = frozenset({"CLICK", "TYPE", "SCROLL"})
_SPELLED = {
    "control": "CTRL", "alt": "ALT", "shift": "SHIFT", "meta": "WIN", "escape": "ESC",
    "page_down": "PGDN", "page_up": "PGUP",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class OsAtlas:
    """Speaks and reads `actions:` and `CLICK <point>[[x, y]]</point>`, `TYPE [text]` and so on."""

    name: str
    source: str
    custom: frozenset[str]
    has_card_words: bool = False
    space: Space = _SPACE
    """Whole thousandths of the screen."""

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """One turn: the actions, the screen, the task, and one line per step so far."""
        past = "".join(f"Step {number}: {_line(step)}\n" for number, step in enumerate(history, 1))
        if self.has_card_words:
            words = f"Task instruction: {instruction}\nHistory: {past.rstrip() or 'null'}"
        else:
            words = f"\nTask: {instruction}\nHistory: \n{past or 'None'}\n"
        return [user_message(read_template(self.name), observation.screenshot, words)]

    def render(self, decision: Decision, size: Size) -> str:
        """The thoughts, where there are any, and the action."""
        action = plain_action(self.name, decision)
        action_text = self._render_action(action, size)
        if _ACTIONS.search(action_text):
            raise unsupported(self.name, action, "a line of its text begins like a section")
        thought = decision.reasoning.strip()
        return (f"thoughts:\n{thought}\n" if thought else "") + f"actions:\n{action_text}"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision after the last `actions:`, or of an answer that is an action alone.

        Raises:
            BadAnswerError: there is none, several, or one that is not in the grammar.
        """
        thoughts, answer = read_answer(text)
        before, line = split_at_last(answer, _ACTIONS)
        reasoning = _THOUGHTS.sub("", reasoning_before(before)).strip() if line else ""
        line = (line or before).strip().removesuffix("<|im_end|>").strip()
        return make_decision(self._parse_action(line, size), reasoning or thoughts)

    def _render_action(self, action: Action, size: Size) -> str:
        text = self._spell(action, size)
        if re.split(r"[ \[]", text)[0] not in _BASIC | self.custom:
            raise unsupported(self.name, action, "its prompt has no such action")
        return text

    def _spell(self, action: Action, size: Size) -> str:
        match action:
            case Tap(at=at, button="left"):
                return f"CLICK {_render_point(at, size)}"
            case Tap(at=at, button="right"):
                return f"RIGHTCLICK {_render_point(at, size)}"
            case DoubleTap(at=at):
                return f"DOUBLECLICK {_render_point(at, size)}"
            case Hover(at=at):
                return f"MOVETO {_render_point(at, size)}"
            case LongPress(at=at):
                return f"LONG_PRESS {_render_point(at, size)}"
            case Swipe() if not self._turns_wheel:
                finger = swipe_direction(self.name, action, size)
                return f"SCROLL [{OPPOSITE[finger].upper()}]"
            case Scroll() if self._turns_wheel:
                return f"SCROLL [{split_scroll(self.name, action)[0].upper()}]"
            case TypeText(text=text, at=None, clear=False):
                return f"TYPE [{text}]"
            case OpenApp(app=app):
                return f"OPEN_APP [{app}]"
            case PressKey(key=key):
                words = [word for word, known in _KEYS.items() if known == key]
                return next((word for word in words if word in self.custom), "")
            case Hotkey():
                return f"HOTKEY [{'_'.join(spell_keys(self.name, action, _SPELLED, '_'))}]"
            case Wait():
                return "WAIT"
            case Finish(outcome="success"):
                return "COMPLETE"
            case Finish(outcome="infeasible"):
                return "IMPOSSIBLE"
        return ""

    @property
    def _turns_wheel(self) -> bool:
        return "MOVETO" in self.custom

    def _parse_action(self, line: str, size: Size) -> Action:
        found = _PLACED.fullmatch(line)
        if found is not None:
            return _touch(found[1], read_place(found[2].strip("[]"), found[1], size, _SPACE))
        found = _WORDED.fullmatch(line)
        if found is not None:
            match found[1]:
                case "TYPE":
                    return TypeText(text=found[2])
                case "OPEN_APP":
                    return OpenApp(app=found[2])
                case "HOTKEY":
                    return press_keys(re.split(r"[_+ ]+", found[2].lower()))
            word = read_direction(found[2])
            if self._turns_wheel:
                return make_scroll(word, Point(0.5, 0.5))
            return swipe_toward(OPPOSITE[word])
        return _parse_word(line)


def _line(step: Step) -> str:
    return " ".join(step.decision.reasoning.split()) or action_line(step)


def _render_point(point: Point, size: Size) -> str:
    x, y = whole_numbers(point, size, _SPACE)
    return f"<point>[[{x},{y}]]</point>"


def _touch(verb: str, at: Point) -> Action:
    match verb:
        case "LONG_PRESS":
            return LongPress(at=at)
        case "DOUBLECLICK":
            return DoubleTap(at=at)
        case "RIGHTCLICK":
            return Tap(at=at, button="right")
        case "MOVETO":
            return Hover(at=at)
    return Tap(at=at)


def _parse_word(line: str) -> Action:
    if line in _KEYS:
        return PressKey(key=_KEYS[line])
    match line:
        case "WAIT":
            return Wait()
        case "COMPLETE":
            return Finish()
        case "IMPOSSIBLE":
            return Finish(outcome="infeasible")
    raise bad_answer(
        f"the action is {shorten(line)}; expected one, such as CLICK <point>[[x, y]]</point>"
    )


_DATA = "OS-Copilot/OS-Atlas@bad0840 eval/data/"
_SYSTEM_KEYS = ("PRESS_BACK", "PRESS_HOME")

OS_ATLAS = OsAtlas(
    "os-atlas",
    "huggingface.co/OS-Copilot/OS-Atlas-Pro-7B README.md",
    frozenset(
        {*_SYSTEM_KEYS, "LONG_PRESS", "OPEN_APP", "PRESS_RECENT", "ENTER", "WAIT", "COMPLETE"}
    ),
    has_card_words=True,
)
OS_ATLAS_ANDROID_CONTROL = OsAtlas(
    "os-atlas-android-control",
    f"{_DATA}ac_test.jsonl",
    frozenset({*_SYSTEM_KEYS, "LONG_PRESS", "OPEN_APP", "WAIT", "COMPLETE"}),
)
OS_ATLAS_ODYSSEY = OsAtlas(
    "os-atlas-odyssey",
    f"{_DATA}gui_odyssey_test.jsonl",
    frozenset({*_SYSTEM_KEYS, "LONG_PRESS", "PRESS_RECENT", "IMPOSSIBLE", "COMPLETE"}),
)
OS_ATLAS_DESKTOP = OsAtlas(
    "os-atlas-desktop",
    f"{_DATA}omniact_test.jsonl",
    frozenset(
        {
            "DOUBLECLICK", "RIGHTCLICK", "MOVETO", "PRESS_SPACE", "PRESS_TAB", "PRESS_ESC",
            "PRESS_PGDN", "PRESS_DOWN", "PRESS_ENTER", "PRESS_RIGHT", "HOTKEY",
        }
    ),
)  # fmt: skip
OS_ATLAS_WEB = OsAtlas(
    "os-atlas-web", f"{_DATA}gui_act_web_test.jsonl", frozenset({"ENTER", "COMPLETE"})
)
