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
from collections.abc import Sequence

from tapwright.conventions.call_syntax import ParsedCall, find_calls, find_only_call
from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    build_action,
    make_decision,
    read_answer,
    read_number,
    read_place,
    read_text,
    reasoning_before,
    split_at_last,
)
from tapwright.conventions.prompting import read_template, user_message
from tapwright.conventions.pyautogui import (
    CALLS,
    place_in_call,
    read_actions,
    read_call_place,
    render_call,
)
from tapwright.conventions.rendering import (
    parse_target,
    plain_actions,
    quote,
    render_imperative,
    round_number,
    split_scroll,
    unsupported,
)
from tapwright.core.actions import (
    Action,
    Answer,
    Drag,
    Finish,
    LongPress,
    OpenApp,
    PressKey,
    Scroll,
    Swipe,
    Wait,
)
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation

_SPACE: Space = "fraction"
_LEAST = 0.0001
_OS = re.compile(r"(?:<\|recipient\|>|^(?:assistant)?)os\n", re.MULTILINE)
_ACTION = re.compile(r"^[ \t]*+Action:", re.MULTILINE)
_THOUGHT = re.compile(r"^[ \t]*+Thought:", re.MULTILINE)
_END = "<|diff_marker|>"
_TURN = "<|im_end|>\n<|im_start|>assistant<|recipient|>"
_OWN = frozenset(
    {
        "mobile.swipe", "mobile.home", "mobile.back", "mobile.wait", "mobile.long_press",
        "mobile.open_app", "mobile.terminate", "terminate", "answer",
    }
)  # fmt: skip


class Aguvis:
    """Speaks and reads `os`, then a call, with a thought and an action before it."""

    name = "aguvis"
    source = "xlang-ai/aguvis@c711282 src/aguvis/constants.py"
    space: Space = _SPACE
    """Fractions of the screen, with four decimals."""

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The functions in the system turn; then screen, task, and one line per step so far."""
        past = "\n".join(
            f"Step {number}: {render_imperative(step.decision, step.observation.size)}"
            for number, step in enumerate(history, start=1)
        )
        words = (
            "Please generate the next move according to the ui screenshot, instruction and "
            f"previous actions.\n\nInstruction: {instruction}\n\n"
            f"Previous actions:\n{past or 'None'}\n"
        )
        return [
            Message("system", (Text(read_template("aguvis")),)),
            user_message(observation.screenshot, words),
        ]

    def render(self, decision: Decision, size: Size) -> str:
        """The thought and what to do for all, if there is a thought; then the call for the os."""
        code = "\n".join(map(self._render_action, plain_actions(self.name, decision)))
        call = f"os\n{code}{_END}"
        if not decision.reasoning.strip():
            return call
        return (
            f"all\nThought: {decision.reasoning.strip()}\n"
            f"Action: {render_imperative(decision, size)}\n{_TURN}{call}"
        )

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the call for the os, or of the only call in an answer.

        Raises:
            BadAnswerError: there is no call, or one that is not in the grammar.
        """
        thoughts, answer = read_answer(text)
        before, code = split_at_last(answer, _OS)
        if not code:
            before, code = "", before
        actions = self._parse_actions(code, size)
        thought, line = split_at_last(_user_part(before), _ACTION)
        reasoning = split_at_last(thought, _THOUGHT)[1].strip() or thoughts
        return make_decision(actions, reasoning, parse_target(line, actions, size))

    def _render_action(self, action: Action) -> str:
        match action:
            case Swipe(start=start, end=end):
                return f"mobile.swipe(from_coord={_list(start)}, to_coord={_list(end)})"
            case Drag(start=start, end=end):
                return f"pyautogui.dragTo(from_coord={_list(start)}, to_coord={_list(end)})"
            case LongPress(at=at):
                return f"mobile.long_press({_name(at)})"
            case PressKey(key=("back" | "home") as key):
                return f"mobile.{key}()"
            case OpenApp(app=app):
                return f"mobile.open_app(app_name={quote(app)})"
            case Wait(duration_s=seconds):
                return f"mobile.wait(seconds={round_number(seconds)})"
            case Answer(text=text):
                return f"answer({quote(text)})"
            case Finish(outcome=("success" | "failure") as outcome):
                return f"mobile.terminate(status='{outcome}')"
            case Finish():
                raise unsupported(self.name, action, "it ends as success or failure only")
            case Scroll(at=at):
                word, amount = split_scroll(self.name, action)
                verb = "scroll" if word in ("up", "down") else "hscroll"
                page = round_number(max(amount, _LEAST) * (1 if word in ("up", "right") else -1))
                where = "" if at == Point(0.5, 0.5) else f", {_name(at)}"
                return f"pyautogui.{verb}(page={page}{where})"
        place = place_in_call(action)
        return render_call(self.name, action, "" if place is None else _name(place))

    def _parse_actions(self, code: str, size: Size) -> list[Action]:
        made = find_calls(code, CALLS | _OWN)
        if not made:
            find_only_call(code, CALLS | _OWN)

        def read_own(call: ParsedCall) -> Action | None:
            return _parse_own_call(call, size) if call.name in _OWN else None

        return read_actions(made, size, _SPACE, scroll_unit=1.0, own=read_own)


def _parse_own_call(call: ParsedCall, size: Size) -> Action:
    match call.name.removeprefix("mobile."):
        case "swipe":
            return Swipe(
                start=read_place(call.get("from_coord", at=0), "from_coord", size, _SPACE),
                end=read_place(call.get("to_coord", at=1), "to_coord", size, _SPACE),
            )
        case "long_press":
            return LongPress(at=read_call_place(call, size, _SPACE))
        case "home":
            return PressKey(key="home")
        case "back":
            return PressKey(key="back")
        case "wait":
            seconds = call.get("seconds", at=0)
            return (
                Wait()
                if seconds is None
                else build_action(Wait, duration_s=read_number(seconds, "seconds"))
            )
        case "open_app":
            return OpenApp(app=read_text(call.get("app_name", at=0), "app_name"))
        case "answer":
            return Answer(text=read_text(call.get("text", at=0), "text"))
        case _:
            return build_action(Finish, outcome=call.get("status", at=0) or "success")


def _user_part(before: str) -> str:
    before = before.strip().removesuffix("<|im_start|>assistant").strip()
    return reasoning_before(before.removesuffix("<|im_end|>")).removeprefix("all\n")


def _name(point: Point) -> str:
    return f"x={round_number(point.x)}, y={round_number(point.y)}"


def _list(point: Point) -> str:
    return f"[{round_number(point.x)}, {round_number(point.y)}]"


AGUVIS = Aguvis()
