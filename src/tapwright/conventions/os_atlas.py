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
from dataclasses import dataclass, replace

from pydantic import JsonValue

from tapwright.conventions import parsing
from tapwright.conventions.arguments import MIDDLE, Heading, Is, Lost, Turn
from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.family import Family, OneTurn
from tapwright.conventions.rendering import action_line, plain_action, unsupported
from tapwright.conventions.verbs import Grammar, keys_verb, verb
from tapwright.core.directions import OPPOSITE
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Size

_ACTIONS = re.compile(r"^[ \t]*+actions?:", re.MULTILINE | re.IGNORECASE)
_THOUGHTS = re.compile(r"\A\s*+thoughts?:", re.IGNORECASE)
_PLACED = re.compile(
    r"(CLICK|LONG_PRESS|DOUBLECLICK|RIGHTCLICK|MOVETO):?\s*+"
    r"(?:<point>([^<]*+)(?:</point>)?|([\[(][^<\])]*+[\])]++))"
)
_WORDED = re.compile(r"(TYPE|OPEN_APP|SCROLL|HOTKEY):?\s*+\[(.*)\]", re.DOTALL)
_JOINERS = re.compile(r"[_+ ]+")
_KEYS = {
    "PRESS_BACK": "back", "PRESS_HOME": "home", "PRESS_RECENT": "recents", "ENTER": "enter",
    "PRESS_SPACE": "space", "PRESS_TAB": "tab", "PRESS_ESC": "escape", "PRESS_PGDN": "page_down",
    "PRESS_DOWN": "down", "PRESS_ENTER": "enter", "PRESS_RIGHT": "right",
}  # fmt: skip
_SPELLED = {
    "control": "CTRL", "alt": "ALT", "shift": "SHIFT", "meta": "WIN", "escape": "ESC",
    "page_down": "PGDN", "page_up": "PGUP", "+": "PLUS", "_": "UNDERSCORE",
}  # fmt: skip
_ALL = Grammar(
    (
        verb("CLICK", "tap", at="at"),
        verb("RIGHTCLICK", "tap", at="at", button=Is("right")),
        verb("DOUBLECLICK", "double_tap", at="at"),
        verb("MOVETO", "hover", at="at"),
        verb("LONG_PRESS", "long_press", at="at"),
        verb("TYPE", "type_text", text="text"),
        verb("OPEN_APP", "open_app", app="text"),
        *(verb(word, "press_key", key=Is(key)) for word, key in _KEYS.items()),
        keys_verb("HOTKEY", "text", _SPELLED, "_", chords_only=True),
        verb("WAIT", "wait"),
        verb("COMPLETE", "finish", outcome=Is("success")),
        verb("IMPOSSIBLE", "finish", outcome=Is("infeasible")),
        verb("SCROLL", "swipe", heading=Heading("text", OPPOSITE)),
    )
)
_PHONE = ("CLICK", "TYPE", "SCROLL", "PRESS_BACK", "PRESS_HOME", "COMPLETE")
_WHEEL = verb("SCROLL", "scroll", at=Lost(MIDDLE), turn=Turn("text"))


@dataclass(frozen=True, kw_only=True)
class OsAtlas(Family):
    """Speaks and reads `actions:` and `CLICK <point>[[x, y]]</point>`, `TYPE [text]` and so on."""

    def render(self, decision: Decision, size: Size) -> str:
        """The thoughts, where there are any, and the action."""
        action = plain_action(self.name, decision)
        text = _spell(*self.grammar.write(action, self.on(size)))
        if _ACTIONS.search(text):
            raise unsupported(self.name, action, "a line of its text begins like a section")
        thought = decision.reasoning.strip()
        return (f"thoughts:\n{thought}\n" if thought else "") + f"actions:\n{text}"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision after the last `actions:`, or of an answer that is an action alone."""
        thoughts, answer = parsing.read_answer(text)
        before, line = parsing.split_at_last(answer, _ACTIONS)
        reasoning = _THOUGHTS.sub("", parsing.reasoning_before(before)).strip() if line else ""
        line = (line or before).partition("<|im_end|>")[0].strip()
        action = self.grammar.read(_call(line), self.on(size))
        return parsing.make_decision(action, reasoning or thoughts)


def _spell(word: str, args: parsing.JsonObject) -> str:
    for value in args.values():
        match value:
            case [x, y]:
                return f"{word} <point>[[{x},{y}]]</point>"
            case str():
                return f"{word} [{value.upper() if word == 'SCROLL' else value}]"
    return word


def _call(line: str) -> ParsedCall:
    alone = line.partition("\n\n")[0]
    placed, worded = _PLACED.fullmatch(alone), _WORDED.fullmatch(line)
    args: dict[str, JsonValue] = {}
    if placed is not None:
        args["at"] = placed[2] or placed[3]
    elif worded is not None:
        hotkey = worded[1] == "HOTKEY"
        args["text"] = _JOINERS.sub("_", worded[2].lower()) if hotkey else worded[2]
    found = placed or worded
    return ParsedCall(alone if found is None else found[1], (), args)


def _recall(family: Family, step: Step) -> str:
    return " ".join(step.decision.reasoning.split()) or action_line(step)


_DATA = "OS-Copilot/OS-Atlas@bad0840 eval/data/"
_ASKS = OneTurn(
    "{template}{picture}\nTask: {task}\nHistory: \n{history}\n",
    line="Step {number}: {step}\n",
    nothing="None",
    recall=_recall,
)

OS_ATLAS = OsAtlas(
    name="os-atlas",
    source="huggingface.co/OS-Copilot/OS-Atlas-Pro-7B README.md",
    space="permille",
    grammar=_ALL.only(*_PHONE, "LONG_PRESS", "OPEN_APP", "PRESS_RECENT", "ENTER", "WAIT"),
    asks=OneTurn(
        "{template}{picture}Task instruction: {task}\nHistory: {history}",
        line="Step {number}: {step}",
        joiner="\n",
        nothing="null",
        recall=_recall,
    ),
)
OS_ATLAS_ANDROID_CONTROL = replace(
    OS_ATLAS,
    name="os-atlas-android-control",
    source=f"{_DATA}ac_test.jsonl",
    grammar=_ALL.only(*_PHONE, "LONG_PRESS", "OPEN_APP", "WAIT"),
    asks=_ASKS,
)
OS_ATLAS_ODYSSEY = replace(
    OS_ATLAS_ANDROID_CONTROL,
    name="os-atlas-odyssey",
    source=f"{_DATA}gui_odyssey_test.jsonl",
    grammar=_ALL.only(*_PHONE, "LONG_PRESS", "PRESS_RECENT", "IMPOSSIBLE"),
)
OS_ATLAS_DESKTOP = replace(
    OS_ATLAS_ANDROID_CONTROL,
    name="os-atlas-desktop",
    source=f"{_DATA}omniact_test.jsonl",
    grammar=_ALL.replacing(_WHEEL).only(
        "CLICK", "TYPE", "SCROLL", "DOUBLECLICK", "RIGHTCLICK", "MOVETO", "PRESS_SPACE",
        "PRESS_TAB", "PRESS_ESC", "PRESS_PGDN", "PRESS_DOWN", "PRESS_ENTER", "PRESS_RIGHT",
        "HOTKEY",
    ),
)  # fmt: skip
OS_ATLAS_WEB = replace(
    OS_ATLAS_ANDROID_CONTROL,
    name="os-atlas-web",
    source=f"{_DATA}gui_act_web_test.jsonl",
    grammar=_ALL.only("CLICK", "TYPE", "SCROLL", "ENTER", "COMPLETE"),
)
