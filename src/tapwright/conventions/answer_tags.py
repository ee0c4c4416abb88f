"""GUI-R1 and UI-AGILE as agents: `<think>…</think> <answer>[{'action': …}]</answer>`.

The prompts are those of the families' own evaluations, one for each benchmark with the actions that
it has: https://github.com/ritzz-ai/GUI-R1 at d43eea2, guir1/inference/*.py, and
https://github.com/KDEGroup/UI-AGILE at a8f7658, eval/android_control. Their history is that of
GUI-R1's data, whose steps on GUI-Odyssey are written in OS-Atlas's words. The text begins with the
word `<image>`; GUI-R1's has it again where the picture stood in training.

Rules: scrolling names what comes into view. What has no place or no text has GUI-R1's words for
that all the same, and they are passed over. Its `hotkey` has no keys in any example; keys are read
and written as `input_text`, joined by a plus.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from tapwright.conventions.arguments import MIDDLE, Heading, Is, Lost, Turn
from tapwright.conventions.family import Family, OneTurn, read_template
from tapwright.conventions.os_atlas import OS_ATLAS_ODYSSEY
from tapwright.conventions.parsing import JsonObject, make_decision, read_answer, read_last_object
from tapwright.conventions.rendering import plain_action, quote, render_step
from tapwright.conventions.resize import OPENCUA
from tapwright.conventions.verbs import Grammar, keys_verb, verb
from tapwright.core.directions import OPPOSITE
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Size

_ANSWER = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL)
_TORN = re.compile(
    r"\s*+\[\s*+\{\s*+'action'\s*+:\s*+'(\w++)'\s*+,\s*+(?:'point'\s*+:\s*+(\[[^\]]*+\])\s*+,\s*+)?+"
    r"'(input_text|app)'\s*+:\s*+(['\"])(.*)\4\s*+\}\s*+\]?+\s*+\Z",
    re.DOTALL,
)
_PICTURE = "<image>"


@dataclass(frozen=True, kw_only=True)
class AnswerTags(Family):
    """Speaks and reads one object in a list in `<answer>` tags.

    `filled` are the fields that every object has, with their values where the action has none.
    """

    filled: Mapping[str, JsonValue] = field(default_factory=dict)

    def render(self, decision: Decision, size: Size) -> str:
        """The thoughts, where there are any, and the object in Python's notation."""
        action = plain_action(self.name, decision)
        word, args = self.grammar.write(action, self.on(size))
        said = {"action": word, **self.filled, **args}
        fields = ", ".join(f"'{name}': {_spell(value)}" for name, value in said.items())
        thoughts = f"<think> {decision.reasoning} </think> " if decision.reasoning else ""
        return f"{thoughts}<answer>[{{{fields}}}]</answer>"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last object of the last answer."""
        thoughts, answer = read_answer(text)
        found = _ANSWER.findall(answer)
        answer = found[-1] if found else answer

        def read(said: JsonObject, _: str = "") -> Decision:
            args = {name: value for name, value in said.items() if value != self.filled.get(name)}
            action = self.grammar.read_object(args, self.on(size), said.get("action"))
            return make_decision(action, thoughts.strip())

        torn = _read_torn(answer)
        return read_last_object(answer, read) if torn is None else read(torn)


def _read_torn(answer: str) -> JsonObject | None:
    """An object whose last field is a text with quotation marks that are not escaped; else None."""
    found = _TORN.match(answer)
    if found is None:
        return None
    word, place, name, mark, text = found.groups()
    if mark not in text.replace(f"\\{mark}", ""):
        return None
    return {"action": word, name: text} | ({} if place is None else {"point": place})


def _spell(value: JsonValue) -> str:
    return quote(value) if isinstance(value, str) else str(value)


def _agent(name: str, source: str, grammar: Grammar) -> AnswerTags:
    return AnswerTags(
        name=name,
        source=source,
        space="pixel",
        resize=OPENCUA,
        grammar=grammar,
        asks=_ASKS,
        trains=replace(_ASKS, words=_trained(name)),
    )


def _trained(name: str) -> str:
    """The words with the picture where it stood in training: in the text, or before it."""
    words = read_template(name).removeprefix(f"{_PICTURE}\n")
    place = words.find(_PICTURE)
    return "{picture}" + words if place < 0 else words.replace(_PICTURE, "{picture}", 1)


def _recall_odyssey(family: Family, step: Step) -> str:
    return render_step(OS_ATLAS_ODYSSEY, step).rpartition("actions:\n")[2]


_ASKS = OneTurn(
    "{picture}{template}", line="Step {number}: {step}\n", nothing="None", around=" \n{history}\n"
)
_ALL = Grammar(
    (
        verb("click", "tap", at="point"),
        verb("rightclick", "tap", at="point", button=Is("right")),
        verb("doubleclick", "double_tap", at="point"),
        verb("moveto", "hover", at="point"),
        verb("long_press", "long_press", at="point"),
        verb("type", "type_text", text="input_text"),
        verb("open_app", "open_app", app="input_text"),
        verb("wait", "wait"),
        verb("complete", "finish", outcome=Is("success")),
        verb("impossible", "finish", outcome=Is("infeasible")),
        verb("press_back", "press_key", key=Is("back")),
        verb("press_home", "press_key", key=Is("home")),
        verb("press_recent", "press_key", key=Is("recents")),
        verb("press_enter", "press_key", key=Is("enter")),
        verb("press_tab", "press_key", key=Is("tab")),
        verb("press_space", "press_key", key=Is("space")),
        verb("press_down", "press_key", key=Is("down")),
        verb("press_pgdn", "press_key", key=Is("page_down")),
        keys_verb("hotkey", "input_text", {"control": "ctrl"}, "+", chords_only=True),
        verb("scroll", "swipe", heading=Heading("input_text", OPPOSITE)),
    )
)
_WHEEL = verb("scroll", "scroll", at=Lost(MIDDLE), turn=Turn("input_text"))
_FILLED: Mapping[str, JsonValue] = {"point": [-100, -100], "input_text": "no input text"}


def _gui_r1(suite: str, file: str, *words: str, wheel: bool = False) -> AnswerTags:
    grammar = _ALL.replacing(_WHEEL) if wheel else _ALL
    made = _agent(
        f"gui-r1-{suite}",
        f"ritzz-ai/GUI-R1@d43eea2 guir1/inference/inference_vllm_{file}.py",
        grammar.only("click", *words),
    )
    return replace(made, filled=_FILLED)


GUI_R1_ANDROID_CONTROL = _gui_r1(
    "android-control", "android", "wait", "long_press", "press_back", "type", "open_app", "scroll"
)
GUI_R1_GUIACT_WEB = _gui_r1("guiact-web", "guiact_web", "scroll", "complete", wheel=True)
_ODYSSEY = _gui_r1(
    "odyssey", "guiodyssey", "press_back", "press_recent", "press_home", "complete", "long_press",
    "scroll", "impossible", "type",
)  # fmt: skip
GUI_R1_ODYSSEY = replace(
    _ODYSSEY,
    asks=replace(_ASKS, recall=_recall_odyssey),
    trains=replace(_ASKS, recall=_recall_odyssey, words=_trained("gui-r1-odyssey")),
)
GUI_R1_OMNIACT_DESKTOP = _gui_r1("omniact-desktop", "omniact_desktop", "moveto", "press_pgdn")
GUI_R1_OMNIACT_WEB = _gui_r1(
    "omniact-web", "omniact_web", "press_tab", "moveto", "rightclick", "press_enter", "scroll",
    "press_down", "hotkey", "press_space", "doubleclick", wheel=True,
)  # fmt: skip

UI_AGILE_ANDROID_CONTROL = _agent(
    "ui-agile-android-control",
    "KDEGroup/UI-AGILE@a8f7658 eval/android_control/inference_android_control.py",
    Grammar(
        (
            verb("click", "tap", at="coordinate"),
            verb("open_app", "open_app", app="app"),
            verb("scroll", "swipe", heading=Heading("direction", OPPOSITE)),
            verb("navigate_back", "press_key", key=Is("back")),
            verb("input_text", "type_text", text="input_text"),
            verb("wait", "wait"),
        )
    ),
)
