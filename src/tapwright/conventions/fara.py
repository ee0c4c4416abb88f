"""Fara-7B in a browser: a thought, and one call of its own `computer_use`, in resized pixels.

Follows https://github.com/microsoft/fara/blob/3f3f1fd/src/fara (_prompts.py, fara_agent.py): the
task stands beside the first screen, every later screen beside a sentence, of all screens the last
three are kept, and of the earlier turns without one the answers alone. The line with the page's
address, which stands before that sentence, is left out, as a recording does not know it.

Rules, as `execute_action` has them: `type` clicks its place, empties the field for
`delete_existing_text`, and presses Enter unless `press_enter` is false. A scroll is a page up or
down, whatever its pixels. `visit_url` searches for words, and loads an address without a scheme
over https. A wait without a time is three seconds. `web_search` loads Bing's page
for its query, and `pause_and_memorize_fact` does nothing to the page. The end is success or
failure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote_plus

from pydantic import JsonValue

from tapwright.conventions.arguments import ENDS, MIDDLE, Choice, Is, Lost, Number, On, Words
from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.family import (
    Family,
    assistant_message,
    fill,
    read_template,
    user_message,
)
from tapwright.conventions.parsing import bad_answer, read_number, read_text, shorten
from tapwright.conventions.rendering import render_step, split_scroll
from tapwright.conventions.resize import OPENCUA
from tapwright.conventions.tool_call import ToolCaller
from tapwright.conventions.verbs import Grammar, keys_verb, verb
from tapwright.core.actions import Action, Scroll, TypeText
from tapwright.core.episode import Step
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation

_SHOWN = 3
_SCHEMES = ("https://", "http://", "file://", "about:")
_NEXT = "Here is the next screenshot. Think about what to do next."
_KEYS = {
    "control": "Control", "alt": "Alt", "shift": "Shift", "meta": "Meta", "enter": "Enter",
    "tab": "Tab", "backspace": "Backspace", "delete": "Delete", "escape": "Escape",
    "space": "Space", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft",
    "right": "ArrowRight", "page_up": "PageUp", "page_down": "PageDown", "move_home": "Home",
    "move_end": "End",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Typing:
    """A text, and whether the field is emptied before and Enter pressed after it."""

    fields: tuple[str, ...] = ("text", "clear")

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        flags = [
            call.named.get(name, usual)
            for name, usual in (("press_enter", True), ("delete_existing_text", False))
        ]
        if not all(isinstance(flag, bool) for flag in flags):
            raise bad_answer(f"the flags of typing are {shorten(flags)}; expected true or false")
        text = read_text(call.get("text", "text_value"), "text")
        return {"text": text + "\n" if flags[0] else text, "clear": flags[1]}

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        assert isinstance(action, TypeText)
        text = action.text.removesuffix("\n")
        ends = text != action.text
        return {"text": text, "press_enter": ends, "delete_existing_text": action.clear}


@dataclass(frozen=True, slots=True)
class _Page:
    """A page up or down."""

    fields: tuple[str, ...] = ("dx", "dy")

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        pixels = read_number(call.named.get("pixels", 0), "pixels")
        return {"dy": (pixels < 0) - (pixels > 0)}

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        assert isinstance(action, Scroll)
        word, screens = split_scroll(on.convention, action)
        pixels = max(1, round(screens * on.size.height))
        return {"pixels": pixels if word == "up" else -pixels} if not action.dx else None


class _Search(Words):
    """The address of a search."""

    def decode(self, value: JsonValue, on: On) -> object:
        query = quote_plus(read_text(value, "query"))
        return f"https://www.bing.com/search?q={query}&FORM=QBLH"


class _Address(_Search):
    """What is typed into the field for addresses."""

    def decode(self, value: JsonValue, on: On) -> object:
        url = read_text(value, "url")
        if url.startswith(_SCHEMES):
            return url
        return _Search.decode(self, url, on) if " " in url else f"https://{url}"


@dataclass(frozen=True, slots=True)
class _Browsing:
    """Screens and answers in turns, of which the last screens are kept."""

    def messages(
        self, family: Family, task: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The system turn, the task, and what was done, before the present screen."""
        seen = family.model_size(observation.size)
        system = fill(read_template(family.name), width=str(seen.width), height=str(seen.height))
        messages, words = [Message("system", (Text(system),))], task
        for number, step in enumerate(history):
            if number > len(history) - _SHOWN:
                messages.append(user_message(step.observation.screenshot, words))
            elif number == 0:
                messages.append(user_message(words))
            messages.append(assistant_message(render_step(family, step)))
            words = _NEXT
        return [*messages, user_message(observation.screenshot, words)]


FARA = ToolCaller(
    name="fara",
    source="microsoft/fara@3f3f1fd src/fara/_prompts.py, src/fara/fara_agent.py",
    space="pixel",
    resize=OPENCUA,
    sends=OPENCUA,
    tool="computer_use",
    asks=_Browsing(),
    grammar=Grammar(
        (
            verb("left_click|click", "tap", at="coordinate"),
            verb("mouse_move|hover", "hover", at="coordinate"),
            verb("type|input_text", "type_text", at="coordinate?", typing=_Typing()),
            verb("history_back", "press_key", key=Is("back")),
            keys_verb("key|keypress", "keys", _KEYS),
            verb("scroll", "scroll", at=Lost(MIDDLE), page=_Page()),
            verb("visit_url", "goto", url=_Address("url")),
            verb("wait|sleep", "wait", duration_s=Number("time|duration?", unset=3.0)),
            verb("terminate|stop", "finish", outcome=Choice("status?", ENDS)),
        ),
        also=(
            verb("web_search", "goto", url=_Search("query")),
            verb("pause_and_memorize_fact", "wait", duration_s=Lost(0.0)),
        ),
    ),
)
