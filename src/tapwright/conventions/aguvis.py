"""AGUVIS: pyautogui's calls and its own for phones, places in fractions of the screen.

Prompt and functions follow https://github.com/xlang-ai/aguvis/blob/
c711282a111e188e6a9255bca6d5864d862c2b6f/src/aguvis/constants.py. The prompt ends with
`<|im_start|>assistant<|recipient|>`, so an answer begins with who it is for: "all", with thought
and action, and then "os", with the call. It is read with those tokens and without.

Rules: a swipe is `mobile.swipe`, a drag `dragTo(from_coord, to_coord)`. Scrolls are shares of a
screen, up when positive. `answer` and `mobile.terminate` are in its training data, not in the
prompt; infeasible is unsupported.
"""

import re

from tapwright.conventions import parsing, pyautogui, rendering
from tapwright.conventions.arguments import ENDS, MIDDLE, XY, Choice, Is, On
from tapwright.conventions.call_syntax import ParsedCall, find_calls, find_only_call
from tapwright.conventions.family import Family, OneTurn
from tapwright.conventions.verbs import Grammar, verb
from tapwright.core.actions import Action, Answer, PressKey, Scroll
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size

_LEAST = 0.0001
_OS = re.compile(r"(?:<\|recipient\|>|^(?:assistant)?)os\n", re.MULTILINE)
_ACTION = re.compile(r"^[ \t]*+Action:", re.MULTILINE)
_THOUGHT = re.compile(r"^[ \t]*+Thought:", re.MULTILINE)
_END = "<|diff_marker|>"
_TURN = "<|im_end|>\n<|im_start|>assistant<|recipient|>"


_GRAMMAR = Grammar(
    (
        verb("mobile.swipe", "swipe", start="from_coord@0", end="to_coord@1"),
        verb("mobile.long_press", "long_press", at=XY()),
        verb("mobile.home", "press_key", key=Is("home")),
        verb("mobile.back", "press_key", key=Is("back")),
        verb("mobile.wait", "wait", duration_s="seconds@0?"),
        verb("mobile.open_app", "open_app", app="app_name@0"),
        verb("mobile.terminate|terminate", "finish", outcome=Choice("status@0?", ENDS)),
        verb("answer", "answer", text="text@0"),
        verb("pyautogui.dragTo", "drag", start="from_coord@0", end="to_coord@1"),
    )
)
_SAID = _GRAMMAR.kinds - {Answer, PressKey}
_OWN = frozenset(word for word in _GRAMMAR.words if not word.startswith("pyautogui."))


class Aguvis(Family):
    """Speaks and reads `os`, then a call, with a thought and an action before it."""

    def render(self, decision: Decision, size: Size) -> str:
        """The thought and what to do for all, if there is a thought; then the call for the os."""
        on = self.on(size)
        calls = [
            self._render_action(one, on) for one in rendering.plain_actions(self.name, decision)
        ]
        call = f"os\n{chr(10).join(calls)}{_END}"
        if not decision.reasoning.strip():
            return call
        return (
            f"all\nThought: {decision.reasoning.strip()}\n"
            f"Action: {rendering.render_imperative(decision, size)}\n{_TURN}{call}"
        )

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the call for the os, or of the only call in an answer."""
        thoughts, answer = parsing.read_answer(text)
        before, code = parsing.split_at_last(answer, _OS)
        if not code:
            before, code = "", before
        actions = self._read(code, self.on(size))
        thought, line = parsing.split_at_last(_user_part(before), _ACTION)
        reasoning = parsing.split_at_last(thought, _THOUGHT)[1].strip() or thoughts
        return parsing.make_decision(
            actions, reasoning, rendering.parse_target(line, actions, size)
        )

    def _render_action(self, action: Action, on: On) -> str:
        if type(action) in _SAID:
            return self.say(action, on, "[{}, {}]")
        match action:
            case Answer(text=text):
                return f"answer({rendering.quote(text)})"
            case Scroll(at=at):
                word, amount = rendering.split_scroll(self.name, action)
                verb = "scroll" if word in ("up", "down") else "hscroll"
                page = rendering.round_number(
                    max(amount, _LEAST) * (1 if word in ("up", "right") else -1)
                )
                where = "" if at == MIDDLE else f", {_name(at, on)}"
                return f"pyautogui.{verb}(page={page}{where})"
            case PressKey(key="back" | "home"):
                return self.say(action, on, "")
        place = pyautogui.place_in_call(action)
        return pyautogui.render_call(self.name, action, "" if place is None else _name(place, on))

    def _read(self, code: str, on: On) -> list[Action]:
        made = find_calls(code, pyautogui.CALLS | _OWN)
        if not made:
            find_only_call(code, pyautogui.CALLS | _OWN)

        def read_own(call: ParsedCall) -> Action | None:
            return self.grammar.read(call, on) if call.name in _OWN else None

        return pyautogui.read_actions(
            made, pyautogui.CallPointer(on.size, on.space), scroll_unit=1.0, own=read_own
        )


def _user_part(before: str) -> str:
    before = before.strip().removesuffix("<|im_start|>assistant").strip()
    return parsing.reasoning_before(before.removesuffix("<|im_end|>")).removeprefix("all\n")


def _name(point: Point, on: On) -> str:
    x, y = on.numbers(point)
    return f"x={x}, y={y}"


AGUVIS = Aguvis(
    name="aguvis",
    source="xlang-ai/aguvis@c711282 src/aguvis/constants.py",
    space="fraction",
    grammar=_GRAMMAR,
    asks=OneTurn(
        "{picture}Please generate the next move according to the ui screenshot, instruction and "
        "previous actions.\n\nInstruction: {task}\n\nPrevious actions:\n{history}\n",
        system="{template}",
        line="Step {number}: {step}",
        joiner="\n",
        nothing="None",
    ),
)
